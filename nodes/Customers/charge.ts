// Charges of a customer (reference: core, Endpoints, Customers).
import { create } from '../api';
import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { recordOf, recordsOf } from '../engine/base/data';
import { additionalFields, number, rows, text, toggle } from '../engine/form/fields';
import { resource } from '../engine/form/operation';
import { specified } from '../engine/form/specify';
import { customerId } from './fields';

const allowFreeLines = toggle({
	displayName: 'Allow Free and Credit Lines',
	name: 'allowFreeLines',
	send: { setting: true },
	description:
		'Whether services may have an amount of 0 or below, such as a discount. All together must still be more than 0.',
});

const services = rows({
	name: 'services',
	required: true,
	default: { service: [{ name: '', amount: '', taxProfile: '' }] },
	send: { minItems: 1 },
	description: 'Services to charge for',
	row: { displayName: 'Service', name: 'service' },
	values: [
		text({
			name: 'name',
			required: true,
			placeholder: 'e.g. Onboarding',
			description: 'Name of the service',
		}),
		number({
			name: 'amount',
			required: true,
			default: '',
			placeholder: 'e.g. 49.90',
			description: 'Price of the service. Check the unit and the currency of a first charge.',
		}),
		text({
			name: 'taxProfile',
			placeholder: 'e.g. standard',
			description: 'Tax profile of the service',
		}),
	],
});

/** The rows as the user entered them, for errors. */
const ROWS = services.displayName;

/**
 * The reference shows no minimum. An amount of 0 or below is nearly always a mistake, so the user must ask for it.
 * The whole charge still takes money from the customer, never gives it.
 */
function checkAmounts({ body, settings }: ApiRequest): void {
	const lines = recordsOf(recordOf(body?.charge).services);
	const amounts = lines.map(({ amount }) => Number(amount));
	const wrong = amounts.findIndex((amount) => amount <= 0);
	if (wrong >= 0 && settings?.allowFreeLines !== true) {
		const fault = `has a wrong row ${wrong + 1}: Amount must be greater than 0, unless ${allowFreeLines.displayName} is on (got ${amounts[wrong]})`;
		throw new FieldFault(ROWS, fault);
	}
	const total = Number(amounts.reduce((sum, amount) => sum + amount, 0).toFixed(8));
	if (total <= 0) throw new FieldFault(ROWS, `must add up to more than 0 (got ${total})`);
}

export const charge = resource('charge', {
	description: 'Charges of a customer',
	operations: [
		create({
			action: 'Create a charge',
			description: "Charge a customer for services and return the API's response",
			builderHint: 'Needs a customer and services. Ask the user for the amounts and their unit.',
			notice:
				'A charge moves money. Check the currency of a first one, and whether amounts are in units or in cents.',
			route: 'POST /customers/{customerId}/charges.json',
			root: 'charge',
			sequential: true,
			check: checkAmounts,
			measure: {
				of: ({ body }) => recordsOf(recordOf(body?.charge).services).map(({ amount }) => amount),
			},
			fields: [
				customerId,
				...specified(services, '[{"name": "Setup", "amount": 49.9}]'),
				additionalFields([
					allowFreeLines,
					toggle({
						name: 'capture',
						default: true,
						description: 'Whether to capture the payment. Without this field, the API decides.',
					}),
				]),
			],
		}),
	],
});
