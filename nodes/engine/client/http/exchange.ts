// One attempt: sends one HTTP request with n8n's helper and the credential, and classifies the response: success, missing
// record, rejected request or error. A status may say too little, so the body counts too.
import type { IHttpRequestOptions } from 'n8n-workflow';

import type { ApiRequest } from '../../base/apiRequest';
import { isFalseInWords, isRecord, isUnset, recordOf } from '../../base/data';
import type { Endpoint, Shape } from '../../base/definition';
import type { ApiContext } from './context';
import type { Connection } from './credential';
import type { Failed, Received, Result } from './outcome';
import { verdictOf } from './retry';

/** The error code of a request without a response. It can be deep in errors that n8n and axios wrapped. */
export function failureOf(error: unknown): Failed {
	let each = error as { cause?: unknown; code?: unknown; message?: unknown } | undefined;
	let code = '';
	let detail = '';
	for (let depth = 0; each && typeof each === 'object' && code === '' && depth < 5; depth++) {
		if (typeof each.message === 'string') detail = each.message;
		if (typeof each.code === 'string') ({ code } = each);
		each = each.cause as typeof each;
	}
	// Timeouts come with several codes, or with none.
	if (/timeout|timed out/i.test(detail)) code = 'ETIMEDOUT';
	return { failure: code || 'UNKNOWN', detail };
}

/** Returns a response with any status, or the failure. */
export async function exchange(
	nodeContext: ApiContext,
	{ url, allowedDomains, credential, api }: Connection,
	request: ApiRequest,
	{ timeout, signal }: { timeout: number; signal: AbortSignal },
): Promise<Result> {
	const { endpoint } = request;
	// n8n's helper takes the signal from the context, and hooks and polls have none, so this is the same context with a signal.
	const context: ApiContext = Object.assign(Object.create(nodeContext), {
		getExecutionCancelSignal: () => signal,
	});
	const options: IHttpRequestOptions = {
		method: endpoint.method,
		url: url + request.path,
		qs: request.query,
		// `ids=a&ids=b`
		arrayFormat: 'repeat',
		// n8n's default is 5 minutes, and only limits the time without any data.
		timeout,
		// Otherwise n8n sends a request again after a 401, even a POST.
		ignoreHttpStatusErrors: true,
		returnFullResponse: true,
		// A redirect would send the key to another URL and turn a POST into a GET.
		disableFollowRedirect: true,
		allowedDomains,
	};
	if (request.body) options.body = request.body;
	if (endpoint.kind === 'binary') options.encoding = 'arraybuffer';
	else options.json = true;
	// If the reference doesn't show the response, only its text tells if it's JSON (`parsed`).
	if (endpoint.isUntyped) options.encoding = 'text';
	return await nodeContext.helpers.httpRequestWithAuthentication
		.call(context, api.credential.type, options, { credentialsDecrypted: credential })
		.then(
			({ statusCode, headers, body }) => received(endpoint, statusCode, headers, body),
			failureOf,
		);
}

export const NO_REASON = 'The API gave no reason';

/**
 * n8n's helper hasn't parsed an error as bytes, if a file was requested, or the text of a response that the reference doesn't
 * show. These become JSON, or else text. Any other body stays as it is.
 */
function parsed(body: unknown, { isUntyped }: Endpoint, status: number): unknown {
	const isBytes = body instanceof Uint8Array || body instanceof ArrayBuffer;
	if (!isBytes && !(isUntyped && typeof body === 'string')) return body;
	const text = isBytes ? new TextDecoder().decode(body) : body;
	try {
		const value: unknown = JSON.parse(text);
		// A bare text, number or `true` is all that such a response returns. `false` means that nothing was done.
		const isData = typeof value !== 'object' && value !== false;
		return isData && isUntyped && status < 300 ? { response: value } : value;
	} catch {
		return text;
	}
}

/** A web page comes from a proxy or another service. */
export function isPage(body: unknown): boolean {
	return typeof body === 'string' && body.trimStart().startsWith('<');
}

export function describe(body: unknown): string {
	if (body === undefined || body === null || body === '') return 'an empty response';
	if (Array.isArray(body) && body.length === 0) return 'an empty list';
	if (typeof body === 'object' && Object.keys(body).length === 0) return 'an empty object';
	if (typeof body === 'boolean' || typeof body === 'number') return String(body);
	if (isPage(body)) return 'HTML instead of JSON';
	return typeof body === 'string' ? "text that isn't JSON" : 'JSON in an unexpected shape';
}

