// One request -> one answer: sent with the credential, repeated where that is safe, ended on cancel.
import { sleep, type IHttpRequestOptions } from 'n8n-workflow';

import { CREDENTIAL, type ApiContext, type Connection } from './connection';
import { isUsedUp, NOT_SENT } from './errors';
import type { Gate } from './gate';
import type { ApiRequest } from './operation';

/** How long to wait for an answer, and for how long to try again; both in milliseconds. */
export interface Patience {
	/** For a whole answer, however it comes. */
	timeout: number;
	/**
	 * How much time a request may spend on attempts that failed, and on waiting as long as the API asks
	 * to. Waiting for its turn and for the rate does not count.
	 */
	budget: number;
	/** Attempts for a fault of the server or the network, 5 unless said otherwise. */
	faults?: number;
}

/** The attempts of one request so far; times in milliseconds. */
interface Tries {
	/** Requests sent, the repeated ones included. */
	attempts: number;
	/** How many of the earlier ones failed so that they may have been applied all the same. */
	faults: number;
	/** Time spent waiting between attempts. */
	waited: number;
	/** How much of its budget it has spent. */
	spent: number;
}

/** What came of a request: an answer of any status, or the code of a broken connection. */
export type Outcome = Tries & {
	/** Whether the API refused the last one before it did anything. */
	refused: boolean;
} & (
		| { status: number; headers: Record<string, unknown>; body: unknown; failure?: undefined }
		| { failure: string; timedOut: boolean; detail: string }
	);

/** The API asks everybody to wait for longer than this one may. */
class Standstill extends Error {}

/** The execution was cancelled in n8n while a request or a wait was under way. */
export class Cancelled extends Error {
	constructor() {
		// By this word n8n tells a cancelled execution from a failed one.
		super('The execution was canceled');
	}
}

/** Codes of connections that broke or timed out, where another attempt may well succeed. */
const BROKEN = new Set([
	'ECONNABORTED',
	'ECONNREFUSED',
	'ECONNRESET',
	'EAI_AGAIN',
	'EPIPE',
	'ERR_BAD_RESPONSE',
	'ERR_NETWORK',
	'ETIMEDOUT',
]);

const FAULTY = new Set([500, 502, 503, 504]);

/** Attempts for a fault of the server or the network; refused requests have the budget only. */
const MAX_FAULTS = 5;

const FIRST_WAIT = 500;
const LONGEST_WAIT = 16_000;
/** How often a wait looks at the cancel signal. */
const SLICE = 200;

function cancelSignal(context: ApiContext): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}

