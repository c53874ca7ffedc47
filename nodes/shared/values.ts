// One value of a form -> one value on the wire, in the type that the API wants.
import {
	tryToParseDateTime,
	validateFieldType,
	type FieldType,
	type IDataObject,
} from 'n8n-workflow';

import { jsonOf, refuse } from './faults';
import { checkLimits } from './limits';
import { FieldFault, type Field, type FieldGroup, type Send, isRecord } from './operation';
import { withLineBreaks } from './pem';

/** What a conversion needs to know beside the field and its value. */
export interface FormContext {
	/** Zone of the workflow, for dates that name none. */
	timezone: string;
	/** JSON of the input item, for a resource mapper that maps automatically. */
	item: IDataObject;
}

type Wire = unknown;

/** Whether the user set nothing: an empty field is left out of the request. */
const isUnset = (value: unknown) => value === undefined || value === null || value === '';

function parseJson(field: Field, text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		// Not the parser's own message: it quotes the text.
		return refuse(field, text, 'must be valid JSON');
	}
}

/** A value as data: a copy that holds nothing but what JSON can carry. */
function data(field: Field, value: unknown): unknown {
	const copy = jsonOf(value);
	if (copy === undefined || copy === 'null') {
		return refuse(field, value, 'must be a value that JSON can hold');
	}
	return parseJson(field, copy);
}

function text(field: Field, value: unknown): string {
	if (typeof value === 'string') {
		// Half a character, as cutting a text leaves it, cannot be encoded.
		return value.isWellFormed() ? value : refuse(field, value, 'must be valid Unicode text');
	}
	if (typeof value === 'number' && Number.isFinite(value)) return String(value);
	if (typeof value === 'boolean') return String(value);
	return refuse(field, value, 'must be a text');
}

function number(field: Field, value: unknown, integer: boolean): number {
	const given = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	if (typeof given !== 'number' || !Number.isFinite(given)) {
		return refuse(field, value, 'must be a number');
	}
	if (integer && !Number.isInteger(given)) return refuse(field, value, 'must be a whole number');
	return given;
}

function boolean(field: Field, value: unknown): boolean {
	if (typeof value === 'boolean') return value;
	if (value === 'true') return true;
	if (value === 'false') return false;
	return refuse(field, value, 'must be true or false');
}

/** Whether the day of a text is one of its month: JavaScript reads 30 February as 2 March. */
function existsInCalendar(value: unknown): boolean {
	const [, year, month, day] = /^\s*(\d{4})-(\d{2})-(\d{2})/.exec(String(value)) ?? [];
	return day === undefined || Number(day) <= new Date(Number(year), Number(month), 0).getDate();
}

function date(field: Field, value: unknown, type: Send['type'], timezone: string): Wire {
	const given = typeof value === 'number' ? new Date(value) : value;
	let moment;
	try {
		if (!existsInCalendar(given)) throw new RangeError();
		moment = tryToParseDateTime(given, timezone);
	} catch {
		return refuse(field, value, 'must be a date such as 2026-03-01 or 2026-03-01T09:00:00+01:00');
	}
	if (moment.year < 0 || moment.year > 9999) {
		return refuse(field, value, 'must be a date of a year with four digits');
	}
	if (type === 'date') return moment.toISODate();
	return moment.toISO({ suppressMilliseconds: true });
}

/** A list of texts from an array, a JSON array or comma-separated text. */
function list(field: Field, value: unknown): string[] {
	if (Array.isArray(value)) return value.map((each) => text(field, each));
	const given = text(field, value).trim();
	if (given.startsWith('[')) return list(field, parseJson(field, given));
	return given
		.split(',')
		.map((each) => each.trim())
		.filter((each) => each !== '');
}

function json(field: Field, value: unknown, type: Send['type']): Wire {
	const given = typeof value === 'string' ? parseJson(field, value) : data(field, value);
	if (type === 'any') return given;
	if (type === 'array') {
		return Array.isArray(given) ? given : refuse(field, value, 'must be a JSON array');
	}
	return isRecord(given) ? given : refuse(field, value, 'must be a JSON object');
}

