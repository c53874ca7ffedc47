// The fields of an operation as arguments for a model, and its arguments as values of the form.
//
// What must never happen: an argument of the model is dropped without a word. The API would then do something else than
// the model has asked for, and report a success. So an argument either gets into the request, or is empty,
// or is refused.
import type { IDataObject } from 'n8n-workflow';

import { FieldFault } from '../engine/base/apiRequest';
import { isRecord, isUnset, numberOf, recordOf } from '../engine/base/data';
import { onlyReads } from '../engine/base/definition';
import type { Field, SingleField } from '../engine/form/fields';
import { shapeOf as outputOf, type Operation } from '../engine/form/operation';
import { formOf } from '../engine/form/request';
import { isBlank } from '../engine/form/values';
import { hasLimit } from '../engine/node/description';
import { noteFor } from '../engine/node/execute';
import {
	any,
	boolean,
	enumOf,
	number,
	object,
	record,
	string,
	type AnyZodObject,
	type ZodRawShape,
	type ZodTypeAny,
} from './zod';

/** A field that a model fills in, by its display name, and the collection that holds it. */
interface Argument {
	field: Field;
	inside?: string;
	required: boolean;
}

type Values = Record<string, unknown>;

export const snake = (name: string) =>
	name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Calls fields as a model knows them, also in errors. n8n looks for arguments inside of one called `query`. */
function renamed(field: Field): Field {
	const displayName = field.name === 'query' ? 'question' : snake(field.name);
	if (field.type === 'collection') {
		return { ...field, displayName, options: field.options.map(renamed) };
	}
	if (field.type !== 'fixedCollection') return { ...field, displayName };
	const [group] = field.options;
	return { ...field, displayName, options: [{ ...group, values: group.values.map(renamed) }] };
}

/** Choices of how to fill in a form, which a model doesn't have, and settings that only matter to people. */
const WAY = /^(wait\w*|output|format|sourceType|contentFrom|downloadAs|\w+(As|Input))$/;

/** Ways to fill in the form: JSON where fields depend on a record, IDs, else what the form begins with. */
const waysOf = (fields: Field[]): Values =>
	Object.fromEntries(
		fields
			.filter(({ name }) => WAY.test(name))
			.map(({ name, default: standard, options = [] }) => {
				if (options.some((each) => 'value' in each && each.value === 'ids')) return [name, 'ids'];
				return [name, name === 'dataInput' ? 'json' : standard];
			}),
	);

/** True for a field that no model may fill in. */
export const isPassword = ({ typeOptions }: Field): boolean => typeOptions?.password === true;

/** True for what a model can't give: ways, a whole body, secrets. What a way hides is hidden with it. */
function isClosed(field: Field): boolean {
	const { as, rows } = field.send || {};
	const isForPeople = ['notice', 'resourceMapper'].includes(field.type) || WAY.test(field.name);
	return isForPeople || isPassword(field) || as === '*' || rows !== undefined;
}

function argumentsIn(fields: Field[], ways: Values = {}, inside?: string): Argument[] {
	return fields.flatMap((field): Argument[] => {
		const { show = {}, hide } = field.displayOptions ?? {};
		const rules = Object.entries(show) as Array<[string, unknown[]]>;
		const isHidden = rules.some(([name, values]) => name in ways && !values.includes(ways[name]));
		if (isHidden || isClosed(field)) return [];
		if (field.type === 'collection' && inside === undefined) {
			return argumentsIn(field.options, ways, field.name);
		}
		const isSure = !hide && rules.every(([name]) => name in ways);
		const isChosen = field.send === false && !isUnset(field.default);
		return [{ field, inside, required: field.required === true && isSure && !isChosen }];
	});
}

/** True for a read of several rows. A model reads a long one in parts. */
const isSkippable = (operation: Operation): boolean =>
	hasLimit(operation) ||
	(onlyReads(operation.endpoint) && ['list', 'strings'].includes(outputOf(operation).kind));

const innerOf = (field: Field): Field[] | undefined => {
	if (field.type === 'collection') return field.options;
	return field.type === 'fixedCollection' ? field.options[0].values : undefined;
};

/** The first sentence, without what only matters in a form. Empty if it says no more than the name does. */
function told({ displayName: name, type, description = '' }: Field): string {
	const text = description
		.replace(/<[^>]*>|Comma-separated /g, '')
		.replace(
			/[:,]?( separated by[\w ]*| comma-separated IDs)?,? or an array from an expression/,
			'',
		)
		.replace(/(?<=[^.]) ?(\. |\.$).*$/s, '');
	const known = new Set(`${name} the a of to work with id your own`.split(/[ _]/));
	const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
	const said = words.filter((word) => !known.has(word)).length > 1 ? text.trim() : '';
	return type === 'dateTime' ? `${said} (ISO 8601)`.trim() : said;
}

function numberSchema({ typeOptions: { minValue, maxValue } = {}, send }: Field): ZodTypeAny {
	const { type, above } = send || {};
	let schema = number();
	if (type === 'integer') schema = schema.int();
	if (minValue !== undefined) schema = schema.min(minValue);
	if (maxValue !== undefined) schema = schema.max(maxValue);
	return above === undefined ? schema : schema.gt(above);
}

