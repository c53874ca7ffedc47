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
	description:
		"The API reference doesn't say if it's a quantity or money, and in which unit. Check a first record.",
});

const value = number({
	name: 'value',
	description:
		"The API reference doesn't say in which unit. Set Value Type too, and check a first record.",
});

/**
 * The reference shows no minimum. A number below 0 takes back usage, and is nearly always a mistake, so the user must ask for it.
 * @throws FieldFault
 */
function checkSigns({ body, settings }: ApiRequest): void {
	if (settings?.allowNegative === true) return;
	const given = recordOf(body?.usage);
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
			makes: true,
			billed: true,
			check: checkSigns,
			measure: {
				isInRequest: true,
				of: numbersIn,
				counts: 'the higher of Amount and Value',
			},
			fields: [
				text({
					name: 'externalId',
					send: { trim: true },
					description: 'Your own unique ID for this record of usage',
				}),
				additionalFields([
					allowNegative,
					amount,
					value,
					text({
						name: 'valueType',
						placeholder: 'e.g. api-call',
						send: { as: 'value_type' },
						description: 'As your company names it',
					}),
				]),
			],
		}),
	],
});
