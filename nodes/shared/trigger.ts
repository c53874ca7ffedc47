// What the triggers share: the API as hooks and polls of n8n use it, which have no items.
import type { IHookFunctions, IPollFunctions } from 'n8n-workflow';

import { openApi, type Door, type ClientOptions } from './client/door';
import { withNodeErrors } from './client/http/nodeErrors';

export type { Api } from './client/api';
export type { Door } from './client/door';
export { isTimed, type Cause } from './client/http/cause';
export { PageReader } from './client/list/pages';
export { listShape } from './client/list/rows';
export { pathParameters, requestTo } from './path';

/**
 * Opens the API for a hook or a poll.
 * @throws NodeOperationError for a credential that cannot be used
 */
export async function openForTrigger(
	context: IHookFunctions | IPollFunctions,
	manner: ClientOptions,
): Promise<Door> {
	return await inTrigger(context, openApi(context, manner));
}

/** Turns what goes wrong in a trigger into errors of its node. */
export async function inTrigger<T>(
	context: IHookFunctions | IPollFunctions,
	work: Promise<T>,
): Promise<T> {
	return await withNodeErrors(context.getNode(), work);
}
