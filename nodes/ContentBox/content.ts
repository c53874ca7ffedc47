// Content entries (reference: core, Resources, Content box).
import {
	additionalFields,
	filters,
	updateFields,
	text,
	choice,
	json,
	type Field,
} from '../shared/fields';
import { locator, openChoice } from '../shared/pickers';
import {
	create,
	get,
	getMany,
	remove,
	update,
	resource,
	type WholeRecord,
} from '../shared/operation';
import { lifted } from '../shared/simplify';
import { replaceable } from '../shared/updates';
import { typeId } from './fields';

const contentId = locator('contents', {
	displayName: 'Entry',
	name: 'contentId',
	required: true,
	description: 'The content entry to work with',
	placeholder: 'e.g. cnt_1024',
});

const title = text({
	name: 'title',
	description: 'Title of the entry',
});

const state = openChoice('contentStates', {
	name: 'state',
	description: 'State of the entry, such as draft, public or archived',
});

const dataInput = choice({
	displayName: 'Specify Data',
	name: 'dataInput',
	noDataExpression: true,
	default: 'fields',
	send: false,
	options: [
		{
			name: 'Using Fields Below',
			value: 'fields',
			description: 'Fill in each field, or map input fields with the same names',
		},
		{
			name: 'Using JSON',
			value: 'json',
			description: 'Use this if the entry or content type comes from an expression',
		},
	],
	description: 'How to enter the data',
});

const dataFields: Field = {
	displayName: 'Data',
	name: 'data',
	type: 'resourceMapper',
	noDataExpression: true,
	default: { mappingMode: 'defineBelow', value: null },
	displayOptions: { show: { dataInput: ['fields'] } },
	description: 'Values for the fields of the content type',
};

/** What the mappers of Create and Update have in common. */
const mapper = {
	resourceMapperMethod: 'contentFields',
	mode: 'add',
	fieldWords: { singular: 'field', plural: 'fields' },
	hideNoDataError: true,
} as const;

const dataJson = json({
	name: 'dataJson',
	displayOptions: { show: { dataInput: ['json'] } },
	send: { as: 'data' },
	description: 'Data of the entry as a JSON object of field keys and values',
});

const simplify = lifted('data');

const whole: WholeRecord = { route: 'GET /contentbox/contents/{contentId}.json' };

export const content = resource('content', {
	description: 'Entries of a content type',
	operations: [
		create({
			action: 'Create a content entry',
			description: 'Create an entry and return its ID',
			route: 'POST /contentbox/contents.json',
			simplify,
			whole,
			root: 'content',
			fields: [
				{ ...typeId, send: { as: 'type_id' }, description: 'The content type of the entry' },
				{ ...title, required: true },
				dataInput,
				{
					...dataFields,
					typeOptions: { loadOptionsDependsOn: ['typeId.value'], resourceMapper: mapper },
				},
				dataJson,
				additionalFields([
					{
						...state,
						default: { __rl: true, mode: 'list', value: 'draft' },
						description: "State of the entry, such as public. The API's default is draft.",
					},
				]),
			],
		}),
		remove({
			action: 'Delete a content entry',
			description: 'Delete a content entry permanently and return its ID',
			notice: 'Deleting an entry is permanent. To keep it, change its state instead.',
			route: 'DELETE /contentbox/contents/{contentId}.json',
			fields: [contentId],
		}),
		get({
			action: 'Get a content entry',
			description: 'Return an entry with its content type, title, state and data',
			route: 'GET /contentbox/contents/{contentId}.json',
			simplify,
			fields: [contentId],
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
						description: 'Return only entries of this content type',
					},
					text({
						name: 'search',
						description: 'Return only entries with this text in the title or data',
					}),
					{ ...state, description: 'Return only entries in this state' },
				]),
			],
		}),
		update({
			action: 'Update a content entry',
			description: 'Update the title, state or data of an entry and return its ID',
			route: 'PUT /contentbox/contents/{contentId}.json',
			simplify,
			whole,
			root: 'content',
			fields: [
				contentId,
				{
					...dataInput,
					description:
						'How to enter the data. Fields you leave out aren\'t changed. To clear a text field, set it to the expression {{ "" }}.',
				},
				{
					...dataFields,
					// Only fields that the user adds: otherwise every checkbox would be sent as off.
					typeOptions: {
						loadOptionsDependsOn: ['contentId.value'],
						resourceMapper: { ...mapper, addAllFields: false },
					},
					description: 'The fields to update',
				},
				dataJson,
				updateFields([replaceable(title), replaceable(state)]),
			],
		}),
	],
});
