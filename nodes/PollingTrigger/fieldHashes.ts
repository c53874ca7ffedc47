// Fields of a row as the trigger remembers them: their names, and a short hash of each value.
import type { IDataObject } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import { names, withNames } from '../api/names';
import { isUnset, sortedJson } from '../engine/base/data';
import type { RowState } from './packedState';

/** Characters of a hash, 6 bits each: of 1,000,000,000 changes of a field, one isn't noticed. */
const LENGTH = 5;

const shown = new Map(Object.entries(names).map(([raw, name]) => [raw.toLowerCase(), name]));

/** Name of a field in the items, in lower case. A user may have typed the name of the API, or that of a form. */
export function shownName(typed: string): string {
	const name = typed.trim().toLowerCase().replaceAll(' ', '_');
	return shown.get(name) ?? name;
}

/** An empty list is one way to write that there are no tags. */
const isEmpty = (value: unknown) => isUnset(value) || (Array.isArray(value) && value.length === 0);

/** State of a row: its fields with a value, by their names in the items, without its ID. Only `watched` ones, if any. */
export function hashesOf(row: IDataObject, watched: Set<string>): RowState {
	const fields = Object.entries(withNames(row))
		.filter(([name, value]) => name !== 'id' && !isEmpty(value))
		.filter(([name]) => watched.size === 0 || watched.has(name.toLowerCase()))
		.sort(([one], [other]) => (one < other ? -1 : 1));
	const hashes = fields.map(([name, value]) => {
		// The row's ID is part of the text, so that the stored hashes don't show which rows have the same value.
		const text = sortedJson([row.id, name, value]);
		return createHash('sha256').update(text).digest('base64').slice(0, LENGTH);
	});
	return { status: JSON.stringify(fields.map(([name]) => name)), hashes: hashes.join('') };
}

export const namesIn = ({ status }: RowState) => JSON.parse(status ?? '[]') as string[];

function byName(state: RowState): Map<string, string> {
	const { hashes = '' } = state;
	const hash = (n: number) => hashes.slice(n * LENGTH, (n + 1) * LENGTH);
	return new Map(namesIn(state).map((name, n) => [name, hash(n)]));
}

/** Names of the fields that were added, removed or changed. Without an earlier state, all names. */
export function changedFields(now: RowState, earlier?: RowState): string[] {
	const [before, after] = [byName(earlier ?? { status: null }), byName(now)];
	const all = new Set([...before.keys(), ...after.keys()]);
	return [...all].filter((name) => before.get(name) !== after.get(name)).sort();
}
