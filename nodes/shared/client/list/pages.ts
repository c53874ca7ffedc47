// One list request -> all its rows, or a part of them: the rules of paging.
import { Collector, printOf } from './collector';
import { isRecord, numberOf, type ApiRequest } from '../../operation';
import { inPool } from '../../pool';
import { keyOf, type ListShape } from './rows';

/** Largest page that the reference allows (core, Limits). */
export const PAGE_SIZE = 100;

/** Rows of a full page, by default or at most (core, Limits): a list that has as many may be cut. */
const FULL_PAGES = [50, PAGE_SIZE];

/** Further usual sizes, where a list is documented to have pages. */
const USUAL_PAGES = [10, 20, 25, ...FULL_PAGES];

/** A page of fewer rows is small. */
const SMALL_PAGE = 10;

/** Pages past all that a list announced at first, and those of them with few new rows. */
const MAX_EXTRA_PAGES = 1000;
const MAX_SMALL_PAGES = 50;

/** Announced pages in a row that bring nothing new, before the others are taken for the same. */
const MAX_REPEATED_PAGES = 3;

/** What the reading of a list gives: the rows, and what the user must know about their completeness. */
export interface List {
	rows: unknown[];
	warning?: string;
	/** How many rows come after those, as far as it's known. */
	left: number;
	/** Whether there may be more than that. */
	mayHaveMore: boolean;
	/** Rows left out since an earlier page had them, where other rows came after them. */
	overlapping: number;
}

/** One page. */
export interface Fetched {
	/** Undefined for a page behind the end. */
	body: unknown;
	rows: unknown[];
	/** Why the API didn't return the page, where that may not be the end. */
	refused?: string;
}

/** What a page is asked for. */
export interface PageContext {
	/** Is aborted when another page has failed, so that this one isn't sent. */
	wanted?: AbortSignal;
	/** Whether it lies behind all that the list announced, so that its refusal is the end. */
	isExtra?: boolean;
	/** Whether it may lie behind the end, of which nothing is known yet. */
	isSkippedTo?: boolean;
}

/** Sends the request for one page, or throws. */
export type FetchPage = (request: ApiRequest, context: PageContext) => Promise<Fetched>;

interface Page {
	rows: unknown[];
	refused?: string;
	/** Total of rows, rows of a full page, and number of the last page, as the page announces them. */
	count?: number;
	perPage?: number;
	last?: number;
}

function wholeNumber(value: unknown): number | undefined {
	const number = numberOf(value);
	return number !== undefined && Number.isInteger(number) && number >= 0 ? number : undefined;
}

/** What a page says of the list, from whichever part of the envelope it has (core, Common list envelope). */
function pageOf({ body, rows, refused }: Fetched): Page {
	if (!isRecord(body)) return { rows, refused };
	const last = isRecord(body.pages) ? wholeNumber(body.pages.max) : undefined;
	return { rows, count: wholeNumber(body.count), perPage: wholeNumber(body.per_page), last };
}

/** Rows of a page to ask for, where so many rows are read. */
const sizeFor = (rows: number) => Math.min(rows, PAGE_SIZE);

/** How a list is asked for its pages; `whole` ones are never asked for a second. */
function pagingOf(shape: ListShape): 'paged' | 'announced' | 'none' | 'whole' {
	if (shape.kind !== 'map' && shape.whole) return 'whole';
	return (shape.kind === 'list' && shape.paging) || 'none';
}

/** Which part of a list is read, and what is kept of it. */
export interface Part {
	/** Rows wanted, Infinity for all. */
	limit?: number;
	/** Rows to leave out at the start; of `paged` lists only. */
	skip?: number;
	/** Makes of a row what is kept of it. */
	keep?: (row: unknown) => unknown;
}

/** Where a reader begins. */
interface Bookmark {
	/** The last page that was read, or left out. */
	page: number;
	/** Rows up to there. */
	rows: number;
	/** Rows of a full page, as far as it's known. */
	pageSize: number;
	/** Whether the next page lies behind all that the list announced. */
	isExtra: boolean;
	/** What the first and the last page are recognized by. */
	prints: string[];
}