/** The object that a row, or the group of a fixed collection, stands for. */
function row(field: Field, fields: Field[], value: unknown, context: FormContext): IDataObject {
	if (!isRecord(value)) return refuse(field, value, 'must be a collection of rows');
	const object: IDataObject = {};
	for (const [each, wire] of wireValues(fields, value, context)) {
		put(object, wireName(each), wire);
	}
	return object;
}

function fixedCollection(field: Field, value: unknown, context: FormContext): Wire {
	if (!isRecord(value)) return refuse(field, value, 'must be a collection of rows');
	const group = field.options?.[0] as FieldGroup;
	const given = value[group.name];
	if (isUnset(given) || (Array.isArray(given) && given.length === 0)) return undefined;
	if (!field.typeOptions?.multipleValues) return row(field, group.values, given, context);
	const rows = (Array.isArray(given) ? given : [given]).map((each) =>
		row(field, group.values, each, context),
	);
	if (field.send === false || field.send?.type !== 'map') return rows;
	const map: IDataObject = {};
	const [nameField, ...rest] = group.values;
	for (const { [nameField.name]: name, ...entry } of rows) {
		if (Object.hasOwn(map, String(name))) {
			return refuse(field, name, 'must name each entry only once');
		}
		// A row of name and value maps to the value, one of several values to an object.
		Object.defineProperty(map, String(name), {
			value: rest.length === 1 ? (entry[wireName(rest[0])] ?? '') : entry,
			enumerable: true,
			configurable: true,
			writable: true,
		});
	}
	return map;
}

/** What n8n keeps about a column of a resource mapper, which a workflow file can hold in any shape. */
type Column = Record<string, unknown>;

/** A value of a resource mapper in the type of its column; a column of unknown type takes any. */
function mappedValue(mapper: Field, id: string, column: Column | undefined, value: unknown): Wire {
	const { displayName, type } = column ?? {};
	const label = (typeof displayName === 'string' ? displayName : id) || mapper.displayName;
	const field: Field = { displayName: label, name: id, type: 'string', default: '' };
	if (type === 'string') return text(field, value);
	// A value that cannot be data is not held against its type, which would try to read it.
	const given = data(field, value);
	if (typeof type !== 'string') return given;
	const result = validateFieldType(label, given, type as FieldType);
	return result.valid ? data(field, result.newValue) : refuse(field, value, `must be a ${type}`);
}

