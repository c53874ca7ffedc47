// The API for one item or one call of a hook, poll or picker: requests, and lists with their pages.
import type { IDataObject, NodeApiError } from 'n8n-workflow';

import type { ApiRequest } from '../base/apiRequest';
import { getAt, isRecord } from '../base/data';
import type { ApiDefinition, Paging, Place, Route, Shape } from '../base/definition';
import { lastId, requestTo } from '../base/path';
import type { Parallel } from '../base/pool';
import type { DryRun } from './http/dryRunMode';
import { dryRecord, simulatedResponse } from './http/dryRun';
import type { ErrorContext } from './http/errorContext';
import { requestError } from './http/errors';
import { isPage, lackIn } from './http/exchange';
import { isNoRecord } from './http/nextStep';
import type { ApiResponse, Outcome } from './http/outcome';
import type { Secrets } from './http/redact';
import type { Transport } from './http/transport';
import type { Writes } from './http/writes';
import type { ListFacts } from './list/listState';
import { Search, type Matching } from './list/matching';
import type { ReadAhead } from './list/ahead';
import { endAt } from './list/end';
import type { FetchPage, Keep, List, PageRequest, Part } from './list/page';
import { PageReader } from './list/pages';
import { listShape, pagingRules, rowsOf, type ListShape } from './list/rows';
import { SharedLists } from './list/shared';
import type { Steps, Values, Wanted } from './steps';
import type { Locked } from '../base/locks';

/** A file name must not lead to another folder. */
const fileNameOf = (header: unknown) =>
	/filename="?([^";]+)"?/i.exec(String(header))?.[1].split(/[/\\]/).at(-1)?.trim() || undefined;

const startOf = (data: Buffer) => data.subarray(0, 100).toString().trimStart();

function otherFile(data: Buffer, { fileName }: Extract<Shape, { kind: 'binary' }>): string {
	if (data.length === 0) return 'an empty file';
	if (isPage(startOf(data))) return 'HTML instead of a file';
	return `a file that isn't a ${fileName.replace(/.*\./, '').toUpperCase()}`;
}

const NO_FILE = 'The API may have no file of this record yet. Try again later.';

/** The body for a write that has none (204), or whose response was lost. For a deletion, what its endpoint documents. */
function defaultBody(request: ApiRequest): IDataObject {
	const { endpoint } = request;
	return endpoint.kind === 'one' && endpoint.gone ? endpoint.gone(lastId(request)) : {};
}

const PERHAPS_GONE =
	'An earlier attempt failed, and the last one found nothing. If the ID is wrong, there was nothing to delete.';

export interface ListOptions extends Part {
	/** Location of the rows in the body, by default the endpoint's. */
	shape?: ListShape;
	onPage?: (rows: unknown[], body: unknown, place: Place) => unknown[];
}

type SizeSupport = 'unknown' | 'taken' | 'rejected';

export interface Shared {
	readonly definition: ApiDefinition;
	readonly made: Map<string, string>;
	readonly touched: Set<string>;
	readonly known: Map<string, IDataObject>;
	/** Only an execution has values. */
	values?: Values;
	ahead?: ReadAhead;
	/** Lists that are documented to take a page size aren't noted. */
	readonly sizeSupport: Map<Route, SizeSupport>;
	readonly parallel: Parallel;
	/** Cache of lists that several items read. Undefined if each item reads its own. */
	lists?: SharedLists;
}

export class Api implements Steps {
	warning?: string;

	/** Sum of the amounts of the item in a dry run, if it's known. */
	amount?: string;

	readonly writes: Writes;

	readonly outputSecrets: Secrets;

	constructor(
		private readonly transport: Transport,
		private readonly context: ErrorContext & { outputSecrets: Secrets },
		readonly dryRun: DryRun | undefined,
		private readonly shared: Shared,
	) {
		this.writes = transport.writes;
		this.outputSecrets = context.outputSecrets;
	}

	readonly request: Steps['request'] = (route, ids, content) =>
		requestTo(this.shared.definition.endpoint(route), ids, content);

