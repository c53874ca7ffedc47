// What Simplify makes of rows: the rules that several areas share. A row of another shape than the
// reference shows passes untouched.
import type { IDataObject } from 'n8n-workflow';

import { withNames, type ownIds } from './names';
import { isRecord, type Simplify } from './operation';
import { toggle } from './fields';

export const simplifyField = toggle({
	name: 'simplify',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
});

/** Applies a rule to each row that is an object. */
function eachRecord(rule: (row: IDataObject) => IDataObject): Simplify {
	return (rows) => rows.map((row) => (isRecord(row) ? rule(row) : row));
}

/** The names of simplified output. */
export const named: Simplify = (rows) => rows.map((row) => withNames(row));

/** What is wanted of a customer, in this order; the raw row has more. */
const ofCustomer = [
	...['id', 'external_id', 'company_name', 'first_name', 'last_name', 'email'],
	...['address', 'city', 'country', 'tags', 'partner'],
	// What the node says of a write.
	...['action', 'warning'],
];

/** The fields of a customer that most workflows use. A row without an ID is no customer, and stays as it is. */
export const customerRows: Simplify = eachRecord((row) => {
	if (!Object.hasOwn(row, 'id')) return row;
	const all = withNames(row);
	const wanted = ofCustomer.filter((name) => Object.hasOwn(all, name));
	return Object.fromEntries(wanted.map((name) => [name, all[name]]));
});

/** Names the ID of the record itself as all others do. */
export const ownId = (name: (typeof ownIds)[number]): Simplify =>
	eachRecord(({ [name]: id, ...row }) => (id === undefined ? row : { id, ...row }));

/** Lifts what is below a field to the row itself; what the row has by the same name stays where it was. */
export function lifted(name: string): Simplify {
	return eachRecord(({ [name]: inner, ...row }) => {
		if (inner === undefined) return row;
		if (!isRecord(inner)) return { ...row, [name]: inner };
		const taken = Object.entries(inner).filter(([key]) => key in row || key === name);
		const free = Object.entries(inner).filter(([key]) => !(key in row) && key !== name);
		const rest = taken.length > 0 ? { [name]: Object.fromEntries(taken) } : {};
		return { ...row, ...Object.fromEntries(free), ...rest };
	});
}

/** Latest time that a Date can hold, in seconds. */
const MAX_SECONDS = 8_640_000_000_000;

/** Makes times in Unix seconds ISO 8601 in UTC, in a row and in the records inside it. */
export function isoTimes(...names: string[]): Simplify {
	const converted = (row: IDataObject): IDataObject =>
		Object.fromEntries(
			Object.entries(row).map(([name, value]) => {
				if (isRecord(value)) return [name, converted(value)];
				const isTime = typeof value === 'number' && Math.abs(value) <= MAX_SECONDS;
				return [
					name,
					isTime && names.includes(name) ? new Date(value * 1000).toISOString() : value,
				];
			}),
		);
	return eachRecord(converted);
}
