// What an answer says, whatever its status: a message of the API, that something is not there, that a
// quota is used up. The statuses of most errors are not documented.
import { endpointOf, type Route } from '../../endpoints';
import { isRecord } from '../../operation';

/** The message for an error without one. */
export const NO_REASON = 'The API gave no reason';

/** A body as JSON: an error that answers a request for a file arrives as bytes. */
function parsed(body: unknown): unknown {
	if (!(body instanceof Uint8Array || body instanceof ArrayBuffer)) return body;
	try {
		return JSON.parse(new TextDecoder().decode(body));
	} catch {
		return undefined;
	}
}

/** Whether a body is a web page, such as one from a proxy or another service. */
export function isPage(body: unknown): boolean {
	return typeof body === 'string' && body.trimStart().startsWith('<');
}

/** The text of an `error` member: itself, or the `message` in it. */
function errorText(error: unknown): string | undefined {
	const text = isRecord(error) ? error.message : error;
	return typeof text === 'string' && text !== '' ? text : undefined;
}

/**
 * The API's message in an error body: `{error}`, or `{success: false, message}` (core, Errors). The
 * statuses of most errors are not shown there, so such a body is an error under any status.
 * Undefined when the body is none.
 * @param reportsSuccess whether the endpoint reports `success: false` as a result
 */
export function errorMessage(
	rawBody: unknown,
	status: number,
	reportsSuccess = false,
): string | undefined {
	const body = parsed(rawBody);
	if (!isRecord(body)) return undefined;
	const failed = status >= 400 || (body.success === false && !reportsSuccess);
	const said = errorText(body.error);
	if (said !== undefined || !failed) return said;
	if (typeof body.message === 'string' && body.message !== '') return body.message;
	return status >= 400 ? undefined : NO_REASON;
}

/** Statuses under which the API's message decides: most statuses of its errors are not documented. */
const SAID = new Set([400, 422]);

/**
 * Whether the API says that what the path names is not there: by 404 or 410, or by the endpoint's own
 * documented message. Nothing else counts, above all no refusal of the key (401, 403) and no page of
 * a proxy.
 */
export function isAbsent(
	route: Route,
	status: number,
	body: unknown,
	message: string | undefined,
): boolean {
	if (status === 404 || status === 410) return !isPage(body);
	const { absent } = endpointOf(route);
	return absent !== undefined && message === absent && (status < 300 || SAID.has(status));
}

/** Whether a message says that something isn't there, rather than a scope or a key. */
export const saysAbsent = (message: string) =>
	/not found|does(n't| not) exist|invalid id/i.test(message) &&
	!/scope|key|token|permission/i.test(message);

const usedUp = /budget|month.*(quota|limit)|(quota|limit).*month/i;

/**
 * Whether a 429 is about a budget or a monthly quota: waiting for minutes does not help. (Reference of
 * the AI gateway, Errors: 'AI Gateway monthly budget would be exceeded', its status not shown.)
 */
export function isUsedUp(answer: {
	status: number;
	headers: Record<string, unknown>;
	body: unknown;
}): boolean {
	return (
		answer.status === 429 &&
		answer.headers['retry-after'] === undefined &&
		usedUp.test(errorMessage(answer.body, answer.status) ?? '')
	);
}
