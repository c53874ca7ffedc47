// Checks the limits of the reference: lengths, ranges, counts, sizes and formats. Makes the error for what they refuse.
import { FieldFault } from '../base/apiRequest';
import { short } from '../base/data';
import type { Field, Send } from './fields';
import { formats, type TextFormat } from './formats';

/** JSON of a value, undefined if it has none, such as a cycle or a BigInt. `each` returns what is written for a value in it. */
export function jsonOf(
	value: unknown,
	each?: (this: Record<string, unknown>, name: string, value: unknown) => unknown,
): string | undefined {
	try {
		return JSON.stringify(value, each);
	} catch {
		return undefined;
	}
}

const withoutUser = (text: string) => text.replace(/\/\/[^/\s]*@/, '//***@');

/** Errors must not show the value of the field. */
export const isSecret = ({ typeOptions, send }: Field): boolean =>
	typeOptions?.password === true || (send !== false && send?.secret === true);

/** Shows a value in an error: shortened, and not for secret fields or JSON, which may hold secrets. */
function gotText(field: Field, value: unknown): string {
	if (isSecret(field) || field.type === 'json') return '';
	if (typeof value === 'string') return ` (got "${short(withoutUser(value))}")`;
	// JSON has neither NaN nor Infinity.
	if (typeof value === 'number') return ` (got ${value})`;
	return ` (got ${short(jsonOf(value) ?? `a value of type ${typeof value}`)})`;
}

/** @throws FieldFault that says what's wrong with a value, and shows the value unless it may be a secret */
export function refuse(field: Field, value: unknown, fault: string): never {
	throw new FieldFault(field.displayName, `${fault}${gotText(field, value)}`);
}

function checkFormat(field: Field, wire: string, { format }: Send, given: unknown): void {
	// Empty text clears a value.
	if (format === undefined || wire === '') return;
	const { test, says }: TextFormat = formats[format];
	if (!test.test(wire)) refuse(field, given, says);
}

/** The range of the form also applies to expressions. */
function checkNumber(field: Field, wire: number): void {
	const { minValue = -Infinity, maxValue = Infinity } = field.typeOptions ?? {};
	if (wire >= minValue && wire <= maxValue) return;
	const range =
		maxValue === Infinity ? `at least ${minValue}` : `between ${minValue} and ${maxValue}`;
	refuse(field, wire, `must be ${range}`);
}

/** Checks a converted value against the limits of its field. Throws FieldFault. */
export function checkLimits(field: Field, wire: unknown, limits: Send, given = wire): void {
	const { maxLength = Infinity, maxProperties = Infinity, maxBytes } = limits;
	const { minItems = 0, minProperties = 0, uniqueItems } = limits;
	const checkMax = (count: number, most: number, things: string) => {
		if (count <= most) return;
		const fault = `must have at most ${most} ${things} (got ${count})`;
		throw new FieldFault(field.displayName, fault);
	};
	const tooFew = (least: number, one: string, several: string) =>
		new FieldFault(field.displayName, `must have at least ${least} ${least === 1 ? one : several}`);
	if (typeof wire === 'string') {
		// JSON Schema counts code points. There are never more of them than `length`, which costs nothing.
		if (wire.length > maxLength) checkMax([...wire].length, maxLength, 'characters');
		if (limits.format !== undefined) checkFormat(field, wire, limits, given);
	} else if (typeof wire === 'number') checkNumber(field, wire);
	else if (Array.isArray(wire)) {
		if (wire.length < minItems) throw tooFew(minItems, 'entry', 'entries');
		const entries: unknown[] = uniqueItems ? wire : [];
		const seen = new Set<unknown>();
		for (const each of entries) {
			if (seen.has(each)) refuse(field, each, 'must not have an entry twice');
			seen.add(each);
		}
	} else if (typeof wire === 'object' && wire !== null) {
		const count = Object.keys(wire).length;
		checkMax(count, maxProperties, 'fields');
		if (count < minProperties) throw tooFew(minProperties, 'field', 'fields');
	}
	if (maxBytes !== undefined) {
		const text = typeof wire === 'string' ? wire : JSON.stringify(wire);
		checkMax(Buffer.byteLength(text), maxBytes, 'bytes');
	}
}
