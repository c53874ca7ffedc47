// Fields of an update: what the user adds and leaves empty clears a value or is refused. To leave it out
// without a word would look as if the value had been changed.
import type { Route } from './endpoints';
import {
	FieldFault,
	isRecord,
	recordOf,
	type ApiRequest,
	type Field,
	type Operation,
	type Steps,
} from './operation';
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

/** How an update changes tags, which the API replaces as a whole. */
const changeTags: Field = {
	displayName: 'Change Tags',
	name: 'changeTags',
	type: 'options',
	default: 'replace',
	send: { setting: true },
	options: [
		{ name: 'Add', value: 'add', description: 'Read the record first, then add these tags' },
		{
			name: 'Remove',
			value: 'remove',
			description: 'Read the record first, then remove these tags',
		},
		{ name: 'Replace', value: 'replace', description: 'Send these tags in place of all others' },
	],
	description: 'What happens to tags that the record has. Without this field, they are replaced.',
};

const keepAddress: Field = {
	displayName: 'Keep Rest of Address',
	name: 'keepAddress',
	type: 'boolean',
	default: true,
	send: { setting: true },
	description:
		'Whether to read the record first and send the whole address, in case the API replaces it as a whole',
};

/** Tags of an update, with the choice of what becomes of the others. */
export const tagChanges = (tags: Field): Field[] => [
	clearable({
		...tags,
		description: `${tags.description}. Replaces all tags unless Change Tags is set.`,
	}),
	changeTags,
];

/** An address of an update, with the choice to send it whole. */
export const addressChanges = (address: Field): Field[] => [address, keepAddress];

function changedTags({ tags: known }: Record<string, unknown>, given: unknown, change: unknown) {
	if (known === undefined) {
		const fault = "can't be Add or Remove, because the API doesn't return the tags of this record";
		throw new FieldFault(changeTags.displayName, fault);
	}
	const before = [known ?? []].flat();
	const named = [given].flat();
	if (change === 'remove') return before.filter((tag) => !named.includes(tag));
	return [...new Set([...before, ...named])];
}

/**
 * The steps of an update that may have to know what the record holds. It is read only where the form says so;
 * items of one record take turns.
 * @param read the endpoint that returns the record, by the parameter `id` of the update's path
 */
export function readingFirst(
	root: string,
	read: Route,
	id: string,
): Pick<Operation, 'run' | 'also'> {
	const run = async (request: ApiRequest, steps: Steps): Promise<unknown> => {
		const { changeTags: change = 'replace', keepAddress: keeps } = request.settings ?? {};
		const changes = recordOf(request.body?.[root]);
		const mergesTags = change !== 'replace' && changes.tags !== undefined;
		const mergesAddress = keeps === true && isRecord(changes.address);
		const send = async (each: ApiRequest) => inner(await steps.send(each), root);
		if (!mergesTags && !mergesAddress) return await send(request);
		return await steps.inTurn(request.ids[id], async () => {
			const record = await send(steps.request(read, { [id]: request.ids[id] }));
			const merged = {
				...changes,
				...(mergesTags && { tags: changedTags(record, changes.tags, change) }),
				...(mergesAddress && {
					address: { ...recordOf(record.address), ...recordOf(changes.address) },
				}),
			};
			return await send({ ...request, body: { [root]: merged } as ApiRequest['body'] });
		});
	};
	return { run, also: [read] };
}
