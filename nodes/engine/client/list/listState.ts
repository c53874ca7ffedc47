// The rows of a list, its announced length and whether it has ended, while its pages arrive.
import type { ListRules, Place } from '../../base/definition';
import { Collector } from './collector';
import type { ListPosition, Page, Part } from './page';
import { rowKey, pagingOf, type ListShape } from './rows';

export interface ListFacts {
	shape: ListShape;
	rules: ListRules;
}

/** Sizes to which services cut pages. If a list announces no total, a page of such a size may not be the last one. */
const COMMON_SIZES = [10, 20, 25, 50, 100];

/** Max pages beyond those announced at first: a list may grow all the time, or ignore `page` and change its rows. */
const MAX_EXTRA_PAGES = 1000;

/** Reading stops after so many announced pages in a row with nothing new. A single one may be a page that added rows moved. */
const MAX_STALE_PAGES = 3;

/** Position of the page with the first row after `skip`, in a list by numbers. A list by tokens is read from its start. */
export function positionAt(skip: number, pageSize: number): ListPosition {
	const page = Math.floor(skip / pageSize);
	return { page, rows: page * pageSize, pageSize, isExtra: false, prints: [] };
}

/**
 * Reads a list to its announced end, by the total of rows or the number of the last page. Both may be missing, and services
 * cap totals, so after a full last page one more is requested. A list that announces nothing is read until a page is empty,
 * isn't found, or has nothing new. A list that isn't documented to have pages is read only as long as its pages are full or
 * rows are announced, because services page lists as they grow.
 */
export class ListState {
	private readonly rules: ListRules;

	readonly paging: ReturnType<typeof pagingOf>;

	readonly skip: number;

	readonly wantedEnd: number;

	/** `maxSize` of a shape doesn't count here, because it only tells that the reference shows a size. */
	readonly requestedSize: number;

	protected start: ListPosition;

	readonly collector: Collector;

	pages = 0;

	protected first: Page = { rows: [] };

	newest: Page = { rows: [] };

	/** Announced total of rows and number of the last page, as far as `learn` believes them. */
	count?: number;

	last?: number;

	shrank = false;

	/** Number of the page since which nothing new has come, else Infinity. A warning names it, so it stays after a stop. */
	staleSince = Infinity;

	overlapping = 0;

	isEndless = false;

	protected isStopped = false;

	/** @param start position of the first page to read, default by Skip */
	constructor(
		{ shape, rules }: ListFacts,
		{ limit = Infinity, skip = 0, keep }: Part,
		start?: ListPosition,
	) {
		this.rules = rules;
		this.paging = pagingOf(shape);
		this.skip = skip;
		this.wantedEnd = skip + limit;
		this.requestedSize = Math.min(this.wantedEnd, rules.maxSize);
		this.start = start ?? positionAt(this.byTokens ? 0 : skip, this.requestedSize);
		this.collector = new Collector(rowKey(shape), start?.prints, keep);
	}

	get rows(): unknown[] {
		return this.collector.rows;
	}

	private get byTokens(): boolean {
		return this.paging === 'tokens';
	}

	/** A list by tokens has no place after the last page. */
	get nextPlace(): Place | undefined {
		const token = this.pages === 0 ? (this.start.token ?? 1) : this.newest.next;
		return this.byTokens ? token : this.pageNumber + 1;
	}

	get pageNumber(): number {
		return this.start.page + this.pages;
	}

	/** Number of rows of the list up to the newest row. */
	get position(): number {
		return this.start.rows + this.rows.length;
	}

	/** Number of rows of the list before those that are delivered. */
	get before(): number {
		return Math.max(this.skip, this.start.rows);
	}

	get done(): boolean {
		return this.pages > 0 && (this.position >= this.wantedEnd || this.isRead);
	}

	get isRead(): boolean {
		if (this.isStopped || this.paging === 'unpaged') return true;
		if (this.byTokens) return this.nextPlace === undefined;
		if (this.announcesMore || this.isFull) return false;
		// A list with pages that announces nothing only ends with a page that has nothing new (`isStopped`).
		return this.paging === 'undocumented' || this.announcesLength;
	}

