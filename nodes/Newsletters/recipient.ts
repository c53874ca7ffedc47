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
				'Return the customers to choose recipients from, one item each, or a snapshot that also says which are selected',
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
							description: 'One item for each customer, selected or not',
						},
						{
							name: 'Snapshot',
							value: 'snapshot',
							description:
								'One item with the status of the newsletter, the IDs of the selected recipients and all customers',
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
							description: 'Return only customers whose name or email contains this text',
						},
					],
				},
			],
		},
		{
			name: 'Set',
			value: 'set',
			action: 'Set the recipients of a newsletter',
			description:
				'Set the recipients of a newsletter and return how many were saved and how many skipped',
			route: 'PUT /newsletters/{newsletterId}/recipients.json',
			root: 'newsletter',
			fields: [newsletterId, { ...contactIds, required: true }],
		},
	],
};
