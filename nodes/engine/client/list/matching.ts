// Searches a list by filters that the API doesn't have, page by page.
import type { IDataObject } from 'n8n-workflow';

import { getAt, isRecord, isUnset } from '../../base/data';
import type { Parallel } from '../../base/pool';
import type { ListFacts } from './listState';
import { keepWhole, type FetchPage, type List, type Part } from './page';
import { PageReader } from './pages';

export interface Wanted {
	matches: (row: IDataObject) => boolean;
	/** Saves time: only rows with `text` among their `textsOf`, the same for one `name`, are passed to `matches`. */
	exact?: { name: string; text: string; textsOf: (row: IDataObject) => string[] };
}

export interface Matching extends List {
	/** The searched list. Items of one execution may share it. */
	source: Search;
}

/** A list that one or more items search, all by the same exact field, if by any. */
export class Search {
	private readonly reader: PageReader;

	private readonly byText = new Map<string, unknown[]>();

	private indexed = 0;

	private reading?: Promise<void>;

	/**
	 * @param fetch of the item that opens the list. `find` reads with that of its own item.
	 * @param keepOnly rows to keep in memory, if no other item shares the list. Any other is kept as undefined, so that counts
	 * and positions hold.
	 */
	constructor(list: ListFacts, fetch: FetchPage, keepOnly?: Wanted['matches']) {
		const keepOne = (row: unknown) => (isRecord(row) && keepOnly?.(row) ? row : undefined);
		const keep = keepOnly && { rows: (page: unknown[]) => page.map(keepOne), cuts: true };
		this.reader = new PageReader(list, fetch, { keep });
	}

	get read(): number {
		return this.reader.rows.length;
	}

	/** True if no kept row has the field, which may be a dotted place. */
	lacks(field: string): boolean {
		return this.reader.rows.every((row) => !isRecord(row) || isUnset(getAt(row, field)));
	}

	/**
	 * Reads until there are enough matching rows: with a limit one page, then two, four and so on, so that few pages are read in
	 * vain. Limit and skip of `part` count matching rows.
	 */
	async find(
		{ limit = Infinity, skip = 0, keep = keepWhole }: Part,
		wanted: Wanted,
		fetch: FetchPage,
		parallel: Parallel,
	): Promise<Matching> {
		const { reader } = this;
		const end = skip + limit;
		const rows: unknown[] = [];
		let checked = 0;
		for (let pages = 1; ; pages *= 2) {
			const candidates = this.candidates(wanted);
			// The candidates of the last round come first again, so only new ones are checked.
			for (; checked < candidates.length; checked++) {
				const row = candidates[checked];
				if (isRecord(row) && wanted.matches(row)) rows.push(row);
			}
			if (reader.done || rows.length >= end) break;
			// If another item is reading, its pages are for all items.
			this.reading ??= reader
				.read(limit === Infinity ? Infinity : pages, parallel, fetch)
				.finally(() => {
					this.reading = undefined;
				});
			await this.reading;
		}
		const left = Math.max(0, rows.length - end);
		const mayHaveMore = !reader.done;
		const list = reader.list();
		// If more rows match than are wanted, or may match, rows that the list lacks make no difference.
		const warning = left > 0 || mayHaveMore ? undefined : list.warning;
		const wantedRows = keep.rows(rows.slice(skip, end));
		return { ...list, rows: wantedRows, source: this, left, mayHaveMore, warning };
	}

	private candidates({ exact }: Wanted): unknown[] {
		const { rows } = this.reader;
		if (!exact) return rows;
		for (; this.indexed < rows.length; this.indexed++) {
			const row = rows[this.indexed];
			// A set, because a row may have the same text twice.
			for (const text of isRecord(row) ? new Set(exact.textsOf(row)) : []) {
				const same = this.byText.get(text);
				if (same) same.push(row);
				else this.byText.set(text, [row]);
			}
		}
		return this.byText.get(exact.text) ?? [];
	}
}
