// Simplify rules that several areas share. A row of an undocumented shape is returned unchanged.
import type { IDataObject } from 'n8n-workflow';

import { withNames, type ownIds } from '../../api/names';
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

/** Gives rows the names of simplified output. */
export const named: Simplify = (rows) => rows.map((row) => withNames(row));

/** Fields of a simplified customer, in this order. */
const ofCustomer = [
	...['id', 'external_id', 'company_name', 'first_name', 'last_name', 'email'],
	...['address', 'city', 'country', 'tags', 'partner'],
	// Added by the node after a write.
	...['action', 'warning'],
];

/** Keeps the most used fields of a customer. A row without an ID isn't a customer and stays unchanged. */
export const customerRows: Simplify = eachRecord((row) => {
	if (!Object.hasOwn(row, 'id')) return row;
	const all = withNames(row);
	const wanted = ofCustomer.filter((name) => Object.hasOwn(all, name));
	return Object.fromEntries(wanted.map((name) => [name, all[name]]));
});

/** Renames a record's own ID to `id`. */
export const ownId = (name: (typeof ownIds)[number]): Simplify =>
	eachRecord(({ [name]: id, ...row }) => (id === undefined ? row : { id, ...row }));

/** Moves the fields of an inner object to the row. A field whose name is taken stays where it is. */
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

/** Max time of a Date, in seconds. */
const MAX_SECONDS = 8_640_000_000_000;

/** Converts Unix times in seconds to ISO 8601 in UTC, also in nested records. */
export function isoTimes(...names: string[]): Simplify {
	const converted = (row: IDataObject): IDataObject =>
		Object.fromEntries(
			Object.entries(row).map(([name, value]) => {
				if (isRecord(value)) return [name, converted(value)];
				const isTime = typeof value === 'number' && Math.abs(value) <= MAX_SECONDS;
				if (!isTime || !names.includes(name)) return [name, value];
				return [name, new Date(value * 1000).toISOString()];
			}),
		);
	return eachRecord(converted);
}
