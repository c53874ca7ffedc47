// One request -> one answer: sent with the credential, repeated where that is safe, ended on cancel.
import { sleep, type IHttpRequestOptions } from 'n8n-workflow';

import { whenAborted } from './cancelling';
import { CREDENTIAL, type ApiContext, type Connection } from './credential';
import { isRepeatable, onlyReads, partsOf } from '../../endpoints';
import type { Deadlines } from './deadlines';
import { isHeld } from './dryRun';
import type { Party } from '../traffic/gate';
import { isBroken, NOT_SENT, ruleOf } from './meaning';
import type { Attempts, Outcome, Result } from './outcome';
import type { ApiRequest } from '../../operation';
import { Stopped } from '../../pool';

/** How long to wait for an answer, and for how long to try again; both in milliseconds. */
export interface RetryPolicy {
	/** For a whole answer, however it comes. */
	timeout: number;
	/**
	 * How much time a request may spend on attempts that failed, and on waiting as long as the API asks
	 * to. Waiting for its turn and for the rate does not count.
	 */
	budget: number;
	/** Attempts for a failure of the server or the network, 5 unless said otherwise. */
	attempts?: number;
	/** Nobody chose the budget, and nobody can: a hook, a poll or a picker. */
	isFixed?: boolean;
}

/** What ends requests early. */
export interface End {
	/** In place of the cancelling of the execution: also ends what is in flight. */
	signal?: AbortSignal;
	/** Whether the run has failed: nothing more is sent for what has not written anything. */
	isOver?: () => boolean;
}

/** The API asks everybody to wait for longer than this one may. */
class Standstill extends Error {}

/** The execution was cancelled in n8n while a request or a wait was under way. */
export class Cancelled extends Error {
	/** @param inFlight whether a request was under way that may go through all the same */
	constructor(readonly inFlight = false) {
		// By this word n8n tells a cancelled execution from a failed one.
		super('The execution was canceled');
	}
}

/** Attempts where the server or the network fails; refused requests have the budget only. */
const MAX_ATTEMPTS = 5;

const FIRST_WAIT = 500;
const LONGEST_WAIT = 16_000;
/** How often a wait looks whether it has ended. */
const SLICE = 200;

function cancelSignal(context: ApiContext): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}

/** Waits, or fails within a fifth of a second with what then ends it. */
async function wait(milliseconds: number, ending: () => Error | undefined): Promise<void> {
	const end = Date.now() + milliseconds;
	for (let left = milliseconds; left > 0; left = end - Date.now()) {
		await sleep(Math.min(SLICE, left));
		const reason = ending();
		if (reason !== undefined) throw reason;
	}
}

/** Exponential backoff with jitter: between half of the step and the whole. */
function backoff(attempt: number): number {
	const step = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1));
	return step * (0.5 + Math.random() / 2);
}

