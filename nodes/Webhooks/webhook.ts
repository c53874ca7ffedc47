// Webhooks (reference: core, Endpoints, Webhooks).
import { locator } from '../shared/pickers';
import type { Resource } from '../shared/operation';

const webhookId = locator('webhooks', {
	displayName: 'Webhook',
	name: 'webhookId',
	required: true,
	description: 'The webhook to work with',
	placeholder: 'e.g. whk_1024',
});

export const webhook: Resource = {
	name: 'Webhook',
	value: 'webhook',
	operations: [
		{
			name: 'Create',
			value: 'create',
			action: 'Create a webhook',
			description: 'Register an address for events and return the webhook with its secret token',
			notice:
				'The token in the answer is a secret that the API shows in full only here. Keep it in a credential or a secret store. To start a workflow of n8n on an event, use the Platform Trigger instead: it manages its webhooks itself.',
			route: 'POST /webhooks.json',
			root: 'webhook',
			fields: [
				{
					displayName: 'Name',
					name: 'name',
					type: 'string',
					required: true,
					default: '',
					placeholder: 'e.g. Ledger',
					description: 'Name of the webhook',
				},
				{
					displayName: 'URL',
					name: 'url',
					type: 'string',
					required: true,
					default: '',
					placeholder: 'e.g. https://receiver.example.com/events',
					send: { format: 'https' },
					description:
						'Address that receives the events. It must start with https:// and have a valid certificate.',
				},
				{
					displayName: 'Event Names or IDs',
					name: 'events',
					type: 'multiOptions',
					typeOptions: { loadOptionsMethod: 'webhookEventTypes' },
					required: true,
					default: [],
					send: { type: 'list', minItems: 1 },
					description:
						'Events to subscribe to, of those that your company can use. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
				},
				{
					displayName: 'Additional Fields',
					name: 'additionalFields',
					type: 'collection',
					placeholder: 'Add field',
					default: {},
					options: [
						{
							displayName: 'Description',
							name: 'description',
							type: 'string',
							default: '',
							description: 'What the webhook is for',
						},
					],
				},
			],
		},
		{
			name: 'Delete',
			value: 'delete',
			action: 'Delete a webhook',
			description: 'Delete a webhook, so that its address gets no more events',
			notice: 'Deleting a webhook cannot be undone: a new one has another token.',
			route: 'DELETE /webhooks/{webhookId}.json',
			fields: [webhookId],
		},
		{
			name: 'Get',
			value: 'get',
			action: 'Get a webhook',
			description: 'Return one webhook by its ID; its token is masked',
			route: 'GET /webhooks/{webhookId}.json',
			fields: [webhookId],
		},
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many webhooks',
			description: 'Return all webhooks or the first ones; their tokens are masked',
			route: 'GET /webhooks.json',
		},
	],
};
