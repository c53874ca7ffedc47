// Rows of a write as n8n shows them in a table: what fits into a line first, and the note of Dry Run last. Nodes of version 1 keep
// their output.
import type { IDataObject } from 'n8n-workflow';

import { isRecord } from '../base/data';

/** Max entries of a list of texts or numbers. A table shows each in a line of its own. */
const ENTRIES = 10;

const isNested = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** A list with its first entries, and how many more there are. Anything else as it is, but the lists in it cut, too. */
function withoutLongLists(value: unknown): unknown {
	if (Array.isArray(value)) {
		const isLong = value.length > ENTRIES && !value.some(isNested);
		if (!isLong) return value.map(withoutLongLists);
		return [...(value as unknown[]).slice(0, ENTRIES), `and ${value.length - ENTRIES} more`];
	}
	if (!isRecord(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, each]) => [name, withoutLongLists(each)]),
	);
}

/**
 * Orders the fields of a row: `id`, what fits into a line, what doesn't.
 * @param sent what the row tells of the item besides. Fields of the row itself count
 */
export function tableRow(row: IDataObject, sent: IDataObject = {}): IDataObject {
	const { id, dryRun, ...rest } = { ...sent, ...row };
	const all = Object.entries(rest).map(([name, value]) => [name, withoutLongLists(value)] as const);
	return {
		...(id !== undefined && { id }),
		...Object.fromEntries(all.filter(([, value]) => !isNested(value))),
		...Object.fromEntries(all.filter(([, value]) => isNested(value))),
		...(dryRun !== undefined && { dryRun: withoutLongLists(dryRun) }),
	} as IDataObject;
}
