// Dry Run: simulated responses for requests that aren't sent. The ID of a record that a dry run makes contains the
// record's short fields, so a later node can read it back, even in another workflow or process.
import type { IDataObject } from 'n8n-workflow';

import { FieldFault, type ApiRequest } from '../../base/apiRequest';
import { isRecord, recordOf, setAt } from '../../base/data';
import { leavesInDryRun, makesRecord, type Endpoint, type Route } from '../../base/definition';
import { lastId, pathNames } from '../../base/path';
import type { DryRun, Made } from './credential';
import { received } from './exchange';
import type { ApiResponse } from './outcome';
import { redactIn, withoutSecrets } from './redact';

const PREFIX = 'dryrun_';

/** Max length of a record's JSON in its ID, which can become part of a URL. */
const MAX_ID = 180;

/** Max length of one text in an ID. */
const MAX_TEXT = 60;

/** Names of fields that must not go into an ID, such as those of a JSON field that the node doesn't know. */
const SECRET = /key|secret|token|password|credential|pem|certificate/i;

/** Makes each ID unique. */
const MARK = '';

/** True if the text contains an ID from a dry run. */
const isDryId = (text: string): boolean => text.includes(PREFIX);

/** True if a value is an ID from a dry run, or has one at any depth. */
function hasDryId(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith(PREFIX);
	return typeof value === 'object' && value !== null && Object.values(value).some(hasDryId);
}

/** Decodes the record in an ID. Empty for any other ID. */
function recordIn(id: string): IDataObject {
	if (!id.startsWith(PREFIX)) return {};
	try {
		const text = Buffer.from(id.slice(PREFIX.length), 'base64url').toString();
		const record = recordOf(JSON.parse(text));
		delete record[MARK];
		return record;
	} catch {
		return {};
	}
}

/**
 * Encodes the short fields of a record into a unique ID.
 * @param parts names of objects that it carries, too
 */
function idOf(record: IDataObject, parts: string[] = []): string {
	const carried: IDataObject = { [MARK]: Math.random().toString(36).slice(2, 8) };
	for (const [name, value] of Object.entries(record)) {
		const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
		if (!isPlain && !(parts.includes(name) && isRecord(value))) continue;
		const text = isPlain ? String(value) : JSON.stringify(value);
		if (text.length > MAX_TEXT || SECRET.test(name)) continue;
		const more = { ...carried, [name]: value };
		if (JSON.stringify(more).length <= MAX_ID) carried[name] = value;
	}
	return PREFIX + Buffer.from(JSON.stringify(carried)).toString('base64url');
}

/** The record in a body, which may be wrapped in a key. */
function recordSent({ body = {} }: ApiRequest): IDataObject {
	const values = Object.values(body);
	return values.length === 1 && isRecord(values[0]) ? values[0] : body;
}

/** The route whose response a simulated one looks like. */
const likeRoute = ({ route, api }: Endpoint): Route => api.dryRun.lookups[route]?.like ?? route;

/** Values by which a record is looked up, whatever the API calls them. */
const keysIn = ({ api }: Endpoint, noun: string, values: IDataObject): string[] =>
	api.dryRun.keys.flatMap((name) =>
		values[name] === undefined ? [] : `${noun} ${String(values[name])}`,
	);

/** Max values that are remembered, since n8n stores them with the execution. */
const REMEMBERED = 1_000;

function remember(made: Made, request: ApiRequest, id: string): void {
	const { endpoint } = request;
	const noun = endpoint.api.dryRun.makers[endpoint.route];
	if (noun === undefined || Object.keys(made).length >= REMEMBERED) return;
	for (const key of keysIn(endpoint, noun, recordSent(request))) made[key] = id;
}

/** The ID of the record that a request looks up, if the execution has made it. */
function lookedUp(made: Made, { endpoint, ids, query }: ApiRequest): string | undefined {
	const lookup = endpoint.api.dryRun.lookups[endpoint.route];
	if (!lookup) return undefined;
	const key = keysIn(endpoint, lookup.noun, { ...ids, ...query }).find((each) =>
		Object.hasOwn(made, each),
	);
	return key === undefined ? undefined : made[key];
}

