// Fields that give nothing: a blank cell, a renamed column, an expression that finds no value. `Send.empty` says what follows.
import { FieldFault } from '../base/apiRequest';
import { isRecord } from '../base/data';
import { expressionsIn, holdsExpression } from '../base/expressions';
import type { Field, FormContext, Send } from './fields';
import { isSecret } from './limits';
import { isBlank, unwrapLocator } from './values';

/** The raw parameter inside another one. What is inside an expression comes from that expression. */
export function rawIn(raw: unknown, key: string | number): unknown {
	if (typeof raw !== 'object' || raw === null) return raw;
	return (raw as Record<string | number, unknown>)[key];
}

const isRefused = ({ empty }: Send): boolean => empty === 'refused' || empty === 'refusedInForm';

export const isRefusedOfModel = ({ send }: Field): boolean =>
	send !== false && send?.empty === 'refused';

/** A field that has its default isn't set: there's no expression in it, and the user hasn't emptied it. */
function isSet(field: Field, value: unknown, { raw, place }: FormContext): boolean {
	if (place === 'added' || holdsExpression(raw)) return true;
	// A row of a form gives something unless it has an expression. JSON and models can give nothing.
	if (place === 'row' && (value === undefined || value === null)) return true;
	if (isRecord(value) && value.mappingMode === 'autoMapInputData') return true;
	return value === '' && field.default !== '' && !isBlank(field.default);
}

/** The user left the field empty. Null from an expression doesn't count. */
export const isLeftEmpty = ({ type }: Field, value: unknown): boolean =>
	value === '' || (type === 'fixedCollection' && isRecord(value));

/** @throws FieldFault that names the one expression of the field, unless that may hold a secret */
export function refuseNothing(field: Field, raw: unknown): never {
	const [expression, other] = isSecret(field) ? [] : expressionsIn(raw);
	const shown = other === undefined ? expression?.slice(1) : undefined;
	throw new FieldFault(field.displayName, 'must not be empty', shown);
}

/** Refuses or notes a field that gave nothing. `converted` is undefined if there's nothing to send. Throws FieldFault. */
export function checkGiven(
	field: Field,
	value: unknown,
	converted: unknown,
	context: FormContext,
): void {
	const send = field.send || {};
	// An empty list can be a value of its own.
	const isValue = send.emptyList === true && Array.isArray(converted);
	if (isValue || !isSet(field, value, context)) return;
	const clears = send.empty === 'clears' && (converted !== undefined || isLeftEmpty(field, value));
	if (clears) return;
	// A row can't be sent without what it would clear.
	const isIncomplete = send.empty === 'clears' && context.place === 'row';
	if (isRefused(send) || isIncomplete) refuseNothing(field, context.raw);
	context.gaveNothing?.(field, context.raw);
}

/** The fault of a key that gives nothing and must not. `json` is as entered: a copy may have lost the key. */
export function keyFault({ mustGive = {} }: Send, json: unknown): string | undefined {
	if (!isRecord(json)) return undefined;
	const isNothing = (given: unknown) =>
		isBlank(given) && !(Array.isArray(given) && given.length === 0);
	const key = Object.keys(mustGive).find(
		(each) => Object.hasOwn(json, each) && isNothing(json[each]),
	);
	return key && mustGive[key];
}

function readJson({ type }: Field, value: unknown): unknown {
	if (type !== 'json' || typeof value !== 'string') return value;
	try {
		return JSON.parse(value) as unknown;
	} catch {
		return value;
	}
}

/** A blank value of a model counts as not given. JSON with a key that must give something counts as given. */
export function isNotGiven(field: Field, value: unknown): boolean {
	const given = readJson(field, unwrapLocator(value));
	return isBlank(given) && keyFault(field.send || {}, given) === undefined;
}
