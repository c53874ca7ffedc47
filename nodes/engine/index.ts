// The public face of the engine: it makes the nodes of an API from its definition.
import type { ApiDefinition, Route } from './base/definition';
import { openApi, type ClientOptions } from './client/door';
import type { ApiContext } from './client/http/context';
import { pickersOf, type PickerList } from './editor/pickers';
import { operationsOf } from './form/operation';
import { nodesOf } from './node/nodeHead';

/** Declares an API's operations, nodes and pickers. `R` are its routes, `NodeName` the types of its nodes. */
export const engine =
	<R extends Route, NodeName extends string>() =>
	<ListName extends string, ValuesName extends string>(
		api: ApiDefinition,
		lists: Record<ListName, PickerList>,
		known: Record<ValuesName, string[]>,
	) => ({
		...operationsOf<R>(api),
		...nodesOf<NodeName>(api),
		...pickersOf(api, lists, known),
		openApi: async (context: ApiContext, options: ClientOptions) =>
			await openApi(api, context, options),
	});