/** The page on which the rows behind the first `skip` begin. */
function bookmarkAt(skip: number, pageSize: number): Bookmark {
	const page = Math.floor(skip / pageSize);
	return { page, rows: page * pageSize, pageSize, isExtra: false, prints: [] };
}

/**
 * Reads a list page after page. A list is read up to all that it announces, by `count` or `pages.max`.
 * Both may be wrong, so one more page is asked for whenever the last one is full. A list that announces
 * nothing is read until a page is empty, has nothing new, or is not found; one that is not documented to
 * have pages, only while its pages are full.
 */
export class PageReader {
	/** Pages read by this reader. */
	pages = 0;

	private readonly paging: ReturnType<typeof pagingOf>;

	private readonly collector: Collector;

	/** Pages that were fetched to find where the rows begin. */
	private readonly fetched = new Map<number, Page>();

	private pageSize: number;

	/** Rows left out at the start, and rows of the list up to the last one that is wanted. */
	private readonly skip: number;

	private readonly end: number;

	private first: Page = { rows: [] };

	private newest: Page = { rows: [] };

	private isFull = false;

	/** What the list announces, by its newest page with rows. */
	private count?: number;

	private last?: number;

	/** Whether a page has announced anything, right or wrong. */
	private hasTold = false;

	/** The total, and the pages, that it announced at first. */
	private firstCount?: number;

	private firstLast = 0;

	/** The first of the newest pages that brought nothing new. */
	private nothingSince?: number;

	private overlapping = 0;

	private shrank = false;

	/** Pages past all that was announced at first, and those with few new rows. */
	private extraPages = 0;

	private smallPages = 0;

	private ended = false;

	private constructor(
		private readonly request: ApiRequest,
		private readonly shape: ListShape,
		private readonly fetch: FetchPage,
		private readonly part: Part,
		private readonly start: Bookmark,
	) {
		const { limit = Infinity, skip = 0, keep } = part;
		this.paging = pagingOf(shape);
		this.skip = skip;
		this.end = skip + limit;
		// Where no size is asked for, the first page shows it.
		this.pageSize = this.paging === 'paged' || start.page > 0 ? start.pageSize : Infinity;
		this.collector = new Collector(keyOf(shape), start.prints, keep);
	}

	/** Reads a part of a list. */
	static of(request: ApiRequest, shape: ListShape, fetch: FetchPage, part: Part): PageReader {
		const { limit = Infinity, skip = 0 } = part;
		const start = bookmarkAt(skip, sizeFor(skip + limit));
		return new PageReader(request, shape, fetch, part, start);
	}

	/** Reads on where another reader of the list stopped; from the start if the bookmark is empty. */
	static from(request: ApiRequest, shape: ListShape, fetch: FetchPage, bookmark = ''): PageReader {
		const [page, rows, pageSize, extra, ...prints] = bookmark.split(' ');
		const start = bookmarkAt(0, PAGE_SIZE);
		if (Number(page) > 0) {
			Object.assign(start, {
				page: Number(page),
				rows: Number(rows) || 0,
				pageSize: Number(pageSize) || 1,
				isExtra: extra === '1',
				prints,
			});
		}
		return new PageReader(request, shape, fetch, {}, start);
	}

	/** The rows that this reader has read so far, in order. */
	get rows(): unknown[] {
		return this.collector.rows;
	}

	/** Where this reader stands, for another one. */
	get bookmark(): string {
		const firstPrint = this.start.prints[0] ?? printOf(this.first.rows);
		const prints = [firstPrint, printOf(this.newest.rows)];
		return [this.number, this.total, this.pageSize, Number(this.isExtra), ...prints].join(' ');
	}

	/**
	 * Where another one should go on later: with the last page again, since rows that go meanwhile move
	 * others to it.
	 */
	get later(): string {
		const [firstPrint] = this.bookmark.split(' ').slice(4);
		const rows = Math.max(0, this.total - this.newest.rows.length);
		return [this.number - 1, rows, this.pageSize, 0, firstPrint].join(' ');
	}

