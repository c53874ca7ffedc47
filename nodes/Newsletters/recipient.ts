// Recipients of a newsletter (reference: core, Endpoints, Newsletters).
import type { Resource } from '../shared/operation';
import { contactIds, newsletterId } from './fields';

export const recipient: Resource = {
	name: 'Recipient',
	value: 'recipient',
	operations: [
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many recipients of a newsletter',
			description:
				'Return all customers, one item each, or a snapshot that also shows which are selected',
			route: 'GET /newsletters/{newsletterId}/recipients.json',
			alternative: { field: 'output', is: 'snapshot', shape: { kind: 'one' } },
			fields: [
				newsletterId,
				{
					displayName: 'Output',
					name: 'output',
					type: 'options',
					default: 'customers',
					send: false,
					options: [
						{
							name: 'Customers',
							value: 'customers',
							description: 'One item for each customer, whether selected or not',
						},
						{
							name: 'Snapshot',
							value: 'snapshot',
							description:
								'One item with the newsletter status, the selected IDs and all customers',
						},
					],
					description: 'What to return',
				},
				{
					displayName: 'Filters',
					name: 'filters',
					type: 'collection',
					placeholder: 'Add filter',
					default: {},
					options: [
						{
							displayName: 'Search',
							name: 'search',
							type: 'string',
							default: '',
							description: 'Filter customers by name or email',
						},
					],
				},
			],
		},
		{
			name: 'Set',
			value: 'set',
			action: 'Set the recipients of a newsletter',
			description: 'Set the recipients of a newsletter and return how many were saved and skipped',
			route: 'PUT /newsletters/{newsletterId}/recipients.json',
			root: 'newsletter',
			fields: [newsletterId, { ...contactIds, required: true }],
		},
	],
};
