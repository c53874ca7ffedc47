// One list request -> all its rows, or a part of them. What holds, whatever the API returns:
// 1. No row is lost or doubled in silence: rows come once, or a warning says so.
// 2. Reading ends: at an empty page, after pages with nothing new, or after a fixed number of extra pages.
// 3. Announced totals may be wrong: a full last page is followed by one more request.
// 4. A page that is refused behind the end is the end; before it, it is an error or a warning.
// 5. Skip begins at the right row, also where pages are of another size than asked for.
// 6. A bookmark goes on where a reader stopped, without its rows (the polling trigger, pickers).
// 7. Equal rows with one ID come once; rows with one ID and different content are all kept.
// 8. Items of one execution that ask for the same list share its pages.
// Small lists (under 10 rows) that return the same rows for each page give no warning.
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

/** Rows of a page to ask for, where so many rows are read. */
const sizeFor = (rows: number) => Math.min(rows, PAGE_SIZE);

/** The page on which the rows behind the first `skip` begin. */
function startAt(skip: number, pageSize: number): Start {
	const page = Math.floor(skip / pageSize);
	return { page, rows: page * pageSize, pageSize, isExtra: false, prints: [] };
}

/** Reads a list page after page. */
export class PageReader {
	private readonly state: ListState;

	/** Pages that were fetched to find where the rows begin. */
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

	/** Reads a part of a list. */
	static of(request: ApiRequest, shape: ListShape, fetch: FetchPage, part: Part): PageReader {
		const { limit = Infinity, skip = 0 } = part;
		return new PageReader(request, shape, fetch, part, startAt(skip, sizeFor(skip + limit)));
	}

	/** Reads on where another reader of the list stopped; from the start if the bookmark is empty. */
	static from(request: ApiRequest, shape: ListShape, fetch: FetchPage, bookmark = ''): PageReader {
		const start = bookmark === '' ? startAt(0, PAGE_SIZE) : (JSON.parse(bookmark) as Start);
		return new PageReader(request, shape, fetch, {}, start);
	}

	/** The rows that this reader has read so far, in order. */
	get rows(): unknown[] {
		return this.state.collector.rows;
	}

	/** Pages read by this reader. */
	get pages(): number {
		return this.state.pages;
	}

	/** Whether there is nothing more to read, or to want. */
	get done(): boolean {
		return this.state.done;
	}

	/** Where this reader stands, for another one. */
	get bookmark(): string {
		return JSON.stringify(this.state.next);
	}

	/**
	 * Where another one should go on later: with the last page again, since rows that go meanwhile move
	 * others to it.
	 */
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
	 * Reads on: announced pages side by side, else one.
	 * @param maxPages pages to read at most
	 * @param parallel pages in flight at most
	 */
	async read(
		maxPages: number,
		parallel: number | (() => number),
		fetch = this.fetch,
	): Promise<void> {
		const { state } = this;
		const { number, ahead, isExtra } = state;
		// Pages arrive in any order.
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
	 * The reader for the rows behind those that Skip leaves out. Pages may be of another size than asked
	 * for, which the first page shows. And a service may send its last page for all behind it: a page that
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

	/** The rows that are wanted, and what the user must know of them. */
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

	/** Fetches a page before the reading begins. */
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

/**
 * Reads a list. A page that comes again, rows that are missing and a list that changes while it is
 * read end the reading with a warning, never with an endless loop.
 * @param parallel pages in flight at most
 */
export async function readList(
	request: ApiRequest,
	shape: ListShape,
	part: Part,
	fetch: FetchPage,
	parallel: number | (() => number),
): Promise<List> {
	const reader = await PageReader.of(request, shape, fetch, part).skipped();
	// The first page may say how many there are. Announced pages follow side by side, others one by one.
	while (!reader.done) await reader.read(reader.pages === 0 ? 1 : Infinity, parallel);
	return reader.list();
}
