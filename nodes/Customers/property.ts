// Custom properties of a customer (reference: core, Resources, Customer).
import type { IDataObject } from 'n8n-workflow';

import { getMany, locator, update } from '../api';
import { readingFirst, type Part } from '../api/merges';
import { TURNS, updateOptions } from '../api/updates';
import { isRecord, recordOf } from '../engine/base/data';
import { rows, text, toggle } from '../engine/form/fields';
import { resource, type Simplify } from '../engine/form/operation';
import { specified } from '../engine/form/specify';
import { customerId } from './fields';

/** Rows `{name, value}` -> one item `{id, properties}`. If any row has another shape, all stay as they are. */
const simplifyList: Simplify = (all, request) => {
	const named: Array<[string, unknown]> = [];
	for (const row of all) {
		const { name, value, ...more } = recordOf(row);
		if (typeof name !== 'string' || Object.keys(more).length > 0) return all;
		named.push([name, value]);
	}
	return [{ id: request.ids.customerId, properties: Object.fromEntries(named) }];
};

/** `{customer: {id}, CustomerProperties}` -> `{id, properties}`. */
const simplifyUpdate: Simplify = (all, request) =>
	all.map((row) => {
		const { CustomerProperties: map, customer, ...more } = recordOf(row);
		if (!isRecord(map)) return row;
		return { id: request.ids.customerId, ...more, ...recordOf(customer), properties: map };
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
		text({ name: 'value', send: { empty: 'clears' } }),
	],
});

const listRoute = 'GET /customers/{customerId}/properties.json';

/**
 * Properties by name, from a response to `listRoute`: a map as documented, or under the key that the update has; or rows
 * `{name, value}`, as in other lists. Undefined if they come in another form, or if the response says that there are more.
 */
function namedIn({ elements, CustomerProperties, count }: IDataObject): IDataObject | undefined {
	let named: unknown = elements ?? CustomerProperties ?? (count === 0 ? {} : undefined);
	if (Array.isArray(named)) {
		const records = named.map(recordOf);
		if (records.some(({ name }) => typeof name !== 'string')) return undefined;
		named = Object.fromEntries(records.map(({ name, value }) => [String(name), value]));
	}
	if (!isRecord(named)) return undefined;
	const lacksSome = Object.keys(named).length < Number(count ?? 0);
	return lacksSome ? undefined : named;
}

const keepOthers = toggle({
	displayName: 'Keep Other Properties',
	name: 'keepOthers',
	default: true,
	send: { setting: true },
	description: `Whether to read the properties first, then send them all. ${TURNS}`,
});

/** Also sends the properties that the form doesn't have, unless Keep Other Properties is off. */
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
		shown: namedIn,
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
			...readingFirst({ root: '', read: listRoute, id: 'customerId' }, others),
			simplify: simplifyUpdate,
			fields: [customerId, ...specified(properties, '{"plan": "gold"}'), keepOthers, updateOptions],
		}),
	],
});
