// Fields that new nodes have in Options, and nodes of version 1 in the form (`inOptions`, `chosenBy`).
import type { IDataObject } from 'n8n-workflow';

import type { Field } from './fields';

type Conditions = NonNullable<Field['displayOptions']>;

const choiceOf = ({ displayOptions: { show = {} } = {} }: Field, fields: Field[]) =>
	fields.find(({ name, chosenBy }) => chosenBy && name in show);

/** The options of new nodes in place of fields of the form. The other fields that they depend on are in the form. */
export const optionsOf = (fields: Field[]): Field[] =>
	fields
		.filter(({ inOptions }) => inOptions)
		.flatMap((field) => {
			const made = choiceOf(field, fields)?.name;
			const conditions = Object.entries(field.displayOptions?.show ?? {})
				.filter(([name]) => name !== made)
				.map(([name, values]) => [`/${name}`, values]);
			conditions.push(['@version', [{ _cnd: { gte: 1.1 } }]]);
			const displayOptions = { show: Object.fromEntries(conditions) } as Conditions;
			const moved = field.type === 'collection' ? field.options : [field];
			// An added option is empty, so it would be refused.
			return moved.map((each) => ({ ...each, required: undefined, displayOptions }));
		});

/**
 * The conditions of a field of new nodes that an option takes the place of. n8n drops the value of a field while it's hidden,
 * and doesn't know the options then. So nothing but `hide` may depend on an option.
 */
export function besideOption(field: Field, fields: Field[]): Conditions | undefined {
	const choice = choiceOf(field, fields);
	if (!choice?.chosenBy) return undefined;
	const shown = Object.entries(field.displayOptions?.show ?? {});
	const show = Object.fromEntries(shown.filter(([name]) => name !== choice.name));
	const place = `/options.${choice.chosenBy.option}`;
	return { show, hide: { ...field.displayOptions?.hide, [place]: [{ _cnd: { exists: true } }] } };
}

/** The fields that were added to the Options of a new node, and the choices that these make, by their names in the form. */
export function fromOptions(fields: Field[], options: IDataObject): IDataObject {
	const values: IDataObject = {};
	const names = Object.keys(options);
	for (const field of fields) {
		const { name, inOptions, chosenBy } = field;
		if (chosenBy && names.includes(chosenBy.option)) values[name] = chosenBy.is;
		if (!inOptions) continue;
		if (field.type !== 'collection') {
			if (names.includes(name)) values[name] = options[name];
			continue;
		}
		const added = field.options.filter((each) => names.includes(each.name));
		if (added.length === 0) continue;
		values[name] = Object.fromEntries(added.map((each) => [each.name, options[each.name]]));
	}
	return values;
}
