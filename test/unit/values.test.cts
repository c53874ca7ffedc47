// Single values of a form: what each kind of field makes of them, and what it refuses.
import { DateTime, Duration } from 'luxon';
import { entryOf, type TableEntry } from '../table/operations.cts';
import { requestOf } from '../table/requests.cts';
import { toWire } from '../../dist/nodes/engine/form/containers.js';
import type { Field, FormContext, Send, SingleField } from '../../nodes/engine/form/fields.ts';

/** The fields are added, so one that is left empty counts. */
const context: FormContext = { timezone: 'Europe/Berlin', item: {}, place: 'added' };

const field = (
	type: SingleField['type'],
	send: Send = {},
	more: Partial<SingleField> = {},
): SingleField => ({
	displayName: 'Some Field',
	name: 'some',
	type,
	default: '',
	send,
	...more,
});

const range = (minValue: number, maxValue?: number) =>
	field('number', {}, { typeOptions: { minValue, maxValue } });

const options: SingleField['options'] = [
	{ name: 'A', value: 'a' },
	{ name: 'B', value: 'b' },
];

const text = field('string');
const neededText = field('string', {}, { required: true });
const list = field('string', { type: 'list' });
const number = field('number');
const boolean = field('boolean');
const json = field('json');
const locator = field('resourceLocator');
const neededRows = field('json', { type: 'array', minItems: 1 });
const neededList = field('string', { type: 'list' }, { required: true });
const filledList = field('string', { type: 'list', empty: 'refused' });
const neededLocator = field('resourceLocator', {}, { required: true });
const choice = field('options', {}, { options });
const choices = field('multiOptions', {}, { options });

const sumOf = (count: number, each: number) =>
	Array<number>(count)
		.fill(each)
		.reduce((sum, next) => sum + next);

const INEXACT = 'has too many digits to be sent exactly. Round it first (got ';

function circular(): object {
	const value: Record<string, unknown> = {};
	value.self = value;
	return value;
}

/** A field of an operation, or in one of its collections. */
function fieldOf({ operation: { fields = [] } }: TableEntry, name: string): Field {
	const inside = fields.flatMap((each) => (each.type === 'collection' ? each.options : []));
	const found = [...fields, ...inside].find((each) => each.name === name);
	if (!found) throw new Error(`No field ${name}`);
	return found;
}

const resolvers = fieldOf(entryOf('platformDns', 'lookup', 'run'), 'customResolvers');

const untouched = field('json', {}, { default: '{}' });
const neededJson: Field = { ...untouched, required: true };
const filledJson: Field = { ...untouched, send: { empty: 'refused' } };

const type = 'string' as const;
const modes = ['list', 'id', 'name'].map((name) => ({ name, displayName: name, type }));
const withModes = field('resourceLocator', {}, { modes });
const inOtherMode = { __rl: true, mode: 'names', value: 'x' };

const payments = ['pxxx', 'PAID'].map((value) => ({ name: value, value }));
const payment = field('options', {}, { options: payments });

const rows: Field = {
	displayName: 'Some Field',
	name: 'some',
	type: 'fixedCollection',
	default: {},
	options: [{ displayName: 'Row', name: 'row', values: [field('string', { as: 'text' })] }],
};

const at = DateTime.fromISO('2026-03-01T09:00:00', { zone: 'Europe/Berlin' });

