// Counts the attempts of one request, and decides if there's another one, and when.
import { isRepeatable } from '../../endpoints';
import type { ApiRequest } from '../../operation';
import type { Client } from '../traffic/client';
import type { Counts, Result } from './outcome';
import { isBroken, type Verdict } from './verdict';

/** Times are in milliseconds. */
export interface RetryPolicy {
	/** Max time for a complete response. */
	timeout: number;
	/** Max time for retries, from the first attempt that failed or was refused (Retry Time). */
	budget: number;
	/** Max attempts when the server or the network fails, 5 by default. */
	attempts?: number;
	/** The user can't set the budget: a hook, a poll or a picker. */
	isFixed?: boolean;
}

/** For failures of the server or the network. Only the budget limits retries of refused requests. */
const MAX_ATTEMPTS = 5;

const FIRST_WAIT = 500;
const LONGEST_WAIT = 16_000;

/** Exponential backoff with jitter, in milliseconds: between half of the step and the whole step. */
function backoff(attempt: number): number {
	const step = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1));
	return step * (0.5 + Math.random() / 2);
}

export class Attempts {
	readonly counts: Counts;

	/** Attempts that the server or the network failed, and when the first of them was sent. */
	private broken = 0;

	private brokenSince = Infinity;

	private sentAt = 0;

	private endedAt = 0;

	constructor(
		private readonly request: ApiRequest,
		private readonly retry: RetryPolicy,
		private readonly client: Client,
	) {
		const { route, lookupKeys } = request;
		this.counts = { route, lookupKeys, attempts: 0, failures: 0, waited: 0, inDoubt: false };
	}

	/** Failed requests go first. A refused one does every second time: it neither starves nor holds up others. */
	get priority(): number {
		return this.broken + ((this.counts.attempts - this.broken) % 2);
	}

	begin(): void {
		this.sentAt = performance.now();
		if (this.counts.attempts++ > 0) this.counts.waited += this.sentAt - this.endedAt;
	}

	/** @returns milliseconds until the next attempt, undefined if there's none */
	end(result: Result, { retry, inDoubt, pause }: Verdict): number | undefined {
		const { route, retryBroken = false } = this.request;
		const { attempts: max = MAX_ATTEMPTS } = this.retry;
		const mayRepeat = isRepeatable(route) || (retryBroken && isBroken(result));
		this.endedAt = performance.now();
		this.counts.inDoubt = inDoubt && !mayRepeat;
		if (retry === 'any') return this.afterRefusal(pause);
		if (retry === 'none') return undefined;
		this.broken++;
		this.brokenSince = Math.min(this.brokenSince, this.sentAt);
		if (inDoubt) this.counts.failures++;
		if (!mayRepeat || this.broken >= max) return undefined;
		return this.withinBudget(pause || backoff(this.broken), this.brokenSince);
	}

	private afterRefusal(pause: number | undefined): number | undefined {
		const series = this.client.refusalSeries(this.request.route, this.retry.budget);
		const since = Math.min(this.brokenSince, series?.since ?? this.endedAt);
		// Retry-After: 0 gets a backoff, or requests would loop without a wait.
		const wait = this.withinBudget(pause || backoff(this.counts.attempts), since);
		// The queue waits for a pause of the route, so there's nothing to wait for here.
		return wait !== undefined && pause ? 0 : wait;
	}

	private withinBudget(wait: number, since: number): number | undefined {
		return this.endedAt + wait - since > this.retry.budget ? undefined : wait;
	}
}
