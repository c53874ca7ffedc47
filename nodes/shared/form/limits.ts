// The limits that the reference documents: lengths, ranges, counts, sizes and formats.
import { refuse } from './refuse';
import { formats, type TextFormat } from './formats';
import { FieldFault, isRecord } from '../operation';
import type { Field, Send } from '../fields';

/** Length as JSON Schema and the eye count it: a character outside the basic plane is one. */
const characters = (value: string) => [...value].length;

function checkFormat(field: Field, wire: string, { format }: Send, given: unknown): void {
	// Empty text clears a value.
	if (format === undefined || wire === '') return;
	const { test, says }: TextFormat = formats[format];
	if (!test.test(wire)) refuse(field, given, says);
}

/** The range that the form shows holds for an expression too. */
function checkNumber(field: Field, wire: number, { above = -Infinity }: Send): void {
	if (wire <= above) refuse(field, wire, `must be greater than ${above}`);
	const { minValue = -Infinity, maxValue = Infinity } = field.typeOptions ?? {};
	if (wire >= minValue && wire <= maxValue) return;
	const range =
		maxValue === Infinity ? `at least ${minValue}` : `between ${minValue} and ${maxValue}`;
	refuse(field, wire, `must be ${range}`);
}

/**
 * Holds a converted value against the limits that the reference documents for its field.
 * @param given the value as the user typed it, for errors
 * @throws FieldFault
 */
export function checkLimits(field: Field, wire: unknown, limits: Send, given = wire): void {
	const checkMax = (most = Infinity, things: string, count: () => number) => {
		if (most === Infinity || count() <= most) return;
		const fault = `must have at most ${most} ${things} (got ${count()})`;
		throw new FieldFault(field.displayName, fault);
	};
	if (typeof wire === 'string') {
		// No text has more characters than UTF-16 units, which cost nothing to count.
		const isLong = wire.length > (limits.maxLength ?? Infinity);
		if (isLong) checkMax(limits.maxLength, 'characters', () => characters(wire));
		checkFormat(field, wire, limits, given);
	}
	if (typeof wire === 'number') checkNumber(field, wire, limits);
	if (Array.isArray(wire) && wire.length < (limits.minItems ?? 0)) {
		throw new FieldFault(field.displayName, `must have at least ${limits.minItems} entries`);
	}
	if (isRecord(wire)) checkMax(limits.maxProperties, 'fields', () => Object.keys(wire).length);
	checkMax(limits.maxBytes, 'bytes', () =>
		Buffer.byteLength(typeof wire === 'string' ? wire : JSON.stringify(wire)),
	);
}
