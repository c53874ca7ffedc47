// Fields of a form -> the values they send, including collections, rows and resource mappers.
import type { IDataObject } from 'n8n-workflow';

import { FieldFault } from '../base/apiRequest';
import { define, isRecord, isUnset, put, setAt, short } from '../base/data';
import { nearestFirst } from '../base/nearest';
import { columnValues } from './columns';
import type { Field, FixedCollection, FormContext, Send } from './fields';
import { formats, type TextFormat } from './formats';
import { checkLimits, refuse } from './limits';
import { mapped } from './mapper';
import { checkGiven, isLeftEmpty, keyFault, rawIn, refuseNothing } from './nothing';
import { isNoValue, singleValue, toJson, unwrapLocator, type Wire } from './values';

type Row = Record<string, unknown>;

/** Key of a field in the request, dotted for a nested key. */
export function wireName(field: Field): string {
	return (field.send || {}).as ?? field.name;
}

/** An object with the keys of the request, for one row or the group of a collection. `context` has the raw row. */
function rowObject(field: Field, fields: Field[], value: unknown, context: FormContext): Row {
	if (!isRecord(value)) return refuse(field, value, 'must be a list of rows');
	const object: Row = {};
	for (const [each, wire] of wireValues(fields, value, context)) {
		put(object, wireName(each), wire);
	}
	return object;
}

/** An object with the first field of each row as key, and the value of a single other field, else an object of others. */
function mapOf(field: Field, [nameField, ...rest]: Field[], rows: Row[]): Row {
	const map: Row = {};
	const [valueField, ...more] = rest.map(wireName);
	for (const { [nameField.name]: name, ...entry } of rows) {
		if (Object.hasOwn(map, String(name))) {
			return refuse(field, name, 'must not have the same name twice');
		}
		const value = more.length === 0 ? entry[valueField] : entry;
		if (value === undefined) {
			const fault = `must have a value for "${short(String(name))}". To clear it, set it to empty text`;
			throw new FieldFault(field.displayName, fault);
		}
		define(map, String(name), value);
	}
	return map;
}

/** Rows or the single group of a form, or rows of an expression. Undefined without rows. Throws FieldFault with the row. */
function fixedCollection(field: FixedCollection, value: unknown, context: FormContext): Wire {
	// An expression returned the rows as an array.
	if (Array.isArray(value)) return rowsOfData(field, field, value, context);
	if (!isRecord(value)) return refuse(field, value, 'must be a list of rows');
	const [{ name, values }] = field.options;
	const given = value[name];
	if (isUnset(given)) return undefined;
	const raw = rawIn(context.raw, name);
	const inRow: FormContext = { ...context, raw, place: 'row' };
	if (!field.typeOptions?.multipleValues) return rowObject(field, values, given, inRow);
	const list = Array.isArray(given) ? given : [given];
	return rowsOf(field, field, list, (each, index) =>
		rowObject(field, values, each, { ...inRow, raw: Array.isArray(raw) ? raw[index] : raw }),
	);
}

/** Combines rows to a list or an object, as their field sends them. `filled` is the field that the error of a row names. */
function rowsOf(
	filled: Field,
	field: FixedCollection,
	list: unknown[],
	make: (each: unknown, index: number) => Row,
): Wire {
	const rows: Row[] = [];
	for (const [index, each] of list.entries()) {
		try {
			rows.push(make(each, index));
		} catch (error) {
			blameRow(filled, index, error);
		}
	}
	if (rows.length === 0) return undefined;
	const { type } = field.send || {};
	// Each row of a list has one field, whose value is sent.
	if (type === 'list') return rows.flatMap((each) => Object.values(each));
	return type === 'map' ? mapOf(filled, field.options[0].values, rows) : rows;
}

