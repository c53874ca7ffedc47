// Lists for a model, which reads every row that it gets: a part of the rows, a few of their fields, and how to go on.
import type { IDataObject } from 'n8n-workflow';

import { FieldFault } from '../engine/base/apiRequest';
import { isUnset, numberOf } from '../engine/base/data';
import type { Field } from '../engine/form/fields';
import { shapeOf, type Operation } from '../engine/form/operation';
import { OutputFields, takesSkip, TOOL_LIMIT } from '../engine/form/options';
import { hasLimit } from '../engine/node/description';
import { noteFor } from '../engine/run/listItems';
import { number, string, type ZodRawShape } from './zod';

type Values = Record<string, unknown>;

/** The API is asked for a number of rows, in a field of the operation: it has no more, so none can be skipped. */
const countsItself = ({ fields = [] }: { fields?: Field[] }): boolean =>
	fields.some((field) =>
		field.type === 'collection'
			? countsItself({ fields: field.options })
			: field.send !== false && field.send?.as === 'limit',
	);

/** A read of several rows, of which some can be skipped. */
const isListed = (operation: Operation): boolean =>
	hasLimit(operation) ||
	(operation.endpoint.onlyReads &&
		['list', 'strings'].includes(shapeOf(operation).kind) &&
		!countsItself(operation));

/** Arguments that a list has beside its fields: which part of the rows, and which of their fields. */
export function listArguments(operation: Operation): ZodRawShape {
	if (!isListed(operation)) return {};
	const skip = number().int().optional();
	// An operation without Limit has few rows.
	if (!hasLimit(operation)) return { skip };
	return {
		skip,
		limit: number().int().optional().describe(`Max rows (${TOOL_LIMIT})`),
		...(shapeOf(operation).kind === 'list' && {
			fields: string().array().optional(),
		}),
	};
}

/** @throws FieldFault for a value that is neither empty nor a whole number of `least` or more */
function countOf(name: string, given: unknown, least: number): number | undefined {
	if (isUnset(given)) return undefined;
	const count = numberOf(given);
	if (count === undefined || count < least || !Number.isInteger(count)) {
		throw new FieldFault(name, `must be a whole number of ${least} or more`);
	}
	return count;
}

/** `next` follows from this limit, which may be lower than the given one, so the next call skips none. */
function partOf({ skip, limit }: Values, maxRows: number): { skip: number; limit: number } {
	const wanted = countOf('limit', limit, 1) ?? TOOL_LIMIT;
	return { skip: countOf('skip', skip, 0) ?? 0, limit: Math.min(wanted, maxRows) };
}

/**
 * Values of the form, so that only the needed pages are read. `rowsFor` leaves out first rows that can't be skipped there.
 * `next` is the `skip` of the model's next call. Throws FieldFault for a wrong skip or limit, also where the form has none.
 */
export function listValues(operation: Operation, given: Values, maxRows: number): Values {
	if (!isListed(operation)) return {};
	const { skip, limit } = partOf(given, maxRows);
	if (!hasLimit(operation)) return {};
	const part = takesSkip(operation) ? { limit, options: { skip } } : { limit: skip + limit };
	return { returnAll: false, ...part, next: skip + limit };
}

/** A row that only tells the model something (`noteFor`). */
export const isNote = (row: IDataObject | undefined): boolean =>
	Object.keys(row ?? {}).join() === 'note';

/** n8n's engine would tell the model nothing of no rows, so a note says that there are none. */
function orNothing(rows: IDataObject[], skip: number): IDataObject[] {
	const [first] = rows;
	if (first && !isNote(first)) return rows;
	const nothing = skip > 0 ? `There are no more rows after the first ${skip}.` : 'Nothing found.';
	return [{ note: [nothing, first?.note].filter(Boolean).join(' ') }];
}

/** All fields if none are given. A note at the end names those that no row has. */
function cut(rows: IDataObject[], fields: unknown): IDataObject[] {
	const wanted = OutputFields.from(isUnset(fields) ? undefined : fields);
	if (!wanted) return rows;
	const named = rows.filter((row) => !isNote(row));
	if (named.length === 0) return rows;
	const few = named.map((row) => wanted.cut(row) as IDataObject);
	const [note = ''] = rows.filter(isNote).map((row) => String(row.note));
	const { unseen } = wanted;
	const names = [...new Set(named.flatMap((row) => Object.keys(row)))];
	const missing = `No row has ${unseen.join(', ')}. There are: ${names.join(', ')}.`;
	const text = [note, unseen.length > 0 ? missing : ''].filter(Boolean).join(' ');
	// Empty rows would only cost tokens.
	const left = few.some((row) => Object.keys(row).length > 0) ? few : [];
	return text === '' ? few : [...left, { note: text }];
}

/** Cuts only reads: the output of a change may be shown no other time. */
export function rowsFor(
	operation: Operation,
	rows: IDataObject[],
	given: Values,
	maxRows: number,
): IDataObject[] {
	if (!operation.endpoint.onlyReads) return rows;
	const { skip, limit } = partOf(given, maxRows);
	// A form with Skip has left out the first rows already (`listValues`).
	if (takesSkip(operation)) return cut(orNothing(rows, skip), given.fields);
	if (hasLimit(operation)) return cut(orNothing(rows.slice(skip), skip), given.fields);
	const end = isListed(operation) ? skip + limit : maxRows;
	const left = Math.max(0, rows.length - end);
	const note = noteFor({ left, mayHaveMore: false }, isListed(operation) ? end : undefined);
	const part = rows.slice(skip, end);
	return orNothing(note ? [...part, note] : part, isListed(operation) ? skip : 0);
}
