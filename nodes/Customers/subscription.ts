// Subscriptions of a customer (reference: core, Endpoints, Customers).
import { rows, additionalFields, text } from '../shared/fields';
import { openChoice } from '../shared/pickers';
import { create, getMany, remove, type Resource } from '../shared/operation';
import { asJson } from '../shared/manyRows';
import { named } from '../shared/simplify';
import { customerId, subscriptionId } from './fields';

const addons = rows({
	displayName: 'Add-Ons',
	name: 'addons',
	description: 'Add-ons of the plan',
	row: { displayName: 'Add-On', name: 'addon' },
	values: [
		text({
			displayName: 'Element',
			name: 'element',
			required: true,
			description: 'The add-on, as your company names it',
		}),
		{
			displayName: 'Quantity',
			name: 'quantity',
			type: 'number',
			default: 1,
			send: { type: 'integer' },
		},
	],
});

export const subscription: Resource = {
	name: 'Subscription',
	value: 'subscription',
	description: 'Subscriptions of a customer',
	operations: [
		create({
			action: 'Create a subscription',
			description: "Subscribe a customer to a plan and return the subscription's ID and status",
			route: 'POST /customers/{customerId}/subscriptions.json',
			whole: { route: 'GET /customers/{customerId}/subscriptions.json' },
			simplify: named,
			root: 'subscription',
			fields: [
				customerId,
				text({
					displayName: 'Plan ID',
					name: 'plan',
					required: true,
					send: { as: 'id' },
					placeholder: 'e.g. plan_pro',
					description:
						"ID of the plan to subscribe to. If you don't know it, look at running subscriptions with Recurring Payments → Subscription → Get Many.",
				}),
				additionalFields([
					addons,
					openChoice('discountTypes', {
						displayName: 'Discount Type',
						name: 'discountType',
						send: { as: 'global_discount.type' },
						description: 'Type of the discount on the whole subscription',
					}),
					{
						displayName: 'Discount Value',
						name: 'discountValue',
						type: 'number',
						default: 0,
						send: { as: 'global_discount.value' },
						description:
							'Value of the discount. Set Discount Type too, and check the unit with a first subscription.',
					},
					text({
						displayName: 'Taxes',
						name: 'taxes',
						description: 'Tax identifier',
					}),
					asJson(addons, '[{"element": "seats", "quantity": 3}]'),
				]),
			],
		}),
		remove({
			action: 'Delete a subscription',
			description: 'Delete a subscription of a customer and return its ID',
			notice: 'To end a subscription and keep its record, use Update Status with dismiss.',
			route: 'DELETE /customers/{customerId}/subscriptions/{subscriptionId}.json',
			fields: [customerId, subscriptionId],
		}),
		{
			name: 'Get Lifecycle',
			value: 'getLifecycle',
			action: 'Get the lifecycle of a subscription',
			description:
				'Return the lifecycle status, scheduled change and carry-over credit of a subscription',
			route: 'GET /customers/{customerId}/subscriptions/{subscriptionId}/lifecycle.json',
			fields: [customerId, subscriptionId],
		},
		getMany({
			action: 'Get many subscriptions of a customer',
			description: 'Return the subscriptions of a customer with status, price and next renewal',
			route: 'GET /customers/{customerId}/subscriptions.json',
			simplify: named,
			fields: [customerId],
		}),
		{
			name: 'Get Status',
			value: 'getStatus',
			action: 'Get the status of a subscription',
			description: 'Return the status and next renewal of a subscription',
			route: 'GET /customers/{customerId}/subscriptions/{subscriptionId}/status.json',
			fields: [customerId, subscriptionId],
		},
		{
			name: 'Pause',
			value: 'pause',
			action: 'Pause a subscription',
			description: "Pause a subscription and return the API's response",
			route: 'PUT /customers/{customerId}/subscriptions/{subscriptionId}/lifecycle/pause.json',
			fields: [
				customerId,
				subscriptionId,
				additionalFields([
					{
						displayName: 'Body (JSON)',
						name: 'body',
						type: 'json',
						default: '{}',
						send: { as: '*' },
						description: 'Request body as a JSON object, if your company needs one to pause',
					},
				]),
			],
		},
		{
			name: 'Update Status',
			value: 'updateStatus',
			action: 'Update the status of a subscription',
			description: 'Set the status of a subscription and return its status and next renewal',
			route: 'PUT /customers/{customerId}/subscriptions/{subscriptionId}/status.json',
			whole: { route: 'GET /customers/{customerId}/subscriptions.json' },
			simplify: named,
			root: 'subscription',
			fields: [
				customerId,
				subscriptionId,
				openChoice('subscriptionStatuses', {
					displayName: 'Status',
					name: 'status',
					required: true,
					description:
						'The new status. With dismiss, the subscription has no next renewal. Other statuses are for your company to know.',
				}),
			],
		},
	],
};
