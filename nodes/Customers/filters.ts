// Filters for customers. The API can't filter its list (core, Customers), so the node does.
import type { IDataObject } from 'n8n-workflow';

import { filteredBy, lower } from '../engine/form/rowFilters';

/** All texts in a value at any depth, in lower case, without field names. */
function textsIn(value: unknown): string {
	if (typeof value !== 'object' || value === null) return lower(value);
	return Object.values(value).map(textsIn).join('\0');
}

/** Cached texts, because many items may search the same customers. */
const texts = new WeakMap<IDataObject, string>();

function textOf(customer: IDataObject): string {
	const known = texts.get(customer) ?? textsIn(customer);
	texts.set(customer, known);
	return known;
}

export const customerFilters = filteredBy('customers', {
	company: { displayName: 'Company Name Contains', at: 'company_name', contains: true },
	country: { at: 'address.country' },
	email: { identifies: true },
	tag: { at: 'tags' },
	text: {
		at: '',
		contains: true,
		textsOf: (customer) => [textOf(customer)],
		description: 'In any field',
	},
});
