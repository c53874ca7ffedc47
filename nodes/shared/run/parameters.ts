// What the form of a node holds for one item.
import type { IExecuteFunctions } from 'n8n-workflow';

import type { SentField } from '../client/http/errorContext';
import { isPaged, type ListShape } from '../client/list/rows';
import { checkedValue, toWire, wireName, wireValues } from '../form/containers';
import { limitField, skipField } from '../form/options';
import { isSecret } from '../form/refuse';
import type { Form } from '../form/request';
import { isRecord, recordOf } from '../operation';
import type { Field } from '../fields';

/** The value of a form field by name. */
export type Parameter = (name: string) => unknown;

/** Whether n8n evaluates something in a raw parameter, so that it can differ between items. */
function holdsExpression(raw: unknown): boolean {
	if (typeof raw === 'string') return raw.startsWith('=');
	return typeof raw === 'object' && raw !== null && Object.values(raw).some(holdsExpression);
}

/** In place of a constant: it holds an expression, so that it can differ between items. */
const VARIES = Symbol('varies');

/**
 * The parameters of one item by name. Each is evaluated once, since its expression may be costly or
 * give a random number; what holds no expression, once for all items.
 */
export function parametersOf(
	context: Pick<IExecuteFunctions, 'getNodeParameter'>,
	constants: Map<string, unknown>,
	index: number,
): Parameter {
	const own = new Map<string, unknown>();
	return (name) => {
		if (own.has(name)) return own.get(name);
		if (!constants.has(name)) {
			const raw = context.getNodeParameter(name, index, null, { rawExpressions: true });
			const varies = holdsExpression(raw);
			constants.set(name, varies ? VARIES : context.getNodeParameter(name, index, null));
		}
		const constant = constants.get(name);
		if (constant !== VARIES) return constant;
		const value: unknown = context.getNodeParameter(name, index, null);
		own.set(name, value);
		return value;
	};
}

/** The texts in a value; a number counts as one, since an expression may give it. */
function textsIn(value: unknown): string[] {
	if (typeof value === 'number') return [String(value)];
	if (typeof value === 'string') return [value];
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** What a secret field holds, and what it sends, such as a certificate with its line breaks. */
function secretTexts(field: Field, value: unknown): string[] {
	try {
		return [...textsIn(value), ...textsIn(toWire(field, value, { timezone: 'UTC', item: {} }))];
	} catch {
		// It isn't sent, but n8n may show an expression that fails.
		return textsIn(value);
	}
}

/** The values that no error may repeat, as the user typed them and as they are sent. */
export function secretValues(fields: Field[], values: Parameter): string[] {
	return fields.flatMap((field): string[] => {
		if (field.type === 'collection') {
			const added = values(field.name);
			return secretValues(field.options, (name) => (isRecord(added) ? added[name] : undefined));
		}
		return isSecret(field) ? secretTexts(field, values(field.name)) : [];
	});
}

/** Longest value of a field that an error shows. */
const SHOWN = 40;

/** The fields of the form that a request sends; of secret and long ones without their values. */
export function sentFields({ fields, values, context }: Form): SentField[] {
	const sent = wireValues(fields, values, context).filter(([{ send }]) => !(send && send.setting));
	return sent.map(([field, wire]) => {
		const isPlain = ['string', 'number', 'boolean'].includes(typeof wire);
		const isShown = isPlain && field.type !== 'json' && !isSecret(field);
		const text = String(wire);
		// A URL can hold a password or a signature.
		const isOpen = text.length <= SHOWN && !/:\/\/.*[@?]/.test(text);
		const value = isShown && isOpen ? text : undefined;
		const name = wireName(field).split('.').at(-1) ?? '';
		return { field: field.displayName, name, value };
	});
}

/** How many rows of a list the user asked for, Infinity for all. */
export function limitOf(context: IExecuteFunctions, shape: ListShape, index: number): number {
	if (shape.kind === 'map' || shape.whole) return Infinity;
	if (context.getNodeParameter('returnAll', index) === true) return Infinity;
	return Number(
		checkedValue({ ...limitField, required: true }, context.getNodeParameter('limit', index)),
	);
}

/** How many rows of a list the user wants left out at its start. */
export function skipOf(context: IExecuteFunctions, shape: ListShape, index: number): number {
	if (!isPaged(shape)) return 0;
	const { skip } = recordOf(context.getNodeParameter('options', index, {}));
	return Number(checkedValue({ ...skipField, displayName: 'Options: Skip' }, skip) ?? 0);
}
