// Dry Run: simulated responses for requests that aren't sent.
import type { IDataObject } from 'n8n-workflow';

import { FieldFault, type ApiRequest } from '../../base/apiRequest';
import { isRecord, numberOf, recordOf, setAt } from '../../base/data';
import type { Endpoint, Route } from '../../base/definition';
import { isOfRecord, lastId, withPathIds } from '../../base/path';
import type { DryRun } from './dryRunMode';
import {
	hasDryId,
	idBy,
	isAboutDryRecord,
	newDryId,
	noRecords,
	recordIn,
	remember,
	type DryRecords,
} from './dryRecords';
import { received } from './exchange';
import type { ApiResponse } from './outcome';
import { NO_SECRETS, type Secrets } from './redact';

/** An empty object in a sample stands for a map, which may have any keys. */
const isMap = (sample: unknown) => isRecord(sample) && Object.keys(sample).length === 0;

/**
 * The record in a body. An object that is the only member is the record itself, in a wrapper. But a map that is the only
 * member is a field of the record: the sample of the response shows the map under the same name.
 */
function recordSent({ endpoint, body = {} }: ApiRequest): IDataObject {
	const [[name, value] = [], ...others] = Object.entries(body);
	const isWrapped = isRecord(value) && others.length === 0;
	const sample = endpoint.api.dryRun.samples[endpoint.route] ?? {};
	return isWrapped && !isMap(sample[String(name)]) ? value : body;
}

/** A lookup by a value has the sample of the route that reads such a record by its ID. */
const likeRoute = ({ route, api }: Endpoint): Route => api.dryRun.lookups[route]?.like ?? route;

/** Keys by which a record is found again: its noun with each of its values, whatever the API calls the value here. */
const keysIn = ({ api }: Endpoint, noun: string, values: IDataObject): string[] =>
	api.dryRun.keys.flatMap((name) =>
		values[name] === undefined ? [] : `${noun} ${String(values[name])}`,
	);

/** The keys by which a request looks a record up, if it does. `isByDryId`: one of the values is an ID from a dry run. */
function lookupOf({
	endpoint,
	ids,
	query,
}: ApiRequest): { keys: string[]; isByDryId: boolean } | undefined {
	const lookup = endpoint.api.dryRun.lookups[endpoint.route];
	if (!lookup) return undefined;
	const values = { ...ids, ...query };
	return { keys: keysIn(endpoint, lookup.noun, values), isByDryId: hasDryId(values) };
}

function foundId(made: DryRecords, request: ApiRequest): string | undefined {
	const lookup = lookupOf(request);
	return lookup && idBy(made, lookup.keys, lookup.isByDryId);
}

/** Placeholder for unknown texts, also in the samples. */
const UNKNOWN = 'dry run';

/** A request must not leave n8n in a dry run if it changes something, or is about a record that only a dry run made. */
export const isHeld = (request: ApiRequest): boolean =>
	!request.endpoint.leavesInDryRun || isAboutDryRecord(request);

/** `userId` and `user_id` are the same name. */
const plainName = (name: string) => name.replace(/_/g, '').toLowerCase();

const byPlainName = (record: IDataObject) =>
	Object.fromEntries(Object.entries(record).map(([name, value]) => [plainName(name), value]));

/** Leaves out what isn't known of an inner record: a made-up country would be refused by the next form. */
const onlyKnown = (record: IDataObject): IDataObject =>
	Object.fromEntries(Object.entries(record).filter(([, value]) => value !== UNKNOWN));

/** Fills a sample with values of the same type, by plain name. Unknown fields of the objects in `parts` are left out. */
function filled(sample: IDataObject, values: IDataObject, parts: string[]): IDataObject {
	return Object.fromEntries(
		Object.entries(sample).map(([name, value]) => {
			const given = values[plainName(name)];
			// A number may be given as text, such as a total.
			const own = typeof value === 'number' ? (numberOf(given) ?? given) : given;
			if (isRecord(value)) {
				if (isRecord(own))
					return [name, isMap(value) ? own : onlyKnown(filled(value, byPlainName(own), parts))];
				// A wrapper around the record is filled like the record. A part, such as an address, has fields of its own.
				return [name, parts.includes(name) ? onlyKnown(value) : filled(value, values, parts)];
			}
			if (own === undefined) return [name, value];
			// Null in a sample may be anything.
			if (value === null) return [name, own];
			const isSameType = typeof own === typeof value && Array.isArray(own) === Array.isArray(value);
			return [name, isSameType ? own : value];
		}),
	);
}

function recordResponse(
	request: ApiRequest,
	sent: IDataObject,
	known: IDataObject,
	id: string,
): IDataObject {
	const { endpoint } = request;
	const rules = endpoint.api.dryRun;
	const places = withPathIds({ id: lastId(request) }, request, {});
	const sample = rules.samples[likeRoute(endpoint)];
	// Without a sample, nothing tells which of the other fields the API returns.
	if (!sample) return { ...places, ...sent, id };
	const values = { ...known, ...places, ...sent };
	const response = filled(sample, byPlainName({ ...values, id }), rules.parts);
	// Other names of the record's ID, such as `file_id`.
	for (const [name, value] of Object.entries(response)) {
		const isOwn = /_?id$/i.test(name) && !rules.isOfOther(name, endpoint.route);
		if (isOwn && value === UNKNOWN) response[name] = id;
	}
	return response;
}

function refuseDryId(): never {
	throw new Error(
		'This ID was made in a dry run, so the API has no such record. Run the nodes before it without Dry Run.',
	);
}

