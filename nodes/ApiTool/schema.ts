// The fields of an operation as arguments for a model, and its arguments as values of the form.
//
// What must never happen: an argument of the model is dropped without a word. The API would then do something else than the
// model has asked for, and report a success. So an argument either gets into the request, or is empty, or is refused.
import { FieldFault } from '../engine/base/apiRequest';
import { isRecord, isUnset, recordOf } from '../engine/base/data';
import type { Field, SingleField } from '../engine/form/fields';
import type { Operation } from '../engine/form/operation';
import { refuse } from '../engine/form/limits';
import { isNotGiven, isRefusedOfModel } from '../engine/form/nothing';
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

/** A field that a model fills in, by its display name. */
interface Argument {
	field: Field;
	/** Name of the collection that holds the field, if it isn't at the top of the form. */
	inside?: string;
	required: boolean;
}

type Values = Record<string, unknown>;

type Describe = (field: Field) => string;

/** Gives a field, and those below it, the display name that a model knows, so that errors have it, too. */
function renamed(field: Field): Field {
	const displayName = argumentName(field);
	if (field.type === 'collection') {
		return { ...field, displayName, options: field.options.map(renamed) };
	}
	if (field.type !== 'fixedCollection') return { ...field, displayName };
	const [group] = field.options;
	return { ...field, displayName, options: [{ ...group, values: group.values.map(renamed) }] };
}

/** A model doesn't see fields that choose how to fill in a form, settings that only matter to people, and who may see what. */
const WAY =
	/^(access\w*|wait\w*|keep[A-Z]\w*|readWhole|sendUnchanged|approvedChanges|output|format|sourceType|contentFrom|downloadAs|\w+(As|Input))$/;

/** Fixed values of these fields: IDs, JSON where fields depend on a record (`dataInput`), else what the form begins with. */
const waysOf = (fields: Field[]): Values =>
	Object.fromEntries(
		fields
			.filter(({ name }) => WAY.test(name))
			.map(({ name, default: standard, options = [] }) => {
				if (options.some((each) => 'value' in each && each.value === 'ids')) return [name, 'ids'];
				return [name, name === 'dataInput' ? 'json' : standard];
			}),
	);

/** Unsent fields that decide which others count, or on an alternative endpoint. `wayFor` sets them by what a model gives. */
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

/** The choice of the key doesn't follow from what is given: a model may give both keys of a record, and either finds it. */
const isAsked = ({ name }: Field): boolean => name === 'matchBy';

/** Each combination of values of the choosers. The form begins with the first. */
const allWays = (operation: Operation): Values[] =>
	choosersIn(operation).reduce<Values[]>(
		(ways, { name, default: standard, options = [] }) => {
			const others = options.map(({ value }) => value).filter((value) => value !== standard);
			const values: unknown[] = [standard, ...others];
			return ways.flatMap((way) => values.map((value) => ({ ...way, [name]: value })));
		},
		[waysOf(operation.fields ?? [])],
	);

/** A model can't give fields for people, a whole body (`*`), or JSON in place of rows that it can give. */
function isClosed(field: Field): boolean {
	const { as, rows } = field.send || {};
	const isForPeople = ['notice', 'resourceMapper'].includes(field.type) || WAY.test(field.name);
	return isForPeople || as === '*' || rows !== undefined;
}

/**
 * Arguments for the fields that a model can give in one way to fill in the form. An argument is only required if the way alone
 * decides that its field is shown, and if its field isn't an unsent one with a default.
 * @param inside collection or rows that the fields are in
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
	let schema = number();
	if (send && send.type === 'integer') schema = schema.int();
	if (minValue !== undefined) schema = schema.min(minValue);
	if (maxValue !== undefined) schema = schema.max(maxValue);
	return schema;
}

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

/** The names of arguments are the labels that `renamed` has given their fields. */
const zodShapeOf = (args: Argument[], describe: Describe): ZodRawShape =>
	Object.fromEntries(
		args.map(({ field, required }) => {
			const ofField = schemaOf(field, describe);
			const schema = required ? ofField : ofField.optional();
			const text = describe(field);
			return [field.displayName, text === '' ? schema : schema.describe(text)];
		}),
	);

