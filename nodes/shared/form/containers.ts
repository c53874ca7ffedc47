// Fields of a form -> what they send, also those that hold other fields: collections, rows, mappers.
import { define, getAt, put } from '../dotted';
import { refuse } from './refuse';
import { formats, type TextFormat } from './formats';
import { checkLimits } from './limits';
import { FieldFault, isRecord, isUnset, short } from '../operation';
import type { Field, FixedCollection, Send } from '../fields';
import { mapped } from './mapper';
import { fieldValue, json, singleValue, text, type FormContext, type Wire } from './values';

type Row = Record<string, unknown>;

/** Name under which a field's value travels, dotted for a nested key. */
export function wireName(field: Field): string {
	return (field.send && field.send.as) || field.name;
}

/** The object that a row, or the group of a fixed collection, stands for. */
function row(field: Field, fields: Field[], value: unknown, context: FormContext): Row {
	if (!isRecord(value)) return refuse(field, value, 'must be a list of rows');
	const object: Row = {};
	for (const [each, wire] of wireValues(fields, value, context)) {
		put(object, wireName(each), wire);
	}
	return object;
}

/** Rows as an object: the first field of each is the key of what the others say. */
function mapOf(field: Field, [nameField, ...rest]: Field[], rows: Row[]): Row {
	const map: Row = {};
	for (const { [nameField.name]: name, ...entry } of rows) {
		if (Object.hasOwn(map, String(name))) {
			return refuse(field, name, 'must not have the same name twice');
		}
		// A row of name and value maps to the value, one of several values to an object.
		define(map, String(name), rest.length === 1 ? (entry[wireName(rest[0])] ?? '') : entry);
	}
	return map;
}

function fixedCollection(field: FixedCollection, value: unknown, context: FormContext): Wire {
	// An expression in place of the rows gives data.
	if (Array.isArray(value)) return rowsOfData(field, field, value, context);
	if (!isRecord(value)) return refuse(field, value, 'must be a list of rows');
	const [{ name, values }] = field.options;
	const given = value[name];
	if (isUnset(given)) return undefined;
	if (!field.typeOptions?.multipleValues) return row(field, values, given, context);
	return joinedRows(
		field,
		[given].flat().map((each) => row(field, values, each, context)),
	);
}

/** What rows send: a list, or an object. */
function joinedRows(field: FixedCollection, rows: Row[]): Wire {
	if (rows.length === 0) return undefined;
	const type = field.send ? field.send.type : undefined;
	// A row of one field, in a list, is the value of that field.
	if (type === 'list') return rows.flatMap((each) => Object.values(each));
	return type === 'map' ? mapOf(field, field.options[0].values, rows) : rows;
}

/** A row of data, under the names that its fields have on the wire. */
function rowOfData(field: Field, fields: Field[], data: unknown, context: FormContext): Row {
	if (!isRecord(data)) return refuse(field, data, 'must be an object');
	const names = fields.map(wireName);
	const unknown = Object.keys(data).find((name) => !names.includes(name));
	if (unknown !== undefined) {
		throw new FieldFault(short(unknown), `is none of ${names.join(', ')}`);
	}
	const known = fields.map((each) => [each.name, data[wireName(each)]] as const);
	return row(field, fields, Object.fromEntries(known), context);
}

/** @throws FieldFault that names the row of what is wrong */
function blameRow(field: Field, index: number, error: unknown): never {
	if (!(error instanceof FieldFault)) throw error;
	const fault = `has a wrong row ${index + 1}: ${error.field} ${error.fault}`;
	throw new FieldFault(field.displayName, fault);
}

/**
 * Rows from JSON or an expression: an array, or an object of names and values where the rows are those.
 * @param field what the user filled in, for errors
 */
