// What a response says, whatever its status: a message of the API, that something is not there, that a
// quota is used up. The statuses of most errors are not documented.
import { absentMessageOf, endpointOf, type Route } from '../../endpoints';
import { isRecord, recordOf } from '../../operation';
import type { Received } from './outcome';

/** What the API says about a wrong key (core, Errors). Other 401s can be about a code or a scope. */
export const WRONG_KEY = 'Invalid token';

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

/** Describes a body that isn't what the reference documents. */
export function describe(body: unknown): string {
	if (body === undefined || body === null || body === '') return 'an empty response';
	if (Array.isArray(body) && body.length === 0) return 'an empty list';
	if (typeof body === 'string') {
		return isPage(body) ? 'HTML instead of JSON' : "text that isn't JSON";
	}
	return 'JSON in an unexpected shape';
}

/** The text of an `error` member: itself, or the `message` in it. */
function errorText(error: unknown): string | undefined {
	const text = isRecord(error) ? error.message : error;
	return typeof text === 'string' && text !== '' ? text : undefined;
}

/**
 * The API's message in an error body: `{error}`, or `{success: false, message}` (core, Errors). The
 * statuses of most errors are not shown there, so such a body is an error under any status.
 * @returns undefined for a body that is no error, such as the result of a run that failed
 */
function errorMessage(route: Route, status: number, body: unknown): string | undefined {
	if (!isRecord(body)) return undefined;
	const endpoint = endpointOf(route);
	const resultBy = endpoint.kind === 'one' ? endpoint.resultBy : undefined;
	if (status < 300 && resultBy !== undefined && !isEmpty(body[resultBy])) return undefined;
	const failed = status >= 400 || (body.success === false && resultBy === undefined);
	const said = errorText(body.error);
	if (said !== undefined || !failed) return said;
	if (typeof body.message === 'string' && body.message !== '') return body.message;
	return status >= 400 ? undefined : NO_REASON;
}

const isEmpty = (value: unknown) =>
	!value || (typeof value === 'object' && Object.keys(value).length === 0);

/** The members of a body that say what went wrong. */
const ERROR_MEMBERS = ['error', 'success', 'message'];

/** Whether an error comes beside a result, such as the ID of a charge that was declined. */
const hasResult = (body: unknown) =>
	Object.entries(recordOf(body)).some(
		([name, value]) => !ERROR_MEMBERS.includes(name) && !isEmpty(value),
	);

/** The IDs in a body, or in the record below a name of it, by their names. */
export function idsIn(body: unknown): Array<[string, string]> {
	const own = Object.entries(recordOf(parsed(body)));
	const ids = [...own, ...own.flatMap(([, value]) => Object.entries(recordOf(value)))];
	return ids.flatMap(([name, value]): Array<[string, string]> =>
		/^id$|_id$/.test(name) && (typeof value === 'string' || typeof value === 'number')
			? [[name, String(value)]]
			: [],
	);
}

/** Statuses under which the API's message decides: most statuses of its errors are not documented. */
const SAID = new Set([400, 422]);

/**
 * Whether the API says that what the path names is not there: by 404 or 410, or by the endpoint's own
 * documented message. Nothing else counts, above all no refusal of the key (401, 403) and no page of
 * a proxy.
 */
function isAbsent(route: Route, status: number, body: unknown, message?: string): boolean {
	if (status === 404 || status === 410) return !isPage(body);
	const absent = absentMessageOf(route);
	return absent !== undefined && message === absent && (status < 300 || SAID.has(status));
}

/** Client errors that aren't about what the request asks for, but about its key, its time or its rate. */
const NO_REFUSAL = [401, 403, 408, 429];

/** A response to a request, and what it says. */
export function received(
	route: Route,
	status: number,
	headers: Record<string, unknown>,
	raw: unknown,
): Received {
	const body = parsed(raw);
	const message = errorMessage(route, status, body);
	const isRefusal = status < 300 || (status >= 400 && status < 500 && !NO_REFUSAL.includes(status));
	let says: Received['says'] = isRefusal ? 'refusal' : 'error';
	if (status >= 200 && status <= 299 && message === undefined) says = 'success';
	else if (isAbsent(route, status, body, message)) says = 'absent';
	const isPartlyDone = status < 300 && message !== undefined && hasResult(body);
	return { status, headers, body: raw, says, message, isPartlyDone };
}

/**
 * Whether an error that isn't documented says that something isn't there, rather than a scope or a key.
 * It's for the words of errors: nothing is created or given up for it.
 */
export function isPerhapsAbsent({ status, message = '' }: Received): boolean {
	if (status >= 500 || status === 401 || status === 429) return false;
	const isSaid = /not found|does(n't| not) exist|invalid id/i.test(message);
	return isSaid && !/scope|key|token|permission/i.test(message);
}

const usedUp = /budget|month.*(quota|limit)|(quota|limit).*month/i;

/**
 * Whether a 429 is about a budget or a monthly quota: waiting for minutes does not help. (Reference of
 * the AI gateway, Errors: 'AI Gateway monthly budget would be exceeded', its status not shown.)
 */
export function isUsedUp({ status, headers, message = '' }: Received): boolean {
	return status === 429 && headers['retry-after'] === undefined && usedUp.test(message);
}
