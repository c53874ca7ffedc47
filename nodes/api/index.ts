// This API, handed to the engine. The areas take from here what depends on it.
import { engine } from '../engine';
import type { Route } from './endpoints';
import type { NodeName } from './nodes';
import { knownValues, pickerLists } from './pickerLists';
import { platform } from './platform';

export type { Route } from './endpoints';

export const {
	actionNode,
	create,
	get,
	getMany,
	loadedChoice,
	loadedChoices,
	locator,
	methods,
	nodeHead,
	openApi,
	openChoice,
	operation,
	remove,
	update,
	upsert,
} = engine<Route, NodeName>()(platform, pickerLists, knownValues);

export const endpointOf = (route: Route) => platform.endpoint(route);