test.each<[string, Field, unknown, unknown]>([
	['a number as text', text, 7, '7'],
	['text as a number', number, '7.5', 7.5],
	['a boolean as text', boolean, 'false', false],
	['comma-separated text as a list', list, 'a, b,,', ['a', 'b']],
	['a JSON array as a list', list, '["a","b"]', ['a', 'b']],
	['an array as a list', list, ['a', 1], ['a', '1']],
	['an empty array as a list', list, [], []],
	['a blank as no list', list, ' ', undefined],
	['a comma as no list', list, ', ,', undefined],
	['null as no rows', rows, { row: null }, undefined],
	['an empty text as no rows', rows, { row: '' }, undefined],
	['a comma as no choices', choices, ',', undefined],
	['a country in lower case', field('string', { format: 'country' }), 'de', 'DE'],
	['JSON text', json, '{"a":1}', { a: 1 }],
	['dates inside JSON', json, { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
	['any JSON', field('json', { type: 'any' }), '["a"]', ['a']],
	[
		'digits in the texts of JSON',
		json,
		'{"9007199254740993": "\\"9007199254740993", "b": -0.30000000000000004}',
		{ '9007199254740993': '"9007199254740993', b: -0.3 },
	],
	['a choice', choice, 'b', 'b'],
	['several choices', choices, 'a,b', ['a', 'b']],
	['a row', rows, { row: { some: 'x' } }, { text: 'x' }],
	['a picked id', locator, { __rl: true, mode: 'list', value: 'id-1' }, 'id-1'],
	['a text of emoji at its limit', field('string', { maxLength: 2 }), '😀😀', '😀😀'],
	['JSON at its limit of bytes', field('json', { maxBytes: 12 }), { a: 'éé' }, { a: 'éé' }],
	['a list of addresses as one text', resolvers, ['a', 'b'], 'a,b'],
	['a JSON array as one text', resolvers, '["a","b"]', 'a,b'],
	['text with blanks as it is', resolvers, 'a b, c', 'a b, c'],
	['an IPv6 address in brackets', resolvers, '[2001:db8::1]:53', '[2001:db8::1]:53'],
	['nothing', text, '', undefined],
	['an empty text that clears', field('string', { empty: 'clears' }), '', ''],
	['a sum without its noise', number, 0.1 + 0.2, 0.3],
	['a long decimal as text', number, '12.3456789012345', 12.3456789012345],
	['the last whole number', number, 2 ** 53 - 1, 2 ** 53 - 1],
	['a big number as text', number, '9007199254740992', 2 ** 53],
	['zeros that say nothing', number, '-00012.5000e+1', -125],
	['zero as text', number, '0.00', 0],
	['a large amount', number, 1234567890123.45, 1234567890123.45],
	['an amount of eight decimals', number, 123456.12345678, 123456.12345678],
	['a tiny cost', number, 0.00000015, 0.00000015],
	['an amount below 0', number, -0.1 - 0.2, -0.3],
	['nearly an integer', field('number', { type: 'integer' }), 0.1 * 30, 3],
	['an empty array as no text', resolvers, [], undefined],
	['an empty array as no texts', field('multiOptions', { type: 'texts' }), [], undefined],
	['untouched JSON', untouched, '{}', undefined],
	['untouched JSON that is required', neededJson, '{}', {}],
	['an empty object that was written', untouched, {}, {}],
	['null that clears nothing', field('string', { empty: 'clears' }), null, undefined],
])('%s', (_title, each, value, expected) => {
	expect(toWire(each, value, context)).toEqual(expected);
});

test.each<[string, Field, unknown, string]>([
	['an object as text', text, { a: 1 }, 'must be text (got {"a":1})'],
	['a cycle as text', text, circular(), 'must be text (got a value of type object)'],
	['a BigInt as text', text, 10n, 'must be text'],
	['half a character', text, 'a\ud800', 'must be valid Unicode text'],
	['a hexadecimal number', number, '0x10', 'must be a number (got "0x10")'],
	['a whole number of 17 digits', number, '90071992547409931', `${INEXACT}"9007199`],
	['one above the last', number, '9007199254740993', `${INEXACT}"9007199254740993")`],
	['one above the last, as a number', number, 2 ** 53, `${INEXACT}9007199254740992)`],
	['a decimal of 15 digits', number, 12.3456789012345, `${INEXACT}12.3456789012345)`],
	['a sum of a thousand', number, sumOf(1000, 0.1), `${INEXACT}99.9999999999986)`],
	['too small a number', number, '1e-400', INEXACT],
	['a number in JSON', json, '{"a": [1.5, 9007199254740993]}', 'must not have a number'],
	['a number of 400 digits in JSON', json, `[${'9'.repeat(400)}]`, 'must not have a number'],
	['a number that was another ID', text, 2 ** 53, 'too many digits for a number. Round it, or'],
	['a number with a comma', number, '1,5', 'must be a number'],
	['untouched JSON to fill', filledJson, '{}', 'must not be empty'],
	['an object without fields', field('json', { minProperties: 1 }), {}, 'have at least 1 field'],
	['an array without entries', neededRows, [], 'must have at least 1 entry'],
	['NaN', number, NaN, 'must be a number'],
	['an endless number', number, Infinity, 'must be a number'],
	['a blank as a number', number, ' ', 'must be a number'],
	['a fraction as an integer', field('number', { type: 'integer' }), 1.5, 'must be a whole number'],
	['a number below', range(1), 0, 'must be at least 1'],
	['a number above', range(1, 9), 10, 'must be between 1 and 9'],
	['perhaps', boolean, 'perhaps', 'must be true or false'],
	['the year 12026', field('dateTime'), at.plus({ years: 10_000 }), 'a four-digit year'],
	['broken JSON', json, '{"a":', 'must be valid JSON'],
	['a date as a JSON object', json, at, 'must be a JSON object'],
	['a cycle as JSON', json, circular(), 'can be written as JSON'],
	['an object as an array', field('json', { type: 'array' }), '{}', 'must be a JSON array'],
	['no choice', choice, 'c', 'must be one of a, b'],
	['a locator in another mode', withModes, inOtherMode, 'must have one of the modes name, '],
	['a choice in another case, named first', payment, 'paid', 'must be one of PAID, pxxx'],
	['an array of choices', choice, ['a'], 'must be one of'],
	['an object as a loaded choice', field('options'), { a: 1 }, 'must be text'],
	['one choice too many', choices, 'a,c', 'one of a, b'],
	['text as a row', rows, { row: 'x' }, 'rows'],
	['null in a list', list, ['a', null], 'must be text'],
	['too many characters', field('string', { maxLength: 2 }), 'abc', 'at most 2 characters (got 3)'],
	['too many bytes', field('string', { maxBytes: 3 }), 'éé', 'at most 3 bytes (got 4)'],
	['JSON of too many bytes', field('json', { maxBytes: 11 }), { a: 'éé' }, '11 bytes (got 12)'],
	['too few entries', field('string', { type: 'list', minItems: 2 }), 'a', 'at least 2 entries'],
	['too many keys', field('json', { maxProperties: 1 }), '{"a":1,"b":2}', 'at most 1 fields'],
	['nothing where something must be', neededText, '', 'not be empty'],
	['a locator without a value', neededLocator, { __rl: true }, 'empty'],
	['an added field left empty', filledJson, '', 'must not be empty'],
	['an added list of nothing', filledList, ',', 'must not be empty'],
	['a required list of nothing', neededList, ' ', 'must not be empty'],
])('%s is refused', (_title, each, value, says) => {
	expect(() => toWire(each, value, context)).toThrow(
		expect.objectContaining({ field: 'Some Field', fault: expect.stringContaining(says) }),
	);
});

describe('dates', () => {
	const wire = (type: 'date' | 'dateTime', value: unknown, timezone: string) =>
		toWire(field('dateTime', { type }), value, { timezone, item: {} });

	const late = '2026-03-01T23:30:00';
	const lateInNewYork = DateTime.fromISO(late, { zone: 'America/New_York' });

	// Value, zone of the workflow, the moment that is sent, the day that is sent.
	test.each<[unknown, string, string, string]>([
		['2026-03-01', 'Europe/Berlin', '2026-03-01T00:00:00+01:00', '2026-03-01'],
		[' 2026-03-01 ', 'Asia/Tokyo', '2026-03-01T00:00:00+09:00', '2026-03-01'],
		['2024-02-29', 'America/New_York', '2024-02-29T00:00:00-05:00', '2024-02-29'],
		['2026-03-01T00:00:00', 'America/New_York', '2026-03-01T00:00:00-05:00', '2026-03-01'],
		['2026-07-01T09:00', 'Europe/Berlin', '2026-07-01T09:00:00+02:00', '2026-07-01'],
		['2026-03-01 09:00:00', 'Europe/Berlin', '2026-03-01T09:00:00+01:00', '2026-03-01'],
		['2026-03-01T09:00:00.250', 'Europe/Berlin', '2026-03-01T09:00:00.250+01:00', '2026-03-01'],
		// An offset or a zone names a day of its own.
		['2026-03-01 23:30:00+0530', 'Europe/Berlin', '2026-03-01T23:30:00+05:30', '2026-03-01'],
		['2026-03-01 23:30:00 +05', 'Europe/Berlin', '2026-03-01T23:30:00+05:00', '2026-03-01'],
		['2026-03-01T23:30:00+00:00', 'Asia/Tokyo', '2026-03-01T23:30:00Z', '2026-03-01'],
		[lateInNewYork, 'Europe/Berlin', '2026-03-01T23:30:00-05:00', '2026-03-01'],
		// An instant is on the day of the workflow's zone, however it is given.
		['2026-03-01T23:30:00Z', 'Europe/Berlin', '2026-03-01T23:30:00Z', '2026-03-02'],
		['2026-03-01T23:30:00.000Z', 'America/New_York', '2026-03-01T23:30:00Z', '2026-03-01'],
		['2026-03-02T03:30:00Z', 'America/New_York', '2026-03-02T03:30:00Z', '2026-03-01'],
		[new Date(`${late}Z`), 'Europe/Berlin', '2026-03-02T00:30:00+01:00', '2026-03-02'],
		[new Date(`${late}Z`), 'America/New_York', '2026-03-01T18:30:00-05:00', '2026-03-01'],
		// 1772407800 is 2026-03-01T23:30:00Z, in the seconds that the API shows.
		[1_772_407_800, 'Europe/Berlin', '2026-03-02T00:30:00+01:00', '2026-03-02'],
		[1_772_407_800_000, 'Europe/Berlin', '2026-03-02T00:30:00+01:00', '2026-03-02'],
		['1772407800', 'Europe/Berlin', '2026-03-02T00:30:00+01:00', '2026-03-02'],
		['1772407800000', 'America/New_York', '2026-03-01T18:30:00-05:00', '2026-03-01'],
	])('%s in %s is %s, the day %s', (value, timezone, moment, day) => {
		expect(wire('dateTime', value, timezone)).toBe(moment);
		expect(wire('date', value, timezone)).toBe(day);
	});

	test.each<[unknown]>(
		[
			...['03.04.2026', '02/30/2026', '3/4/2026', 'Rechnung 12', '12:30', 'now', 'March 2026'],
			...['2026', '2026-03', '2026-3-1', '20260301', '20260301T090000', '2026-060', '2026-W10-1'],
			...['2026-02-30', '2026-02-29', '2026-13-01', '2026-00-10', '2026-02-30T09:00:00Z'],
			...['2026-03-01T24:00', '2026-03-01T25:00', '2026-03-01T09:60', '2026-03-01T09:00+99:00'],
			...['2026-03-01 or later', '2026-03-01T09:00 Berlin', 'Sun, 01 Mar 2026 09:00:00 GMT'],
			...[0, 1, -1_772_407_800, 12.5, 2026, 46_082, 20_260_301, 202_603_011_200, 1e15],
			...[NaN, Infinity, '0', '202603011200'],
			...[true, 10n, { year: 2026 }, { toString: () => '2026-03-01' }],
			['2026-03-01'],
			[new Date(NaN)],
			[DateTime.invalid('odd')],
			[Duration.fromObject({ hours: 1 })],
		].map((value) => [value]),
	)('%p is refused', (value) => {
		for (const type of ['date', 'dateTime'] as const) {
			expect(() => wire(type, value, 'Europe/Berlin')).toThrow(
				expect.objectContaining({
					field: 'Some Field',
					fault: expect.stringMatching(/^must be a date such as 2026-03-01 or .* \(got /),
				}),
			);
		}
	});

	test.each([
		['2026-03-01', '2026-03-01'],
		['2026-03-01T00:00:00', '2026-03-01'],
		['2026-03-01T00:00:00+05:00', '2026-03-01T00:00:00+05:00'],
		['2026-03-01T00:00:00Z', '2026-03-01T00:00:00Z'],
		[new Date('2026-02-28T23:00:00Z'), '2026-03-01T00:00:00+01:00'],
		['2026-03-01T00:00:01', '2026-03-01T00:00:01+01:00'],
		['2026-03-01T09:30', '2026-03-01T09:30:00+01:00'],
		['2026-02-28T23:00:00Z', '2026-02-28T23:00:00Z'],
		[DateTime.fromISO('2026-03-01T00:00:00', { zone: 'Europe/Berlin' }), '2026-03-01'],
		[DateTime.fromISO('2026-03-01T00:00:00', { zone: 'utc' }), '2026-03-01T00:00:00Z'],
		[DateTime.fromISO('2026-03-01T00:00:00', { zone: 'Asia/Tokyo' }), '2026-03-01T00:00:00+09:00'],
		[1_772_319_600, '2026-03-01T00:00:00+01:00'],
		[1_772_407_800, '2026-03-02T00:30:00+01:00'],
	])('%s as a day or a moment is %s', (value, expected) => {
		const either = field('dateTime', { type: 'dateOrDateTime' });
		expect(toWire(either, value, { timezone: 'Europe/Berlin', item: {} })).toBe(expected);
	});

	test('a mapped column of dates takes the same', () => {
		const mapper = (value: string) => ({
			mappingMode: 'defineBelow',
			value: { at: value },
			schema: [{ id: 'at', displayName: 'At', type: 'dateTime' }],
		});
		expect(toWire(field('resourceMapper'), mapper('2026-03-01'), context)).toEqual({
			at: '2026-03-01T00:00:00+01:00',
		});
		expect(() => toWire(field('resourceMapper'), mapper('Rechnung 12'), context)).toThrow(
			expect.objectContaining({ field: 'At', fault: expect.stringContaining('must be a date') }),
		);
	});
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
	expect(further({ vat_id: 'DE1', address: { zip: '1' } }, { address: { city: 'Bonn' } })).toEqual({
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
	expect(() => further({ email: 5 })).toThrow('Email must be an email address (got 5)');
	expect(() => further({ address: 'Bonn' })).toThrow('must have an object at address');
	expect(further({ first_name: null })).toEqual({
		customer: { email: 'a@example.com', first_name: null },
	});
});

test('the names of a prototype stay data', () => {
	const json = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
	expect(JSON.stringify(further(json))).toContain('"__proto__":{"polluted":1}');
	expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test('an array in place of a collection is refused', () => {
	expect(() => requestOf(create, { additionalFields: ['a'] })).toThrow(
		'Additional Fields must be a set of fields',
	);
});

test('IDs of input items are sent once each, and differ by case', () => {
	const items = () =>
		[{ id: 'Ab' }, { id: 'ab' }, { id: 'Ab' }, { id: 7 }].map((json, index) => ({ index, json }));
	const column = fieldOf(entryOf('platformNewsletters', 'recipient', 'set'), 'customerField');
	expect(toWire(column, 'id', { ...context, items })).toEqual(['Ab', 'ab', '7']);
});
