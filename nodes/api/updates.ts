// Fields of an update. If the user adds a field and leaves it empty, it clears the value or is refused. Omitting it silently
// would look as if the value had been changed.
import { choice, options, toggle, type Field } from '../engine/form/fields';

/** Most services clear a value if an empty one is sent. */
export const clearable = (field: Field, description = field.description): Field => ({
	...field,
	send: { ...field.send, empty: 'clears' },
	description,
});

/** Sends what the record shows already. */
export const sendUnchanged = toggle({
	name: 'sendUnchanged',
	send: { setting: true },
	description: 'Whether to send these, too',
});

export const updateOptions: Field = options([sendUnchanged]);

/** A list that an update replaces as a whole. */
export interface ChangedList {
	/** Field of the form with the choice Add, Remove or Replace. */
	setting: string;
	/** Name of the list's entries in texts, and of its field. */
	things: string;
	/** Key of the list in the update, and in the record. */
	sent: string;
	known: string;
	/** The choice of a user who makes none. */
	standard: 'add' | 'replace';
}

export const tagList: ChangedList = {
	setting: 'changeTags',
	things: 'tags',
	sent: 'tags',
	known: 'tags',
	standard: 'add',
};

/** Executions of one n8n process take turns. Nothing can lock a record for other processes and programs. */
export const TURNS = 'Not locked for other processes.';

export function listChange({ setting, things, standard }: ChangedList): Field {
	const first = (what: string) => `Read the record first, then ${what} these`;
	return choice({
		name: setting,
		default: standard,
		// An empty choice is refused, because its default would be taken, such as to replace all others.
		send: { setting: true, empty: 'refusedInForm' },
		options: [
			{ name: 'Add', value: 'add', description: first('add') },
			{ name: 'Remove', value: 'remove', description: first('remove') },
			{
				name: 'Replace',
				value: 'replace',
				description: 'Send these in place of all others',
			},
		],
		description: `How these change its ${things}. ${TURNS}`,
	});
}

/** @param what is sent if it's on, such as `the whole address` */
const keepField = (displayName: string, name: string, what: string): Field =>
	toggle({
		displayName,
		name,
		default: true,
		send: { setting: true },
		description: `Whether to read the record first and send ${what}. ${TURNS}`,
	});

export const keepAddress = keepField('Keep Rest of Address', 'keepAddress', 'the whole address');

export const keepOtherFields = keepField(
	'Keep Other Fields',
	'keepOtherFields',
	'its other data too',
);

/** The tags of an update, with the choice Add, Remove or Replace. */
export const tagChanges = (tags: Field): Field[] => [tags, listChange(tagList)];

export const clearableTags = (tags: Field): Field =>
	clearable(
		tags,
		'Comma-separated tags, or an array from an expression. Empty with Replace removes all.',
	);
