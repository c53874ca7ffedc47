// Charges of a customer (reference: core, Endpoints, Customers).
import { rows, additionalFields, text, number, toggle } from '../shared/fields';
import { specified } from '../shared/specify';
import { create, recordOf, recordsOf, resource } from '../shared/operation';
import { customerId } from './fields';

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
			send: { above: 0 },
			description:
				'Price of the service, greater than 0. Check the unit and the currency of a first charge.',
		}),
		text({
			name: 'taxProfile',
			placeholder: 'e.g. standard',
			description: 'Tax profile of the service',
		}),
	],
});

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
			measure: {
				what: 'amount',
				of: ({ body }) => recordsOf(recordOf(body?.charge).services).map(({ amount }) => amount),
			},
			fields: [
				customerId,
				...specified(services, '[{"name": "Setup", "amount": 49.9}]'),
				additionalFields([
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
