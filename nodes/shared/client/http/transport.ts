// Sends one request until its outcome is final: retries where that's safe, and stops on cancel.
import { isRepeatable, onlyReads } from '../../endpoints';
import type { ApiRequest } from '../../operation';
import { onAbort, untilAborted } from '../../pool';
import type { Client, Report } from '../traffic/client';
import { PausedTooLong } from '../traffic/traffic';
import type { ApiContext, Connection } from './credential';
import type { Deadlines } from './deadlines';
import { isHeld } from './dryRun';
import { exchange } from './exchange';
import type { Outcome, Result } from './outcome';
import { isBroken, NOT_SENT, verdictOf } from './verdict';

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

/** Signals that end requests early. */
export interface End {
	/** Also end requests in flight. Default: the cancel signal of the execution. */
	cancel?: AbortSignal[];
	/** Ends waits only, and none of an item that has written already. */
	run?: AbortSignal;
}

/** The execution was cancelled in n8n during a request or a wait. */
export class Cancelled extends Error {
	constructor() {
		// n8n recognizes a cancelled execution by the word "canceled".
		super('The execution was canceled');
	}
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

/** Sends the requests of one item, or of one call of a hook, poll or picker. */
export class Transport {
	private readonly cancel: AbortSignal[];

	/** A write went through, or may have. */
	private hasWritten = false;

	/** A write is in flight. It may go through even if the execution is cancelled. */
	isWriting = false;

	constructor(
		private readonly context: ApiContext,
		private readonly connection: Connection,
		private readonly client: Client,
		private readonly retry: RetryPolicy,
		private readonly deadlines: Deadlines,
		private readonly end: End,
	) {
		const own =
			'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
		this.cancel = end.cancel ?? (own ? [own] : []);
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
			throw this.ended(error);
		}
	}

	/**
	 * Sends a request until its outcome is final (verdict.ts).
	 * @param signal ends waits when the response isn't needed anymore
	 * @throws Cancelled
	 * @throws Stopped
	 */
	async send(request: ApiRequest, signal?: AbortSignal): Promise<Outcome> {
		const { route, lookupKeys, retryBroken = false } = request;
		const { budget, attempts: maxAttempts = MAX_ATTEMPTS } = this.retry;
		const isWrite = !onlyReads(route);
		const state = { route, lookupKeys, attempts: 0, failures: 0, waited: 0, inDoubt: false };
		let last: Result | undefined;
		let endedAt = 0;
		// Attempts that the server or the network failed, and when the first of them was sent. `failures` are those
		// of them that may have been applied.
		let broken = 0;
		let brokenSince = Infinity;

		// `wait` is the time before the next attempt, undefined after the last one.
		const attempt = async (): Promise<Report<{ result: Result; wait?: number }>> => {
			const sent = performance.now();
			if (state.attempts++ > 0) state.waited += sent - endedAt;
			this.isWriting = isWrite;
			const result = await this.exchange(request);
			this.isWriting = false;
			endedAt = performance.now();
			const { retry, inDoubt, overload, pause } = verdictOf(result);
			const mayRepeat = isRepeatable(route) || (retryBroken && isBroken(result));
			state.inDoubt = inDoubt && !mayRepeat;
			const refused = retry === 'any';
			let wait: number | undefined;
			if (refused) {
				const series = this.client.refusalSeries(route, budget);
				const since = Math.min(brokenSince, series?.since ?? performance.now());
				wait = this.nextWait(pause, state.attempts, since);
				// The queue waits for a pause of the route, so there's nothing to wait for here.
				if (wait !== undefined && pause) wait = 0;
			} else if (retry === 'repeatable') {
				brokenSince = Math.min(brokenSince, sent);
				broken++;
				if (inDoubt) state.failures++;
				if (mayRepeat && broken < maxAttempts) wait = this.nextWait(pause, broken, brokenSince);
			}
			const isSuccess = result.failure === undefined && result.says === 'success';
			this.hasWritten ||= isWrite && (isSuccess || inDoubt);
			return {
				overload,
				refused: refused ? { pause } : undefined,
				accepted: result.failure === undefined && !refused && !overload,
				inDoubt,
				mayEndRun: isWrite || !isSuccess,
				value: { result, wait },
			};
		};

		for (;;) {
			// Failed requests go first. A refused one does every second time: it neither starves nor holds up others.
			const priority = broken + ((state.attempts - broken) % 2);
			const ticket = { route, priority, budget, signals: this.signals(signal) };
			try {
				const { result, wait } = await this.client.run(ticket, attempt);
				if (wait === undefined) return { ...result, ...state };
				last = result;
				if (wait > 0) await this.wait(wait, signal);
			} catch (error) {
				if (this.isCancelled || !(error instanceof PausedTooLong)) throw this.ended(error);
				const pause = Math.ceil(error.milliseconds / 1000) * 1000;
				return { ...(last ?? { failure: NOT_SENT, detail: '', pause }), ...state };
			}
		}
	}

	get mayHaveWritten(): boolean {
		return this.isWriting || this.hasWritten;
	}

	/** Signals that end a wait. Once something was written, only a cancel does: the item must be completed. */
	private signals(signal?: AbortSignal): AbortSignal[] {
		const ends = this.hasWritten ? this.cancel : [...this.cancel, this.end.run, signal];
		return ends.filter((each) => each !== undefined);
	}

	private get isCancelled(): boolean {
		return this.cancel.some(({ aborted }) => aborted);
	}

	/** n8n's signal can have any reason. */
	private ended(reason: unknown): unknown {
		return this.isCancelled ? new Cancelled() : reason;
	}

	/**
	 * Milliseconds until the next attempt, or undefined if the budget doesn't allow one.
	 * @param attempts number of refused or failed attempts
	 * @param since start of the first of them
	 */
	private nextWait(pause: number | undefined, attempts: number, since: number): number | undefined {
		// Retry-After: 0 gets a backoff, or requests would loop without a wait.
		const wait = pause || backoff(attempts);
		return performance.now() + wait - since > this.retry.budget ? undefined : wait;
	}

	private async exchange(request: ApiRequest): Promise<Result> {
		const { context, connection, retry } = this;
		// A second lock, because a write could move money: `Requests` holds it back already.
		if (connection.isDry && isHeld(request)) throw new Error('Dry Run: nothing is sent.');
		const deadline = this.deadlines.begin();
		const end = new AbortController();
		const unlisten = [deadline, ...this.cancel].map((each) => onAbort(each, () => end.abort()));
		try {
			const result = await exchange(context, connection, request, retry.timeout, end.signal);
			if (result.failure === undefined) return result;
			if (this.isCancelled) throw new Cancelled();
			return deadline.aborted ? { ...result, failure: 'ETIMEDOUT' } : result;
		} finally {
			for (const each of unlisten) each();
		}
	}
}
