// What the triggers share: the API as hooks and polls of n8n use it, which have no items.
import type { IHookFunctions, IPollFunctions } from 'n8n-workflow';

import { openApi, type Door, type ClientOptions } from './client/door';
import { withNodeErrors } from './client/http/nodeErrors';

export type { Api } from './client/api';
export type { Door } from './client/door';
export { isTimed, type Cause } from './client/http/cause';
export { checkedValue } from './form/containers';
export { requestOf } from './form/request';
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