/** The errors for a form of which nothing is sent, each with what to tell a model: the arguments that it may give. */
const emptyForms = ({ fields = [], makes, endpoint }: Operation): Words => {
	const sent = fields.flatMap((field) => (field.type === 'collection' ? field.options : [field]));
	const isSent = ({ send, ...each }: Field) =>
		send !== false && !send?.setting && !endpoint.pathParameters.includes(each.name);
	const given = sent.filter((each) => isSent(each) && !isClosed(each));
	const names = [...new Set(given.map(argumentName))].join(', ');
	const clears = given.some(({ send }) => send && send.empty === 'clears');
	const told = `Give at least one of ${names}${clears ? '. To empty one, name it in clear' : ''}`;
	const forms = fields.flatMap((field) => {
		if (makes) return `"${argumentName(field)}" or another field of the form must be filled in`;
		if (field.type !== 'collection') return [];
		return `"${argumentName(field)}" is empty: add at least one field to update`;
	});
	return forms.map((form) => [form, told]);
};

/** Throws FieldFault for an argument that isn't among `names`. `what` is the tool, or the argument that is a row. */
function checkNames(given: Values, names: string[], what: string): void {
	const unknown = Object.keys(given).find((name) => !names.includes(name));
	if (unknown === undefined) return;
	const known = names.length > 0 ? `There are: ${names.join(', ')}` : 'It has none';
	throw new FieldFault(unknown.slice(0, 60), `is no argument of ${what}. ${known}`);
}

/** The choices that make a hidden field count, in the words of the model. It can't choose `ways`. */
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

/** A model that fills in everything gives blanks and defaults, too. */
const isNothing = (field: Field, value: unknown): boolean =>
	isNotGiven(field, value) || value === field.default;

const trimmed = (value: unknown): unknown => {
	if (typeof value === 'string') return value.trim();
	return Array.isArray(value) ? value.map(trimmed) : value;
};

const isId = ({ type, name }: Field): boolean => type === 'resourceLocator' || /Ids?$/.test(name);

/** The value of a field of the form, which takes one row for a list of one. Throws FieldFault for an unknown name in a row. */
function valueFor(field: Field, value: unknown): unknown {
	const inner = innerOf(field);
	// Where a model can't leave a field blank, it goes on as null, which the form refuses.
	if (isUnset(value)) return isRefusedOfModel(field) && value !== undefined ? null : undefined;
	if (!inner) return isId(field) ? trimmed(value) : value;
	const inRow = (row: unknown): unknown => {
		if (isUnset(row)) return row;
		const cells = argumentsIn(inner, {}, field.name).map((each) => each.field);
		const names = cells.map(({ displayName }) => displayName);
		if (!isRecord(row)) return refuse(field, row, `must have ${names.join(', ')} as an object`);
		checkNames(row, names, field.displayName);
		return Object.fromEntries(
			cells
				.map((each): [string, unknown] => {
					const cell = row[each.displayName];
					const clears = cell === '' && each.send && each.send.empty === 'clears';
					return [each.name, clears ? cell : valueFor(each, cell)];
				})
				.filter(([, cell]) => cell !== undefined),
		);
	};
	if (field.type !== 'fixedCollection') return inRow(value);
	return { [field.options[0].name]: Array.isArray(value) ? value.map(inRow) : inRow(value) };
}

/**
 * The value of a field, or null to clear it, for fields that `clear` names. A list is only emptied if the change of it is
 * Replace (`change_tags`), so that is its default then.
 * @throws FieldFault for a field that is both given and cleared
 */
