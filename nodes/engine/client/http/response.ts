// Classifies a response: success, missing record, refusal or error, with the API's message. The reference
// doesn't show the statuses of most errors, so the body counts too.
import type { IDataObject } from 'n8n-workflow';

import { absentMessageOf, endpointOf, onlyReads, type Route } from '../../../api/endpoints';
import { isRecord, recordOf } from '../../form/operation';
import type { Received } from './outcome';

/** The API's message for a wrong key (core, Errors). Other 401s can be about a code or a scope. */
export const WRONG_KEY = 'Invalid token';

export const NO_REASON = 'The API gave no reason';

/** Reads bytes as JSON or as text: an error in response to a request for a file arrives as bytes. */
function parsed(body: unknown): unknown {
	if (!(body instanceof Uint8Array || body instanceof ArrayBuffer)) return body;
	const text = new TextDecoder().decode(body);
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

/** True if the body is a web page, such as one from a proxy or another service. */
export function isPage(body: unknown): boolean {
	return typeof body === 'string' && body.trimStart().startsWith('<');
}

/** Describes a body that isn't what the reference documents. */
export function describe(body: unknown): string {
	if (body === undefined || body === null || body === '') return 'an empty response';
	if (Array.isArray(body) && body.length === 0) return 'an empty list';
	if (isPage(body)) return 'HTML instead of JSON';
	return typeof body === 'string' ? "text that isn't JSON" : 'JSON in an unexpected shape';
}

/** A text, or the first one in a list or an object, its message before all others. */
function errorText(error: unknown): string | undefined {
	if (typeof error === 'string') return error === '' ? undefined : error;
	if (typeof error !== 'object' || error === null) return undefined;
	const { message, ...others } = error as IDataObject;
	return [message, ...Object.values(others)].map(errorText).find((text) => text !== undefined);
}

/**
 * True if a success reports an error in a way that the reference doesn't show: `{error: true}`, `{errors: […]}`,
 * `{success: "false"}`. A write may have gone through all the same. A read may show the errors of a record.
 */
function saysOtherwise(route: Route, { error, errors, success }: IDataObject): boolean {
	if (onlyReads(route)) return false;
	const isFilled = (value: unknown) => typeof value === 'object' && !isEmpty(value);
	const isUnusual = isFilled(error) && typeof recordOf(error).message !== 'string';
	return error === true || isUnusual || isFilled(errors) || success === 'false';
}

/**
 * Returns the API's message in an error body: `{error}`, `{error: {message}}` or `{success: false, message}`
 * (core, Errors). Such a body is an error under any status.
 * @returns undefined if the body isn't an error, such as the result of a failed workflow run
 */
function errorMessage(route: Route, status: number, body: unknown): string | undefined {
	if (!isRecord(body)) return undefined;
	const endpoint = endpointOf(route);
	const resultBy = endpoint.kind === 'one' ? endpoint.resultBy : undefined;
	if (status < 300 && resultBy !== undefined && !isEmpty(body[resultBy])) return undefined;
	const failed =
		status >= 400 ||
		(resultBy === undefined && (body.success === false || saysOtherwise(route, body)));
	const documented = typeof body.error === 'string' ? body.error : recordOf(body.error).message;
	if (typeof documented === 'string' && documented !== '') return documented;
	if (!failed) return undefined;
	const { error, errors, message } = body;
	const said = [message, error, errors].map(errorText).find((text) => text !== undefined);
	return said ?? (status < 400 ? NO_REASON : undefined);
}

const isEmpty = (value: unknown) =>
	!value || (typeof value === 'object' && Object.keys(value).length === 0);

const ERROR_MEMBERS = ['error', 'errors', 'success', 'message'];

/** True if an error body also has a result, such as the ID of a declined charge. */
const hasResult = (body: unknown) =>
	Object.entries(recordOf(body)).some(
		([name, value]) => !ERROR_MEMBERS.includes(name) && !isEmpty(value),
	);

/** Returns the IDs in a body and in the objects right below it, as pairs of name and ID. */
export function idsIn(body: unknown): Array<[string, string]> {
	const own = Object.entries(recordOf(body));
	const ids = [...own, ...own.flatMap(([, value]) => Object.entries(recordOf(value)))];
	return ids.flatMap(([name, value]): Array<[string, string]> =>
		/^id$|_id$/.test(name) && (typeof value === 'string' || typeof value === 'number')
			? [[name, String(value)]]
			: [],
	);
}

/**
 * True if the record in the path doesn't exist: by 404 or 410, or by the endpoint's documented message.
 * A refused key (401, 403) or a proxy's web page doesn't count.
 */
function isAbsent(route: Route, status: number, body: unknown, message?: string): boolean {
	if (status === 404 || status === 410) return !isPage(body);
	const isDocumented = message !== undefined && message === absentMessageOf(route);
	return isDocumented && (status < 300 || status === 400 || status === 422);
}

/** Client errors that aren't about the content of the request, but about the key, a timeout or the rate. */
const NO_REFUSAL = [401, 403, 408, 429, 499];

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
	const isUnclear = hasResult(body) || saysOtherwise(route, recordOf(body));
	const isPartlyDone = status < 300 && message !== undefined && isUnclear;
	return { status, headers, body: says === 'success' ? raw : body, says, message, isPartlyDone };
}

/**
 * True if an undocumented error message sounds like a missing record. This only chooses the wording of errors
 * and warnings. Nothing is created because of it.
 */
export function isPerhapsAbsent({ status, message = '' }: Received): boolean {
	if (status >= 500 || status === 401 || status === 429) return false;
	const isSaid = /not found|does(n't| not) exist|invalid id/i.test(message);
	return isSaid && !/scope|key|token|permission/i.test(message);
}

const usedUp = /budget|usage limit|month.*(quota|limit)|(quota|limit).*month/i;

/**
 * True if a 429 is about a budget, a usage limit or a monthly quota, so a retry within minutes won't help. (AI
 * gateway, Errors: 'AI Gateway monthly budget would be exceeded', without a status. Core, States: a newsletter's
 * usage limit.)
 */
export function isUsedUp({ status, headers, message = '' }: Received): boolean {
	return status === 429 && headers['retry-after'] === undefined && usedUp.test(message);
}
