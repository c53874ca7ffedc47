// Newsletters, their sending and statistics (reference: core, Endpoints, Newsletters).
import type { Field, Resource } from '../shared/operation';
import { contactIds, newsletterId } from './fields';

const title: Field = {
	displayName: 'Title',
	name: 'title',
	type: 'string',
	default: '',
	placeholder: 'e.g. Product update March',
	description: 'Title of the newsletter in your company',
};

const subject: Field = {
	displayName: 'Subject',
	name: 'subject',
	type: 'string',
	default: '',
	placeholder: 'e.g. What is new in March',
	description: 'Subject of the emails',
};

const templateId: Field = {
	displayName: 'Template',
	name: 'templateId',
	type: 'string',
	default: '',
	placeholder: 'e.g. monthly.html',
	send: { as: 'template_id' },
	description: 'File name of the template; the API does not list the templates',
};

const content = [title, subject, templateId];

export const newsletter: Resource = {
	name: 'Newsletter',
	value: 'newsletter',
	operations: [
		{
			name: 'Create',
			value: 'create',
			action: 'Create a newsletter',
			description:
				'Create a newsletter as a draft and return its ID, status and how many recipients were skipped',
			route: 'POST /newsletters.json',
			root: 'newsletter',
			fields: [
				...content.map((field): Field => ({ ...field, required: true })),
				{
					displayName: 'Additional Fields',
					name: 'additionalFields',
					type: 'collection',
					placeholder: 'Add field',
					default: {},
					options: [contactIds],
				},
			],
		},
		{
			name: 'Delete',
			value: 'delete',
			action: 'Delete a newsletter',
			description: 'Delete a newsletter together with its queue entries',
			notice:
				'Deleting a newsletter cannot be undone. Emails that are still in its queue are deleted too.',
			route: 'DELETE /newsletters/{newsletterId}.json',
			fields: [newsletterId],
		},
		{
			name: 'Get',
			value: 'get',
			action: 'Get a newsletter',
			description: 'Return one newsletter by its ID',
			route: 'GET /newsletters/{newsletterId}.json',
			fields: [newsletterId],
		},
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many newsletters',
			description: 'Return all newsletters or the first ones',
			route: 'GET /newsletters.json',
		},
		{
			name: 'Get Stats',
			value: 'getStats',
			action: 'Get the stats of a newsletter',
			description: 'Return a newsletter with its sending statistics, progress and failures',
			route: 'GET /newsletters/{newsletterId}/stats.json',
			fields: [
				newsletterId,
				{
					displayName: 'Filters',
					name: 'filters',
					type: 'collection',
					placeholder: 'Add filter',
					default: {},
					options: [
						{
							displayName: 'Failures at Most',
							name: 'failureLimit',
							type: 'number',
							typeOptions: { minValue: 0 },
							default: 50,
							send: { as: 'failure_limit', type: 'integer' },
							description: 'How many failed or skipped emails to include',
						},
					],
				},
			],
		},
		{
			name: 'Queue',
			value: 'queue',
			action: 'Queue a newsletter for sending',
			description:
				'Queue a draft for sending to its recipients and return how many were queued and skipped',
			notice:
				'This sends email to real people and counts towards the usage limit. A newsletter cannot be queued twice.',
			route: 'POST /newsletters/{newsletterId}/queue.json',
			sequential: true,
			fields: [newsletterId],
		},
		{
			name: 'Send Test',
			value: 'sendTest',
			action: 'Send a test of a newsletter',
			description: 'Send a newsletter to one address as a test and return where it was sent',
			notice: 'This sends an email.',
			route: 'POST /newsletters/{newsletterId}/test.json',
			root: 'newsletter',
			sequential: true,
			fields: [
				newsletterId,
				{
					displayName: 'Test Email',
					name: 'testEmail',
					type: 'string',
					placeholder: 'name@email.com',
					required: true,
					default: '',
					send: { as: 'test_email', format: 'email' },
					description: 'Address that receives the test',
				},
			],
		},
		{
			name: 'Update',
			value: 'update',
			action: 'Update a newsletter',
			description: 'Change title, subject or template of a draft and return the newsletter',
			notice: 'Only drafts can be changed.',
			route: 'PUT /newsletters/{newsletterId}.json',
			root: 'newsletter',
			fields: [
				newsletterId,
				{
					displayName: 'Update Fields',
					name: 'updateFields',
					type: 'collection',
					placeholder: 'Add field',
					default: {},
					options: [subject, templateId, title],
				},
			],
		},
	],
};
