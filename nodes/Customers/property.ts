// Custom properties of a customer (reference: core, Resources, Customer).
import { nameLocator } from '../shared/pickers';
import {
	isRecord,
	recordOf,
	type FixedCollection,
	type Resource,
	type Simplify,
} from '../shared/operation';
import { specified } from '../shared/manyRows';
import { customerId } from './fields';

/** Rows `{name, value}` -> one item `{id, properties}`. */
const ofOne: Simplify = (rows, request) => {
	const named = rows.map((row) => {
		const { name, value, ...more } = recordOf(row);
		return typeof name === 'string' && Object.keys(more).length === 0 ? [name, value] : [];
	});
	if (named.some(([name]) => name === undefined)) return rows;
	return [{ id: request.ids.customerId, properties: Object.fromEntries(named) }];
};

/** `{customer: {id}, CustomerProperties}` -> `{id, properties}`. */
const ofWritten: Simplify = (rows, request) =>
	rows.map((row) => {
		const { CustomerProperties: properties, customer, ...more } = recordOf(row);
		if (!isRecord(properties)) return row;
		return { id: request.ids.customerId, ...more, ...recordOf(customer), properties };
	});

const properties: FixedCollection = {
	displayName: 'Properties',
	name: 'properties',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add property',
	default: {},
	required: true,
	send: { as: 'CustomerProperties', type: 'map' },
	description: 'Properties to set',
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
};

export const property: Resource = {
	name: 'Property',
	value: 'property',
	description: 'Custom properties of a customer',
	operations: [
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many properties of a customer',
			description: 'Return the custom properties of a customer',
			route: 'GET /customers/{customerId}/properties.json',
			simplify: ofOne,
			fields: [customerId],
		},
		{
			name: 'Update',
			value: 'update',
			action: 'Update properties of a customer',
			description: 'Set custom properties of a customer and return them',
			route: 'PUT /customers/{customerId}/properties.json',
			simplify: ofWritten,
			fields: [customerId, ...specified(properties, '{"plan": "gold"}')],
		},
	],
};