	get made(): Map<string, string> {
		return this.shared.made;
	}

	get touched(): Set<string> {
		return this.shared.touched;
	}

	get known(): Map<string, IDataObject> {
		return this.shared.known;
	}

	get values(): Values {
		if (!this.shared.values) throw new Error("n8n's store isn't there, so nothing was sent.");
		return this.shared.values;
	}

	async ahead(request: ApiRequest, wanted: Wanted): Promise<IDataObject[]> {
		const { ahead, parallel } = this.shared;
		if (!ahead) return [];
		const open = (keep: Keep) => this.open(request, { keep });
		return await ahead.rowsWith(wanted, open, parallel);
	}

	async wait(milliseconds: number): Promise<void> {
		await this.transport.wait(milliseconds);
	}

	get moment(): number {
		return this.transport.locks.moment;
	}

	async withLock<T>(key: string, task: Locked<T>): Promise<T> {
		return await this.transport.withLock(key, task);
	}

	open(
		request: ApiRequest,
		{ shape = listShape(request.endpoint), onPage, ...part }: ListOptions = {},
		bookmark?: string,
	): PageReader {
		const fetch = this.pagesOf(request, shape, onPage);
		return new PageReader(this.factsOf(request, shape), fetch, part, bookmark);
	}

	async list(request: ApiRequest, options: ListOptions = {}): Promise<List> {
		const api = this.apiForList(request);
		const read = async () => await api.open(request, options).readAll(this.shared.parallel);
		return await this.sharedBy(request, [options.limit, options.skip], read);
	}

	async matching(
		request: ApiRequest,
		wanted: Wanted,
		{ shape = listShape(request.endpoint), onPage, ...part }: ListOptions = {},
	): Promise<Matching> {
		const fetch = this.apiForList(request).pagesOf(request, shape, onPage);
		// Items that share the list want other rows, so all are kept. Each item requests the pages that the list lacks.
		const keepOnly = this.shared.lists ? undefined : wanted.matches;
		const open = () => new Search(this.factsOf(request, shape), fetch, keepOnly);
		// A search has one index.
		const search = await this.sharedBy(request, ['search', wanted.exact?.name], open);
		return await search.find(part, wanted, fetch, this.shared.parallel);
	}

	/** The items of this door share lists from now on. `again` reads all of them anew. */
	async find(request: ApiRequest, wanted: Wanted, again = false): Promise<Matching> {
		if (again) this.shared.lists = undefined;
		this.shared.lists ??= new SharedLists();
		return await this.matching(request, wanted);
	}

	/** The lists that items share, if this request is one of them. Not for a POST, whose body may differ. */
	private listsFor({ endpoint }: ApiRequest): SharedLists | undefined {
		return endpoint.method === 'GET' ? this.shared.lists : undefined;
	}

	/** The errors of a list that items share name no item. */
	private apiForList(request: ApiRequest): Api {
		if (!this.listsFor(request)) return this;
		const context = { ...this.context, itemIndex: undefined };
		return new Api(this.transport, context, this.dryRun, this.shared);
	}

	/** Reads once for all items with the same request. `more` tells two reads apart, too. */
	private async sharedBy<T>(
		request: ApiRequest,
		more: unknown[],
		read: () => T | Promise<T>,
	): Promise<T> {
		const lists = this.listsFor(request);
		if (!lists) return await read();
		return await lists.get(JSON.stringify([request.path, request.query, ...more]), read);
	}

	private factsOf({ endpoint }: ApiRequest, shape: ListShape): ListFacts {
		return { shape, rules: endpoint.api.lists };
	}

