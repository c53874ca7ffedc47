// Pages of a list in order -> its rows, without those that come a second time.
import { createHash } from 'node:crypto';

import { isRecord } from '../../operation';

/** A number by which the content of a row is recognized, together with its id. */
const contentOf = (row: unknown) =>
	createHash('sha256').update(JSON.stringify(row)).digest().readUIntBE(0, 6);

/** What a page is recognized by where the ids of its rows do not do it. */
export function printOf(page: unknown[]): string {
	return createHash('sha256').update(JSON.stringify(page)).digest('base64url').slice(0, 16);
}

/**
 * Collects pages. A row that an earlier page had, with the same id and the same content, is left out:
 * rows that come or go while a list is read move the others. Rows that share an id and differ are
 * rows, and so is what stands twice on one page, and what has no id.
 */
export class Collector {
	readonly rows: unknown[] = [];

	/** Rows that were left out. */
	repeated = 0;

	/** Rows that were taken although an earlier page had one with the same id and other content. */
	changed = 0;

	/** Where in `rows` an id stands, the newest if there are several. */
	private readonly places = new Map<string | number, number>();

	/** Lengths of the pages that were taken whole, by the place of their first row. */
	private readonly lengths = new Map<number, number>();

	/** What rows were that are no longer whole, by their place. */
	private readonly contents: number[] = [];

	private readonly prints: Set<string>;

	/** Not when a page shows several rows under one id: then it is the id of something else. */
	private identifying = true;

	/**
	 * @param key field of a row that is its id
	 * @param prints of pages that were read before
	 * @param keep makes of a row what is kept of it; rows are told apart by all that they were
	 */
	constructor(
		private readonly key: string,
		prints: string[] = [],
		private readonly keep?: (row: unknown) => unknown,
	) {
		this.prints = new Set(prints);
	}

	/** Adds a page; tells whether it brought anything new. */
	add(page: unknown[]): boolean {
		const loose =
			this.prints.size > 0 || !this.identifying || page.some((row) => this.idOf(row) === undefined);
		const print = loose ? printOf(page) : '';
		if (this.prints.has(print) || this.isKnown(page)) {
			this.repeated += page.length;
			return false;
		}
		const start = this.rows.length;
		for (const row of page) this.addRow(row, start);
		if (loose || !this.identifying) this.prints.add(print || printOf(page));
		if (this.rows.length === start + page.length) this.lengths.set(start, page.length);
		return this.rows.length > start;
	}

	private idOf(row: unknown): string | number | undefined {
		const id = isRecord(row) ? row[this.key] : undefined;
		return typeof id === 'number' || (typeof id === 'string' && id !== '') ? id : undefined;
	}

	private placeOf(row: unknown): number | undefined {
		const id = this.idOf(row);
		return id === undefined ? undefined : this.places.get(id);
	}

	/** Whether it is an earlier page again, by the ids of its rows; their content may have changed. */
	private isKnown(page: unknown[]): boolean {
		const first = this.identifying ? this.placeOf(page[0]) : undefined;
		return (
			first !== undefined &&
			this.lengths.get(first) === page.length &&
			page.every((row, index) => this.placeOf(row) === first + index)
		);
	}

	private addRow(row: unknown, start: number): void {
		const id = this.idOf(row);
		const place = id === undefined ? undefined : this.places.get(id);
		if (place !== undefined && this.identifying) {
			const alike = this.isAlike(place, row);
			if (place >= start) this.identifying = alike;
			else if (alike) {
				this.repeated++;
				return;
			} else this.changed++;
		}
		if (id !== undefined) this.places.set(id, this.rows.length);
		if (this.keep) this.contents.push(contentOf(row));
		this.rows.push(this.keep ? this.keep(row) : row);
	}

	/** Whether a row is the same as the one at that place. */
	private isAlike(place: number, row: unknown): boolean {
		if (this.keep) return this.contents[place] === contentOf(row);
		return JSON.stringify(this.rows[place]) === JSON.stringify(row);
	}
}
