// Events that the company can subscribe to (reference: core, Events).
import { getMany } from '../api';
import { resource } from '../engine/form/operation';

export const eventType = resource('eventType', {
	description: 'Events for webhooks',
	operations: [
		getMany({
			action: 'Get many event types',
			description: 'Return the events that a webhook can subscribe to, one item each',
			route: 'GET /webhooks/types.json',
		}),
	],
});
