// Create or Update: look up by a key, then update what is there or create what is not.
import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest, Steps } from './operation';

/** The endpoints that Create or Update combines. */
interface Upsert {
	/** Root key of the body. */
	root: string;
	/** Body field that identifies the record. */
	key: string;
	/** Query parameter of the lookup. */
	parameter: string;
	/** Path of the lookup by key. */
	lookup: string;
	/** Path template of one record, and its parameter. */
	item: string;
	id: string;
}

const unknownAnswer =
	'The lookup answered with a record without an id, so nothing was created or updated.';

const isUnset = (value: unknown) => value === undefined || value === null || value === '';

/**
 * The steps of Create or Update. Two runs that race may both find nothing and both create: the API
 * answers the second with 409, which then looks up what the first has made and updates it. Items
 * of one run that share a key take turns.
 * @returns `run` of an operation whose request is the create request; its answer is the record's
 *   answer with `action`, which is `created`, `updated`, or `unchanged` when nothing else was set
 */
export function createOrUpdate({ root, key, parameter, lookup, item, id }: Upsert) {
	return async (request: ApiRequest, steps: Steps): Promise<unknown> => {
		const record = (request.body as IDataObject)[root] as IDataObject;
		const keyValue = String(record[key]);

		const find = async (): Promise<string | undefined> => {
			const found = await steps.ask({
				method: 'GET',
				path: lookup,
				query: { [parameter]: keyValue },
			});
			if (found.missing) return undefined;
			const known = inner(steps.accept(found), root);
			if (Object.keys(known).length === 0) return undefined;
			// To create what was found in a form that nobody foresaw would make a second record.
			if (isUnset(known.id)) throw new Error(unknownAnswer);
			return String(known.id);
		};
		const update = async (known: string): Promise<IDataObject> => {
			const changes: IDataObject = { ...record };
			delete changes[key];
			const path = steps.path(item, { [id]: known });
			if (Object.keys(changes).length === 0) return { id: known, action: 'unchanged' };
			const answer = await steps.send({ method: 'PUT', path, body: { [root]: changes } });
			return { ...inner(answer, root), action: 'updated' };
		};

		return await steps.inTurn(keyValue, async () => {
			const known = await find();
			if (known !== undefined) return await update(known);
			const created = await steps.ask(request);
			const winner = created.status === 409 ? await find() : undefined;
			if (winner !== undefined) return await update(winner);
			// Still a conflict without such a key: something else of the record, the e-mail, is taken.
			return { ...inner(steps.accept(created), root), action: 'created' };
		});
	};
}

function inner(answer: unknown, root: string): IDataObject {
	const object = answer as IDataObject;
	const wrapped = object[root];
	return typeof wrapped === 'object' && wrapped !== null ? (wrapped as IDataObject) : object;
}
