// Create or Update: looks up a record by a key, then updates or creates it.
import type { IDataObject } from 'n8n-workflow';

import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { isRecord, isUnset, recordOf, recordsOf } from '../engine/base/data';
import type { Route } from '../engine/base/definition';
import { isPerhapsAbsent } from '../engine/client/http/exchange';
import type { Steps, Wanted } from '../engine/client/steps';
import type { Operation } from '../engine/form/operation';
import { platform } from './platform';
import type { ChangedList } from './updates';

/** A key that the API can't look up, so the record is searched in a list. */
interface ListedKey {
	/** Key in the body, name of the setting in the form, and value of `matchBy`. */
	key: string;
	label: string;
	list: Route;
	wanted: (value: string) => Wanted;
	/** The next step if the list may lack the record. */
	advice?: string;
}

/** A record, and the moment before it was read (`moment` of the steps). */
export interface Found {
	record: IDataObject;
	moment: number;
}

/** Endpoints and names that Create or Update combines. */
interface Upsert {
	/** Root key of the body. */
	root: string;
	/** Key of the external ID in the body. */
	key: string;
	/** Reads the record with an external ID. */
	lookup: Route;
	update: Route;
	/** Sends an update that depends on the current record, default as it is. */
	send?: (request: ApiRequest, steps: Steps, found?: Found) => Promise<unknown>;
	/** Another key that the user can choose. */
	listed?: ListedKey;
	/** Lists of which the user may choose to remove entries. */
	lists?: ChangedList[];
}

const nothingDone = 'nothing was created or updated';

const unclearEnd = 'Nothing was created or updated. To create it, use Create.';

const unclearStep = `This may mean that there is no such record. ${unclearEnd}`;

/** Two spellings of the key: the reference uses one in lists and the other in single records. */
const KEYS = ['external_id', 'externalId'];

/** True if a record has the key. An API may ignore the query parameter of the lookup. */
export const carries = (record: IDataObject, value: string) =>
	KEYS.some((key) => !isUnset(record[key]) && String(record[key]) === value);

/** A record that changes while its list is read may come twice. Returns the later one. */
export function onceEach(rows: IDataObject[]): IDataObject[] {
	const withId = new Map(rows.filter(({ id }) => !isUnset(id)).map((row) => [String(row.id), row]));
	return [...withId.values(), ...rows.filter(({ id }) => isUnset(id))];
}

/**
 * Returns the record with a key in a list, which has an ID. Undefined if no record has it.
 * @param again reads the list anew
 * @throws if several records have it, if the record has no ID, or if the list may lack it
 */
