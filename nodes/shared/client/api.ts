// The API for one purpose: its requests, and the lists that they read.
import type { Route } from '../endpoints';
import { endpointOf, onlyReads, partsOf } from '../endpoints';
import type { ApiResponse, ApiRequest, Steps, Wanted } from '../operation';
import { nearestFirst } from '../nearest';
import { requestTo } from '../path';
import { isPerhapsAbsent } from './http/response';
import type { ErrorContext } from './http/errorContext';
import { shown } from './http/errors';
import { Requests } from './http/requests';
import type { Transport } from './http/transport';
import { Search, type Matching } from './list/matching';
import type { Fetched, FetchPage, List, PageContext, Part } from './list/page';
import { readList } from './list/pages';
import { listShape, rowsOf, type ListShape } from './list/rows';
import { SharedLists } from './list/shared';

/** How a list is read. */
export interface ListOptions extends Part {
	/** Where the rows are, if not where the endpoint has them. */
	shape?: ListShape;
	/** Makes of the rows of a page what is kept of them, as each page arrives. */
	onPage?: (rows: unknown[], body: unknown, request: ApiRequest) => unknown[];
}

/** How many values an error names of those that the API offers. */
const MAX_OFFERED = 20;

/** All texts in a value, at any depth. */
const textsIn = (value: unknown): string[] =>
	typeof value === 'string'
		? [value]
		: value !== null && typeof value === 'object'
			? Object.values(value).flatMap(textsIn)
			: [];

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
export class Api extends Requests implements Steps {
	readonly request = requestTo;

	/** @param parallel pages of a list in flight at most */
	constructor(
		transport: Transport,
		context: ErrorContext,
		dryRun: 'simulated' | 'refused' | undefined,
		private readonly shared: Shared,
		private readonly parallel: () => number,
	) {
		super(transport, context, dryRun);
	}

	get made(): Map<string, string> {
		return this.shared.made;
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

	/** Where the API refuses a value that it doesn't offer: those that it does, nearest first. */
	protected override async stepFor(
		{ message = '' }: ApiResponse,
		{ route, path, body }: ApiRequest,
	): Promise<string | undefined> {
		const { offers } = endpointOf(route);
		if (!offers || !message.startsWith(offers.refusal)) return undefined;
		const { rows } = await this.list(this.request(offers.list as Route)).catch(() => ({
			rows: [],
		}));
		if (rows.length === 0) return undefined;
		const given = [...path.split(/[/.]/), ...textsIn(body)];
		const valid = nearestFirst(given, rows.map(String));
		const more = valid.length > MAX_OFFERED ? ', …' : '';
		return `${offers.check} The API takes ${valid.slice(0, MAX_OFFERED).join(', ')}${more}.`;
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
		{ signal, isExtra = false, isSkippedTo = false }: PageContext = {},
	): Promise<Fetched> {
		const response = await this.pageResponse(request, signal);
		const takesPages = shape.kind === 'list' && (shape.paging ?? 'none') !== 'none';
		const isLater = Number(request.query?.page ?? 1) > 1;
		const isRefusal = response.says === 'refusal';
		const isEnd =
			response.says === 'absent' ||
			(isExtra && isPerhapsAbsent(response)) ||
			((isExtra || !takesPages) && isRefusal);
		if (isLater && isEnd) return { body: undefined, rows: [] };
		const isPerhapsEnd =
			isPerhapsAbsent(response) ||
			(isExtra && response.status >= 500) ||
			(isSkippedTo && isRefusal);
		if (isLater && isPerhapsEnd) {
			const { status, message = `HTTP ${status}` } = response;
			const refused = shown(message, this.secrets);
			return { body: undefined, rows: [], refused };
		}
		const { body } = this.accepted(response);
		const rows = rowsOf(body, shape, isLater);
		if (rows === undefined) throw this.unreadable(response);
		// A list may be empty, but not the result of a write.
		if (rows.length === 0 && !onlyReads(request.route)) throw this.unreadable(response);
		return { body, rows };
	}

	/** The response to a request for a page, with the service's own size where it refuses ours. */
	private async pageResponse(request: ApiRequest, signal?: AbortSignal): Promise<ApiResponse> {
		const { route } = request;
		const { size, ...query } = request.query ?? {};
		const endpoint = endpointOf(route);
		const { takesSize } = this.shared;
		const mayRefuse = endpoint.kind === 'list' && endpoint.maxSize === undefined;
		if (size === undefined || !mayRefuse || takesSize.get(route) === true) {
			return await this.ask(request, signal);
		}
		if (takesSize.get(route) === undefined) {
			const response = await this.ask(request, signal);
			if (response.says === 'success') takesSize.set(route, true);
			if (response.says !== 'refusal') return response;
		}
		const response = await this.ask({ ...request, query }, signal);
		if (response.says === 'success') takesSize.set(route, false);
		return response;
	}
}
