// Rows of a list, or named records, as a poll looks at them.
import type { IDataObject, INode } from 'n8n-workflow';

import { isRecord, recordOf, type ApiRequest } from '../shared/operation';
import { lastId } from '../shared/path';
import { inPool } from '../shared/pool';
import type { Api, Door } from '../shared/trigger';
import type { PolledEvent } from './events';
import { fingerprint } from './memory';
import { registeredOf, webhookOf } from './registered';

/** A row as it stands now. */
export interface Sighting {
	id: string;
	number: number;
	status: string | null;
	/** The row itself, only where it is news: lists can be long. */
	row?: IDataObject;
}

/** What is watched, ready to be read. */
export interface Watch {
	node: INode;
	event: PolledEvent;
	door: Door;
	api: Api;
	request: ApiRequest;
	/** A request for each record, where the form names them and there is no list. */
	named?: ApiRequest[];
	/** How the URLs of the webhooks start, where these are watched. */
	urlStart?: string;
	/** Statuses to report; all if empty. */
	statuses: Set<string>;
	isSimple: boolean;
	/** Whether the first poll reports what is there. */
	includeExisting: boolean;
	/** Names event and list: with another one, polling starts over. */
	watching: string;
	/** Ends the poll, where n8n tells how long it may take. */
	deadline?: AbortSignal;
}

/** Named records that are asked for at a time. */
const PARALLEL = 5;

function statusOf(row: IDataObject, statusField: string | undefined): string | null {
	const status = statusField === undefined ? undefined : row[statusField];
	return status === undefined || status === null ? null : String(status);
}

/** A row as it stands; none if it isn't watched, or has no id to know it by. */
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
 * Adds the named records as they stand, in order; those that came before a failure, too.
 * @param firm whether each of them must be there; else one that is gone is left out
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

/** The rows of the first page, and how many of them have no id to know them by. */
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
