// Fields of an update. If the user adds a field and leaves it empty, it clears the value or is refused.
// Omitting it silently would look as if the value had been changed.
import type { IDataObject } from 'n8n-workflow';

import type { Route } from './endpoints';
import {
	FieldFault,
	isRecord,
	recordOf,
	type ApiRequest,
	type Operation,
	type Steps,
} from './operation';
import { choice, labelOf, toggle, type Field } from './fields';
import { inner } from './upsert';

/** Returns a field that sends an empty value if it's left empty. Most services clear the value then. */
export const clearable = (field: Field, how = 'If empty, an empty value is sent.'): Field => ({
	...field,
	send: { ...field.send, emptyClears: true },
	description: [field.description, how].filter(Boolean).join('. ').replace('..', '.'),
});

/** Returns a field whose value can only be replaced. */
export const replaceable = (field: Field): Field => ({
	...field,
	send: { ...field.send, emptyFails: true },
});

/** A list that an update replaces as a whole. */
export interface ChangedList {
	/** Field of the form with the choice Add, Remove or Replace. */
	setting: string;
	things: string;
	/** Key of the list in the update, and in the record. */
	sent: string;
	known: string;
}

const tagList: ChangedList = { setting: 'changeTags', things: 'tags', sent: 'tags', known: 'tags' };

/** Returns the choice Add, Remove or Replace. */
export function listChange({ setting, things }: ChangedList): Field {
	const first = (what: string) => `Read the record first, then ${what} these ${things}`;
	return choice({
		name: setting,
		default: 'replace',
		send: { setting: true },
		options: [
			{ name: 'Add', value: 'add', description: first('add') },
			{ name: 'Remove', value: 'remove', description: first('remove') },
			{
				name: 'Replace',
				value: 'replace',
				description: `Send these ${things} in place of all others`,
			},
		],
		description: `What happens to ${things} that the record has. Without this field, they are replaced.`,
	});
}

export const keepAddress = toggle({
	displayName: 'Keep Rest of Address',
	name: 'keepAddress',
	default: true,
	send: { setting: true },
	description:
		'Whether to read the record first and send the whole address, in case the API replaces it as a whole',
});

/** Returns the tags of an update, with the choice Add, Remove or Replace. */
export const tagChanges = (tags: Field): Field[] => [
	clearable({
		...tags,
		description: `${tags.description}. Replaces all tags unless Change Tags is set.`,
	}),
	listChange(tagList),
];

function changed(list: ChangedList, record: IDataObject, given: unknown, change: unknown) {
	const known = record[list.known];
	if (known === undefined) {
		const fault = `can't be Add or Remove, because the API doesn't return the ${list.things} of this record`;
		throw new FieldFault(labelOf(list.setting), fault);
	}
	const listed = (value: unknown): unknown[] => [value ?? []].flat();
	const before = new Map(listed(known).map((each) => [String(each), each] as const));
	for (const each of listed(given)) {
		const name = String(each);
		if (change === 'remove') before.delete(name);
		else if (!before.has(name)) before.set(name, each);
	}
	return [...before.values()];
}

/**
 * Returns the steps of an update that can depend on the current record. It's read only if the form requires
 * it. Items with the same record take turns.
 * @param read endpoint of the record
 * @param id path parameter of both endpoints
 * @param list the list that the form can change
 */
export function readingFirst(
	root: string,
	read: Route,
	id: string,
	list = tagList,
): Pick<Operation, 'run' | 'also'> {
	const run = async (request: ApiRequest, steps: Steps): Promise<unknown> => {
		const { [list.setting]: change = 'replace', keepAddress: keeps } = request.settings ?? {};
		const changes = recordOf(request.body?.[root]);
		const mergesList = change !== 'replace' && changes[list.sent] !== undefined;
		const mergesAddress = keeps === true && isRecord(changes.address);
		const send = async (each: ApiRequest) => inner(await steps.send(each), root);
		if (!mergesList && !mergesAddress) return await send(request);
		return await steps.inTurn(request.ids[id], async () => {
			const record = await send(steps.request(read, { [id]: request.ids[id] }));
			const merged = {
				...changes,
				...(mergesList && { [list.sent]: changed(list, record, changes[list.sent], change) }),
				...(mergesAddress && {
					address: { ...recordOf(record.address), ...recordOf(changes.address) },
				}),
			};
			return await send({ ...request, body: { [root]: merged } as ApiRequest['body'] });
		});
	};
	return { run, also: [read] };
}
