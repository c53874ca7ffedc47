// Knows the rows of a list, its announced length and whether it has ended, while its pages arrive.
import { Collector, printOf } from './collector';
import { PAGE_SIZE, type Page, type Part } from './page';
import { keyOf, type ListShape } from './rows';

/** Default and max page size (core, Limits). A list with as many rows may have more. */
const FULL_PAGES = [50, PAGE_SIZE];

/** Common page sizes, for lists that are documented to have pages. */
const USUAL_PAGES = [10, 20, 25, ...FULL_PAGES];

/** A page with fewer rows is small. */
const SMALL_PAGE = 10;

/** Max pages after those that the list announced at first, and max of those with few new rows. */
const MAX_EXTRA_PAGES = 1000;
const MAX_SMALL_PAGES = 50;

/** Reading stops after as many pages in a row with nothing new, although more are announced. */
const MAX_REPEATED_PAGES = 3;

/** Position in a list where reading begins. As JSON it's a bookmark. */
export interface Start {
	/** Number of the page before. */
	page: number;
	/** Number of rows up to there. */
	rows: number;
	/** Size of a full page, as far as it's known. */
	pageSize: number;
	/** The next page is after all that the list announced. */
	isExtra: boolean;
	/** Hashes of the first and the last page that were read. */
	prints: string[];
}

/** Returns how a list takes pages. `whole` has one page only. */
function pagingOf(shape: ListShape): 'paged' | 'announced' | 'none' | 'whole' {
	if (shape.kind !== 'map' && shape.whole) return 'whole';
	return (shape.kind === 'list' && shape.paging) || 'none';
}

/**
 * A list is read to its announced end, by `count` or `pages.max`. Both may be wrong, so after a full last
 * page one more is requested. A list that announces nothing is read until a page is empty, isn't found, or
 * has nothing new. If it isn't documented to have pages, it's read only as long as its pages are full.
 */
export class ListState {
	readonly paging: ReturnType<typeof pagingOf>;

	readonly collector: Collector;

	/** Number of pages read. */
	pages = 0;

	first: Page = { rows: [] };

	newest: Page = { rows: [] };

	/** Total and last page that the list announces, by its newest page with rows. */
	count?: number;

	last?: number;

	/** Number of the page since which nothing new came. */
	nothingSince?: number;

	/** Number of rows left out as duplicates, except those at the end of the list. */
	overlapping = 0;

	/** The announced total went down. */
	shrank = false;

	/** Number of the last page, as announced at first. */
	private firstLast = 0;

	/** A page has announced an end, right or wrong. */
	private hasAnnounced = false;

	private pageSize: number;

	private isFull = false;

	/** Number of pages with few new rows, after those that were announced at first. */
	private smallPages = 0;

	/** Reading has stopped, whatever the list announces. */
	isFinished = false;

	readonly skip: number;

	/** Number of rows up to the last one that is wanted. */
	readonly end: number;

	constructor(
		shape: ListShape,
		readonly start: Start,
		{ limit = Infinity, skip = 0, keep }: Part,
	) {
		this.skip = skip;
		this.end = skip + limit;
		this.paging = pagingOf(shape);
		// Other lists are read without a size, so the first page shows it.
		this.pageSize = this.paging === 'paged' || start.page > 0 ? start.pageSize : Infinity;
		this.collector = new Collector(keyOf(shape), start.prints, keep);
	}

	/** Number of the newest page. */
	get number(): number {
		return this.start.page + this.pages;
	}

	/** Number of rows of the list up to the newest one. */
	get total(): number {
		return this.start.rows + this.collector.rows.length;
	}

	/** There are no more rows, or no more are wanted. */
	get done(): boolean {
		return this.isFinished || (this.pages > 0 && (this.total >= this.end || this.isRead));
	}

	/** There are no more rows. */
	get isRead(): boolean {
		if (this.isFinished || this.paging === 'whole') return true;
		if (this.announcesMore) return false;
		return !this.isFull && (this.paging === 'none' || this.isAnnounced);
	}

	/** The next page is after all that the list announced. */
	get isExtra(): boolean {
		if (this.pages === 0) return this.start.isExtra;
		return this.hasAnnounced && !this.announcesMore;
	}

	/** Pages keep coming after those that were announced at first. */
	get isEndless(): boolean {
		const extraPages = this.number - Math.max(this.firstLast, this.start.page);
		return extraPages > MAX_EXTRA_PAGES || this.smallPages > MAX_SMALL_PAGES;
	}

	/** The API announces nothing and returns the first page for every page. */
	get isOnePage(): boolean {
		const { first, newest, number } = this;
		if (this.isAnnounced || number !== 2 || first.rows.length < SMALL_PAGE) return false;
		return newest !== first && printOf(newest.rows) === printOf(first.rows);
	}

	/** Number of announced pages that are still needed. */
	get ahead(): number {
		const { count, last = 0, total, number, pageSize, end } = this;
		// The first page shows the size. The second one shows if an undocumented list has pages.
		if (number < (this.paging === 'none' ? 2 : 1)) return 0;
		const announced =
			count === undefined ? last - number : Math.ceil(Math.max(0, count - total) / pageSize);
		return Math.min(announced, Math.ceil((end - total) / pageSize));
	}

	/** Position of the next page. */
	get next(): Start {
		const prints = [this.start.prints[0] ?? printOf(this.first.rows), printOf(this.newest.rows)];
		const { number: page, total: rows, pageSize, isExtra } = this;
		return { page, rows, pageSize, isExtra, prints };
	}

	/** Adds the next page. */
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
		// On an empty page after the end, the count may be that of the page.
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

	/** The page is as long as requested, announced, as the first one, or as is common. */
	private isFullPage({ rows: { length }, perPage, last }: Page): boolean {
		if (length === 0) return false;
		if (length === perPage || length >= this.pageSize) return true;
		const usual = this.paging === 'none' ? FULL_PAGES : USUAL_PAGES;
		return this.number === 1 && last === undefined && usual.includes(length);
	}

	private learn({ count, last = this.last }: Page): void {
		this.last = last;
		this.hasAnnounced ||= count !== undefined || last !== undefined;
		// If more rows came already, the count isn't the total.
		if (count !== undefined && count >= this.total) {
			this.shrank ||= count < (this.count ?? 0);
			this.count = count;
		}
		if (this.pages > 1) return;
		this.firstLast = Math.max(last ?? 0, Math.ceil((this.count ?? 0) / this.pageSize));
	}
}
