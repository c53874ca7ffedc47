// Content entries (reference: core, Resources, Content box).
import { create, get, getMany, locator, openChoice, remove, update } from '../api';
import { object, readingFirst } from '../api/merges';
import { keepOtherFields, updateOptions } from '../api/updates';
import { additionalFields, filters, json, text, updateFields } from '../engine/form/fields';
import { resource, type WholeRecord } from '../engine/form/operation';
import { lifted } from '../engine/form/simplify';
import { specify } from '../engine/form/specify';
import { typeId } from './contentType';

const contentId = locator('contents', {
	displayName: 'Entry',
	name: 'contentId',
	required: true,
	placeholder: 'e.g. cnt-1',
});

const title = text({
	name: 'title',
	placeholder: 'e.g. Taxes step by step',
});

const state = openChoice('contentStates', {
	name: 'state',
	description: 'Such as draft, public or archived',
});

/** Fields for an entry's data: a mapper with the fields of its content type, which `typeFrom` determines, or JSON. */
const dataOf = (typeFrom: string, isUpdate = false) =>
	specify(
		'Data',
		{
			name: 'dataInput',
			ways: {
				fields: 'Fill in each field, or map input fields with the same names',
				json: 'Use this if the entry or content type comes from an expression',
			},
			...(isUpdate && { description: 'To clear a text, set it to the expression {{ "" }}' }),
		},
		{
			displayName: 'Data',
			name: 'data',
			type: 'resourceMapper',
			noDataExpression: true,
			default: { mappingMode: 'defineBelow', value: null },
			send: { empty: 'refused' },
			typeOptions: {
				loadOptionsDependsOn: [`${typeFrom}.value`],
				resourceMapper: {
					resourceMapperMethod: 'contentFields',
					mode: 'add',
					fieldWords: { singular: 'field', plural: 'fields' },
					hideNoDataError: true,
					// Otherwise n8n adds all fields to an update, and every checkbox would be sent as off.
					...(isUpdate && { addAllFields: false }),
				},
			},
		},
		json({
			name: 'dataJson',
			send: { as: 'data', empty: 'refused', ...(isUpdate && { minProperties: 1 }) },
			description: 'A JSON object of field keys and values',
		}),
	);

const simplify = lifted('data');

const whole: WholeRecord = { route: 'GET /contentbox/contents/{contentId}.json' };

export const content = resource('content', {
	description: 'Entries of a content type',
	ids: [contentId],
	operations: [
		create({
			action: 'Create a content entry',
			description: 'Create an entry and return its ID',
			route: 'POST /contentbox/contents.json',
			simplify,
			whole,
			root: 'content',
			fields: [
				{ ...typeId, send: { as: 'type_id' } },
				{ ...title, required: true },
				...dataOf('typeId'),
				additionalFields([
					{
						...state,
						send: { empty: 'refused' },
						default: { __rl: true, mode: 'list', value: 'draft' },
						description: "Such as public. The API's default is draft.",
					},
				]),
			],
		}),
		remove({
			action: 'Delete a content entry',
			description: 'Delete a content entry permanently and return its ID',
			notice: 'A deletion is permanent',
			route: 'DELETE /contentbox/contents/{contentId}.json',
		}),
		get({
			action: 'Get a content entry',
			description: 'Return an entry with its content type, title, state and data',
			route: 'GET /contentbox/contents/{contentId}.json',
			simplify,
		}),
		getMany({
			action: 'Get many content entries',
			description: 'Return entries with their data. Can filter by content type, state or text.',
			route: 'GET /contentbox/contents.json',
			simplify,
			fields: [
				filters([
					{
						...typeId,
						required: false,
						send: { as: 'type_id' },
					},
					text({
						name: 'search',
						placeholder: 'e.g. taxes',
						description: 'In titles and data',
					}),
					state,
				]),
			],
		}),
		update({
			action: 'Update a content entry',
			description: 'Update the title, state or data of an entry and return its ID',
			route: 'PUT /contentbox/contents/{contentId}.json',
			...readingFirst(
				{
					root: 'content',
					read: 'GET /contentbox/contents/{contentId}.json',
					id: 'contentId',
				},
				object('data', keepOtherFields),
			),
			simplify,
			whole,
			root: 'content',
			fields: [
				...dataOf('contentId', true),
				keepOtherFields,
				updateFields([title, state]),
				updateOptions,
			],
		}),
	],
});
