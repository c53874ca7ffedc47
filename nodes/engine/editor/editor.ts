// The API for the forms of the editor: pickers and mapper fields.
import type { ILoadOptionsFunctions } from 'n8n-workflow';

import type { ApiRequest } from '../base/apiRequest';
import type { Endpoint } from '../base/definition';
import { requestTo } from '../base/path';
import type { Api } from '../client/api';
import { openApi, type ClientOptions } from '../client/door';
import { recordLabel } from '../form/fields';
import { unwrapLocator } from '../form/values';

export { withNodeErrors } from '../client/http/errors';

export const EDITOR_PARALLEL = 5;

/** The times are short, because the user waits for the dropdown and can't cancel it. */
const CLIENT: ClientOptions = {
	max: EDITOR_PARALLEL,
	retry: { timeout: 15_000, budget: 15_000, hasFixedBudget: true },
};

/** The editor couldn't resolve an expression: n8n gives undefined, null, the expression itself, or a locator without value. */
const isUnresolved = (value: unknown) =>
	value === undefined ||
	typeof value === 'object' ||
	(typeof value === 'string' && value.startsWith('='));

/** n8n's own way to a locator's value needs resource and operation, which its MCP server doesn't pass on. */
export const formValue = (context: ILoadOptionsFunctions, name: string): unknown =>
	unwrapLocator(context.getCurrentNodeParameter(name));

/** A sentence to show while a field that the list's path needs is empty or has an unresolved expression. */
export function waitsFor(context: ILoadOptionsFunctions, endpoint: Endpoint): string | undefined {
	for (const name of endpoint.pathParameters) {
		const value = formValue(context, name);
		if (value === '') return `Choose the ${recordLabel(name)} first`;
		if (isUnresolved(value)) return 'Run the previous node, or choose By ID';
	}
	return undefined;
}

/** Opens the API and builds a request, with path parameters of the form and `known` ones. Throws FieldFault for a wrong one. */
export async function editorApi(
	context: ILoadOptionsFunctions,
	action: string,
	endpoint: Endpoint,
	known: Record<string, unknown> = {},
): Promise<{ api: Api; request: ApiRequest }> {
	const ids = Object.fromEntries(
		endpoint.pathParameters.map((name) => [name, known[name] ?? formValue(context, name)]),
	);
	const request = requestTo(endpoint, ids, {}, recordLabel);
	const door = await openApi(endpoint.api, context, CLIENT);
	return { api: door.api({ action }), request };
}
