// Usage of a subscription (reference: core, Endpoints, Customers).
import { operation } from '../api';
import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { recordOf } from '../engine/base/data';
import { additionalFields, number, text, toggle } from '../engine/form/fields';
import { resource } from '../engine/form/operation';
import { customerId, subscriptionId } from './fields';

/** The higher of both, for the Safety Limits: the reference doesn't say which of them is billed. */
function numbersIn({ body }: ApiRequest): unknown[] {
	const { amount, value } = recordOf(body?.usage);
	const given = [amount, value].filter((each) => each !== undefined).map(Number);
	return given.length > 0 ? [Math.max(...given)] : [];
}

const allowNegative = toggle({
	displayName: 'Allow Negative Usage',
	name: 'allowNegative',
	send: { setting: true },
	description: 'Whether Amount and Value may be below 0',
});

const amount = number({
	name: 'amount',
	send: { empty: 'refused' },
	description:
		"The API reference doesn't say if it's a quantity or money, and in which unit. Check a first record.",
});

const value = number({
	name: 'value',
	send: { empty: 'refused' },
	description:
		"The API reference doesn't say in which unit. Set Value Type too, and check a first record.",
});

/**
 * One of both must be set: an external ID can be used once, so a record without a quantity can't be mended. The reference shows
 * no minimum. A number below 0 takes back usage, and is nearly always a mistake, so the user must ask for it.
 */
function checkQuantity({ body, settings }: ApiRequest): void {
	const given = recordOf(body?.usage);
	if (given.amount === undefined && given.value === undefined) {
		throw new FieldFault(amount.displayName, `or "${value.displayName}" must be set`);
	}
	if (settings?.allowNegative === true) return;
	for (const { displayName, name } of [amount, value]) {
		const number = Number(given[name] ?? 0);
		if (number >= 0) continue;
		const fault = `must not be below 0, unless ${allowNegative.displayName} is on (got ${number})`;
		throw new FieldFault(displayName, fault);
	}
}

export const usage = resource('usage', {
	description: 'Recorded usage of a subscription',
	ids: [customerId, subscriptionId],
	operations: [
		operation('getHistory', {
			action: 'Get the usage history of a subscription',
			description: 'Return the recorded usage of a subscription, one item for each record',
			route: 'GET /customers/{customerId}/subscriptions/{subscriptionId}.json',
		}),
		operation('record', {
			action: 'Record usage of a subscription',
			description: 'Record usage and return its ID and amount',
			route: 'POST /customers/{customerId}/subscriptions/{subscriptionId}.json',
			root: 'usage',
			billed: true,
			check: checkQuantity,
			measure: {
				isInRequest: true,
				of: numbersIn,
				counts: 'the higher of Amount and Value',
			},
			fields: [
				text({
					name: 'externalId',
					send: { trim: true, empty: 'refusedInForm' },
					description: 'Your own unique ID for this record of usage',
				}),
				additionalFields([
					allowNegative,
					amount,
					value,
					text({
						name: 'valueType',
						placeholder: 'e.g. api-call',
						send: { as: 'value_type', empty: 'refused' },
						description: 'As your company names it',
					}),
				]),
			],
		}),
	],
});
