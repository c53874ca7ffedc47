// Fields of an update: what the user adds and leaves empty clears a value or is refused. To leave it out
// without a word would look as if the value had been changed.
import type { Field } from './operation';

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
