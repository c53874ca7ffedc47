// Collects the rows of pages, without duplicates.
import { createHash } from 'node:crypto';

import { isRecord } from '../../operation';

type Id = string | number;

const hashOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest();

/** Hash of a page. */
export const printOf = (page: unknown[]): string => hashOf(page).toString('base64url').slice(0, 16);

/** Hash of a row, as a number to save memory. */
const rowHash = (row: unknown): number => hashOf(row).readUIntBE(0, 6);

/**
 * Leaves out a row if an earlier page had one with the same ID and content: rows that are added or deleted
 * during the reading move others to another page. Rows with the same ID and different content are all kept,
 * and so are equal rows of one page. A page whose rows have no IDs is left out if the same page came before.
 */
export class Collector {
	readonly rows: unknown[] = [];

	/** Number of rows left out. */
	duplicates = 0;

	/** Number of rows kept although an earlier page had their ID, with other content. */
	changed = 0;

	/** Position in `rows` of the newest row with an ID. */
	private readonly positions = new Map<Id, number>();

	/** Hashes of whole rows by position, if rows are trimmed. */
	private readonly hashes: number[] = [];

	private readonly prints: Set<string>;

	/** False if a page has different rows with the same ID. Then IDs say nothing. */
	private hasIds = true;

	/**
	 * @param key field with the ID of a row
	 * @param prints hashes of pages that an earlier reader read
	 * @param trim returns what to keep of a row. Rows are compared before they're trimmed.
	 */
	constructor(
		private readonly key: string,
		prints: string[] = [],
		private readonly trim?: (row: unknown) => unknown,
	) {
		this.prints = new Set(prints);
	}

	/** Adds a page. Returns the number of its rows with a new ID or without one. */
	add(page: unknown[]): number {
		const ids = page.map((row) => this.idOf(row));
		const lacksIds = !this.hasIds || ids.includes(undefined);
		const print = lacksIds || this.prints.size > 0 ? printOf(page) : '';
		const isKnown = !lacksIds && ids.every((id) => this.positions.has(id ?? ''));
		if (isKnown || this.prints.has(print)) {
			this.duplicates += page.length;
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

	/** Adds a row of the page that begins at `start`. Returns true if no earlier page had its ID. */
	private addRow(row: unknown, id: Id | undefined, start: number): boolean {
		const position = this.hasIds ? this.positions.get(id ?? '') : undefined;
		const isNew = position === undefined || position >= start;
		if (position !== undefined) {
			const isSame = this.isSame(position, row);
			if (isNew) this.hasIds = isSame;
			else if (isSame) {
				this.duplicates++;
				return false;
			} else this.changed++;
		}
		if (id !== undefined) this.positions.set(id, this.rows.length);
		if (this.trim) this.hashes.push(rowHash(row));
		this.rows.push(this.trim ? this.trim(row) : row);
		return isNew;
	}

	private isSame(position: number, row: unknown): boolean {
		if (this.trim) return this.hashes[position] === rowHash(row);
		return JSON.stringify(this.rows[position]) === JSON.stringify(row);
	}
}
