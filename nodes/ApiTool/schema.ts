// The fields of an operation as arguments for a model, and the arguments of a call as values of the form.
import type { IDataObject } from 'n8n-workflow';
import { z, type ZodTypeAny } from 'zod';

import { formFields, hasLimit } from '../shared/description';
import type { Field, SingleField } from '../shared/fields';
import {
	FieldFault,
	isRecord,
	isUnset,
	numberOf,
	recordOf,
	type Operation,
} from '../shared/operation';
import { isPassword } from './catalog';

/** One argument of a tool, and the field of the form that it fills in. */
interface Argument {
	name: string;
	field: Field;
	/** The collection that holds the field. */
	inside?: string;
	required: boolean;
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `query` is taken: n8n looks for arguments inside of it. */
const argumentName = (name: string) => (name === 'query' ? 'question' : snake(name));

/** Choices of how to fill in a form, which a model doesn't have, and settings that only matter to people. */
const WAY = /^(wait\w*|output|format|sourceType|contentFrom|downloadAs|\w+(As|Input))$/;

/** The way that a model has: JSON where the fields depend on a record, else what the form begins with. */
function wayOf({ name, default: standard, options = [] }: SingleField): unknown {
	if (options.some(({ value }) => value === 'ids')) return 'ids';
	return name === 'dataInput' ? 'json' : standard;
}

const waysOf = (fields: Field[]): Record<string, unknown> =>
	Object.fromEntries(
		fields
			.filter((field): field is SingleField => WAY.test(field.name))
			.map((field) => [field.name, wayOf(field)]),
	);

/** True for what a model can't give: files, columns of items, a whole body, secrets. */
function isClosed(field: Field): boolean {
	const { send, type, name } = field;
	if (type === 'notice' || type === 'resourceMapper' || isPassword(field) || WAY.test(name))
		return true;
	const { as, file, rows, type: sent } = send || {};
	return as === '*' || file !== undefined || rows !== undefined || sent === 'column';
}

/** True if the field is there with these ways; `always` if nothing else decides on it. */
function shownBy({ displayOptions }: Field, ways: Record<string, unknown>) {
	const rules = Object.entries(displayOptions?.show ?? {});
	const isHidden = rules.some(
		([name, values]) => name in ways && !(values as unknown[]).includes(ways[name]),
	);
	const always = !displayOptions?.hide && rules.every(([name]) => name in ways);
	return { isHidden, always };
}

function argumentsIn(fields: Field[], ways: Record<string, unknown>, inside?: string): Argument[] {
	return fields.flatMap((field): Argument[] => {
		const { isHidden, always } = shownBy(field, ways);
		if (isHidden || isClosed(field)) return [];
		if (field.type === 'collection' && inside === undefined) {
			return argumentsIn(field.options, ways, field.name);
		}
		const isSet = !isUnset(field.default) && typeof field.default !== 'object';
		const isGiven = isSet && !String(field.default).startsWith('=');
		const required = field.required === true && always && !(isGiven && field.send === false);
		return [{ name: argumentName(field.name), field, inside, required }];
	});
}

/** The first sentence without what only matters in a form. */
const told = (description = '') =>
	description
		.replace(/<[^>]*>/g, '')
		.replace(/(?<=[^.]) ?(\. |\.$).*$/s, '')
		.trim();

/** Sentences that say no more than the name of the argument does. */
function isPlain(name: string, description: string): boolean {
	const words = description.toLowerCase().match(/[a-z]+/g) ?? [];
	const known = new Set([
		...name.split('_'),
		'the',
		'a',
		'of',
		'to',
		'work',
		'with',
		'id',
		'your',
		'own',
	]);
	return words.filter((word) => !known.has(word)).length <= 1;
}

const limited = (schema: z.ZodString, max?: number) =>
	max === undefined ? schema : schema.max(max);

function numberSchema({ typeOptions = {}, send }: Field): ZodTypeAny {
	const { minValue, maxValue } = typeOptions;
	const { type, above } = send || {};
	let schema = z.number();
	if (type === 'integer') schema = schema.int();
	if (minValue !== undefined) schema = schema.min(minValue);
	if (maxValue !== undefined) schema = schema.max(maxValue);
	return above === undefined ? schema : schema.gt(above);
}

function singleSchema(field: SingleField): ZodTypeAny {
	const { type: sent, maxLength } = field.send || {};
	const values = (field.options ?? []).map(({ value }) => String(value)).filter(Boolean);
	const choice = values.length > 0 ? z.enum(values as [string, ...string[]]) : z.string();
	if (field.type === 'options') return choice;
	if (field.type === 'multiOptions') return z.array(choice);
	if (field.type === 'boolean') return z.boolean();
	if (field.type === 'number') return numberSchema(field);
	if (field.type === 'json') {
		if (sent === 'array') return z.array(z.any());
		return sent === 'any' ? z.any() : z.record(z.any());
	}
	if (sent === 'any') return z.any();
	const isList = sent === 'list' || sent === 'values' || sent === 'joined' || sent === 'texts';
	return isList ? z.array(z.string()) : limited(z.string(), maxLength);
}

function schemaOf(field: Field): ZodTypeAny {
	const inner =
		field.type === 'collection'
			? field.options
			: field.type === 'fixedCollection'
				? field.options[0].values
				: undefined;
	if (!inner) return singleSchema(field as SingleField);
	const object = objectOf(argumentsIn(inner, {}, field.name));
	return field.typeOptions?.multipleValues ? z.array(object) : object;
}

function objectOf(args: Argument[], more: Record<string, ZodTypeAny> = {}): z.AnyZodObject {
	const shape = args.map(({ name, field, required }) => {
		const schema = required ? schemaOf(field) : schemaOf(field).optional();
		const isDate = field.type === 'dateTime';
		const text = isDate ? `${told(field.description)} (ISO 8601)` : told(field.description);
		return [name, isPlain(name, text) ? schema : schema.describe(text)] as const;
	});
	return z.object({ ...Object.fromEntries(shape), ...more });
}

const clears = ({ field }: Argument) => field.send !== false && field.send?.emptyClears === true;

/** Renames the fields, so that errors name them as the model knows them. */
function renamed(field: Field): Field {
	const own = { ...field, displayName: argumentName(field.name) };
	if (own.type === 'collection') return { ...own, options: own.options.map(renamed) };
	if (own.type !== 'fixedCollection') return own;
	const [group] = own.options;
	return { ...own, options: [{ ...group, values: group.values.map(renamed) }] };
}

/** An operation as a model sees it. */
export interface Signature {
	schema: z.AnyZodObject;
	/** The operation with fields that are named as the arguments. */
	operation: Operation;
	/** Returns the values of the form. Throws FieldFault for an unknown argument. */
	valuesOf(args: Record<string, unknown>, maxRows: number): Record<string, unknown>;
	/** Leaves out the rows that are skipped, where the API has no pages. */
	rowsOf(rows: IDataObject[], args: Record<string, unknown>): IDataObject[];
}

/** Values of an object or of a row, by the names of its fields. */
function inRow(fields: Field[], value: unknown): unknown {
	if (!isRecord(value)) return value;
	const known = new Map(argumentsIn(fields, {}, '').map(({ name, field }) => [name, field]));
	const entries = Object.entries(value).map(([name, each]) => {
		const field = known.get(name);
		if (!field) throw new FieldFault(name, `is none of ${[...known.keys()].join(', ')}`);
		return [field.name, valueFor(field, each)] as const;
	});
	return Object.fromEntries(entries);
}

function valueFor(field: Field, value: unknown): unknown {
	if (isUnset(value)) return undefined;
	if (field.type === 'collection') return inRow(field.options, value);
	if (field.type !== 'fixedCollection') return value;
	const [{ name, values }] = field.options;
	// A model that gives one row in place of a list means a list of it.
	const rows = Array.isArray(value) ? value.map((row) => inRow(values, row)) : inRow(values, value);
	return { [name]: rows };
}

export function signatureOf(operation: Operation): Signature {
	const { fields = [] } = operation;
	const ways = waysOf(fields);
	const found = argumentsIn(fields, ways);
	const args = [
		...new Map(found.map((each) => [each.name, each] as const).reverse()).values(),
	].reverse();
	const clearable = args.filter(clears).map(({ name }) => name);
	const isLimited = hasLimit(operation);
	const canSkip = formFields(operation).some(
		({ name, options = [] }) => name === 'options' && options.some((each) => each.name === 'skip'),
	);
	const more: Record<string, ZodTypeAny> = {
		...(isLimited && { skip: z.number().int().optional() }),
		...(clearable.length > 0 && {
			clear: z
				.array(z.enum(clearable as [string, ...string[]]))
				.optional()
				.describe('Fields to empty'),
		}),
	};
	const schema = objectOf(args, more);
	const names = Object.keys(schema.shape);

	const valuesOf: Signature['valuesOf'] = (given, maxRows) => {
		const unknown = Object.keys(given).find((name) => !names.includes(name));
		if (unknown !== undefined) {
			const fault =
				names.length > 0
					? `is none of the arguments ${names.join(', ')}`
					: 'is no argument: there are none';
			throw new FieldFault(unknown, fault);
		}
		const values: Record<string, unknown> = { ...ways };
		const cleared = [given.clear ?? []].flat();
		if (!cleared.every((name) => clearable.includes(String(name)))) {
			throw new FieldFault('clear', `takes only ${clearable.join(', ')}`);
		}
		for (const { name, field, inside } of args) {
			const isCleared = cleared.includes(name);
			const value = isCleared ? null : valueFor(field, given[name]);
			if (value === undefined) continue;
			if (inside === undefined) values[field.name] = value;
			else values[inside] = { ...recordOf(values[inside]), [field.name]: value };
		}
		if (isLimited) {
			if (!isUnset(given.skip) && !Number.isInteger(numberOf(given.skip))) {
				throw new FieldFault('skip', 'must be a whole number');
			}
			const skip = numberOf(given.skip) ?? 0;
			Object.assign(values, { returnAll: false, limit: canSkip ? maxRows : skip + maxRows });
			if (canSkip) values.options = { skip };
		}
		return values;
	};
	const rowsOf: Signature['rowsOf'] = (rows, given) =>
		canSkip || !isLimited ? rows : rows.slice(numberOf(given.skip) ?? 0);
	return { schema, operation: { ...operation, fields: fields.map(renamed) }, valuesOf, rowsOf };
}