/** The values of a resource mapper: as mapped by hand, or the item's own under the same names. */
function mapped(field: Field, value: unknown, context: FormContext): Wire {
	if (!isRecord(value) || value.mappingMode === undefined) return json(field, value, undefined);
	const schema = Array.isArray(value.schema) ? value.schema.filter(isRecord) : [];
	const columns = new Map<string, Column>(
		schema.flatMap((column) => (typeof column.id === 'string' ? [[column.id, column]] : [])),
	);
	const isRemoved = (id: string) => columns.get(id)?.removed === true;
	const byHand = value.mappingMode !== 'autoMapInputData';
	const source = byHand ? (isRecord(value.value) ? value.value : {}) : context.item;
	const entries = (byHand ? Object.keys(source) : [...columns.keys()])
		.filter((id) => Object.hasOwn(source, id) && !isRemoved(id))
		.map((id) => [id, source[id], columns.get(id)] as const)
		// An empty cell clears a text, and says nothing about anything else.
		.filter(([, each, column]) =>
			each === '' ? (column?.type ?? 'string') === 'string' : !isUnset(each),
		)
		.map(([id, each, column]) => [id, mappedValue(field, id, column, each)] as const);
	return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** The values among which a field lets choose; none where the API lists them. */
export function offeredBy({ options: offered = [] }: Field): unknown[] {
	return offered.flatMap((option) => ('value' in option ? [option.value] : []));
}

function options(field: Field, value: unknown): Wire {
	const offered = offeredBy(field);
	// What the API lists is known to it alone; a list in the form is complete.
	const choice = (each: unknown): Wire => {
		if (offered.length === 0) return text(field, each);
		if (offered.includes(each)) return each;
		return refuse(field, each, `must be one of ${offered.join(', ')}`);
	};
	return field.type === 'multiOptions' ? list(field, value).map(choice) : choice(value);
}

function convert(field: Field, value: unknown, context: FormContext): Wire {
	const type = field.send === false ? undefined : field.send?.type;
	if (type === 'date' || type === 'dateTime') {
		return date(field, value, type, context.timezone);
	}
	if (type === 'any' && field.type === 'string') {
		return typeof value === 'string' ? text(field, value) : data(field, value);
	}
	if (type === 'list') return list(field, value);
	if (type === 'texts') {
		return Array.isArray(value) ? value.map((each) => text(field, each)) : text(field, value);
	}
	switch (field.type) {
		case 'number':
			return number(field, value, type === 'integer');
		case 'boolean':
			return boolean(field, value);
		case 'dateTime':
			return date(field, value, 'dateTime', context.timezone);
		case 'json':
			return json(field, value, type);
		case 'fixedCollection':
			return fixedCollection(field, value, context);
		case 'resourceMapper':
			return mapped(field, value, context);
		case 'options':
		case 'multiOptions':
			return options(field, value);
		default:
			return text(field, value);
	}
}

/** A locator's value: the id that was picked or typed. */
export function unwrapLocator(value: unknown): unknown {
	return isRecord(value) && value.__rl === true ? value.value : value;
}

/**
 * What one field sends, or undefined if the user left it empty.
 * @throws FieldFault when the value has the wrong type, format or size, or is required and empty
 */
export function toWire(field: Field, formValue: unknown, context: FormContext): Wire {
	const send = field.send || {};
	const value = unwrapLocator(formValue);
	if (isUnset(value)) {
		if (field.required || send.emptyFails) {
			throw new FieldFault(field.displayName, 'must not be empty');
		}
		return send.emptyClears && value === '' ? '' : undefined;
	}
	let wire = convert(field, value, context);
	if (send.format === 'country' || send.format === 'currency') wire = String(wire).toUpperCase();
	if (send.format === 'certificate') wire = withLineBreaks(String(wire));
	if (wire === undefined && field.required) {
		throw new FieldFault(field.displayName, 'must not be empty');
	}
	if (wire !== undefined) checkLimits(field, wire, send);
	return wire;
}

/** Name under which a field's value travels, dotted for a nested key. */
export function wireName(field: Field): string {
	return (field.send && field.send.as) || field.name;
}

/**
 * Sets a value at a dotted key; `*` joins the keys of an object to those that are there. An object
 * that other fields have set keys of is joined too. What other fields have set stays.
 */
export function put(target: IDataObject, dottedName: string, wire: Wire): void {
	if (dottedName === '*') {
		for (const [name, value] of Object.entries(wire as IDataObject)) {
			const known = Object.hasOwn(target, name) ? target[name] : undefined;
			if (isRecord(known) && isRecord(value)) define(target, name, { ...value, ...known });
			else if (known === undefined) define(target, name, value);
		}
		return;
	}
	const names = dottedName.split('.');
	const last = names.pop() as string;
	let object = target;
	for (const name of names) {
		// A copy: the object may be one of the input item.
		define(object, name, isRecord(object[name]) ? { ...object[name] } : {});
		object = object[name] as IDataObject;
	}
	const known = object[last];
	define(object, last, isRecord(known) && isRecord(wire) ? { ...wire, ...known } : wire);
}

// Not a plain assignment: a name such as __proto__ that comes out of user data stays data.
function define(object: IDataObject, name: string, value: Wire): void {
	Object.defineProperty(object, name, {
		value,
		enumerable: true,
		configurable: true,
		writable: true,
	});
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
			if (!isRecord(value)) return refuse(field, value, 'must be a collection of fields');
			const chosen = (field.options as Field[]).filter(({ name }) => Object.hasOwn(value, name));
			return wireValues(chosen, value, context);
		}
		const wire = toWire(field, value, context);
		return wire === undefined ? [] : [[field, wire]];
	});
}
