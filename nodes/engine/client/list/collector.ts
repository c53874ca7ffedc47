// Collects the rows of pages, without duplicates.
import type { IDataObject } from 'n8n-workflow';
import { hash } from 'node:crypto';

import { isRecord } from '../../base/data';
import { keepWhole } from './page';

type Id = string | number;

/** A call takes half the time of a hash object. */
const hashOf = (value: unknown, encoding: 'hex' | 'base64url') =>
	hash('sha256', JSON.stringify(value), encoding);

/** The print is short because n8n stores it in bookmarks. */
export const pageFingerprint = (page: unknown[]): string => hashOf(page, 'base64url').slice(0, 16);

/** A number of six bytes takes less memory than a text: lists may have 100,000 rows. */
const rowHash = (row: unknown): number => parseInt(hashOf(row, 'hex').slice(0, 12), 16);

/** True if two pages have the same rows, but for fields with one value in all rows, such as the time of the response. */
function differsInSharedOnly(page: unknown[], before: unknown[]): boolean {
	if (page.length !== before.length || ![...page, ...before].every(isRecord)) return false;
	const [rows, others] = [page as IDataObject[], before as IDataObject[]];
	const texts = (all: IDataObject[], name: string) => all.map((row) => JSON.stringify(row[name]));
	const names = [...new Set([...rows, ...others].flatMap((row) => Object.keys(row)))];
	const equal = new Set(
		names.filter((name) => texts(rows, name).join() === texts(others, name).join()),
	);
	const isShared = (name: string) =>
		[rows, others].every((all) => new Set(texts(all, name)).size === 1);
	const differ = (name: string) => new Set(texts(rows, name)).size > 1;
	// A field with one value in all rows proves nothing: other rows may have the same value, such as usages of the same amount.
	// Of a single row any equal field counts.
	const isProven = equal.size > 0 && (rows.length === 1 || [...equal].some(differ));
	return isProven && names.every((name) => equal.has(name) || isShared(name));
}

/**
 * Services count rows from the start of the list, so rows that are added or deleted meanwhile move others to another page. A
 * row is left out if an earlier page had one with the same ID and content. Rows that only share the ID are kept, and counted:
 * the row has changed, or the ID isn't one. Equal rows of one page are kept, too.
 *
 * Services that ignore `page` return one page again and again, with the time of the response in each row, or with a new row at
 * its start. So of a page that repeats an earlier one, only rows with a new ID are kept.
 */
export class Collector {
	readonly rows: unknown[] = [];

	duplicates = 0;

	/** Number of rows kept although an earlier page had their ID, with other content. */
	changed = 0;

	/** Position in `rows` of the newest row with an ID. `undefined` is only looked up, never set. */
	private readonly positions = new Map<Id | undefined, number>();

	/** Hashes of whole rows by position, if the kept part of a row doesn't tell rows apart. */
	private readonly hashes: number[] = [];

	/** Hashes of pages that an earlier reader read, and of pages with rows without an ID. */
	private readonly fingerprints: Set<string>;

	private newest: unknown[] = [];

	/** False once a page had different rows with one ID: the reference may not say what identifies a row, so it's a guess. */
	private hasIds = true;

	constructor(
		readonly key: string,
		fingerprints: string[] = [],
		private readonly keep = keepWhole,
	) {
		this.fingerprints = new Set(fingerprints);
	}

	/** The number of new rows. 0 for a page that repeats an earlier one, even if it has new rows, since the list ends there. */
	add(page: unknown[]): number {
		const ids = page.map((row) => this.idOf(row));
		const lacksIds = ids.includes(undefined);
		// Comparing IDs takes less time, so a page is only hashed if IDs can't tell. No page has an empty hash.
		const fingerprint = lacksIds || this.fingerprints.size > 0 ? pageFingerprint(page) : '';
		const hasKnownHash = this.fingerprints.has(fingerprint);
		const isRepeated = hasKnownHash || this.repeatsEarlier(page, ids);
		this.newest = page;
		if (isRepeated) {
			const isNew = (id: Id | undefined) => id !== undefined && !this.positions.has(id);
			// With a known hash no row is new. An earlier reader may have read the page, and its IDs aren't in `positions`.
			const fresh = hasKnownHash ? [] : page.filter((_row, index) => isNew(ids[index]));
			this.duplicates += page.length - fresh.length;
			if (fresh.length > 0) this.addRows(fresh);
			return 0;
		}
		const added = this.addRows(page, ids);
		// `addRows` may have found out that rows have no IDs.
		if (lacksIds || !this.hasIds) this.fingerprints.add(fingerprint || pageFingerprint(page));
		return added;
	}

	/**
	 * True if a page is taken for an earlier one that came again:
	 * - All its IDs came before, or it's empty.
	 * - Most of its IDs came before, also that of the first row of the page before. New rows move only the end of a page to the
	 *   next.
	 * - Its rows have no IDs, and differ from the page before only in what all rows share, such as the time.
	 */
	private repeatsEarlier(page: unknown[], ids: Array<Id | undefined>): boolean {
		const earlierIds = ids.filter((id) => this.positions.has(id)).length;
		if (earlierIds === ids.length) return true;
		const first = this.idOf(this.newest[0]);
		if (first !== undefined) return ids.includes(first) && earlierIds > ids.length / 2;
		return earlierIds === 0 && differsInSharedOnly(page, this.newest);
	}

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

	private addRow(givenId: Id | undefined, row: unknown, kept: unknown, start: number): boolean {
		// A row before it on the same page may have shown that there are no IDs.
		const id = this.hasIds ? givenId : undefined;
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
