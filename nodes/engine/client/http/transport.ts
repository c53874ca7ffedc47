// Sends one request until its outcome is final, and stops on cancel.
import type { ApiRequest } from '../../base/apiRequest';
import { onAbort, untilAborted } from '../../base/pool';
import type { Locked, Locks } from '../../base/locks';
import { PausedTooLong, type Report } from '../traffic/limit';
import type { Client, Traffic } from '../traffic/traffic';
import type { ApiContext } from './context';
import type { Connection } from './credential';
import { isHeld } from './dryRun';
import type { Deadlines } from './deadlines';
import { exchange } from './exchange';
import type { Outcome, Result } from './outcome';
import { Attempts, NOT_SENT, verdictOf, type RetryPolicy, type Verdict } from './retry';
import { Writes } from './writes';

export interface Ends {
	/** These signals end requests in flight, too. Default: the cancel signal of the execution. */
	cancel?: AbortSignal[];
	/** Ends waits only, and none of an item that has written already. */
	runSignal?: AbortSignal;
}

export interface Line {
	context: ApiContext;
	connection: Connection;
	traffic: Traffic;
	client: Client;
	retry: RetryPolicy;
	deadlines: Deadlines;
}

export class Cancelled extends Error {
	constructor() {
		// n8n recognizes a cancelled execution by the word "canceled".
		super('The execution was canceled');
	}
}

export class Transport {
	private readonly cancel: AbortSignal[];

	readonly writes = new Writes();

	constructor(
		private readonly line: Line,
		private readonly ends: Ends,
	) {
		const { context } = line;
		const ofExecution =
			'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
		this.cancel = ends.cancel ?? (ofExecution ? [ofExecution] : []);
	}

	get locks(): Locks {
		return this.line.traffic.locks;
	}

	/** @throws Cancelled or the reason of a signal, if the run ends first */
	async wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
		const timer = AbortSignal.timeout(Math.ceil(milliseconds));
		try {
			await untilAborted<void>(this.signals(signal), (end) => onAbort(timer, () => end()));
		} catch (error) {
			throw this.reasonToThrow(error);
		}
	}

	/** Runs a task while no other task of the account has this lock. Throws Cancelled or a signal's reason if the run ends. */
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
	 * Sends a request until its outcome is final (retry.ts). `signal` ends waits when the response isn't needed anymore. Throws
	 * Cancelled or the reason of a signal, if the run ends first.
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
				// The error shows whole seconds.
				const pause = milliseconds && Math.ceil(milliseconds / 1000) * 1000;
				// If an attempt was made, the error is about its result.
				return { ...(last ?? { failure: NOT_SENT, detail: '', pause }), ...counts };
			}
		}
	}

	private async attempt(
		request: ApiRequest,
		attempts: Attempts,
	): Promise<Report<{ result: Result; verdict: Verdict }>> {
		const isWrite = !request.endpoint.onlyReads;
		attempts.begin();
		// If a cancel ends the attempt, this stays true: it isn't known then if the write went through.
		if (isWrite) this.writes.isInFlight = true;
		const result = await this.exchange(request);
		const verdict = verdictOf(result);
		attempts.ended(result, verdict);
		const { retry, inDoubt, overload, pause, isThrottled } = verdict;
		// A pause of no time is no pause.
		const throttled = isThrottled ? { pause: pause || undefined } : undefined;
		const isResponse = result.failure === undefined;
		const isSuccess = isResponse && result.says === 'success';
		this.writes.ended(isSuccess || inDoubt);
		return {
			overload,
			throttled,
			// An error such as 400 or 500 counts, too. A 429, a 408, a 499 or another 5xx doesn't.
			accepted: isResponse && result.status !== 429 && retry !== 'any' && !overload,
			inDoubt: isWrite && inDoubt,
			mayEndRun: isWrite || !isSuccess,
			value: { result, verdict },
		};
	}

	/** Once something was written, only a cancel ends a wait, because the item must be completed. */
	private signals(signal?: AbortSignal): AbortSignal[] {
		if (this.writes.hasWritten) return this.cancel;
		const all = [...this.cancel];
		for (const each of [this.ends.runSignal, signal]) if (each) all.push(each);
		return all;
	}

	private get isCancelled(): boolean {
		return this.cancel.some(({ aborted }) => aborted);
	}

	/** A cancel gives `Cancelled`, whatever reason n8n's signal has. */
	private reasonToThrow(reason: unknown): unknown {
		return this.isCancelled ? new Cancelled() : reason;
	}

	/**
	 * Sends one attempt, until its deadline or a cancel. A response that came in spite of a cancel counts.
	 * @throws Cancelled, or Error for a write that Dry Run should have held back
	 */
	private async exchange(request: ApiRequest): Promise<Result> {
		const { context, connection, retry, deadlines } = this.line;
		// `Api` has held the request back already. It's checked twice, because a write could move money.
		if (connection.isDry && isHeld(request)) throw new Error('Dry Run: nothing is sent.');
		const deadline = deadlines.begin(retry.timeout);
		const sending = new AbortController();
		const abort = () => sending.abort();
		const unlisten: Array<() => void> = [];
		for (const each of [deadline, ...this.cancel]) unlisten.push(onAbort(each, abort));
		try {
			const result = await exchange(context, connection, request, {
				timeout: retry.timeout,
				signal: sending.signal,
			});
			if (result.failure === undefined) return result;
			if (this.isCancelled) throw new Cancelled();
			return deadline.aborted ? { ...result, failure: 'ETIMEDOUT' } : result;
		} finally {
			for (const each of unlisten) each();
		}
	}
}
