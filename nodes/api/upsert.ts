// Create or Update: looks up a record by a key, then updates or creates it.
import type { IDataObject } from 'n8n-workflow';

import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { isUnset, recordOf } from '../engine/base/data';
import type { Route } from '../engine/base/definition';
import { isPerhapsAbsent } from '../engine/client/http/exchange';
import type { Steps } from '../engine/client/steps';
import type { Operation } from '../engine/form/operation';
import { carries, inner, recordsFound, rowInList, theOne, type ListedKey } from './recordByKey';
import { platform } from './platform';
import type { ChangedList } from './updates';

/** A key of a list, as the form and the body have it. */
interface MatchedKey extends ListedKey {
	/** Key in the body, name of the setting in the form, and value of `matchBy`. */
	key: string;
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
	listed?: MatchedKey;
	/** Lists of which the user may choose to remove entries. */
	lists?: ChangedList[];
}

const nothingDone = 'nothing was created or updated';

const unclearEnd = 'Nothing was created or updated. To create it, use Create.';

const unclearStep = `This may mean that there is no such record. ${unclearEnd}`;

/**
 * Returns the steps of Create or Update. Items and executions with the same key take turns. Those of two processes may both
 * find nothing and both create. The API responds with 409 to the second, which then looks again for the record of the
 * first and updates it.
 * @returns `run`, `check`, `also` and `recordKey` of an operation whose request is the create request. The response is the record
 *   with `action`: `created`, `updated`, or `unchanged` if nothing else was set.
 */
export function createOrUpdate(
	upsert: Upsert,
): Required<Pick<Operation, 'also' | 'check' | 'run' | 'recordKey'>> {
	const { root, key, lookup, update, listed, lists = [] } = upsert;
	const { send = async (request, steps) => await steps.send(request) } = upsert;

	const isByList = ({ settings }: ApiRequest) =>
		listed !== undefined && settings?.matchBy === listed.key;

	/** The value of the listed key: from its field or, where columns of the input are sent, from the body. */
	const listedValue = ({ settings = {}, body }: ApiRequest) =>
		listed && (settings[listed.key] ?? recordOf(body?.[root])[listed.key]);

	/** @throws FieldFault if the key is empty, or if the other fields have another value for it */
	const check = (create: ApiRequest): void => {
		const byList = isByList(create);
		const sent = recordOf(create.body?.[root]);
		const value = byList ? listedValue(create) : sent[key];
		const label = byList ? String(listed?.label) : 'External ID';
		if (isUnset(value)) throw new FieldFault(label, 'must not be empty');
		// An external ID is in the body only. The listed key is in the form, and may be in the body again.
		const valueInBody = byList && listed ? sent[listed.key] : undefined;
		const plain = (each: unknown) => String(each).trim().toLowerCase();
		if (isUnset(valueInBody) || plain(valueInBody) === plain(value)) return;
		throw new FieldFault(
			label,
			`must be the same as the ${label.toLowerCase()} in the other fields (got ${JSON.stringify(value)})`,
		);
	};

	/** Looks up an external ID. Undefined only if the API says that no record has it: a wrong guess would make a duplicate. */
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
		const records = recordsFound(response, root);
		if (records.length === 0) throw nothing;
		// One in an unexpected shape exists all the same: creating it would make a duplicate.
		const record = theOne(records, (each) => carries(each, keyValue), errorOf);
		return { record, moment };
	};

	/** The field and value that found the record. Errors of the update name them, since the form has no ID. */
	const keyIn = (create: ApiRequest) =>
		listed && create.settings?.matchBy === listed.key
			? { field: listed.label, value: String(listedValue(create)) }
			: { field: 'External ID', value: String(recordOf(create.body?.[root])[key]) };

	/** Updates the record that was found. Sends nothing if the user has set nothing but the key. */
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

	/** Leaves out lists of entries to remove: a new record has none. */
	const asNew = (create: ApiRequest): ApiRequest => {
		const record = { ...recordOf(create.body?.[root]) };
		for (const { setting, sent } of lists)
			if (create.settings?.[setting] === 'remove') delete record[sent];
		return { ...create, body: { [root]: record } };
	};

	const byLookup = async (create: ApiRequest, steps: Steps): Promise<IDataObject> => {
		const { [key]: externalId, ...changes } = recordOf(create.body?.[root]);
		const keyValue = String(externalId);
		return await steps.withLock(`${lookup} ${keyValue}`, async () => {
			const found = await find(keyValue, steps);
			if (found !== undefined) return await change(found, create, changes, steps);
			const response = await steps.ask(asNew(create));
			// Another process may have created the record since the lookup.
			const winner = response.status === 409 ? await find(keyValue, steps) : undefined;
			if (winner !== undefined) return await change(winner, create, changes, steps);
			// A 409 at this point is about another value of the record that is taken, such as the email: `accept` throws it.
			return { ...inner(steps.accept(response), root), action: 'created' };
		});
	};

	const idInList = async (listed: MatchedKey, value: string, steps: Steps, again = false) => {
		const row = await rowInList({ ...listed, advice: unclearEnd }, value, steps, again);
		return row && String(row.id);
	};

	/** Only the ID: items share a list that was read before their writes, so its fields may be old. Moment 0 is before all. */
	const withId = (id: string): Found => ({ record: { id }, moment: 0 });

	/** Same as `byLookup`. Items share one read of the list, so `made` tells what earlier items have created since. */
	const byList = async (
		listed: MatchedKey,
		create: ApiRequest,
		steps: Steps,
	): Promise<IDataObject> => {
		const value = String(listedValue(create)).trim();
		const changes = { ...recordOf(create.body?.[root]) };
		delete changes[listed.key];
		const lock = `${listed.list} ${value.toLowerCase()}`;
		const body = { [root]: { [listed.key]: value, ...changes } };
		const { made } = steps;
		return await steps.withLock(lock, async () => {
			const id = made.get(lock) ?? (await idInList(listed, value, steps));
			const isInDoubt = id === '';
			if (isInDoubt) {
				const which = `${listed.label.toLowerCase()} "${value}"`;
				throw new Error(
					`An earlier item may have created the record with the ${which}. Check before you run it again.`,
				);
			}
			if (id) return await change(withId(id), create, changes, steps);
			// In doubt until the response is read.
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
				// This item has certainly created nothing, so the next one may.
				if (steps.writes.outcome === 'notApplied') made.delete(lock);
			}
		});
	};

	const run = async (create: ApiRequest, steps: Steps): Promise<unknown> =>
		listed && isByList(create)
			? await byList(listed, create, steps)
			: await byLookup(create, steps);
	const recordKey = (create: ApiRequest): string => {
		const { field, value } = keyIn(create);
		return `${field} ${value.trim()}`;
	};
	return { run, check, recordKey, also: [lookup, update, ...(listed ? [listed.list] : [])] };
}
