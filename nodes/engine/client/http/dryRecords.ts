// Records that dry runs have made, by their IDs and by what they are looked up with. They're kept in n8n's data of the
// execution, also over a Wait, and in this process: for called workflows, and for nodes that are run one by one in the editor.
import type { IDataObject } from 'n8n-workflow';
import { randomBytes } from 'node:crypto';

import type { ApiRequest } from '../../base/apiRequest';
import { isRecord } from '../../base/data';

const PREFIX = 'dryrun_';

/** Tells the IDs of this process from those of others. */
const mark = randomBytes(3).toString('hex');

/** Max length of a value's JSON that is kept. */
const MAX_VALUE = 200;

/** Max records of an execution, and of this process. n8n stores those of an execution with its data. */
const MOST = 10_000;

/** Names of fields that aren't kept, such as those of a JSON field that the node doesn't know. */
const SECRET = /key|secret|token|password|credential|pem|certificate/i;

/** Records that an execution has made. */
export interface DryRecords {
	count: number;
	records: Record<string, IDataObject>;
	/** IDs by what a record is looked up with. */
	ids: Record<string, string>;
}

export const noRecords = (): DryRecords => ({ count: 0, records: {}, ids: {} });

/** Of all executions in this process. The oldest are dropped. */
const recent = { records: new Map<string, IDataObject>(), ids: new Map<string, string>() };

/** Adds a record or an ID of any execution, and drops the oldest one if there are too many. */
function addRecent<T>(map: Map<string, T>, key: string, value: T): void {
	map.set(key, value);
	if (map.size <= MOST) return;
	const [oldest] = map.keys();
	map.delete(oldest);
}

/** True if a value is an ID from a dry run, or has one at any depth. */
export function hasDryId(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith(PREFIX);
	return typeof value === 'object' && value !== null && Object.values(value).some(hasDryId);
}

/** True if a request has the ID of a record from a dry run, which the API doesn't know. */
export function isAboutDryRecord({ path, query, body }: ApiRequest): boolean {
	if (path.includes(PREFIX)) return true;
	// Most requests have none at all.
	if (!(query ?? body) || !JSON.stringify([query, body]).includes(PREFIX)) return false;
	return hasDryId(query) || hasDryId(body);
}

const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

/** The short fields of a record. Of objects only those that are named, such as an address. */
function shortFields(record: IDataObject, parts: string[]): IDataObject {
	const kept = Object.entries(record).filter(([name, value]) => {
		const isList = Array.isArray(value) && value.every(isPlain);
		const isPart = parts.includes(name) && isRecord(value);
		if (SECRET.test(name) || !(isPlain(value) || isList || isPart)) return false;
		return JSON.stringify(value).length <= MAX_VALUE;
	});
	return Object.fromEntries(kept);
}

let count = 0;

export const newDryId = (): string => `${PREFIX}${mark}${(++count).toString(36)}`;

/**
 * Keeps the short fields of a record, in place of those that it has.
 * @param parts names of objects that are kept, too
 * @param keys what it's looked up with
 */
export function remember(
	made: DryRecords,
	id: string,
	record: IDataObject,
	{ parts, keys }: { parts: string[]; keys: string[] },
): void {
	const merged = { ...recordIn(made, id), ...shortFields(record, parts) };
	addRecent(recent.records, id, merged);
	for (const key of keys) addRecent(recent.ids, key, id);
	if (!Object.hasOwn(made.records, id) && ++made.count > MOST) return;
	made.records[id] = merged;
	for (const key of keys) made.ids[key] = id;
}

/** The record with an ID. Empty for any other ID. */
export function recordIn(made: DryRecords, id: string): IDataObject {
	return (Object.hasOwn(made.records, id) ? made.records[id] : recent.records.get(id)) ?? {};
}

/** The ID of the record that has one of these keys. Other executions in this process count if it's an ID of a dry run. */
export function idBy(made: DryRecords, keys: string[], isDry: boolean): string | undefined {
	const own = keys.find((key) => Object.hasOwn(made.ids, key));
	if (own !== undefined) return made.ids[own];
	return isDry ? keys.map((key) => recent.ids.get(key)).find((id) => id !== undefined) : undefined;
}