/** A row from JSON or an expression has the keys of the request, not of the form. No other keys are taken. */
function rowOfData(field: Field, fields: Field[], data: unknown, context: FormContext): Row {
	if (!isRecord(data)) return refuse(field, data, 'must be an object');
	const names = fields.map(wireName);
	const unknown = Object.keys(data).find((name) => !names.includes(name));
	if (unknown !== undefined) {
		throw new FieldFault(short(unknown), `is none of ${names.join(', ')}`);
	}
	const given = fields.filter((each) => Object.hasOwn(data, wireName(each)));
	const row = given.map((each): [string, unknown] => [each.name, data[wireName(each)]]);
	return rowObject(field, fields, Object.fromEntries(row), { ...context, place: 'row' });
}

/** @throws FieldFault that also names the row. Any other error stays as it is */
function blameRow(field: Field, index: number, error: unknown): never {
	if (!(error instanceof FieldFault)) throw error;
	const fault = `has a fault in line ${index + 1}: ${error.message}`;
	throw new FieldFault(field.displayName, fault, error.empty);
}

/** Puts the keys back whose values were undefined, which a copy as JSON has lost: of an object, or of each in an array. */
function withLost(copy: unknown, original: unknown): unknown {
	if (Array.isArray(copy) && Array.isArray(original)) {
		return copy.map((each, index) => withLost(each, original[index]));
	}
	if (!isRecord(copy) || !isRecord(original)) return copy;
	const lost = Object.entries(original).filter(([, each]) => each === undefined);
	return { ...Object.fromEntries(lost), ...copy };
}

/** Takes rows from JSON or an expression: an array, or for a map an object, too. `field` is the one that was filled in. */
function rowsOfData(
	field: Field,
	rows: FixedCollection,
	value: unknown,
	context: FormContext,
): Wire {
	const given = withLost(toJson(field, value, 'rows'), value);
	const fields = rows.options[0].values;
	const [key, content] = fields.map(wireName);
	const isMap = (rows.send || {}).type === 'map';
	const list =
		isMap && isRecord(given)
			? Object.entries(given).map(([name, each]) => ({ [key]: name, [content]: each }))
			: given;
	if (!Array.isArray(list)) {
		return refuse(field, value, isMap ? 'must be a JSON object or array' : 'must be a JSON array');
	}
	return rowsOf(field, rows, list, (each) => rowOfData(field, fields, each, context));
}

/** The record of mapped columns, by hand or from an input item. Undefined without a value. */
function recordOfColumns(field: Field, value: unknown, context: FormContext): Wire {
	const object: Row = {};
	const byHand = rawIn(context.raw, 'value');
	for (const [column, each] of columnValues(field, value, context)) {
		const wire = toWire(column, each, { ...context, raw: rawIn(byHand, column.name) });
		if (wire !== undefined) setAt(object, wireName(column), wire);
	}
	return Object.keys(object).length > 0 ? object : undefined;
}

/** The value of any field, undefined if there's nothing to send. Its limits aren't checked yet. Throws FieldFault. */
function convert(field: Field, value: unknown, context: FormContext): Wire {
	const send = field.send || {};
	if (value === '' || value === undefined || value === null) return undefined;
	const isEmpty = typeof value === 'object' && Object.keys(value).length === 0;
	if (isEmpty && isNoValue(field, value)) return undefined;
	// The user hasn't touched the JSON. If the field is required, the default may be meant.
	if (field.type === 'json' && !field.required && value === field.default) return undefined;
	if (send.convert) return send.convert(field, value, context);
	if (send.rows) return rowsOfData(field, send.rows, value, context);
	switch (field.type) {
		// `wireValues` takes the fields of a collection one by one.
		case 'collection':
			return undefined;
		case 'fixedCollection':
			return fixedCollection(field, value, context);
		case 'resourceMapper':
			return send.columns ? recordOfColumns(field, value, context) : mapped(field, value, context);
		default:
			return singleValue(field, value, context.timezone);
	}
}

export function emptied({ type }: Field, send: Send): Wire {
	if (send.type === 'list') return [];
	return type === 'dateTime' || type === 'fixedCollection' ? null : '';
}

