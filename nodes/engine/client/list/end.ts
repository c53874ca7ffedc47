// The end of a list: what the response to a page after the first says of the end.
import { safeMessage } from '../http/errors';
import { isPerhapsAbsent } from '../http/exchange';
import type { ApiResponse } from '../http/outcome';
import type { Secrets } from '../http/redact';
import type { Page, PageRequest } from './page';
import { pagingOf, type ListShape } from './rows';

/**
 * The page, if the list ended before it.
 * 1. Not found: the end.
 * 2. The page is behind all that the list announced, and it's rejected, or its error message sounds like "not found"
 *    (`isPerhapsAbsent`): the end.
 * 3. The list isn't documented to have pages, and the page is rejected: the end.
 * 4. Only the error message sounds like "not found", or a page behind all that was announced fails (5xx), or a page that Skip
 *    jumped to is rejected: perhaps the end. The rows before it are kept, and `unclearEnd` becomes a warning.
 * 5. Anything else: undefined. It's a page or an error.
 */
export function endAt(
	response: ApiResponse,
	shape: ListShape,
	{ isExtra = false, isSkippedTo = false }: PageRequest,
	secrets: Secrets,
): Page | undefined {
	const { says, status, message = `HTTP ${status}` } = response;
	const isRejected = says === 'rejected';
	const mayLackPage = isExtra || pagingOf(shape) === 'undocumented';
	const seemsAbsent = isPerhapsAbsent(response);
	if (says === 'absent' || (isExtra && seemsAbsent) || (mayLackPage && isRejected)) {
		return { rows: [] };
	}
	const isUnclear = seemsAbsent || (isExtra && status >= 500) || (isSkippedTo && isRejected);
	return isUnclear ? { rows: [], unclearEnd: safeMessage(message, secrets) } : undefined;
}
