// What is known of a list while its pages come in: its rows, how long it is, and whether it has ended.
import { Collector, printOf } from './collector';
import { PAGE_SIZE, type Page, type Part } from './page';
import { keyOf, type ListShape } from './rows';

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

/** Where the reading of a list begins. */
export interface Start {
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

/** How a list is asked for its pages; `whole` ones are never asked for a second. */
function pagingOf(shape: ListShape): 'paged' | 'announced' | 'none' | 'whole' {
	if (shape.kind !== 'map' && shape.whole) return 'whole';
	return (shape.kind === 'list' && shape.paging) || 'none';
}

/**
 * A list is read up to all that it announces, by `count` or `pages.max`. Both may be wrong, so one more
 * page is asked for whenever the last one is full. A list that announces nothing is read until a page is
 * empty, has nothing new, or is not found; one that is not documented to have pages, only while its pages
 * are full.
 */
export class ListState {
	readonly paging: ReturnType<typeof pagingOf>;

	readonly collector: Collector;

	/** Pages read. */
	pages = 0;

	first: Page = { rows: [] };

	newest: Page = { rows: [] };

	/** What the list announces, by its newest page with rows. */
	count?: number;

	last?: number;

	/** The first of the newest pages that brought nothing new. */
	nothingSince?: number;

	/** Rows left out since an earlier page had them, where other rows came after them. */
	overlapping = 0;

	/** The announced total went down. */
	shrank = false;

	/** The last page by what was announced at first. */
	private firstLast = 0;

	/** Whether a page has announced anything, right or wrong. */
	private hasAnnounced = false;

	private pageSize: number;

	private isFull = false;

	/** Pages past all that was announced at first that have few new rows. */
	private smallPages = 0;

	/** Nothing more is to be read, whatever was announced. */
	isFinished = false;

	/** Rows to leave out at the start, and rows of the list up to the last one that is wanted. */
	readonly skip: number;

	readonly end: number;

	constructor(
		shape: ListShape,
		readonly start: Start,
		{ limit = Infinity, skip = 0, keep }: Part,
	) {
		this.skip = skip;
		this.end = skip + limit;
		this.paging = pagingOf(shape);
		// Where no size is asked for, the first page shows it.
		this.pageSize = this.paging === 'paged' || start.page > 0 ? start.pageSize : Infinity;
		this.collector = new Collector(keyOf(shape), start.prints, keep);
	}

	/** Number of the newest page. */
	get number(): number {
		return this.start.page + this.pages;
	}

	/** Rows of the list up to the newest one. */
	get total(): number {
		return this.start.rows + this.collector.rows.length;
	}

	/** Whether there is nothing more to read, or to want. */
	get done(): boolean {
		return this.isFinished || (this.pages > 0 && (this.total >= this.end || this.isRead));
	}

	/** Whether there is nothing more to read. */
	get isRead(): boolean {
		if (this.isFinished || this.paging === 'whole') return true;
		if (this.announcesMore) return false;
		return !this.isFull && (this.paging === 'none' || this.isAnnounced);
	}

	/** Whether the next page lies behind all that the list announced. */
	get isExtra(): boolean {
		if (this.pages === 0) return this.start.isExtra;
		return this.hasAnnounced && !this.announcesMore;
	}

	/** Whether pages keep coming past all that was announced at first. */
	get isEndless(): boolean {
		const extraPages = this.number - Math.max(this.firstLast, this.start.page);
		return extraPages > MAX_EXTRA_PAGES || this.smallPages > MAX_SMALL_PAGES;
	}

	/** Whether the API answers each page with the first one, and announces nothing. */
	get isOnePage(): boolean {
		const { first, newest, number } = this;
		if (this.isAnnounced || number !== 2 || first.rows.length < SMALL_PAGE) return false;
		return newest !== first && printOf(newest.rows) === printOf(first.rows);
	}

	/** Announced pages that are still to be read and needed. */
	get ahead(): number {
		const { count, last = 0, total, number, pageSize, end } = this;
		// The first page shows the size; the second, whether a list has pages that isn't documented to.
		if (number < (this.paging === 'none' ? 2 : 1)) return 0;
		const announced =
			count === undefined ? last - number : Math.ceil(Math.max(0, count - total) / pageSize);
		return Math.min(announced, Math.ceil((end - total) / pageSize));
	}

	/** Where another reader goes on. */
	get next(): Start {
		const prints = [this.start.prints[0] ?? printOf(this.first.rows), printOf(this.newest.rows)];
		const { number: page, total: rows, pageSize, isExtra } = this;
		return { page, rows, pageSize, isExtra, prints };
	}

	/** Takes the next page. */
	take(page: Page): void {
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
		if (this.number > this.firstLast && added < SMALL_PAGE) this.smallPages++;
		const repeated = this.number + 1 - (this.nothingSince ?? Infinity);
		if (length === 0 || repeated >= MAX_REPEATED_PAGES || this.isEndless) {
			this.isFinished = true;
		}
	}

	private get announcesMore(): boolean {
		return this.total < (this.count ?? 0) || this.number < (this.last ?? 0);
	}

	private get isAnnounced(): boolean {
		return this.count !== undefined || this.last !== undefined;
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
		this.hasAnnounced ||= count !== undefined || last !== undefined;
		// What is below the rows that came is no total.
		if (count !== undefined && count >= this.total) {
			this.shrank ||= count < (this.count ?? 0);
			this.count = count;
		}
		if (this.pages > 1) return;
		this.firstLast = Math.max(last ?? 0, Math.ceil((this.count ?? 0) / this.pageSize));
	}
}
