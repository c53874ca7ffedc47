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

/** An item whose record is found in a list that all items share. */
interface ListedItem {
	listed: MatchedKey;
	value: string;
	/** Name of the lock for items with the same key, and of what the run has created (`Steps.made`). */
	lock: string;
	create: ApiRequest;
	/** The fields of the record, without its key. */
	changes: IDataObject;
	steps: Steps;
}

/** Says if the other field of a listed key has the value that the user has set. */
const isSameKey = (now: unknown, value: string) => isUnset(now) || plain(now) === plain(value);

/** The record that an earlier item would have created, in a dry run or a plan. */
const plannedBy = (lock: string, { known, moment }: Steps): Existing | undefined => {
	const record = known.get(lock);
	return record && { id: String(record.id), record, moment, isWhole: true };
};

/**
 * The steps of Create or Update. Items and executions with the same key take turns. Those of two processes may both find
 * nothing and both create. The API responds with 409 to the second, which then looks again for the record of the first
 * and updates it.
 *
 * A list is never enough for a write: it may be old, cut or not complete. If it shows a record as it would be sent, nothing is
 * sent. Anything else is looked up by itself first.
 */
class CreateOrUpdate {
	constructor(private readonly upsert: Upsert) {}

	/** @throws FieldFault if the key is empty, or if the other fields have another value for it */
	check(create: ApiRequest): void {
		const { key } = this.upsert;
		const listed = this.listedOf(create);
		const sent = this.recordIn(create);
		const value = listed ? this.listedValue(listed, create) : sent[key];
		const label = listed?.label ?? 'External ID';
		if (isUnset(value)) throw new FieldFault(label, 'must not be empty');
		// An external ID is in the body only. The listed key is in the form, and may be in the body again.
		if (listed === undefined || isSameKey(sent[listed.key], String(value))) return;
		throw new FieldFault(
			label,
			`must be the same as the ${label.toLowerCase()} in the other fields (got ${JSON.stringify(value)})`,
		);
	}

	/** The field and value that found the record. Errors of the update name them, since the form has no ID. */
	keyIn(create: ApiRequest): { field: string; value: string } {
		const listed = this.listedOf(create);
		return listed
			? { field: listed.label, value: String(this.listedValue(listed, create)) }
			: { field: 'External ID', value: String(this.recordIn(create)[this.upsert.key]) };
	}

	/** The key by which `ahead` may look for the record in the list, if it may. */
	listedKey(create: ApiRequest): string | undefined {
		const isSentAnyway = create.settings?.[sendUnchanged.name] === true;
		if (isSentAnyway || this.listedOf(create)) return undefined;
		return String(this.recordIn(create)[this.upsert.key]);
	}

	/** Returns the record with `action` and `changes`. */
	async run(create: ApiRequest, steps: Steps): Promise<IDataObject> {
		const listed = this.listedOf(create);
		if (listed === undefined) return await this.byLookup(create, steps);
		const value = String(this.listedValue(listed, create)).trim();
		const changes = { ...this.recordIn(create) };
		delete changes[listed.key];
		const lock = `${listed.list} ${value.toLowerCase()}`;
		return await this.byList({ listed, value, lock, create, changes, steps });
	}

	/** The listed key, if the user has chosen it. */
	private listedOf({ settings }: ApiRequest): MatchedKey | undefined {
		const { listed } = this.upsert;
		return listed && settings?.matchBy === listed.key ? listed : undefined;
	}

	/** The value of the listed key: from its field or, where columns of the input are sent, from the body. */
	private listedValue({ key }: MatchedKey, create: ApiRequest): unknown {
		return create.settings?.[key] ?? this.recordIn(create)[key];
	}

	private recordIn({ body }: ApiRequest): IDataObject {
		return recordOf(body?.[this.upsert.root]);
	}

