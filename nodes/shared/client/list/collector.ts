// Pages of a list in order -> its rows, without those that come a second time.
import { createHash } from 'node:crypto';

import { isRecord } from '../../operation';

const hashOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest();

type Id = string | number;

/** What a page is recognized by where its rows have no IDs. */
export const printOf = (page: unknown[]): string => hashOf(page).toString('base64url').slice(0, 16);

/**
 * Collects pages. A row is left out if an earlier page had it, with the same ID and the same content:
 * rows that are added or deleted while a list is read move the others. Rows that share an ID and differ
 * are both kept, and so are equal rows of one page, and rows without an ID.
 */
export class Collector {
	readonly rows: unknown[] = [];

	/** Rows that were left out. */
	repeated = 0;

	/** Rows that were kept although an earlier page had their ID with other content. */
	changed = 0;

	/** The position in `rows` of the newest row with an ID. */
	private readonly positions = new Map<Id, number>();

	/** Hashes of trimmed rows, by their position. */
	private readonly hashes: number[] = [];

	private readonly prints: Set<string>;

	/** Not if a page has different rows under one ID. */
	private hasIds = true;

	/**
	 * @param key field of a row that is its ID
	 * @param prints of pages that were read before
	 * @param trim makes of a row what is kept of it; rows are compared by all that they were
	 */
	constructor(
		private readonly key: string,
		prints: string[] = [],
		private readonly trim?: (row: unknown) => unknown,
	) {
		this.prints = new Set(prints);
	}

	/** Adds a page. Returns how many of its rows have a new ID, or none. */
	add(page: unknown[]): number {
		const ids = page.map((row) => this.idOf(row));
		const lacksIds = !this.hasIds || ids.includes(undefined);
		const print = lacksIds || this.prints.size > 0 ? printOf(page) : '';
		const isKnown = page.length > 0 && !lacksIds && ids.every((id) => this.positions.has(id ?? ''));
		if (isKnown || this.prints.has(print)) {
			this.repeated += page.length;
			return 0;
		}
		const start = this.rows.length;
		const added = page.filter((row, index) => this.addRow(row, ids[index], start)).length;
		if (lacksIds || !this.hasIds) this.prints.add(print || printOf(page));
		return added;
	}

	private idOf(row: unknown): Id | undefined {
		const id = isRecord(row) ? row[this.key] : undefined;
		return typeof id === 'number' || (typeof id === 'string' && id !== '') ? id : undefined;
	}

	/** Adds a row of the page that begins at `start`. Returns whether no earlier page had its ID. */
	private addRow(row: unknown, id: Id | undefined, start: number): boolean {
		const position = id === undefined ? undefined : this.positions.get(id);
		const isKnown = this.hasIds && position !== undefined;
		if (isKnown) {
			const isSame = this.isSame(position, row);
			if (position >= start) this.hasIds = isSame;
			else if (isSame) {
				this.repeated++;
				return false;
			} else this.changed++;
		}
		if (id !== undefined) this.positions.set(id, this.rows.length);
		if (this.trim) this.hashes.push(hashOf(row).readUIntBE(0, 6));
		this.rows.push(this.trim ? this.trim(row) : row);
		return !isKnown || position >= start;
	}

	private isSame(position: number, row: unknown): boolean {
		return this.trim
			? this.hashes[position] === hashOf(row).readUIntBE(0, 6)
			: JSON.stringify(this.rows[position]) === JSON.stringify(row);
	}
}
