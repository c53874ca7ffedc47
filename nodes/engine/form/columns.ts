// Columns of an input item -> the fields of a record, by their names.
import type { IDataObject } from 'n8n-workflow';

import { FieldFault } from '../base/apiRequest';
import { firstOf, isRecord, recordOf, short } from '../base/data';
import { nearMiss, plain } from '../base/nearest';
import type { Field } from './fields';
import { isBlank } from './values';

/** Keys that a row has beside the fields of its record, also those of n8n's own for a tool. A mapper can name more. */
const BESIDE = ['id', 'rownumber', 'toolcallid'];

/** Max columns that an error names. */
const NAMED = 5;

/** Fields that a column can fill. An empty cell sets nothing, so it neither clears a value nor fails. */
export function columnsOf(fields: Field[]): Field[] {
	return fields.flatMap((field): Field[] => {
		if (field.type === 'collection') return columnsOf(field.options);
		const { send = {}, type } = field;
		if (send === false || send.setting || send.as === '*' || type === 'notice') return [];
		return [{ ...field, send: { ...send, emptyClears: false, emptyFails: false } }];
	});
}

/** Place of a column in the record: its key, and the object that has it, such as an address. */
function targetOf({ name, send }: Field): { key: string; inside: string } {
	const path = ((send && send.as) || name).split('.');
	return { key: path.at(-1)!, inside: plain(path.slice(0, -1).join('')) };
}

/**
 * Returns the columns by the names that a cell can have. A cell of an object that the record has, too, is named with
 * that object.
 */
function columnsByName(columns: Field[]): Map<string, Field> {
	const named = columns.flatMap((column) => {
		const { key, inside } = targetOf(column);
		const own = [column.name, column.displayName, key].map(plain);
		const inObject = own.map((each) => inside + each);
		return [...own, ...inObject].map((each) => [each, column] as const);
	});
	return new Map(named);
}

/** Cells of an item by the names of their columns. An object is one cell, unless the record has such an object. */
function cellsOf(item: IDataObject, columns: Field[]): Array<[string, unknown]> {
	const objects = new Set(columns.map((column) => targetOf(column).inside));
	const hasCells = (name: string) => name !== '' && objects.has(name);
	return Object.entries(item).flatMap(([name, value]): Array<[string, unknown]> =>
		isRecord(value) && hasCells(plain(name))
			? Object.entries(value).map(([key, each]) => [`${name}.${key}`, each])
			: [[name, value]],
	);
}

/** Says what is wrong with columns that fill no field, and what is right. */
function noField(extra: string[], columns: Field[], isNoneRight: boolean): string {
	const labels = columns.map(({ displayName }) => displayName);
	const shown = firstOf(
		extra.map((name) => `"${name}"`),
		NAMED,
	);
	const meant = extra.slice(0, NAMED).flatMap((name) => {
		const label = nearMiss(name, labels);
		return label === undefined ? [] : [`${label} for "${name}"`];
	});
	return [
		isNoneRight ? `match no field: ${shown}.` : `have no field for ${shown}.`,
		meant.length > 0 && `Did you mean ${meant.join(', ')}?`,
		`Fields: ${labels.join(', ')}.`,
		isNoneRight
			? 'Rename them, or choose Map Each Column Manually'
			: 'Rename them, or set Extra Columns to Ignore',
	]
		.filter(Boolean)
		.join(' ');
}

/**
 * Returns the fields that the columns of an item fill.
 * @throws FieldFault if a column fills no field, or two fill the same one
 */
function matched(mapper: Field, item: IDataObject, ignoresExtra: boolean): Map<string, unknown> {
	const { columns = [], beside = [] } = mapper.send || {};
	const isBeside = (name: string) => [...BESIDE, ...beside.map(plain)].includes(plain(name));
	const fieldOf = columnsByName(columns);
	const values = new Map<string, unknown>();
	const extra: string[] = [];
	for (const [name, value] of cellsOf(item, columns)) {
		if (isBlank(value)) continue;
		const field = fieldOf.get(plain(name));
		if (!field) {
			if (!isBeside(name)) extra.push(short(name));
		} else if (values.has(field.name)) {
			throw new FieldFault(mapper.displayName, `have two values for ${field.displayName}`);
		} else values.set(field.name, value);
	}
	if (extra.length > 0 && !ignoresExtra) {
		throw new FieldFault(mapper.displayName, noField(extra, columns, values.size === 0));
	}
	return values;
}

/** Returns the values that the user mapped by hand. */
function entered(mapper: Field, value: IDataObject): Map<string, unknown> {
	const { columns = [] } = mapper.send || {};
	const given = Object.entries(recordOf(value.value));
	const unknown = given.find(([name]) => columns.every((column) => column.name !== name));
	if (!unknown) return new Map(given);
	throw new FieldFault(mapper.displayName, `have no field "${short(unknown[0])}"`);
}

/**
 * Returns each field with its value, also those without one that are required.
 * @throws FieldFault for columns that can't be matched
 */
export function columnValues(
	mapper: Field,
	value: unknown,
	{ item, ignoresExtra = false }: { item: IDataObject; ignoresExtra?: boolean },
): Array<[Field, unknown]> {
	if (!isRecord(value)) {
		throw new FieldFault(mapper.displayName, 'must be mapped, by hand or automatically');
	}
	const isAutomatic = value.mappingMode === 'autoMapInputData';
	const values = isAutomatic ? matched(mapper, item, ignoresExtra) : entered(mapper, value);
	const { columns = [] } = mapper.send || {};
	return columns
		.map((column): [Field, unknown] => [column, values.get(column.name)])
		.filter(([column, each]) => column.required === true || !isBlank(each));
}
