// Webhooks (reference: core, Endpoints, Webhooks).
import { create, get, getMany, loadedChoices, locator, remove } from '../api';
import { additionalFields, text } from '../engine/form/fields';
import { resource } from '../engine/form/operation';
import { filteredBy } from '../engine/form/rowFilters';

const webhookId = locator('webhooks', {
	name: 'webhookId',
	required: true,
	placeholder: 'e.g. whk-1',
});

export const webhook = resource('webhook', {
	description: 'Registered webhook URLs',
	ids: [webhookId],
	operations: [
		create({
			action: 'Create a webhook',
			description:
				'Register a URL for events and return the webhook with its secret token, which only this shows',
			builderHint: 'To start a workflow use platformCustomersTrigger instead.',
			route: 'POST /webhooks.json',
			root: 'webhook',
			fields: [
				text({
					name: 'name',
					required: true,
					placeholder: 'e.g. Ledger',
				}),
				text({
					name: 'url',
					required: true,
					placeholder: 'e.g. https://receiver.example.com/events',
					send: { format: 'https' },
					description: 'With https:// and a valid certificate. For n8n, use the Platform Trigger.',
				}),
				loadedChoices('webhookEventTypes', {
					displayName: 'Event',
					name: 'events',
					required: true,
					send: { type: 'list', minItems: 1 },
					description: 'What to subscribe to',
				}),
				additionalFields([
					text({
						name: 'description',
						placeholder: 'e.g. Paid charges for the ledger',
					}),
				]),
			],
		}),
		remove({
			action: 'Delete a webhook',
			description: 'Delete a webhook, so that its URL gets no more events. Returns its ID.',
			route: 'DELETE /webhooks/{webhookId}.json',
		}),
		get({
			action: 'Get a webhook',
			description: 'Return a webhook with URL and events. Its token is masked.',
			route: 'GET /webhooks/{webhookId}.json',
		}),
		getMany({
			action: 'Get many webhooks',
			description: 'Return webhooks with URL and events. Their tokens are masked.',
			route: 'GET /webhooks.json',
			...filteredBy('webhooks', { event: { at: 'events' } }),
		}),
	],
});
