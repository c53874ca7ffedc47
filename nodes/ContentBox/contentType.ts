// Content types, the schemas of content entries (reference: core, Resources, Content box).
import { openChoice } from '../shared/pickers';
import {
	FieldFault,
	recordOf,
	type ApiRequest,
	type Field,
	type Resource,
} from '../shared/operation';
import { typeId } from './fields';

const title: Field = {
	displayName: 'Title',
	name: 'title',
	type: 'string',
	default: '',
	description: 'Title of the content type',
};

const description: Field = {
	displayName: 'Description',
	name: 'description',
	type: 'string',
	default: '',
	description: 'What the content type is for',
};

const fieldRows: Field = {
	displayName: 'Fields',
	name: 'fields',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add field',
	default: {},
	send: { type: 'map' },
	description: 'The fields that entries of this type have',
	options: [
		{
			displayName: 'Field',
			name: 'field',
			values: [
				{
					displayName: 'Key',
					name: 'key',
					type: 'string',
					required: true,
					default: '',
					placeholder: 'e.g. headline',
					description: 'Name of the field in the data of entries, different for each field',
				},
				{
					displayName: 'Label',
					name: 'label',
					type: 'string',
					required: true,
					default: '',
					placeholder: 'e.g. Headline',
					description: 'Name of the field for people',
				},
				openChoice('contentFieldTypes', {
					displayName: 'Type',
					name: 'type',
					required: true,
					description: 'Type of the field. By Name takes other types that the service allows.',
				}),
			],
		},
	],
};

const fieldsJson: Field = {
	displayName: 'Fields (JSON)',
	name: 'fieldsJson',
	type: 'json',
	default: '{}',
	placeholder: 'e.g. {"headline": {"label": "Headline", "type": "string"}}',
	send: { as: 'fields' },
	description: 'The fields as a JSON object: for each key an object with label and type',
};

const isText = (value: unknown) => typeof value === 'string' && value !== '';

/** Each field needs a label and a type. Rows cannot miss them; JSON can. */
function checkFields({ body }: ApiRequest): void {
	const { fields } = recordOf(body?.type);
	for (const [key, definition] of Object.entries(recordOf(fields))) {
		const { label, type } = recordOf(definition);
		if (!isText(label) || !isText(type)) {
			throw new FieldFault('Fields (JSON)', `must give the field "${key}" a label and a type`);
		}
	}
}

export const contentType: Resource = {
	name: 'Content Type',
	value: 'contentType',
	operations: [
		{
			name: 'Create',
			value: 'create',
			action: 'Create a content type',
			description: 'Create a content type with its fields and return its ID and title',
			route: 'POST /contentbox/types.json',
			root: 'type',
			check: checkFields,
			fields: [
				{ ...title, required: true },
				{
					displayName: 'Fields Input',
					name: 'fieldsInput',
					type: 'options',
					noDataExpression: true,
					default: 'rows',
					send: false,
					options: [
						{ name: 'JSON', value: 'json', description: 'All fields in one JSON object' },
						{ name: 'Rows', value: 'rows', description: 'One row for each field' },
					],
					description: 'How to set the fields of the content type',
				},
				{
					...fieldRows,
					required: true,
					displayOptions: { show: { fieldsInput: ['rows'] } },
				},
				{
					...fieldsJson,
					required: true,
					displayOptions: { show: { fieldsInput: ['json'] } },
				},
				{
					displayName: 'Additional Fields',
					name: 'additionalFields',
					type: 'collection',
					placeholder: 'Add field',
					default: {},
					options: [description],
				},
			],
		},
		{
			name: 'Get',
			value: 'get',
			action: 'Get a content type',
			description: 'Return one content type with its fields',
			route: 'GET /contentbox/types/{typeId}.json',
			fields: [typeId],
		},
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many content types',
			description: 'Return all content types or the first ones, with their fields',
			route: 'GET /contentbox/types.json',
		},
		{
			name: 'Update',
			value: 'update',
			action: 'Update a content type',
			description: 'Change title, description or fields of a content type and return it',
			route: 'PUT /contentbox/types/{typeId}.json',
			root: 'type',
			check: checkFields,
			fields: [
				typeId,
				{
					displayName: 'Update Fields',
					name: 'updateFields',
					type: 'collection',
					placeholder: 'Add field',
					default: {},
					options: [
						description,
						{
							...fieldRows,
							description:
								'The fields that entries of this type have. Give all of them: whether the service keeps fields that are left out is not documented.',
						},
						{
							...fieldsJson,
							description:
								'The fields as a JSON object: for each key an object with label and type. Give all of them: whether the service keeps fields that are left out is not documented. Rows of the same key go first.',
						},
						title,
					],
				},
			],
		},
	],
};
