// The attempts of one request: counts them, and decides if there's another one, and when.
import type { ApiRequest } from '../../base/apiRequest';
import { isRepeatable } from '../../base/definition';
import { recordKey } from '../../base/path';
import type { Client, ClientRequest } from '../traffic/client';
import type { Traffic } from '../traffic/traffic';
import type { Counts, Result } from './outcome';
import { isConnectionLost, type Verdict } from './verdict';

/** Times are in milliseconds. */
export interface RetryPolicy {
	/** Max time for a complete response. */
	timeout: number;
	/** Max time for retries, from the first attempt that failed or was throttled (Retry Time). */
	budget: number;
	/** Max attempts when the server or the network fails, if there's a max besides the budget. */
	attempts?: number;
	/** The user can't set the budget: a hook, a poll or a picker. */
	isFixed?: boolean;
}

/**
 * Attempts of a request that fails while the API processes others of its route. It may be this record that fails, so
 * the budget isn't used up. In an outage, and for throttled requests, only the budget counts.
 */
const ATTEMPTS_BESIDE_OTHERS = 5;

const FIRST_WAIT = 500;
const LONGEST_WAIT = 16_000;

/** Exponential backoff with jitter, in milliseconds: between half of the step and the whole step. */
function backoff(attempt: number): number {
	const step = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1));
	return step * (0.5 + Math.random() / 2);
}

export class Attempts {
	readonly counts: Counts;

	/** Attempts that the server or the network failed. */
	private retryableFailures = 0;

	/** Times at which the first of them was sent, and at which it ended. */
	private firstFailureSentAt = Infinity;

	private firstFailureEndedAt = Infinity;

	/** Times of the newest attempt. */
	private sentAt = 0;

	private endedAt = 0;

	constructor(
		private readonly request: ApiRequest,
		private readonly line: { retry: RetryPolicy; client: Client; traffic: Traffic },
	) {
		const { endpoint, lookupKeys } = request;
		this.counts = {
			endpoint,
			lookupKeys,
			attempts: 0,
			doubtfulAttempts: 0,
			waited: 0,
			inDoubt: false,
		};
	}

	/**
	 * Failed requests go first. A throttled request goes before new ones after every odd 429, and after every even one
	 * in turn with them: so it's sent soon, but one that is always throttled doesn't hold up the others.
	 */
	get ticket(): Omit<ClientRequest, 'signals'> {
		const { route } = this.request.endpoint;
		const throttled = this.counts.attempts - this.retryableFailures;
		return {
			route,
			record: recordKey(this.request),
			priority: this.retryableFailures + (throttled % 2),
			budget: this.line.retry.budget,
		};
	}

	begin(): void {
		this.sentAt = performance.now();
		if (this.counts.attempts++ > 0) this.counts.waited += this.sentAt - this.endedAt;
	}

	/** Counts an attempt that ended. */
	end(result: Result, verdict: Verdict): void {
		this.endedAt = performance.now();
		this.counts.inDoubt = verdict.inDoubt && !this.mayRepeat(result);
		if (verdict.retry !== 'repeatable') return;
		if (verdict.inDoubt) this.counts.doubtfulAttempts++;
		if (this.retryableFailures++ > 0) return;
		this.firstFailureSentAt = this.sentAt;
		this.firstFailureEndedAt = this.endedAt;
	}

	/** @returns milliseconds until the next attempt, undefined if there's none */
	next(result: Result, verdict: Verdict): number | undefined {
		if (verdict.isThrottled) return this.afterThrottle();
		const { attempts = Infinity } = this.line.retry;
		const isLast = this.retryableFailures >= attempts;
		if (verdict.retry === 'none' || !this.mayRepeat(result) || isLast) return undefined;
		const wait = verdict.pause || backoff(this.retryableFailures);
		if (this.retryableFailures < ATTEMPTS_BESIDE_OTHERS) {
			return this.withinBudget(wait, this.firstFailureSentAt);
		}
		return verdict.overload ? this.inOutage(wait) : undefined;
	}

	private mayRepeat(result: Result): boolean {
		const { endpoint, retryBroken = false } = this.request;
		return isRepeatable(endpoint) || (retryBroken && isConnectionLost(result));
	}

	/** The queue waits for the end of the pause, so there's nothing to wait for here. */
	private afterThrottle(): number | undefined {
		const series = this.line.client.at(this.request.endpoint.route).newestSeries(this.ticket);
		const since = Math.min(this.firstFailureSentAt, series?.since ?? this.endedAt);
		const wait = (series?.until ?? this.endedAt) - this.endedAt;
		return this.withinBudget(wait, since) === undefined ? undefined : 0;
	}

	/** The budget begins with the client's first failure on the route. If the API accepted others since, it's no outage. */
	private inOutage(wait: number): number | undefined {
		const { client, traffic } = this.line;
		const { route } = this.request.endpoint;
		if (traffic.hasAccepted(route, this.firstFailureEndedAt)) return undefined;
		return this.withinBudget(wait, client.at(route).failingSince);
	}

	private withinBudget(wait: number, since: number): number | undefined {
		return this.endedAt + wait - since > this.line.retry.budget ? undefined : wait;
	}
}
