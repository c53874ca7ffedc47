// Plain data: tells what a value is, converts it, and finds values at dotted keys.
import type { IDataObject } from 'n8n-workflow';
import { createHash } from 'node:crypto';

/** The value at a dotted key. `blocked` is told the key of a parent that has a value but isn't an object. */
export function getAt(
	source: unknown,
	dottedKey: string,
	blocked?: (place: string) => void,
): unknown {
	const names = dottedKey.split('.');
	let value = source;
	for (const [depth, name] of names.entries()) {
		if (isRecord(value)) value = Object.hasOwn(value, name) ? value[name] : undefined;
		else {
			if (value !== undefined && value !== null) blocked?.(names.slice(0, depth).join('.'));
			return undefined;
		}
	}
	return value;
}

/** Copies the objects on the way, because they may belong to an input item. */
export function setAt(target: Record<string, unknown>, dottedKey: string, value: unknown): void {
	const [name, ...rest] = dottedKey.split('.');
	if (rest.length === 0) return define(target, name, value);
	const known = Object.hasOwn(target, name) ? target[name] : undefined;
	const inner = isRecord(known) ? { ...known } : {};
	define(target, name, inner);
	setAt(inner, rest.join('.'), value);
}

/** Sets a key without an assignment, so that `__proto__` in a user's data stays plain data. */
export function define(object: Record<string, unknown>, name: string, value: unknown): void {
	Object.defineProperty(object, name, {
		value,
		enumerable: true,
		configurable: true,
		writable: true,
	});
}

/** Sets the value of a field. Of two objects, the keys that are set already stay. With the key `*`, all that is set stays. */
export function put(target: Record<string, unknown>, dottedKey: string, wire: unknown): void {
	if (dottedKey === '*') {
		for (const [name, value] of Object.entries(wire ?? {})) {
			const known = Object.hasOwn(target, name) ? target[name] : undefined;
			if (isRecord(known) && isRecord(value)) define(target, name, { ...value, ...known });
			else if (known === undefined) define(target, name, value);
		}
		return;
	}
	// For speed: most keys have nothing that has to be merged.
	const isNew = !dottedKey.includes('.') && !Object.hasOwn(target, dottedKey);
	if (isNew) return define(target, dottedKey, wire);
	const known = getAt(target, dottedKey);
	setAt(target, dottedKey, isRecord(known) && isRecord(wire) ? { ...wire, ...known } : wire);
}

export const isUnset = (value: unknown) => value === undefined || value === null || value === '';

export const isRecord = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

export const recordOf = (value: unknown): IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value)
		? (value as IDataObject)
		: {};

export const recordsOf = (value: unknown): IDataObject[] =>
	Array.isArray(value) ? value.filter(isRecord) : [];

/** A number, or the number in a text. Undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

export const short = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

export const sentence = (text: string): string => text.replace(/\.?$/, '.');

export function firstOf(all: string[], most = 10): string {
	const shown = all.slice(0, most).join(', ');
	return all.length > most ? `${shown} and ${all.length - most} more` : shown;
}

/** JSON to compare or hash a value. The order of an object's fields makes no difference, at any depth. */
export const sortedJson = (value: unknown): string =>
	JSON.stringify(value, (_name, each: unknown) => {
		if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
		const entries: Array<[string, unknown]> = [];
		const record = each as Record<string, unknown>;
		for (const name of Object.keys(record).sort()) entries.push([name, record[name]]);
		return Object.fromEntries(entries);
	});

/** SHA-256 of a text, in characters that URLs may have. */
export const hashOf = (text: string): string =>
	createHash('sha256').update(text).digest('base64url');

/** True for false as services write it: `false`, `"no"`, 0. */
export const isFalseInWords = (value: unknown): boolean =>
	/^(false|no|0)$/i.test(String(value).trim());
