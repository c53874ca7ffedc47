// Reads the pages of a list. Whatever the API returns, reading ends. If the pages show that rows may be missing
// or doubled, there's a warning, except for under 10 rows that are the same on each page.
import { inPool } from '../../base/pool';
import { Collector, printOf } from './collector';
import { ListState, type ListFacts } from './listState';
import {
	cursorAt,
	type Cursor,
	type FetchPage,
	type List,
	type Page,
	type PageContext,
	type Part,
} from './page';
import { warningOf } from './warning';

export class PageReader extends ListState {
	/** @param bookmark where another reader stopped, default the beginning. This one doesn't have its rows. */
	constructor(
		list: ListFacts,
		private readonly fetch: FetchPage,
		part: Part = {},
		bookmark = '',
	) {
		super(list, part, bookmark === '' ? undefined : (JSON.parse(bookmark) as Cursor));
	}

	/**
	 * Position of the next page, for another reader.
	 * @param again that of the newest page instead, since rows that are deleted meanwhile move others to it
	 */
	bookmark(again = false): string {
		const { pageNumber, position, pageSize, isExtra, start, first, newest } = this;
		const prints = [start.prints[0] ?? printOf(first.rows), printOf(newest.rows)];
		const next: Cursor = { page: pageNumber, rows: position, pageSize, isExtra, prints };
		if (!again) return JSON.stringify(next);
		const rows = Math.max(0, position - newest.rows.length);
		const newestAgain = { page: pageNumber - 1, rows, isExtra: false, prints: [prints[0]] };
		return JSON.stringify({ ...next, ...newestAgain });
	}

	/**
	 * Reads all wanted rows.
	 * @param parallel max pages in flight
	 */
	async readAll(parallel: number | (() => number)): Promise<List> {
		if (this.start.page > 0) await this.readFirstAfterSkip();
		// The first page may announce the others, which are then read in parallel.
		while (!this.done) await this.read(Infinity, parallel);
		return this.list();
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
		const { pageNumber, nextPages, isExtra } = this;
		// Pages arrive in any order and are added in that of the list.
		const arrived = new Map<number, Page>();
		await inPool(Math.min(maxPages, nextPages), parallel, async (index, signal) => {
			const page = await this.pageAt(pageNumber + 1 + index, { signal, isExtra }, fetch);
			arrived.set(pageNumber + 1 + index, page);
			while (arrived.has(this.pageNumber + 1)) {
				this.add(arrived.get(this.pageNumber + 1) as Page);
				arrived.delete(this.pageNumber);
			}
			return page.rows.length > 0 && !this.isStopped;
		});
	}

	/** Returns the wanted rows. */
	list(): List {
		const { rows: all, start, skip, wantedEnd, overlapping, count, isRead, position } = this;
		const from = skip - start.rows;
		const isWhole = from === 0 && position <= wantedEnd;
		const rows = isWhole ? all : all.slice(from, wantedEnd - start.rows);
		const known = isRead ? position : Math.max(position, count ?? 0);
		const left = Math.max(0, known - skip - rows.length);
		const mayHaveMore = !isRead && count === undefined;
		return { rows, left, mayHaveMore, overlapping, warning: warningOf(this, rows.length) };
	}

	/**
	 * Reads the page with the first row after Skip, one after page 1.
	 * 1. If it's not as long as requested, the list ends there or pages have another size. Page 1 shows which.
	 * 2. It may be after the end, where some APIs return their last page. So it's compared with the page before,
	 *    unless it's announced.
	 * @param first page 1, after it showed that pages have another size
	 */
	private async readFirstAfterSkip(first?: Page): Promise<void> {
		const { page: before, pageSize } = this.start;
		const page = await this.pageAt(before + 1, { isSkippedTo: true });
		if (!first && page.rows.length !== pageSize && !this.isAfterEnd(page)) {
			first = await this.pageAt(1);
			const size = first.rows.length;
			if (size > 0 && size !== pageSize) {
				this.start = cursorAt(this.skip, size);
				return this.start.page > 0 ? await this.readFirstAfterSkip(first) : this.add(first);
			}
		}
		if (await this.repeatsPage(page, first)) return this.add({ rows: [] });
		const { count: total = Infinity, last: end = Infinity } = first ?? {};
		const isEnd = total <= this.start.rows || end <= before;
		this.add(isEnd ? { ...page, refused: undefined } : page);
	}

	/** The list announces rows on the page that Skip jumped to. */
	private isAnnouncedBy({ count = 0, last = 0 }: Page): boolean {
		return count > this.start.rows || last > this.start.page;
	}

	/** The page that Skip jumped to is empty, and the list says that it ends before. */
	private isAfterEnd(page: Page): boolean {
		return page.rows.length === 0 && page.count !== undefined && !this.isAnnouncedBy(page);
	}

	/** The page that Skip jumped to is the one before once more. */
	private async repeatsPage(page: Page, first: Page | undefined): Promise<boolean> {
		if (page.rows.length === 0 || this.isAnnouncedBy(page)) return false;
		const { page: before } = this.start;
		const previous = before === 1 && first ? first : await this.pageAt(before);
		const compared = new Collector(this.collector.key);
		compared.add(previous.rows);
		return compared.add(page.rows) === 0;
	}

	private async pageAt(page: number, context: PageContext = {}, fetch = this.fetch): Promise<Page> {
		return await fetch(page, { ...context, size: this.paging === 'paged' ? this.size : undefined });
	}
}
