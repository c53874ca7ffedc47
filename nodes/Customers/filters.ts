// Filters for customers. The API can't filter its list (core, Customers), so the node does.
import type { IDataObject } from 'n8n-workflow';

import { filteredBy, lower } from '../engine/form/rowFilters';

/** All texts in a value, in lower case, without field names. A null character keeps a search from matching across two. */
function textsIn(value: unknown): string {
	if (typeof value !== 'object' || value === null) return lower(value);
	return Object.values(value).map(textsIn).join('\0');
}

/** Results of `textsIn` for customers. Many items may search the same customers. */
const cached = new WeakMap<IDataObject, string>();

function textOf(customer: IDataObject): string {
	const texts = cached.get(customer) ?? textsIn(customer);
	cached.set(customer, texts);
	return texts;
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
