// Decides from the result of an attempt whether to retry. The first rule that applies counts.
// docs/reliability.md is generated from the same rules.
import type { Result } from './outcome';

/** The `failure` code of a request that wasn't sent, because the API asks for a pause longer than Retry Time. */
export const NOT_SENT = 'NOT_SENT';

/** `failure` codes of a certificate that isn't valid. */
export const BAD_CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/;

export interface Rule {
	/** The condition in words, for the docs. */
	when: string;
	/** Requests to retry: any, since the API didn't process it, only those that are safe to repeat, or none. */
	retry: 'any' | 'repeatable' | 'none';
	/** It's about the number of requests, so others wait with it. */
	throttles?: boolean;
	/** The request may have been applied. */
	inDoubt?: boolean;
	/** The API or the network is overloaded. */
	overload?: boolean;
	applies: (result: Result) => boolean;
}

const status = (codes: RegExp) => (result: Result) =>
	result.failure === undefined && codes.test(String(result.status));

const failure = (codes: RegExp) => (result: Result) =>
	result.failure !== undefined && codes.test(result.failure);

export const rules: Rule[] = [
	{
		when: 'HTTP 429 without Retry-After whose message mentions a budget or a monthly quota',
		retry: 'none',
		applies: (result) => result.failure === undefined && result.isUsedUp,
	},
	{
		when: "Any other HTTP 429: the API didn't process the request",
		retry: 'any',
		throttles: true,
		overload: true,
		applies: status(/^429$/),
	},
	{
		when: 'HTTP 500',
		retry: 'repeatable',
		inDoubt: true,
		applies: status(/^500$/),
	},
	{
		when: 'HTTP 408, 499 or another 5xx, even with Retry-After: a proxy may send it after forwarding the request',
		retry: 'repeatable',
		inDoubt: true,
		overload: true,
		applies: status(/^(408|499|[5-9]..)$/),
	},
	{
		when: "HTTP 3xx: redirects aren't followed",
		retry: 'none',
		inDoubt: true,
		applies: status(/^3..$/),
	},
	{
		when: 'A success that reports an error beside a result: it may be done in part',
		retry: 'none',
		inDoubt: true,
		applies: (result) => result.failure === undefined && result.isPartlyDone,
	},
	{ when: 'Any other response', retry: 'none', applies: (result) => result.failure === undefined },
	{
		when: "The API asks for a pause longer than Retry Time, so the request isn't sent",
		retry: 'none',
		applies: (result) => result.failure === NOT_SENT,
	},
	{
		when: "The connection breaks, or there's no response in time",
		retry: 'repeatable',
		inDoubt: true,
		overload: true,
		applies: failure(
			/^(ECONNABORTED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|EPIPE|ERR_BAD_RESPONSE|ERR_NETWORK|ETIMEDOUT)$/,
		),
	},
	{
		when: 'The connection is refused, or the name of the host is not resolved for the moment',
		retry: 'repeatable',
		overload: true,
		applies: failure(/^(ECONNREFUSED|EAI_AGAIN)$/),
	},
	{
		when: "The host isn't found, or its certificate isn't valid",
		retry: 'none',
		applies: (result) => failure(/^ENOTFOUND$/)(result) || failure(BAD_CERTIFICATE)(result),
	},
	{ when: 'Any other failure', retry: 'none', inDoubt: true, applies: () => true },
];

export interface Verdict extends Required<Pick<Rule, 'retry' | 'inDoubt' | 'overload'>> {
	/** The API didn't process the request, and others with it have to wait. */
	isThrottled: boolean;
	/** The API asks for a pause of so many milliseconds. */
	pause?: number;
}

/** Same as by the rule for any other response. Most results are a success, so the rules aren't tried for it. */
const SUCCESS: Verdict = { retry: 'none', inDoubt: false, overload: false, isThrottled: false };

/** The verdict on a result, by the first rule that applies. */
export function verdictOf(result: Result): Verdict {
	if (result.failure === undefined && result.says === 'success') return SUCCESS;
	const rule = rules.find(({ applies }) => applies(result)) as Rule;
	const { retry, throttles = false, inDoubt = false, overload = false } = rule;
	const pause = result.failure === undefined ? retryAfter(result.headers) : result.pause;
	return { retry, inDoubt, overload, isThrottled: throttles, pause };
}

/**
 * True if there was no connection or no response in time, or a gateway failed. The user can choose to retry requests then
 * that cost something but change nothing (`retryBroken`).
 */
export function isConnectionLost(result: Result): boolean {
	if (result.failure !== undefined) return verdictOf(result).retry === 'repeatable';
	return result.status >= 502 && result.status <= 504;
}

/** Reads Retry-After, in seconds or as a date, as milliseconds. A date is compared with that of the response, if it has one. */
function retryAfter(headers: Record<string, unknown>): number | undefined {
	const header = headers['retry-after'];
	if (typeof header !== 'string' || header.trim() === '') return undefined;
	const seconds = Number(header);
	if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
	const own = Date.parse(String(headers.date));
	const until = Date.parse(header) - (Number.isNaN(own) ? Date.now() : own);
	return Number.isNaN(until) ? undefined : Math.max(0, until);
}
