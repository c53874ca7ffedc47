// The groups of a form whose fields the user adds one by one.
import type { Collection, Field } from './operation';

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
