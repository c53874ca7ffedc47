// Field names of simplified output. The API has several names for the same field. Simplified output has one, flat and in snake
// case, like nearly all names that the API takes.
import type { IDataObject } from 'n8n-workflow';

import { define, isRecord } from '../engine/base/data';
import type { NameRules } from '../engine/base/definition';

/** Name in simplified output by the dotted path in a raw row. */
export const names: Record<string, string> = {
	externalId: 'external_id',
	customerId: 'customer_id',
	next_renewal_date: 'next_renew',
	partner_code: 'code',
	vatNumber: 'vat_number',
	'vies_interrogation.valid': 'vat_valid',
	'address.country': 'country',
	'address.city': 'city',
	'address.address': 'address',
	'address.vat_number': 'vat_number',
	'price.amount': 'price',
	'price.vat.percentage': 'vat_percentage',
	'price.vat.name': 'vat_name',
	'response.input': 'input',
	'response.result.workflow_status': 'workflow_status',
	'response.stages': 'stages',
	'stages.node': 'node_name',
	recordTypes: 'record_types',
	defaultRecordTypes: 'default_record_types',
	'client.userAgent': 'user_agent',
	'client.ips.ipv4': 'ip',
	'endpoint.apiVersion': 'api_version',
	'endpoint.env': 'env',
	'endpoint.protocol': 'protocol',
};

/** Names for a record's own ID in the responses to some writes. Elsewhere it's `id`. */
export const ownIds = ['connection_id', 'document_id', 'newsletter_id', 'vector_store_id'] as const;

/** The ID of a user in another system. Paths have it in place of the user's own ID. */
const ALIAS = 'externalUserId';

/** Names of values in a path that responses have by another name. */
const pathNames: Record<string, string | undefined> = {
	[ALIAS]: 'external_id',
	fromCurrency: 'from',
	toCurrency: 'to',
};

/** A tree by field names, because to join a path for each field of each row takes longer than all else. */
type Rules = Map<string, Rule>;

interface Rule {
	name?: string;
	below?: Rules;
}

const rules: Rules = new Map();

const NO_RULE: Rule = {};

for (const [path, name] of Object.entries(names)) {
	let below = rules;
	const keys = path.split('.');
	for (const [index, key] of keys.entries()) {
		const rule: Rule = below.get(key) ?? {};
		below.set(key, rule);
		if (index === keys.length - 1) rule.name = name;
		else below = rule.below ??= new Map();
	}
}

/** Another value of the row has the name, or will have it. `raw` is the whole row, `row` what is renamed so far. */
function isTaken(row: IDataObject, raw: IDataObject, name: string, value: unknown): boolean {
	if (Object.hasOwn(row, name)) return row[name] !== value;
	// An object that is flattened leaves its name free: `address.address` can become `address`.
	const isFlattened = rules.get(name)?.below && isRecord(raw[name]);
	return Object.hasOwn(raw, name) && !isFlattened && raw[name] !== value;
}

/** A record in the raw row: the row itself, or an object in it that is flattened. */
interface Level {
	tree: Rules;
	/** This text comes before a key that keeps its name, such as `address_`. */
	prefix: string;
	/** Dotted path of the record in the raw row. */
	path?: string;
	/** Takes the dotted path of each field by its new name. */
	paths?: Map<string, string>;
}

function addFields(
	row: IDataObject,
	raw: IDataObject,
	record: IDataObject,
	{ tree, prefix, path = '', paths }: Level,
): void {
	for (const key of Object.keys(record)) {
		const value = record[key];
		const { name, below } = tree.get(key) ?? NO_RULE;
		if (below && isRecord(value)) {
			const inner = { tree: below, prefix: `${prefix}${key}_`, path: `${path}${key}.`, paths };
			addFields(row, raw, value, inner);
			continue;
		}
		// A list can't be flattened, so the objects in it get the names.
		const isList = below && Array.isArray(value);
		const renamed = isList ? value.map((each) => withNames(each, below)) : value;
		const isNamed = name !== undefined && !isTaken(row, raw, name, value);
		const newName = isNamed ? name : prefix + key;
		// Assigning `__proto__` would set the prototype.
		if (newName === '__proto__') define(row, newName, renamed);
		else row[newName] = renamed as IDataObject[string];
		paths?.set(newName, path + key);
	}
}

/**
 * Gives a row the names of simplified output, and flattens the objects in the table. If another value has the new name
 * already, a field keeps its own name, prefixed with its parents. Values that aren't objects are returned unchanged.
 */
export function withNames<T>(raw: T, tree = rules) {
	if (!isRecord(raw)) return raw;
	const row: IDataObject = {};
	addFields(row, raw, raw, { tree, prefix: '' });
	return row;
}

/** Lists have no names in camel case. */
const listNames = Object.entries(names).filter(([path]) => !/[A-Z]/.test(path));

/**
 * Gives the dotted path in a raw row of a list by a field's name in simplified output: without Simplify, Platform Polling
 * Trigger names changed fields as the raw row has them. A field may be gone from the row, so the path is, in this order:
 * - that of the field in this row, or by the table of names: `vat_valid` is `vies_interrogation.valid`,
 * - in an object that output flattens: `address_zip` is `address.zip`,
 * - the name itself.
 */
export function rawPathsOf(raw: IDataObject): (name: string) => string {
	const paths = new Map(listNames.map(([path, name]) => [name, path]));
	// Only the paths of this row are needed, which replace those of the table.
	addFields({}, raw, raw, { tree: rules, prefix: '', paths });
	const flattened = [...rules].filter(([, { below }]) => below).map(([key]) => key);
	return (name) => {
		const parent = flattened.find((key) => name.startsWith(`${key}_`));
		const inParent = parent && `${parent}.${name.slice(parent.length + 1)}`;
		return paths.get(name) ?? inParent ?? name;
	};
}

/** IDs of a row that was read from the API, which a spreadsheet may have beside the fields of its record. */
export const recordIds = ['customerId', 'partnerId'];

export const nameRules: NameRules = {
	simplified: withNames,
	ofId: (parameter) => pathNames[parameter] ?? parameter.replace(/[A-Z]/g, '_$&').toLowerCase(),
	isAlias: (name) => name === 'external_id',
};
