// Field names of simplified output. The API has several names for the same field. Simplified output has
// one, flat and in snake case, like nearly all names that the API takes.
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

/** The ID of a user in another system, which is in the path in place of the user's own. */
const ALIAS = 'externalUserId';

/** The new name of a field, and whether the table flattens it. */
interface Rule {
	name?: string;
	isOpened?: boolean;
}

/** By dotted path. Most fields have none, so that one look is enough. */
const rules = new Map<string, Rule>();

for (const [path, name] of Object.entries(names)) {
	rules.set(path, { ...rules.get(path), name });
	const keys = path.split('.');
	for (const depth of keys.keys()) {
		const parent = keys.slice(0, depth).join('.');
		if (depth > 0) rules.set(parent, { ...rules.get(parent), isOpened: true });
	}
}

/** Sets a field. Assigning `__proto__` would set the prototype. */
function set(row: IDataObject, name: string, value: unknown): void {
	if (name === '__proto__') define(row, name, value);
	else row[name] = value as IDataObject[string];
}

/**
 * Returns a row with the names of simplified output, and flattens the objects in the table. If another
 * value has the new name already, a field keeps its own name, prefixed with its parents. Values that aren't
 * objects are returned unchanged.
 */
export function withNames<T>(raw: T, place = '') {
	if (!isRecord(raw)) return raw;
	const row: IDataObject = {};
	const isTaken = (name: string, value: unknown) => {
		if (Object.hasOwn(row, name)) return row[name] !== value;
		const isOpened = rules.get(name)?.isOpened && isRecord(raw[name]);
		return Object.hasOwn(raw, name) && !isOpened && raw[name] !== value;
	};
	const add = (record: IDataObject, parent: string, prefix: string) => {
		for (const key of Object.keys(record)) {
			const value = record[key];
			const path = parent + key;
			const own = prefix + key;
			const rule = rules.get(path);
			if (!rule) {
				set(row, own, value);
				continue;
			}
			const { name = own, isOpened = false } = rule;
			if (isOpened && isRecord(value)) {
				add(value, `${path}.`, `${own}_`);
				continue;
			}
			const isFree = name === own || !isTaken(name, value);
			const isList = isOpened && Array.isArray(value);
			const renamed = isList ? value.map((each) => withNames(each, `${path}.`)) : value;
			set(row, isFree ? name : own, renamed);
		}
	};
	add(raw, place, '');
	return row;
}

/** IDs of a row that was read from the API, which a spreadsheet may have beside the fields of its record. */
export const recordIds = ['customerId', 'partnerId'];

export const nameRules: NameRules = {
	simplified: withNames,
	ofId: (parameter) =>
		parameter === ALIAS
			? 'external_id'
			: parameter.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
	isAlias: (name) => name === 'external_id',
};
