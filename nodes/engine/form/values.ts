// One value of a form -> one value to send, in the type that the API wants.
import type { IDataObject } from 'n8n-workflow';

import { isRecord, isUnset, short } from '../base/data';
import { nearestFirst } from '../base/nearest';
import { toDate } from './dates';
import type { Field, Send, SingleField } from './fields';
import { jsonFault } from './jsonFault';
import { jsonOf, refuse } from './limits';
import { exactNumber, hasExactNumbers, toNumber } from './numbers';

/** A converted value. Undefined is left out of the request. */
export type Wire = unknown;

const TOO_MANY_DIGITS =
	'must not have a number with more digits than can be sent exactly. Round it first, or use a text';

/** @throws FieldFault also for a number that JavaScript would round */
function parseJson(field: Field, text: string): unknown {
	let data: unknown;
	try {
		data = JSON.parse(text);
	} catch {
		return refuse(field, text, `must be valid JSON (${jsonFault(text)})`);
	}
	if (!hasExactNumbers(text)) return refuse(field, text, TOO_MANY_DIGITS);
	// Only a number with so many digits can have the noise of a calculation.
	return /[\d.]{16}/.test(text) ? toData(field, data) : data;
}

/**
 * Copies a value with only what JSON can represent. Numbers are sent as a form's are (`exactNumber`), unless `isOfRows`: then
 * the fields of a row check their digits. Throws FieldFault for a value without JSON, for null (callers that take null don't
 * pass it), and for a number that can't be sent as it is.
 */
export function toData(field: Field, value: unknown, isOfRows = false): unknown {
	let fault = '';
	// JSON would write null for what is no number, and for an invalid date.
	const exact = function (this: Record<string, unknown>, name: string, each: unknown): unknown {
		const isLost =
			each === null ? this[name] !== null : typeof each === 'number' && !Number.isFinite(each);
		// A value of nothing else is refused below.
		if (name !== '' && isLost) {
			const what = each === null ? 'an invalid date' : String(each);
			fault ||= `must not have ${what} at "${short(name)}". Check its expression`;
		}
		if (typeof each !== 'number' || isLost) return each;
		const wire = exactNumber(each);
		if (wire === undefined && !isOfRows) fault ||= TOO_MANY_DIGITS;
		return wire ?? each;
	};
	const copy = jsonOf(value, exact);
	if (fault !== '') return refuse(field, value, fault);
	if (copy === undefined || copy === 'null') {
		return refuse(field, value, 'must be a value that can be written as JSON');
	}
	return JSON.parse(copy);
}

/** Text, or a number or boolean as text. Throws FieldFault for anything else, and for a number that has lost digits already. */
export function toText(field: Field, value: unknown): string {
	if (typeof value === 'string') {
		// Half a surrogate pair can't be encoded in UTF-8.
		return value.isWellFormed() ? value : refuse(field, value, 'must be valid Unicode text');
	}
	if (typeof value === 'number' && Number.isFinite(value)) {
		const exact = exactNumber(value);
		if (exact !== undefined) return String(exact);
		return refuse(field, value, 'has too many digits for a number. Round it, or give it as text');
	}
	if (typeof value === 'boolean') return String(value);
	return refuse(field, value, 'must be text');
}

function toBoolean(field: Field, value: unknown): boolean {
	if (value === true || value === 'true') return true;
	if (value === false || value === 'false') return false;
	return refuse(field, value, 'must be true or false');
}

/** From an array, a JSON array or comma-separated text, without blank entries. Undefined if all entries are blank. */
export function toList(field: Field, value: unknown): string[] | undefined {
	const given = Array.isArray(value) ? value : toText(field, value).trim();
	if (typeof given === 'string' && given.startsWith('[')) {
		return toList(field, parseJson(field, given));
	}
	const all: unknown[] = typeof given === 'string' ? given.split(',') : given;
	const entries = all.map((each) => toText(field, each).trim()).filter((each) => each !== '');
	return entries.length > 0 || all.length === 0 ? entries : undefined;
}

/** One text or several. An expression that finds nothing leaves the field out, and the form says what that means. */
function toTexts(field: Field, value: unknown): Wire {
	if (!Array.isArray(value)) return toText(field, value);
	return value.length === 0 ? undefined : value.map((each) => toText(field, each));
}

