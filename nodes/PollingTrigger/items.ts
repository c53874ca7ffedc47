// Rows -> the items that start the workflow, and the samples of a manual execution.
import { NodeOperationError, type IDataObject, type INodeExecutionData } from 'n8n-workflow';

import { readFirst, type Watch, type WatchedRow } from './reading';

const SAMPLES = 5;

/** The status passes the filter of the form. */
export const isWanted = ({ statuses }: Watch, status: string | null) =>
	statuses.size === 0 || statuses.has(status ?? '');

export function toItem(
	{ event, isSimple, request }: Watch,
	{ id, status, row }: Pick<WatchedRow, 'id' | 'status' | 'row'>,
	previousStatus: string | null = null,
): INodeExecutionData {
	// Only the output is simplified. Rows are compared raw.
	const data = isSimple && event.simplify ? event.simplify([row], request)[0] : row;
	const json: IDataObject = { event: event.value, id, detectedAt: new Date().toISOString() };
	if (event.statusField !== undefined) Object.assign(json, { status, previousStatus });
	return { json: { ...json, data: data as IDataObject } };
}

/** Puts one row of each status first, so that samples reach every branch of a workflow. */
function varied(rows: WatchedRow[]): WatchedRow[] {
	const first = rows.filter(
		(row, index) => rows.findIndex(({ status }) => status === row.status) === index,
	);
	return [...first, ...rows.filter((row) => !first.includes(row))];
}

export async function samples(watch: Watch): Promise<INodeExecutionData[]> {
	const { rows, withoutId } = await readFirst(watch);
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
