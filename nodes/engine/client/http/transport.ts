// Sends one request until its outcome is final, and stops on cancel. Counts its attempts, and records its writes.
import type { ApiRequest } from '../../base/apiRequest';
import { recordKey } from '../../base/path';
import { onAbort, untilAborted } from '../../base/pool';
import type { Client, ClientRequest, Report } from '../traffic/client';
import type { Locked, Locks } from '../traffic/locks';
import { PausedTooLong } from '../traffic/rateLimit';
import type { Traffic } from '../traffic/traffic';
import type { ApiContext, Connection } from './credential';
import { isHeld } from './dryRun';
import { exchange } from './exchange';
import type { Counts, Outcome, Result, WriteOutcome } from './outcome';
import { isConnectionLost, NOT_SENT, verdictOf, type Verdict } from './verdict';

/**
 * The writes of one item, or of one call of a hook or poll: the one record of what has left and what came of it, and of
 * what Dry Run held back.
 */
export class Writes {
	/** The last write. */
	last?: ApiRequest;

	/** Is called with each write before it leaves or is held back. Throws for one that must not leave. */
	guard?: (request: ApiRequest) => void;

	/** Requests that Dry Run held back, reads too. */
	readonly held: ApiRequest[] = [];

	/** Any write went through, or may have. From then on only a cancel ends a wait: the item must be completed. */
	hasWritten = false;

	/** A write failed for good, but one of its attempts may have been applied. Sent again, it may find that effect. */
	hasDoubtfulAttempt = false;

	/** An attempt of any write has left. Until it ends it may go through, even if the execution is cancelled. */
	isInFlight = false;

	/** A write that must not be repeated went through. */
	isApplied = false;

	/** A write that must not be repeated may have gone through. */
	private isInDoubt = false;

	/** The outcome of the writes that must not be repeated. Others only count while they're in flight. */
	get outcome(): WriteOutcome {
		if (this.isInDoubt || this.isInFlight) return 'inDoubt';
		return this.isApplied ? 'applied' : 'notApplied';
	}

	/** A write is in flight, went through, or may have. */
	get mayHaveWritten(): boolean {
		return this.isInFlight || this.hasWritten;
	}

	/**
	 * A request is about to be sent, or held back by Dry Run.
	 * @throws what the guard of writes throws
	 */
	begin(request: ApiRequest): void {
		if (request.endpoint.onlyReads) return;
		this.guard?.(request);
		this.last = request;
	}

	/** An attempt ended, of a write if one `isInFlight`. `mayBeDone`: it went through, or may have. */
	ended(mayBeDone: boolean): void {
		this.hasWritten ||= this.isInFlight && mayBeDone;
		this.isInFlight = false;
	}

	/** A request failed for good. */
	failed({ endpoint, inDoubt, doubtfulAttempts }: Outcome): void {
		this.isInDoubt ||= inDoubt;
		this.hasDoubtfulAttempt ||= doubtfulAttempts > 0 && !endpoint.onlyReads;
	}
}

/** Times are in milliseconds. */
export interface RetryPolicy {
	/** Max time for a complete response. */
	timeout: number;
	/** Max time for retries, from the first attempt that failed or was throttled (Retry Time). */
	budget: number;
	/** Max attempts when the server or the network fails, if there's a max besides the budget. */
	attempts?: number;
	/** The user can't set the budget: a hook, a poll or a picker. */
	hasFixedBudget?: boolean;
}

/**
 * Attempts of a request that fails while the API processes others of its route. It may be this record that fails, so
 * the budget isn't used up. In an outage, and for throttled requests, only the budget counts.
 */
const ATTEMPTS_BESIDE_OTHERS = 5;

/** Steps of the backoff, in milliseconds. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 16_000;

/** Exponential backoff with jitter, in milliseconds: from half of the step to all of it. */
function backoff(attempt: number): number {
	const step = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1));
	return step * (0.5 + Math.random() / 2);
}

