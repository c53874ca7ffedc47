// One name for one thing: the names that simplified output has, whatever the API calls them in one response or
// another. They are in snake case, as nearly all names that the API takes, and flat.
import type { IDataObject } from 'n8n-workflow';

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

/** What becomes of a field of a raw row: another name, and what becomes of the fields below it. */
interface Place {
	name?: string;
	below?: Places;
}

type Places = Map<string, Place>;

/** The table of names by field: a list of 100,000 rows asks for each of theirs. */
const places: Places = new Map();
for (const [path, name] of Object.entries(names)) {
	let place: Place = { below: places };
	for (const key of path.split('.')) {
		const below: Places = (place.below ??= new Map());
		place = below.get(key) ?? {};
		below.set(key, place);
	}
	place.name = name;
}

/** Sets a field; `__proto__` would be assigned as the prototype. */
function set(row: IDataObject, name: string, value: unknown): void {
	if (name !== '__proto__') row[name] = value as IDataObject[string];
	else Object.defineProperty(row, name, { value, enumerable: true, configurable: true });
}

/** A row under way: the raw one, and what it becomes. */
interface Renaming {
	raw: IDataObject;
	row: IDataObject;
}

/** Whether another value has a name. */
function isTaken(name: string, value: unknown, { raw, row }: Renaming): boolean {
	if (Object.hasOwn(row, name)) return row[name] !== value;
	const isOpened = places.get(name)?.below !== undefined && isRecord(raw[name]);
	return Object.hasOwn(raw, name) && !isOpened && raw[name] !== value;
}

/**
 * Gives the fields of a record the names of simplified output, and lifts what the table takes apart. Where
 * another value has the name, a field keeps the names of its place.
 */
function rename(record: IDataObject, at: Places, prefix: string, renaming: Renaming): IDataObject {
	const { row } = renaming;
	for (const key of Object.keys(record)) {
		const value = record[key];
		const own = prefix + key;
		const { name = own, below } = at.get(key) ?? {};
		if (below && isRecord(value)) {
			rename(value, below, `${own}_`, renaming);
			continue;
		}
		const isFree = name === own || !isTaken(name, value, renaming);
		const isList = below !== undefined && Array.isArray(value);
		set(row, isFree ? name : own, isList ? value.map((each) => withNames(each, below)) : value);
	}
	return row;
}

/** A row with the names of simplified output; what is no record is as it came. */
export const withNames = <T>(raw: T, at = places) =>
	isRecord(raw) ? rename(raw, at, '', { raw, row: {} }) : raw;