	/** Whether there is nothing more to read, or to want. */
	get done(): boolean {
		return this.ended || (this.pages > 0 && (this.total >= this.end || this.isRead));
	}

	/** Whether there is nothing more to read. */
	private get isRead(): boolean {
		if (this.ended || this.paging === 'whole') return true;
		if (this.announcesMore) return false;
		return !this.isFull && (this.paging === 'none' || this.isAnnounced);
	}

	private get announcesMore(): boolean {
		return this.total < (this.count ?? 0) || this.number < (this.last ?? 0);
	}

	/** Whether the next page lies behind all that the list announced. */
	private get isExtra(): boolean {
		if (this.pages === 0) return this.start.isExtra;
		return this.hasTold && !this.announcesMore;
	}

	private get isAnnounced(): boolean {
		return this.count !== undefined || this.last !== undefined;
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
		const { number, ahead, isExtra } = this;
		// Pages arrive in any order.
		const arrived = new Map<number, Page>();
		const takeInOrder = () => {
			for (let page = arrived.get(this.number + 1); page; page = arrived.get(this.number + 1)) {
				arrived.delete(this.number + 1);
				this.take(page);
			}
		};
		await inPool(Math.max(1, Math.min(maxPages, ahead)), parallel, async (index, wanted) => {
			const page = await this.pageAt(number + 1 + index, fetch, { wanted, isExtra });
			arrived.set(number + 1 + index, page);
			takeInOrder();
			return page.rows.length > 0 && !this.ended;
		});
		this.ended ||= this.nothingSince !== undefined;
	}

