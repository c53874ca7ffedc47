// Customers by what the API cannot search for: its list takes a page and a size only (core, Customers).
import type { IDataObject } from 'n8n-workflow';

import { filters, type Field } from '../shared/fields';
import { FieldFault, recordOf, type Reading, type Wanted } from '../shared/operation';

const lower = (value: unknown): string =>
	typeof value === 'string' || typeof value === 'number' ? String(value).toLowerCase() : '';

/** The texts in a value, at any depth, in lower case; the names of fields do not count. */
function textsIn(value: unknown): string {
	if (typeof value !== 'object' || value === null) return lower(value);
	return Object.values(value).map(textsIn).join('\0');
}

/** Many items may look through the same customers. */
const texts = new WeakMap<IDataObject, string>();

function textOf(customer: IDataObject): string {
	const text = texts.get(customer) ?? textsIn(customer);
	texts.set(customer, text);
	return text;
}

/** The texts, in lower case, one of which must be what is looked for. */
const exactly: Record<string, (customer: IDataObject) => string[]> = {
	email: ({ email }) => [lower(email)],
	tag: ({ tags }) => (Array.isArray(tags) ? tags.map(lower) : []),
};

/** The text, in lower case, that must contain it. */
const containing: Record<string, (customer: IDataObject) => string> = {
	company: ({ company_name }) => lower(company_name),
	text: textOf,
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

export const customerFilters: Field = {
	...filters(all),
	send: false,
	description:
		"The API can't search customers, so the node reads the list and keeps what matches all filters",
};

/** The customers with an email. */
export function withEmail(email: string): Wanted {
	const text = lower(email).trim();
	const textsOf = exactly.email;
	return {
		matches: (customer) => textsOf(customer).includes(text),
		exact: { name: 'email', text, textsOf },
	};
}

/**
 * The filters that were added, as one rule; none if no filter was.
 * @throws FieldFault for one without a text: it would match all customers
 */
export function matchingCustomers(value: (name: string) => unknown): Reading | undefined {
	const given = recordOf(value('filters'));
	const added = all.filter(({ name }) => Object.hasOwn(given, name));
	if (added.length === 0) return undefined;
	const set = added.map(({ name, displayName }) => {
		const text = lower(given[name]).trim();
		if (text === '') throw new FieldFault(displayName, 'must not be empty');
		return { name, text };
	});
	const matches = (customer: IDataObject) =>
		set.every(({ name, text }) =>
			Object.hasOwn(exactly, name)
				? exactly[name](customer).includes(text)
				: containing[name](customer).includes(text),
		);
	const [exact] = set
		.filter(({ name }) => Object.hasOwn(exactly, name))
		.map((each) => ({ ...each, textsOf: exactly[each.name] }));
	return { wanted: { matches, exact }, noun: 'customers' };
}
