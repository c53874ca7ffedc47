// Create or Update: looks up a record by a key, then updates or creates it. An update that would change nothing isn't sent.
import type { IDataObject } from 'n8n-workflow';

import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { isUnset, recordOf } from '../engine/base/data';
import type { Route } from '../engine/base/definition';
import { isPerhapsAbsent } from '../engine/client/http/exchange';
import type { ApiResponse, Steps } from '../engine/client/steps';
import { options, type Field } from '../engine/form/fields';
import type { Operation } from '../engine/form/operation';
import { differences, shownChanges } from './differences';
import { Moved, type FoundRecord, type RecordWrite } from './merges';
import { approvedChanges, changesMeasure, checkApproved } from './plan';
import { platform } from './platform';
import {
	carries,
	carrying,
	inner,
	recordsFound,
	rowInList,
	theOne,
	type ListedKey,
} from './recordByKey';
import { sendUnchanged, type ChangedList } from './updates';

/** A key of a list, as the form and the body have it. */
interface MatchedKey extends ListedKey {
	/** Key in the body, name of the setting in the form, and value of `matchBy`. */
	key: string;
}

/** A record that exists. */
type Existing = FoundRecord & { id: string };

/** Endpoints and names that Create or Update combines. */
interface Upsert {
	/** Root key of the body. */
	root: string;
	/** Key of the external ID in the body. */
	key: string;
	/** Reads the record with an external ID. */
	lookup: Route;
	/** Lists all records. For many items it's read once, to find those that are up to date. */
	list: Route;
	update: Route;
	/** Sends an update, if it changes something. */
	write: RecordWrite;
	/** Another key that the user can choose. */
	listed?: MatchedKey;
	/** Lists of which the user may choose to remove entries. */
	lists?: ChangedList[];
}

/** The options of Create or Update. */
export const upsertOptions: Field = options([approvedChanges, sendUnchanged]);

/** To compare emails, whose case makes no difference. */
const plain = (value: unknown) => String(value).trim().toLowerCase();

const nothingDone = 'nothing was created or updated';

const unclearEnd = 'Nothing was created or updated. To create it, use Create.';

const unclearStep = `This may mean that there is no such record. ${unclearEnd}`;

/**
 * Returns the steps of Create or Update. Items and executions with the same key take turns. Those of two processes may both
 * find nothing and both create. The API responds with 409 to the second, which then looks again for the record of the
 * first and updates it.
 *
 * A list is never enough for a write: it may be old, cut or not complete. If it shows a record as it would be sent, nothing is
 * sent. Anything else is looked up by itself first.
 * @returns parts of an operation whose request is the create request. The response is the record with `action`: `created`,
 *   `updated` or `unchanged`, and with `changes`.
 */
export function createOrUpdate(
	upsert: Upsert,
): Required<
	Pick<
		Operation,
		'also' | 'check' | 'compares' | 'listedKey' | 'measure' | 'merged' | 'recordKey' | 'run'
	>
