// Numbers of a form. What JavaScript can't hold exactly as it was written is refused, so nothing is rounded silently.
import { numberOf } from '../base/data';
import type { Field } from './fields';
import { refuse } from './limits';

/** A number as people write it. JavaScript would also read `0x10` and `0b1`. */
const decimalText = /^\s*([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?\s*$/i;

/** Longer texts aren't read: a number holds 17 digits, so no exact one needs so many characters. */
const LONGEST = 100;

/** Digits of a decimal and place of its point, the same however it's written: `15e-1` for 1.50. Undefined for other text. */
function decimal(text: string): string | undefined {
	const parts = text.length > LONGEST ? null : decimalText.exec(text);
	if (!parts) return undefined;
	const [, sign, whole, fraction = '', exponent = '0'] = parts;
	const digits = (whole + fraction).replace(/^0+/, '');
	const kept = digits.replace(/0+$/, '');
	if (kept === '') return '0';
	const shift = Number(exponent) - fraction.length + digits.length - kept.length;
	return `${sign === '-' ? '-' : ''}${kept}e${shift}`;
}

function isExact(text: string): boolean {
	const written = decimal(text);
	return written !== undefined && written === decimal(String(Number(text)));
}

/** A whole number above 2^53 may have been another one. */
const hasLostDigits = (given: number) => Number.isInteger(given) && !Number.isSafeInteger(given);

/**
 * Removes the noise of calculations: `0.1 + 0.2` is 0.3 again. A number keeps 12 digits or 8 decimals, which amounts don't
 * exceed. Only the 16th and 17th digit tell noise from a number that was written so. Undefined for a number with more digits.
 */
function withoutNoise(given: number): number | undefined {
	const wholeDigits = Math.ceil(Math.log10(Math.abs(given)));
	const rounded = Number(given.toPrecision(Math.min(15, Math.max(12, wholeDigits + 8))));
	if (rounded === given) return given;
	const isNear = Math.abs(rounded - given) <= 1e-13 * Math.abs(given);
	const hasMoreThan15Digits = Number(given.toPrecision(15)) !== given;
	return isNear && hasMoreThan15Digits ? rounded : undefined;
}

/** A number without the noise of a calculation. Undefined for a number that can't be sent exactly. */
export function exactNumber(given: number): number | undefined {
	if (Number.isInteger(given)) return hasLostDigits(given) ? undefined : given;
	return Number.isFinite(given) ? withoutNoise(given) : undefined;
}

/** A number, also from text, without the noise of a calculation. Throws FieldFault for one that can't be sent as written. */
export function toNumber(field: Field, value: unknown): number {
	const isText = typeof value === 'string';
	const given = isText && !decimalText.test(value) ? undefined : numberOf(value);
	if (given === undefined) {
		const hasComma = isText && /^-?\d+,\d{1,2}$/.test(value.trim());
		const point = hasComma ? ', with a point for the decimals' : '';
		return refuse(field, value, `must be a number${point}`);
	}
	const wire = isText || Number.isSafeInteger(given) ? given : exactNumber(given);
	if (wire === undefined || (isText && !isExact(value))) {
		return refuse(field, value, 'has too many digits to be sent exactly. Round it first');
	}
	const isWhole = (field.send || {}).type === 'integer';
	if (isWhole && !Number.isInteger(wire)) return refuse(field, value, 'must be a whole number');
	return wire;
}

const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

export function hasExactNumbers(json: string): boolean {
	for (const [found] of json.matchAll(token)) {
		if (!found.startsWith('"') && !isExact(found)) return false;
	}
	return true;
}