function valueOrClear(field: Field, given: Values, cleared: unknown[]): unknown {
	const { displayName: name } = field;
	const value = valueFor(field, given[name]);
	if (cleared.includes(name)) {
		if (isBlank(value)) return null;
		throw new FieldFault(name, 'is given, and stands in clear, too');
	}
	const changesCleared = cleared.some((each) => name === `change_${String(each)}`);
	return value === undefined && changesCleared ? 'replace' : value;
}

export class Signature {
	readonly operation: Operation;

	readonly schema: ZodObject<ZodRawShape>;

	private readonly ways: Values[];

	/** Arguments, each with its places. A form can have a field in several, of which it shows one. */
	private readonly places: Argument[][];

	/** Choosers that a model may set. */
	private readonly asked: SingleField[];

	/** Names of arguments of which one must be given. Empty if no operation's way to fill in the form depends on that. */
	private readonly either: string[];

	private readonly clearable: string[];

	/** Texts of the form and of errors, each with what a model reads in its place. */
	readonly words: Words;

	/** @param tools all operations in the words of the form, each with the name of its tool */
	constructor(
		operation: Operation,
		private readonly tool: string,
		tools: Words,
	) {
		const fields = (operation.fields ?? []).map(renamed);
		this.operation = { ...operation, fields };
		this.ways = allWays(this.operation);
		this.asked = choosersIn(this.operation).filter(isAsked);
		const open = (operation.fields ?? []).filter((field) => !isClosed(field));
		this.words = [...emptyForms(operation), ...wordsOf(open), ...tools];
		const byWay = this.ways.map((way) => argumentsIn(fields, way));
		const reachable = new Set(byWay.flat().map(({ field }) => field));
		// Choosers, and fields that no way shows, are left out.
		const all = argumentsIn(fields, waysOf(fields)).filter(({ field }) => reachable.has(field));
		const names = [...new Set(all.map(({ field }) => field.name))];
		this.places = names.map((name) => all.filter(({ field }) => field.name === name));
		const needed = byWay.map((args) =>
			args.filter(({ required }) => required).map(({ field }) => field.displayName),
		);
		const isNeeded = (name: string) => needed.every((each) => each.includes(name));
		const isRequired = (name: string) => isNeeded(argumentName({ name } as Field));
		const others = needed.map((each) => each.filter((name) => !isNeeded(name)));
		this.either = others.every((each) => each.length > 0) ? [...new Set(others.flat())] : [];
		const args = this.places.map(([first]) => ({
			...first,
			required: isRequired(first.field.name),
		}));
		this.clearable = args
			.filter(({ field: { send } }) => send && send.empty === 'clears')
			.map(({ field }) => field.displayName);
		this.schema = object({
			...zodShapeOf(
				[...args, ...this.asked.map((field) => ({ field, required: false }))],
				(field) => this.described(field, tool),
			),
			...listArguments(operation),
			...(this.clearable.length > 0 && {
				clear: enumOf(this.clearable).array().optional().describe('Fields to empty: check them'),
			}),
		});
	}

	/** The schema calls each of several arguments optional of which one must be given, so the description says so. */
	private described(field: Field, tool: string): string {
		const text = describedBy(field, tool, this.words);
		if (!this.either.includes(field.displayName)) return text;
		return [text, `Give ${this.either.join(' or ')}`].filter(Boolean).join('. ');
	}

	get names(): string[] {
		return Object.keys(this.schema.shape);
	}

	/** Neither a timezone nor an item changes which fields the form shows. */
	private shownWith(values: Values): Field[] {
		return formOf(this.operation, (name) => values[name], { timezone: 'UTC', item: {} }).fields;
	}

	/** The first way to fill in the form in which all given fields count and nothing required is missing, else the default. */
	private wayFor(given: string[], asked: Values): Values {
		const ways = this.ways.filter((way) =>
			Object.entries(asked).every(([name, value]) => way[name] === value),
		);
		const isFit = (way: Values) => {
			const args = argumentsIn(this.operation.fields ?? [], way);
			return (
				given.every((name) => args.some(({ field }) => field.name === name)) &&
				args.every(({ field, required }) => !required || given.includes(field.name))
			);
		};
		return ways.find(isFit) ?? ways[0];
	}

