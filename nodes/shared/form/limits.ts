// Checks the limits of the reference: lengths, ranges, counts, sizes and formats.
import { refuse } from './refuse';
import { formats, type TextFormat } from './formats';
import { FieldFault, isRecord } from '../operation';
import type { Field, Send } from '../fields';

/** Length in code points, as JSON Schema counts it. */
const characters = (value: string) => [...value].length;

function checkFormat(field: Field, wire: string, { format }: Send, given: unknown): void {
	// Empty text clears a value.
	if (format === undefined || wire === '') return;
	const { test, says }: TextFormat = formats[format];
	if (!test.test(wire)) refuse(field, given, says);
}

/** The range of the form also applies to expressions. */
function checkNumber(field: Field, wire: number, { above = -Infinity }: Send): void {
	if (wire <= above) refuse(field, wire, `must be greater than ${above}`);
	const { minValue = -Infinity, maxValue = Infinity } = field.typeOptions ?? {};
	if (wire >= minValue && wire <= maxValue) return;
	const range =
		maxValue === Infinity ? `at least ${minValue}` : `between ${minValue} and ${maxValue}`;
	refuse(field, wire, `must be ${range}`);
}

/**
 * Checks a converted value against the limits of its field.
 * @param given the value as entered, for errors
 * @throws FieldFault
 */
export function checkLimits(field: Field, wire: unknown, limits: Send, given = wire): void {
	const checkMax = (most = Infinity, things: string, count: () => number) => {
		if (most === Infinity || count() <= most) return;
		const fault = `must have at most ${most} ${things} (got ${count()})`;
		throw new FieldFault(field.displayName, fault);
	};
	if (typeof wire === 'string') {
		// `length` is never smaller than the number of code points, and costs nothing.
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
