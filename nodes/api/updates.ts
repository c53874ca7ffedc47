// Fields of an update. If the user adds a field and leaves it empty, it clears the value or is refused.
// Omitting it silently would look as if the value had been changed.
import type { IDataObject } from 'n8n-workflow';

import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { isRecord, isUnset, recordOf } from '../engine/base/data';
import type { Steps } from '../engine/client/steps';
import { choice, labelOf, toggle, type Field } from '../engine/form/fields';
import type { Operation } from '../engine/form/operation';
import type { Route } from './endpoints';
import { inner } from './upsert';

/**
 * Returns a field that sends an empty value if it's left empty. Most services clear the value then.
 * @param description in place of the field's own
 */
export const clearable = (field: Field, description = field.description): Field => ({
	...field,
	send: { ...field.send, emptyClears: true },
	description,
});

/** A list that an update replaces as a whole. */
export interface ChangedList {
	/** Field of the form with the choice Add, Remove or Replace. */
	setting: string;
	things: string;
	/** Key of the list in the update, and in the record. */
	sent: string;
	known: string;
	/** The choice of a user who makes none. */
	standard: 'add' | 'replace';
}

/** An object in a record that an update may replace as a whole. */
interface KeptObject {
	/** Toggle of the form. It's on unless the user turns it off. */
	setting: string;
	/** Key of the object in the update, and in the record. */
	key: string;
}

export const tagList: ChangedList = {
	setting: 'changeTags',
	things: 'tags',
	sent: 'tags',
	known: 'tags',
	standard: 'add',
};

/** Returns the choice Add, Remove or Replace. */
export function listChange({ setting, things, standard }: ChangedList): Field {
	const first = (what: string) => `Read the record first, then ${what} these`;
	return choice({
		name: setting,
		default: standard,
		send: { setting: true },
		options: [
			{ name: 'Add', value: 'add', description: first('add') },
			{ name: 'Remove', value: 'remove', description: first('remove') },
			{
				name: 'Replace',
				value: 'replace',
				description: 'Send these in place of all others',
			},
		],
		description: `How these change the ${things} of the record`,
	});
}

/** @param what the object, such as `address` */
const keep = (displayName: string, name: string, what: string): Field =>
	toggle({
		displayName,
		name,
		default: true,
		send: { setting: true },
		description: `Whether to read the record first and send ${what}, in case the API replaces it`,
	});

export const keepAddress = keep('Keep Rest of Address', 'keepAddress', 'the whole address');

export const keepOtherFields = keep('Keep Other Fields', 'keepOtherFields', 'its other data too');

/** Returns the tags of an update, with the choice Add, Remove or Replace. */
export const tagChanges = (tags: Field): Field[] => [tags, listChange(tagList)];

export const clearableTags = (tags: Field): Field =>
	clearable(
		tags,
		'Comma-separated tags, or an array from an expression. Empty with Replace removes all.',
	);

/** Entries that an update adds to a list, or removes from it. */
interface ListChange {
	list: ChangedList;
	change: unknown;
	given: unknown[];
}

function changed({ list, change, given }: ListChange, record: IDataObject): unknown[] {
	const known = record[list.known];
	if (known === undefined) {
		const fault = `can't be Add or Remove, because the API doesn't return the ${list.things} of this record`;
		throw new FieldFault(labelOf(list.setting), fault);
	}
	const listed: unknown[] = [known ?? []].flat();
	const before = new Map(listed.map((each) => [String(each), each] as const));
	for (const each of given) {
		const name = String(each);
		if (change === 'remove') before.delete(name);
		else if (!before.has(name)) before.set(name, each);
	}
	return [...before.values()];
}

const notReturned = (key: string) =>
	`The API didn't return the ${key} of the record, so only what the form has of it was sent. If the record had more of it, check that it's still there.`;

/** The parts of an update that depend on the current record. */
interface Current {
	list?: ChangedList;
	kept?: KeptObject;
}

/**
 * Returns the steps of an update that can depend on the current record. It's read only if the form requires
 * it. Items with the same record take turns.
 * @param read endpoint of the record
 * @param id path parameter of both endpoints
 */
export function readingFirst(
	root: string,
	read: Route,
	id: string,
	{ list, kept }: Current,
): Pick<Operation, 'run' | 'also' | 'check'> {
	const listChangeIn = ({ body, settings = {} }: ApiRequest): ListChange | undefined => {
		if (list === undefined) return undefined;
		const given = recordOf(body?.[root])[list.sent];
		const change = settings[list.setting] ?? list.standard;
		// Null in JSON is sent as it is.
		if (change === 'replace' || isUnset(given)) return undefined;
		return { list, change, given: [given].flat() };
	};
	const check = (request: ApiRequest) => {
		const change = listChangeIn(request);
		if (change?.given.length !== 0) return;
		const { setting, things } = change.list;
		throw new FieldFault(
			labelOf(things),
			`must not be empty. To remove all ${things}, set ${labelOf(setting)} to Replace`,
		);
	};
	const run = async (request: ApiRequest, steps: Steps): Promise<unknown> => {
		const changes = recordOf(request.body?.[root]);
		const change = listChangeIn(request);
		const part = kept && request.settings?.[kept.setting] !== false ? changes[kept.key] : undefined;
		const send = async (each: ApiRequest) => inner(await steps.send(each), root);
		if (!change && !isRecord(part)) return await send(request);
		// Not the ID alone: Create or Update takes turns by external ID, which may be the same text.
		return await steps.withLock(request.path, async () => {
			const record = await send(steps.request(read, { [id]: request.ids[id] }));
			const merged = { ...changes } as IDataObject;
			if (change) merged[change.list.sent] = changed(change, record) as IDataObject[];
			if (kept && isRecord(part)) {
				merged[kept.key] = { ...recordOf(record[kept.key]), ...part };
				if (record[kept.key] === undefined) steps.warn(notReturned(kept.key));
			}
			return await send({ ...request, body: { [root]: merged } });
		});
	};
	return { run, also: [read], check };
}
