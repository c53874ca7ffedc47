// A resource mapper -> the values of its columns, as they were mapped by hand or are in the input item.
import { validateFieldType, type FieldType } from 'n8n-workflow';

import { date } from './dates';
import type { Field } from '../fields';
import { FieldFault, isRecord, isUnset, recordOf, recordsOf } from '../operation';
import { refuse } from './refuse';
import { data, json, text, type FormContext, type Wire } from './values';

/** A column of a resource mapper. A workflow file can contain it in any shape. */
type Column = Record<string, unknown>;

/** A value of a resource mapper in the type of its column; a column of unknown type takes any. */
function mappedValue(
	mapper: Field,
	id: string,
	{ displayName, type }: Column,
	value: unknown,
	timezone: string,
): Wire {
	const label = (typeof displayName === 'string' ? displayName : id) || mapper.displayName;
	const field: Field = { displayName: label, name: id, type: 'string', default: '' };
	if (type === 'string') return text(field, value);
	if (type === 'dateTime') return date(field, value, 'dateTime', timezone);
	// Check that the value is data first: checking its type would read it.
	const given = data(field, value);
	if (typeof type !== 'string') return given;
	const result = validateFieldType(label, given, type as FieldType);
	return result.valid
		? data(field, result.newValue)
		: refuse(field, value, `must be of type ${type}`);
}

/** The values of a resource mapper: as mapped by hand, or the item's own under the same names. */
export function mapped(field: Field, value: unknown, context: FormContext): Wire {
	if (!isRecord(value) || value.mappingMode === undefined) return json(field, value, undefined);
	const columns = new Map<string, Column>(
		recordsOf(value.schema).flatMap((column) =>
			typeof column.id === 'string' ? [[column.id, column]] : [],
		),
	);
	const isAutomatic = value.mappingMode === 'autoMapInputData';
	if (isAutomatic && columns.size === 0) {
		throw new FieldFault(
			field.displayName,
			'has no columns to map: open the node so that it loads them, or use JSON',
		);
	}
	const source = isAutomatic ? context.item : recordOf(value.value);
	const entries = (isAutomatic ? [...columns.keys()] : Object.keys(source))
		.filter((id) => Object.hasOwn(source, id))
		.map((id) => [id, source[id], columns.get(id) ?? {}] as const)
		.filter(([, , column]) => column.removed !== true)
		// An empty cell clears text. For other types, it means that nothing was set.
		.filter(([, each, { type = 'string' }]) => (each === '' ? type === 'string' : !isUnset(each)))
		.map(([id, each, column]) => [id, mappedValue(field, id, column, each, context.timezone)]);
	return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