function singleSchema({ type, options = [], send }: SingleField): ZodTypeAny {
	const { type: sent = '', maxLength } = send || {};
	const values = options.map(({ value }) => String(value)).filter(Boolean);
	const choice = values.length > 0 ? enumOf(values) : string();
	if (type === 'options') return choice;
	if (type === 'multiOptions') return choice.array();
	if (type === 'boolean') return boolean();
	if (sent === 'any') return any();
	if (type === 'json') return sent === 'array' ? any().array() : record();
	if (sent === 'list' || sent === 'texts') return string().array();
	return maxLength === undefined ? string() : string().max(maxLength);
}

function schemaOf(field: Field): ZodTypeAny {
	const inner = innerOf(field);
	if (!inner)
		return field.type === 'number' ? numberSchema(field) : singleSchema(field as SingleField);
	const row = object(shapeOf(argumentsIn(inner, {}, field.name)));
	return field.typeOptions?.multipleValues ? row.array() : row;
}

const shapeOf = (args: Argument[]): ZodRawShape =>
	Object.fromEntries(
		args.map(({ field, required }) => {
			const schema = required ? schemaOf(field) : schemaOf(field).optional();
			const text = told(field);
			return [field.displayName, text === '' ? schema : schema.describe(text)];
		}),
	);

/** True for a field that says who may see something. A blank one is refused: without it, everyone could. */
const isLimit = ({ send }: Field): boolean => send !== false && send?.limitsAccess === true;

function checkNames(given: Values, names: string[]): void {
	const unknown = Object.keys(given).find((name) => !names.includes(name));
	if (unknown === undefined) return;
	throw new FieldFault(
		unknown.slice(0, 60),
		`is no argument. There are: ${names.join(', ') || 'none'}`,
	);
}

/** Names what has to be chosen so that a field counts, in the words of the model. */
function needsOf({ displayOptions = {} }: Field, ways: Values, fields: Field[]): string {
	const rules = (of: 'show' | 'hide', join: string) =>
		Object.entries(displayOptions[of] ?? {})
			.filter(([name]) => !(name in ways))
			.map(([name, values = []]) => {
				const label = fields.find((each) => each.name === name)?.displayName ?? name;
				const listed = values.map(String).filter(Boolean).join(' or ');
				return listed === '' ? `any ${label}` : `${label} ${join}${listed}`;
			});
	return [...rules('hide', 'other than '), ...rules('show', '')].join(' and ');
}

/** True for what a model gives only because it fills in everything. */
const isNothing = ({ default: standard }: Field, value: unknown): boolean =>
	isBlank(value) || value === standard;

/** The value of a field of the form. A model that gives one row in place of a list means a list of it. */
function valueFor(field: Field, value: unknown): unknown {
	const inner = innerOf(field);
	if (isUnset(value)) return isLimit(field) && value !== undefined ? '' : undefined;
	if (!inner) return value;
	const inRow = (row: unknown): unknown => {
		if (!isRecord(row)) return row;
		const known = argumentsIn(inner, {}, field.name).map((each) => each.field);
		checkNames(
			row,
			known.map(({ displayName }) => displayName),
		);
		return Object.fromEntries(
			known.map((each) => [each.name, valueFor(each, row[each.displayName])]),
		);
	};
	if (field.type !== 'fixedCollection') return inRow(value);
	return { [field.options[0].name]: Array.isArray(value) ? value.map(inRow) : inRow(value) };
}

/** The value of a field. Null is what clears one of a tool, and a list only if it's replaced. */
function valueOrClear(field: Field, given: Values, cleared: unknown[]): unknown {
	const { displayName: name } = field;
	const value = valueFor(field, given[name]);
	if (cleared.includes(name)) {
		if (isBlank(value)) return null;
		throw new FieldFault(name, 'is given, and stands in clear, too');
	}
	const isOfCleared = cleared.some((each) => name === `change_${String(each)}`);
	return value === undefined && isOfCleared ? 'replace' : value;
}

/** Texts of the form, and what a model knows in their place. */
function wordsOf(fields: Field[]): Array<[string, string]> {
	return fields.flatMap((field): Array<[string, string]> => {
		const { displayName: label, options = [], type } = field;
		if (type === 'notice') return [];
		const { displayName: name } = renamed(field);
		if (type === 'collection') {
			const isUpdate = (each: Field) => !isClosed(each) && !(each.send && each.send.setting);
			const inner = field.options.filter(isUpdate).map((each) => renamed(each).displayName);
			const isEmpty = `"${name}" is empty: add at least one field to update`;
			return [[isEmpty, `Give at least one of ${inner.join(', ')}`], ...wordsOf(field.options)];
		}
		const choices = options.flatMap((each): Array<[string, string]> =>
			'value' in each ? [[`${label} to ${each.name}`, `${name} to ${String(each.value)}`]] : [],
		);
		return [...choices, [label, name]];
	});
}

