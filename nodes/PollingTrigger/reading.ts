// Reads the rows of a list, or single records by their IDs, for a poll.
import type { IDataObject, INode } from 'n8n-workflow';

import { isRecord, recordOf, type ApiRequest } from '../shared/operation';
import { lastId } from '../shared/path';
import { inPool } from '../shared/pool';
import type { Api, Door } from '../shared/trigger';
import type { PolledEvent } from './events';
import { fingerprint } from './memory';
import { registeredOf, webhookOf } from './registered';

/** A row that was just read. */
export interface Sighting {
	id: string;
	/** Hash of the ID. */
	number: number;
	status: string | null;
	/** Only kept if the row is reported: lists can be long. */
	row?: IDataObject;
}

/** Event to watch, and all that a poll needs to read its list. */
export interface Watch {
	node: INode;
	event: PolledEvent;
	door: Door;
	api: Api;
	request: ApiRequest;
	/** One request for each record, if the form has IDs instead of a list. */
	named?: ApiRequest[];
	/** URL prefix of the webhooks to watch. */
	urlStart?: string;
	/** Statuses to report. All if empty. */
	statuses: Set<string>;
	isSimple: boolean;
	/** The first poll reports existing rows. */
	includeExisting: boolean;
	/** Identifies event and list. If it changes, polling starts over. */
	watching: string;
	/** Aborts when the poll's time is over, if n8n says how much it has. */
	deadline?: AbortSignal;
}

/** Max records that are requested at the same time. */
const PARALLEL = 5;

function statusOf(row: IDataObject, statusField: string | undefined): string | null {
	const status = statusField === undefined ? undefined : row[statusField];
	return status === undefined || status === null ? null : String(status);
}

/** Reads a row. Returns undefined if it isn't watched or has no ID. */
export function sightingOf(
	row: unknown,
	{ event: { statusField }, urlStart }: Watch,
): Sighting | undefined {
	const id = isRecord(row) ? row.id : undefined;
	if (!isRecord(row) || (typeof id !== 'string' && typeof id !== 'number') || id === '') {
		return undefined;
	}
	const name = String(id);
	if (urlStart !== undefined) {
		const status = registeredOf(row, urlStart);
		if (status === undefined) return undefined;
		return { id: name, number: fingerprint(name), status, row: webhookOf(status) };
	}
	return { id: name, number: fingerprint(name), status: statusOf(row, statusField), row };
}

const isSighting = (each: Sighting | undefined) => each !== undefined;

/**
 * Reads records by their IDs and appends them to `sightings` in order. After a failure, those that were
 * read are appended, too.
 * @param firm true if every record must exist. Otherwise missing ones are left out.
 */
export async function readNamed(
	source: Watch,
	named: ApiRequest[],
	firm: boolean,
	sightings: Sighting[],
): Promise<void> {
	const { api } = source;
	const read: Array<Sighting | undefined> = [];
	await inPool(named.length, PARALLEL, async (index) => {
		const response = await api.ask(named[index]);
		if (response.says === 'absent' && !firm) return;
		const record = { ...recordOf(api.accept(response)), id: lastId(named[index]) };
		read[index] = sightingOf(record, source);
	}).finally(() => sightings.push(...read.filter(isSighting)));
}

/** Returns the rows of the first page, and the number of those without an ID. */
export async function readFirst(
	source: Watch,
): Promise<{ sightings: Sighting[]; withoutId: number }> {
	const { api, request, named } = source;
	if (named) {
		const sightings: Sighting[] = [];
		await readNamed(source, named, true, sightings);
		return { sightings, withoutId: 0 };
	}
	const { rows } = await api.list(request, { limit: 100 });
	const sightings = rows.map((row) => sightingOf(row, source)).filter(isSighting);
	const withoutId = source.urlStart === undefined ? rows.length - sightings.length : 0;
	return { sightings, withoutId };
}