/** Waits, and ends within a fifth of a second when the execution is cancelled. */
async function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
	const end = Date.now() + milliseconds;
	for (let left = milliseconds; left > 0; left = end - Date.now()) {
		await sleep(Math.min(SLICE, left));
		if (signal?.aborted) throw new Cancelled();
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
function failureCode(error: unknown): { code: string; message: string } {
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

	constructor(
		private readonly context: ApiContext,
		readonly connection: Connection,
		private readonly gate: Gate,
		private readonly patience: Patience,
	) {
		this.signal = cancelSignal(context);
	}

	/**
	 * Sends a request until it is answered for good. 429, and 503 with Retry-After, mean that the
	 * request was refused: any method is repeated. Faults of the server and broken connections may
	 * come after the request was applied: only a `repeatable` one is sent again.
	 * @param lane index of the input item, so that items take turns
	 * @throws Cancelled
	 */
	async send(request: ApiRequest, repeatable: boolean, lane: number): Promise<Outcome> {
		const tries: Tries = { attempts: 0, faults: 0, waited: 0, spent: 0 };
		let last: Outcome | undefined;
		for (let due = 0; ;) {
			const joined = Date.now();
			const turn = { lane, again: tries.attempts, stay: () => this.stay(tries, joined) };
			const attempt = async () => {
				const started = Date.now();
				if (tries.attempts++ > 0) tries.waited += started - joined;
				tries.spent += due;
				const result = await this.exchange(request);
				const refusal = isRefusal(result);
				if (!refusal) tries.spent += Date.now() - started;
				const pause = this.pauseAfter(result, repeatable, tries);
				last = { ...result, ...tries, refused: refusal !== undefined };
				// What the API asks for, it asks everybody for, also when this request gives up.
				const asked = refusal && (refusal.wait || (pause ?? 0));
				return { troubled: isOverload(result), pause: asked, value: { refused: !!refusal, pause } };
			};
			const { refused, pause } = await this.gate.run(turn, attempt).catch((error: unknown) => {
				if (!(error instanceof Standstill)) throw error;
				const detail = error.message;
				last ??= { failure: NOT_SENT, timedOut: false, detail, ...tries, refused: false };
				return { refused: false, pause: undefined };
			});
			if (last !== undefined && pause === undefined) return last;
			due = pause ?? 0;
			// Who was refused waits in line, as everybody does; a fault is an affair of its own.
			if (refused) continue;
			await wait(due, this.signal);
			tries.waited += due;
		}
	}

	/**
	 * Looked at while a request waits in line.
	 * @param joined when it began to
	 */
	private stay({ spent }: Tries, joined: number): void {
		if (this.signal?.aborted) throw new Cancelled();
		const now = Date.now();
		const { pace } = this.gate;
		if (spent + pace.standstill(now, joined) > this.patience.budget) {
			throw new Standstill(seconds(pace.hold(now)));
		}
	}

	/** Milliseconds until the next attempt, or undefined when there must be none. */
	private pauseAfter(result: Result, repeatable: boolean, tries: Tries): number | undefined {
		const refusal = isRefusal(result);
		const { faults = MAX_FAULTS, budget } = this.patience;
		if (!refusal && !(repeatable && isFault(result) && ++tries.faults < faults)) return undefined;
		// An API that asks to wait for no time at all would be asked without end.
		const pause = refusal?.wait || backoff(refusal ? tries.attempts : tries.faults);
		return tries.spent + pause > budget ? undefined : pause;
	}

	private async exchange(request: ApiRequest): Promise<Result> {
		const time = AbortSignal.timeout(Math.ceil(this.patience.timeout));
		const end = this.signal ? AbortSignal.any([this.signal, time]) : time;
		// The context of the node in all but the signal; hooks and polls have none of their own.
		const context = Object.create(this.context, {
			getExecutionCancelSignal: { value: () => end },
		}) as ApiContext;
		const options: IHttpRequestOptions = {
			method: request.method,
			url: this.connection.url + request.path,
			qs: request.query,
			// `ids=a&ids=b`: a name repeated, the form that needs no convention of its own.
			arrayFormat: 'repeat',
			// n8n's own is 5 minutes, and bounds the time in which nothing comes.
			timeout: this.patience.timeout,
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
					if (this.signal?.aborted) throw new Cancelled();
					const { code, message } = failureCode(error);
					if (time.aborted) return { failure: 'ETIMEDOUT', timedOut: true, detail: message };
					const timedOut = /timeout|timed out/i.test(message);
					return { failure: code, timedOut, detail: message };
				},
			);
	}
}

type Result =
	| { status: number; headers: Record<string, unknown>; body: unknown; failure?: undefined }
	| { failure: string; timedOut: boolean; detail: string };

/** Whether the API refused a request before it did anything, and how long it asks to wait. */
function isRefusal(result: Result): { wait?: number } | undefined {
	if (result.failure !== undefined) return undefined;
	if (result.status !== 429 && result.status !== 503) return undefined;
	const pause = retryAfter(result.headers['retry-after'], Date.now());
	if (isUsedUp(result)) return undefined;
	return result.status === 503 && pause === undefined ? undefined : { wait: pause };
}

/** Whether the API, or the way to it, has too much to do. A 500 is rather a fault in one place. */
function isOverload(result: Result): boolean {
	if (isRefusal(result)) return true;
	return isFault(result) && (result.failure !== undefined || result.status !== 500);
}

function isFault(result: Result): boolean {
	return result.failure === undefined ? FAULTY.has(result.status) : BROKEN.has(result.failure);
}
