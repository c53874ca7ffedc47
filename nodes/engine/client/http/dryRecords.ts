// Records that dry runs have made, by their IDs and by the values that they're looked up with. n8n's data of the execution
// keeps them, also over a Wait, and so does this process, for called workflows and for nodes that are run one by one.
import type { IDataObject } from 'n8n-workflow';
import { randomBytes } from 'node:crypto';

import type { ApiRequest } from '../../base/apiRequest';
import { isRecord } from '../../base/data';

const PREFIX = 'dryrun_';

/** Tells this process's IDs from others. */
const processTag = randomBytes(3).toString('hex');

const MAX_VALUE = 200;

/** Max records of an execution, because n8n stores them with its data, and of this process. */
const MAX_RECORDS = 10_000;

/** These fields aren't kept. The node knows the secrets of its own fields, but not those within a JSON field. */
const SECRET = /key|secret|token|password|credential|pem|certificate/i;

export const isSecretName = (name: string): boolean => SECRET.test(name);

export interface DryRecords {
	/** Number of new records, also of those above the max, which aren't kept. */
	count: number;
	/** Kept fields of each record, by its ID. */
	records: Record<string, IDataObject>;
	/** IDs by the values that records are looked up with. */
	ids: Record<string, string>;
}

export const noRecords = (): DryRecords => ({ count: 0, records: {}, ids: {} });

const recent = { records: new Map<string, IDataObject>(), ids: new Map<string, string>() };

function addRecent<T>(map: Map<string, T>, key: string, value: T): void {
	map.set(key, value);
	if (map.size <= MAX_RECORDS) return;
	const [oldest] = map.keys();
	map.delete(oldest);
}

export function hasDryId(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith(PREFIX);
	return typeof value === 'object' && value !== null && Object.values(value).some(hasDryId);
}

/** The API doesn't know the ID of a record from a dry run. A body may have one in a longer text. */
export function isAboutDryRecord({ path, query, body }: ApiRequest): boolean {
	if (path.includes(PREFIX)) return true;
	// For speed: most requests have no such ID at all.
	if (!(query ?? body) || !JSON.stringify([query, body]).includes(PREFIX)) return false;
	return hasDryId(query) || hasDryId(body);
}

const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

/** The fields of a record that are kept: short and not secret, plain or a list. Objects only if `parts` names them. */
function shortFields(record: IDataObject, parts: string[]): IDataObject {
	const kept = Object.entries(record).filter(([name, value]) => {
		const isList = Array.isArray(value) && value.every(isPlain);
		const isPart = parts.includes(name) && isRecord(value);
		if (isSecretName(name) || !(isPlain(value) || isList || isPart)) return false;
		return JSON.stringify(value).length <= MAX_VALUE;
	});
	return Object.fromEntries(kept);
}

let idCount = 0;

export const newDryId = (): string => `${PREFIX}${processTag}${(++idCount).toString(36)}`;

/** Keeps the short fields and the `parts` of a record, also for others of this process. Each of the `keys` leads to it. */
export function remember(
	made: DryRecords,
	id: string,
	record: IDataObject,
	{ parts, keys }: { parts: string[]; keys: string[] },
): void {
	const merged = { ...recordIn(made, id), ...shortFields(record, parts) };
	addRecent(recent.records, id, merged);
	for (const key of keys) addRecent(recent.ids, key, id);
	const isNew = !Object.hasOwn(made.records, id);
	if (isNew) made.count++;
	if (isNew && made.count > MAX_RECORDS) return;
	made.records[id] = merged;
	for (const key of keys) made.ids[key] = id;
}

/** The record may be from another execution of the process. Empty if nothing is kept. */
export function recordIn(made: DryRecords, id: string): IDataObject {
	return (Object.hasOwn(made.records, id) ? made.records[id] : recent.records.get(id)) ?? {};
}

/**
 * The ID of the record that has one of these keys. With an ID from a dry run (`isByDryId`), records of other executions in this
 * process count, too. With any other key, such as an email, the record may be a real one, which the API finds.
 */
export function idBy(made: DryRecords, keys: string[], isByDryId: boolean): string | undefined {
	const own = keys.find((key) => Object.hasOwn(made.ids, key));
	if (own !== undefined) return made.ids[own];
	return isByDryId
		? keys.map((key) => recent.ids.get(key)).find((id) => id !== undefined)
		: undefined;
}