/** Milliseconds that a Retry-After header asks for, given in seconds or as a date. */
export function retryAfter(header: unknown, now: number): number | undefined {
	if (typeof header !== 'string' || header.trim() === '') return undefined;
	const seconds = Number(header);
	if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
	const date = Date.parse(header);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The code of a broken connection, from the depth of an error that n8n or axios wrapped. */
export function failureCode(error: unknown): { code: string; message: string } {
	let each = error as { cause?: unknown; code?: unknown; message?: unknown } | undefined;
	let message = '';
	for (let depth = 0; each && typeof each === 'object' && depth < 5; depth++) {
		message = typeof each.message === 'string' ? each.message : message;
		if (typeof each.code === 'string' && each.code !== '') return { code: each.code, message };
		each = each.cause as typeof each;
	}
	return { code: 'UNKNOWN', message };
}

const seconds = (milliseconds: number) => `${Math.ceil(milliseconds / 1000)} s`;

/** Sends requests for one execution of a node. */
export class Transport {
	private readonly signal: AbortSignal | undefined;

	private readonly isOver: () => boolean;

	/** Whether it has written something, or may have. */
	private hasWritten = false;

	constructor(
		private readonly context: ApiContext,
		readonly connection: Connection,
		private readonly party: Party,
		private readonly retry: RetryPolicy,
		private readonly deadlines: Deadlines,
		{ signal, isOver = () => false }: End,
	) {
		this.signal = signal ?? cancelSignal(context);
		this.isOver = isOver;
	}

	/** Waits, unless the run ends before. */
	async wait(milliseconds: number): Promise<void> {
		await wait(milliseconds, () => this.ending(() => false));
	}

	/**
	 * Sends a request until it is answered for good, or must not be sent again (meaning.ts).
	 * @param lane index of the input item, so that items take turns
	 * @param isOver whether it is no longer wanted, beside the end of the run
	 * @throws Cancelled
	 * @throws Stopped
	 */
	async send(request: ApiRequest, lane: number, isOver = () => false): Promise<Outcome> {
		const { route, retryBroken = false } = request;
		const mayRepeat = (result: Result) => isRepeatable(route) || (retryBroken && isBroken(result));
		const ending = () => this.ending(isOver);
		const so: Attempts = { attempts: 0, failures: 0, waited: 0, spent: 0 };
		const outcomeOf = (result: Result): Outcome => {
			const inDoubt = !mayRepeat(result) && ruleOf(result).doubt;
			return Object.assign(result, so, { route, inDoubt });
		};
		let last: Outcome | undefined;
		for (let due = 0; ;) {
			const joined = Date.now();
			const stay = () => ending() ?? this.standstill(so, joined);
			const turn = { lane, again: so.attempts, kind: route, stay };
			const attempt = async () => {
				const started = Date.now();
				if (so.attempts++ > 0) so.waited += started - joined;
				so.spent += due;
				const result = await this.exchange(request);
				const asked = pauseForAll(result);
				if (asked === undefined) so.spent += Date.now() - started;
				const pause = this.pauseAfter(result, mayRepeat(result), so);
				last = outcomeOf(result);
				this.hasWritten ||= !onlyReads(route) && ruleOf(result).again !== 'any';
				return {
					troubled: isOverload(result),
					failed: ruleOf(result).doubt,
					// What the API asks for, it asks everybody for, also when this request gives up.
					pause: asked === undefined ? undefined : asked || (pause ?? 0),
					ends: !onlyReads(route) || result.failure !== undefined || result.status > 299,
					value: { inLine: asked !== undefined, pause },
				};
			};
			const { inLine, pause } = await this.party.run(turn, attempt).catch((error: unknown) => {
				if (!(error instanceof Standstill)) throw error;
				last ??= outcomeOf({ failure: NOT_SENT, timedOut: false, detail: error.message });
				return { inLine: false, pause: undefined };
			});
			if (last !== undefined && pause === undefined) return last;
			due = pause ?? 0;
			// Who was refused waits in line, as everybody does; a failure is an affair of its own.
			if (inLine) continue;
			await wait(due, ending);
			so.waited += due;
		}
	}

	/** What ends everything that is not in flight, if anything does. */
	private ending(isOver: () => boolean): Error | undefined {
		if (this.signal?.aborted) return new Cancelled();
		return !this.hasWritten && (isOver() || this.isOver()) ? new Stopped() : undefined;
	}

	/**
	 * What ends the waiting of a request in line since the API asks for too long a pause.
	 * @param joined when it began to
	 */
	private standstill({ spent }: Attempts, joined: number): Standstill | undefined {
		const now = Date.now();
		const isTooLong = spent + this.party.standstill(now, joined) > this.retry.budget;
		return isTooLong ? new Standstill(seconds(this.party.paused(now))) : undefined;
	}

	/** Milliseconds until the next attempt, or undefined when there must be none. */
	private pauseAfter(result: Result, repeatable: boolean, so: Attempts): number | undefined {
		const { again } = ruleOf(result);
		const { attempts = MAX_ATTEMPTS, budget } = this.retry;
		const refused = again === 'any';
		if (!refused && !(repeatable && again === 'repeatable' && ++so.failures < attempts)) {
			return undefined;
		}
		// An API that asks to wait for no time at all would be asked without end.
		const pause = pauseForAll(result) || backoff(refused ? so.attempts : so.failures);
		return so.spent + pause > budget ? undefined : pause;
	}

	private async exchange(request: ApiRequest): Promise<Result> {
		// The last word: api.ts has answered it.
		if (this.connection.isDry && isHeld(request)) throw new Error('Dry Run: nothing is sent.');
		const { signal } = this;
		const deadline = this.deadlines.begin(Date.now());
		const either = new AbortController();
		const abort = () => either.abort();
		if (signal?.aborted) abort();
		const cancelled = signal && whenAborted(signal);
		cancelled?.add(abort);
		deadline.waiting.add(abort);
		// The context of the node in all but the signal; hooks and polls have none of their own.
		const context: ApiContext = Object.assign(Object.create(this.context), {
			getExecutionCancelSignal: () => either.signal,
		});
		const options: IHttpRequestOptions = {
			method: partsOf(request.route).method,
			url: this.connection.url + request.path,
			qs: request.query,
			// `ids=a&ids=b`: a name repeated, the form that needs no convention of its own.
			arrayFormat: 'repeat',
			// n8n's own is 5 minutes, and bounds the time in which nothing comes.
			timeout: this.retry.timeout,
			// n8n would send a request that answers 401 a second time, a POST included.
			ignoreHttpStatusErrors: true,
			returnFullResponse: true,
			// A redirect would carry the key to another address and turn a POST into a GET.
			disableFollowRedirect: true,
			sendCredentialsOnCrossOriginRedirect: false,
			allowedDomains: this.connection.allowedDomains,
		};
		if (request.body) options.body = request.body;
		if (request.binary) options.encoding = 'arraybuffer';
		else options.json = true;
		return await this.context.helpers.httpRequestWithAuthentication
			.call(context, CREDENTIAL, options, { credentialsDecrypted: this.connection.credential })
			.then(
				({ statusCode, headers, body }): Result => ({ status: statusCode, headers, body }),
				(error: unknown) => {
					if (signal?.aborted) throw new Cancelled(!onlyReads(request.route));
					const { code, message } = failureCode(error);
					if (deadline.isOver) return { failure: 'ETIMEDOUT', timedOut: true, detail: message };
					const timedOut = /timeout|timed out/i.test(message);
					return { failure: code, timedOut, detail: message };
				},
			)
			.finally(() => {
				cancelled?.delete(abort);
				deadline.waiting.delete(abort);
			});
	}
}

/**
 * Milliseconds that the API asks everybody to wait, 0 where it refuses without saying for how long;
 * undefined where it asks for nothing.
 */
function pauseForAll(result: Result): number | undefined {
	if (result.failure !== undefined) return undefined;
	const pause = retryAfter(result.headers['retry-after'], Date.now());
	if (ruleOf(result).again === 'any') return pause ?? 0;
	return result.status === 503 ? pause : undefined;
}

/** Whether the API, or the way to it, has too much to do. A 500 is rather a failure in one place. */
function isOverload(result: Result): boolean {
	if (result.failure === undefined && result.status === 500) return false;
	return ruleOf(result).again !== 'none';
}
