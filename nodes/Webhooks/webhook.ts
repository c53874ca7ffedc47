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
			description: 'Register a URL for events and return the webhook with its secret token',
			notice:
				"The output contains the webhook's secret token. The API only returns it in full here, so store it in a credential or secret store. To start an n8n workflow on an event, use the Platform Trigger instead.",
			builderHint: 'To start a workflow use platformCustomersTrigger instead.',
			route: 'POST /webhooks.json',
			root: 'webhook',
			fields: [
				text({
					name: 'name',
					required: true,
					placeholder: 'e.g. Ledger',
					description: 'Name of the webhook',
				}),
				text({
					name: 'url',
					required: true,
					placeholder: 'e.g. https://receiver.example.com/events',
					send: { format: 'https' },
					description:
						'URL that receives the events. It must start with https:// and have a valid certificate.',
				}),
				loadedChoices('webhookEventTypes', {
					displayName: 'Event',
					name: 'events',
					required: true,
					send: { type: 'list', minItems: 1 },
					description: 'Events to subscribe to',
				}),
				additionalFields([
					text({
						name: 'description',
						placeholder: 'e.g. Paid charges for the ledger',
						description: 'What the webhook is for',
					}),
				]),
			],
		}),
		remove({
			action: 'Delete a webhook',
			description: 'Delete a webhook, so that its URL gets no more events. Returns its ID.',
			notice: "These nodes can't restore a deleted webhook. A new webhook gets a new token.",
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
