// Subscriptions of a customer (reference: core, Endpoints, Customers).
import { create, getMany, locator, openChoice, operation, remove } from '../api';
import { named } from '../api/simplify';
import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { recordOf } from '../engine/base/data';
import { additionalFields, json, number, rows, text, type Field } from '../engine/form/fields';
import { resource } from '../engine/form/operation';
import { filteredBy } from '../engine/form/rowFilters';
import { specified } from '../engine/form/specify';
import { customerId, subscriptionId } from './fields';

const addons = rows({
	displayName: 'Add-Ons',
	name: 'addons',
	send: { empty: 'refused' },
	row: { displayName: 'Add-On', name: 'addon' },
	values: [
		text({
			name: 'element',
			placeholder: 'e.g. seats',
			required: true,
			description: 'The add-on, as your company names it',
		}),
		number({
			name: 'quantity',
			default: 1,
			send: { type: 'integer', empty: 'refused' },
		}),
	],
});

const discountType = openChoice('discountTypes', {
	name: 'discountType',
	send: { as: 'global_discount.type', empty: 'refused' },
	description: 'Of the whole subscription',
});

const discountValue = number({
	name: 'discountValue',
	typeOptions: { minValue: 0 },
	send: { as: 'global_discount.value', empty: 'refused' },
	description: 'Needs a Discount Type. Check the unit with a first subscription.',
});

/** The reference shows no limits, but a type without a value, a value without a type, or more than 100 percent is a mistake. */
function checkDiscount({ body }: ApiRequest): void {
	const { global_discount: discount } = recordOf(body?.subscription);
	if (discount === undefined) return;
	const { type, value } = recordOf(discount);
	const needed = (missing: Field, set: Field) =>
		new FieldFault(missing.displayName, `must not be empty if ${set.displayName} is set`);
	if (type === undefined) throw needed(discountType, discountValue);
	if (value === undefined) throw needed(discountValue, discountType);
	if (type === 'percentage' && Number(value) > 100) {
		throw new FieldFault(discountValue.displayName, `must be at most 100 percent (got ${value})`);
	}
}

export const subscription = resource('subscription', {
	description: 'Subscriptions of a customer',
	ids: [customerId, subscriptionId],
	operations: [
		create({
			action: 'Create a subscription',
			description: "Subscribe a customer to a plan and return the subscription's ID and status",
			route: 'POST /customers/{customerId}/subscriptions.json',
			whole: { route: 'GET /customers/{customerId}/subscriptions.json' },
			simplify: named,
			billed: true,
			root: 'subscription',
			check: checkDiscount,
			fields: [
				locator('plans', {
					displayName: 'Plan',
					name: 'plan',
					required: true,
					send: { as: 'id', wasText: true },
					placeholder: 'e.g. plan-team',
					description:
						"Recurring Payments → Subscription → Get Many has it. The API reference doesn't say in which field.",
				}),
				...specified(addons, '[{"element": "seats", "quantity": 3}]'),
				additionalFields([
					discountType,
					discountValue,
					text({
						name: 'taxes',
						placeholder: 'e.g. vat-19',
						send: { empty: 'refusedInForm' },
						description: 'Tax identifier',
					}),
				]),
			],
		}),
		remove({
			action: 'Delete a subscription',
			description:
				'Delete a subscription and return its ID. Setting its status to dismiss only ends the renewals.',
			route: 'DELETE /customers/{customerId}/subscriptions/{subscriptionId}.json',
		}),
		operation('getLifecycle', {
			action: 'Get the lifecycle of a subscription',
			description:
				'Return the lifecycle status, scheduled change and carry-over credit of a subscription',
			route: 'GET /customers/{customerId}/subscriptions/{subscriptionId}/lifecycle.json',
		}),
		getMany({
			action: 'Get many subscriptions of a customer',
			description: 'Return the subscriptions of a customer with status, price and next renewal',
			route: 'GET /customers/{customerId}/subscriptions.json',
			simplify: named,
			...filteredBy('subscriptions', { status: {} }),
		}),
		operation('getStatus', {
			action: 'Get the status of a subscription',
			description: 'Return the status and next renewal of a subscription',
			route: 'GET /customers/{customerId}/subscriptions/{subscriptionId}/status.json',
		}),
		operation('pause', {
			action: 'Pause a subscription',
			description: "Pause a subscription and return the API's response",
			route: 'PUT /customers/{customerId}/subscriptions/{subscriptionId}/lifecycle/pause.json',
			fields: [
				additionalFields([
					json({
						name: 'body',
						send: { as: '*', empty: 'refusedInForm' },
						description: 'A JSON object, if your company needs one to pause',
					}),
				]),
			],
		}),
		operation('updateStatus', {
			action: 'Update the status of a subscription',
			description: 'Set the status of a subscription and return its status and next renewal',
			route: 'PUT /customers/{customerId}/subscriptions/{subscriptionId}/status.json',
			whole: { route: 'GET /customers/{customerId}/subscriptions.json' },
			simplify: named,
			root: 'subscription',
			fields: [
				openChoice('subscriptionStatuses', {
					name: 'status',
					required: true,
					description:
						'With dismiss, there is no next renewal. Your company may have other statuses.',
				}),
			],
		}),
	],
});
