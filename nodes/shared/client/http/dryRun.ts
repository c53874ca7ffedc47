// Dry Run: simulated responses for requests that aren't sent.
//
// The ID of a simulated record contains the record's short fields, so a later node can read it back, even
// in another workflow or process.
import type { IDataObject } from 'n8n-workflow';

import { endpointOf, leavesInDryRun, partsOf } from '../../endpoints';
import { setAt } from '../../dotted';
import { FieldFault, isRecord, recordOf, type ApiRequest } from '../../operation';
import { lastId } from '../../path';
import samples from './dryRunSamples.json';
import type { ApiResponse } from './outcome';
import { redactIn } from './redact';
import { received } from './response';

/** Handling of requests that Dry Run holds back. Undefined while it's off. */
export type DryRunMode = 'simulated' | 'refused' | undefined;

const PREFIX = 'dryrun_';

/** Placeholder for unknown texts, also in the samples. */
const UNKNOWN = 'dry run';

/** Max length of a record's JSON in its ID, which can become part of a URL. */
const MAX_ID = 180;

/** Max length of one text in an ID. */
const MAX_TEXT = 60;

/** Names of fields that must not go into an ID. */
const SECRET = /key|secret|token|password|credential|pem|certificate|code/i;

/** True if the text contains an ID from a dry run. */
const isDryId = (text: string): boolean => text.includes(PREFIX);

/** True if a request must not leave n8n while Dry Run is on: a write, or one for a record from a dry run. */
export function isHeld({ route, path, query = {} }: ApiRequest): boolean {
	return !leavesInDryRun(route) || isDryId(path) || isDryId(JSON.stringify(query));
}

/** Decodes the record in an ID. Empty for any other ID. */
function recordIn(id: string): IDataObject {
	if (!id.startsWith(PREFIX)) return {};
	try {
		const text = Buffer.from(id.slice(PREFIX.length), 'base64url').toString();
		return recordOf(JSON.parse(text));
	} catch {
		return {};
	}
}

/** True if any text in a value is the ID of a dry run's record. */
function hasDryId(value: unknown): boolean {
	if (typeof value === 'string') return /^dryrun_[\w-]+$/.test(value);
	return typeof value === 'object' && value !== null && Object.values(value).some(hasDryId);
}

/** True if a request is about a record of a dry run. Other texts of its body may mention one. */
const namesDryRecord = ({ path, query, body }: ApiRequest): boolean =>
	isDryId(path) || hasDryId(query) || hasDryId(body);

/** Encodes the short fields of a record into a unique ID. */
function idOf(record: IDataObject): string {
	const carried: IDataObject = { '': Math.random().toString(36).slice(2, 8) };
	for (const [name, value] of Object.entries(record)) {
		const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
		if (!isPlain || String(value).length > MAX_TEXT || SECRET.test(name)) continue;
		const more = { ...carried, [name]: value };
		if (JSON.stringify(more).length <= MAX_ID) carried[name] = value;
	}
	return PREFIX + Buffer.from(JSON.stringify(carried)).toString('base64url');
}

/** Makes `partnerId` and `partner_id` the same name. */
const plain = (name: string) => name.replace(/_/g, '').toLowerCase();

/** The values of a record and of its nested records, by plain name. */
function valuesIn(record: IDataObject): Map<string, unknown> {
	return new Map(
		Object.entries(record).flatMap(([name, value]): Array<[string, unknown]> => [
			...(isRecord(value) ? valuesIn(value) : []),
			[plain(name), value],
		]),
	);
}

/** Fills a sample with the known values of the same type. */
function filled(sample: IDataObject, known: Map<string, unknown>): IDataObject {
	return Object.fromEntries(
		Object.entries(sample).map(([name, value]) => {
			const own = known.get(plain(name));
			const fits = value === null || (own !== null && typeof own === typeof value);
			if (own !== undefined && fits && Array.isArray(own) === Array.isArray(value ?? own)) {
				return [name, own as IDataObject[string]];
			}
			return [name, isRecord(value) ? filled(value, known) : value];
		}),
	);
}