/** The entered value, without resource locator. Plain text of blanks is empty text, as a cell of blanks is an empty cell. */
function fieldValue(field: Field, formValue: unknown): unknown {
	const value = typeof formValue === 'object' ? unwrapLocator(formValue) : formValue;
	const isLocator = value !== formValue;
	if (field.modes && isLocator) {
		const { mode } = formValue as IDataObject;
		const modes = field.modes.map(({ name }) => name);
		// Workflows written by hand use the mode `id` for any typed value.
		if (typeof mode === 'string' && mode !== 'id' && !modes.includes(mode)) {
			const fault = `must have one of the modes ${nearestFirst(mode, modes).join(', ')}`;
			throw new FieldFault(field.displayName, `${fault} (got "${short(mode)}")`);
		}
	}
	if (typeof value !== 'string') return value;
	const { type, trim } = field.send || {};
	const text = value.trim();
	// Dates, numbers and lists see to their own blanks when they're converted, and in JSON each blank counts.
	const isPlain = field.type === 'string' && type === undefined;
	return isPlain && (trim || text === '') ? text : value;
}

/**
 * Converts and checks the value of a field, undefined if there's nothing to send. A field that was left empty may send a value
 * that clears it, or be refused (`Send.empty`). Throws FieldFault.
 */
export function toWire(field: Field, formValue: unknown, context: FormContext): Wire {
	const send = field.send || {};
	const value = fieldValue(field, formValue);
	const converted = convert(field, value, context);
	const isEmpty = converted === undefined || (typeof value === 'string' && value.trim() === '');
	if (isEmpty && field.required) refuseNothing(field, context.raw);
	const fault = send.mustGive && keyFault(send, typeof value === 'string' ? converted : value);
	if (fault !== undefined) throw new FieldFault(field.displayName, fault);
	// For speed: most values give something, so their way is short.
	const isNothing =
		isEmpty || (typeof converted === 'object' && Object.keys(converted ?? {}).length === 0);
	if (isNothing) checkGiven(field, value, isEmpty ? undefined : converted, context);
	if (converted === undefined) {
		const clears = send.empty === 'clears' && isLeftEmpty(field, value);
		return clears ? emptied(field, send) : undefined;
	}
	const { normalise }: Partial<TextFormat> = send.format ? formats[send.format] : {};
	const wire = normalise && typeof converted === 'string' ? normalise(converted) : converted;
	checkLimits(field, wire, send, value);
	return wire;
}

/** For a value outside a form, such as a node setting or a question. `timezone` is for dates without one. Throws FieldFault. */
export function checkedValue(field: Field, given: unknown, timezone = 'UTC'): Wire {
	return toWire(field, given, { timezone, item: {}, place: 'added' });
}

/** The fields with something to send, and their values, in the order of the form, also of collections. Throws FieldFault. */
export function wireValues(
	fields: Field[],
	values: Record<string, unknown>,
	context: FormContext,
): Array<[Field, Wire]> {
	// The form has this choice right beside its mapper (mappable.ts). Inside collections, there is neither.
	const ignoresExtra = values.extraColumns === 'ignore';
	const all: Array<[Field, Wire]> = [];
	for (const field of fields) {
		if (field.send === false || field.type === 'notice') continue;
		const { name, type } = field;
		const value = values[name];
		// A row of JSON has only what its expression gave it.
		const isThere = context.place !== 'row' || Object.hasOwn(values, name);
		const raw = isThere ? rawIn(context.raw, name) : undefined;
		if (type === 'collection') {
			if (!isRecord(value)) {
				if (isUnset(value)) continue;
				return refuse(field, value, 'must be a set of fields');
			}
			const added = field.options.filter((each) => Object.hasOwn(value, each.name));
			all.push(...wireValues(added, value, { ...context, raw, place: 'added' }));
			continue;
		}
		const place = isThere ? context.place : undefined;
		const isAsItWas = value === '' && raw === '' && field.default === '' && place !== 'added';
		if (isAsItWas && !field.required && field.send?.empty !== 'clears') continue;
		const wire = toWire(field, value, { ...context, ignoresExtra, raw, place });
		if (wire !== undefined) all.push([field, wire]);
	}
	return all;
}
