// Rows -> the items that start the workflow, and the samples of a manual execution.
import { NodeOperationError, type IDataObject, type INodeExecutionData } from 'n8n-workflow';

import type { Standing } from './memory';
import { readFirst, type Sighting, type Watch } from './reading';

const SAMPLES = 5;

/** The status passes the filter of the form. */
export const isWanted = ({ statuses }: Watch, status: string | null) =>
	statuses.size === 0 || statuses.has(status ?? '');

export function toItem(
	watch: Watch,
	{ id, status, row }: Pick<Sighting, 'id' | 'status' | 'row'>,
	previous: Standing | undefined,
): INodeExecutionData {
	const { event, isSimple, request } = watch;
	// Only the output is simplified. Rows are compared raw.
	const data = isSimple && event.simplify ? event.simplify([row], request)[0] : row;
	const json: IDataObject = { event: event.value, id, detectedAt: new Date().toISOString() };
	if (event.statusField !== undefined) {
		Object.assign(json, { status, previousStatus: previous?.status ?? null });
	}
	return { json: { ...json, data: data as IDataObject } };
}

/** Puts one row of each status first, so that samples reach every branch of a workflow. */
function varied(rows: Sighting[]): Sighting[] {
	const first = new Map<Sighting['status'], Sighting>();
	for (const row of rows) if (!first.has(row.status)) first.set(row.status, row);
	const different = [...first.values()];
	return [...different, ...rows.filter((row) => !different.includes(row))];
}

export async function samples(watch: Watch): Promise<INodeExecutionData[]> {
	const { sightings, withoutId } = await readFirst(watch);
	const rows = sightings.filter(({ status }) => isWanted(watch, status));
	if (rows.length > 0)
		return varied(rows)
			.slice(0, SAMPLES)
			.map((row) => toItem(watch, row, undefined));
	const unwatched = withoutId > 0 ? ` ${withoutId} of them have no ID and can't be watched.` : '';
	throw new NodeOperationError(
		watch.node,
		`No sample found for '${watch.event.name}': none of the first rows of the list match.${unwatched}`,
	);
}
