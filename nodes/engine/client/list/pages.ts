// Reads the pages of a list. Whatever the API returns, reading ends. If the pages show that rows may be missing or doubled,
// there's a warning, except for under 10 rows that are the same on each page.
import type { Place } from '../../base/definition';
import { inPool, type Parallel } from '../../base/pool';
import { Collector, pageFingerprint } from './collector';
import { positionAt, ListState, type ListFacts } from './listState';
import type { ListPosition, FetchPage, List, Page, PageRequest, Part } from './page';

/** A page with fewer rows is most likely the whole list: services hardly make pages that small. */
const SMALL_PAGE = 10;

const duplicatesText = (rows: number) => `${rows} duplicate rows were left out.`;

const endlessText = (delivered: number) =>
	`Pages kept coming, and the list showed no end. Reading stopped after ${delivered} rows, so rows may be missing or repeated.`;

function announcedText({ before, count, collector }: ListState, delivered: number): string {
	const afterWhich = before > 0 ? ` after the first ${before}` : '';
	const missing = `The API announced ${count} rows but returned ${delivered}${afterWhich}.`;
	const { duplicates } = collector;
	return duplicates > 0 ? `${missing} ${duplicatesText(duplicates)}` : missing;
}

/** Rows are missing if a page before the announced last one had nothing new, or if the last one, unless empty, repeats one. */
const isIncomplete = ({ count, last = 0, staleSince, newest }: ListState) =>
	count === undefined && (staleSince < last || (staleSince === last && newest.rows.length > 0));

/** Page 2 was page 1 again, and the list may be longer: it announces no length, and the page isn't a small one. */
const repeatsLongPage = ({ staleSince, pageNumber, newest, announcesLength }: ListState) =>
	staleSince === 2 && pageNumber === 2 && newest.rows.length >= SMALL_PAGE && !announcesLength;

function missingText(state: ListState, delivered: number): string | undefined {
	const { before, count = 0, last = 0, pageNumber, newest, staleSince } = state;
	if (state.isEndless) return endlessText(delivered);
	if (delivered < count - before) return announcedText(state, delivered);
	if (isIncomplete(state)) {
		return `The API announced ${last} pages, but page ${staleSince} had nothing new. Rows may be missing.`;
	}
	if (newest.unclearEnd !== undefined) {
		return `Page ${pageNumber} wasn't returned (${newest.unclearEnd}). Rows may be missing.`;
	}
	if (staleSince <= pageNumber && typeof state.nextPlace === 'string') {
		return `Page ${staleSince} had nothing new, although the list goes on. Rows may be missing.`;
	}
	if (repeatsLongPage(state)) {
		return `Page 2 was the same as page 1, and the API doesn't say how many rows there are. If there are more than ${delivered}, they are missing.`;
	}
	return state.shrank
		? 'The list got shorter while it was read, so rows may be missing. Run it again.'
		: undefined;
}

/** The one warning that the user gets: of missing rows, else of duplicates, else of rows that have changed. */
function warningsOf(state: ListState, delivered: number): Pick<List, 'missing' | 'warning'> {
	const lacksWanted = delivered < state.wantedEnd - state.before;
	const missing = lacksWanted ? missingText(state, delivered) : undefined;
	if (missing !== undefined) return { missing, warning: missing };
	if (state.overlapping > 0) return { warning: duplicatesText(state.overlapping) };
	const { changed } = state.collector;
	const both = `${changed} rows have the same ID as an earlier row but different content. The output has both.`;
	return changed > 0 ? { warning: both } : {};
}

export class PageReader extends ListState {
	/** @param bookmark where another reader stopped, default the beginning. This reader doesn't have the rows before it. */
	constructor(
		list: ListFacts,
		private readonly fetch: FetchPage,
		part: Part = {},
		bookmark = '',
	) {
		super(list, part, bookmark === '' ? undefined : (JSON.parse(bookmark) as ListPosition));
	}

	/**
	 * Position of the next page, for another reader.
	 * @param again position of the newest page instead, since deleted rows may have moved unread ones there. Not after a single
	 * page: a reader with time for one page would never get on, and would take page 1, whose print it has, for a repeated one.
	 */
	bookmark({ again = false } = {}): string {
		const { pageNumber, position, observedSize: pageSize, isExtra, start, first, newest } = this;
		// These show the next reader if a service ignores `page` and returns its first or last page again.
		const prints = [start.prints[0] ?? pageFingerprint(first.rows), pageFingerprint(newest.rows)];
		const { next: token } = newest;
		const next: ListPosition = {
			page: pageNumber,
			rows: position,
			pageSize,
			isExtra,
			prints,
			token,
		};
		if (!again || this.pages === 1) return JSON.stringify(next);
		// `position` doesn't count duplicates, but the newest page may have some.
		const rows = Math.max(0, position - newest.rows.length);
		// With its print, the newest page would be taken for a repeated one.
		const { token: own } = newest;
		const newestAgain = {
			page: pageNumber - 1,
			rows,
			isExtra: false,
			prints: [prints[0]],
			token: own,
		};
		return JSON.stringify({ ...next, ...newestAgain });
	}

