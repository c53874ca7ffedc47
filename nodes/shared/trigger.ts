// What the triggers share: the API as hooks and polls of n8n use it, which have no items.
export type { Api } from './client/api';
export { openApi, type Door } from './client/door';
export { isTimed, type Cause } from './client/http/cause';
export { checkedValue } from './form/containers';
export { requestOf } from './form/request';
export { withNodeErrors } from './client/http/nodeErrors';
export { PageReader } from './client/list/pages';
export { listShape } from './client/list/rows';
