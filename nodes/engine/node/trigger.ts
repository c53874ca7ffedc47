// Exports for the triggers, which use the API in hooks and polls without items.
export type { Api } from '../client/api';
export type { Door } from '../client/door';
export { isTimed, type Cause } from '../client/http/errors';
export { checkedValue } from '../form/containers';
export { refuseNothing } from '../form/nothing';
export { isBlank } from '../form/values';
export { requestOf } from '../form/request';
export { withNodeErrors } from '../client/http/errors';
export type { PageReader } from '../client/list/pages';