function rowsOfData(
	field: Field,
	rows: FixedCollection,
	value: unknown,
	context: FormContext,
): Wire {
	const given = json(field, value, 'any');
	const fields = rows.options[0].values;
	const [key, content] = fields.map(wireName);
	const isMap = rows.send && rows.send.type === 'map';
	const list =
		isMap && isRecord(given)
			? Object.entries(given).map(([name, each]) => ({ [key]: name, [content]: each }))
			: given;
	if (!Array.isArray(list)) {
		return refuse(field, value, isMap ? 'must be a JSON object or array' : 'must be a JSON array');
	}
	const checked = list.map((each, index) => {
		try {
			return rowOfData(field, fields, each, context);
		} catch (error) {
			return blameRow(field, index, error);
		}
	});
	return joinedRows(rows, checked);
}

/** What all input items have in a field, each value once. */
function column(field: Field, value: unknown, { item, items = () => [item] }: FormContext): Wire {
	const name = String(text(field, value)).trim();
	const values = items().map((each, index) => {
		const found = getAt(each, name);
		const isId = typeof found === 'number' || (typeof found === 'string' && found !== '');
		if (isId) return String(found);
		throw new FieldFault(
			field.displayName,
			`is "${short(name)}", which item ${index} doesn't have`,
		);
	});
	return [...new Set(values)];
}

function convert(field: Field, value: unknown, context: FormContext): Wire {
	if (field.send && field.send.type === 'column') return column(field, value, context);
	switch (field.type) {
		// Its fields are sent, each in its own place.
		case 'collection':
			return undefined;
		case 'fixedCollection':
			return fixedCollection(field, value, context);
		case 'resourceMapper':
			return mapped(field, value, context);
		case 'json':
			if (field.send && field.send.rows) {
				return rowsOfData(field, field.send.rows, value, context);
			}
			return singleValue(field, value, context.timezone);
		default:
			return singleValue(field, value, context.timezone);
	}
}

/** What clears a value of a field. */
export function emptied({ type }: Field, send: Send): Wire {
	if (send.type === 'list') return [];
	return type === 'dateTime' || type === 'fixedCollection' ? null : '';
}

/** Whether the user added a field and left it empty. What an expression does not find is not meant. */
const isLeftEmpty = ({ type }: Field, value: unknown) =>
	value === '' || (type === 'fixedCollection' && isRecord(value));

/**
 * What one field sends, or undefined if the user left it empty.
 * @throws FieldFault when the value has the wrong type, format or size, or is required and empty
 */
export function toWire(field: Field, formValue: unknown, context: FormContext): Wire {
	const send = field.send || {};
	const value = fieldValue(field, formValue);
	const converted = isUnset(value) ? undefined : convert(field, value, context);
	const isBlank = converted === undefined || (typeof value === 'string' && value.trim() === '');
	if (isBlank && (field.required || send.emptyFails)) {
		throw new FieldFault(field.displayName, 'must not be empty');
	}
	if (converted === undefined) {
		return send.emptyClears && isLeftEmpty(field, value) ? emptied(field, send) : undefined;
	}
	const { normalise }: Partial<TextFormat> = send.format ? formats[send.format] : {};
	const wire = normalise && typeof converted === 'string' ? normalise(converted) : converted;
	checkLimits(field, wire, send, value);
	return wire;
}

/**
 * What a field makes of a value that no form sends, such as a setting of a node or the question to a retriever.
 * @param timezone for dates that name none
 * @throws FieldFault for a value that the field refuses
 */
export function checkedValue(field: Field, given: unknown, timezone = 'UTC'): Wire {
	return toWire(field, given, { timezone, item: {} });
}

/** The set values among `fields`, with those inside collections, in the order of the form. */
export function wireValues(
	fields: Field[],
	values: Record<string, unknown>,
	context: FormContext,
): Array<[Field, Wire]> {
	return fields.flatMap((field): Array<[Field, Wire]> => {
		if (field.send === false || field.type === 'notice') return [];
		const value = values[field.name];
		if (field.type === 'collection') {
			if (isUnset(value)) return [];
			if (!isRecord(value)) return refuse(field, value, 'must be a set of fields');
			const chosen = field.options.filter(({ name }) => Object.hasOwn(value, name));
			return wireValues(chosen, value, context);
		}
		const wire = toWire(field, value, context);
		return wire === undefined ? [] : [[field, wire]];
	});
}
