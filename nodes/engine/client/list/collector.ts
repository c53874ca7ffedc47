// Collects the rows of pages, without duplicates.
import type { IDataObject } from 'n8n-workflow';
import { hash } from 'node:crypto';

import { isRecord } from '../../base/data';
import { keepWhole } from './page';

type Id = string | number;

/** In one call, which takes half the time of a hash object. */
const hashOf = (value: unknown, encoding: 'hex' | 'base64url') =>
	hash('sha256', JSON.stringify(value), encoding);

/** Hash of a page, short because n8n stores it in bookmarks. */
export const pageFingerprint = (page: unknown[]): string => hashOf(page, 'base64url').slice(0, 16);

/** Hash of a whole row, as a number of six bytes: lists may have 100,000 rows. */
const rowHash = (row: unknown): number => parseInt(hashOf(row, 'hex').slice(0, 12), 16);

/** Two pages have the same rows, but for fields that are the same in all rows of each page. */
function differsInSharedOnly(page: unknown[], before: unknown[]): boolean {
	if (page.length !== before.length || ![...page, ...before].every(isRecord)) return false;
	const [rows, others] = [page as IDataObject[], before as IDataObject[]];
	const texts = (all: IDataObject[], name: string) => all.map((row) => JSON.stringify(row[name]));
	const names = Object.keys(rows[0]);
	const own = new Set(
		names.filter((name) => texts(rows, name).join() === texts(others, name).join()),
	);
	const isShared = (name: string) =>
		[rows, others].every((all) => new Set(texts(all, name)).size === 1);
	const differ = (name: string) => new Set(texts(rows, name)).size > 1;
	const isTold = own.size > 0 && (rows.length === 1 || [...own].some(differ));
	return isTold && names.every((name) => own.has(name) || isShared(name));
}

/**
 * Services count rows from the start of the list, so those that are added or deleted while it's read move others to
 * another page. A row is left out if an earlier page had one with the same ID and content. Rows that only share the ID
 * are all kept, and counted: the row has changed, or the ID isn't one. Equal rows of one page are kept, too.
 *
 * Services that ignore `page` return one page again and again, with the time of the response in each row, or with a new row
 * at its start. So of a page that is an earlier one again (`isAgain`), only rows with a new ID are kept.
 */
export class Collector {
	readonly rows: unknown[] = [];

	/** Number of rows left out. */
	duplicates = 0;

	/** Number of rows kept although an earlier page had their ID, with other content. */
	changed = 0;

	/** Position in `rows` of the newest row with an ID. `undefined` is only looked up, never set. */
	private readonly positions = new Map<Id | undefined, number>();

	/** Hashes of whole rows by position, if what is kept doesn't tell them apart. */
	private readonly hashes: number[] = [];

	private readonly fingerprints: Set<string>;

	/** The page before. */
	private newest: unknown[] = [];

	/** False if a page has different rows with the same ID: a reference may not say what identifies a row, so `key` is a guess. */
	private hasIds = true;

	/**
	 * @param key field with the ID of a row. A text is its own ID.
	 * @param fingerprints hashes of pages that an earlier reader read
	 */
	constructor(
		readonly key: string,
		fingerprints: string[] = [],
		private readonly keep = keepWhole,
	) {
		this.fingerprints = new Set(fingerprints);
	}

	/** Adds a page. Returns the number of its rows with a new ID or without one. None of a page that is an earlier one again. */
	add(page: unknown[]): number {
		const ids = page.map((row) => this.idOf(row));
		const lacksIds = ids.includes(undefined);
		// IDs take less time, so a page is only hashed if they can't tell. No page has an empty hash.
		const fingerprint = lacksIds || this.fingerprints.size > 0 ? pageFingerprint(page) : '';
		const isSame = this.fingerprints.has(fingerprint);
		const isAgain = isSame || this.isAgain(page, ids);
		this.newest = page;
		if (isAgain) {
			// A reader that goes on from a bookmark doesn't know the IDs of a page that is the same.
			const isNew = (id: Id | undefined) => id !== undefined && !this.positions.has(id);
			const fresh = isSame ? [] : page.filter((_row, index) => isNew(ids[index]));
			this.duplicates += page.length - fresh.length;
			if (fresh.length > 0) this.addRows(fresh);
			return 0;
		}
		const added = this.addRows(page, ids);
		if (lacksIds || !this.hasIds) this.fingerprints.add(fingerprint || pageFingerprint(page));
		return added;
	}

	/**
	 * All IDs came before. Or most of them did, and that of the first row of the page before, which is at the start of
	 * a list, is among them: rows that move to the next page because of new ones come from the end of the page. Or the rows have no
	 * IDs, and differ from the page before in what is the same in all of them, such as the time.
	 */
	private isAgain(page: unknown[], ids: Array<Id | undefined>): boolean {
		const known = ids.filter((id) => this.positions.has(id)).length;
		if (known === ids.length) return true;
		const first = this.idOf(this.newest[0]);
		if (first !== undefined) return ids.includes(first) && known > ids.length / 2;
		return known === 0 && differsInSharedOnly(page, this.newest);
	}

	/** Adds rows of one page. Returns how many of them have a new ID or none. */
	private addRows(page: unknown[], ids = page.map((row) => this.idOf(row))): number {
		const start = this.rows.length;
		const kept = this.keep.rows(page);
		let added = 0;
		for (const [index, row] of page.entries()) {
			if (this.addRow(ids[index], row, kept[index], start)) added++;
		}
		return added;
	}

	private idOf(row: unknown): Id | undefined {
		const id = isRecord(row) ? row[this.key] : row;
		const isId = typeof id === 'number' || (typeof id === 'string' && id !== '');
		return isId && this.hasIds ? id : undefined;
	}

	/** Adds a row of the page that begins at `start`. Returns true if no earlier page had its ID. */
	private addRow(ownId: Id | undefined, row: unknown, kept: unknown, start: number): boolean {
		// A row before it on the same page may have shown that there are no IDs.
		const id = this.hasIds ? ownId : undefined;
		const position = this.positions.get(id);
		const isSame = position !== undefined && this.isSame(position, row, kept);
		const wasEarlier = position !== undefined && position < start;
		if (wasEarlier && isSame) {
			this.duplicates++;
			return false;
		}
		if (wasEarlier) this.changed++;
		else if (position !== undefined && !isSame) this.hasIds = false;
		if (id !== undefined) this.positions.set(id, this.rows.length);
		if (this.keep.cuts) this.hashes.push(rowHash(row));
		this.rows.push(kept);
		return !wasEarlier;
	}

	private isSame(position: number, row: unknown, kept: unknown): boolean {
		if (this.keep.cuts) return this.hashes[position] === rowHash(row);
		return JSON.stringify(this.rows[position]) === JSON.stringify(kept);
	}
}
