// Subscriptions of a customer (reference: core, Endpoints, Customers).
import { locator, openChoice } from '../shared/pickers';
import type { Resource } from '../shared/operation';
import { customerId, subscriptionId } from './fields';

export const subscription: Resource = {
	name: 'Subscription',
	value: 'subscription',
	operations: [
		{
			name: 'Create',
			value: 'create',
			action: 'Create a subscription',
			description:
				'Subscribe a customer to a plan and return the ID and status of the subscription',
			route: 'POST /customers/{customerId}/subscriptions.json',
			root: 'subscription',
			fields: [
				customerId,
				locator('subscriptionPlans', {
					displayName: 'Plan',
					name: 'plan',
					required: true,
					send: { as: 'id' },
					description: 'The plan to subscribe to, from the recurring subscriptions of your company',
					placeholder: 'e.g. plan_pro',
				}),
				{
					displayName: 'Additional Fields',
					name: 'additionalFields',
					type: 'collection',
					placeholder: 'Add field',
					default: {},
					options: [
						{
							displayName: 'Add-Ons',
							name: 'addons',
							type: 'fixedCollection',
							typeOptions: { multipleValues: true },
							placeholder: 'Add add-on',
							default: {},
							options: [
								{
									displayName: 'Add-On',
									name: 'addon',
									values: [
										{
											displayName: 'Element',
											name: 'element',
											type: 'string',
											default: '',
											required: true,
											description: 'ID of the add-on',
										},
										{
											displayName: 'Quantity',
											name: 'quantity',
											type: 'number',
											default: 1,
											send: { type: 'integer' },
										},
									],
								},
							],
						},
						openChoice('discountTypes', {
							displayName: 'Discount Type',
							name: 'discountType',
							send: { as: 'global_discount.type' },
							description: 'Kind of the discount on the whole subscription',
						}),
						{
							displayName: 'Discount Value',
							name: 'discountValue',
							type: 'number',
							default: 0,
							send: { as: 'global_discount.value' },
							description: 'Size of the discount. Set the discount type too.',
						},
						{
							displayName: 'Taxes',
							name: 'taxes',
							type: 'string',
							default: '',
							description: 'Identifier of the tax',
						},
					],
				},
			],
		},
		{
			name: 'Delete',
			value: 'delete',
			action: 'Delete a subscription',
			description: 'Delete a subscription of a customer; the API queues the deletion',
			notice: 'Deleting a subscription cannot be undone.',
			route: 'DELETE /customers/{customerId}/subscriptions/{subscriptionId}.json',
			fields: [customerId, subscriptionId],
		},
		{
			name: 'Get Lifecycle',
			value: 'getLifecycle',
			action: 'Get the lifecycle of a subscription',
			description:
				'Return lifecycle status, scheduled change and carry-over credit of a subscription',
			route: 'GET /customers/{customerId}/subscriptions/{subscriptionId}/lifecycle.json',
			fields: [customerId, subscriptionId],
		},
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many subscriptions of a customer',
			description: 'Return the subscriptions of a customer with status, price and next renewal',
			route: 'GET /customers/{customerId}/subscriptions.json',
			fields: [customerId],
		},
		{
			name: 'Get Status',
			value: 'getStatus',
			action: 'Get the status of a subscription',
			description: 'Return status and next renewal of a subscription',
			route: 'GET /customers/{customerId}/subscriptions/{subscriptionId}/status.json',
			fields: [customerId, subscriptionId],
		},
		{
			name: 'Pause',
			value: 'pause',
			action: 'Pause a subscription',
			description: 'Pause a subscription and return what the API answers',
			route: 'PUT /customers/{customerId}/subscriptions/{subscriptionId}/lifecycle/pause.json',
			fields: [
				customerId,
				subscriptionId,
				{
					displayName: 'Additional Fields',
					name: 'additionalFields',
					type: 'collection',
					placeholder: 'Add field',
					default: {},
					options: [
						{
							displayName: 'Body (JSON)',
							name: 'body',
							type: 'json',
							default: '{}',
							send: { as: '*' },
							description:
								'What to send with the request, as a JSON object. The reference does not show the fields; nothing is sent unless you set it.',
						},
					],
				},
			],
		},
		{
			name: 'Update Status',
			value: 'updateStatus',
			action: 'Update the status of a subscription',
			description: 'Set the status of a subscription and return it with the next renewal',
			route: 'PUT /customers/{customerId}/subscriptions/{subscriptionId}/status.json',
			root: 'subscription',
			fields: [
				customerId,
				subscriptionId,
				openChoice('subscriptionStatuses', {
					displayName: 'Status',
					name: 'status',
					required: true,
					description:
						'The new status. Dismiss ends the subscription: it has no next renewal then.',
				}),
			],
		},
	],
};
