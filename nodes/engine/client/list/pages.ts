// Reads the pages of a list. Whatever the API returns, reading ends. If the pages show that rows may be missing
// or doubled, there's a warning, except for under 10 rows that are the same on each page.
import { inPool } from '../../base/pool';
import { Collector, pageFingerprint } from './collector';
import { ListState, type ListFacts } from './listState';
import {
	cursorAt,
	type Cursor,
	type FetchPage,
	type List,
	type Page,
	type PageRequest,
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
		const { pageNumber, position, observedSize: pageSize, isExtra, start, first, newest } = this;
		const prints = [start.prints[0] ?? pageFingerprint(first.rows), pageFingerprint(newest.rows)];
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
		if (this.skip > 0 && this.start.page > 0) await this.readFirstAfterSkip();
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

	/** Returns the wanted rows, or all after the bookmark. */
	list(): List {
		const { rows: all, start, before, wantedEnd, overlapping, count, isRead, position } = this;
		const from = before - start.rows;
		const isUncut = from === 0 && position <= wantedEnd;
		const rows = isUncut ? all : all.slice(from, wantedEnd - start.rows);
		const total = isRead ? position : Math.max(position, count ?? 0);
		const left = Math.max(0, total - before - rows.length);
		const mayHaveMore = !isRead && count === undefined;
		return { rows, left, mayHaveMore, overlapping, warning: warningOf(this, rows.length) };
	}

	/**
	 * Reads the page with the first row after Skip, so that those before it aren't all read.
	 * 1. If it's not as long as requested, the list ends there or pages have another size: services send fewer rows than
	 *    they're asked for. Page 1 shows which.
	 * 2. It may be after the end, where some services return their last page, as Django's `get_page` does. A loop over
	 *    slices would never end. So it's compared with the page before, unless it's announced.
	 */
	private async readFirstAfterSkip(): Promise<void> {
		let page = await this.pageSkippedTo();
		const isAsRequested = page.rows.length === this.start.pageSize;
		const first = isAsRequested ? undefined : await this.pageAt(1);
		if (first && this.hasOtherSize(first)) {
			this.start = cursorAt(this.skip, first.rows.length);
			if (this.start.page === 0) return this.add(first);
			page = await this.pageSkippedTo();
		}
		if (await this.repeatsPage(page, first)) return this.add({ rows: [] });
		// Page 1 says that the list ends before, so it's clear why the page was rejected.
		this.add(first && this.endsBefore(first) ? { ...page, unclearEnd: undefined } : page);
	}

	private async pageSkippedTo(): Promise<Page> {
		return await this.pageAt(this.start.page + 1, { isSkippedTo: true });
	}

	/** Page 1 shows that the position of the skipped rows was computed with a wrong size. */
	private hasOtherSize({ rows }: Page): boolean {
		return rows.length > 0 && rows.length !== this.start.pageSize;
	}

	/** Page 1 announces no row after Skip. */
	private endsBefore({ count = Infinity, last = Infinity }: Page): boolean {
		return count <= this.start.rows || last <= this.start.page;
	}

	/** The list announces rows on the page that Skip jumped to. */
	private isAnnouncedBy({ count = 0, last = 0 }: Page): boolean {
		return count > this.start.rows || last > this.start.page;
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

	private async pageAt(page: number, request: PageRequest = {}, fetch = this.fetch): Promise<Page> {
		return await fetch(page, {
			...request,
			size: this.paging === 'paged' ? this.requestedSize : undefined,
		});
	}
}