/** Placeholder for unknown texts, also in the samples. */
const UNKNOWN = 'dry run';

/** True if a request has the ID of a record from a dry run, which the API doesn't know. */
const isAboutDryRecord = ({ path, query, body }: ApiRequest): boolean =>
	isDryId(path) || hasDryId(query) || hasDryId(body);

/** True if a request must not leave n8n in a dry run: a write, or one for a record from a dry run. */
export const isHeld = (request: ApiRequest): boolean =>
	!leavesInDryRun(request.endpoint) || isAboutDryRecord(request);

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
			const own = values[plain(name)];
			if (isRecord(value)) {
				const hasAnyKeys = Object.keys(value).length === 0;
				if (isRecord(own))
					return [name, hasAnyKeys ? own : onlyKnown(filled(value, byPlainName(own), parts))];
				return [name, parts.includes(name) ? onlyKnown(value) : filled(value, values, parts)];
			}
			const fits = value === null || (own !== null && typeof own === typeof value);
			if (own === undefined || !fits) return [name, value];
			return [name, Array.isArray(own) === Array.isArray(value ?? own) ? own : value];
		}),
	);
}

/** @param own ID of the record that the request makes or is about */
function recordResponse(request: ApiRequest, sent: IDataObject, own: string): IDataObject {
	const { endpoint } = request;
	const rules = endpoint.api.dryRun;
	const places = pathNames(request);
	const sample = rules.samples[likeRoute(endpoint)];
	if (!sample) return { ...places, ...sent, id: own };
	const carried = makesRecord(endpoint) ? {} : recordIn(own);
	const values = { ...carried, ...places, ...sent };
	const response = filled(
		sample,
		byPlainName({ ...values, ...rules.derived({ ...carried, ...sent }), id: own }),
		rules.parts,
	);
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
	return filled(sample, byPlainName({ ...recordIn(id), id }), parts);
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
export function dryRunResponse(
	request: ApiRequest,
	secrets: string[] = [],
	made: Made = {},
): unknown {
	const shape = request.endpoint;
	switch (shape.kind) {
		case 'binary':
			return Buffer.from(FILE);
		case 'one': {
			if (shape.gone) return deletionResponse(shape.gone(lastId(request)));
			const sent = recordOf(withoutSecrets(recordSent(request), secrets));
			const { parts, derived } = shape.api.dryRun;
			const own = makesRecord(shape)
				? idOf({ ...request.ids, ...derived(sent), ...sent }, parts)
				: (lookedUp(made, request) ?? lastId(request));
			remember(made, request, own);
			return recordResponse(request, sent, own);
		}
		case 'map':
			return { [shape.items]: {} };
		default: {
			const items = shape.items ?? (shape.kind === 'list' ? shape.api.lists.items : '');
			const rows = leavesInDryRun(shape) ? [] : Array.from({ length: ROWS }, () => idOf({}));
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
 * @throws FieldFault if a simulated response would do harm, Error for an ID from a dry run while everything is sent
 */
export function simulatedResponse(
	request: ApiRequest,
	dryRun: DryRun | undefined,
	secrets: string[],
): ApiResponse | undefined {
	const { endpoint } = request;
	if (dryRun === undefined) {
		if (!isAboutDryRecord(request)) return undefined;
		refuseDryId();
	}
	if (!isHeld(request) && lookedUp(dryRun.made, request) === undefined) return undefined;
	checkSimulated(request, dryRun);
	const unsent = { endpoint, attempts: 0, doubtfulAttempts: 0, waited: 0, inDoubt: false };
	const body = dryRunResponse(request, secrets, dryRun.made);
	return { ...received(endpoint, 200, {}, body), ...unsent };
}

/** The note in an item about the request that wasn't sent. */
export function dryRunNote(
	{ endpoint, path, query, body }: ApiRequest,
	secrets: string[],
	isManual = false,
) {
	const content = { path, ...(query && { query }), ...(body && { body }) };
	return {
		...(isManual && { reason: 'manual execution' }),
		method: endpoint.method,
		...(redactIn(content, secrets) as IDataObject),
	};
}
