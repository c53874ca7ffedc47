// Rules of Simplify for records that several areas have.
import type { IDataObject } from 'n8n-workflow';

import type { Simplify } from '../engine/form/operation';
import { eachRecord } from '../engine/form/simplify';
import { withNames, type ownIds } from './names';

export const named: Simplify = (rows) => rows.map((row) => withNames(row));

const ofCustomer = [
	...['id', 'external_id', 'company_name', 'first_name', 'last_name', 'email'],
	...['address', 'city', 'country', 'tags', 'partner'],
	// The node adds these after a write.
	...['action', 'changes', 'warning'],
];

/** A row without an ID isn't a customer and stays unchanged. */
export const customerRows: Simplify = eachRecord((row) => {
	if (!Object.hasOwn(row, 'id')) return row;
	const all = withNames(row);
	const kept: IDataObject = {};
	for (const name of ofCustomer) {
		if (Object.hasOwn(all, name)) kept[name] = all[name];
	}
	return kept;
});

/** Renames a record's own ID to `id` and puts it first. An `id` that the row has already wins. */
export const ownId = (name: (typeof ownIds)[number]): Simplify =>
	eachRecord(({ [name]: id, ...row }) => (id === undefined ? row : { id, ...row }));
