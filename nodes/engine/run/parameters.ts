// Reads the parameters of a node for one item.
import type { IExecuteFunctions } from 'n8n-workflow';

import { isUnset, recordOf } from '../base/data';
import { holdsExpression } from '../base/expressions';
import type { SentField } from '../client/http/errorContext';
import { isPaged, pagingOf, type ListShape } from '../client/list/rows';
import { checkedValue, wireName, wireValues } from '../form/containers';
import type { Field } from '../form/fields';
import type { Operation } from '../form/operation';
import { isSecret } from '../form/limits';
import { limitField, numberFrom, returnAllField, skipField, TOOL_LIMIT } from '../form/options';
import type { Form } from '../form/request';

export type Parameter = (name: string) => unknown;

/** Marks a parameter with an expression among the constants: each item evaluates it. */
const VARIES = Symbol('varies');

/** Reads the parameters of an item, each once, since an expression may be slow or random. `constants` are shared by all. */
export function parametersOf(
	context: Pick<IExecuteFunctions, 'getNodeParameter'>,
	constants: Map<string, unknown> | undefined,
	index: number,
): Parameter {
	const own = new Map<string, unknown>();
	return (name) => {
		if (own.has(name)) return own.get(name);
		if (constants && !constants.has(name)) {
			const raw = context.getNodeParameter(name, index, null, { rawExpressions: true });
			const varies = holdsExpression(raw);
			constants.set(name, varies ? VARIES : context.getNodeParameter(name, index, null));
		}
		const constant = constants ? constants.get(name) : VARIES;
		if (constant !== VARIES) return constant;
		const value: unknown = context.getNodeParameter(name, index, null);
		own.set(name, value);
		return value;
	};
}

/** All texts in a value. A number counts as text, since an expression may return it. */
function textsIn(value: unknown): string[] {
	if (typeof value === 'number') return [String(value)];
	if (typeof value === 'string') return [value];
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Texts of a secret field that no error may show, as entered and as sent, such as a certificate with its line breaks. */
export function secretTexts(field: Field, value: unknown): string[] {
	if (field.type === 'collection') {
		const added = recordOf(value);
		return field.options.flatMap((each) => secretTexts(each, added[each.name]));
	}
	if (!isSecret(field)) return [];
	try {
		return [...textsIn(value), ...textsIn(checkedValue(field, value))];
	} catch {
		// An invalid value isn't sent, but n8n's error of an expression may show it.
		return textsIn(value);
	}
}

/** True if an input item may give a field a value that no error may show. */
function hasSecret(field: Field): boolean {
	if (field.type === 'collection') return field.options.some(hasSecret);
	if (field.type === 'fixedCollection') return field.options[0].values.some(hasSecret);
	return isSecret(field);
}

const secretFields = new WeakMap<Operation, Field[]>();

/** Fields of an operation that may hold a secret. Looked for once, since each item asks for them. */
export function secretFieldsOf(operation: Operation): Field[] {
	const known = secretFields.get(operation) ?? (operation.fields ?? []).filter(hasSecret);
	secretFields.set(operation, known);
	return known;
}

/** Max length of a value that an error shows. */
const SHOWN = 40;

/** Fields that a request sends, for errors. Those that are secret, long or nested, or may hold a secret, have no value. */
export function sentFields({ fields, values, context }: Form): SentField[] {
	const sent = wireValues(fields, values, context).filter(([{ send }]) => !(send && send.setting));
	return sent.map(([field, wire]) => {
		const isPlain = ['string', 'number', 'boolean'].includes(typeof wire);
		const text = String(wire);
		const isShort = isPlain && text.length <= SHOWN;
		// JSON can hold secrets, and a URL a password or a signature.
		const mayBeShown = field.type !== 'json' && !isSecret(field);
		const value = isShort && mayBeShown && !/:\/\/.*[@?]/.test(text) ? text : undefined;
		const name = wireName(field).split('.').at(-1) ?? '';
		return { field: field.displayName, name, value };
	});
}

/** Max rows, Infinity for all. An empty Limit is refused, except from the model of a tool: the default counts then. */
export function limitOf(
	context: IExecuteFunctions,
	shape: ListShape,
	index: number,
	isTool: boolean,
): number {
	if (pagingOf(shape) === 'unpaged') return Infinity;
	if (checkedValue(returnAllField, context.getNodeParameter('returnAll', index))) return Infinity;
	const limit = context.getNodeParameter('limit', index);
	if (isTool && isUnset(limit)) return TOOL_LIMIT;
	return Number(checkedValue({ ...limitField, required: true }, limit));
}

/** Number of rows to leave out at the start of a list. */
export function skipOf(context: IExecuteFunctions, shape: ListShape, index: number): number {
	if (!isPaged(shape)) return 0;
	const options = recordOf(context.getNodeParameter('options', index, {}));
	return numberFrom('Options', skipField, options);
}