/** Counts the attempts of one request, and decides if there's another one, and when. */
class Attempts {
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
		private readonly line: Pick<Line, 'retry' | 'client' | 'traffic'>,
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
	 * A failed request goes before new ones. A throttled one does so after its 1st, 3rd, 5th 429. After its 2nd, 4th,
	 * 6th it takes its turn with them, so that one that is always throttled doesn't hold them up.
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
		if (this.counts.attempts > 0) this.counts.waited += this.sentAt - this.endedAt;
		this.counts.attempts++;
	}

	/** Counts an attempt that ended. */
	end(result: Result, verdict: Verdict): void {
		this.endedAt = performance.now();
		this.counts.inDoubt = verdict.inDoubt && !this.mayRepeat(result);
		// One that the server or the network failed. A throttled one (`any`) or a final one (`none`) doesn't count.
		if (verdict.retry !== 'repeatable') return;
		if (verdict.inDoubt) this.counts.doubtfulAttempts++;
		this.retryableFailures++;
		if (this.retryableFailures > 1) return;
		this.firstFailureSentAt = this.sentAt;
		this.firstFailureEndedAt = this.endedAt;
	}

	/**
	 * Milliseconds until the next attempt, undefined if there's none, after a result that isn't final. Retry Time counts from
	 * - its own first failure, if it's throttled. The queue counts it from the first 429 (traffic.ts),
	 * - its own first failure for the first five attempts,
	 * - then the client's first failure on the route, and only in an outage.
	 */
	next(result: Result, verdict: Verdict): number | undefined {
		if (verdict.isThrottled) {
			const since = Math.min(this.firstFailureSentAt, this.endedAt);
			const isTooLong = this.withinBudget(verdict.pause || FIRST_WAIT, since) === undefined;
			// There's no wait here: the queue waits for the pause.
			return isTooLong ? undefined : 0;
		}
		const { attempts = Infinity } = this.line.retry;
		const isLast = this.retryableFailures >= attempts;
		if (!this.mayRepeat(result) || isLast) return undefined;
		// With a pause of 0 seconds, the backoff counts.
		const wait = verdict.pause || backoff(this.retryableFailures);
		if (this.retryableFailures < ATTEMPTS_BESIDE_OTHERS) {
			return this.withinBudget(wait, this.firstFailureSentAt);
		}
		return verdict.overload ? this.inOutage(wait) : undefined;
	}

	/** True if a second attempt does nothing twice, or the user accepts that it may after a lost connection. */
	private mayRepeat(result: Result): boolean {
		const { endpoint, retryBroken = false } = this.request;
		return endpoint.isRepeatable || (retryBroken && isConnectionLost(result));
	}

	/** It's no outage if the API accepted a request of the route that was sent after this one had first failed. */
	private inOutage(wait: number): number | undefined {
		const { client, traffic } = this.line;
		const { route } = this.request.endpoint;
		if (traffic.hasAccepted(route, this.firstFailureEndedAt)) return undefined;
		return this.withinBudget(wait, client.clientRoute(route).failingSince);
	}

	/** The wait, or undefined if it ends after Retry Time. */
	private withinBudget(wait: number, since: number): number | undefined {
		return this.endedAt + wait - since > this.line.retry.budget ? undefined : wait;
	}
}

/**
 * Milliseconds. Requests that start within a slice share one timer: it can't be cleared, so one each would stay
 * in memory until the timeout.
 */
const SLICE = 200;

/** Timers that limit how long requests wait for their complete responses. */
export class Deadlines {
	private newest?: { begun: number; signal: AbortSignal };

	/** @param timeout milliseconds for a complete response */
	constructor(private readonly timeout: number) {}

	/** Signal for a request that starts now. It's aborted after the timeout, at most `SLICE` late. */
	begin(): AbortSignal {
		const now = performance.now();
		if (this.newest === undefined || now - this.newest.begun >= SLICE) {
			const signal = AbortSignal.timeout(Math.ceil(this.timeout) + SLICE);
			this.newest = { begun: now, signal };
		}
		return this.newest.signal;
	}
}

/** Signals that end requests early. */
export interface End {
	/** Also end requests in flight. Default: the cancel signal of the execution. */
	cancel?: AbortSignal[];
	/** Ends waits only, and none of an item that has written already. */
	runSignal?: AbortSignal;
}

/** The way of all requests of one door. */
export interface Line {
	context: ApiContext;
	connection: Connection;
	traffic: Traffic;
	client: Client;
	retry: RetryPolicy;
	deadlines: Deadlines;
}

/** The execution was cancelled in n8n during a request or a wait. */
export class Cancelled extends Error {
	constructor() {
		// n8n recognizes a cancelled execution by the word "canceled".
		super('The execution was canceled');
	}
}

/** Sends the requests of one item, or of one call of a hook, poll or picker. */
export class Transport {
	private readonly cancel: AbortSignal[];

	readonly writes = new Writes();

	constructor(
		private readonly line: Line,
		private readonly end: End,
	) {
		const { context } = line;
		const ofExecution =
			'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
		this.cancel = end.cancel ?? (ofExecution ? [ofExecution] : []);
	}

	get locks(): Locks {
		return this.line.traffic.locks;
	}

