// Content types, the schemas of content entries (reference: core, Resources, Content box).
import { create, get, getMany, locator, openChoice, update } from '../api';
import { clearable } from '../api/updates';
import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { recordOf } from '../engine/base/data';
import { additionalFields, json, rows, text, updateFields } from '../engine/form/fields';
import { resource } from '../engine/form/operation';
import { filteredBy } from '../engine/form/rowFilters';
import { specify } from '../engine/form/specify';

export const typeId = locator('contentTypes', {
	displayName: 'Content Type',
	name: 'typeId',
	required: true,
	placeholder: 'e.g. typ-article',
});

const title = text({ name: 'title' });

const description = text({ name: 'description' });

const fieldRows = rows({
	name: 'fields',
	send: { type: 'map' },
	row: { displayName: 'Field', name: 'field' },
	values: [
		text({
			name: 'key',
			required: true,
			placeholder: 'e.g. headline',
			description: 'Its unique name in the data of entries',
		}),
		text({
			name: 'label',
			required: true,
			placeholder: 'e.g. Headline',
			description: 'What people see',
		}),
		openChoice('contentFieldTypes', {
			name: 'type',
			required: true,
		}),
	],
});

const fieldsJson = json({
	name: 'fieldsJson',
	placeholder: 'e.g. {"headline": {"label": "Headline", "type": "string"}}',
	send: { as: 'fields', minProperties: 1 },
	description: 'A JSON object. Each key has an object with label and type.',
});

const isText = (value: unknown) => typeof value === 'string' && value !== '';

/** Rows always have a label and a type. JSON may lack them. */
function checkFields({ body }: ApiRequest): void {
	const { fields } = recordOf(body?.type);
	for (const [key, definition] of Object.entries(recordOf(fields))) {
		const { label, type } = recordOf(definition);
		if (!isText(label) || !isText(type)) {
			throw new FieldFault('Fields (JSON)', `must have a label and a type for the field "${key}"`);
		}
	}
}

export const contentType = resource('contentType', {
	description: 'Types of content and their fields',
	ids: [typeId],
	operations: [
		create({
			action: 'Create a content type',
			description: 'Create a content type and return its ID and title',
			route: 'POST /contentbox/types.json',
			whole: { route: 'GET /contentbox/types/{typeId}.json' },
			root: 'type',
			check: checkFields,
			fields: [
				{ ...title, required: true },
				...specify(
					'Fields',
					{
						name: 'fieldsInput',
					},
					{ ...fieldRows, required: true },
					{ ...fieldsJson, required: true },
				),
				additionalFields([description]),
			],
		}),
		get({
			action: 'Get a content type',
			description: 'Return a content type with its fields',
			route: 'GET /contentbox/types/{typeId}.json',
		}),
		getMany({
			action: 'Get many content types',
			description: 'Return content types with their fields',
			route: 'GET /contentbox/types.json',
			...filteredBy('content types', { title: { displayName: 'Title Contains', contains: true } }),
		}),
		update({
			action: 'Update a content type',
			description: 'Update a content type and return it',
			route: 'PUT /contentbox/types/{typeId}.json',
			root: 'type',
			check: checkFields,
			fields: [
				updateFields([
					title,
					clearable(description),
					{
						...fieldRows,
						description: 'Enter all of them: those you leave out may get lost',
					},
					{
						...fieldsJson,
						description:
							'Enter all of them: those you leave out may get lost. A row with the same key counts.',
					},
				]),
			],
		}),
	],
});
