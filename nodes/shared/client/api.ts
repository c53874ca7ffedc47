// One endpoint asked for one purpose: the outcome of the transport becomes a response or an error.
import type { IDataObject, NodeApiError } from 'n8n-workflow';

import { endpointOf, isRepeatable, onlyReads, partsOf, type Route, type Shape } from '../endpoints';
import {
	FieldFault,
	isRecord,
	type Answer,
	type ApiRequest,
	type Steps,
	type Wanted,
} from '../operation';
import { errorMessage, isAbsent, isPage, isPartlyDone, isPerhapsAbsent } from './http/answer';
import { getAt } from '../dotted';
import { answerError, failureError, shown, unreadableError, type Situation } from './http/errors';
import { Search, type Matching } from './list/matching';
import {
	readList,
	type Fetched,
	type FetchPage,
	type List,
	type PageContext,
	type Part,
} from './list/pages';
import { lastId, requestTo } from '../path';
import { listShape, rowsOf, type ListShape } from './list/rows';
import { SharedLists } from './list/shared';
import { isHeld, refuseDryId, rehearsedAnswer } from './http/dryRun';
import type { Outcome, Received } from './http/outcome';
import { Cancelled, type Transport } from './http/transport';

/** Describes a body that isn't what the reference documents. */
export function describe(body: unknown): string {
	if (body === undefined || body === null || body === '') return 'an empty response';
	if (Array.isArray(body) && body.length === 0) return 'an empty list';
	if (typeof body === 'string') {
		return isPage(body) ? 'HTML instead of JSON' : "text that isn't JSON";
	}
	return 'JSON in an unexpected shape';
}

function fileNameOf(header: unknown): string | undefined {
	return typeof header === 'string'
		? /filename="?([^";/\\]+)"?/i.exec(header)?.[1].trim() || undefined
		: undefined;
}

/** The body for a write without one (204, or a lost response): for a deletion, its usual response. */
function bareAnswer(request: ApiRequest): IDataObject {
	const { route } = request;
	if (partsOf(route).method !== 'DELETE') return {};
	const endpoint = endpointOf(route);
	const id = lastId(request);
	return endpoint.kind === 'one' && endpoint.gone ? endpoint.gone(id) : { id, deleted: true };
}

const isSuccess = ({ status, message }: Answer) =>
	status >= 200 && status <= 299 && message === undefined;

/** Whether a response refuses what a request asks for, rather than its key, its rate or its path. */
const isRefusal = (answer: Answer) =>
	!isSuccess(answer) &&
	!answer.missing &&
	(answer.status < 300 || (answer.status >= 400 && answer.status < 500)) &&
	![401, 403, 408, 429].includes(answer.status);

/** Errors of requests that were, or may have been, applied and must not be sent again. */
const notToBeRepeated = new WeakSet<Error>();

/** Errors of requests that lost a response, and may be sent again all the same. */
const unanswered = new WeakSet<Error>();

/** A deletion whose first answer was lost, and that then finds nothing. */
const PERHAPS_GONE =
	'An earlier attempt got no response, and the last one found nothing. If the ID is wrong, there was nothing to delete.';

/** How a list is read. */
export interface ListOptions extends Part {
	/** Where the rows are, if not where the endpoint has them. */
	shape?: ListShape;
	/** Makes of the rows of a page what is kept of them, as each page arrives. */
	onPage?: (rows: unknown[], body: unknown, request: ApiRequest) => unknown[];
}

/** What all items of one execution share. */
export interface Shared {
	/** Steps of one key, which run one after the other. */
	turns: Map<string, Promise<unknown>>;
	/** IDs of what items have made, by the key of their turns. */
	made: Map<string, string>;
	/** Whether a list takes the size that the nodes ask for. */
	takesSize: Map<Route, boolean>;
	/** Lists that several items may ask for; undefined where each is read anew. */
	lists?: SharedLists;
}

