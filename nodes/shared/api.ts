// One endpoint asked for one item: the outcome of the transport becomes an answer or an error.
import type { IDataObject, NodeApiError } from 'n8n-workflow';

import { errorMessage, isAbsent, isPage } from './answer';
import { endpointOf, isRepeatable, onlyReads, partsOf, type Route } from './endpoints';
import { answerError, failureError, unreadableError, type Answer, type Situation } from './errors';
import { type ApiRequest, type Reply, type Response, type Steps, isRecord } from './operation';
import { fillPath } from './path';
import { rowsOf, type ListResponse } from './rows';
import type { Transport } from './transport';

/** A word for a body that is not what the reference documents. */
export function describe(body: unknown): string {
	if (body === undefined || body === null || body === '') return 'an empty body';
	if (Array.isArray(body) && body.length === 0) return 'an empty list';
	if (typeof body === 'string') {
		return isPage(body) ? 'HTML in place of JSON' : 'something that is no JSON';
	}
	return 'JSON of another shape than documented';
}

/** The id that a path ends with. */
const lastId = (path: string) =>
	decodeURIComponent((path.split('/').at(-1) ?? '').replace(/\.json$/, ''));

function fileNameOf(header: unknown): string | undefined {
	return typeof header === 'string'
		? /filename="?([^";/\\]+)"?/i.exec(header)?.[1].trim() || undefined
		: undefined;
}

/** The answer to a deletion whose first answer was lost, as the other would have been. */
function goneAnswer(route: Route, id: string): IDataObject {
	const endpoint = endpointOf(route);
	return endpoint.kind === 'one' && endpoint.gone ? endpoint.gone(id) : { id, deleted: true };
}

/** Errors behind which a request was, or may have been, applied that must not be sent again. */
const notToBeRepeated = new WeakSet<Error>();

/** The API as one input item sees it; also the steps of an operation that needs several requests. */
export class Api implements Steps {
	private readonly replies = new WeakMap<Reply, Answer>();

	/** Whether one of several requests was applied: what fails after it must not start over. */
	private applied = false;

	constructor(
		private readonly transport: Transport,
		private readonly turns: Map<string, Promise<unknown>>,
		private readonly lane: number,
		private readonly situation: Situation,
	) {}

	/** Whether the item of this error must not start over: a write was, or may have been, applied. */
	static mayBeApplied(error: Error): boolean {
		return notToBeRepeated.has(error);
	}

	/** One object, as it is or unwrapped. */
	async object(
		request: ApiRequest,
		response: Extract<Response, { kind: 'one' }>,
	): Promise<unknown> {
		const answer = await this.answer(request);
		const { body } = answer;
		if (response.open) {
			// Whatever comes is passed on, but a page in place of JSON, or half of it, is no answer.
			if (typeof body === 'string' && /^\s*[<{[]/.test(body)) throw this.unreadable(answer);
			return body === undefined || body === null || body === '' ? {} : body;
		}
		if (!isRecord(body)) throw this.unreadable(answer);
		const inner = response.unwrap === undefined ? body : body[response.unwrap];
		return isRecord(inner) ? inner : body;
	}

	/** One page of a list. Behind the first, 'not found' is a page without rows, and no body. */
	async page(
		request: ApiRequest,
		response: ListResponse,
	): Promise<{ body: unknown; rows: unknown[] }> {
		const answer = await this.exchange(request);
		const { route, query } = request;
		const { status, body } = answer;
		const isBehind = Number(query?.page ?? 1) > 1;
		if (isBehind && isAbsent(route, status, body, this.messageIn(answer))) {
			return { body: undefined, rows: [] };
		}
		const rows = rowsOf(this.accepted(answer).body, response);
		if (rows === undefined) throw this.unreadable(answer);
		// A list may be empty; what a write has made is not nothing.
		if (rows.length === 0 && !onlyReads(route)) throw this.unreadable(answer);
		return { body, rows };
	}

	/** A file, with the name that the API gives it, if any. */
	async file(
		request: ApiRequest,
		response: Extract<Response, { kind: 'binary' }>,
	): Promise<{ data: Buffer; fileName?: string }> {
		const answer = await this.answer(request);
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
		return this.accept(await this.ask(request));
	}

	async ask(request: ApiRequest): Promise<Reply> {
		const answer = await this.exchange(request);
		const { status, body } = answer;
		const message = this.messageIn(answer);
		const missing = isAbsent(request.route, status, body, message);
		const reply = { status, body, message, missing };
		this.replies.set(reply, answer);
		return reply;
	}

	accept(reply: Reply): unknown {
		const answer = this.accepted(this.replies.get(reply) as Answer);
		if (!isRecord(answer.body) && !Array.isArray(answer.body)) throw this.unreadable(answer);
		return answer.body;
	}

	path(template: string, parameters: Record<string, string>): string {
		return fillPath(template, parameters);
	}

	async inTurn<T>(key: string, step: () => Promise<T>): Promise<T> {
		const before = this.turns.get(key) ?? Promise.resolve();
		const mine = before.then(step, step);
		this.turns.set(key, mine);
		return await mine;
	}

	/** Sends a request; its answer may be an error. */
	private async exchange(request: ApiRequest): Promise<Answer> {
		const outcome = await this.transport.send(request, this.lane);
		if (outcome.failure === undefined) return outcome;
		throw this.mark(failureError(outcome, this.situation), outcome.inDoubt);
	}

	private async answer(request: ApiRequest): Promise<Answer> {
		const answer = await this.exchange(request);
		const { route } = request;
		const absent = isAbsent(route, answer.status, answer.body, this.messageIn(answer));
		if (partsOf(route).method === 'DELETE' && answer.faults > 0 && absent) {
			// An earlier attempt was applied although its answer got lost.
			return { ...answer, status: 200, body: goneAnswer(route, lastId(request.path)) };
		}
		return this.accepted(answer);
	}

	private messageIn({ route, status, body }: Answer): string | undefined {
		const endpoint = endpointOf(route);
		return errorMessage(body, status, endpoint.kind === 'one' && endpoint.reportsSuccess);
	}

	/** The answer, if it is none of an error; an error of the API throws. */
	private accepted(answer: Answer): Answer {
		const message = this.messageIn(answer);
		if (answer.status >= 200 && answer.status <= 299 && message === undefined) {
			this.applied ||= !isRepeatable(answer.route);
			return answer;
		}
		throw this.mark(answerError(answer, this.situation, message), answer.inDoubt);
	}

	private unreadable(answer: Answer): NodeApiError {
		const inDoubt = !isRepeatable(answer.route);
		return this.mark(unreadableError(answer, this.situation, describe(answer.body)), inDoubt);
	}

	private mark(error: NodeApiError, inDoubt: boolean): NodeApiError {
		if (inDoubt || this.applied) notToBeRepeated.add(error);
		return error;
	}
}