/** The record with an ID from a dry run, as the list would return it. Undefined for other IDs. Throws if everything is sent. */
export function dryRecord(
	{ endpoint }: ApiRequest,
	id: string,
	dryRun: DryRun | undefined,
): IDataObject | undefined {
	if (!hasDryId(id)) return undefined;
	if (dryRun === undefined) refuseDryId();
	const { samples, parts } = endpoint.api.dryRun;
	// A POST to the path of a list makes its records, so its sample looks like a row.
	const sample = samples[`POST ${endpoint.template.path}`] ?? {};
	return filled(sample, byPlainName({ ...recordIn(dryRun.made, id), id }), parts);
}

/** Null in the response to a deletion is a text that only the API knows, so it becomes a placeholder. */
function deletionResponse(response: IDataObject): IDataObject {
	const entries = Object.entries(response).map(([name, value]) => [name, value ?? UNKNOWN]);
	return Object.fromEntries(entries) as IDataObject;
}

/** A write that returns a list, such as backup codes, returns so many rows. */
const ROWS = 10;

const FILE = '%PDF-1.4\n% dry run\n';

/**
 * Remembers what a write makes, and what it changes of a record from a dry run, so that later requests find it. A real record
 * isn't remembered: the API is asked for it.
 */
function oneResponse(
	request: ApiRequest,
	secrets: Secrets,
	made: DryRecords,
	amount?: string,
): IDataObject {
	const { endpoint } = request;
	const { makers, parts, derived } = endpoint.api.dryRun;
	const sent = recordOf(secrets.without(recordSent(request)));
	const isNew = endpoint.makesRecord;
	const id = isNew ? newDryId() : (foundId(made, request) ?? lastId(request));
	// A new record is about the record in its path.
	const about = recordIn(made, isNew ? lastId(request) : id);
	const follows = derived({ ...about, ...sent }, amount);
	// A new record keeps the IDs in its path, for later reads of the record.
	const known = { ...(isNew ? request.ids : about), ...follows };
	if (isNew || (hasDryId(id) && !endpoint.onlyReads)) {
		const noun = makers[endpoint.route];
		const keys = noun === undefined ? [] : [...keysIn(endpoint, noun, sent), `${noun} ${id}`];
		// What is sent for something that belongs to the record isn't a field of the record.
		const changes = isNew || isOfRecord(endpoint) ? { ...known, ...sent } : known;
		remember(made, id, changes, { parts, keys });
	}
	// `recordResponse` adds the IDs in the path, by their names in a response.
	return recordResponse(request, sent, isNew ? follows : known, id);
}

/** The simulated response body, as far as its shape is known. */
export function dryRunResponse(
	request: ApiRequest,
	secrets = NO_SECRETS,
	made: DryRecords = noRecords(),
	amount?: string,
): unknown {
	const shape = request.endpoint;
	switch (shape.kind) {
		case 'binary':
			return Buffer.from(FILE);
		case 'one':
			if (shape.gone) return deletionResponse(shape.gone(lastId(request)));
			return oneResponse(request, secrets, made, amount);
		case 'map':
			return { [shape.items]: {} };
		default: {
			const items = shape.items ?? (shape.kind === 'list' ? shape.api.lists.items : '');
			// A list is only simulated if it's about a record from a dry run. It's empty.
			const rows = shape.leavesInDryRun ? [] : Array.from({ length: ROWS }, newDryId);
			if (items === '') return rows;
			const response: IDataObject = {};
			setAt(response, items, rows);
			return response;
		}
	}
}

function checkSimulated({ endpoint }: ApiRequest, { reason }: DryRun): void {
	const { checksCode, computes, route } = endpoint;
	if (reason !== undefined) throw new FieldFault('Dry Run', reason.replace('{route}', route));
	if (checksCode) {
		throw new FieldFault('Dry Run', 'is on in the credential, so no code or passkey is checked');
	}
	if (computes) {
		throw new FieldFault(
			'Dry Run',
			"is on in the credential, and a record from a dry run can't compute anything. Choose one that exists",
		);
	}
}

/**
 * The response to a request that a dry run holds back, undefined if the request is to be sent.
 * @throws FieldFault if a simulated response would do harm, Error for an ID from a dry run while everything is sent
 */
export function simulatedResponse(
	request: ApiRequest,
	dryRun: DryRun | undefined,
	secrets: Secrets,
	amount?: string,
): ApiResponse | undefined {
	const { endpoint } = request;
	if (dryRun === undefined) {
		if (isAboutDryRecord(request)) refuseDryId();
		return undefined;
	}
	const { made } = dryRun;
	// A lookup by an email, say, isn't held. But if a dry run made the record, the API doesn't have it.
	const isFound = foundId(made, request) !== undefined;
	if (!isHeld(request) && !isFound) return undefined;
	checkSimulated(request, dryRun);
	const unsent = { endpoint, attempts: 0, doubtfulAttempts: 0, waited: 0, inDoubt: false };
	// An ID from a dry run leads only to what a dry run made. Nothing was found, so there's no such record.
	const isAbsent = lookupOf(request)?.isByDryId === true && !isFound;
	const body = isAbsent ? {} : dryRunResponse(request, secrets, made, amount);
	return { ...received(endpoint, isAbsent ? 404 : 200, {}, body), ...unsent };
}

export function dryRunNote(
	{ endpoint, path, query, body }: ApiRequest,
	secrets: Secrets,
	isManual = false,
) {
	const content = { path, ...(query && { query }), ...(body && { body }) };
	return {
		...(isManual && { reason: 'manual execution' }),
		method: endpoint.method,
		...(secrets.hideIn(content) as IDataObject),
	};
}
