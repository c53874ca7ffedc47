// One list request -> all its rows, or the first `limit` of them.
import { Collector, printOf } from './collector';
import { isRecord, type ApiRequest } from '../../operation';
import { inPool } from '../../pool';
import { keyOf, type ListShape } from './rows';

/** Largest page that the reference allows (core, Limits); where it names no maximum, as many are asked for. */
export const PAGE_SIZE = 100;

/** Pages that are read of a list which keeps growing, past all that it announced at first. */
const MAX_EXTRA_PAGES = 50;

/** Announced pages in a row that bring nothing new, before the others are taken for the same. */
const MAX_REPEATED_PAGES = 3;

/** What the reading of a list gives: the rows, and what the user must know about their completeness. */
export interface List {
	rows: unknown[];
	warning?: string;
	/** How many rows come after those, as far as it's known. */
	left: number;
	/** Whether there may be more than that. */
	open: boolean;
	/** Rows left out since an earlier page had them, where other rows came after them. */
	overlapping: number;
}

/** One page. */
export interface Fetched {
	/** None, if it is behind the end. */
	body: unknown;
	rows: unknown[];
	/** What the API says of a page that it doesn't give, where that may not be the end. */
	refused?: string;
}

/** Sends the request for one page, or throws. One that is over before its turn, since another page failed, is not sent. */
export type FetchPage = (request: ApiRequest, isOver?: () => boolean) => Promise<Fetched>;

interface Page {
	rows: unknown[];
	refused?: string;
	/** Total of rows that the envelope announces. */
	count?: number;
	/** Last page that the envelope announces. */
	last?: number;
}

const wholeNumber = (value: unknown) =>
	typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;

/**
 * What a page says of the list, from whichever part of the envelope it has (core, Common list
 * envelope). `per_page` says nothing: a service may echo what was asked for and send less.
 */
function pageOf({ body, rows, refused }: Fetched): Page {
	if (!isRecord(body)) return { rows, refused };
	const count = wholeNumber(body.count);
	const last = isRecord(body.pages) ? wholeNumber(body.pages.max) : undefined;
	// What is below the rows of one page is no total.
	return { rows, last, count: count !== undefined && count >= rows.length ? count : undefined };
}

/** Rows of a page to ask for, where so many rows are read. */
const sizeFor = (rows: number) => Math.min(rows, PAGE_SIZE);

/** How a list is asked for its pages; `whole` ones are never asked for a second. */
function pagingOf(shape: ListShape): 'paged' | 'announced' | 'none' | 'whole' {
	if (shape.kind !== 'map' && shape.whole) return 'whole';
	return (shape.kind === 'list' && shape.paging) || 'none';
}

/** Rows of a full page, by default or at most (core, Limits): a list that has as many may be cut. */
const FULL_PAGES = [50, PAGE_SIZE];

/** A page of fewer rows is not taken for a full one, of which there may be more. */
const SMALLEST_FULL_PAGE = 10;

/** Which part of a list is read, and what is kept of it. */
export interface Part {
	/** Rows wanted, Infinity for all. */
	limit?: number;
	/** Rows to leave out at the start; of `paged` lists only. */
	skip?: number;
	/** Makes of a row what is kept of it. */
	keep?: (row: unknown) => unknown;
}

/** Where a reader stands, so that another one can go on from there. */
interface Bookmark {
	/** The last page that was read. */
	page: number;
	/** Rows so far. */
	rows: number;
	/** Rows of the first page: a full one if there are more. */
	pageSize: number;
	/** What the first and the last page are recognized by. */
	prints: string[];
}

/** Where the rows behind the first `skip` begin, in pages of that size. */
function bookmarkAt(skip: number, pageSize: number): Bookmark {
	const page = Math.floor(skip / pageSize);
	return { page, rows: page * pageSize, pageSize, prints: [] };
}

function parseBookmark(text: string): Bookmark {
	const [page, rows, pageSize, ...prints] = text.split(' ');
	return {
		page: Number(page) || 0,
		rows: Number(rows) || 0,
		pageSize: Number(pageSize) || 1,
		prints,
	};
}

/**
 * A list, page after page, for whoever wants all of it or a part: the rules of paging are here and
 * nowhere else. Where a list announces its end, by `count` or `pages.max`, it is read up to there;
 * where it does not, until a page is empty, comes again, or is not found. A list that is not
 * documented to have pages is asked for a second one only if it announces more than came, or came
 * with as many rows as a full page has; it may refuse that.
 */
