// The limits that the reference documents: lengths, ranges, counts, sizes and formats.
import { refuse } from './refuse';
import { formats, type TextFormat } from './formats';
import { FieldFault, isRecord } from '../operation';
import type { Field, Send } from '../fields';

/** Length as JSON Schema and the eye count it: a character outside the basic plane is one. */
const characters = (value: string) => [...value].length;

function checkText(field: Field, wire: string, { maxLength, format }: Send, given: unknown): void {
	if (maxLength !== undefined && wire.length > maxLength && characters(wire) > maxLength) {
		throw new FieldFault(
			field.displayName,
			`must have at most ${maxLength} characters (got ${characters(wire)})`,
		);
	}
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

function checkEntries(field: Field, wire: unknown[], { minItems = 0 }: Send): void {
	if (wire.length < minItems) {
		throw new FieldFault(field.displayName, `must have at least ${minItems} entries`);
	}
}

function checkKeys(field: Field, wire: object, { maxProperties = Infinity }: Send): void {
	const count = Object.keys(wire).length;
	if (count > maxProperties) {
		throw new FieldFault(
			field.displayName,
			`must have at most ${maxProperties} fields (got ${count})`,
		);
	}
}

function checkBytes(field: Field, wire: unknown, maxBytes: number): void {
	const bytes = Buffer.byteLength(typeof wire === 'string' ? wire : JSON.stringify(wire));
	if (bytes > maxBytes) {
		throw new FieldFault(field.displayName, `must have at most ${maxBytes} bytes (got ${bytes})`);
	}
}

/**
 * Holds a converted value against the limits that the reference documents for its field.
 * @param given the value as the user typed it, for errors
 * @throws FieldFault
 */
export function checkLimits(field: Field, wire: unknown, limits: Send, given = wire): void {
	if (typeof wire === 'string') checkText(field, wire, limits, given);
	if (typeof wire === 'number') checkNumber(field, wire, limits);
	if (Array.isArray(wire)) checkEntries(field, wire, limits);
	if (isRecord(wire)) checkKeys(field, wire, limits);
	if (limits.maxBytes !== undefined) checkBytes(field, wire, limits.maxBytes);
}
