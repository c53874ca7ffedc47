// What the trigger has seen, small enough for n8n to save it whole with each event.
//
// n8n keeps it as JSON in the row of the workflow. So a row of a list is remembered by 48 bits of
// the SHA-256 of its id; those that stand alike are kept together, sorted, each as its distance from
// the one before: about 6.5 characters a row. That a new row is taken for one of 100,000 known ones
// has a chance of 1 in 2,800,000,000.
import { createHash } from 'node:crypto';

/** How a row stands; rows that stand alike share one object. */
export interface Standing {
	/** Its status when it was read last; null where it has none. */
	status: string | null;
	/** Day, YYYY-MM-DD, since which the list does not show it any more. */
	goneSince?: string;
}

/** Rows that stand alike, as they are stored. */
export interface Group extends Standing {
	rows: string;
}

/** Rows by the fingerprints of their ids. */
export type Known = Map<number, Standing>;

/** The number that an id is remembered by. */
export function fingerprint(id: string): number {
	return createHash('sha256').update(id).digest().readUIntBE(0, 6);
}

/** A number takes 7 bits of a byte; the eighth says that more of it follow. */
const BYTE = 128;

/** A distance is below 2^48 and so at most 7 bytes. */
const LONGEST = 7;

function packNumbers(numbers: number[]): string {
	const bytes = Buffer.alloc(numbers.length * LONGEST);
	let length = 0;
	let previous = 0;
	for (const number of Float64Array.from(numbers).sort()) {
		let rest = number - previous;
		for (; rest >= BYTE; rest = Math.floor(rest / BYTE)) bytes[length++] = BYTE + (rest % BYTE);
		bytes[length++] = rest;
		previous = number;
	}
	return bytes.toString('base64', 0, length);
}

function unpackNumbers(packed: string): number[] {
	const numbers: number[] = [];
	let previous = 0;
	let distance = 0;
	let unit = 1;
	for (const byte of Buffer.from(packed, 'base64')) {
		distance += (byte % BYTE) * unit;
		unit *= BYTE;
		if (byte >= BYTE) continue;
		previous += distance;
		numbers.push(previous);
		distance = 0;
		unit = 1;
	}
	return numbers;
}

/** The stored form of what is known; the same knowledge always gives the same form. */
export function pack(known: Known): Group[] {
	const groups = new Map<string, { standing: Standing; numbers: number[] }>();
	for (const [number, standing] of known) {
		const key = JSON.stringify([standing.status, standing.goneSince]);
		const group = groups.get(key) ?? { standing, numbers: [] };
		group.numbers.push(number);
		groups.set(key, group);
	}
	return [...groups]
		.sort(([one], [other]) => (one < other ? -1 : 1))
		.map(([, { standing, numbers }]) => ({ ...standing, rows: packNumbers(numbers) }));
}

/** What is known, from its stored form. */
export function unpack(groups: Group[]): Known {
	const known: Known = new Map();
	for (const { rows, ...standing } of groups) {
		for (const number of unpackNumbers(rows)) known.set(number, standing);
	}
	return known;
}
