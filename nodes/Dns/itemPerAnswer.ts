// A lookup as one item for each answer of a resolver.
import type { IDataObject } from 'n8n-workflow';

import { isRecord, recordOf, type Simplify } from '../shared/operation';

const areRecords = (value: unknown): value is IDataObject[] =>
	Array.isArray(value) && value.every(isRecord);

/** What one resolver said of one record type; a query without answers is an item too. */
function itemsOf(
	query: IDataObject,
	target: IDataObject['target'],
	propagation: IDataObject,
): IDataObject[] {
	const { answers, error, answer_signature: signature, ...asked } = query;
	if (!areRecords(answers)) return [{ target, ...query }];
	const { is_consistent: isConsistent } = propagation;
	const item = {
		target,
		...asked,
		...(isConsistent === undefined ? {} : { is_consistent: isConsistent }),
		...(signature === undefined ? {} : { answer_signature: signature }),
		// Not `error`: n8n takes an item with such a field for a failed one.
		...(error === undefined ? {} : { query_error: error }),
	};
	if (answers.length === 0) return [item];
	return answers.map((answer) =>
		// Should both have a field of the same name, none is lost.
		Object.keys(answer).some((name) => name in item) ? { ...item, answer } : { ...answer, ...item },
	);
}

/**
 * `{target, propagation, queries: {A: [{resolver, answers: [...]}]}}` -> an item for each answer, with
 * the resolver that gave it and whether all resolvers agree on the record type.
 */
export const itemPerAnswer: Simplify = (rows) =>
	rows.flatMap((row) => {
		if (!isRecord(row) || !isRecord(row.queries)) return [row];
		const propagation = recordOf(row.propagation);
		const items = Object.entries(row.queries).flatMap(([type, queries]) =>
			areRecords(queries)
				? queries.map((query) => itemsOf(query, row.target, recordOf(propagation[type])))
				: [undefined],
		);
		// A part that isn't as documented: all of it is passed on.
		const isKnown = items.length > 0 && items.every((each) => each !== undefined);
		return isKnown ? items.flatMap((each) => each ?? []) : [row];
	});
