// Rows -> the items that start the workflow, and the samples of a manual execution.
import { NodeOperationError, type IDataObject, type INodeExecutionData } from 'n8n-workflow';

import { rawPathsOf, withNames } from '../api/names';
import { FieldFault } from '../engine/base/apiRequest';
import { firstOf } from '../engine/base/data';
import { changedFields } from './fieldHashes';
import type { RowState } from './memory';
import { readFirst, type Watch, type WatchedRow } from './reading';

const SAMPLES = 5;

/** The status passes the filter of the form. */
export const isWanted = ({ statuses }: Watch, status: string | null) =>
	statuses.size === 0 || statuses.has(status ?? '');

/** @param earlier state before the change. Without it the row is new: `previousStatus` is null, and all fields are changed. */
export function toItem(
	{ event, isSimple, request }: Watch,
	{ id, row, ...now }: RowState & Pick<WatchedRow, 'id' | 'row'>,
	earlier?: RowState,
): INodeExecutionData {
	// Only the output is simplified. Rows are compared raw.
	const data = isSimple && event.simplify ? event.simplify([row], request)[0] : row;
	const json: IDataObject = { event: event.value, id, detectedAt: new Date().toISOString() };
	if (event.statusOf) {
		Object.assign(json, { status: now.status, previousStatus: earlier?.status ?? null });
	}
	if (event.isUpdate) {
		// The state has the names of simplified output. Other output has those of the API.
		const nameOf = isSimple ? (name: string) => name : rawPathsOf(row ?? {});
		json.changed = changedFields(now, earlier).map(nameOf).sort();
	}
	return { json: { ...json, data: data as IDataObject } };
}

/** Puts one row of each status first, so that samples reach every branch of a workflow. */
function varied(rows: WatchedRow[]): WatchedRow[] {
	const first = rows.filter(
		(row, index) => rows.findIndex(({ status }) => status === row.status) === index,
	);
	return [...first, ...rows.filter((row) => !first.includes(row))];
}

/** @throws FieldFault for a field to watch that none of the rows has. Without rows, nothing can be said. */
function checkFields({ fields }: Watch, rows: WatchedRow[]): void {
	const found = new Set(rows.flatMap(({ row = {} }) => Object.keys(withNames(row))));
	const unknown = [...fields].find((name) => !found.has(name));
	if (unknown === undefined || rows.length === 0) return;
	const all = firstOf([...found].sort(), 30);
	throw new FieldFault(
		'Fields to Watch',
		`has "${unknown}", which none of the first rows has. They have ${all}`,
	);
}

/**
 * Up to `SAMPLES` items for a manual execution, as if their rows were new. The state of the trigger isn't changed.
 * @throws NodeOperationError if no row matches, FieldFault for a field to watch that no row has
 */
export async function samples(watch: Watch): Promise<INodeExecutionData[]> {
	const { rows, withoutId } = await readFirst(watch);
	checkFields(watch, rows);
	const wanted = rows.filter(({ status }) => isWanted(watch, status));
	if (wanted.length > 0) {
		return varied(wanted)
			.slice(0, SAMPLES)
			.map((row) => toItem(watch, row));
	}
	const unwatched = withoutId > 0 ? ` ${withoutId} of them have no ID and can't be watched.` : '';
	throw new NodeOperationError(
		watch.node,
		`No sample found for '${watch.event.name}': none of the first rows of the list match.${unwatched}`,
	);
}
