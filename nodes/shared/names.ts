// One name for one thing: the names that simplified output has, whatever the API calls them in one response or
// another. They are in snake case, as nearly all names that the API takes, and flat.
import type { IDataObject } from 'n8n-workflow';

import { define } from './dotted';
import { isRecord } from './operation';

/** Where a raw row has something, dotted below a field, and its name in simplified output. */
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

/** The names that the responses to some writes have for the ID of the record itself, which is `id` elsewhere. */
export const ownIds = ['document_id', 'newsletter_id'] as const;

const nameAt = new Map(Object.entries(names));

/** The fields that the table takes apart. */
const opened = new Set(
	[...nameAt.keys()].flatMap((path) => {
		const keys = path.split('.').slice(0, -1);
		return keys.map((_key, depth) => keys.slice(0, depth + 1).join('.'));
	}),
);

/** Sets a field; `__proto__` would be assigned as the prototype. */
function set(row: IDataObject, name: string, value: unknown): void {
	if (name === '__proto__') define(row, name, value);
	else row[name] = value as IDataObject[string];
}

/** A row under way: the raw one, and what it becomes. */
interface Renaming {
	raw: IDataObject;
	row: IDataObject;
}

function isTaken(name: string, value: unknown, { raw, row }: Renaming): boolean {
	if (Object.hasOwn(row, name)) return row[name] !== value;
	const isOpened = opened.has(name) && isRecord(raw[name]);
	return Object.hasOwn(raw, name) && !isOpened && raw[name] !== value;
}

/**
 * Gives the fields of a record the names of simplified output, and lifts what the table takes apart. Where
 * another value has the name, a field keeps the names of its place.
 */
function rename(record: IDataObject, place: string, prefix: string, renaming: Renaming) {
	const { row } = renaming;
	for (const key of Object.keys(record)) {
		const value = record[key];
		const path = place + key;
		const own = prefix + key;
		const isOpened = opened.has(path);
		if (isOpened && isRecord(value)) {
			rename(value, `${path}.`, `${own}_`, renaming);
			continue;
		}
		const name = nameAt.get(path) ?? own;
		const isFree = name === own || !isTaken(name, value, renaming);
		const isList = isOpened && Array.isArray(value);
		set(
			row,
			isFree ? name : own,
			isList ? value.map((each) => withNames(each, `${path}.`)) : value,
		);
	}
	return row;
}

/** A row with the names of simplified output; what is no record is as it came. */
export const withNames = <T>(raw: T, place = '') =>
	isRecord(raw) ? rename(raw, place, '', { raw, row: {} }) : raw;
