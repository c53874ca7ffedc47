// Simplifies a lookup: one item for each DNS answer.
import type { IDataObject } from 'n8n-workflow';

import { isRecord, recordOf, recordsOf } from '../engine/base/data';
import type { Simplify } from '../engine/form/operation';

const areRecords = (value: unknown): value is IDataObject[] =>
	Array.isArray(value) && value.every(isRecord);

/**
 * Items for one query (one resolver, one record type). A query without answers becomes one item, also one that isn't as
 * documented.
 * @param propagation agreement of the resolvers on the record type
 */
function itemsOf(
	query: IDataObject,
	target: IDataObject['target'],
	propagation: IDataObject,
): IDataObject[] {
	const { answers, error, answer_signature: signature, ...asked } = query;
	const { is_consistent: isConsistent } = propagation;
	const item = {
		target,
		...asked,
		...(isConsistent === undefined ? {} : { is_consistent: isConsistent }),
		...(signature === undefined ? {} : { answer_signature: signature }),
		// Not `error`: n8n treats an item with that field as failed.
		...(error === undefined ? {} : { query_error: error }),
	};
	if (!areRecords(answers)) return [{ ...item, ...(answers === undefined ? {} : { answers }) }];
	if (answers.length === 0) return [item];
	return answers.map((answer) =>
		// If both have a field of the same name, the answer is nested to keep both.
		Object.keys(answer).some((name) => name in item) ? { ...item, answer } : { ...answer, ...item },
	);
}

/**
 * `{target, propagation, queries: {A: [{resolver, answers: [...]}]}}` -> one item for each answer, with
 * its resolver and with `is_consistent`: whether all resolvers agree on the record type.
 */
export const itemPerAnswer: Simplify = (rows) =>
	rows.flatMap((row) => {
		if (!isRecord(row) || !isRecord(row.queries)) return [row];
		const byType = Object.entries(row.queries);
		// If any part isn't as documented, the whole row is passed on.
		if (!byType.every(([, queries]) => areRecords(queries))) return [row];
		const propagation = recordOf(row.propagation);
		const items = byType.flatMap(([type, queries]) =>
			recordsOf(queries).flatMap((query) =>
				itemsOf(query, row.target, recordOf(propagation[type])),
			),
		);
		return items.length > 0 ? items : [row];
	});
