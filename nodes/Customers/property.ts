// Custom properties of a customer (reference: core, Resources, Customer).
import { nameLocator } from '../shared/pickers';
import type { Resource } from '../shared/operation';
import { customerId } from './fields';

export const property: Resource = {
	name: 'Property',
	value: 'property',
	operations: [
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many properties of a customer',
			description: 'Return the custom properties of a customer, one item each with name and value',
			route: 'GET /customers/{customerId}/properties.json',
			fields: [customerId],
		},
		{
			name: 'Update',
			value: 'update',
			action: 'Update properties of a customer',
			description: 'Set custom properties of a customer and return them',
			route: 'PUT /customers/{customerId}/properties.json',
			fields: [
				customerId,
				{
					displayName: 'Properties',
					name: 'properties',
					type: 'fixedCollection',
					typeOptions: { multipleValues: true },
					placeholder: 'Add property',
					default: {},
					required: true,
					send: { as: 'CustomerProperties', type: 'map' },
					options: [
						{
							displayName: 'Property',
							name: 'property',
							values: [
								nameLocator('customerProperties', {
									displayName: 'Name',
									name: 'name',
									required: true,
									description: 'Choose an existing property, or enter a new name',
								}),
								{ displayName: 'Value', name: 'value', type: 'string', default: '' },
							],
						},
					],
				},
			],
		},
	],
};
