// What the triggers share: the API as hooks and polls of n8n use it, which have no items.
import type { IHookFunctions, IPollFunctions } from 'n8n-workflow';

import { openApi, type Door, type ClientOptions } from './client/door';
import { withNodeErrors } from './client/http/nodeErrors';
import { buildRequest, formOf } from './form/request';
import type { ApiRequest, Operation } from './operation';

export type { Api } from './client/api';
export type { Door } from './client/door';
export { isTimed, type Cause } from './client/http/cause';
export { checkedValue } from './form/containers';
export { withNodeErrors } from './client/http/nodeErrors';
export { PageReader } from './client/list/pages';
export { listShape } from './client/list/rows';

/**
 * Opens the API for a hook or a poll.
 * @throws NodeOperationError for a credential that cannot be used
 */
export async function openForTrigger(
	context: IHookFunctions | IPollFunctions,
	manner: ClientOptions,
): Promise<Door> {
	return await withNodeErrors(context.getNode(), openApi(context, manner));
}

/** The request that the form of a trigger describes. */
export const requestOf = (
	operation: Operation,
	parameter: (name: string) => unknown,
	timezone: string,
): ApiRequest => buildRequest(formOf(operation, parameter, { timezone, item: {} }));