/** The API for one purpose; also the steps of an operation that needs several requests. */
export class Api implements Steps {
	/** Whether a write went through already: if a later request fails, the item must not start over. */
	private applied = false;

	/** What the user should know of a result that may not be what it looks like. */
	warning?: string;

	/** Whether a write may have gone through, although it failed. */
	private doubted = false;

	/** Requests that weren't sent, because the run is dry. */
	readonly held: ApiRequest[] = [];

	/**
	 * @param parallel pages of a list in flight at most
	 * @param dryRun what becomes of a write while Dry Run is on
	 */
	constructor(
		private readonly transport: Transport,
		private readonly shared: Shared,
		private readonly parallel: () => number,
		private readonly situation: Situation,
		private readonly dryRun?: 'answered' | 'refused',
	) {}

	/** Whether the item of this error must not start over: a write was, or may have been, applied. */
	static mayBeApplied(error: Error): boolean {
		return notToBeRepeated.has(error);
	}

	/** Whether a request of this error may have been applied: one after it may find what it has done. */
	static lostAnswer(error: Error): boolean {
		return unanswered.has(error);
	}

	/** Texts that nothing may show. */
	get secrets(): string[] {
		return this.situation.secrets;
	}

	/** What came of the writes that must not be repeated. */
	get writes(): 'applied' | 'notApplied' | 'inDoubt' {
		if (this.doubted) return 'inDoubt';
		return this.applied ? 'applied' : 'notApplied';
	}