> {
	const { root, key, lookup, list, update, write, listed, lists = [] } = upsert;

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
		if (isUnset(valueInBody) || plain(valueInBody) === plain(value)) return;
		throw new FieldFault(
			label,
			`must be the same as the ${label.toLowerCase()} in the other fields (got ${JSON.stringify(value)})`,
		);
	};

	/** Looks up an external ID. Undefined only if the API says that no record has it: a wrong guess would make a duplicate. */
	const find = async (keyValue: string, steps: Steps): Promise<Existing | undefined> => {
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
		return { id: String(record.id), record, moment };
	};

	/** The field and value that found the record. Errors of the update name them, since the form has no ID. */
	const keyIn = (create: ApiRequest) =>
		listed && create.settings?.matchBy === listed.key
			? { field: listed.label, value: String(listedValue(create)) }
			: { field: 'External ID', value: String(recordOf(create.body?.[root])[key]) };

	/** The request that updates a record with what the create request has. */
	const updateOf = (
		create: ApiRequest,
		id: string,
		changes: IDataObject,
		steps: Steps,
	): ApiRequest => {
		const ids = { [platform.endpoint(update).pathParameters[0]]: id };
		const { settings, asIs } = create;
		const lookupKeys = () => [keyIn(create)];
		return {
			...steps.request(update, ids, { body: { [root]: changes } }),
			...{ lookupKeys, settings, asIs },
		};
	};

	/** Updates the record that was found. Sends nothing if the user has set nothing but the key. */
	const change = async (
		{ id, ...found }: Existing,
		create: ApiRequest,
		changes: IDataObject,
		steps: Steps,
	): Promise<IDataObject> => {
		steps.touched.add(id);
		if (Object.keys(changes).length === 0) return { id, action: 'unchanged' };
		return await write.run(updateOf(create, id, changes, steps), steps, found);
	};

	/** Leaves out lists of entries to remove: a new record has none. */
	const asNew = (create: ApiRequest): ApiRequest => {
		const record = { ...recordOf(create.body?.[root]) };
		for (const { setting, sent } of lists)
			if (create.settings?.[setting] === 'remove') delete record[sent];
		return { ...create, body: { [root]: record } };
	};

	const changesOfNew = (create: ApiRequest) =>
		shownChanges(differences(() => undefined, recordOf(create.body?.[root])));

	/** Sends a create request. Its response may be an error. */
	const askToCreate = async (create: ApiRequest, steps: Steps): Promise<ApiResponse> => {
		checkApproved(create, { changes: changesOfNew(create) });
		return await steps.ask(create);
	};

	/** The result of a create request. What only a dry run or a plan has made is kept for later items with the same key. */
	const created = (
		response: ApiResponse,
		create: ApiRequest,
		lock: string,
		steps: Steps,
	): IDataObject => {
		const record = inner(steps.accept(response), root);
		if (response.attempts === 0) {
			const empty = Object.fromEntries(lists.map(({ known }) => [known, []]));
			const id = record.id ?? `planned-${steps.known.size}`;
			steps.known.set(lock, { ...empty, ...recordOf(create.body?.[root]), id });
		}
		return { ...record, action: 'created', changes: changesOfNew(create) };
	};

	/** The record that an earlier item would have created, in a dry run or a plan. */
	const plannedBy = (lock: string, { known, moment }: Steps): Existing | undefined => {
		const record = known.get(lock);
		return record && { id: String(record.id), record, moment, isWhole: true };
	};

	/** The result if the list, which is read once for all items, shows the record as it would be sent. */
	const ifListed = async (
		create: ApiRequest,
		keyValue: string,
		changes: IDataObject,
		steps: Steps,
	): Promise<IDataObject | undefined> => {
		const [row, ...others] = await steps.ahead(steps.request(list), carrying(keyValue));
		if (row === undefined || others.length > 0 || isUnset(row.id)) return undefined;
		const id = String(row.id);
		if (steps.touched.has(id)) return undefined;
		return write.unchanged(updateOf(create, id, changes, steps), row);
	};

	const byLookup = async (create: ApiRequest, steps: Steps): Promise<IDataObject> => {
		const { [key]: externalId, ...changes } = recordOf(create.body?.[root]);
		const keyValue = String(externalId);
		const lock = `${lookup} ${keyValue}`;
		return await steps.withLock(lock, async () => {
			const planned = plannedBy(lock, steps);
			if (planned) return await change(planned, create, changes, steps);
			const isTouched = steps.touched.has(lock);
			const asListed = isTouched ? undefined : await ifListed(create, keyValue, changes, steps);
			if (asListed) return asListed;
			steps.touched.add(lock);
			const found = await find(keyValue, steps);
			if (found !== undefined) return await change(found, create, changes, steps);
			const request = asNew(create);
			const response = await askToCreate(request, steps);
			// Another process may have created the record since the lookup.
			const winner = response.status === 409 ? await find(keyValue, steps) : undefined;
			if (winner !== undefined) return await change(winner, create, changes, steps);
			// A 409 at this point is about another value of the record that is taken, such as the email: `accept` throws it.
			return created(response, request, lock, steps);
		});
	};

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
		const { made, touched } = steps;
		const rowNow = async (again?: 'taken' | 'moved') =>
			await rowInList({ ...listed, advice: unclearEnd }, value, steps, again);
		/** Items share a list that was read before their writes, so the record is read by its ID. Moment 0 is before all. */
		const withId = (id: string): Existing => ({
			id,
			moment: 0,
			isStill: ({ [listed.key]: now }) => isUnset(now) || plain(now) === plain(value),
		});
		const changeById = async (id: string) => await change(withId(id), create, changes, steps);
		/** Undefined if the record has got another key since the list was read. */
		const ifStill = async (id: string) =>
			await changeById(id).catch((error: unknown) => {
				if (error instanceof Moved) return undefined;
				throw error;
			});
		return await steps.withLock(lock, async () => {
			const planned = plannedBy(lock, steps);
			if (planned) return await change(planned, create, changes, steps);
			const id = made.get(lock);
			const isInDoubt = id === '';
			if (isInDoubt) {
				const which = `${listed.label.toLowerCase()} "${value}"`;
				throw new Error(
					`An earlier item may have created the record with the ${which}. Check before you run it again.`,
				);
			}
			if (id !== undefined) return await changeById(id);
			const row = await rowNow();
			if (row !== undefined) {
				const known = String(row.id);
				const request = updateOf(create, known, changes, steps);
				const asListed = touched.has(known) ? undefined : write.unchanged(request, row);
				const result = asListed ?? (await ifStill(known));
				if (result) return result;
				const other = await rowNow('moved');
				if (other !== undefined) return await changeById(String(other.id));
			}
			// In doubt until the response is read.
			made.set(lock, '');
			try {
				const request = asNew({ ...create, body });
				const response = await askToCreate(request, steps);
				const winner = response.status === 409 ? await rowNow('taken') : undefined;
				if (winner !== undefined) {
					made.set(lock, String(winner.id));
					return await changeById(String(winner.id));
				}
				const result = created(response, request, lock, steps);
				if (!isUnset(result.id)) made.set(lock, String(result.id));
				return result;
			} finally {
				// This item has certainly created nothing, so the next one may.
				if (steps.writes.outcome === 'notApplied') made.delete(lock);
			}
		});
	};

	const run = async (create: ApiRequest, steps: Steps): Promise<IDataObject> =>
		listed && isByList(create)
			? await byList(listed, create, steps)
			: await byLookup(create, steps);
	const recordKey = (create: ApiRequest): string => {
		const { field, value } = keyIn(create);
		return `${field} ${value.trim()}`;
	};
	const listedKey = (create: ApiRequest): string | undefined => {
		const isSentAnyway = create.settings?.[sendUnchanged.name] === true;
		return isSentAnyway || isByList(create)
			? undefined
			: String(recordOf(create.body?.[root])[key]);
	};
	return {
		run,
		check,
		compares: true,
		recordKey,
		listedKey,
		merged: write.merged,
		measure: changesMeasure(run),
		also: [lookup, list, update, ...write.also],
	};
}
