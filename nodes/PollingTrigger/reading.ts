// A list -> its rows as they stand now, although it may change while it is read.
import { NodeOperationError, type IDataObject, type INode } from 'n8n-workflow';

import type { Api } from '../shared/api';
import type { ApiRequest } from '../shared/operation';
import { readList } from '../shared/pages';
import { fingerprint } from './memory';

/** A row as it stands now. */
export interface Sighting {
	id: string;
	number: number;
	status: string | null;
	/** The row itself, only where it is news: lists can be long. */
	row?: IDataObject;
}

/** What is read and how. */
export interface Source {
	api: Api;
	request: ApiRequest;
	statusField?: string;
	node: INode;
}

/** Pages in flight at most. */
export const PARALLEL = 5;

/** How often the list is read in one poll at most. */
const READINGS = 3;

const shape = { kind: 'list', paging: 'paged' } as const;

function statusOf(row: IDataObject, statusField: string | undefined): string | null {
	const status = statusField === undefined ? undefined : row[statusField];
	return status === undefined || status === null ? null : String(status);
}

function sighting(row: IDataObject, { statusField }: Source): Sighting[] {
	if (row.id === undefined || row.id === null) return [];
	const id = String(row.id);
	return [{ id, number: fingerprint(id), status: statusOf(row, statusField), row }];
}

/** The rows of the first page. */
export async function readFirst(source: Source): Promise<Sighting[]> {
	const { api, request } = source;
	const page = async (each: ApiRequest) => await api.page(each, shape);
	const { rows } = await readList(request, shape, 100, page, 1);
	return (rows as IDataObject[]).flatMap((row) => sighting(row, source));
}

/**
 * The rows of the whole list. Rows that come or go while its pages are read move the others: one
 * may be skipped then. So it is read again, and the readings united, when fewer rows came than it
 * announced all the while, or, for a `firm` reading, when it changed at all.
 * @throws NodeOperationError when rows are missing all the same, NodeApiError when a page fails
 */
export async function readAll(
	source: Source,
	isNews: (sighting: Sighting) => boolean,
	firm: boolean,
): Promise<Sighting[]> {
	const { api, request, node } = source;
	const sightings = new Map<string, Sighting>();
	let announced = 0;
	for (let reading = 1; reading <= READINGS; reading++) {
		const counts: number[] = [];
		const page = async (each: ApiRequest) => {
			const { body, rows } = await api.page(each, shape);
			const { count } = body as { count?: unknown };
			if (typeof count === 'number') counts.push(count);
			const seen = (rows as IDataObject[]).flatMap((row) => sighting(row, source));
			return {
				body,
				rows: seen.map((each) => (isNews(each) ? each : { ...each, row: undefined })),
			};
		};
		const { rows, warning } = await readList(request, shape, Infinity, page, PARALLEL);
		for (const each of rows as Sighting[]) sightings.set(each.id, each);
		announced = Math.min(...counts, Infinity);
		const whole = counts.length === 0 || sightings.size >= announced;
		if (whole && (warning === undefined || !firm || reading === READINGS)) {
			return [...sightings.values()];
		}
	}
	throw new NodeOperationError(
		node,
		`The API announced ${announced} rows but delivered ${sightings.size}, in ${READINGS} readings of the list. Nothing was reported and nothing is forgotten: the next poll tries again.`,
	);
}
