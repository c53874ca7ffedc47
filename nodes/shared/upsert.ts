// Create or Update: look up by a key, then update what is there or create what is not.
import type { IDataObject } from 'n8n-workflow';

import type { Route } from './endpoints';
import { isPerhapsAbsent } from './client/http/answer';
import { isRecord, isUnset, recordOf, type ApiRequest, type Steps } from './operation';

/** The endpoints that Create or Update combines. */
interface Upsert {
	/** Root key of the body. */
	root: string;
	/** Body field that identifies the record. */
	key: string;
	/** Field of the form that holds it, for errors. */
	label: string;
	/** Query parameter of the lookup. */
	parameter: string;
	/** Lookup by key. */
	lookup: Route;
	/** Update of one record, and the parameter of its path. */
	update: Route;
	id: string;
}

const nothingDone = 'nothing was created or updated';

const unclearStep =
	'This may mean that there is no such record. Nothing was created or updated. To create it, use Create.';

/** Both spellings of the key: the reference uses one in lists and the other in single records. */
const KEYS = ['external_id', 'externalId'];

/** Whether a record has the key that was looked up. An API may ignore a query parameter. */
const carries = (record: IDataObject, value: string) =>
	KEYS.some((key) => !isUnset(record[key]) && String(record[key]) === value);

/**
 * The steps of Create or Update. Two runs that race may both find nothing and both create: the API
 * answers the second with 409, which then looks up what the first has made and updates it. Items
 * of one run that share a key take turns.
 * @returns `run` and `also` of an operation whose request is the create request; its response is the record's
 *   answer with `action`, which is `created`, `updated`, or `unchanged` when nothing else was set
 */
export function createOrUpdate({ root, key, label, parameter, lookup, update, id }: Upsert) {
	const run = async (create: ApiRequest, steps: Steps): Promise<unknown> => {
		const record = recordOf(create.body?.[root]);
		const keyValue = String(record[key]);

		const find = async (): Promise<string | undefined> => {
			const query = { [parameter]: keyValue };
			const found = await steps.ask(steps.request(lookup, {}, { query }));
			// What a lookup answers that finds nothing is only partly shown.
			if (found.missing || (found.status < 300 && found.body === null)) return undefined;
			const answer = steps.accept(found, isPerhapsAbsent(found) ? unclearStep : undefined);
			// A service may search instead of looking up.
			const rows = Array.isArray(answer) ? answer : [inner(answer, root)].filter(isFilled);
			if (rows.length === 0) return undefined;
			const records = rows.map(recordOf);
			const own = records.filter((record) => carries(record, keyValue));
			const [known] = own.length > 0 ? own : records;
			const but = (what: string) =>
				new Error(`The lookup of ${label} "${keyValue}" returned ${what}, so ${nothingDone}.`);
			// The record exists, but in an unexpected shape: creating it would make a duplicate.
			if (isUnset(known.id)) throw but('a record without an ID');
			if (own.length === 0) throw but(`a different record (ID ${String(known.id)})`);
			if (own.length > 1) throw but('more than one record');
			return String(known.id);
		};
		const change = async (known: string): Promise<IDataObject> => {
			const changes: IDataObject = { ...record };
			delete changes[key];
			const request = steps.request(update, { [id]: known }, { body: { [root]: changes } });
			if (Object.keys(changes).length === 0) return { id: known, action: 'unchanged' };
			const answer = await steps.send(request);
			return { ...inner(answer, root), action: 'updated' };
		};

		return await steps.inTurn(keyValue, async () => {
			const known = await find();
			if (known !== undefined) return await change(known);
			const created = await steps.ask(create);
			const winner = created.status === 409 ? await find() : undefined;
			if (winner !== undefined) return await change(winner);
			// A conflict, but not about the key: another value of the record, such as the email, is taken.
			return { ...inner(steps.accept(created), root), action: 'created' };
		});
	};
	return { run, also: [lookup, update] };
}

const isFilled = (record: IDataObject) => Object.keys(record).length > 0;

function inner(answer: unknown, root: string): IDataObject {
	const object = recordOf(answer);
	const wrapped = object[root];
	return isRecord(wrapped) ? wrapped : object;
}
