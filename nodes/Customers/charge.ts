// Charges of a customer (reference: core, Endpoints, Customers).
import { recordOf, recordsOf, type Resource } from '../shared/operation';
import { customerId } from './fields';

export const charge: Resource = {
	name: 'Charge',
	value: 'charge',
	operations: [
		{
			name: 'Create',
			value: 'create',
			action: 'Create a charge',
			description: "Charge a customer for services and return the API's response",
			notice:
				"A charge moves money. If it may have gone through, it's never retried, and the error tells you.",
			route: 'POST /customers/{customerId}/charges.json',
			root: 'charge',
			sequential: true,
			measure: {
				what: 'amount',
				of: ({ body }) => recordsOf(recordOf(body?.charge).services).map(({ amount }) => amount),
			},
			fields: [
				customerId,
				{
					displayName: 'Services',
					name: 'services',
					type: 'fixedCollection',
					typeOptions: { multipleValues: true },
					placeholder: 'Add service',
					default: {},
					required: true,
					send: { minItems: 1 },
					description: 'Services to charge for',
					options: [
						{
							displayName: 'Service',
							name: 'service',
							values: [
								{
									displayName: 'Amount',
									name: 'amount',
									type: 'number',
									required: true,
									default: 0,
									description:
										"Price of the service. The API reference doesn't say in which currency, or whether in units or cents: check a first charge.",
								},
								{
									displayName: 'Name',
									name: 'name',
									type: 'string',
									required: true,
									default: '',
									description: 'Name of the service',
								},
								{
									displayName: 'Tax Profile',
									name: 'taxProfile',
									type: 'string',
									default: '',
									description: 'Tax profile of the service',
								},
							],
						},
					],
				},
				{
					displayName: 'Capture',
					name: 'capture',
					type: 'boolean',
					default: true,
					description: 'Whether to capture the payment',
				},
			],
		},
	],
};
