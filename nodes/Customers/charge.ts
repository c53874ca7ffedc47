// Charges of a customer (reference: core, Endpoints, Customers).
import type { Resource } from '../shared/operation';
import { customerId } from './fields';

export const charge: Resource = {
	name: 'Charge',
	value: 'charge',
	operations: [
		{
			name: 'Create',
			value: 'create',
			action: 'Create a charge',
			description: 'Charge a customer for services and return the charge as the API answers it',
			notice:
				'A charge moves money. It is never sent a second time when it may have been applied: the error says so then.',
			route: 'POST /customers/{customerId}/charges.json',
			root: 'charge',
			sequential: true,
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
					description: 'What the customer is charged for',
					options: [
						{
							displayName: 'Service',
							name: 'service',
							values: [
								{
									displayName: 'Amount',
									name: 'amount',
									type: 'number',
									typeOptions: { numberPrecision: 2 },
									required: true,
									default: 0,
									description: 'Price of the service',
								},
								{
									displayName: 'Name',
									name: 'name',
									type: 'string',
									required: true,
									default: '',
									description: 'What is charged, as the customer reads it',
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
					description: 'Whether to capture the payment at once',
				},
			],
		},
	],
};
