// Filters for customers. The API can't filter its list (core, Customers), so the node does.
import type { IDataObject } from 'n8n-workflow';

import { FieldFault } from '../engine/base/apiRequest';
import { recordOf } from '../engine/base/data';
import type { Wanted } from '../engine/client/steps';
import { filters, text, type Field } from '../engine/form/fields';
import type { Reading } from '../engine/form/operation';

const lower = (value: unknown): string =>
	typeof value === 'string' || typeof value === 'number' ? String(value).toLowerCase() : '';

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

/** A customer matches if one of these lower-case texts contains the wanted text, or equals it. */
interface Rule {
	textsOf: (customer: IDataObject) => string[];
	isExact?: true;
}

const email: Rule = { textsOf: ({ email }) => [lower(email)], isExact: true };

const rules: Record<string, Rule> = {
	company: { textsOf: ({ company_name }) => [lower(company_name)] },
	email,
	tag: { textsOf: ({ tags }) => (Array.isArray(tags) ? tags.map(lower) : []), isExact: true },
	text: { textsOf: (customer) => [textOf(customer)] },
};

const filter = (displayName: string, name: string, description?: string): Field =>
	text({
		displayName,
		name,
		send: false,
		description,
	});

const all = [
	filter('Company Name Contains', 'company'),
	filter('Email', 'email'),
	filter('Tag', 'tag'),
	filter('Text', 'text', 'In any field'),
];

export const customerFilters: Field = {
	...filters(all),
	send: false,
	description:
		'The node reads the list, and keeps what matches all filters. Case makes no difference.',
};

/** Combines filters with AND. An exact one lets `find` use an index. */
function wantedBy(set: Array<{ name: string; wanted: string; rule: Rule }>): Wanted {
	const exact = set.find(({ rule }) => rule.isExact);
	return {
		matches: (customer) =>
			set.every(({ wanted, rule: { textsOf, isExact } }) =>
				textsOf(customer).some((each) => (isExact ? each === wanted : each.includes(wanted))),
			),
		exact: exact && { name: exact.name, text: exact.wanted, textsOf: exact.rule.textsOf },
	};
}

export const withEmail = (address: string): Wanted =>
	wantedBy([{ name: 'email', wanted: lower(address).trim(), rule: email }]);

/**
 * Combines the filters that the user added. Undefined if there are none.
 * @throws FieldFault for an empty filter, which would match all customers
 */
export function matchingCustomers(value: (name: string) => unknown): Reading | undefined {
	const given = recordOf(value('filters'));
	const added = all.filter(({ name }) => Object.hasOwn(given, name));
	if (added.length === 0) return undefined;
	const set = added.map(({ name, displayName }) => {
		const wanted = lower(given[name]).trim();
		if (wanted === '') throw new FieldFault(displayName, 'must not be empty');
		return { name, wanted, rule: rules[name] };
	});
	const isByTag = set.some(({ name }) => name === 'tag');
	const needs = isByTag ? { field: 'tags', label: 'the filter Tag' } : undefined;
	return { wanted: wantedBy(set), noun: 'customers', needs };
}