	/** A page after the end has no rows (`endAt`). */
	private pagesOf(request: ApiRequest, shape: ListShape, onPage: ListOptions['onPage']): FetchPage {
		const rules = request.endpoint.api.lists;
		const { query, announcedIn } = pagingRules(shape, rules);
		return async (place, context) => {
			const response = await this.pageResponse(request, place, query, context);
			// A token is the word of the API that there is a page.
			const token = typeof place === 'string' ? place : undefined;
			const isLater = place !== 1;
			const mayEnd = isLater && token === undefined;
			const end = mayEnd ? endAt(response, shape, context, this.context.secrets) : undefined;
			if (end) return end;
			const { body } = this.requireSuccess(response);
			const rows = rowsOf(body, shape, rules, isLater);
			// The result of a write can't be an empty list.
			const isMissing = rows?.length === 0 && !request.endpoint.onlyReads;
			if (!rows || isMissing) throw this.unreadable(response);
			const announced = isRecord(body) ? announcedIn(body) : {};
			return { ...announced, token, rows: onPage ? onPage(rows, body, place) : rows };
		};
	}

	/**
	 * The response may be an error. Pages may be small, so a size is asked for even where none is documented. If the API rejects
	 * the size, the page is asked for without a size, and `sizeSupport` remembers which way works.
	 */
	private async pageResponse(
		request: ApiRequest,
		place: Place,
		queryFor: Paging['query'],
		{ size, signal }: PageRequest,
	): Promise<ApiResponse> {
		const { endpoint } = request;
		const askPage = async (each: Place, withSize: number | undefined) => {
			const query = { ...request.query, ...queryFor(each, withSize) };
			// A list that isn't documented to have pages is first asked as it is.
			const isPlain = size === undefined && each === 1;
			return await this.ask(isPlain ? request : { ...request, query }, signal);
		};
		const isDocumented = endpoint.kind !== 'list' || endpoint.maxSize !== undefined;
		if (size === undefined || isDocumented) return await askPage(place, size);
		const { sizeSupport } = this.shared;
		const support = sizeSupport.get(endpoint.route) ?? 'unknown';
		if (support === 'taken') return await askPage(place, size);
		if (support === 'unknown') {
			const response = await askPage(place, size);
			const { says } = response;
			// If page 1 with the same size succeeds, the service has rejected the page, not the size.
			const isOfPage =
				says === 'rejected' && place !== 1 && (await askPage(1, size)).says === 'success';
			const isTaken = says === 'success' || isOfPage;
			if (isTaken) sizeSupport.set(endpoint.route, 'taken');
			if (isTaken || says !== 'rejected') return response;
		}
		const response = await askPage(place, undefined);
		if (response.says === 'success') sizeSupport.set(endpoint.route, 'rejected');
		return response;
	}

	/** The object of a response, unwrapped if the shape says so. Throws NodeApiError also if documented fields are missing. */
	async object(request: ApiRequest, shape: Shape = request.endpoint): Promise<unknown> {
		const response = await this.askForSuccess(request);
		const { body } = response;
		const { untyped, unwrap, name } = shape.kind === 'one' ? shape : {};
		if (untyped) return this.anyBody(response, untyped === 'applied');
		if (!isRecord(body) || isNoRecord(response)) throw this.unreadable(response);
		this.verify(response, shape);
		const key = unwrap ?? name;
		const inner = key && body[key];
		return isRecord(inner) ? inner : body;
	}

	/** @throws NodeApiError for a response that lacks what the reference documents, so it isn't known what was done */
	private verify(response: ApiResponse, shape: Shape): void {
		const { attempts, body, status, endpoint } = response;
		// Dry Run has sent nothing, and what isn't known isn't made up.
		if (attempts === 0) return;
		// 204 says that the record is as it was sent, or gone. It can't say what a POST made.
		if (status === 204 && endpoint.method !== 'POST' && endpoint.isRepeatable) return;
		const lack = shape.kind === 'one' ? lackIn(body, shape) : undefined;
		if (lack !== undefined) throw this.unreadable(response, lack);
	}

