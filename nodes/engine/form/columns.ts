// Columns of an input item -> the fields of a record, by their names.
import type { IDataObject } from 'n8n-workflow';

import { FieldFault } from '../base/apiRequest';
import { firstOf, isRecord, recordOf, short } from '../base/data';
import { nearMiss, plain } from '../base/nearest';
import type { Field } from './fields';
import { isBlank } from './values';

/** Columns that need no field: an ID, a row number, and what n8n adds for a tool. `send.beside` can name more. */
const BESIDE = ['id', 'rownumber', 'toolcallid'];

const NAMED = 5;

/** Settings aren't sent, and `*` has no name of its own. An empty cell neither clears a value nor is refused. */
export function columnsOf(fields: Field[]): Field[] {
	return fields.flatMap((field): Field[] => {
		if (field.type === 'collection') return columnsOf(field.options);
		const { send = {}, type } = field;
		if (send === false || send.setting || send.as === '*' || type === 'notice') return [];
		return [{ ...field, send: { ...send, empty: undefined } }];
	});
}

/** `inside` is the object that has the column, such as `address`, `''` for the record itself. */
function targetOf({ name, send }: Field): { key: string; inside: string } {
	const path = ((send && send.as) || name).split('.');
	return { key: path.at(-1)!, inside: plain(path.slice(0, -1).join('')) };
}

/** Columns by the names that a cell can have, as `plain` makes them: `city`, and with its object `addresscity`. */
function columnsByName(columns: Field[]): Map<string, Field> {
	const named = columns.flatMap((column) => {
		const { key, inside } = targetOf(column);
		const names = [column.name, column.displayName, key].map(plain);
		const inObject = names.map((each) => inside + each);
		return [...names, ...inObject].map((each) => [each, column] as const);
	});
	return new Map(named);
}

/** An object is one cell, unless the record has such an object: fields of another record must not fill those of this one. */
function cellsOf(item: IDataObject, columns: Field[]): Array<[string, unknown]> {
	const objects = new Set(columns.map((column) => targetOf(column).inside));
	const hasCells = (name: string) => name !== '' && objects.has(name);
	return Object.entries(item).flatMap(([name, value]): Array<[string, unknown]> =>
		isRecord(value) && hasCells(plain(name))
			? Object.entries(value).map(([key, each]) => [`${name}.${key}`, each])
			: [[name, value]],
	);
}

/** Names columns that fill no field, the fields that were probably meant, and all fields. */
export function unmatched(names: string[], labels: string[]): string {
	const shown = firstOf(
		names.map((name) => `"${name}"`),
		NAMED,
	);
	const meant = names.slice(0, NAMED).flatMap((name) => {
		const label = nearMiss(name, labels);
		return label === undefined ? [] : [`${label} for "${name}"`];
	});
	const question = meant.length > 0 ? ` Did you mean ${meant.join(', ')}?` : '';
	return `${shown}.${question} Fields: ${labels.join(', ')}.`;
}

/** To ignore the columns when none fills a field would leave nothing to send. */
export const MAP_BY_HAND = 'Rename them, or choose Map Each Column Manually';

/** Values of an item by the fields that its columns fill, without blanks. Throws FieldFault for extra or doubled columns. */
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
		const named = unmatched(
			extra,
			columns.map(({ displayName }) => displayName),
		);
		const fault =
			values.size === 0
				? `match no field: ${named} ${MAP_BY_HAND}`
				: `have no field for ${named} Rename them, choose Map Each Column Manually, or set Extra Columns to Ignore`;
		throw new FieldFault(mapper.displayName, fault);
	}
	return values;
}

/** Values that the user mapped by hand, by the names of their fields. Throws FieldFault for a field that doesn't exist. */
function entered(mapper: Field, value: IDataObject): Map<string, unknown> {
	const { columns = [] } = mapper.send || {};
	const given = Object.entries(recordOf(value.value));
	const unknown = given.find(([name]) => columns.every((column) => column.name !== name));
	if (unknown) throw new FieldFault(mapper.displayName, `have no field "${short(unknown[0])}"`);
	return new Map(given);
}

/**
 * The fields that columns fill, with their values, undefined for a blank one. All required fields are there, so that a blank
 * one is refused. Throws FieldFault for columns that can't be matched.
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
		.filter(({ name, required }) => required === true || values.has(name))
		.map((column) => {
			const each = values.get(column.name);
			return [column, isBlank(each) ? undefined : each];
		});
}
