// A resource mapper -> the values of its columns, mapped by hand or taken from the input item.
import { validateFieldType, type FieldType, type IDataObject } from 'n8n-workflow';

import { FieldFault } from '../base/apiRequest';
import { isRecord, isUnset, recordOf, recordsOf } from '../base/data';
import { toDate } from './dates';
import type { Field, FormContext } from './fields';
import { refuse } from './limits';
import { toData, toJson, toText, type Wire } from './values';

/** A column of the mapper's schema. A workflow file can contain anything here. */
type Column = Record<string, unknown> & { id: string };

/** Converts a value to the type of its column, or refuses it; a column without a type takes any value. */
function mappedValue(
	mapper: Field,
	{ id, displayName, type }: Column,
	value: unknown,
	timezone: string,
): Wire {
	const label = (typeof displayName === 'string' ? displayName : id) || mapper.displayName;
	const field: Field = { displayName: label, name: id, type: 'string', default: '' };
	if (type === 'string') return toText(field, value);
	if (type === 'dateTime') return toDate(field, value, 'dateTime', timezone);
	// Before validateFieldType, which would also read a value that isn't JSON.
	const given = toData(field, value);
	if (typeof type !== 'string') return given;
	const result = validateFieldType(label, given, type as FieldType);
	return result.valid
		? toData(field, result.newValue)
		: refuse(field, value, `must be of type ${type}`);
}

/**
 * Simplify moves the fields of an inner object to the item, but one whose name is taken stays in the object. So if all
 * names of the object are taken, its values are the ones to map.
 */
function withTaken({ name }: Field, item: IDataObject): IDataObject {
	const inner = item[name];
	const isLeft = isRecord(inner) && Object.keys(inner).every((key) => Object.hasOwn(item, key));
	return isLeft ? { ...item, ...inner } : item;
}

/**
 * Values by column: mapped by hand, or the item's fields of the same names. Undefined if there are none.
 * @throws FieldFault for a value of the wrong type, and for automatic mapping without loaded columns
 */
export function mapped(field: Field, value: unknown, context: FormContext): Wire {
	// An expression returned the values themselves.
	if (!isRecord(value) || value.mappingMode === undefined) return toJson(field, value, undefined);
	const columns = new Map<string, Column>(
		recordsOf(value.schema).flatMap((column) =>
			typeof column.id === 'string' ? [[column.id, column as Column]] : [],
		),
	);
	const isAutomatic = value.mappingMode === 'autoMapInputData';
	if (isAutomatic && columns.size === 0) {
		throw new FieldFault(
			field.displayName,
			'has no columns to map: open the node so that it loads them, or use JSON',
		);
	}
	const source = isAutomatic ? withTaken(field, context.item) : recordOf(value.value);
	const entries = (isAutomatic ? [...columns.keys()] : Object.keys(source))
		.filter((id) => Object.hasOwn(source, id))
		.map((id): [unknown, Column] => [source[id], columns.get(id) ?? { id }])
		.filter(([, column]) => column.removed !== true)
		// Empty text clears a text column. In other columns, nothing was set.
		.filter(([each, { type = 'string' }]) => (each === '' ? type === 'string' : !isUnset(each)))
		.map(([each, column]) => [column.id, mappedValue(field, column, each, context.timezone)]);
	return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