export class PageReader {
	/** Pages read by this reader. */
	pages = 0;

	private readonly paging: ReturnType<typeof pagingOf>;

	private readonly collector: Collector;

	private pageSize: number;

	/** Rows left out at the start, and rows of the list up to the last one that is wanted. */
	private readonly skip: number;

	private readonly end: number;

	private first: Page = { rows: [] };

	private newest: Page = { rows: [] };

	/** What the list announces, by its newest page with rows. */
	private count?: number;

	private last?: number;

	/** The first of the newest pages that brought nothing new. */
	private nothingSince?: number;

	private overlapping = 0;

	private shrank = false;

	/** Pages past all that was announced at first. */
	private extra = 0;

	private ended = false;

	/**
	 * @param part no page is read that it does not need
	 * @param start where to begin
	 */
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
		this.pageSize = start.pageSize;
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
		return new PageReader(request, shape, fetch, {}, parseBookmark(bookmark));
	}

	/** The rows that this reader has read so far, in order. */
	get rows(): unknown[] {
		return this.collector.rows;
	}

	/** Where this reader stands, for another one. */
	get bookmark(): string {
		const { prints } = this.start;
		const firstPrint = prints[0] ?? printOf(this.first.rows);
		return [this.number, this.total, this.pageSize, firstPrint, printOf(this.newest.rows)].join(
			' ',
		);
	}

	/** Whether there is nothing more to read, or to want. */
	get done(): boolean {
		return this.pages > 0 && (this.total >= this.end || this.isRead);
	}

	/** Whether there is nothing more to read. */
	private get isRead(): boolean {
		const { count, last } = this;
		if (this.ended || this.paging === 'whole') return true;
		if (count === undefined && last === undefined) {
			return this.paging === 'none' && !FULL_PAGES.includes(this.newest.rows.length);
		}
		return this.total >= (count ?? 0) && this.number >= (last ?? 0);
	}

	/**
	 * Reads on: announced pages side by side, else one.
	 * @param most pages to read at most
	 * @param parallel pages in flight at most
	 */
	async read(most: number, parallel: number | (() => number)): Promise<void> {
		const first = this.number + 1;
		// Pages arrive in any order.
		const waiting = new Map<number, Page>();
		const takeInOrder = () => {
			for (let page = waiting.get(this.number + 1); page; page = waiting.get(this.number + 1)) {
				waiting.delete(this.number + 1);
				this.take(page);
			}
		};
		await inPool(Math.max(1, Math.min(most, this.ahead)), parallel, async (index, isOver) => {
			const page = await this.fetchPage(first + index, isOver);
			waiting.set(first + index, page);
			takeInOrder();
			return page.rows.length > 0 && !this.ended;
		});
		this.ended ||= this.nothingSince !== undefined;
	}

	/**
	 * A reader that stands where the rows that are wanted begin: this one, unless pages are of another
	 * size than was asked for, which the list's first page shows where it is not sure.
	 */
	async placed(): Promise<PageReader> {
		if (this.isPlaced) return this;
		const size = (await this.fetchPage(1)).rows.length;
		if (size === 0 || size === this.pageSize) return this;
		const { request, shape, fetch, part } = this;
		return new PageReader(request, shape, fetch, part, bookmarkAt(this.skip, size));
	}

	/** Whether the first page that was read is surely the one that was looked for. */
	private get isPlaced(): boolean {
		const { page, rows, pageSize } = this.start;
		const { count = Infinity, last } = this.first;
		const { length } = this.first.rows;
		if (page === 0) return true;
		if (length === 0) return count <= rows;
		// As many rows as are left can as well be a whole page of a smaller size.
		const isLast = last === page + 1 && length === count - rows;
		return isLast || (length === pageSize && length <= count - rows);
	}

	/** The rows that are wanted, and what the user must know of them. */
	list(): List {
		const { rows: all, end, skip, start, overlapping, count, isRead, total } = this;
		const from = skip - start.rows;
		const isWhole = from === 0 && start.rows + all.length <= end;
		const rows = isWhole ? all : all.slice(from, end - start.rows);
		const known = isRead ? total : Math.max(total, count ?? 0);
		const left = Math.max(0, known - skip - rows.length);
		const open = !isRead && count === undefined;
		return { rows, left, open, overlapping, warning: this.warning(rows.length) };
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
		// One page shows first whether a list that is not documented to have pages has them.
		if (this.paging === 'none' && number < 2) return 0;
		const announced =
			count === undefined ? last - number : Math.ceil(Math.max(0, count - total) / pageSize);
		return Math.min(announced, Math.ceil((end - total) / pageSize));
	}

	private async fetchPage(number: number, isOver?: () => boolean): Promise<Page> {
		const query = { ...this.request.query };
		if (this.paging === 'paged') {
			Object.assign(query, { size: sizeFor(this.end), page: number });
		} else if (number > 1) query.page = number;
		return pageOf(await this.fetch({ ...this.request, query }, isOver));
	}

	/** Takes the next page. */
	private take(page: Page): void {
		this.pages++;
		if (this.number === 1) this.pageSize = Math.max(1, page.rows.length);
		if (this.pages === 1) this.first = page;
		this.newest = page;
		if (this.collector.add(page.rows)) {
			this.nothingSince = undefined;
			this.overlapping = this.collector.repeated;
		} else {
			this.nothingSince ??= this.number;
		}
		// The count of an empty page past the end may be its own, not that of the list.
		if (page.rows.length > 0 || this.pages === 1) this.learn(page);
		const nothing = this.number + 1 - (this.nothingSince ?? Infinity);
		this.ended ||=
			page.rows.length === 0 || nothing >= MAX_REPEATED_PAGES || this.extra > MAX_EXTRA_PAGES;
	}

	private learn({ count = this.count, last = this.last }: Page): void {
		const { first } = this;
		if (count !== undefined && this.count !== undefined && count < this.count) this.shrank = true;
		this.count = count;
		this.last = last;
		const announced = first.count !== undefined || first.last !== undefined;
		const isPast = this.total > (first.count ?? 0) && this.number > (first.last ?? 0);
		if (announced && isPast) this.extra++;
	}

	/** Whether the API answers each page with the first one, and announces nothing. */
	private get isOnePage(): boolean {
		const { first, newest, number } = this;
		const announces = first.count !== undefined || first.last !== undefined;
		if (announces || number !== 2 || first.rows.length < SMALLEST_FULL_PAGE) return false;
		return newest !== first && printOf(newest.rows) === printOf(first.rows);
	}

	/** What the user must know of `delivered` rows. */
	private warning(delivered: number): string | undefined {
		const { count, last = 0, end, skip, collector, overlapping, nothingSince = Infinity } = this;
		const limit = end - skip;
		if (this.extra > MAX_EXTRA_PAGES) {
			return `The list kept growing while it was read, so reading stopped after ${delivered} rows.`;
		}
		if (delivered < Math.min(end, count ?? 0) - skip) {
			const behind = skip > 0 ? ` after the first ${skip}` : '';
			const missing = `The API announced ${count} rows but returned ${delivered}${behind}.`;
			return collector.repeated > 0
				? `${missing} ${collector.repeated} duplicate rows were left out.`
				: missing;
		}
		// An announced last page may be empty, where others are full; it is none of the others.
		const isCut = nothingSince < last || (nothingSince === last && this.newest.rows.length > 0);
		if (delivered < limit && count === undefined && isCut) {
			return `The API announced ${last} pages, but page ${nothingSince} had nothing new. Rows may be missing.`;
		}
		const { refused } = this.newest;
		if (delivered < limit && refused !== undefined) {
			return `Page ${this.number} wasn't returned (${refused}). Rows may be missing.`;
		}
		if (delivered < limit && this.isOnePage) {
			return `Page 2 was the same as page 1, and the API doesn't say how many rows there are. If there are more than ${delivered}, they are missing.`;
		}
		if (delivered < limit && this.shrank) {
			return 'The list got shorter while it was read, so rows may be missing. Run it again.';
		}
		if (overlapping > 0) return `${overlapping} duplicate rows were left out.`;
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
	let reader = PageReader.of(request, shape, fetch, part);
	await reader.read(1, 1);
	reader = await reader.placed();
	// The first page may say how many there are; then those that it announced; then, one by one, what
	// lies past the announced end, or where none is announced.
	while (!reader.done) await reader.read(Infinity, parallel);
	return reader.list();
}