	/** Values of the form, in the places that it shows. Throws FieldFault for a value of a hidden field: it would be dropped. */
	private placed(valueOf: (field: Field) => unknown, asked: Values): Values {
		const { places, operation } = this;
		const given = places
			.map((each) => [each, valueOf(each[0].field)] as const)
			.filter(([, value]) => value !== undefined);
		// Blanks and defaults of a model that fills in everything don't decide on the way.
		const meant = given.filter(([[{ field }], value]) => !isNothing(field, value));
		const names = meant.map(([[{ field }]]) => field.displayName);
		const [first, ...more] = this.either;
		if (first !== undefined && !this.either.some((name) => names.includes(name))) {
			throw new FieldFault(first, `${more.map((name) => `or "${name}" `).join('')}must be given`);
		}
		const way = this.wayFor(
			meant.map(([[{ field }]]) => field.name),
			asked,
		);
		const top = given.map(([[{ field, inside }], value]) =>
			inside === undefined ? { [field.name]: value } : {},
		);
		const shown = this.shownWith(Object.assign({}, way, ...top) as Values);
		const isShown = ({ field, inside }: Argument) =>
			shown.some((each) => (inside === undefined ? each === field : each.name === inside));
		const values: Values = { ...way };
		for (const [each, value] of given) {
			const place = each.find(isShown);
			const [{ field, required }] = each;
			if (!place && isNothing(field, value)) continue;
			if (!place) {
				const needs = needsOf(field, way, operation.fields ?? []);
				throw new FieldFault(field.displayName, `only counts with ${needs}`);
			}
			const { inside } = place;
			// A field at the top of the form stands there anyway, so the form wouldn't take it for one that was added.
			if (inside === undefined && isRefusedOfModel(field) && isNotGiven(field, value)) {
				const otherwise = required ? '' : '. Give a value, or leave it out';
				throw new FieldFault(field.displayName, `must not be empty${otherwise}`);
			}
			if (inside === undefined) values[field.name] = value;
			else values[inside] = { ...recordOf(values[inside]), [field.name]: value };
		}
		return values;
	}

	/** The choosers that a model has set. Throws FieldFault for a value that isn't offered. */
	private askedIn(given: Values): Values {
		const set = this.asked.filter(({ displayName }) => !isUnset(given[displayName]));
		return Object.fromEntries(
			set.map(({ name, displayName, options = [] }) => {
				const values = options.map(({ value }) => value);
				const value = given[displayName];
				if (values.some((each) => each === value)) return [name, value];
				throw new FieldFault(displayName, `must be one of ${values.join(', ')}`);
			}),
		);
	}

	/** @throws FieldFault for an argument that isn't there, or wouldn't get into the request */
	valuesOf(given: Values, maxRows: number): Values {
		checkNames(given, this.names, this.tool);
		const cleared = [given.clear].flat().filter((name) => !isUnset(name));
		if (!cleared.every((name) => this.clearable.includes(String(name)))) {
			throw new FieldFault('clear', `takes only ${this.clearable.join(', ')}`);
		}
		const values = this.placed((field) => valueOrClear(field, given, cleared), this.askedIn(given));
		return { ...values, ...listValues(this.operation, given, maxRows) };
	}

	/**
	 * The text of an error in the words of the model. Checks of an operation name its fields as the form does, in quotes at the
	 * start. Other texts, such as messages of the API, stay as they are, and so does what the model has given (`got`).
	 */
	told(text: string): string {
		if (!text.startsWith('"')) return text;
		const [fault, ...given] = text.split(' (got ');
		// A model has no objects of n8n.
		const plain = fault.replace(', an n8n date', '');
		return [translated(plain, this.words), ...given].join(' (got ');
	}
}
