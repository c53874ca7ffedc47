// Values of a row that are remembered, since they're told when the list doesn't have it any more.
import type { IDataObject } from 'n8n-workflow';

import type { GoneEvent } from './events';
import type { RowState } from './packedState';

/** Values to tell when a row is gone. Rows of the same length share a group, so the length is their status. */
export function keptOf(row: IDataObject, { kept }: GoneEvent): RowState {
	const text = JSON.stringify(kept.map((name) => row[name] ?? null));
	return { status: String(text.length), hashes: text };
}

export function keptIn({ hashes = '[]' }: RowState, { kept }: GoneEvent): IDataObject {
	const values = JSON.parse(hashes) as IDataObject[];
	return Object.fromEntries(kept.map((name, index) => [name, values[index]]));
}