	/** The next page is after all that the list announced. */
	get isExtra(): boolean {
		if (this.byTokens) return false;
		if (this.pages === 0) return this.start.isExtra;
		// `learn` ignores a total that is lower than the rows read. Even such a total shows that the list announces its length.
		const hasAnnounced = this.announcesLength || this.first.count !== undefined;
		return hasAnnounced && !this.announcesMore;
	}

	get announcesLength(): boolean {
		return (this.count ?? this.last) !== undefined;
	}

	/** Number of pages to request next, in parallel: those that are announced and wanted, or one. */
	get nextPages(): number {
		const { count, last = 0, position, pageNumber, observedSize, wantedEnd } = this;
		// If the reference shows no pages for this list, only the second page tells if it has any.
		if (this.byTokens || (this.paging === 'undocumented' && pageNumber < 2)) return 1;
		const announced =
			count === undefined ? last - pageNumber : Math.ceil((count - position) / observedSize);
		return Math.max(1, Math.min(announced, Math.ceil((wantedEnd - position) / observedSize)));
	}

	/** Size of a full page. Page 1 shows it best, because services may send fewer rows than they're asked for. */
	get observedSize(): number {
		const hasPageOne = this.start.page === 0 && this.pages > 0;
		return hasPageOne ? Math.max(1, this.first.rows.length) : this.start.pageSize;
	}

	add(page: Page): void {
		const added = this.collector.add(page.rows);
		this.pages++;
		if (this.pages === 1) this.first = page;
		this.newest = page;
		const isEmpty = page.rows.length === 0;
		// After the end, some services announce the rows of the page, 0, which isn't the total.
		if (!isEmpty || this.pages === 1) this.learn(page);
		// Only with a new row, because services repeat their last page after the end.
		if (added > 0) this.overlapping = this.collector.duplicates;
		this.trackStale(added);
		this.isEndless = this.pageNumber - this.lastPage(this.first) > MAX_EXTRA_PAGES;
		const isLast = isEmpty && !(this.byTokens && page.next !== undefined);
		this.isStopped ||= isLast || this.isStale || this.isEndless;
	}

	private trackStale(added: number): void {
		// Pages in flight may still bring rows after a stop. The warning names the page at which reading stopped.
		const isNew = added > 0 && !this.isStopped;
		this.staleSince = isNew ? Infinity : Math.min(this.staleSince, this.pageNumber);
	}

	private get isStale(): boolean {
		const isBeforeLast = this.byTokens
			? this.newest.next !== undefined
			: this.paging !== 'undocumented' && this.pageNumber < this.lastPage(this);
		const stalePages = this.pageNumber + 1 - this.staleSince;
		return stalePages >= (isBeforeLast ? MAX_STALE_PAGES : 1);
	}

	private learn({ count, last = this.last }: Page): void {
		this.last = last;
		// If more rows came already, it's no total, but the count of the page or a capped total.
		if (count === undefined || count < this.position) return;
		this.shrank ||= count < (this.count ?? 0);
		this.count = count;
	}

	private get announcesMore(): boolean {
		return this.position < (this.count ?? 0) || this.pageNumber < (this.last ?? 0);
	}

	/** The announced last page, but not before the start of reading, so that extra pages count from there. */
	private lastPage({ count = 0, last = 0 }: Pick<Page, 'count' | 'last'>): number {
		return Math.max(this.start.page, last, Math.ceil(count / this.observedSize));
	}

	/** The newest page is as long as announced, as requested, as page 1, or of a usual size. */
	private get isFull(): boolean {
		const { perPage, last, rows } = this.newest;
		const { length } = rows;
		if (length === perPage) return true;
		if (this.pageNumber > 1) return length >= this.observedSize;
		if (this.paging === 'paged' && length >= this.start.pageSize) return true;
		// The number of the last page tells whether there are more. Without it, only the size of page 1 is left to guess by.
		if (last !== undefined) return false;
		if (this.rules.usualSizes.includes(length)) return true;
		return this.paging !== 'undocumented' && COMMON_SIZES.includes(length);
	}
}
