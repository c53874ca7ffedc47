// How the API reports an error: in which members of a body, and with which messages (Errors in both documents).
import type { IDataObject } from 'n8n-workflow';

import { isFalseInWords, isRecord, recordOf } from '../engine/base/data';
import type { Endpoint, ErrorRules } from '../engine/base/definition';
import { stepFor } from './messages';

/** The text itself, or the first text or number in a list or an object, `message` before all others. */
function errorText(error: unknown): string | undefined {
	if (typeof error === 'number') return String(error);
	if (typeof error === 'string') return error === '' ? undefined : error;
	if (typeof error !== 'object' || error === null) return undefined;
	const { message, ...others } = error as IDataObject;
	return [message, ...Object.values(others)].map(errorText).find((text) => text !== undefined);
}

/**
 * The response to a write reports an error in a way that the reference doesn't show: `{error: true}`, `{error: 402}`,
 * `{errors: […]}`, `{success: "0"}`. The write may have gone through all the same. A read doesn't count, since a record may
 * have members of these names.
 */
function hasUndocumentedError(
	endpoint: Endpoint,
	{ error, errors, success }: IDataObject,
): boolean {
	if (endpoint.onlyReads) return false;
	const isDocumented = typeof error === 'string' || typeof recordOf(error).message === 'string';
	const isUnusual = !isEmpty(error) && !isDocumented;
	// `false` itself is documented, so it's left to `messageIn`.
	const isFalse = success !== false && isFalseInWords(success);
	return isUnusual || !isEmpty(errors) || isFalse;
}

/** Words that say no. The reference doesn't show which statuses there are, so all others pass. */
const NO_WORDS = [
	'blocked|cancell?ed|declined|denied|error|expired|fail|failed|fails|failure|forbidden|incorrect|invalid',
	'ko|locked|mismatch|no|nok|not|refused|rejected|revoked|timeout|unauthenticated|unauthorized',
	'unconfirmed|unsuccessful|unverified|wrong',
].join('|');

const SAYS_NO = new RegExp(`(?:^|[^a-z])(?:${NO_WORDS})(?![a-z])`, 'i');

/** A word such as `Expired` in `codeExpired` begins with a capital letter. */
const saysNo = (word: unknown) =>
	isFalseInWords(word) || SAYS_NO.test(String(word).replace(/([a-z])([A-Z])/g, '$1 $2'));

/** The word of a success that says no, as in `{status: "failed"}` or `{status: {code: "failed"}}`. */
function refusalIn({ outcome }: Endpoint, body: IDataObject): string | undefined {
	const given = outcome === undefined ? undefined : body[outcome];
	const words = typeof given === 'object' ? Object.values(given ?? {}) : [given];
	const word = words.find((each) => ['string', 'number'].includes(typeof each) && saysNo(each));
	return word === undefined ? undefined : `"${outcome}": "${String(word)}"`;
}

/**
 * The API's message in an error body: `{error}`, `{error: {message}}` or `{success: false, message}` (core, Errors), or where
 * a status says no. Such a body is an error under any status.
 * @returns `''` for an error without a message, of which only the body tells. Undefined if the status tells of it, or if the
 *   body is no error: the body of a failed workflow run is a result, which has the run's ID
 */
function messageIn(endpoint: Endpoint, status: number, body: unknown): string | undefined {
	if (!isRecord(body)) return undefined;
	const resultBy = endpoint.kind === 'one' ? endpoint.resultBy : undefined;
	const isResult = status < 300 && resultBy !== undefined && !isEmpty(body[resultBy]);
	if (isResult) return undefined;
	const refusal = endpoint.outcome === undefined ? undefined : refusalIn(endpoint, body);
	const isError =
		status >= 400 ||
		body.success === false ||
		refusal !== undefined ||
		hasUndocumentedError(endpoint, body);
	const documented = typeof body.error === 'string' ? body.error : recordOf(body.error).message;
	if (typeof documented === 'string' && documented !== '') return documented;
	if (!isError) return undefined;
	const { error, errors, message } = body;
	const said = [message, error, errors].map(errorText).find((text) => text !== undefined);
	return said ?? refusal ?? (status < 400 ? '' : undefined);
}

const isEmpty = (value: unknown) =>
	!value || (typeof value === 'object' && Object.keys(value).length === 0);

const ERROR_MEMBERS = ['error', 'errors', 'success', 'message'];

/** An error body can also have a result, such as the ID of a declined charge. */
const hasResult = (body: unknown) =>
	Object.entries(recordOf(body)).some(
		([name, value]) => !ERROR_MEMBERS.includes(name) && !isEmpty(value),
	);

/**
 * A budget, a usage limit or a monthly quota. (AI gateway, Errors: 'AI Gateway monthly budget would be exceeded', without a
 * status. Core, States: a newsletter's usage limit.)
 */
const usedUp = /budget|usage limit/i;

const isUsedUp = (message: string) =>
	usedUp.test(message) || (/month/i.test(message) && /quota|limit/i.test(message));

export const errors: ErrorRules = {
	messageIn,
	isUnclear(endpoint, body) {
		const record = recordOf(body);
		if (hasUndocumentedError(endpoint, record)) return true;
		// A status that says no is all that such a response has to say.
		const isRefused = isEmpty(record.error) && refusalIn(endpoint, record) !== undefined;
		return !isRefused && hasResult(body);
	},
	// Core, Errors.
	wrongKey: 'Invalid token',
	isUsedUp,
	stepFor,
};
