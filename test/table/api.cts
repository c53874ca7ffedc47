// The endpoints of the built package by their routes.
import { platform } from '../../dist/nodes/api/platform.js';
import * as paths from '../../dist/nodes/engine/base/path.js';
import type { Route } from '../../nodes/engine/base/definition.ts';

export type { Route } from '../../nodes/engine/base/definition.ts';

export const routes = platform.routes;

export const endpointOf = (route: string) => platform.endpoint(route as Route);

/** Method and path template of a route. */
export function partsOf(route: string) {
	const { method, template } = endpointOf(route);
	return { method, path: template.path };
}

export const onlyReads = (route: string) => endpointOf(route).onlyReads;

export const isRepeatable = (route: string) => endpointOf(route).isRepeatable;

export const leavesInDryRun = (route: string) => endpointOf(route).leavesInDryRun;

export const pathParameters = (route: string) => endpointOf(route).pathParameters;

type Content = Parameters<typeof paths.requestTo>[2];

export const requestTo = (route: string, ids?: Record<string, unknown>, content?: Content) =>
	paths.requestTo(endpointOf(route), ids, content);
