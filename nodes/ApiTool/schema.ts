// The fields of an operation as arguments for a model, and its arguments as values of the form.
//
// What must never happen: an argument of the model is dropped without a word. The API would then do something else than
// the model has asked for, and report a success. So an argument either gets into the request, or is empty,
// or is refused.
import { FieldFault } from '../engine/base/apiRequest';
import { isRecord, isUnset, recordOf } from '../engine/base/data';
import type { Field, SingleField } from '../engine/form/fields';
import type { Operation } from '../engine/form/operation';
import { formOf } from '../engine/form/request';
import { isBlank } from '../engine/form/values';
import { listArguments, listValues } from './parts';
import { argumentName, describedBy, translated, wordsOf, type Words } from './words';
import {
	any,
	boolean,
	enumOf,
	number,
	object,
	record,
	string,
	type ZodObject,
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

type Describe = (field: Field) => string;

/** Calls fields as a model knows them, also in errors. */
function renamed(field: Field): Field {
	const displayName = argumentName(field);
	if (field.type === 'collection') {
		return { ...field, displayName, options: field.options.map(renamed) };
	}
	if (field.type !== 'fixedCollection') return { ...field, displayName };
	const [group] = field.options;
	return { ...field, displayName, options: [{ ...group, values: group.values.map(renamed) }] };
}

/** Choices of how to fill in a form, which a model doesn't have, and settings that only matter to people. */
const WAY =
	/^(wait\w*|keep[A-Z]\w*|readWhole|output|format|sourceType|contentFrom|downloadAs|\w+(As|Input))$/;

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

/**
 * Choices that follow from what a model gives: they aren't sent, but decide which fields count, or that the operation calls
 * its alternative endpoint.
 */
function choosersIn({ fields = [], alternative }: Operation): SingleField[] {
	const decides = (name: string) =>
		alternative?.field === name ||
		fields.some(
			({ displayOptions: { show = {}, hide = {} } = {} }) => name in show || name in hide,
		);
	const isUnsent = ({ send }: Field) => send === false || send?.setting === true;
	return fields.filter(
		(field): field is SingleField =>
			field.type === 'options' && isUnsent(field) && !WAY.test(field.name) && decides(field.name),
	);
}

/** All ways to fill in the form, first the one that it begins with. */
const allWays = (operation: Operation): Values[] =>
	choosersIn(operation).reduce<Values[]>(
		(ways, { name, default: standard, options = [] }) => {
			const others = options.map(({ value }) => value).filter((value) => value !== standard);
			const values: unknown[] = [standard, ...others];
			return ways.flatMap((way) => values.map((value) => ({ ...way, [name]: value })));
		},
		[waysOf(operation.fields ?? [])],
	);

/** True for what a model can't give: ways, a whole body. What a way hides is hidden with it. */
function isClosed(field: Field): boolean {
	const { as, rows } = field.send || {};
	const isForPeople = ['notice', 'resourceMapper'].includes(field.type) || WAY.test(field.name);
	return isForPeople || as === '*' || rows !== undefined;
}

/**
 * Arguments for the fields that a model can give in one way to fill in the form. One is only required if the way alone decides
 * that its field is shown.
 */
function argumentsIn(fields: Field[], ways: Values = {}, inside?: string): Argument[] {
	return fields.flatMap((field): Argument[] => {
		if (field.name in ways) return [];
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

const innerOf = (field: Field): Field[] | undefined => {
	if (field.type === 'collection') return field.options;
	return field.type === 'fixedCollection' ? field.options[0].values : undefined;
};

function numberSchema({ typeOptions: { minValue, maxValue } = {}, send }: Field): ZodTypeAny {
	const { type, above } = send || {};
	let schema = number();
	if (type === 'integer') schema = schema.int();
	if (minValue !== undefined) schema = schema.min(minValue);
	if (maxValue !== undefined) schema = schema.max(maxValue);
	return above === undefined ? schema : schema.gt(above);
}

/** The schema of a field that has no fields below it, except a number. */
function singleSchema({ type, options = [], send, required }: SingleField): ZodTypeAny {
	const { type: sent = '', maxLength } = send || {};
	const values = options.map(({ value }) => String(value)).filter(Boolean);
	const choice = values.length > 0 ? enumOf(values) : string();
	if (type === 'options') return choice;
	if (type === 'multiOptions') return choice.array();
	if (type === 'boolean') return boolean();
	// zod takes nothing for any value, so it would call a required one optional.
	if (sent === 'any') return required ? string().or(record()) : any();
	if (type === 'json') return sent === 'array' ? any().array() : record();
	if (sent === 'list' || sent === 'texts') return string().array();
	return maxLength === undefined ? string() : string().max(maxLength);
}

function schemaOf(field: Field, describe: Describe): ZodTypeAny {
	const inner = innerOf(field);
	if (!inner)
		return field.type === 'number' ? numberSchema(field) : singleSchema(field as SingleField);
	const row = object(zodShapeOf(argumentsIn(inner, {}, field.name), describe));
	return field.typeOptions?.multipleValues ? row.array() : row;
}

/** Properties by the label of the form, which a model reads as the name of an argument. */
const zodShapeOf = (args: Argument[], describe: Describe): ZodRawShape =>
	Object.fromEntries(
		args.map(({ field, required }) => {
			const own = schemaOf(field, describe);
			const schema = required ? own : own.optional();
			const text = describe(field);
			return [field.displayName, text === '' ? schema : schema.describe(text)];
		}),
	);

/** The error for an update of nothing, and the fields that it may have. */
const emptyUpdates = ({ fields = [] }: Operation): Words =>
	fields.flatMap((field): Words => {
		if (field.type !== 'collection') return [];
		const isUpdate = (each: Field) => !isClosed(each) && !(each.send && each.send.setting);
		const names = field.options.filter(isUpdate).map(argumentName);
		const empty = `"${argumentName(field)}" is empty: add at least one field to update`;
		return [[empty, `Give at least one of ${names.join(', ')}`]];
	});

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

const trimmed = (value: unknown): unknown => {
	if (typeof value === 'string') return value.trim();
	return Array.isArray(value) ? value.map(trimmed) : value;
};

const isId = ({ type, name }: Field): boolean => type === 'resourceLocator' || /Ids?$/.test(name);

/** The value of a field of the form. A model that gives one row in place of a list means a list of it. */
function valueFor(field: Field, value: unknown): unknown {
	const inner = innerOf(field);
	if (isUnset(value)) return isLimit(field) && value !== undefined ? '' : undefined;
	if (!inner) return isId(field) ? trimmed(value) : value;
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

/** An operation as a model sees it. */
export class Signature {
	readonly operation: Operation;

	readonly schema: ZodObject<ZodRawShape>;

	private readonly ways: Values[];

	/** By name. A form can have a field in several places, of which it shows one. */
	private readonly places: Argument[][];

	private readonly clearable: string[];

	readonly words: Words;

	/**
	 * @param tool its name
	 * @param tools all operations in the words of the form, each with the name of its tool
	 */
	constructor(operation: Operation, tool: string, tools: Words) {
		const fields = (operation.fields ?? []).map(renamed);
		this.operation = { ...operation, fields };
		this.ways = allWays(this.operation);
		this.words = [...emptyUpdates(operation), ...wordsOf(operation.fields ?? []), ...tools];
		const found = this.ways.map((way) => argumentsIn(fields, way));
		const counts = new Set(found.flat().map(({ field }) => field));
		const all = argumentsIn(fields, waysOf(fields)).filter(({ field }) => counts.has(field));
		const names = [...new Set(all.map(({ field }) => field.name))];
		this.places = names.map((name) => all.filter(({ field }) => field.name === name));
		const isRequired = (name: string) =>
			found.every((args) => args.some(({ field, required }) => required && field.name === name));
		const args = this.places.map(([first]) => ({
			...first,
			required: isRequired(first.field.name),
		}));
		this.clearable = args
			.filter(({ field: { send } }) => send !== false && send?.emptyClears)
			.map(({ field }) => field.displayName);
		this.schema = object({
			...zodShapeOf(args, (field) => describedBy(field, tool, this.words)),
			...listArguments(operation),
			...(this.clearable.length > 0 && {
				clear: enumOf(this.clearable).array().optional().describe('Fields to empty: check them'),
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

	/** The first way to fill in the form in which all that is given counts, and nothing is missing. */
	private wayFor(given: string[]): Values {
		const isFit = (way: Values) => {
			const args = argumentsIn(this.operation.fields ?? [], way);
			return (
				given.every((name) => args.some(({ field }) => field.name === name)) &&
				args.every(({ field, required }) => !required || given.includes(field.name))
			);
		};
		return this.ways.find(isFit) ?? this.ways[0];
	}

	/**
	 * The values of the form, each in the place that the form shows.
	 * @throws FieldFault for one whose field is hidden: it would be dropped
	 */
	private placed(valueOf: (field: Field) => unknown): Values {
		const { places, operation } = this;
		const given = places
			.map((each) => [each, valueOf(each[0].field)] as const)
			.filter(([, value]) => value !== undefined);
		const meant = given.filter(([[{ field }], value]) => !isNothing(field, value));
		const way = this.wayFor(meant.map(([[{ field }]]) => field.name));
		const top = given.map(([[{ field, inside }], value]) =>
			inside === undefined ? { [field.name]: value } : {},
		);
		const shown = this.shownWith(Object.assign({}, way, ...top) as Values);
		const isShown = ({ field, inside }: Argument) =>
			shown.some((each) => (inside === undefined ? each === field : each.name === inside));
		const values: Values = { ...way };
		for (const [each, value] of given) {
			const place = each.find(isShown);
			const [{ field }] = each;
			if (!place && isNothing(field, value)) continue;
			if (!place) {
				const needs = needsOf(field, way, operation.fields ?? []);
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
		return { ...values, ...listValues(this.operation, given, maxRows) };
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