	private async byLookup(create: ApiRequest, steps: Steps): Promise<IDataObject> {
		const { [this.upsert.key]: externalId, ...changes } = this.recordIn(create);
		const keyValue = String(externalId);
		const lock = `${this.upsert.lookup} ${keyValue}`;
		return await steps.withLock(lock, async () => {
			const planned = plannedBy(lock, steps);
			if (planned) return await this.change(planned, create, changes, steps);
			const isTouched = steps.touched.has(lock);
			const asListed = isTouched
				? undefined
				: await this.ifListed(create, keyValue, changes, steps);
			if (asListed) return asListed;
			steps.touched.add(lock);
			const found = await this.find(keyValue, steps);
			if (found !== undefined) return await this.change(found, create, changes, steps);
			const request = this.asNew(create);
			const response = await this.askToCreate(request, steps);
			// Another process may have created the record since the lookup.
			const winner = response.status === 409 ? await this.find(keyValue, steps) : undefined;
			if (winner !== undefined) return await this.change(winner, create, changes, steps);
			// A 409 at this point is about another value of the record that is taken, such as the email: `accept` throws it.
			return this.created(response, request, lock, steps);
		});
	}

	/** The result if the list, which is read once for all items, shows the record as it would be sent. */
	private async ifListed(
		create: ApiRequest,
		keyValue: string,
		changes: IDataObject,
		steps: Steps,
	): Promise<IDataObject | undefined> {
		const { list, write } = this.upsert;
		const [row, ...others] = await steps.ahead(steps.request(list), carrying(keyValue));
		if (row === undefined || others.length > 0 || isUnset(row.id)) return undefined;
		const id = String(row.id);
		if (steps.touched.has(id)) return undefined;
		return write.unchanged(this.updateOf(create, id, changes, steps), row);
	}

	/** Looks up an external ID. Undefined only if the API says that no record has it: a wrong guess would make a duplicate. */
	private async find(keyValue: string, steps: Steps): Promise<Existing | undefined> {
		const { lookup, root } = this.upsert;
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
	}

	/** Same as `byLookup`. Items share one read of the list, so `made` tells what earlier items have created since. */
	private async byList(item: ListedItem): Promise<IDataObject> {
		const { listed, value, lock, create, changes, steps } = item;
		return await steps.withLock(lock, async () => {
			const planned = plannedBy(lock, steps);
			if (planned) return await this.change(planned, create, changes, steps);
			const id = steps.made.get(lock);
			const isInDoubt = id === '';
			if (isInDoubt) {
				const which = `${listed.label.toLowerCase()} "${value}"`;
				throw new Error(
					`An earlier item may have created the record with the ${which}. Check before you run it again.`,
				);
			}
			if (id !== undefined) return await this.changeById(id, item);
			return (await this.changeListed(item)) ?? (await this.createListed(item));
		});
	}

	/** The row of the list with the key. `again`: why the list is read anew. */
	private async rowNow({ listed, value, steps }: ListedItem, again?: 'taken' | 'moved') {
		return await rowInList({ ...listed, advice: unclearEnd }, value, steps, again);
	}

	/** Items share a list that was read before their writes, so the record is read by its ID. Moment 0 is before all. */
	private async changeById(id: string, item: ListedItem): Promise<IDataObject> {
		const { listed, value, create, changes, steps } = item;
		const isStill = ({ [listed.key]: now }: IDataObject) => isSameKey(now, value);
		return await this.change({ id, moment: 0, isStill }, create, changes, steps);
	}

	/** Updates the record that the list shows. Undefined if none has the key (any more). */
	private async changeListed(item: ListedItem): Promise<IDataObject | undefined> {
		const { create, changes, steps } = item;
		const row = await this.rowNow(item);
		if (row === undefined) return undefined;
		const id = String(row.id);
		if (!steps.touched.has(id)) {
			const request = this.updateOf(create, id, changes, steps);
			const asListed = this.upsert.write.unchanged(request, row);
			if (asListed) return asListed;
		}
		const changed = await this.changeById(id, item).catch((error: unknown) => {
			// The record has got another key since the list was read.
			if (error instanceof Moved) return undefined;
			throw error;
		});
		if (changed) return changed;
		const other = await this.rowNow(item, 'moved');
		return other && (await this.changeById(String(other.id), item));
	}