/** Data from an expression or JSON text: an object, unless `type` is `array`, `rows` or `any`. Throws FieldFault otherwise. */
export function toJson(field: Field, value: unknown, type: Send['type'] | 'rows'): Wire {
	const isOfRows = type === 'rows';
	const given =
		typeof value === 'string' ? parseJson(field, value) : toData(field, value, isOfRows);
	if (type === 'any' || isOfRows) return given;
	if (type === 'array') {
		return Array.isArray(given) ? given : refuse(field, value, 'must be a JSON array');
	}
	return isRecord(given) ? given : refuse(field, value, 'must be a JSON object');
}

export const offers = ({ options }: SingleField, value: unknown): boolean =>
	options?.some((option) => option.value === value) ?? false;

/** The chosen option, or a list for a multiple choice, undefined if all are blank. Throws FieldFault for other values. */
export function toOptions(field: SingleField, value: unknown): Wire {
	// Without options in the form, the API lists them, and only the API knows the valid values.
	const offered: unknown[] = (field.options ?? []).map((option) => option.value);
	const isMulti = field.type === 'multiOptions';
	// A picker may show an empty entry that only explains something, such as what to choose first.
	const chosen = isMulti ? toList(field, value)?.filter((each) => each !== '') : [value];
	if (!chosen) return undefined;
	const choices: Wire[] = [];
	for (const each of chosen) {
		if (offered.length > 0 && !offered.includes(each)) {
			const valid = nearestFirst(typeof each === 'string' ? each : '', offered.map(String));
			return refuse(field, each, `must be one of ${valid.join(', ')}`);
		}
		choices.push(offered.length > 0 ? each : toText(field, each));
	}
	return isMulti ? choices : choices[0];
}

export function unwrapLocator(value: unknown): unknown {
	const locator = value as IDataObject | null | undefined;
	return locator?.__rl === true ? locator.value : value;
}

/** True for a value that says nothing, also for rows and groups without any value. */
export function isBlank(value: unknown): boolean {
	const inner = unwrapLocator(value);
	if (inner === undefined || inner === null) return true;
	if (typeof inner === 'string') return inner.trim() === '';
	if (inner instanceof Date) return false;
	return typeof inner === 'object' && Object.values(inner).every(isBlank);
}

/** A date isn't empty data, although it has no fields of its own. */
function isEmptyData(value: unknown): boolean {
	if (Array.isArray(value)) return value.length === 0;
	const isObject = Object.prototype.toString.call(value) === '[object Object]';
	return isObject && Object.keys(value as object).length === 0;
}

/** The kinds of data that are a value of a field, also without anything in them. */
function dataOf({ type, send }: Field): Array<'array' | 'object'> {
	const { type: sent, rows }: Send = send || {};
	if (type === 'fixedCollection' || sent === 'any' || sent === 'map') return ['array', 'object'];
	const takesArray = rows !== undefined || type === 'multiOptions';
	if (takesArray || (sent && ['list', 'texts', 'array'].includes(sent))) return ['array'];
	return type === 'json' || type === 'resourceMapper' ? ['object'] : [];
}

/** An expression that finds nothing may also give an empty object or array, to any field. */
export const isNoValue = (field: Field, value: unknown): boolean =>
	isUnset(value) ||
	(isEmptyData(value) && !dataOf(field).includes(Array.isArray(value) ? 'array' : 'object'));

const bySendType: Partial<
	Record<NonNullable<Send['type']>, (field: Field, value: unknown) => Wire>
> = { list: toList, texts: toTexts };

const byFieldType: Partial<
	Record<SingleField['type'], (field: SingleField, value: unknown) => Wire>
> = {
	number: toNumber,
	boolean: toBoolean,
	json: (field, value) => toJson(field, value, (field.send || {}).type),
	options: toOptions,
	multiOptions: toOptions,
};

/** The value of a field without inner fields, undefined if it turns out to be empty. Throws FieldFault for the wrong type. */
export function singleValue(field: SingleField, value: unknown, timezone: string): Wire {
	const { type }: Send = field.send || {};
	if (type === 'date' || type === 'dateTime' || type === 'dateOrDateTime') {
		return toDate(field, value, type, timezone);
	}
	const bySend = type && bySendType[type];
	if (bySend) return bySend(field, value);
	if (field.type === 'dateTime') return toDate(field, value, 'dateTime', timezone);
	const byField = byFieldType[field.type];
	if (byField) return byField(field, value);
	return type === 'any' && typeof value !== 'string' ? toData(field, value) : toText(field, value);
}