export async function rowInList(
	{ label, list, wanted, advice = '' }: Omit<ListedKey, 'key'>,
	value: string,
	steps: Steps,
	again = false,
): Promise<IDataObject | undefined> {
	const { rows: found, missing } = await steps.find(steps.request(list), wanted(value), again);
	const rows = onceEach(recordsOf(found));
	if (rows.length === 0 && missing !== undefined && !again) {
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

/**
 * Returns the steps of Create or Update. Items and executions with the same key take turns. Those of two processes may both
 * find nothing and both create. The API responds with 409 to the second, which then looks again for the record of the
 * first and updates it.
 * @returns `run`, `check` and `also` of an operation whose request is the create request. The response is the record
 *   with `action`: `created`, `updated`, or `unchanged` if nothing else was set.
 */
export function createOrUpdate(
	upsert: Upsert,
): Required<Pick<Operation, 'also' | 'check' | 'run'>> {
	const { root, key, lookup, update, listed, lists = [] } = upsert;
	const { send = async (request, steps) => await steps.send(request) } = upsert;

	const isByList = ({ settings }: ApiRequest) =>
		listed !== undefined && settings?.matchBy === listed.key;

	/** A column of the input holds it in place of the form. */
	const listedValue = ({ settings = {}, body }: ApiRequest) =>
		listed && (settings[listed.key] ?? recordOf(body?.[root])[listed.key]);

	const check = (create: ApiRequest): void => {
		const byList = isByList(create);
		const sent = recordOf(create.body?.[root]);
		const value = byList ? listedValue(create) : sent[key];
		const label = byList ? String(listed?.label) : 'External ID';
		if (isUnset(value)) throw new FieldFault(label, 'must not be empty');
		const other = byList && listed ? sent[listed.key] : undefined;
		const text = (each: unknown) => String(each).trim().toLowerCase();
		if (isUnset(other) || text(other) === text(value)) return;
		throw new FieldFault(
			label,
			`must be the same as the ${label.toLowerCase()} in the other fields (got ${JSON.stringify(value)})`,
		);
	};

	const find = async (keyValue: string, steps: Steps): Promise<Found | undefined> => {
		const { moment } = steps;
		const query = { externalId: keyValue };
		const found = await steps.ask(steps.request(lookup, {}, { query }));
		if (found.says === 'absent') return undefined;
		const errorOf = (what: string, step = `so ${nothingDone}.`) =>
			new Error(`The lookup of External ID "${keyValue}" returned ${what}, ${step}`);
		// The reference doesn't show any other empty response, so there may still be a record.
		const nothing = errorOf(
			'nothing',
			`so it isn't known whether there is such a record. ${unclearEnd}`,
		);
		if (found.status < 300 && found.body === null) throw nothing;
		const response = steps.accept(found, isPerhapsAbsent(found) ? unclearStep : undefined);
		// A service may search instead of looking up.
		const rows = Array.isArray(response) ? response : [inner(response, root)].filter(isFilled);
		if (rows.length === 0) throw nothing;
		const records = rows.map(recordOf);
		const own = records.filter((record) => carries(record, keyValue));
		const [known] = own.length > 0 ? own : records;
		// The record exists, but in an unexpected shape: creating it would make a duplicate.
		if (isUnset(known.id)) throw errorOf('a record without an ID');
		if (own.length === 0) throw errorOf(`a different record (ID ${String(known.id)})`);
		if (own.length > 1) throw errorOf('more than one record');
		return { record: known, moment };
	};

	/** The key that found the record, for errors of the update. */
	const keyIn = ({ settings = {}, body }: ApiRequest) =>
		listed && settings.matchBy === listed.key
			? { field: listed.label, value: String(settings[listed.key]) }
			: { field: 'External ID', value: String(recordOf(body?.[root])[key]) };

	const change = async (
		found: Found,
		create: ApiRequest,
		changes: IDataObject,
		steps: Steps,
	): Promise<IDataObject> => {
		const id = String(found.record.id);
		const ids = { [platform.endpoint(update).pathParameters[0]]: id };
		const lookupKeys = () => [keyIn(create)];
		const request = { ...steps.request(update, ids, { body: { [root]: changes } }), lookupKeys };
		if (Object.keys(changes).length === 0) return { id, action: 'unchanged' };
		const { settings, asIs } = create;
		const response = await send({ ...request, settings, asIs }, steps, found);
		return { ...inner(response, root), action: 'updated' };
	};

	/** A new record has nothing that could be removed. */
	const asNew = (create: ApiRequest): ApiRequest => {
		const record = { ...recordOf(create.body?.[root]) };
		for (const { setting, sent } of lists)
			if (create.settings?.[setting] === 'remove') delete record[sent];
		return { ...create, body: { [root]: record } };
	};

	const byLookup = async (create: ApiRequest, steps: Steps): Promise<IDataObject> => {
		const { [key]: own, ...changes } = recordOf(create.body?.[root]);
		const keyValue = String(own);
		return await steps.withLock(`${lookup} ${keyValue}`, async () => {
			const known = await find(keyValue, steps);
			if (known !== undefined) return await change(known, create, changes, steps);
			const created = await steps.ask(asNew(create));
			const winner = created.status === 409 ? await find(keyValue, steps) : undefined;
			if (winner !== undefined) return await change(winner, create, changes, steps);
			// A 409 at this point is about another value of the record that is taken, such as the email.
			return { ...inner(steps.accept(created), root), action: 'created' };
		});
	};

	const idInList = async (listed: ListedKey, value: string, steps: Steps, again = false) => {
		const row = await rowInList({ ...listed, advice: unclearEnd }, value, steps, again);
		return row && String(row.id);
	};

	/** The list is as it was before the run, so only the ID is known. */
	const withId = (id: string): Found => ({ record: { id }, moment: 0 });

	const byList = async (
		listed: ListedKey,
		create: ApiRequest,
		steps: Steps,
	): Promise<IDataObject> => {
		const { key: own } = listed;
		const value = String(listedValue(create)).trim();
		const changes = { ...recordOf(create.body?.[root]) };
		delete changes[own];
		const lock = `${listed.list} ${value.toLowerCase()}`;
		const body = { [root]: { [own]: value, ...changes } };
		const { made } = steps;
		return await steps.withLock(lock, async () => {
			const known = made.get(lock) ?? (await idInList(listed, value, steps));
			if (known === '') {
				const which = `${listed.label.toLowerCase()} "${value}"`;
				throw new Error(
					`An earlier item may have created the record with the ${which}. Check before you run it again.`,
				);
			}
			if (known) return await change(withId(known), create, changes, steps);
			made.set(lock, '');
			try {
				const response = await steps.ask(asNew({ ...create, body }));
				const winner =
					response.status === 409 ? await idInList(listed, value, steps, true) : undefined;
				if (winner !== undefined) {
					made.set(lock, winner);
					return await change(withId(winner), create, changes, steps);
				}
				const created = inner(steps.accept(response), root);
				if (!isUnset(created.id)) made.set(lock, String(created.id));
				return { ...created, action: 'created' };
			} finally {
				if (steps.writes.outcome === 'notApplied') made.delete(lock);
			}
		});
	};

	const run = async (create: ApiRequest, steps: Steps): Promise<unknown> =>
		listed && isByList(create)
			? await byList(listed, create, steps)
			: await byLookup(create, steps);
	return { run, check, also: [lookup, update, ...(listed ? [listed.list] : [])] };
}

const isFilled = (record: IDataObject) => Object.keys(record).length > 0;

/** Returns the record in a response, which may be below its name. */
export function inner(response: unknown, root: string): IDataObject {
	const object = recordOf(response);
	const wrapped = object[root];
	return isRecord(wrapped) ? wrapped : object;
}