	private async createListed(item: ListedItem): Promise<IDataObject> {
		const { listed, value, lock, create, changes, steps } = item;
		const { made } = steps;
		// In doubt until the response is read.
		made.set(lock, '');
		try {
			const body = { [this.upsert.root]: { [listed.key]: value, ...changes } };
			const request = this.asNew({ ...create, body });
			const response = await this.askToCreate(request, steps);
			const winner = response.status === 409 ? await this.rowNow(item, 'taken') : undefined;
			if (winner !== undefined) {
				made.set(lock, String(winner.id));
				return await this.changeById(String(winner.id), item);
			}
			const result = this.created(response, request, lock, steps);
			if (!isUnset(result.id)) made.set(lock, String(result.id));
			return result;
		} finally {
			// This item has certainly created nothing, so the next one may.
			if (!steps.writes.mayBeApplied) made.delete(lock);
		}
	}

	/** The request that updates a record with what the create request has. */
	private updateOf(create: ApiRequest, id: string, changes: IDataObject, steps: Steps): ApiRequest {
		const { root, update } = this.upsert;
		const ids = { [platform.endpoint(update).pathParameters[0]]: id };
		const { settings, asIs } = create;
		const lookupKeys = () => [this.keyIn(create)];
		return {
			...steps.request(update, ids, { body: { [root]: changes } }),
			...{ lookupKeys, settings, asIs },
		};
	}

	/** Updates the record that was found. Sends nothing if the user has set nothing but the key. */
	private async change(
		{ id, ...found }: Existing,
		create: ApiRequest,
		changes: IDataObject,
		steps: Steps,
	): Promise<IDataObject> {
		steps.touched.add(id);
		if (Object.keys(changes).length === 0) return { id, action: 'unchanged' };
		return await this.upsert.write.run(this.updateOf(create, id, changes, steps), steps, found);
	}

	/** Leaves out lists of entries to remove: a new record has none. */
	private asNew(create: ApiRequest): ApiRequest {
		const { root, lists = [] } = this.upsert;
		const record = { ...this.recordIn(create) };
		for (const { setting, sent } of lists)
			if (create.settings?.[setting] === 'remove') delete record[sent];
		return { ...create, body: { [root]: record } };
	}

	private changesOfNew(create: ApiRequest) {
		return shownChanges(differences(() => undefined, this.recordIn(create)));
	}

	/** Sends a create request. Its response may be an error. */
	private async askToCreate(create: ApiRequest, steps: Steps): Promise<ApiResponse> {
		checkApproved(create, { changes: this.changesOfNew(create) });
		return await steps.ask(create);
	}

	/** The result of a create request. What only a dry run or a plan has made is kept for later items with the same key. */
	private created(
		response: ApiResponse,
		create: ApiRequest,
		lock: string,
		steps: Steps,
	): IDataObject {
		const { root, lists = [] } = this.upsert;
		const record = inner(steps.accept(response), root);
		if (response.attempts === 0) {
			const empty = Object.fromEntries(lists.map(({ known }) => [known, []]));
			const id = record.id ?? `planned-${steps.known.size}`;
			steps.known.set(lock, { ...empty, ...this.recordIn(create), id });
		}
		return { ...record, action: 'created', changes: this.changesOfNew(create) };
	}
}

type Parts =
	| 'also'
	| 'check'
	| 'compares'
	| 'listedKey'
	| 'measure'
	| 'merged'
	| 'recordKey'
	| 'run';

/** The parts of Create or Update. Its request is the create request, its response the record with `action` and `changes`. */
export function createOrUpdate(upsert: Upsert): Required<Pick<Operation, Parts>> {
	const { lookup, list, update, write } = upsert;
	const steps = new CreateOrUpdate(upsert);
	const run = steps.run.bind(steps);
	return {
		run,
		check: (create) => steps.check(create),
		compares: true,
		recordKey: (create) => {
			const { field, value } = steps.keyIn(create);
			return `${field} ${value.trim()}`;
		},
		listedKey: (create) => steps.listedKey(create),
		merged: write.merged,
		measure: changesMeasure(run),
		also: [lookup, list, update, ...write.also],
	};
}
