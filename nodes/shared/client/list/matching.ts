// Rows of a list that the API can't search for: its pages are looked through as they arrive.
import { isRecord, type ApiRequest, type Wanted } from '../../operation';
import type { FetchPage, List, Part } from './page';
import { PageReader } from './pages';
import type { ListShape } from './rows';

/** Matching rows, and where they are from. */
export interface Matching extends List {
	/** The list that was looked through; items of one execution may share it. */
	source: Search;
}

/** Positions of the rows that have a text, and how many rows have been indexed. */
interface Index {
	positions: Map<string, number[]>;
	rows: number;
}

/** A list that is looked through, by one item or by several. */
export class Search {
	private readonly reader: PageReader;

	private readonly indexes = new Map<string, Index>();

	/** The reading that is under way. */
	private reading?: Promise<void>;

	/** @param only rows that are kept; all of them where other items will look for others */
	constructor(request: ApiRequest, shape: ListShape, fetch: FetchPage, only?: Wanted['matches']) {
		const keep = only && ((row: unknown) => (isRecord(row) && only(row) ? row : undefined));
		this.reader = PageReader.of(request, shape, fetch, { keep });
	}

	/** How many rows have been read. */
	get read(): number {
		return this.reader.rows.length;
	}

	/**
	 * Finds rows, and reads on until there are enough: one page, then twice as many at a time, so that a
	 * limit that is reached early costs little.
	 * @param part its limit and its skip count matching rows
	 * @param parallel pages in flight at most
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
			// Another item may be reading: its pages are for all.
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

	/** The rows from a position on that may match: by an index, where a text is looked for exactly. */
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
