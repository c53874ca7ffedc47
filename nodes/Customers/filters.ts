// Customers by what the API cannot search for: its list takes a page and a size only (core, Customers).
import type { IDataObject } from 'n8n-workflow';

import { FieldFault, recordOf, type Field, type Reading } from '../shared/operation';

type Matches = (customer: IDataObject, wanted: string) => boolean;

const lower = (value: unknown): string =>
	typeof value === 'string' || typeof value === 'number' ? String(value).toLowerCase() : '';

/** Whether a text stands in a value, at any depth; the names of fields do not count. */
function holds(value: unknown, wanted: string): boolean {
	if (typeof value !== 'object' || value === null) return lower(value).includes(wanted);
	return Object.values(value).some((each) => holds(each, wanted));
}

/** What each filter compares, in lower case. */
const rules: Record<string, Matches> = {
	email: ({ email }, wanted) => lower(email) === wanted,
	company: ({ company_name }, wanted) => lower(company_name).includes(wanted),
	tag: ({ tags }, wanted) => Array.isArray(tags) && tags.some((tag) => lower(tag) === wanted),
	text: holds,
};

const filter = (displayName: string, name: string, description: string): Field => ({
	displayName,
	name,
	type: 'string',
	default: '',
	send: false,
	description: `${description}. Upper and lower case are the same.`,
});

const all = [
	filter('Company Name Contains', 'company', 'Return only customers with this in the company name'),
	filter('Email', 'email', 'Return only the customer with this email address'),
	filter('Tag', 'tag', 'Return only customers with this tag'),
	filter('Text', 'text', 'Return only customers with this text in any field'),
];

export const filters: Field = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add filter',
	default: {},
	send: false,
	description:
		"The API can't search customers, so the node reads the list and keeps what matches all filters",
	options: all,
};

/**
 * The filters that were added, as one rule; none if no filter was.
 * @throws FieldFault for one without a text: it would match all customers
 */
export function matchingCustomers(value: (name: string) => unknown): Reading | undefined {
	const given = recordOf(value('filters'));
	const added = all.filter(({ name }) => Object.hasOwn(given, name));
	if (added.length === 0) return undefined;
	const set = added.map(({ name, displayName }) => {
		const wanted = lower(given[name]).trim();
		if (wanted === '') throw new FieldFault(displayName, 'must not be empty');
		return (customer: IDataObject) => rules[name](customer, wanted);
	});
	return { wanted: (customer) => set.every((matches) => matches(customer)), noun: 'customers' };
}
