// Counts the attempts of one request, and decides if there's another one, and when.
import type { ApiRequest } from '../../base/apiRequest';
import { isRepeatable } from '../../base/definition';
import { recordKey } from '../../base/path';
import type { Client, ClientRequest } from '../traffic/client';
import type { Traffic } from '../traffic/traffic';
import type { Counts, Result } from './outcome';
import { isBroken, type Verdict } from './verdict';

/** Times are in milliseconds. */
export interface RetryPolicy {
	/** Max time for a complete response. */
	timeout: number;
	/** Max time for retries, from the first attempt that failed or was refused (Retry Time). */
	budget: number;
	/** Max attempts when the server or the network fails, if there's a max besides the budget. */
	attempts?: number;
	/** The user can't set the budget: a hook, a poll or a picker. */
	isFixed?: boolean;
}

/**
 * Attempts of a request that fails while the API processes others of its route. It may be this record that fails, so
 * the budget isn't used up. In an outage, and for refused requests, only the budget counts.
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

	/** Attempts that the server or the network failed, when the first of them was sent, and when it ended. */
	private broken = 0;

	private brokenSince = Infinity;

	private firstBroken = Infinity;

	private sentAt = 0;

	private endedAt = 0;

	constructor(
		private readonly request: ApiRequest,
		private readonly line: { retry: RetryPolicy; client: Client; traffic: Traffic },
	) {
		const { endpoint, lookupKeys } = request;
		this.counts = { endpoint, lookupKeys, attempts: 0, failures: 0, waited: 0, inDoubt: false };
	}

	/**
	 * Failed requests go first. A request that was refused goes before new ones after every odd refusal, and after
	 * every even one in turn with them: so it's sent soon, but one that is always refused doesn't hold up the others.
	 */
	get ticket(): Omit<ClientRequest, 'signals'> {
		const { route } = this.request.endpoint;
		const refusals = this.counts.attempts - this.broken;
		return {
			route,
			record: recordKey(this.request),
			priority: this.broken + (refusals % 2),
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
		if (verdict.inDoubt) this.counts.failures++;
		if (this.broken++ > 0) return;
		this.brokenSince = this.sentAt;
		this.firstBroken = this.endedAt;
	}

	/** @returns milliseconds until the next attempt, undefined if there's none */
	next(result: Result, { retry, pause, overload }: Verdict): number | undefined {
		if (retry === 'none') return undefined;
		if (retry === 'any') return this.afterRefusal();
		const { attempts = Infinity } = this.line.retry;
		if (!this.mayRepeat(result) || this.broken >= attempts) return undefined;
		const wait = pause || backoff(this.broken);
		if (this.broken < ATTEMPTS_BESIDE_OTHERS) return this.withinBudget(wait, this.brokenSince);
		const { route } = this.request.endpoint;
		const isOutage = overload && !this.line.traffic.hasAccepted(route, this.firstBroken);
		return isOutage ? this.withinBudget(wait, this.line.client.at(route).failingSince) : undefined;
	}

	private mayRepeat(result: Result): boolean {
		const { endpoint, retryBroken = false } = this.request;
		return isRepeatable(endpoint) || (retryBroken && isBroken(result));
	}

	/** The queue waits for the end of the pause, so there's nothing to wait for here. */
	private afterRefusal(): number | undefined {
		const series = this.line.client.at(this.request.endpoint.route).newestSeries(this.ticket);
		const since = Math.min(this.brokenSince, series?.since ?? this.endedAt);
		const wait = (series?.until ?? this.endedAt) - this.endedAt;
		return this.withinBudget(wait, since) === undefined ? undefined : 0;
	}

	private withinBudget(wait: number, since: number): number | undefined {
		return this.endedAt + wait - since > this.line.retry.budget ? undefined : wait;
	}
}
