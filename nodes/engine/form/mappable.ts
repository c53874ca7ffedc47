// Lets the user fill in the fields of a record, or map the columns of a spreadsheet to them.
import { columnsOf } from './columns';
import { choice, collection, type Field } from './fields';

const WAY = 'fieldsAs';

/** AI builders fill the fields of the record, so their types leave out these fields for mapping. */
export const MAPPING = [WAY, 'columns', 'extraColumns', 'columnOptions'];

const shownFor = (way: string, field: Field): Field => ({
	...field,
	displayOptions: {
		...field.displayOptions,
		show: { ...field.displayOptions?.show, [WAY]: [way] },
	},
});

/** Settings among the fields of a form. With columns, they're options. A required setting has its value in a column. */
const settingsIn = (fields: Field[]): Field[] =>
	fields.flatMap((field) => {
		if (field.type === 'collection') return settingsIn(field.options);
		return field.send && field.send.setting && !field.required ? [field] : [];
	});

/**
 * The fields of a form, with the choice to map columns in their place. `beside` names columns that the input may have besides,
 * such as the ID of its record. `from` are the fields that columns can fill, if they aren't simply those of the form.
 */
export function mappable(beside: string[], fields: Field[], from = fields): Field[] {
	const columns = columnsOf(from);
	const settings = settingsIn(fields).sort((one, other) =>
		one.displayName.localeCompare(other.displayName),
	);
	return [
		choice({
			displayName: 'Specify Fields',
			name: WAY,
			noDataExpression: true,
			default: 'fields',
			send: false,
			options: [
				{ name: 'Using Fields', value: 'fields' },
				{
					name: 'Using Mapped Columns',
					value: 'columns',
					description: 'By hand, or automatically by their names',
				},
			],
		}),
		...fields.map((field) => shownFor('fields', field)),
		shownFor('columns', {
			displayName: 'Columns',
			name: 'columns',
			type: 'resourceMapper',
			noDataExpression: true,
			required: true,
			default: { mappingMode: 'autoMapInputData', value: null },
			typeOptions: {
				resourceMapper: {
					resourceMapperMethod: 'recordColumns',
					mode: 'add',
					fieldWords: { singular: 'column', plural: 'columns' },
					addAllFields: true,
					supportAutoMap: true,
				},
			},
			send: { as: '*', columns, beside },
			description:
				'Case, spaces and underscores make no difference in names. Empty cells are left out.',
		}),
		shownFor(
			'columns',
			choice({
				name: 'extraColumns',
				noDataExpression: true,
				inOptions: true,
				default: 'error',
				send: false,
				options: [
					{ name: 'Error', value: 'error', description: 'Send nothing, and name them' },
					{ name: 'Ignore', value: 'ignore' },
				],
				description: 'For columns of the input that no field has',
				// n8n's mapper lists its columns only where the user maps them by hand.
				hint: `Columns: ${columns.map(({ displayName }) => displayName).join(', ')}`,
			}),
		),
		...(settings.length > 0
			? [
					shownFor('columns', {
						...collection('columnOptions', 'option')(settings),
						inOptions: true,
					}),
				]
			: []),
	];
}

export const columnsFirst = (fields: Field[]): Field[] =>
	fields.map((field) => (field.name === WAY ? { ...field, newDefault: 'columns' } : field));