/** Replaces texts where they stand as words of their own, the longest first. */
function translated(text: string, words: Array<[string, string]>): string {
	const known = new Map(words);
	const escaped = [...known.keys()]
		.sort((one, other) => other.length - one.length)
		.map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
	if (escaped.length === 0) return text;
	const pattern = new RegExp(`(?<!\\w)(?:${escaped.join('|')})(?!\\w)`, 'g');
	return text.replace(pattern, (each) => known.get(each) ?? each);
}

/** An operation as a model sees it. */
export class Signature {
	readonly operation: Operation;

	readonly schema: AnyZodObject;

	private readonly ways: Values;

	/** By name. A form can have a field in several places, of which it shows one. */
	private readonly places: Argument[][];

	private readonly clearable: string[];

	private readonly words: Array<[string, string]>;

	constructor(operation: Operation) {
		this.words = wordsOf(operation.fields ?? []);
		const fields = (operation.fields ?? []).map(renamed);
		this.operation = { ...operation, fields };
		this.ways = waysOf(fields);
		const found = argumentsIn(fields, this.ways);
		const names = new Set(found.map(({ field }) => field.name));
		this.places = [...names].map((name) => found.filter(({ field }) => field.name === name));
		const args = this.places.map(([first]) => first);
		this.clearable = args
			.filter(({ field: { send } }) => send !== false && send?.emptyClears)
			.map(({ field }) => field.displayName);
		this.schema = object({
			...shapeOf(args),
			...(isSkippable(operation) && { skip: number().int().optional() }),
			...(this.clearable.length > 0 && {
				clear: enumOf(this.clearable).array().optional().describe('Fields to empty'),
			}),
		});
	}

	get names(): string[] {
		return Object.keys(this.schema.shape);
	}

	/** Fields that the form shows with these values. */
	private shownWith(values: Values): Field[] {
		return formOf(this.operation, (name) => values[name], { timezone: 'UTC', item: {} }).fields;
	}

	/**
	 * The values of the form, each in the place that the form shows.
	 * @throws FieldFault for one whose field is hidden: it would be dropped
	 */
	private placed(valueOf: (field: Field) => unknown): Values {
		const { ways, places, operation } = this;
		const given = places.map((each) => [each, valueOf(each[0].field)] as const);
		const top = given.map(([[{ field, inside }], value]) =>
			inside === undefined && value !== undefined ? { [field.name]: value } : {},
		);
		const shown = this.shownWith(Object.assign({}, ways, ...top) as Values);
		const isShown = ({ field, inside }: Argument) =>
			shown.some((each) => (inside === undefined ? each === field : each.name === inside));
		const values: Values = { ...ways };
		for (const [each, value] of given) {
			if (value === undefined) continue;
			const place = each.find(isShown);
			const [{ field }] = each;
			if (!place && isNothing(field, value)) continue;
			if (!place) {
				const needs = needsOf(field, ways, operation.fields ?? []);
				throw new FieldFault(field.displayName, `only counts with ${needs}`);
			}
			const { inside } = place;
			if (inside === undefined) values[field.name] = value;
			else values[inside] = { ...recordOf(values[inside]), [field.name]: value };
		}
		return values;
	}

	/** @throws FieldFault for an argument that isn't there, or wouldn't get into the request */
	valuesOf(given: Values, maxRows: number): Values {
		checkNames(given, this.names);
		const cleared = [given.clear].flat().filter((name) => !isUnset(name));
		if (!cleared.every((name) => this.clearable.includes(String(name)))) {
			throw new FieldFault('clear', `takes only ${this.clearable.join(', ')}`);
		}
		const values = this.placed((field) => valueOrClear(field, given, cleared));
		if (!isSkippable(this.operation)) return values;
		const rows = isUnset(given.skip) ? 0 : numberOf(given.skip);
		if (rows === undefined || rows < 0 || !Number.isInteger(rows)) {
			throw new FieldFault('skip', 'must be a whole number');
		}
		if (!hasLimit(this.operation)) return values;
		return { ...values, returnAll: false, limit: rows + maxRows };
	}

	/**
	 * Leaves out rows that the model has read before, and those over Max Rows. Most lists of the API have no filter. What
	 * a change returns is never cut: it may be the only time that it's shown.
	 */
	rowsOf(rows: IDataObject[], { skip }: Values, maxRows: number): IDataObject[] {
		const { operation } = this;
		const start = isUnset(skip) ? 0 : Number(skip);
		if (hasLimit(operation)) return rows.slice(start);
		if (!onlyReads(operation.endpoint)) return rows;
		const shown = rows.slice(start, start + maxRows);
		const left = rows.length - start - shown.length;
		return [...shown, noteFor({ left: Math.max(left, 0), mayHaveMore: false }) ?? []].flat();
	}

	/**
	 * The text of an error in the words of the model. Checks of an operation name its fields as the form does. What isn't
	 * about a field, such as a message of the API, and what the model has given stay as they are.
	 */
	told(text: string): string {
		if (!text.startsWith('"')) return text;
		const [fault, ...given] = text.split(' (got ');
		return [translated(fault, this.words), ...given].join(' (got ');
	}
}