	/** The result where the reference doesn't show it: any JSON but `false`. Text may be that of a proxy, even with 200. */
	private anyBody(response: ApiResponse, takesText: boolean): unknown {
		const { body } = response;
		if (body === undefined || body === null || body === '') return {};
		const isText = typeof body === 'string';
		// JSON that was cut off, or a web page.
		const isNoResult = isText && /^\s*[<{[]/.test(body);
		if (body === false || isNoResult || (isText && !takesText)) throw this.unreadable(response);
		return isText ? { response: body } : body;
	}

	/** `fileName` is the name from the API, if there is one. Throws NodeApiError also for anything but the documented file. */
	async file(
		request: ApiRequest,
		shape: Extract<Shape, { kind: 'binary' }>,
	): Promise<{ data: Buffer; fileName?: string }> {
		const response = await this.askForSuccess(request);
		const data = this.bytesOf(response, shape);
		// A page of a proxy, or an error, whatever its label says.
		if (!startOf(data).startsWith(shape.begins)) {
			// If the file came in JSON of the API, Base URL is right.
			const advice = shape.base64 === undefined ? undefined : NO_FILE;
			throw this.unreadable(response, otherFile(data, shape), advice);
		}
		return { data, fileName: fileNameOf(response.headers['content-disposition']) };
	}

	/** A file in Base64 may be a data URI. */
	private bytesOf(response: ApiResponse, { base64 }: Extract<Shape, { kind: 'binary' }>): Buffer {
		const { body } = response;
		if (base64 === undefined) return Buffer.from(body as Uint8Array);
		const text = getAt(body, base64);
		if (typeof text !== 'string') throw this.unreadable(response);
		return Buffer.from(text.replace(/^data:[^,]*,/, ''), 'base64');
	}

	dryRecord(list: ApiRequest, id: string): IDataObject | undefined {
		const record = dryRecord(list, id, this.dryRun);
		if (record) this.writes.held.push(list);
		return record;
	}

	async send(request: ApiRequest): Promise<unknown> {
		return this.accept(await this.ask(request));
	}

	accept(response: ApiResponse, advice?: string): unknown {
		const { body } = this.requireSuccess(response, advice);
		if (!isRecord(body) && !Array.isArray(body)) throw this.unreadable(response);
		this.verify(response, response.endpoint);
		return body;
	}

	/** Sends a request, or simulates it if Dry Run holds it back. The response may be an error. Throws without a response. */
	async ask(request: ApiRequest, signal?: AbortSignal): Promise<ApiResponse> {
		this.writes.begin(request);
		const simulated = simulatedResponse(request, this.dryRun, this.outputSecrets, this.amount);
		if (simulated) this.writes.held.push(request);
		const outcome = simulated ?? (await this.transport.send(request, signal));
		if (outcome.failure !== undefined) throw this.errorOf(outcome);
		// Only a write may respond without a body.
		const hasNoBody = outcome.status === 204 && !request.endpoint.onlyReads;
		return hasNoBody ? { ...outcome, body: defaultBody(request) } : outcome;
	}

	/** Notes a success in `writes` if the request must not be repeated. Throws NodeApiError for any other response. */
	private requireSuccess(response: ApiResponse, advice?: string): ApiResponse {
		if (response.says !== 'success') throw this.errorOf(response, advice);
		this.writes.isApplied ||= !response.endpoint.isRepeatable;
		return response;
	}

	/** The error for a success that isn't as documented, as `came` says. A write that must not be repeated is then in doubt. */
	private unreadable(response: ApiResponse, came?: string, advice?: string): NodeApiError {
		response.inDoubt ||= !response.endpoint.isRepeatable;
		return this.errorOf({ ...response, came }, advice);
	}

	/** A DELETE that finds nothing has succeeded, with a warning, if an earlier attempt may have done it. Throws NodeApiError. */
	private async askForSuccess(request: ApiRequest): Promise<ApiResponse> {
		const response = await this.ask(request);
		const isDeletion = request.endpoint.method === 'DELETE';
		const isAbsent = response.says === 'absent';
		if (isDeletion && isAbsent && (response.doubtfulAttempts > 0 || this.context.lostResponse)) {
			this.warning = PERHAPS_GONE;
			return { ...response, status: 204, body: { ...defaultBody(request), warning: PERHAPS_GONE } };
		}
		return this.requireSuccess(response);
	}

	/** Notes in `writes` what the final failure of a request means for the item. */
	private errorOf(outcome: Outcome, advice?: string): NodeApiError {
		this.writes.failed(outcome);
		return requestError(outcome, this.context, advice);
	}
}
