// A list -> its rows as they stand now, although it may change while it is read.
import { NodeOperationError, type IDataObject, type INode } from 'n8n-workflow';

import { isRecord, recordOf, type ApiRequest } from '../shared/operation';
import { inPool } from '../shared/pool';
import type { Api } from '../shared/trigger';
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
	/** A request for each record, where the form names them and there is no list. */
	named?: ApiRequest[];
	statusField?: string;
	node: INode;
}

/** Named records that are asked for at a time. */
const PARALLEL = 5;

/** How often the list is read in one poll at most. */
const READINGS = 3;

function statusOf(row: IDataObject, statusField: string | undefined): string | null {
	const status = statusField === undefined ? undefined : row[statusField];
	return status === undefined || status === null ? null : String(status);
}

/** A row as it stands; none if it has no id to know it by. */
function sightingOf(row: unknown, { statusField }: Source): Sighting | undefined {
	const id = isRecord(row) ? row.id : undefined;
	if (!isRecord(row) || (typeof id !== 'string' && typeof id !== 'number') || id === '') {
		return undefined;
	}
	const name = String(id);
	return {
		id: name,
		number: fingerprint(name),
		status: statusOf(row, statusField),
		row,
	};
}

const isSighting = (each: Sighting | undefined) => each !== undefined;

/**
 * The named records as they stand.
 * @param firm whether each of them must be there; else one that is gone is left out
 */
async function readNamed(
	{ api, statusField, node }: Source,
	named: ApiRequest[],
	firm: boolean,
): Promise<Sighting[]> {
	const sightings: Array<Sighting | undefined> = [];
	await inPool(named.length, PARALLEL, async (index) => {
		const answer = await api.ask(named[index]);
		if (answer.missing && !firm) return;
		const [{ value: id }] = named[index].sought ?? [{ value: '' }];
		const row = { ...recordOf(api.accept(answer)), id };
		sightings[index] = sightingOf(row, { api, request: named[index], statusField, node });
	});
	return sightings.filter(isSighting);
}

/** The rows of the first page, and how many of them have no id to know them by. */
export async function readFirst(
	source: Source,
): Promise<{ sightings: Sighting[]; withoutId: number }> {
	const { api, request, named } = source;
	if (named) return { sightings: await readNamed(source, named, true), withoutId: 0 };
	const { rows } = await api.list(request, { limit: 100 });
	const sightings = rows.map((row) => sightingOf(row, source)).filter(isSighting);
	return { sightings, withoutId: rows.length - sightings.length };
}

/** One reading of the list: what it shows, and how far that is all of it. */
interface Reading {
	sightings: Map<string, Sighting>;
	/** Rows that are no sighting of their own: without an id, or with that of another row. */
	odd: number;
	/** Rows that came again on a later page. */
	again: number;
	/** The least that the list announced while it was read; 0 if nothing. */
	announced: number;
	/** Whether it stayed the same all the while. */
	steady: boolean;
}

async function readOnce(source: Source, isNews: (sighting: Sighting) => boolean): Promise<Reading> {
	const { api, request } = source;
	let announced = Infinity;
	const onPage = (page: unknown[], body: unknown, { query }: ApiRequest) => {
		const count = isRecord(body) ? body.count : undefined;
		// What an empty page behind the end says of the list may hold for itself.
		if (typeof count === 'number' && (page.length > 0 || query?.page === 1)) {
			announced = Math.min(announced, count);
		}
		return page.map((row) => {
			const sighting = sightingOf(row, source);
			return sighting && !isNews(sighting) ? { ...sighting, row: undefined } : sighting;
		});
	};
	const { rows, warning, overlapping } = await api.list(request, { onPage });
	const sightings = new Map<string, Sighting>();
	for (const each of rows as Array<Sighting | undefined>) if (each) sightings.set(each.id, each);
	return {
		sightings,
		odd: rows.length - sightings.size,
		again: overlapping,
		announced: Number.isFinite(announced) ? announced : 0,
		steady: warning === undefined,
	};
}

/**
 * The rows of the whole list. Rows that come or go while its pages are read move the others: one
 * may be skipped then. So it is read again, and the readings united, when fewer rows came than it
 * announced all the while, or, for a `firm` reading, when it changed at all. A list that names a row
 * twice, each time that it is read, is whole all the same.
 * @throws NodeOperationError when rows are missing all the same, NodeApiError when a page fails
 */
export async function readAll(
	source: Source,
	isNews: (sighting: Sighting) => boolean,
	firm: boolean,
): Promise<Sighting[]> {
	if (source.named) return await readNamed(source, source.named, firm);
	const sightings = new Map<string, Sighting>();
	let announced = 0;
	for (let number = 1; number <= READINGS; number++) {
		const reading = await readOnce(source, isNews);
		for (const each of reading.sightings.values()) sightings.set(each.id, each);
		({ announced } = reading);
		const isLast = number === READINGS;
		const rows = sightings.size + reading.odd + (isLast ? reading.again : 0);
		if (rows >= announced && (reading.steady || !firm || isLast)) return [...sightings.values()];
	}
	throw new NodeOperationError(
		source.node,
		`The API announced ${announced} rows but returned ${sightings.size}, in ${READINGS} attempts to read the list. No items were output. The next poll tries again.`,
	);
}
