// Reads the pages of a list. Whatever the API returns:
// 1. If a row is missing or duplicate, there's a warning.
// 2. Reading ends, after an empty page, pages with nothing new, or a max of pages.
// 3. Announced totals may be wrong. After a full last page, one more is requested.
// 4. A refused page after the announced end is the end. Before it, it's an error or a warning.
// 5. Skip begins at the right row, although pages may have another size than requested.
// 6. A bookmark continues where a reader stopped, without its rows (polling trigger, pickers).
// Lists of under 10 rows that return the same rows for each page give no warning.
import type { ApiRequest } from '../../operation';
import { inPool } from '../../pool';
import { Collector } from './collector';
import {
	PAGE_SIZE,
	pageOf,
	type FetchPage,
	type List,
	type Page,
	type PageContext,
	type Part,
} from './page';
import { keyOf, type ListShape } from './rows';
import { ListState, type Start } from './listState';
import { warningOf } from './warning';

/** Page size to request for so many rows. */
const sizeFor = (rows: number) => Math.min(rows, PAGE_SIZE);

/** Position of the page with the first row after `skip`. */
function startAt(skip: number, pageSize: number): Start {
	const page = Math.floor(skip / pageSize);
	return { page, rows: page * pageSize, pageSize, isExtra: false, prints: [] };
}

export class PageReader {
	private readonly state: ListState;

	/** Pages that were read early, to find the first row after Skip. */
	private readonly fetched = new Map<number, Page>();

	private constructor(
		private readonly request: ApiRequest,
		private readonly shape: ListShape,
		private readonly fetch: FetchPage,
		private readonly part: Part,
		start: Start,
	) {
		this.state = new ListState(shape, start, part);
	}

	static of(request: ApiRequest, shape: ListShape, fetch: FetchPage, part: Part): PageReader {
		const { limit = Infinity, skip = 0 } = part;
		return new PageReader(request, shape, fetch, part, startAt(skip, sizeFor(skip + limit)));
	}

	/** Continues where another reader stopped, or begins at the start if the bookmark is empty. */
	static from(request: ApiRequest, shape: ListShape, fetch: FetchPage, bookmark = ''): PageReader {
		const start = bookmark === '' ? startAt(0, PAGE_SIZE) : (JSON.parse(bookmark) as Start);
		return new PageReader(request, shape, fetch, {}, start);
	}

	/** Rows read so far. */
	get rows(): unknown[] {
		return this.state.collector.rows;
	}

	/** Number of pages read so far. */
	get pages(): number {
		return this.state.pages;
	}

	/** There are no more rows, or no more are wanted. */
	get done(): boolean {
		return this.state.done;
	}

	/** Position of the next page, for another reader. */
	get bookmark(): string {
		return JSON.stringify(this.state.next);
	}

	/** The same, but the last page is read again. Rows that are deleted meanwhile move others to it. */
	get later(): string {
		const { page, rows, pageSize, prints } = this.state.next;
		const start: Start = {
			page: page - 1,
			rows: Math.max(0, rows - this.state.newest.rows.length),
			pageSize,
			isExtra: false,
			prints: prints.slice(0, 1),
		};
		return JSON.stringify(start);
	}

	/**
	 * Reads the announced pages in parallel, or one page if none are announced.
	 * @param parallel max pages in flight
	 */
	async read(
		maxPages: number,
		parallel: number | (() => number),
		fetch = this.fetch,
	): Promise<void> {
		const { state } = this;
		const { number, ahead, isExtra } = state;
		// Pages arrive in any order and are added in that of the list.
		const arrived = new Map<number, Page>();
		const takeInOrder = () => {
			for (let page = arrived.get(state.number + 1); page; page = arrived.get(state.number + 1)) {
				arrived.delete(state.number + 1);
				state.take(page);
			}
		};
		await inPool(Math.max(1, Math.min(maxPages, ahead)), parallel, async (index, signal) => {
			const page = await this.pageAt(number + 1 + index, fetch, { signal, isExtra });
			arrived.set(number + 1 + index, page);
			takeInOrder();
			return page.rows.length > 0 && !state.isFinished;
		});
		if (state.nothingSince !== undefined) state.isFinished = true;
	}

	/**
	 * Returns a reader that begins at the right page for Skip. Pages may have another size than requested,
	 * which the first page shows. The API may return its last page for any page after it, so a page that
	 * isn't announced is compared with the one before.
	 */
	async skipped(): Promise<PageReader> {
		const { page, rows: before, pageSize } = this.state.start;
		if (page === 0) return this;
		const { rows, count, last = 0, refused } = await this.lookAt(page + 1, { isSkippedTo: true });
		if (refused !== undefined) {
			const first = await this.lookAt(1);
			const isEnd = (first.count ?? Infinity) <= before || (first.last ?? Infinity) <= page;
			if (isEnd) this.fetched.set(page + 1, { rows });
		}
		const isBehind = rows.length === 0 && count !== undefined && count <= before;
		if (rows.length !== pageSize && !isBehind) {
			const size = (await this.lookAt(1)).rows.length;
			if (size > 0 && size !== pageSize) {
				const { request, shape, fetch, part } = this;
				const start = startAt(this.state.skip, size);
				return await new PageReader(request, shape, fetch, part, start).skipped();
			}
		}
		if (rows.length > 0 && (count ?? 0) <= before && last <= page) {
			const compared = new Collector(keyOf(this.shape));
			compared.add((await this.lookAt(page)).rows);
			if (compared.add(rows) === 0) this.state.isFinished = true;
		}
		return this;
	}

	/** Returns the wanted rows. */
	list(): List {
		const { rows: all, state } = this;
		const { start, skip, end, overlapping, count, isRead, total } = state;
		const from = skip - start.rows;
		const isWhole = from === 0 && start.rows + all.length <= end;
		const rows = isWhole ? all : all.slice(from, end - start.rows);
		const known = isRead ? total : Math.max(total, count ?? 0);
		const left = Math.max(0, known - skip - rows.length);
		const mayHaveMore = !isRead && count === undefined;
		const warning = warningOf(state, rows.length);
		return { rows, left, mayHaveMore, overlapping, warning };
	}

	/** Reads a page early. */
	private async lookAt(number: number, context: PageContext = {}): Promise<Page> {
		const page = await this.pageAt(number, this.fetch, context);
		this.fetched.set(number, page);
		return page;
	}

	private async pageAt(number: number, fetch: FetchPage, context: PageContext): Promise<Page> {
		const known = this.fetched.get(number);
		if (known) return known;
		const query = { ...this.request.query };
		if (this.state.paging === 'paged') {
			Object.assign(query, { size: sizeFor(this.state.end), page: number });
		} else if (number > 1) query.page = number;
		return pageOf(await fetch({ ...this.request, query }, context));
	}
}

/** @param parallel max pages in flight */
export async function readList(
	request: ApiRequest,
	shape: ListShape,
	part: Part,
	fetch: FetchPage,
	parallel: number | (() => number),
): Promise<List> {
	const reader = await PageReader.of(request, shape, fetch, part).skipped();
	// The first page may announce the others, which are then read in parallel.
	while (!reader.done) await reader.read(reader.pages === 0 ? 1 : Infinity, parallel);
	return reader.list();
}
