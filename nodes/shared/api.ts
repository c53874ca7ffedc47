// One endpoint asked for one item: the outcome of the transport becomes an answer or an error.
import { NodeApiError } from 'n8n-workflow';

import {
	answerError,
	errorMessage,
	failureError,
	isNotFound,
	unreadableError,
	wasNeverSent,
	type Situation,
} from './errors';
import {
	isRepeatable,
	type ApiRequest,
	type Reply,
	type Response,
	type Steps,
	isRecord,
} from './operation';
import { fillPath, type Endpoint } from './request';
import { rowsOf, type ListResponse } from './rows';
import type { Outcome, Transport } from './transport';

type Answer = Outcome & { status: number; headers: Record<string, unknown>; body: unknown };

/** A word for a body that is not what the reference documents. */
function describe(body: unknown): string {
	if (body === undefined || body === null || body === '') return 'an empty body';
	if (typeof body === 'string') {
		return body.trimStart().startsWith('<') ? 'HTML in place of JSON' : 'something that is no JSON';
	}
	return 'JSON of another shape than documented';
}

function fileNameOf(header: unknown): string | undefined {
	return typeof header === 'string'
		? /filename="?([^";/\\]+)"?/i.exec(header)?.[1].trim() || undefined
		: undefined;
}

/** Errors after which nobody knows whether a write was applied. */
const doubtful = new WeakSet<Error>();

/** The API as one input item sees it; also the steps of an operation that needs several requests. */
export class Api implements Steps {
	private readonly replies = new WeakMap<Reply, Answer>();

	/** Whether one of several requests was applied: what fails after it must not start over. */
	private applied = false;

	constructor(
		private readonly transport: Transport,
		private readonly endpoints: Endpoint[],
		private readonly turns: Map<string, Promise<unknown>>,
		private readonly lane: number,
		private readonly situation: Situation,
	) {}

	/** Whether a request behind this error may have been applied, so that it must not be repeated. */
	static mayBeApplied(error: Error): boolean {
		return doubtful.has(error);
	}

	/** One object, as it is or unwrapped. */
	async object(
		request: ApiRequest,
		response: Extract<Response, { kind: 'one' }>,
	): Promise<unknown> {
		const answer = await this.answer(request, this.repeatable());
		const { body } = answer;
		if (response.flagged && isRecord(body) && body.success === false) {
			throw answerError(
				answer,
				this.situation,
				String(body.message ?? 'The API reports a failure'),
			);
		}
		if (response.open) {
			// Whatever comes is passed on, but a page in place of JSON, or half of it, is no answer.
			if (typeof body === 'string' && /^\s*[<{[]/.test(body)) throw this.unreadable(answer);
			return body === undefined || body === null || body === '' ? {} : body;
		}
		if (!isRecord(body)) throw this.unreadable(answer);
		const inner = response.unwrap === undefined ? body : body[response.unwrap];
		return isRecord(inner) ? inner : body;
	}

	/**
	 * One page of a list. A later page that is not found has no rows and no body, and so has one that
	 * is refused by a list which is not documented to have pages.
	 */
	async page(
		request: ApiRequest,
		response: ListResponse,
	): Promise<{ body: unknown; rows: unknown[] }> {
		const answer = await this.outcome(request, this.repeatable());
		const { status, body } = answer;
		const takesPages = response.kind === 'list' && (response.paging ?? 'none') !== 'none';
		const isEnd =
			isNotFound(status, errorMessage(body, status)) ||
			(!takesPages && (status === 400 || status === 422));
		if (isEnd && Number(request.query?.page ?? 1) > 1) return { body: undefined, rows: [] };
		const rows = rowsOf(this.accepted(answer).body, response);
		if (rows === undefined) throw this.unreadable(answer);
		return { body, rows };
	}

	/** A file, with the name that the API gives it, if any. */
	async file(
		request: ApiRequest,
		response: Extract<Response, { kind: 'binary' }>,
	): Promise<{ data: Buffer; fileName?: string }> {
		const answer = await this.answer(request, this.repeatable());
		if (response.base64 === undefined) {
			const data = Buffer.from(answer.body as Uint8Array);
			const type = String(answer.headers['content-type'] ?? '');
			if (data.length === 0) throw this.unreadable({ ...answer, body: '' });
			if (/html|json/i.test(type)) throw this.unreadable({ ...answer, body: data.toString() });
			return { data, fileName: fileNameOf(answer.headers['content-disposition']) };
		}
		const text = response.base64
			.split('.')
			.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), answer.body);
		if (typeof text !== 'string' || text === '') throw this.unreadable(answer);
		return { data: Buffer.from(text, 'base64') };
	}

	async send(request: ApiRequest): Promise<unknown> {
		const body = this.accept(await this.ask(request));
		if (request.method === 'POST') this.applied = true;
		return body;
	}

	async ask(request: ApiRequest): Promise<Reply> {
		const outcome = await this.outcome(request, request.method !== 'POST');
		const { status, body } = outcome;
		const message = errorMessage(body, status);
		const reply = { status, body, message, missing: isNotFound(status, message) };
		this.replies.set(reply, outcome);
		return reply;
	}

	accept(reply: Reply): unknown {
		const answer = this.accepted(this.replies.get(reply) as Answer);
		if (!isRecord(answer.body) && !Array.isArray(answer.body)) throw this.unreadable(answer);
		return answer.body;
	}

	path(template: string, parameters: Record<string, string>): string {
		return fillPath({ path: template }, parameters, this.endpoints);
	}

	async inTurn<T>(key: string, step: () => Promise<T>): Promise<T> {
		const before = this.turns.get(key) ?? Promise.resolve();
		const mine = before.then(step, step);
		this.turns.set(key, mine);
		return await mine;
	}

	private repeatable(): boolean {
		const { operation } = this.situation;
		return operation !== undefined && isRepeatable(operation);
	}

	/** An answer, whatever it says; no answer throws. */
	private async outcome(request: ApiRequest, repeatable: boolean): Promise<Answer> {
		const outcome = await this.transport.send(request, repeatable, this.lane);
		if (outcome.failure !== undefined) throw this.failed(outcome);
		return outcome;
	}

	private async answer(request: ApiRequest, repeatable: boolean): Promise<Answer> {
		const outcome = await this.outcome(request, repeatable);
		const missing = isNotFound(outcome.status, errorMessage(outcome.body, outcome.status));
		if (request.method === 'DELETE' && outcome.faults > 0 && missing) {
			// An earlier attempt was applied although its answer got lost.
			return { ...outcome, status: 200, body: { deleted: true } };
		}
		return this.accepted(outcome);
	}

	/** The answer, if it is none of an error; an error of the API throws. */
	private accepted(answer: Answer): Answer {
		const { status, body, refused } = answer;
		if (status >= 200 && status <= 299 && errorMessage(body, status) === undefined) return answer;
		throw this.mark(answerError(answer, this.situation), status >= 500 && !refused);
	}

	private failed(outcome: Extract<Outcome, { failure: string }>): NodeApiError {
		return this.mark(failureError(outcome, this.situation), !wasNeverSent(outcome.failure));
	}

	private unreadable(answer: Answer): NodeApiError {
		return this.mark(unreadableError(answer, this.situation, describe(answer.body)), true);
	}

	private mark(error: NodeApiError, inDoubt: boolean): NodeApiError {
		if ((inDoubt || this.applied) && !this.repeatable()) doubtful.add(error);
		return error;
	}
}
