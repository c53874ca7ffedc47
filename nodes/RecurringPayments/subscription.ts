// Recurring subscriptions of all customers (reference: core, Resources, Recurring payments).
import { getMany, type Resource } from '../shared/operation';
import { named } from '../shared/simplify';

export const subscription: Resource = {
	name: 'Subscription',
	value: 'subscription',
	description: 'Subscriptions of all customers',
	operations: [
		getMany({
			action: 'Get many recurring subscriptions',
			description:
				'Return the recurring subscriptions of all customers, with next renewal and last payment status',
			route: 'GET /recurring-payments/subscriptions.json',
			simplify: named,
		}),
	],
};
