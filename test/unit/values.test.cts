// Single values of a form: what each kind of field makes of them, and what it refuses.
import { expect, test } from '@jest/globals';
import { DateTime } from 'luxon';
import { entryOf } from '../table/operations.cts';
import { requestOf } from '../table/requests.cts';
import { toWire, type FormContext } from '../../dist/nodes/shared/values.js';
import type { Field, Send } from '../../nodes/shared/operation.ts';

const context: FormContext = { timezone: 'Europe/Berlin', item: {} };

const field = (type: Field['type'], send: Send = {}, more: Partial<Field> = {}): Field => ({
	displayName: 'Some Field',
	name: 'some',
	type,
	default: '',
	send,
	...more,
});

const choices: Field['options'] = [
	{ name: 'A', value: 'a' },
	{ name: 'B', value: 'b' },
];

function circular(): object {
	const value: Record<string, unknown> = {};
	value.self = value;
	return value;
}

const rows: Field['options'] = [
	{ displayName: 'Row', name: 'row', values: [field('string', { as: 'text' })] },
];

const at = DateTime.fromISO('2026-03-01T09:00:00', { zone: 'Europe/Berlin' });

test.each<[string, Field, unknown, unknown]>([
	['a number as text', field('string'), 7, '7'],
	['text as a number', field('number'), '7.5', 7.5],
	['a boolean as text', field('boolean'), 'false', false],
	['comma-separated text as a list', field('string', { type: 'list' }), 'a, b,,', ['a', 'b']],
	['a JSON array as a list', field('string', { type: 'list' }), '["a","b"]', ['a', 'b']],
	['an array as a list', field('string', { type: 'list' }), ['a', 1], ['a', '1']],
	['a date of the workflow', field('dateTime'), '2026-03-01 09:00:00', '2026-03-01T09:00:00+01:00'],
	['a DateTime', field('dateTime'), at, '2026-03-01T09:00:00+01:00'],
	['a Date', field('dateTime'), new Date('2026-03-01T08:00:00Z'), '2026-03-01T09:00:00+01:00'],
	['a day', field('dateTime', { type: 'date' }), at, '2026-03-01'],
	[
		'a day late in its zone',
		field('dateTime', { type: 'date' }),
		'2026-03-01T23:30:00-05:00',
		'2026-03-01',
	],
	['a country in lower case', field('string', { format: 'country' }), 'de', 'DE'],
	['JSON text', field('json'), '{"a":1}', { a: 1 }],
	['dates inside JSON', field('json'), { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
	['any JSON', field('json', { type: 'any' }), '["a"]', ['a']],
	['a choice', field('options', {}, { options: choices }), 'b', 'b'],
	['several choices', field('multiOptions', {}, { options: choices }), 'a,b', ['a', 'b']],
	['a row', field('fixedCollection', {}, { options: rows }), { row: { some: 'x' } }, { text: 'x' }],
	['a picked id', field('resourceLocator'), { __rl: true, mode: 'list', value: 'id-1' }, 'id-1'],
	['a text of emoji at its limit', field('string', { maxLength: 2 }), '😀😀', '😀😀'],
	['an IPv4 address', field('string', { format: 'ip' }), '203.0.113.7', '203.0.113.7'],
	['an IPv6 address', field('string', { format: 'ip' }), '2001:db8::1', '2001:db8::1'],
	['nothing', field('string'), '', undefined],
	['an empty text that clears', field('string', { emptyClears: true }), '', ''],
	['null that clears nothing', field('string', { emptyClears: true }), null, undefined],
])('%s', (_title, each, value, expected) => {
	expect(toWire(each, value, context)).toEqual(expected);
});

test.each<[string, Field, unknown, string]>([
	['an object as text', field('string'), { a: 1 }, 'must be a text (got {"a":1})'],
	['a cycle as text', field('string'), circular(), 'must be a text (got a object)'],
	['a BigInt as text', field('string'), 10n, 'must be a text'],
	['half a character', field('string'), 'a\ud800', 'must be valid Unicode text'],
	['NaN', field('number'), NaN, 'must be a number'],
	['an endless number', field('number'), Infinity, 'must be a number'],
	['a blank as a number', field('number'), ' ', 'must be a number'],
	['a fraction as an integer', field('number', { type: 'integer' }), 1.5, 'must be a whole number'],
	['a number below', field('number', { minimum: 1 }), 0, 'must be at least 1'],
	['a number above', field('number', { minimum: 1, maximum: 9 }), 10, 'must be between 1 and 9'],
	['perhaps', field('boolean'), 'perhaps', 'must be true or false'],
	['no date', field('dateTime'), '2026-02-30', 'must be a date'],
	['an invalid Date', field('dateTime'), new Date(NaN), 'must be a date'],
	['the year 12026', field('dateTime'), at.plus({ years: 10_000 }), 'a year with four digits'],
	['broken JSON', field('json'), '{"a":', 'must be valid JSON'],
	['a date as a JSON object', field('json'), at, 'must be a JSON object'],
	['a cycle as JSON', field('json'), circular(), 'JSON can hold'],
	['an object as an array', field('json', { type: 'array' }), '{}', 'must be a JSON array'],
	['no choice', field('options', {}, { options: choices }), 'c', 'must be one of a, b'],
	['an array of choices', field('options', {}, { options: choices }), ['a'], 'must be one of'],
	['an object as a loaded choice', field('options'), { a: 1 }, 'must be a text'],
	['one choice too many', field('multiOptions', {}, { options: choices }), 'a,c', 'one of a, b'],
	['text as a row', field('fixedCollection', {}, { options: rows }), { row: 'x' }, 'rows'],
	['null in a list', field('string', { type: 'list' }), ['a', null], 'must be a text'],
	['too few characters', field('string', { minLength: 2 }), '😀', 'at least 2 characters'],
	['too many characters', field('string', { maxLength: 2 }), 'abc', 'at most 2 characters (got 3)'],
	['too many bytes', field('string', { maxBytes: 3 }), 'éé', 'at most 3 bytes (got 4)'],
	['too many entries', field('string', { type: 'list', maxItems: 1 }), 'a,b', 'at most 1 entries'],
	['too few entries', field('string', { type: 'list', minItems: 2 }), 'a', 'at least 2 entries'],
	['too many keys', field('json', { maxProperties: 1 }), '{"a":1,"b":2}', 'at most 1 entries'],
	['an address of 999', field('string', { format: 'ip' }), '999.1.1.1', 'must be an IP address'],
	['nothing where something must be', field('string', {}, { required: true }), '', 'not be empty'],
	[
		'a locator without a value',
		field('resourceLocator', {}, { required: true }),
		{ __rl: true },
		'empty',
	],
	['an added field left empty', field('json', { emptyFails: true }), '', 'must not be empty'],
])('%s is refused', (_title, each, value, says) => {
	expect(() => toWire(each, value, context)).toThrow(
		expect.objectContaining({ field: 'Some Field', fault: expect.stringContaining(says) }),
	);
});

test.each([
	['a password', field('string', { maxLength: 3 }, { typeOptions: { password: true } })],
	['JSON', field('json')],
])('%s that is refused is not in the error', (_title, secret) => {
	for (const value of ['hunter22', ['hunter22'], '["hunter22"', '["hunter22"]']) {
		let message = '';
		try {
			toWire(secret, value, context);
		} catch (error) {
			message = String(error);
		}
		expect(message).toContain('Some Field must');
		expect(message).not.toContain('hunter');
	}
});

const create = entryOf('platformCustomers', 'customer', 'create');
const further = (json: unknown, more: object = {}) =>
	requestOf(create, { email: 'a@example.com', additionalFields: { further: json, ...more } }).body;

test('further fields join the body, and an object joins that of the form', () => {
	expect(further({ vat_id: 'DE1', address: { zip: '1' } }, { city: 'Bonn' })).toEqual({
		customer: {
			email: 'a@example.com',
			vat_id: 'DE1',
			address: { zip: '1', city: 'Bonn' },
		},
	});
});

test('what further fields put in the place of a field keeps to its rules', () => {
	expect(further({ address: { country: 'de' }, first_name: '', tags: 'a,b' })).toEqual({
		customer: {
			email: 'a@example.com',
			address: { country: 'DE' },
			first_name: '',
			tags: ['a', 'b'],
		},
	});
	expect(() => further({ email: 5 })).toThrow('Email must be an e-mail address (got 5)');
	expect(() => further({ address: 'Bonn' })).toThrow('must hold an object as address');
	expect(() => further({ first_name: null })).toThrow('First Name must not be empty');
});

test('the names of a prototype stay data', () => {
	const json = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
	expect(JSON.stringify(further(json))).toContain('"__proto__":{"polluted":1}');
	expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test('an array in place of a collection is refused', () => {
	expect(() => requestOf(create, { additionalFields: ['a'] })).toThrow(
		'Additional Fields must be a collection of fields',
	);
});
