// Custom properties of a customer (reference: core, Resources, Customer).
import type { IDataObject } from 'n8n-workflow';

import { getMany, locator, update } from '../api';
import { readingFirst, type Part } from '../api/merges';
import { TURNS } from '../api/updates';
import { isRecord, recordOf } from '../engine/base/data';
import { rows, text, toggle } from '../engine/form/fields';
import { resource, type Simplify } from '../engine/form/operation';
import { specified } from '../engine/form/specify';
import { customerId } from './fields';

/** Rows `{name, value}` -> one item `{id, properties}`. */
const simplifyList: Simplify = (rows, request) => {
	const named = rows.map((row) => {
		const { name, value, ...more } = recordOf(row);
		return typeof name === 'string' && Object.keys(more).length === 0 ? [name, value] : [];
	});
	if (named.some(([name]) => name === undefined)) return rows;
	return [{ id: request.ids.customerId, properties: Object.fromEntries(named) }];
};

/** `{customer: {id}, CustomerProperties}` -> `{id, properties}`. */
const simplifyUpdate: Simplify = (rows, request) =>
	rows.map((row) => {
		const { CustomerProperties: properties, customer, ...more } = recordOf(row);
		if (!isRecord(properties)) return row;
		return { id: request.ids.customerId, ...more, ...recordOf(customer), properties };
	});

const properties = rows({
	name: 'properties',
	required: true,
	send: { as: 'CustomerProperties', type: 'map' },
	row: { displayName: 'Property', name: 'property' },
	values: [
		locator(
			'customerProperties',
			{
				name: 'name',
				required: true,
				description: 'An existing property, or a new name',
			},
			'name',
		),
		text({ name: 'value' }),
	],
});

const listRoute = 'GET /customers/{customerId}/properties.json';

/**
 * Properties by name: the documented map, also under the name that the update has, or rows as other lists have them.
 * Undefined if they come in another form, or if there are more of them.
 */
function namedIn({ elements, CustomerProperties, count }: IDataObject): IDataObject | undefined {
	const given = elements ?? CustomerProperties ?? (count === 0 ? {} : undefined);
	const rows = Array.isArray(given) ? given.map(recordOf) : [];
	if (!isRecord(given) && !Array.isArray(given)) return undefined;
	if (rows.some(({ name }) => typeof name !== 'string')) return undefined;
	const named = isRecord(given)
		? given
		: Object.fromEntries(rows.map(({ name, value }) => [String(name), value]));
	return Object.keys(named).length < Number(count ?? 0) ? undefined : named;
}

const keepOthers = toggle({
	displayName: 'Keep Other Properties',
	name: 'keepOthers',
	default: true,
	send: { setting: true },
	description: `Whether to read the properties first, then send them all. ${TURNS}`,
});

/** The properties that the form doesn't have, unless the user sends those of the form alone. */
const others: Part = ({ changes: { CustomerProperties: given }, settings }) => {
	if (settings[keepOthers.name] === false) return undefined;
	return {
		key: 'CustomerProperties',
		label: keepOthers.displayName,
		otherwise: `turn off ${keepOthers.displayName}`,
		with: (record) => {
			const named = namedIn(record);
			return named && { ...named, ...recordOf(given) };
		},
	};
};

export const property = resource('property', {
	description: 'Custom properties of a customer',
	operations: [
		getMany({
			action: 'Get many properties of a customer',
			description: 'Return the custom properties of a customer',
			route: listRoute,
			simplify: simplifyList,
			fields: [customerId],
		}),
		update({
			action: 'Update properties of a customer',
			description: 'Set custom properties of a customer and return them',
			route: 'PUT /customers/{customerId}/properties.json',
			...readingFirst('', listRoute, 'customerId', others),
			simplify: simplifyUpdate,
			fields: [customerId, ...specified(properties, '{"plan": "gold"}'), keepOthers],
		}),
	],
});
