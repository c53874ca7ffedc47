// Dotted keys, `address.city` for a place inside objects: read and set.
import { isRecord } from './operation';

/**
 * The value at a dotted key, undefined if the key is missing, also below null.
 * @param blocked is told the place on the way that holds something else than an object
 */
export function getAt(
	source: unknown,
	dottedKey: string,
	blocked?: (place: string) => void,
): unknown {
	const names = dottedKey.split('.');
	return names.reduce<unknown>((value, name, depth) => {
		if (isRecord(value)) return Object.hasOwn(value, name) ? value[name] : undefined;
		if (value !== undefined && value !== null) blocked?.(names.slice(0, depth).join('.'));
		return undefined;
	}, source);
}

/** Sets the value at a dotted key. Objects on the way are copied, since they may be an input item's. */
export function setAt(target: Record<string, unknown>, dottedKey: string, value: unknown): void {
	const [name, ...rest] = dottedKey.split('.');
	if (rest.length === 0) return define(target, name, value);
	const known = Object.hasOwn(target, name) ? target[name] : undefined;
	const inner = isRecord(known) ? { ...known } : {};
	define(target, name, inner);
	setAt(inner, rest.join('.'), value);
}

/** Sets a key. No plain assignment: a name such as `__proto__` in a user's data stays data. */
export function define(object: Record<string, unknown>, name: string, value: unknown): void {
	Object.defineProperty(object, name, {
		value,
		enumerable: true,
		configurable: true,
		writable: true,
	});
}

/**
 * Adds what a field sends at its dotted key, `*` for the keys of an object. Objects that several
 * fields fill are joined, and what is there already stays.
 */
export function put(target: Record<string, unknown>, dottedKey: string, wire: unknown): void {
	if (dottedKey === '*') {
		for (const [name, value] of Object.entries(wire ?? {})) {
			const known = Object.hasOwn(target, name) ? target[name] : undefined;
			if (isRecord(known) && isRecord(value)) define(target, name, { ...value, ...known });
			else if (known === undefined) define(target, name, value);
		}
		return;
	}
	const known = getAt(target, dottedKey);
	setAt(target, dottedKey, isRecord(known) && isRecord(wire) ? { ...wire, ...known } : wire);
}
