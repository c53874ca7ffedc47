// Lets the user fill in the fields of a record, or map the columns of a spreadsheet to them.
import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';

import { held } from '../editor/editor';
import { choice, type Field } from './fields';
import { columnsOf } from './columns';
import type { Resource } from './operation';

/** Names of the fields for mapping. AI builders fill the fields of the record, so their types leave these out. */
export const MAPPING = ['fieldsAs', 'columns', 'extraColumns'];

const shownFor = (way: string, field: Field): Field => ({
	...field,
	displayOptions: {
		...field.displayOptions,
		show: { ...field.displayOptions?.show, fieldsAs: [way] },
	},
});

/**
 * Returns the fields of a form with the choice to map columns instead.
 * @param from fields that columns can fill, where they aren't those of the form
 */
export function mappable(fields: Field[], from = fields): Field[] {
	return [
		choice({
			displayName: 'Specify Fields',
			name: 'fieldsAs',
			noDataExpression: true,
			default: 'fields',
			send: false,
			options: [
				{ name: 'Using Fields Below', value: 'fields' },
				{
					name: 'Using Mapped Columns',
					value: 'columns',
					description: 'By hand, or automatically by their names',
				},
			],
			description: 'How to enter the data',
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
			send: { as: '*', columns: columnsOf(from) },
			description:
				'Upper and lower case, spaces and underscores make no difference in names. Empty cells change nothing.',
		}),
		shownFor(
			'columns',
			choice({
				name: 'extraColumns',
				noDataExpression: true,
				default: 'error',
				send: false,
				options: [
					{ name: 'Error', value: 'error', description: 'Send nothing, and name them' },
					{ name: 'Ignore', value: 'ignore' },
				],
				description: 'What to do with columns of the input that no field has',
			}),
		),
	];
}

/** Returns the methods by which the resource mappers of a node load their columns. */
export const columnMethods = (resources: Resource[]) => ({
	async recordColumns(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
		const { operations } =
			resources.find(({ value }) => value === held(this, 'resource')) ?? resources[0];
		const { fields = [] } = operations.find(({ value }) => value === held(this, 'operation')) ?? {};
		const mapper = fields.find(({ name }) => name === 'columns');
		const columns = (mapper?.send || {}).columns ?? [];
		return await Promise.resolve({
			fields: columns.map(({ name, displayName, required = false }) => ({
				id: name,
				displayName,
				type: 'string' as const,
				required,
				defaultMatch: false,
				canBeUsedToMatch: false,
				display: true,
			})),
		});
	},
});
