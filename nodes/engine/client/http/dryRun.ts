// Dry Run: simulated responses for requests that aren't sent.
import type { IDataObject } from 'n8n-workflow';

import { FieldFault, type ApiRequest } from '../../base/apiRequest';
import { isRecord, numberOf, recordOf, setAt } from '../../base/data';
import type { Endpoint, Route } from '../../base/definition';
import { lastId, pathNames } from '../../base/path';
import type { DryRun } from './credential';
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

/** True for a map in a sample, which may have any keys. */
const isMap = (sample: unknown) => isRecord(sample) && Object.keys(sample).length === 0;

/** The record in a body, which may be wrapped in a key. A map isn't: its key is that of a member in the response, too. */
function recordSent({ endpoint, body = {} }: ApiRequest): IDataObject {
	const [[name, value] = [], ...others] = Object.entries(body);
	const isWrapped = isRecord(value) && others.length === 0;
	const sample = endpoint.api.dryRun.samples[endpoint.route] ?? {};
	return isWrapped && !isMap(sample[String(name)]) ? value : body;
}

/** The route whose response a simulated one looks like. */
const likeRoute = ({ route, api }: Endpoint): Route => api.dryRun.lookups[route]?.like ?? route;

/** Values by which a record is looked up, whatever the API calls them. */
const keysIn = ({ api }: Endpoint, noun: string, values: IDataObject): string[] =>
	api.dryRun.keys.flatMap((name) =>
		values[name] === undefined ? [] : `${noun} ${String(values[name])}`,
	);

/** The values by which a request looks a record up, if it does. */
function lookupOf({
	endpoint,
	ids,
	query,
}: ApiRequest): { keys: string[]; isDry: boolean } | undefined {
	const lookup = endpoint.api.dryRun.lookups[endpoint.route];
	if (!lookup) return undefined;
	const values = { ...ids, ...query };
	return { keys: keysIn(endpoint, lookup.noun, values), isDry: hasDryId(values) };
}

/** The ID of the record that a request looks up, if a dry run has made it. */
function lookedUp(made: DryRecords, request: ApiRequest): string | undefined {
	const lookup = lookupOf(request);
	return lookup && idBy(made, lookup.keys, lookup.isDry);
}

/** Placeholder for unknown texts, also in the samples. */
const UNKNOWN = 'dry run';

/** True if a request must not leave n8n in a dry run: a write, or one for a record from a dry run. */
export const isHeld = (request: ApiRequest): boolean =>
	!request.endpoint.leavesInDryRun || isAboutDryRecord(request);

/** Makes `userId` and `user_id` the same name. */
const plain = (name: string) => name.replace(/_/g, '').toLowerCase();

const byPlainName = (record: IDataObject) =>
	Object.fromEntries(Object.entries(record).map(([name, value]) => [plain(name), value]));

/** Leaves out what isn't known of an inner record: a made-up country would be refused by the next form. */
const onlyKnown = (record: IDataObject): IDataObject =>
	Object.fromEntries(Object.entries(record).filter(([, value]) => value !== UNKNOWN));

/**
 * Fills a sample with the values of the same type.
 * @param values by plain name
 * @param parts names of objects whose unknown fields are left out
 */
function filled(sample: IDataObject, values: IDataObject, parts: string[]): IDataObject {
	return Object.fromEntries(
		Object.entries(sample).map(([name, value]) => {
			const given = values[plain(name)];
			// The number in a text, such as a total.
			const own = typeof value === 'number' ? (numberOf(given) ?? given) : given;
			if (isRecord(value)) {
				if (isRecord(own))
					return [name, isMap(value) ? own : onlyKnown(filled(value, byPlainName(own), parts))];
				return [name, parts.includes(name) ? onlyKnown(value) : filled(value, values, parts)];
			}
			const fits = value === null || (own !== null && typeof own === typeof value);
			if (own === undefined || !fits) return [name, value];
			return [name, Array.isArray(own) === Array.isArray(value ?? own) ? own : value];
		}),
	);
}

/**
 * @param known the record that the request is about, as far as it's known
 * @param own its ID
 */