/** The record in a body, which may be wrapped in a key. */
function recordSent({ body = {} }: ApiRequest): IDataObject {
	const values = Object.values(body);
	return values.length === 1 && isRecord(values[0]) ? values[0] : body;
}

function recordResponse(request: ApiRequest): IDataObject {
	const { route, ids } = request;
	const sent = recordSent(request);
	const carried = Object.assign({}, ...Object.values(ids).map(recordIn)) as IDataObject;
	// A new record, not an action on the one in the path.
	const makes = partsOf(route).method === 'POST' && !route.endsWith('rotate.json');
	const id = makes ? idOf({ ...ids, ...sent }) : lastId(request);
	const known = new Map([...valuesIn(carried), ...valuesIn(ids), ...valuesIn(sent), ['id', id]]);
	const sample = (samples as Record<string, IDataObject | undefined>)[route];
	if (!sample) return { ...carried, ...sent, id };
	const response = filled(sample, known);
	// Other IDs of the new record, such as `document_id`.
	for (const [name, value] of Object.entries(response)) {
		if (/_?id$/i.test(name) && value === UNKNOWN) response[name] = id;
	}
	return response;
}

/** The response to a deletion, with a placeholder for unknown texts. */
function deletionResponse(response: IDataObject): IDataObject {
	const entries = Object.entries(response).map(([name, value]) => [name, value ?? UNKNOWN]);
	return Object.fromEntries(entries) as IDataObject;
}

/** Number of rows if a write returns a list, such as backup codes. */
const ROWS = 10;

const FILE = '%PDF-1.4\n% dry run\n';

/** The simulated response body, as far as its shape is known. */
export function dryRunResponse(request: ApiRequest): unknown {
	const { route } = request;
	const shape = endpointOf(route);
	switch (shape.kind) {
		case 'binary':
			return Buffer.from(FILE);
		case 'one':
			return shape.gone ? deletionResponse(shape.gone(lastId(request))) : recordResponse(request);
		case 'map':
			return { [shape.items]: {} };
		default: {
			const items = shape.items ?? (shape.kind === 'list' ? 'elements' : '');
			const rows = leavesInDryRun(route) ? [] : Array.from({ length: ROWS }, () => idOf({}));
			if (items === '') return rows;
			const response: IDataObject = {};
			setAt(response, items, rows);
			return response;
		}
	}
}

/**
 * The response to a request that Dry Run holds back, undefined if the request is to be sent.
 * @throws FieldFault if a simulated response would do harm, Error for an ID from a dry run if that is off
 */
export function simulatedResponse(request: ApiRequest, mode: DryRunMode): ApiResponse | undefined {
	const { route } = request;
	if (mode === undefined && namesDryRecord(request)) {
		throw new Error(
			'This ID was made in a dry run, so the API has no such record. Run the nodes before it without Dry Run.',
		);
	}
	if (mode === undefined || !isHeld(request)) return undefined;
	if (endpointOf(route).checksCode) {
		throw new FieldFault('Dry Run', 'is on in the credential, so no code or passkey is checked');
	}
	if (mode === 'refused') {
		const reason = `is on in the credential, so this isn't sent: ${route}. Turn it off to publish`;
		throw new FieldFault('Dry Run', reason);
	}
	const unsent = { route, attempts: 0, failures: 0, waited: 0, inDoubt: false };
	return { ...received(route, 200, {}, dryRunResponse(request)), ...unsent };
}

/** The note in an item about the request that wasn't sent. */
export function dryRunNote({ route, path, query, body }: ApiRequest, secrets: string[]) {
	const content = { ...(query && { query }), ...(body && { body }) };
	return { method: partsOf(route).method, path, ...(redactIn(content, secrets) as IDataObject) };
}
