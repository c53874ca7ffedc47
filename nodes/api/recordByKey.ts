// Looks up one record by an external ID, or by a value in a list. The returned record has to carry the key.
import type { IDataObject } from 'n8n-workflow';

import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { isRecord, isUnset, recordOf, recordsOf, short } from '../engine/base/data';
import type { Route } from '../engine/base/definition';
import { rowsOf } from '../engine/client/list/rows';
import type { Steps, Wanted } from '../engine/client/steps';
import { lower } from '../engine/form/rowFilters';
import { lists } from './lists';

/** A key that the API can't look up, so the record is searched in a list. */
export interface ListedKey {
	label: string;
	list: Route;
	wanted: (value: string) => Wanted;
	/** The next step if the list may lack the record. */
	advice?: string;
}

/** Two spellings of the external ID: the reference uses one in lists and the other in single records. */
const EXTERNAL_ID_KEYS = ['external_id', 'externalId'];

const externalIdsOf = (record: IDataObject): string[] =>
	EXTERNAL_ID_KEYS.flatMap((key) => (isUnset(record[key]) ? [] : String(record[key])));

/** Checked after a lookup, since an API may ignore its query parameter. */
export const carries = (record: IDataObject, value: string) =>
	externalIdsOf(record).includes(value);

export const carrying = (value: string): Wanted => ({
	matches: (row) => carries(row, value),
	exact: {
		name: 'externalId',
		text: value,
		textsOf: externalIdsOf,
	},
});

/** Keys of a lookup by their names in the query. */
const lookupKeys = {
	externalId: {
		label: 'External ID',
		isIn: carries,
		isShown: (record: IDataObject) => externalIdsOf(record).length > 0,
	},
	email: {
		label: 'Email',
		isIn: ({ email }: IDataObject, value: string) => lower(email) === lower(value).trim(),
		// An email that has changed since doesn't make it another record.
		isShown: () => false,
	},
};

const isFilled = (record: IDataObject) => Object.keys(record).length > 0;

/** The record may be below its name `root`. Empty if the response isn't an object. */
export function inner(response: unknown, root: string): IDataObject {
	const object = recordOf(response);
	const wrapped = object[root];
	return isRecord(wrapped) ? wrapped : object;
}

/** A record that changes while its list is read may come twice: the later row counts. Rows without ID stay. */
export function onceEach(rows: IDataObject[]): IDataObject[] {
	const byId = new Map(rows.filter(({ id }) => !isUnset(id)).map((row) => [String(row.id), row]));
	return [...byId.values(), ...rows.filter(({ id }) => isUnset(id))];
}

/** A service may search instead of looking up, and return a list. */
export function recordsFound(response: unknown, root: string): IDataObject[] {
	const record = inner(response, root);
	const rows = isUnset(record.id) ? rowsOf(response, { kind: 'list' }, lists) : undefined;
	return rows ? onceEach(rows.map(recordOf)) : [record].filter(isFilled);
}

/** The one of `records` that carries a key. Throws if none or several do, or if it has no ID. */
export function theOne(
	records: IDataObject[],
	isWanted: (record: IDataObject) => boolean,
	errorOf: (what: string) => Error,
): IDataObject {
	const wanted = records.filter(isWanted);
	const [record] = wanted.length > 0 ? wanted : records;
	if (isUnset(record.id)) throw errorOf('a record without an ID');
	if (wanted.length === 0) throw errorOf(`a different record (ID ${String(record.id)})`);
	if (wanted.length > 1) throw errorOf('more than one record');
	return record;
}

/**
 * The `run` of a read by external ID or email. An API may compare them in its own way, so the returned record has to carry one
 * of the given keys, and no other external ID: the next node may charge it.
 */
export const readByKey =
	(root: string) =>
	async (request: ApiRequest, steps: Steps): Promise<IDataObject> => {
		const { query = {} } = request;
		const given = Object.entries(lookupKeys).flatMap(([name, key]) =>
			isUnset(query[name]) ? [] : [{ ...key, value: String(query[name]) }],
		);
		const [{ label, value }] = given;
		const response = await steps.ask(request);
		const records = recordsFound(steps.accept(response), root);
		// A dry run finds what it has made by its own IDs.
		if (response.attempts === 0 && records.length > 0) return records[0];
		if (records.length === 0) throw new FieldFault(label, `belongs to no ${root}: ${short(value)}`);
		return theOne(
			records,
			(record) =>
				given.some(({ isIn, value: wanted }) => isIn(record, wanted)) &&
				given.every(({ isIn, isShown, value: wanted }) => isIn(record, wanted) || !isShown(record)),
			(what) =>
				new Error(`The lookup of ${label} "${short(value)}" returned ${what}, so it wasn't taken.`),
		);
	};

/**
 * The record with a key in a list, which has an ID. Undefined if no record has the key.
 * @param again reads the list anew: after a 409 (`taken`), when it's no error if the list may lack the record, since the 409
 *   is one. Or if the record that it showed has another key by now (`moved`).
 * @throws if several records have the key, if the record has no ID, or if the list may lack the record
 */
export async function rowInList(
	{ label, list, wanted, advice = '' }: ListedKey,
	value: string,
	steps: Steps,
	again?: 'taken' | 'moved',
): Promise<IDataObject | undefined> {
	const { rows: found, missing } = await steps.find(
		steps.request(list),
		wanted(value),
		again !== undefined,
	);
	const rows = onceEach(recordsOf(found));
	if (rows.length === 0 && missing !== undefined && again !== 'taken') {
		const which = `a record with the ${label.toLowerCase()} "${value}"`;
		throw new Error(`It isn't known whether there is ${which}: ${missing} ${advice}`.trim());
	}
	if (rows.length === 0) return undefined;
	const errorOf = (what: string) =>
		new Error(`${what} the ${label.toLowerCase()} "${value}", so nothing was done.`);
	if (rows.length > 1) throw errorOf(`${rows.length} records have`);
	if (isUnset(rows[0].id)) throw errorOf('The list shows no ID for the record with');
	return rows[0];
}