	/**
	 * The reader for the rows behind those that Skip leaves out. Pages may be of another size than asked
	 * for, which the first page shows. And a service may send its last page for all behind it: a page that
	 * isn't announced is compared with the one before.
	 */
	async placed(): Promise<PageReader> {
		const { page, rows: before, pageSize } = this.start;
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
				const start = bookmarkAt(this.skip, size);
				return await new PageReader(request, shape, fetch, part, start).placed();
			}
		}
		if (rows.length > 0 && (count ?? 0) <= before && last <= page) {
			const compared = new Collector(keyOf(this.shape));
			compared.add((await this.lookAt(page)).rows);
			this.ended = compared.add(rows) === 0;
		}
		return this;
	}

	/** The rows that are wanted, and what the user must know of them. */
	list(): List {
		const { rows: all, end, skip, start, overlapping, count, isRead, total } = this;
		const from = skip - start.rows;
		const isWhole = from === 0 && start.rows + all.length <= end;
		const rows = isWhole ? all : all.slice(from, end - start.rows);
		const known = isRead ? total : Math.max(total, count ?? 0);
		const left = Math.max(0, known - skip - rows.length);
		const mayHaveMore = !isRead && count === undefined;
		return { rows, left, mayHaveMore, overlapping, warning: this.warning(rows.length) };
	}

	/** Number of the newest page. */
	private get number(): number {
		return this.start.page + this.pages;
	}

	private get total(): number {
		return this.start.rows + this.rows.length;
	}

	/** Announced pages that are still to be read and needed. */
	private get ahead(): number {
		const { count, last = 0, total, number, pageSize, end } = this;
		// The first page shows the size; the second, whether a list has pages that isn't documented to.
		if (number < (this.paging === 'none' ? 2 : 1)) return 0;
		const announced =
			count === undefined ? last - number : Math.ceil(Math.max(0, count - total) / pageSize);
		return Math.min(announced, Math.ceil((end - total) / pageSize));
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
		if (this.paging === 'paged') {
			Object.assign(query, { size: sizeFor(this.end), page: number });
		} else if (number > 1) query.page = number;
		return pageOf(await fetch({ ...this.request, query }, context));
	}

	/** Takes the next page. */
	private take(page: Page): void {
		this.pages++;
		const { length } = page.rows;
		if (this.pages === 1) this.first = page;
		this.newest = page;
		const added = this.collector.add(page.rows);
		if (added > 0) {
			this.nothingSince = undefined;
			this.overlapping = this.collector.repeated;
		} else {
			this.nothingSince ??= this.number;
		}
		this.isFull = this.isFullPage(page);
		if (this.number === 1) this.pageSize = Math.max(1, length);
		// The count of an empty page past the end may be its own, not that of the list.
		if (length > 0 || this.pages === 1) this.learn(page);
		if (this.number > this.firstLast) {
			this.extraPages++;
			if (added < SMALL_PAGE) this.smallPages++;
		}
		const repeated = this.number + 1 - (this.nothingSince ?? Infinity);
		this.ended ||= length === 0 || repeated >= MAX_REPEATED_PAGES || this.isEndless;
	}

	/** Whether another page may follow, by the size that was asked for, announced, shown before, or usual. */
	private isFullPage({ rows: { length }, perPage, last }: Page): boolean {
		if (length === 0) return false;
		if (length === perPage || length >= this.pageSize) return true;
		const usual = this.paging === 'none' ? FULL_PAGES : USUAL_PAGES;
		return this.number === 1 && last === undefined && usual.includes(length);
	}

	private learn({ count, last = this.last }: Page): void {
		this.last = last;
		this.hasTold ||= count !== undefined || last !== undefined;
		// What is below the rows that came is no total.
		if (count !== undefined && count >= this.total) {
			this.shrank ||= count < (this.count ?? 0);
			this.count = count;
		}
		if (this.pages > 1) return;
		this.firstCount = this.count;
		this.firstLast = Math.max(last ?? 0, Math.ceil((this.count ?? 0) / this.pageSize));
	}

	/** Whether pages keep coming past all that was announced at first. */
	private get isEndless(): boolean {
		return this.extraPages > MAX_EXTRA_PAGES || this.smallPages > MAX_SMALL_PAGES;
	}

	/** Whether the API answers each page with the first one, and announces nothing. */
	private get isOnePage(): boolean {
		const { first, newest, number } = this;
		if (this.isAnnounced || number !== 2 || first.rows.length < SMALL_PAGE) return false;
		return newest !== first && printOf(newest.rows) === printOf(first.rows);
	}

	/** What the user must know of `delivered` rows. */
	private warning(delivered: number): string | undefined {
		const { count, last = 0, end, skip, collector, overlapping, nothingSince = Infinity } = this;
		const duplicates = (rows: number) => `${rows} duplicate rows were left out.`;
		if (delivered < end - skip) {
			if (this.isEndless) {
				return (count ?? 0) > (this.firstCount ?? Infinity)
					? `The list kept growing while it was read, so reading stopped after ${delivered} rows.`
					: `The API doesn't say where the list ends, and pages kept coming. Reading stopped after ${delivered} rows, so rows may be missing or repeated.`;
			}
			if (delivered < (count ?? 0) - skip) {
				const behind = skip > 0 ? ` after the first ${skip}` : '';
				const missing = `The API announced ${count} rows but returned ${delivered}${behind}.`;
				return collector.repeated > 0 ? `${missing} ${duplicates(collector.repeated)}` : missing;
			}
			// An announced last page may be empty, where others are full; an empty page before it means that rows are missing.
			const isCut = nothingSince < last || (nothingSince === last && this.newest.rows.length > 0);
			if (count === undefined && isCut) {
				return `The API announced ${last} pages, but page ${nothingSince} had nothing new. Rows may be missing.`;
			}
			const { refused } = this.newest;
			if (refused !== undefined) {
				return `Page ${this.number} wasn't returned (${refused}). Rows may be missing.`;
			}
			if (this.isOnePage) {
				return `Page 2 was the same as page 1, and the API doesn't say how many rows there are. If there are more than ${delivered}, they are missing.`;
			}
			if (this.shrank) {
				return 'The list got shorter while it was read, so rows may be missing. Run it again.';
			}
		}
		if (overlapping > 0) return duplicates(overlapping);
		return collector.changed > 0
			? `${collector.changed} rows have the same ID as an earlier row but different content. The output has both.`
			: undefined;
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
	const reader = await PageReader.of(request, shape, fetch, part).placed();
	// The first page may say how many there are. Announced pages follow side by side, others one by one.
	while (!reader.done) await reader.read(reader.pages === 0 ? 1 : Infinity, parallel);
	return reader.list();
}
