// Usage of a subscription (reference: core, Endpoints, Customers).
import { additionalFields, text } from '../shared/fields';
import type { Resource } from '../shared/operation';
import { customerId, subscriptionId } from './fields';

export const usage: Resource = {
	name: 'Usage',
	value: 'usage',
	description: 'Recorded usage of a subscription',
	operations: [
		{
			name: 'Get History',
			value: 'getHistory',
			action: 'Get the usage history of a subscription',
			description: 'Return the recorded usage of a subscription, one item for each record',
			route: 'GET /customers/{customerId}/subscriptions/{subscriptionId}.json',
			fields: [customerId, subscriptionId],
		},
		{
			name: 'Record',
			value: 'record',
			action: 'Record usage of a subscription',
			description: 'Record usage and return its ID and amount',
			route: 'POST /customers/{customerId}/subscriptions/{subscriptionId}.json',
			root: 'usage',
			makes: true,
			fields: [
				customerId,
				subscriptionId,
				text({
					displayName: 'External ID',
					name: 'externalId',
					description: 'Your own unique ID for this usage event',
				}),
				additionalFields([
					{
						displayName: 'Amount',
						name: 'amount',
						type: 'number',
						default: 0,
						description: 'Amount of the usage, in the unit that the subscription counts',
					},
					{
						displayName: 'Value',
						name: 'value',
						type: 'number',
						default: 0,
						description:
							'Value of the usage. Set Value Type too, and check the unit with a first record.',
					},
					text({
						displayName: 'Value Type',
						name: 'valueType',
						send: { as: 'value_type' },
						description: 'Type of the value',
					}),
				]),
			],
		},
	],
};
