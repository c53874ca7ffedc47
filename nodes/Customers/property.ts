// Custom properties of a customer (reference: core, Resources, Customer).
import type { IDataObject } from 'n8n-workflow';

import { getMany, locator, update } from '../api';
import type { ApiRequest } from '../engine/base/apiRequest';
import { isRecord, recordOf } from '../engine/base/data';
import type { Steps } from '../engine/client/steps';
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
 * @throws if they can't be read: the others would be lost where the API replaces them as a whole
 */
function namedIn(response: unknown): IDataObject {
	const { elements, CustomerProperties, count } = recordOf(response);
	const given = elements ?? CustomerProperties ?? (count === 0 ? {} : undefined);
	if (isRecord(given)) return given;
	const rows = Array.isArray(given) ? given.map(recordOf) : undefined;
	if (rows?.every(({ name }) => typeof name === 'string')) {
		return Object.fromEntries(rows.map(({ name, value }) => [String(name), value]));
	}
	throw new Error(
		"The API returned the customer's properties in an unknown form, so nothing was sent. To send only those in the form, turn off Keep Other Properties.",
	);
}

/**
 * With `keepOthers`, reads the properties first and sends all of them. Items of one customer then run
 * one after the other, so that none overwrites another.
 */
async function write(request: ApiRequest, steps: Steps): Promise<unknown> {
	if (request.settings?.keepOthers === false) return await steps.send(request);
	return await steps.withLock(request.ids.customerId, async () => {
		const others = namedIn(await steps.send(steps.request(listRoute, request.ids)));
		const changes = recordOf(request.body?.CustomerProperties);
		const body = { CustomerProperties: { ...others, ...changes } };
		return await steps.send({ ...request, body });
	});
}

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
			run: write,
			also: [listRoute],
			simplify: simplifyUpdate,
			fields: [
				customerId,
				...specified(properties, '{"plan": "gold"}'),
				toggle({
					displayName: 'Keep Other Properties',
					name: 'keepOthers',
					default: true,
					send: { setting: true },
					description:
						'Whether to read the properties first and send them all, in case the API replaces them',
				}),
			],
		}),
	],
});
