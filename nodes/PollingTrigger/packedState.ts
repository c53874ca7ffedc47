// Rows that the trigger has seen, packed: n8n saves all of them with each execution, as JSON in its database. A row takes
// about 6.5 characters. It's stored as 48 bits of the SHA-256 of its ID, grouped by status, sorted and delta-encoded. With
// 100,000 rows, the chance of a collision is 1 in 2,800,000,000 for a new row. Where the event is a change of any field, each
// field of a row takes 5 characters more.
import { createHash } from 'node:crypto';

export interface RowState {
	/** Null if the row has none. Where fields are compared, JSON of their names. Of a webhook, JSON of its stored values. */
	status: string | null;
	/** Hashes of these fields, all of the same length. */
	hashes?: string;
	/** Day since when the row is missing, YYYY-MM-DD. */
	goneSince?: string;
}

/** Stored form of the rows with one state, their hashes one after the other. */
export interface Group extends RowState {
	rows: string;
}

export type KnownRows = Map<number, RowState>;

/** 48 bits of the hash of an ID: the number by which a row is known. */
export function fingerprint(id: string): number {
	return createHash('sha256').update(id).digest().readUIntBE(0, 6);
}

/** Numbers are stored as varints: 7 bits in a byte, the eighth is set if more follow. Divided, as shifts only keep 32 bits. */
const BYTE = 128;

/** The numbers must be sorted, since only the distances are stored. */
function packNumbers(numbers: number[]): string {
	const bytes: number[] = [];
	let previous = 0;
	for (const number of numbers) {
		let rest = number - previous;
		for (; rest >= BYTE; rest = Math.floor(rest / BYTE)) bytes.push(BYTE + (rest % BYTE));
		bytes.push(rest);
		previous = number;
	}
	return Buffer.from(bytes).toString('base64');
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

interface Numbered {
	state: RowState;
	numbers: number[];
}

/** Equal rows always give an equal result, in whatever order they come. */
export function pack(known: KnownRows): Group[] {
	const groups = new Map<string, Numbered>();
	// An array of floats sorts by value, a plain one by text.
	for (const number of Float64Array.from(known.keys()).sort()) {
		const { hashes, ...state } = known.get(number) as RowState;
		const key = JSON.stringify([state.status, state.goneSince]);
		const group: Numbered = groups.get(key) ?? { state, numbers: [] };
		group.numbers.push(number);
		if (hashes !== undefined) group.state.hashes = `${group.state.hashes ?? ''}${hashes}`;
		groups.set(key, group);
	}
	return [...groups]
		.sort(([one], [other]) => (one < other ? -1 : 1))
		.map(([, { state, numbers }]) => ({ ...state, rows: packNumbers(numbers) }));
}

/** Rows come in the order of their groups, on which `packMarks` relies. */
export function unpack(groups: Group[]): KnownRows {
	const known: KnownRows = new Map();
	for (const { rows, hashes, ...state } of groups) {
		const numbers = unpackNumbers(rows);
		const length = (hashes ?? '').length / numbers.length;
		numbers.forEach((number, n) => {
			const rowHashes = hashes?.slice(n * length, (n + 1) * length);
			known.set(number, rowHashes === undefined ? state : { ...state, hashes: rowHashes });
		});
	}
	return known;
}

/** One bit for each row, in the order of `unpack`, for rows such as those that a sweep has seen. */
export function packMarks(groups: Group[], isMarked: (number: number) => boolean): string {
	const numbers = [...unpack(groups).keys()];
	const bytes = Buffer.alloc(Math.ceil(numbers.length / 8));
	numbers.forEach((number, index) => {
		if (isMarked(number)) bytes[index >> 3] |= 1 << (index & 7);
	});
	return bytes.toString('base64');
}

export function unpackMarks(groups: Group[], marks: string): KnownRows {
	const bytes = Buffer.from(marks, 'base64');
	const rows = [...unpack(groups)];
	return new Map(rows.filter((_row, index) => ((bytes[index >> 3] ?? 0) >> (index & 7)) & 1));
}
