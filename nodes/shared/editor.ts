// The API as the forms of the editor use it: for pickers and for the fields of a mapper.
import type { ILoadOptionsFunctions } from 'n8n-workflow';

import type { Api } from './client/api';
import { openApi, type ClientOptions } from './client/door';
import { unwrapLocator } from './form/values';
import { pathParameters, requestTo } from './path';
import type { Route } from './endpoints';
import { recordLabel } from './fields';
import type { ApiRequest } from './operation';

export { withNodeErrors } from './client/http/nodeErrors';

/** Requests in flight while a picker searches. */
export const EDITOR_PARALLEL = 5;

/** Short, because the user waits for the dropdown and can't cancel it. */
const CLIENT: ClientOptions = {
	max: EDITOR_PARALLEL,
	retry: { timeout: 15_000, budget: 15_000, isFixed: true },
};

/**
 * Whether a field holds an expression that the editor couldn't resolve: it gives nothing, itself, or a
 * locator without a value.
 */
const isUnresolved = (value: unknown) =>
	value === undefined ||
	typeof value === 'object' ||
	(typeof value === 'string' && value.startsWith('='));

/**
 * What the form holds of a field at the moment. n8n's own way to a locator's value needs resource and operation,
 * which its MCP server doesn't pass on.
 */
export const held = (context: ILoadOptionsFunctions, name: string): unknown =>
	unwrapLocator(context.getCurrentNodeParameter(name));

/**
 * What a list still waits for, in one sentence: a field that its path needs is empty, or holds an
 * expression without data.
 * @returns undefined when the list can be loaded
 */
export function waitsFor(context: ILoadOptionsFunctions, route: Route): string | undefined {
	for (const name of pathParameters(route)) {
		const value = held(context, name);
		if (value === '') return `Choose the ${recordLabel(name)} first`;
		if (isUnresolved(value)) return 'Run the previous node, or choose By ID';
	}
	return undefined;
}

/**
 * The API and a request to an endpoint, its path filled with what the form holds at the moment.
 * @param action what is done, for errors
 * @param known parameters of the path that do not come from the form
 * @throws FieldFault when a field that the path needs is empty; pickers ask `waitsFor` before
 */
export async function editorApi(
	context: ILoadOptionsFunctions,
	action: string,
	route: Route,
	known: Record<string, unknown> = {},
): Promise<{ api: Api; request: ApiRequest }> {
	const ids = Object.fromEntries(
		pathParameters(route).map((name) => [name, known[name] ?? held(context, name)]),
	);
	const request = requestTo(route, ids, {}, recordLabel);
	return { api: (await openApi(context, CLIENT)).api({ action }), request };
}
