// Events that the company can subscribe to (reference: core, Events).
import { getMany, type Resource } from '../shared/operation';

export const eventType: Resource = {
	name: 'Event Type',
	value: 'eventType',
	description: 'Events for webhooks',
	operations: [
		getMany({
			action: 'Get many event types',
			description: 'Return the events that a webhook can subscribe to, one item each',
			route: 'GET /webhooks/types.json',
		}),
	],
};
