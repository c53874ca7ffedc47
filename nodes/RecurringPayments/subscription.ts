// Recurring subscriptions of all customers (reference: core, Resources, Recurring payments).
import { getMany } from '../api';
import { named } from '../api/simplify';
import { resource } from '../engine/form/operation';
import { filteredBy } from '../engine/form/rowFilters';

export const subscription = resource('subscription', {
	description: 'Subscriptions of all customers',
	operations: [
		getMany({
			action: 'Get many recurring subscriptions',
			description:
				'Return the recurring subscriptions of all customers, with next renewal and last payment status',
			route: 'GET /recurring-payments/subscriptions.json',
			simplify: named,
			...filteredBy('subscriptions', {
				customerId: { displayName: 'Customer ID', at: 'customerId', identifies: true },
				lastPaymentStatus: {},
				status: {},
			}),
		}),
	],
});