/** A member that says that something is done, such as `deleted`. In others, 0 is a number. */
const TELLS_DONE = /(?:ed|sent)$/;

const isFalse = (member: string, value: unknown) =>
	TELLS_DONE.test(member) ? isFalseInWords(value) : String(value).toLowerCase() === 'false';

/** The first documented member that a success lacks, in words, or that is false, as in `{deleted: false}`. Else undefined. */
export function lackIn(
	body: unknown,
	{ returns = [], unwrap, name }: Extract<Shape, { kind: 'one' }>,
): string | undefined {
	const record = recordOf(body);
	const key = unwrap ?? name;
	const below = key === undefined ? Object.values(record) : [record[key]];
	for (const member of returns) {
		const values = [record, ...below.filter(isRecord)].map((each) =>
			isFalse(member, each[member]) ? false : each[member],
		);
		if (values.some((value) => !isUnset(value) && value !== false)) continue;
		return values.includes(false) ? `"${member}": false` : `no "${member}"`;
	}
	return undefined;
}

const ID_NAME = /^id$|_id$/;

function ownIds(record: unknown): Array<[string, string]> {
	const ids: Array<[string, string]> = [];
	for (const [name, value] of Object.entries(recordOf(record))) {
		const isId = typeof value === 'string' || typeof value === 'number';
		if (isId && ID_NAME.test(name)) ids.push([name, String(value)]);
	}
	return ids;
}

/** The IDs in a body and in the objects right below it, as pairs of name and ID. A record may be in a wrapper. */
export function idsIn(body: unknown): Array<[string, string]> {
	return [body, ...Object.values(recordOf(body)).filter(isRecord)].flatMap(ownIds);
}

/** The status is 404 or 410, or the message the documented one. A rejected key (401, 403) or a proxy's page doesn't count. */
function isAbsent(
	{ absent }: Endpoint,
	status: number,
	body: unknown,
	message: string | undefined,
): boolean {
	if (status === 404 || status === 410) return !isPage(body);
	const isDocumented = message !== undefined && message === absent;
	return isDocumented && (status < 300 || status === 400 || status === 422);
}

/** Client errors about the key or the rate, not about the content of the request. A status that may be retried isn't either. */
const NOT_REJECTED = [401, 403, 429];

/** A response with a success status and an error message is rejected or absent. */
function kindOf(endpoint: Endpoint, response: Received): Exclude<Received['says'], 'success'> {
	const { status, body, message } = response;
	if (isAbsent(endpoint, status, body, message)) return 'absent';
	if (status < 300) return 'rejected';
	const isRejected =
		status >= 400 &&
		status < 500 &&
		!NOT_REJECTED.includes(status) &&
		verdictOf(response).retry === 'none';
	return isRejected ? 'rejected' : 'error';
}

/** Reads a response by the rules of its API. It judges only this response: retry.ts decides whether to retry. */
export function received(
	endpoint: Endpoint,
	status: number,
	headers: Record<string, unknown>,
	raw: unknown,
): Received {
	const body = parsed(raw, endpoint, status);
	const { errors } = endpoint.api;
	// An error may also be a text that isn't JSON.
	const isText = status >= 400 && typeof body === 'string' && !isPage(body);
	const text = isText ? body.trim() || undefined : undefined;
	const said = errors.messageIn(endpoint, status, body) ?? text;
	const message = said === '' ? NO_REASON : said;
	const isSuccess = status >= 200 && status <= 299 && message === undefined;
	const isPartlyDone = status < 300 && message !== undefined && errors.isUnclear(endpoint, body);
	// A 429 with Retry-After is a limit that ends soon.
	const mayRenew = status !== 429 || headers['retry-after'] !== undefined;
	const isUsedUp = !mayRenew && errors.isUsedUp?.(message ?? '') === true;
	const rest = { status, headers, message, isPartlyDone, isUsedUp };
	// The bytes of a file stay as they are.
	if (isSuccess) return { ...rest, body: endpoint.kind === 'binary' ? raw : body, says: 'success' };
	const error: Received = { ...rest, body, says: 'error' };
	return { ...error, says: kindOf(endpoint, error) };
}

/** An undocumented message that sounds like a missing record. It ends lists and words errors, but nothing is created by it. */
export function isPerhapsAbsent({ status, message = '' }: Received): boolean {
	if (status >= 500 || status === 401 || status === 429) return false;
	// Such a message may also be about the key or its scope.
	const isSaid = /not found|does(n't| not) exist|invalid id/i.test(message);
	return isSaid && !/scope|key|token|permission/i.test(message);
}
