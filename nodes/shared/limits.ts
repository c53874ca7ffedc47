// The limits that the reference documents: lengths, ranges, counts, sizes and formats.
import { refuse } from './faults';
import { FieldFault, isRecord, type Field, type Send } from './operation';

const formats: Record<NonNullable<Send['format']>, { test: RegExp; says: string }> = {
	https: { test: /^https:\/\/[^\s/?#@]+([/?#]\S*)?$/i, says: 'must be an address with https://' },
	email: { test: /^[^\s@]+@[^\s@]+$/, says: 'must be an e-mail address' },
	ip: {
		test: /^((25[0-5]|(2[0-4]|1\d|[1-9]|)\d)(\.(?!$)|$)){4}$|^(?=.*:)[0-9a-f:.]+$/i,
		says: 'must be an IP address',
	},
	country: { test: /^[A-Z]{2}$/, says: 'must be a country code of two letters, such as DE' },
	currency: {
		test: /^[A-Z]{3}$/,
		says: 'must be a currency code of three letters, such as EUR',
	},
	oneTimeCode: { test: /^\d{6,}$/, says: 'must be a code of 6 digits or a numeric backup code' },
	sha256: { test: /^[0-9a-f]{64}$/, says: 'must be a SHA-256 checksum: 64 lowercase hex digits' },
	lowercase: { test: /^[^A-Z]*$/, says: 'must be in lower case' },
	certificate: {
		test: /-----BEGIN [A-Z0-9 ]*CERTIFICATE-----\r?\n[\s\S]+\n-----END [A-Z0-9 ]*CERTIFICATE-----/,
		says: 'must be a certificate in PEM form',
	},
};

/** Length as JSON Schema and the eye count it: a character outside the basic plane is one. */
const characters = (value: string) => [...value].length;

/**
 * Holds a converted value against the limits that the reference documents for its field.
 * @throws FieldFault
 */
export function checkLimits(field: Field, wire: unknown, limits: Send): void {
	if (typeof wire === 'string') {
		const { minLength, maxLength, format } = limits;
		if (minLength !== undefined && characters(wire) < minLength) {
			refuse(field, wire, `must have at least ${minLength} characters`);
		}
		if (maxLength !== undefined && wire.length > maxLength && characters(wire) > maxLength) {
			throw new FieldFault(
				field.displayName,
				`must have at most ${maxLength} characters (got ${characters(wire)})`,
			);
		}
		if (format && wire !== '' && !formats[format].test.test(wire)) {
			refuse(field, wire, formats[format].says);
		}
	}
	if (typeof wire === 'number') {
		const { minimum = -Infinity, maximum = Infinity } = limits;
		if (wire < minimum || wire > maximum) {
			const range =
				limits.maximum === undefined
					? `at least ${minimum}`
					: limits.minimum === undefined
						? `at most ${maximum}`
						: `between ${minimum} and ${maximum}`;
			refuse(field, wire, `must be ${range}`);
		}
	}
	if (Array.isArray(wire)) {
		const { minItems = 0, maxItems = Infinity } = limits;
		if (wire.length < minItems) {
			throw new FieldFault(field.displayName, `must have at least ${minItems} entries`);
		}
		if (wire.length > maxItems) {
			throw new FieldFault(
				field.displayName,
				`must have at most ${maxItems} entries (got ${wire.length})`,
			);
		}
	}
	if (isRecord(wire) && limits.maxProperties !== undefined) {
		const count = Object.keys(wire).length;
		if (count > limits.maxProperties) {
			throw new FieldFault(
				field.displayName,
				`must have at most ${limits.maxProperties} entries (got ${count})`,
			);
		}
	}
	if (limits.maxBytes !== undefined) {
		const bytes = Buffer.byteLength(typeof wire === 'string' ? wire : JSON.stringify(wire));
		if (bytes > limits.maxBytes) {
			throw new FieldFault(
				field.displayName,
				`must have at most ${limits.maxBytes} bytes (got ${bytes})`,
			);
		}
	}
}