	/** One object, as it is or unwrapped. */
	async object(request: ApiRequest, shape: Shape = endpointOf(request.route)): Promise<unknown> {
		const answer = await this.answer(request);
		const { body } = answer;
		const { open = false, unwrap, name } = shape.kind === 'one' ? shape : {};
		if (open) {
			// Any shape is passed on, but HTML or incomplete JSON is not a response of the API.
			if (typeof body === 'string' && /^\s*[<{[]/.test(body)) throw this.unreadable(answer);
			return body === undefined || body === null || body === '' ? {} : body;
		}
		if (!isRecord(body)) throw this.unreadable(answer);
		const below = unwrap ?? name;
		const inner = below === undefined ? body : body[below];
		return isRecord(inner) ? inner : body;
	}

	/** The rows of a list, of all pages that are needed. Items that share lists get the same rows. */
	async list(
		request: ApiRequest,
		{ shape = listShape(endpointOf(request.route)), onPage, ...part }: ListOptions = {},
	): Promise<List> {
		const fetch = this.pagesFor(shape, onPage);
		return await this.sharedBy(request, [part.limit, part.skip], async () => {
			return await readList(request, shape, part, fetch, this.parallel);
		});
	}

	/** The rows of a list that are wanted: its pages are looked through until there are enough. */
	async matching(
		request: ApiRequest,
		wanted: Wanted,
		{ shape = listShape(endpointOf(request.route)), onPage, ...part }: ListOptions = {},
	): Promise<Matching> {
		const fetch = this.pagesFor(shape, onPage);
		const only = this.shared.lists ? undefined : wanted.matches;
		const search = await this.sharedBy(request, ['search'], async () => {
			return await Promise.resolve(new Search(request, shape, fetch, only));
		});
		return await search.find(part, wanted, fetch, this.parallel);
	}

	async find(request: ApiRequest, wanted: Wanted): Promise<unknown[]> {
		this.shared.lists ??= new SharedLists();
		return (await this.matching(request, wanted)).rows;
	}

	/** What is read by one item for all that send the same request. A POST may differ in its body. */
	private async sharedBy<T>(
		{ route, path, query }: ApiRequest,
		more: unknown[],
		read: () => Promise<T>,
	): Promise<T> {
		const { lists } = this.shared;
		if (!lists || partsOf(route).method !== 'GET') return await read();
		return await lists.get(JSON.stringify([path, query, ...more]), read);
	}

	private pagesFor(shape: ListShape, onPage: ListOptions['onPage']): FetchPage {
		return async (each, context) => {
			const fetched = await this.page(each, shape, context);
			if (onPage) fetched.rows = onPage(fetched.rows, fetched.body, each);
			return fetched;
		};
	}

	/**
	 * One page of a list. A later page that is not found has no rows and no body, and so has one that
	 * is refused behind all that the list announced, or by a list which is not documented to have pages.
	 * One that is said not to be there under another status may be behind the end, or not: the rows before
	 * it are kept, and the user is told.
	 */
	async page(
		request: ApiRequest,
		shape: ListShape,
		{ wanted, isExtra = false, isSkippedTo = false }: PageContext = {},
	): Promise<Fetched> {
		const answer = await this.pageAnswer(request, wanted);
		const takesPages = shape.kind === 'list' && (shape.paging ?? 'none') !== 'none';
		const isLater = Number(request.query?.page ?? 1) > 1;
		const isEnd =
			answer.missing ||
			(isExtra && isPerhapsAbsent(answer)) ||
			((isExtra || !takesPages) && isRefusal(answer));
		if (isLater && isEnd) return { body: undefined, rows: [] };
		const isPerhapsEnd =
			isPerhapsAbsent(answer) ||
			(isExtra && answer.status >= 500) ||
			(isSkippedTo && isRefusal(answer));
		if (isLater && isPerhapsEnd) {
			const { status, message = `HTTP ${status}` } = answer;
			const refused = shown(message, this.situation.secrets);
			return { body: undefined, rows: [], refused };
		}
		const { body } = this.accepted(answer);
		const rows = rowsOf(body, shape, isLater);
		if (rows === undefined) throw this.unreadable(answer);
		// A list may be empty, but not the result of a write.
		if (rows.length === 0 && !onlyReads(request.route)) throw this.unreadable(answer);
		return { body, rows };
	}

	/** The response to a request for a page, with the service's own size where it refuses ours. */
	private async pageAnswer(request: ApiRequest, wanted?: AbortSignal): Promise<Answer> {
		const { route } = request;
		const { size, ...query } = request.query ?? {};
		const endpoint = endpointOf(route);
		const { takesSize } = this.shared;
		const mayRefuse = endpoint.kind === 'list' && endpoint.maxSize === undefined;
		if (size === undefined || !mayRefuse || takesSize.get(route) === true) {
			return await this.exchange(request, wanted);
		}
		if (takesSize.get(route) === undefined) {
			const answer = await this.exchange(request, wanted);
			if (isSuccess(answer)) takesSize.set(route, true);
			if (!isRefusal(answer)) return answer;
		}
		const answer = await this.exchange({ ...request, query }, wanted);
		if (isSuccess(answer)) takesSize.set(route, false);
		return answer;
	}

	/** A file, with the name that the API gives it, if any. */
	async file(
		request: ApiRequest,
		shape: Extract<Shape, { kind: 'binary' }>,
	): Promise<{ data: Buffer; fileName?: string }> {
		const answer = await this.answer(request);
		if (shape.base64 === undefined) {
			const data = Buffer.from(answer.body as Uint8Array);
			const type = String(answer.headers['content-type'] ?? '');
			if (data.length === 0) throw this.unreadable({ ...answer, body: '' });
			if (/html|json/i.test(type)) throw this.unreadable({ ...answer, body: data.toString() });
			return { data, fileName: fileNameOf(answer.headers['content-disposition']) };
		}
		const text = getAt(answer.body, shape.base64);
		if (typeof text !== 'string' || text === '') throw this.unreadable(answer);
		return { data: Buffer.from(text, 'base64') };
	}

	readonly request = requestTo;

	get made(): Map<string, string> {
		return this.shared.made;
	}

	async send(request: ApiRequest): Promise<unknown> {
		return this.accept(await this.ask(request));
	}

	async ask(request: ApiRequest): Promise<Answer> {
		return await this.exchange(request);
	}

	accept(answer: Answer, step?: string): unknown {
		const { body } = this.accepted(answer, step);
		if (!isRecord(body) && !Array.isArray(body)) throw this.unreadable(answer);
		return body;
	}

	async wait(milliseconds: number): Promise<void> {
		await this.transport.wait(milliseconds);
	}

	async inTurn<T>(key: string, step: () => Promise<T>): Promise<T> {
		const before = this.shared.turns.get(key) ?? Promise.resolve();
		const mine = before.then(step, step);
		this.shared.turns.set(key, mine);
		return await mine;
	}

	private async sent(request: ApiRequest, wanted?: AbortSignal): Promise<Outcome> {
		const sent = this.transport.send(request, this.situation.itemIndex ?? 0, wanted);
		return await sent.catch((error: unknown) => {
			this.doubted ||= error instanceof Cancelled && error.inFlight;
			throw error;
		});
	}

	/**
	 * The response of a dry run to what must not leave n8n; undefined for what is to be sent.
	 * @throws FieldFault where there is no honest one
	 */
	private rehearsed(request: ApiRequest): Received | undefined {
		const { dryRun, situation } = this;
		const { route } = request;
		if (dryRun === undefined) refuseDryId(request, situation.node);
		if (dryRun === undefined || !isHeld(request)) return undefined;
		if (endpointOf(route).checksCode) {
			throw new FieldFault('Dry Run', 'is on in the credential, so no code or passkey is checked');
		}
		if (dryRun === 'refused') {
			const reason = `is on in the credential, so this isn't sent: ${route}. Turn it off to publish`;
			throw new FieldFault('Dry Run', reason);
		}
		this.held.push(request);
		const attempts = { attempts: 0, failures: 0, waited: 0 };
		const body = rehearsedAnswer(request);
		return { status: 200, headers: {}, body, route, inDoubt: false, ...attempts };
	}

	/** Sends a request; its response may be an error. */
	private async exchange(request: ApiRequest, wanted?: AbortSignal): Promise<Answer> {
		const outcome = this.rehearsed(request) ?? (await this.sent(request, wanted));
		if (outcome.failure !== undefined) {
			throw this.mark(failureError(outcome, this.situation), outcome);
		}
		const { route, status, body } = outcome;
		const message = errorMessage(route, status, body);
		const missing = isAbsent(route, status, body, message);
		outcome.inDoubt ||= !isRepeatable(route) && isPartlyDone(route, status, body);
		const sought = request.sought ?? this.situation.sought;
		const answer = Object.assign(outcome, { message, missing, sought });
		// A write may respond with 204 and no body; a read may not.
		const isBare = answer.status === 204 && !onlyReads(request.route);
		return isBare ? { ...answer, body: bareAnswer(request) } : answer;
	}

	private async answer(request: ApiRequest): Promise<Answer> {
		const answer = await this.exchange(request);
		const isDeletion = partsOf(request.route).method === 'DELETE';
		if (isDeletion && answer.missing && (answer.failures > 0 || this.situation.lostAnswer)) {
			this.warning = PERHAPS_GONE;
			return { ...answer, status: 200, body: { ...bareAnswer(request), warning: PERHAPS_GONE } };
		}
		return this.accepted(answer);
	}

	/** The response if it is a success; throws if it is an error. */
	private accepted(answer: Answer, step?: string): Answer {
		if (!isSuccess(answer)) throw this.mark(answerError(answer, this.situation, step), answer);
		this.applied ||= !isRepeatable(answer.route);
		return answer;
	}

	private unreadable(answer: Answer): NodeApiError {
		answer.inDoubt ||= !isRepeatable(answer.route);
		return this.mark(unreadableError(answer, this.situation, describe(answer.body)), answer);
	}

	private mark(error: NodeApiError, { inDoubt, failures, route }: Outcome): NodeApiError {
		this.doubted ||= inDoubt;
		if (inDoubt || this.applied) notToBeRepeated.add(error);
		else if (failures > 0 && !onlyReads(route)) unanswered.add(error);
		return error;
	}
}