	async readAll(parallel: Parallel): Promise<List> {
		if (this.skip > 0 && this.start.page > 0) await this.readFirstAfterSkip();
		// The first page may announce the others, which are then read in parallel.
		while (!this.done) await this.read(Infinity, parallel);
		return this.list();
	}

	/** Reads the announced pages in parallel, else one. `fetch` is of the item that reads, because items may share the reader. */
	async read(maxPages: number, parallel: Parallel, fetch = this.fetch): Promise<void> {
		const { pageNumber, nextPages, isExtra } = this;
		// Pages arrive in any order and are added in the order of the list.
		const arrived = new Map<number, Page>();
		await inPool(Math.min(maxPages, nextPages), parallel, async (index, signal) => {
			const place = index === 0 ? this.nextPlace : pageNumber + 1 + index;
			const page = await this.pageAt(place, { signal, isExtra }, fetch);
			arrived.set(pageNumber + 1 + index, page);
			for (let next = this.pageNumber + 1; arrived.has(next); next++) {
				this.add(arrived.get(next) as Page);
				arrived.delete(next);
			}
			return page.rows.length > 0 && !this.isStopped;
		});
	}

	list(): List {
		const { rows: all, start, before, wantedEnd, overlapping, count, isRead, position } = this;
		const from = before - start.rows;
		// No copy if all rows are wanted: lists may be long.
		const isUncut = from === 0 && position <= wantedEnd;
		const rows = isUncut ? all : all.slice(from, wantedEnd - start.rows);
		// After the end of the list, announced rows that didn't come don't count as left: a warning tells of them.
		const total = isRead ? position : Math.max(position, count ?? 0);
		const left = Math.max(0, total - before - rows.length);
		const mayHaveMore = !isRead && count === undefined;
		return { rows, left, mayHaveMore, overlapping, ...warningsOf(this, rows.length) };
	}

	/**
	 * Reads the page with the first row after Skip, so that the rows before it aren't all read.
	 * 1. Request the page by the size that was asked for.
	 * 2. If it has another length, either the list ends there, or pages have another size. Page 1 shows the real size. If that
	 *    isn't the requested one, compute the page anew and request it.
	 * 3. For a page after the end, some services return their last one, as Django's `get_page` does. So compare a page that
	 *    isn't announced with the one before. If it has nothing new, the list has ended.
	 */
	private async readFirstAfterSkip(): Promise<void> {
		let page = await this.pageSkippedTo();
		const isAsRequested = page.rows.length === this.start.pageSize;
		const first = isAsRequested ? undefined : await this.pageAt(1);
		if (first && this.hasOtherSize(first)) {
			this.start = positionAt(this.skip, first.rows.length);
			if (this.start.page === 0) return this.add(first);
			page = await this.pageSkippedTo();
		}
		if (await this.repeatsPrevious(page, first)) return this.add({ rows: [] });
		// If page 1 says that the list ends before this page, it's clear why it was rejected, and there's no warning.
		this.add(first && this.endsBefore(first) ? { ...page, unclearEnd: undefined } : page);
	}

	private async pageSkippedTo(): Promise<Page> {
		return await this.pageAt(this.start.page + 1, { isSkippedTo: true });
	}

	/** Page 1 shows that the position of the skipped rows was computed with a wrong size. */
	private hasOtherSize({ rows }: Page): boolean {
		return rows.length > 0 && rows.length !== this.start.pageSize;
	}

	/** False if page 1 announces nothing. */
	private endsBefore({ count = Infinity, last = Infinity }: Page): boolean {
		return count <= this.start.rows || last <= this.start.page;
	}

	private isAnnouncedBy({ count = 0, last = 0 }: Page): boolean {
		return count > this.start.rows || last > this.start.page;
	}

	/** True if the page that Skip jumped to is after the end: it isn't announced, and the API repeats its last page. */
	private async repeatsPrevious(page: Page, first: Page | undefined): Promise<boolean> {
		if (page.rows.length === 0 || this.isAnnouncedBy(page)) return false;
		// The number of pages before is the number of the last of them, too.
		const previousNumber = this.start.page;
		const previous = previousNumber === 1 && first ? first : await this.pageAt(previousNumber);
		const compared = new Collector(this.collector.key);
		compared.add(previous.rows);
		return compared.add(page.rows) === 0;
	}

	private async pageAt(
		place: Place = 1,
		request: PageRequest = {},
		fetch = this.fetch,
	): Promise<Page> {
		const isSized = this.paging === 'paged' || this.paging === 'tokens';
		return await fetch(place, { ...request, size: isSized ? this.requestedSize : undefined });
	}
}