	/**
	 * @param signal also ends the wait
	 * @throws Cancelled or the reason of a signal, if the run ends first
	 */
	async wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
		const timer = AbortSignal.timeout(Math.ceil(milliseconds));
		try {
			await untilAborted<void>(this.signals(signal), (end) => onAbort(timer, () => end()));
		} catch (error) {
			throw this.reasonToThrow(error);
		}
	}

	/**
	 * Runs a task while no other one of the account has the lock of this name.
	 * @throws Cancelled or the reason of a signal, if the run ends while it waits
	 */
	async withLock<T>(name: string, task: Locked<T>): Promise<T> {
		const { locks } = this;
		const taken = locks.take(name, this.signals());
		const release = await taken.catch((error: unknown) => {
			throw this.reasonToThrow(error);
		});
		try {
			return await task((moment) => locks.isFirstSince(name, moment));
		} finally {
			release();
		}
	}

	/**
	 * Sends a request until its outcome is final (verdict.ts).
	 * @param signal ends waits when the response isn't needed anymore
	 * @throws Cancelled or the reason of a signal, if the run ends first
	 */
	async send(request: ApiRequest, signal?: AbortSignal): Promise<Outcome> {
		const attempts = new Attempts(request, this.line);
		const { counts } = attempts;
		const { traffic, client } = this.line;
		const attempt = async () => await this.attempt(request, attempts);
		let last: Result | undefined;
		for (;;) {
			try {
				const ticket = { ...attempts.ticket, signals: this.signals(signal) };
				const { result, verdict } = await traffic.run(client, ticket, attempt);
				const wait = verdict.retry === 'none' ? undefined : attempts.next(result, verdict);
				if (wait === undefined) return { ...result, ...counts };
				last = result;
				if (wait > 0) await this.wait(wait, signal);
			} catch (error) {
				if (this.isCancelled || !(error instanceof PausedTooLong)) throw this.reasonToThrow(error);
				const { milliseconds } = error;
				// In whole seconds, as the error shows it.
				const pause = milliseconds && Math.ceil(milliseconds / 1000) * 1000;
				// If an attempt was made, the error is about its result.
				return { ...(last ?? { failure: NOT_SENT, detail: '', pause }), ...counts };
			}
		}
	}

	/** Sends one attempt, and reports what it shows of the API. */
	private async attempt(
		request: ApiRequest,
		attempts: Attempts,
	): Promise<Report<{ result: Result; verdict: Verdict }>> {
		const isWrite = !request.endpoint.onlyReads;
		attempts.begin();
		// It stays true if a cancel ends the attempt: it isn't known then if the write went through.
		if (isWrite) this.writes.isInFlight = true;
		const result = await this.exchange(request);
		const verdict = verdictOf(result);
		attempts.end(result, verdict);
		const { inDoubt, overload, pause, isThrottled } = verdict;
		// A pause of no time is no pause.
		const throttled = isThrottled ? { pause: pause || undefined } : undefined;
		const isSuccess = result.failure === undefined && result.says === 'success';
		this.writes.ended(isSuccess || inDoubt);
		return {
			overload,
			throttled,
			// An error such as 400 or 500 counts, too. A 429, a 408, a 499 or another 5xx doesn't.
			accepted: result.failure === undefined && result.status !== 429 && !isThrottled && !overload,
			inDoubt: isWrite && inDoubt,
			mayEndRun: isWrite || !isSuccess,
			value: { result, verdict },
		};
	}

	/** Signals that end a wait. Once something was written, only a cancel does: the item must be completed. */
	private signals(signal?: AbortSignal): AbortSignal[] {
		if (this.writes.hasWritten) return this.cancel;
		const ends = [...this.cancel];
		for (const each of [this.end.runSignal, signal]) if (each) ends.push(each);
		return ends;
	}

	private get isCancelled(): boolean {
		return this.cancel.some(({ aborted }) => aborted);
	}

	/** The error to throw when a signal ended a wait. After a cancel it's `Cancelled`, whatever reason n8n's signal has. */
	private reasonToThrow(reason: unknown): unknown {
		return this.isCancelled ? new Cancelled() : reason;
	}

	/**
	 * Sends one attempt, until its deadline or a cancel. A response that came in spite of a cancel counts.
	 * @throws Cancelled, or Error for a write that Dry Run should have held back
	 */
	private async exchange(request: ApiRequest): Promise<Result> {
		const { context, connection, retry, deadlines } = this.line;
		// `Api` has held it back already. It's checked twice, because a write could move money.
		if (connection.isDry && isHeld(request)) throw new Error('Dry Run: nothing is sent.');
		const deadline = deadlines.begin();
		const end = new AbortController();
		const abort = () => end.abort();
		const unlisten: Array<() => void> = [];
		for (const each of [deadline, ...this.cancel]) unlisten.push(onAbort(each, abort));
		try {
			const result = await exchange(context, connection, request, {
				timeout: retry.timeout,
				signal: end.signal,
			});
			if (result.failure === undefined) return result;
			if (this.isCancelled) throw new Cancelled();
			return deadline.aborted ? { ...result, failure: 'ETIMEDOUT' } : result;
		} finally {
			for (const each of unlisten) each();
		}
	}
}
