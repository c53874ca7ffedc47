// What forms are made of: text, rows, and groups whose fields the user adds one by one.
import type { Collection, Field, FixedCollection, SingleField } from './operation';

/** A field of text, empty unless the user fills it in. */
export const text = (field: Omit<SingleField, 'type' | 'default'>): SingleField => ({
	...field,
	type: 'string',
	default: '',
});

/** Rows of the same fields, as many as the user adds. */
export const rows = ({
	row,
	values,
	...field
}: Omit<FixedCollection, 'type' | 'default' | 'options'> & {
	row: { displayName: string; name: string };
	values: Field[];
}): FixedCollection => ({
	...field,
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: `Add ${row.displayName.toLowerCase()}`,
	default: {},
	options: [{ ...row, values }],
});

const collection =
	(displayName: string, name: string, entry: string) =>
	(options: Field[]): Collection => ({
		displayName,
		name,
		type: 'collection',
		placeholder: `Add ${entry}`,
		default: {},
		options,
	});

/** What a request can have beside the fields that the form always shows. */
export const additionalFields = collection('Additional Fields', 'additionalFields', 'field');

/** What an update can change: only the fields that the user adds are sent. */
export const updateFields = collection('Update Fields', 'updateFields', 'field');

/** What narrows a list down. */
export const filters = collection('Filters', 'filters', 'filter');

/** What changes how an operation goes on, and isn't needed mostly. */
export const options = collection('Options', 'options', 'option');
