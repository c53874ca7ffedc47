// Decides from the result of an attempt if the request is sent again (the first rule that applies counts), and when: by a
// backoff, and Retry Time. docs/reliability.md is generated from the same rules.
import type { ApiRequest } from '../../base/apiRequest';
import { recordKey } from '../../base/path';
import type { Client, ClientRequest, Traffic } from '../traffic/traffic';
import type { Counts, Result } from './outcome';

/** The `failure` code of a request that wasn't sent, because the API asks for a pause longer than Retry Time. */
export const NOT_SENT = 'NOT_SENT';

/** `failure` codes of a certificate that isn't valid. */
export const BAD_CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/;

export interface Rule {
	when: string;
	/** Requests to retry: any, since the API didn't process the request, only those that are safe to repeat, or none. */
	retry: 'any' | 'repeatable' | 'none';
	/** The status is about the number of requests, so other requests wait, too. */
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
	/** The API didn't process the request, and other requests have to wait, too. */
	isThrottled: boolean;
	pause?: number;
}

/** The same as by the rule for any other response. For speed: most results are a success, so the rules aren't tried for it. */
const SUCCESS: Verdict = { retry: 'none', inDoubt: false, overload: false, isThrottled: false };

export function verdictOf(result: Result): Verdict {
	if (result.failure === undefined && result.says === 'success') return SUCCESS;
	const rule = rules.find(({ applies }) => applies(result)) as Rule;
	const { retry, throttles = false, inDoubt = false, overload = false } = rule;
	const pause = result.failure === undefined ? retryAfter(result.headers) : result.pause;
	return { retry, inDoubt, overload, isThrottled: throttles, pause };
}

/**
 * No connection, no response in time, or a failed gateway. For such results the user can choose to retry requests that cost
 * something but change nothing (`retryBroken`).
 */
export function isConnectionLost(result: Result): boolean {
	if (result.failure !== undefined) return verdictOf(result).retry === 'repeatable';
	return result.status >= 502 && result.status <= 504;
}

/** Milliseconds of Retry-After, which is in seconds or a date. A date is compared with the response's own, if it has one. */
function retryAfter(headers: Record<string, unknown>): number | undefined {
	const header = headers['retry-after'];
	if (typeof header !== 'string' || header.trim() === '') return undefined;
	const seconds = Number(header);
	if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
	const own = Date.parse(String(headers.date));
	const until = Date.parse(header) - (Number.isNaN(own) ? Date.now() : own);
	return Number.isNaN(until) ? undefined : Math.max(0, until);
}

export interface RetryPolicy {
	/** Max time for a complete response. */
	timeout: number;
	/** Max time for retries, from the first attempt that failed or was throttled (Retry Time). */
	budget: number;
	/** Max attempts when the server or the network fails, if there's a max besides the budget. */
	attempts?: number;
	hasFixedBudget?: boolean;
}

/**
 * Attempts of a request that fails while the API processes others of its route. The failure may be of this record, so the
 * budget isn't used up. In an outage, and for throttled requests, only the budget counts.
 */
const ATTEMPTS_BESIDE_OTHERS = 5;

const FIRST_WAIT = 500;
const LONGEST_WAIT = 16_000;

/** Exponential backoff with jitter, in milliseconds: from half of the step to all of it. */
function backoff(attempt: number): number {
	const step = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1));
	return step * (0.5 + Math.random() / 2);
}

interface Shared {
	retry: RetryPolicy;
	client: Client;
	traffic: Traffic;
}

export class Attempts {
	readonly counts: Counts;

	private retryableFailures = 0;

	/** Times at which the first of these failures was sent, and at which it ended. */
	private firstFailureSentAt = Infinity;

	private firstFailureEndedAt = Infinity;

	private sentAt = 0;

	private endedAt = 0;

	constructor(
		private readonly request: ApiRequest,
		private readonly shared: Shared,
	) {
		const { endpoint, lookupKeys, body: sent } = request;
		this.counts = {
			endpoint,
			sent,
			lookupKeys,
			attempts: 0,
			doubtfulAttempts: 0,
			waited: 0,
			inDoubt: false,
		};
	}

	/**
	 * A failed request goes before new ones. A throttled one does so after its 1st, 3rd, 5th 429. After its 2nd, 4th, 6th it
	 * takes its turn, so that a request that is always throttled doesn't hold up the others.
	 */
	get ticket(): Omit<ClientRequest, 'signals'> {
		const { route } = this.request.endpoint;
		const throttled = this.counts.attempts - this.retryableFailures;
		return {
			route,
			record: recordKey(this.request),
			priority: this.retryableFailures + (throttled % 2),
			budget: this.shared.retry.budget,
		};
	}

	begin(): void {
		this.sentAt = performance.now();
		if (this.counts.attempts > 0) this.counts.waited += this.sentAt - this.endedAt;
		this.counts.attempts++;
	}

	ended(result: Result, verdict: Verdict): void {
		this.endedAt = performance.now();
		this.counts.inDoubt = verdict.inDoubt && !this.mayRepeat(result);
		// An attempt that was throttled or is final isn't a failure of the server or the network.
		if (verdict.retry === 'none' || verdict.isThrottled) return;
		if (verdict.inDoubt) this.counts.doubtfulAttempts++;
		this.retryableFailures++;
		if (this.retryableFailures > 1) return;
		this.firstFailureSentAt = this.sentAt;
		this.firstFailureEndedAt = this.endedAt;
	}

	/**
	 * Milliseconds until the next attempt, undefined if there's none, after a result that isn't final. Retry Time counts from
	 * - the request's own first failure, if it's throttled. The queue counts it from the first 429 (traffic.ts),
	 * - its own first failure for the first five attempts,
	 * - then the client's first failure on the route, and only in an outage.
	 */
	next(result: Result, verdict: Verdict): number | undefined {
		if (verdict.isThrottled) {
			const since = Math.min(this.firstFailureSentAt, this.endedAt);
			const isTooLong = this.withinBudget(verdict.pause || FIRST_WAIT, since) === undefined;
			// No wait here, because the queue waits for the pause.
			return isTooLong ? undefined : 0;
		}
		const { attempts = Infinity } = this.shared.retry;
		const isLast = this.retryableFailures >= attempts;
		const isRefused = verdict.retry === 'any';
		if (!(isRefused || this.mayRepeat(result)) || isLast) return undefined;
		// With a pause of 0 seconds, the backoff counts.
		const wait = verdict.pause || backoff(this.retryableFailures);
		if (this.retryableFailures < ATTEMPTS_BESIDE_OTHERS) {
			return this.withinBudget(wait, this.firstFailureSentAt);
		}
		return verdict.overload ? this.inOutage(wait) : undefined;
	}

	/** A second attempt does nothing twice, or the user accepts that it may after a lost connection. */
	private mayRepeat(result: Result): boolean {
		const { endpoint, retryBroken = false } = this.request;
		return endpoint.isRepeatable || (retryBroken && isConnectionLost(result));
	}

	/** It's no outage if the API accepted a request of the route that was sent after this one had first failed. */
	private inOutage(wait: number): number | undefined {
		const { client, traffic } = this.shared;
		const { route } = this.request.endpoint;
		if (traffic.hasAccepted(route, this.firstFailureEndedAt)) return undefined;
		return this.withinBudget(wait, client.clientRoute(route).failingSince);
	}

	private withinBudget(wait: number, since: number): number | undefined {
		return this.endedAt + wait - since > this.shared.retry.budget ? undefined : wait;
	}
}