function recordResponse(
	request: ApiRequest,
	sent: IDataObject,
	known: IDataObject,
	own: string,
): IDataObject {
	const { endpoint } = request;
	const rules = endpoint.api.dryRun;
	const places = pathNames(request);
	const sample = rules.samples[likeRoute(endpoint)];
	if (!sample) return { ...places, ...sent, id: own };
	const values = { ...known, ...places, ...sent };
	const response = filled(sample, byPlainName({ ...values, id: own }), rules.parts);
	// Other names of its ID, such as `file_id`.
	for (const [name, value] of Object.entries(response)) {
		const isOwn = /_?id$/i.test(name) && !rules.isOfOther(name, endpoint.route);
		if (isOwn && value === UNKNOWN) response[name] = own;
	}
	return response;
}

/** @throws Error because the API has no such record */
function refuseDryId(): never {
	throw new Error(
		'This ID was made in a dry run, so the API has no such record. Run the nodes before it without Dry Run.',
	);
}

/**
 * The record with an ID from a dry run, as the list would return it. Undefined for any other ID.
 * @throws Error for an ID from a dry run while everything is sent
 */
export function dryRecord(
	{ endpoint }: ApiRequest,
	id: string,
	dryRun: DryRun | undefined,
): IDataObject | undefined {
	if (!hasDryId(id)) return undefined;
	if (dryRun === undefined) refuseDryId();
	const { samples, parts } = endpoint.api.dryRun;
	const sample = samples[`POST ${endpoint.template.path}`] ?? {};
	return filled(sample, byPlainName({ ...recordIn(dryRun.made, id), id }), parts);
}

/** The response to a deletion, with a placeholder for unknown texts. */
function deletionResponse(response: IDataObject): IDataObject {
	const entries = Object.entries(response).map(([name, value]) => [name, value ?? UNKNOWN]);
	return Object.fromEntries(entries) as IDataObject;
}

/** Number of rows if a write returns a list, such as backup codes. */
const ROWS = 10;

const FILE = '%PDF-1.4\n% dry run\n';

/** True for an endpoint of the record itself, not of something that belongs to it. */
const isOfRecord = ({ template }: Endpoint) => !('fixed' in template.segments.at(-1)!);

/** The response of one record. What a write makes or changes is remembered. */
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
	const own = isNew ? newDryId() : (lookedUp(made, request) ?? lastId(request));
	const about = recordIn(made, isNew ? lastId(request) : own);
	const follows = derived({ ...about, ...sent }, amount);
	const known = { ...(isNew ? request.ids : about), ...follows };
	if (isNew || (hasDryId(own) && !endpoint.onlyReads)) {
		const noun = makers[endpoint.route];
		const keys = noun === undefined ? [] : [...keysIn(endpoint, noun, sent), `${noun} ${own}`];
		const changes = isNew || isOfRecord(endpoint) ? { ...known, ...sent } : known;
		remember(made, own, changes, { parts, keys });
	}
	return recordResponse(request, sent, isNew ? follows : known, own);
}

/**
 * The simulated response body, as far as its shape is known.
 * @param amount sum of the amounts of what the request makes, if it's known
 */
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
			const rows = shape.leavesInDryRun ? [] : Array.from({ length: ROWS }, newDryId);
			if (items === '') return rows;
			const response: IDataObject = {};
			setAt(response, items, rows);
			return response;
		}
	}
}

/** @throws FieldFault for a request that is neither sent nor simulated */
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
 * @param amount sum of the amounts of what the request makes, if it's known
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
		if (!isAboutDryRecord(request)) return undefined;
		refuseDryId();
	}
	const { made } = dryRun;
	const isFound = lookedUp(made, request) !== undefined;
	if (!isHeld(request) && !isFound) return undefined;
	checkSimulated(request, dryRun);
	const unsent = { endpoint, attempts: 0, doubtfulAttempts: 0, waited: 0, inDoubt: false };
	// Only a dry run makes a record that is looked up by the ID of one.
	const isAbsent = lookupOf(request)?.isDry === true && !isFound;
	const body = isAbsent ? {} : dryRunResponse(request, secrets, made, amount);
	return { ...received(endpoint, isAbsent ? 404 : 200, {}, body), ...unsent };
}

/** The note in an item about the request that wasn't sent. */
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
