// Records that a dry run makes. The ID of such a record contains the record's short fields, so a later node can
// read it back, even in another workflow or process.
import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../../base/apiRequest';
import { isRecord, recordOf } from '../../base/data';
import type { Endpoint, Route } from '../../base/definition';

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
export const isDryId = (text: string): boolean => text.includes(PREFIX);

/** True if a value is an ID from a dry run, or has one at any depth. */
export function hasDryId(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith(PREFIX);
	return typeof value === 'object' && value !== null && Object.values(value).some(hasDryId);
}

/** Decodes the record in an ID. Empty for any other ID. */
export function recordIn(id: string): IDataObject {
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
export function idOf(record: IDataObject, parts: string[] = []): string {
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
export function recordSent({ body = {} }: ApiRequest): IDataObject {
	const values = Object.values(body);
	return values.length === 1 && isRecord(values[0]) ? values[0] : body;
}

/** The route whose response a simulated one looks like. */
export const likeRoute = ({ route, api }: Endpoint): Route =>
	api.dryRun.lookups[route]?.like ?? route;

/** Values by which a record is looked up, whatever the API calls them. */
const keysIn = ({ api }: Endpoint, noun: string, values: IDataObject): string[] =>
	api.dryRun.keys.flatMap((name) =>
		values[name] === undefined ? [] : `${noun} ${String(values[name])}`,
	);

/** IDs of the records that this execution has made, by the values they can be looked up with. */
export type Made = Record<string, string>;

/** Max values that are remembered, since n8n stores them with the execution. */
const REMEMBERED = 1_000;

export function remember(made: Made, request: ApiRequest, id: string): void {
	const { endpoint } = request;
	const noun = endpoint.api.dryRun.makers[endpoint.route];
	if (noun === undefined || Object.keys(made).length >= REMEMBERED) return;
	for (const key of keysIn(endpoint, noun, recordSent(request))) made[key] = id;
}

/** The ID of the record that a request looks up, if the execution has made it. */
export function lookedUp(made: Made, { endpoint, ids, query }: ApiRequest): string | undefined {
	const lookup = endpoint.api.dryRun.lookups[endpoint.route];
	if (!lookup) return undefined;
	const key = keysIn(endpoint, lookup.noun, { ...ids, ...query }).find((each) =>
		Object.hasOwn(made, each),
	);
	return key === undefined ? undefined : made[key];
}
