// Fields of an update: what the user adds and leaves empty clears a value or is refused. To leave it out
// without a word would look as if the value had been changed.
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

/** The field of an update that sends an empty value when it is left empty: most services clear it then. */
export const clearable = (field: Field, how = 'If empty, an empty value is sent.'): Field => ({
	...field,
	send: { ...field.send, emptyClears: true },
	description: [field.description, how].filter(Boolean).join('. ').replace('..', '.'),
});

/** The field of an update whose value can only be replaced. */
export const replaceable = (field: Field): Field => ({
	...field,
	send: { ...field.send, emptyFails: true },
});

/** A list that an update replaces as a whole. */
export interface ChangedList {
	/** The field of the form that says what becomes of it. */
	setting: string;
	things: string;
	/** Where the update has it, and where the record. */
	sent: string;
	known: string;
}

const tagList: ChangedList = { setting: 'changeTags', things: 'tags', sent: 'tags', known: 'tags' };

/** The choice of what becomes of a list. */
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

/** The choice to send an address whole. */
export const keepAddress = toggle({
	displayName: 'Keep Rest of Address',
	name: 'keepAddress',
	default: true,
	send: { setting: true },
	description:
		'Whether to read the record first and send the whole address, in case the API replaces it as a whole',
});

/** Tags of an update, with the choice of what becomes of the others. */
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
 * The steps of an update that may have to know what the record holds. It is read only where the form says so;
 * items of one record take turns.
 * @param read the endpoint that returns the record, by the parameter `id` of the update's path
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
