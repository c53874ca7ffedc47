// The API for one item or one call of a hook, poll or picker: requests, and lists with their pages.
import { endpointOf, onlyReads, partsOf, type Route } from '../../api/endpoints';
import type { ApiResponse, ApiRequest, Steps, Wanted } from '../form/operation';
import { nearestFirst } from '../base/nearest';
import { requestTo } from '../base/path';
import type { DryRun } from './http/dryRunSetting';
import { isPerhapsAbsent } from './http/response';
import type { ErrorContext } from './http/errorContext';
import { shown } from './http/errors';
import { Requests } from './http/requests';
import type { Transport } from './http/transport';
import { Search, type Matching } from './list/matching';
import {
	pageOf,
	type FetchPage,
	type List,
	type Page,
	type PageContext,
	type Part,
} from './list/page';
import { PageReader } from './list/pages';
import { listShape, pagingOf, rowsOf, type ListShape } from './list/rows';
import { SharedLists } from './list/shared';

export interface ListOptions extends Part {
	/** Location of the rows in the body. Default: that of the endpoint. */
	shape?: ListShape;
	/** Maps the rows of each page as it arrives. */
	onPage?: (rows: unknown[], body: unknown) => unknown[];
}

/** Max valid values that an error names. */
const MAX_OFFERED = 20;

/** True for a page after the first. */
const isLaterPage = ({ query }: ApiRequest) => Number(query?.page ?? 1) > 1;

/** Returns all texts in a value, at any depth. */
const textsIn = (value: unknown): string[] =>
	typeof value === 'string'
		? [value]
		: value !== null && typeof value === 'object'
			? Object.values(value).flatMap(textsIn)
			: [];

/** State that the items of one execution share. */
export class Shared {
	/** The last step of each key. Steps of one key run one after the other. */
	readonly turns = new Map<string, Promise<unknown>>();

	/** IDs of created records, by the key of `inTurn`. */
	readonly made = new Map<string, string>();

	/** True if a list accepts the page size that the nodes ask for. */
	readonly takesSize = new Map<Route, boolean>();

	/** Cache of lists that several items read. Undefined if each item reads its own. */
	lists?: SharedLists;
}

export class Api extends Requests implements Steps {
	readonly request = requestTo;

	/** @param parallel max pages of a list in flight */
	constructor(
		transport: Transport,
		context: ErrorContext,
		dryRun: DryRun | undefined,
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

	/** Reads the pages of a list that are needed. Items that share lists get the same rows. */
	async list(
		request: ApiRequest,
		{ shape = listShape(endpointOf(request.route)), onPage, ...part }: ListOptions = {},
	): Promise<List> {
		const reader = new PageReader(request, shape, this.pagesFor(shape, onPage), part);
		const read = async () => await reader.readAll(this.parallel);
		return await this.sharedBy(request, [part.limit, part.skip], read);
	}

	/** Searches the pages of a list until there are enough matching rows. */
	async matching(
		request: ApiRequest,
		wanted: Wanted,
		{ shape = listShape(endpointOf(request.route)), onPage, ...part }: ListOptions = {},
	): Promise<Matching> {
		const fetch = this.pagesFor(shape, onPage);
		const only = this.shared.lists ? undefined : wanted.matches;
		const open = () => new Search(request, shape, fetch, only);
		const search = await this.sharedBy(request, ['search'], open);
		return await search.find(part, wanted, fetch, this.parallel);
	}

	async find(request: ApiRequest, wanted: Wanted, again = false): Promise<unknown[]> {
		if (again) this.shared.lists = undefined;
		this.shared.lists ??= new SharedLists();
		return (await this.matching(request, wanted)).rows;
	}

	/** After the refusal of a value that isn't offered: the valid values, nearest first. */
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

	/** Reads once for all items with the same request. Not for a POST, whose body may differ. */
	private async sharedBy<T>(
		{ route, path, query }: ApiRequest,
		more: unknown[],
		read: () => T | Promise<T>,
	): Promise<T> {
		const { lists } = this.shared;
		if (!lists || partsOf(route).method !== 'GET') return await read();
		return await lists.get(JSON.stringify([path, query, ...more]), read);
	}

	private pagesFor(shape: ListShape, onPage: ListOptions['onPage']): FetchPage {
		return async (each, context) => {
			const page = await this.page(each, shape, context);
			return onPage ? { ...page, rows: onPage(page.rows, page.body) } : page;
		};
	}

	/**
	 * Reads one page of a list. A page after the first is the end of the list (no rows, no body) if it's not
	 * found, or if it's refused and either the list announced no such page or isn't documented to have pages.
	 * If the response isn't clear, the rows before the page are kept, and `refused` becomes a warning.
	 */
	async page(
		request: ApiRequest,
		shape: ListShape,
		{ signal, isExtra = false, isSkippedTo = false }: PageContext = {},
	): Promise<Page> {
		const response = await this.pageResponse(request, signal);
		const isLater = isLaterPage(request);
		const isRefusal = response.says === 'refusal';
		const isEnd =
			response.says === 'absent' ||
			(isExtra && isPerhapsAbsent(response)) ||
			((isExtra || pagingOf(shape) === 'none') && isRefusal);
		if (isLater && isEnd) return { rows: [] };
		const isPerhapsEnd =
			isPerhapsAbsent(response) ||
			(isExtra && response.status >= 500) ||
			(isSkippedTo && isRefusal);
		if (isLater && isPerhapsEnd) {
			const { status, message = `HTTP ${status}` } = response;
			return { rows: [], refused: shown(message, this.secrets) };
		}
		const { body } = this.accepted(response);
		const rows = rowsOf(body, shape, isLater);
		// The result of a write can't be an empty list.
		const isMissing = rows?.length === 0 && !onlyReads(request.route);
		if (!rows || isMissing) throw this.unreadable(response);
		return pageOf({ body, rows });
	}

	/** Requests a page, without `size` if the service refuses it. */
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
			const { says } = response;
			// Either the size or the page is refused, and page 1 shows which.
			const first = { ...request, query: { ...request.query, page: 1 } };
			const takes =
				says === 'success' ||
				(says === 'refusal' &&
					isLaterPage(request) &&
					(await this.ask(first, signal)).says === 'success');
			if (takes) takesSize.set(route, true);
			if (takes || says !== 'refusal') return response;
		}
		const response = await this.ask({ ...request, query }, signal);
		if (response.says === 'success') takesSize.set(route, false);
		return response;
	}
}
