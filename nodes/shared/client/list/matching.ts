// Searches a list by filters that the API doesn't have, page by page.
import { isRecord, type ApiRequest, type Wanted } from '../../operation';
import type { FetchPage, List, Part } from './page';
import { PageReader } from './pages';
import type { ListShape } from './rows';

/** Rows that match. */
export interface Matching extends List {
	/** The searched list. Items of one execution may share it. */
	source: Search;
}

/** Positions of rows by text, and the number of rows that are indexed. */
interface Index {
	positions: Map<string, number[]>;
	rows: number;
}

/** A list that one or more items search. */
export class Search {
	private readonly reader: PageReader;

	private readonly indexes = new Map<string, Index>();

	/** Pages that are being read. */
	private reading?: Promise<void>;

	/** @param only rows to keep in memory. All if items share the list, since each wants other rows. */
	constructor(request: ApiRequest, shape: ListShape, fetch: FetchPage, only?: Wanted['matches']) {
		const keep = only && ((row: unknown) => (isRecord(row) && only(row) ? row : undefined));
		this.reader = PageReader.of(request, shape, fetch, { keep });
	}

	/** Number of rows read. */
	get read(): number {
		return this.reader.rows.length;
	}

	/**
	 * Reads until there are enough matching rows. With a limit, it reads one page, then two, four and so on,
	 * so that few pages are read in vain.
	 * @param part limit and skip count matching rows
	 * @param parallel max pages in flight
	 */
	async find(
		{ limit = Infinity, skip = 0, keep = (row) => row }: Part,
		wanted: Wanted,
		fetch: FetchPage,
		parallel: () => number,
	): Promise<Matching> {
		const { reader } = this;
		const end = skip + limit;
		const rows: unknown[] = [];
		let seen = 0;
		for (let pages = 1; ; pages *= 2) {
			for (const row of this.rowsFor(wanted, seen)) if (wanted.matches(row)) rows.push(row);
			seen = this.read;
			if (reader.done || rows.length >= end) break;
			// If another item is reading, its pages are for all.
			this.reading ??= reader
				.read(limit === Infinity ? Infinity : pages, parallel, fetch)
				.finally(() => (this.reading = undefined));
			await this.reading;
		}
		const left = Math.max(0, rows.length - end);
		const mayHaveMore = !reader.done;
		const { warning, overlapping } = reader.list();
		return {
			rows: rows.slice(skip, end).map(keep),
			source: this,
			left,
			mayHaveMore,
			overlapping,
			warning: left > 0 || mayHaveMore ? undefined : warning,
		};
	}

	/** Returns the rows from a position on that may match. Exact texts have an index. */
	private rowsFor({ exact }: Wanted, from: number) {
		const { rows } = this.reader;
		if (!exact) return rows.slice(from).filter(isRecord);
		const index: Index = this.indexes.get(exact.name) ?? { positions: new Map(), rows: 0 };
		this.indexes.set(exact.name, index);
		for (; index.rows < rows.length; index.rows++) {
			const row = rows[index.rows];
			for (const text of isRecord(row) ? new Set(exact.textsOf(row)) : []) {
				const positions = index.positions.get(text);
				if (positions) positions.push(index.rows);
				else index.positions.set(text, [index.rows]);
			}
		}
		const positions = index.positions.get(exact.text) ?? [];
		return positions
			.flatMap((position) => (position < from ? [] : [rows[position]]))
			.filter(isRecord);
	}
}
