// A resource mapper -> the values of its columns, mapped by hand or taken from the input item.
import { validateFieldType, type FieldType, type IDataObject } from 'n8n-workflow';

import { FieldFault } from '../base/apiRequest';
import { define, isRecord, isUnset, recordOf, recordsOf, short } from '../base/data';
import { holdsExpression } from '../base/expressions';
import { plain } from '../base/nearest';
import { MAP_BY_HAND, unmatched } from './columns';
import { toDate } from './dates';
import type { Field, FormContext } from './fields';
import { refuse } from './limits';
import { rawIn } from './nothing';
import { isBlank, toData, toJson, toText, type Wire } from './values';

/** A workflow file can contain anything in a column. */
type Column = Record<string, unknown> & { id: string };

const labelOf = ({ id, displayName }: Column): string =>
	typeof displayName === 'string' && displayName !== '' ? displayName : id;

/** Converts a value to the type of its column, or refuses the value. A column without a type takes any value. */
function mappedValue(mapper: Field, column: Column, value: unknown, timezone: string): Wire {
	const { id, type } = column;
	const label = labelOf(column) || mapper.displayName;
	const field: Field = { displayName: label, name: id, type: 'string', default: '' };
	if (type === 'string') return toText(field, value);
	if (type === 'dateTime') return toDate(field, value, 'dateTime', timezone);
	// Before `validateFieldType`, which would also read a value that isn't JSON.
	const given = toData(field, value);
	if (typeof type !== 'string') return given;
	const result = validateFieldType(label, given, type as FieldType);
	return result.valid
		? toData(field, result.newValue)
		: refuse(field, value, `must be of type ${type}`);
}

/** Simplify lifts fields out of an inner object unless their names are taken. If all are taken, its values are meant. */
function withTaken({ name }: Field, item: IDataObject): IDataObject {
	const inner = item[name];
	const isLeft = isRecord(inner) && Object.keys(inner).every((key) => Object.hasOwn(item, key));
	return isLeft ? { ...item, ...inner } : item;
}

/** The cells of an item by the columns that they fill, by their `plain` names. Throws FieldFault if none fits, or two do. */
function matched(field: Field, columns: Column[], item: IDataObject): IDataObject {
	const ids = new Set(columns.map(({ id }) => id));
	const others = Object.keys(item).filter((name) => !ids.has(name));
	const byName = new Map<string, string[]>();
	for (const name of others) byName.set(plain(name), [...(byName.get(plain(name)) ?? []), name]);
	byName.delete('');
	const cells: IDataObject = {};
	for (const column of columns) {
		const { id } = column;
		const alike = byName.get(plain(id)) ?? byName.get(plain(labelOf(column))) ?? [];
		const [name = alike[0], other] = Object.hasOwn(item, id)
			? [id]
			: alike.filter((each) => !isBlank(item[each]));
		if (other !== undefined) {
			throw new FieldFault(field.displayName, `has two values for ${labelOf(column)}`);
		}
		if (name !== undefined) define(cells, id, item[name]);
	}
	if (Object.keys(cells).length > 0) return cells;
	const fault =
		others.length === 0
			? 'has no input field to map'
			: `matches no field: ${unmatched(others.map(short), columns.map(labelOf))} ${MAP_BY_HAND}`;
	throw new FieldFault(field.displayName, fault);
}

/** Values by column, mapped by hand or by name, undefined if none. Throws FieldFault for a wrong type, or unloaded columns. */
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
	const wanted = [...columns.values()].filter(({ removed }) => removed !== true);
	const source = isAutomatic
		? matched(field, wanted, withTaken(field, context.item))
		: recordOf(value.value);
	const byHand = isAutomatic ? undefined : rawIn(context.raw, 'value');
	const entries: Array<[string, Wire]> = [];
	for (const [id, each] of Object.entries(source)) {
		const column: Column = columns.get(id) ?? { id };
		if (column.removed === true) continue;
		// Empty text clears a text column. In other columns, nothing was set.
		const isSet = each === '' ? (column.type ?? 'string') === 'string' : !isUnset(each);
		if (isSet) entries.push([id, mappedValue(field, column, each, context.timezone)]);
		else if (holdsExpression(rawIn(byHand, id))) {
			context.gaveNothing?.({ ...field, displayName: labelOf(column) }, rawIn(byHand, id));
		}
	}
	return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
