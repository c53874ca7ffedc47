// Charges of a customer (reference: core, Endpoints, Customers).
import { create } from '../api';
import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { recordOf, recordsOf } from '../engine/base/data';
import { number, options, rows, text, toggle } from '../engine/form/fields';
import { resource } from '../engine/form/operation';
import { specified } from '../engine/form/specify';
import { customerId } from './fields';

const allowFreeLines = toggle({
	displayName: 'Allow Free and Credit Lines',
	name: 'allowFreeLines',
	send: { setting: true },
	description: 'Whether an amount may be 0 or below, not the sum',
});

const services = rows({
	name: 'services',
	required: true,
	default: { service: [{ name: '', amount: '', taxProfile: '' }] },
	send: { minItems: 1 },
	// Few charges name a tax profile.
	typeOptions: { hideOptionalFields: true },
	row: { displayName: 'Service', name: 'service' },
	values: [
		text({
			name: 'name',
			required: true,
			placeholder: 'e.g. Onboarding',
		}),
		number({
			name: 'amount',
			required: true,
			default: '',
			placeholder: 'e.g. 49.90',
			description: 'Price of the service. Check its unit and currency with a first charge.',
		}),
		text({
			name: 'taxProfile',
			send: { empty: 'refusedInForm' },
			placeholder: 'e.g. standard',
		}),
	],
});

/** Label of the rows, for errors. */
const ROWS = services.displayName;

/**
 * The reference shows no minimum. An amount of 0 or below is nearly always a mistake, so the user must ask for it. The sum must
 * be above 0: a charge never gives money to the customer. Throws FieldFault.
 */
function checkAmounts({ body, settings }: ApiRequest): void {
	const lines = recordsOf(recordOf(body?.charge).services);
	let sum = 0;
	for (const [index, { amount }] of lines.entries()) {
		if (Number(amount) <= 0 && settings?.allowFreeLines !== true) {
			const fault = `has a fault in line ${index + 1}: Amount must be greater than 0, unless ${allowFreeLines.displayName} is on (got ${Number(amount)})`;
			throw new FieldFault(ROWS, fault);
		}
		sum += Number(amount);
	}
	// Without the noise of fractions: 0.1 + 0.2 - 0.3 is more than 0.
	const total = Number(sum.toFixed(8));
	if (total <= 0) throw new FieldFault(ROWS, `must add up to more than 0 (got ${total})`);
}

export const charge = resource('charge', {
	description: 'Charges of a customer',
	operations: [
		create({
			action: 'Create a charge',
			description: "Charge a customer for services and return the API's response",
			builderHint: 'Needs a customer and services. Ask the user for the amounts and their unit.',
			notice: 'This charges the customer',
			route: 'POST /customers/{customerId}/charges.json',
			root: 'charge',
			sequential: true,
			check: checkAmounts,
			measure: {
				isInRequest: true,
				of: ({ body }) => recordsOf(recordOf(body?.charge).services).map(({ amount }) => amount),
			},
			fields: [
				customerId,
				...specified(services, '[{"name": "Setup", "amount": 49.9}]'),
				options([
					allowFreeLines,
					toggle({
						name: 'capture',
						default: true,
						send: { empty: 'refused' },
						description: 'Whether to capture the payment. Without it, the API decides.',
					}),
				]),
			],
		}),
	],
});
