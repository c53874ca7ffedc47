// One list request -> all its rows, or the first `limit` of them.
import { Collector, printOf } from './collector';
import { isRecord, type ApiRequest } from '../operation';
import { inPool } from '../pool';
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
	/** How many rows the list announces, if it does. */
	count?: number;
	/** Rows left out since an earlier page had them, where other rows came after them. */
	overlapping: number;
}

/** Sends the request for one page, or throws. A page behind the end has no body and no rows. */
export type FetchPage = (request: ApiRequest) => Promise<{ body: unknown; rows: unknown[] }>;

interface Page {
	rows: unknown[];
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
function pageOf(body: unknown, rows: unknown[]): Page {
	if (!isRecord(body)) return { rows };
	const count = wholeNumber(body.count);
	const last = isRecord(body.pages) ? wholeNumber(body.pages.max) : undefined;
	// What is below the rows of one page is no total.
	return { rows, last, count: count !== undefined && count >= rows.length ? count : undefined };
}

/** How a list is asked for its pages; `whole` ones are never asked for a second. */
function pagingOf(shape: ListShape): 'paged' | 'announced' | 'none' | 'whole' {
	if (shape.kind !== 'map' && shape.whole) return 'whole';
	return (shape.kind === 'list' && shape.paging) || 'none';
}

/** Rows of a full page, by default or at most (core, Limits): a list that has as many may be cut. */
const FULL_PAGES = [50, PAGE_SIZE];

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

	private readonly start: Bookmark;

	private pageSize: number;

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
	 * @param limit rows wanted, Infinity for all; no page is read that is not needed
	 * @param bookmark where another reader of the list stopped; from the start if empty
	 */
	constructor(
		private readonly request: ApiRequest,
		shape: ListShape,
		private readonly fetch: FetchPage,
		private readonly limit = Infinity,
		bookmark = '',
	) {
		this.paging = pagingOf(shape);
		this.start = parseBookmark(bookmark);
		this.pageSize = this.start.pageSize;
		this.collector = new Collector(keyOf(shape), this.start.prints);
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
		const { count, last } = this;
		if (this.pages === 0) return false;
		if (this.ended || this.total >= this.limit || this.paging === 'whole') return true;
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
	async read(most: number, parallel: number): Promise<void> {
		const first = this.number + 1;
		// Pages arrive in any order.
		const waiting = new Map<number, Page>();
		const takeInOrder = () => {
			for (let page = waiting.get(this.number + 1); page; page = waiting.get(this.number + 1)) {
				waiting.delete(this.number + 1);
				this.take(page);
			}
		};
		await inPool(Math.max(1, Math.min(most, this.ahead)), parallel, async (index) => {
			const page = await this.fetchPage(first + index);
			waiting.set(first + index, page);
			takeInOrder();
			return page.rows.length > 0 && !this.ended;
		});
		this.ended ||= this.nothingSince !== undefined;
	}

	/** The rows up to the limit, and what the user must know of them. */
	list(): List {
		const { rows, limit, overlapping } = this;
		const { count } = this;
		const list = { rows: rows.length > limit ? rows.slice(0, limit) : rows, count, overlapping };
		return { ...list, warning: this.warning(list.rows.length) };
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
		const { count, last = 0, total, number, pageSize, limit } = this;
		// One page shows first whether a list that is not documented to have pages has them.
		if (this.paging === 'none' && number < 2) return 0;
		const announced =
			count === undefined ? last - number : Math.ceil(Math.max(0, count - total) / pageSize);
		return Math.min(announced, Math.ceil((limit - total) / pageSize));
	}

	private async fetchPage(number: number): Promise<Page> {
		const query = { ...this.request.query };
		if (this.paging === 'paged') {
			Object.assign(query, { size: Math.min(this.limit, PAGE_SIZE), page: number });
		} else if (number > 1) query.page = number;
		const { body, rows } = await this.fetch({ ...this.request, query });
		return pageOf(body, rows);
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

	/** What the user must know of `delivered` rows. */
	private warning(delivered: number): string | undefined {
		const { count, last = 0, limit, collector, overlapping, nothingSince = Infinity } = this;
		if (this.extra > MAX_EXTRA_PAGES) {
			return `The list kept growing while it was read, so reading stopped after ${delivered} rows.`;
		}
		if (delivered < Math.min(limit, count ?? 0)) {
			const missing = `The API announced ${count} rows but returned ${delivered}.`;
			return collector.repeated > 0
				? `${missing} ${collector.repeated} duplicate rows were left out.`
				: missing;
		}
		if (delivered < limit && count === undefined && nothingSince < last) {
			return `The API announced ${last} pages, but page ${nothingSince} had nothing new. Rows may be missing.`;
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
 * @param limit rows wanted, Infinity for all
 * @param parallel pages in flight at most
 */
export async function readList(
	request: ApiRequest,
	shape: ListShape,
	limit: number,
	fetch: FetchPage,
	parallel: number,
): Promise<List> {
	const reader = new PageReader(request, shape, fetch, limit);
	// The first page, which may say how many there are; then those that it announced; then, one by
	// one, what lies past the announced end, or where none is announced.
	while (!reader.done) await reader.read(Infinity, parallel);
	return reader.list();
}
