// What a user or an expression can put into a form field, the sensible and the odd.
import fc, { type Arbitrary } from 'fast-check';
import { DateTime, Duration } from 'luxon';
import { endpoints } from '../contract/contract.cts';
import type { Operation } from '../../nodes/engine/form/operation.ts';
import type { Field, FixedCollection } from '../../nodes/engine/form/fields.ts';
import { wireName } from '../../dist/nodes/engine/form/containers.js';
import { sampleValue, type Form } from './forms.cts';
import { slots } from './leaves.cts';

/** The fixed parts of all paths: an id that is one of them could make the path of another endpoint. */
const segments = [
	...new Set(
		endpoints.flatMap(({ path }) =>
			path
				.split('/')
				.map((segment) => segment.replace('.json', ''))
				.filter((segment) => segment !== '' && !segment.includes('{')),
		),
	),
];

const inherited = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];
const keys = [...inherited, '', 'a.b', '*'];

const key = fc.oneof(fc.constantFrom(...keys), fc.string({ maxLength: 5 }));

const text: Arbitrary<string> = fc.oneof(
	fc.string(),
	fc.string({ unit: 'grapheme' }),
	// Halves of surrogate pairs among them.
	fc
		.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 })
		.map((codes) => String.fromCharCode(...codes)),
	fc.constantFrom(...keys),
	fc.constantFrom(...segments),
	fc.constantFrom(
		...[' ', '.', '..', '%2e%2e', 'a/b', 'a?b', 'a#b', '../x', 'x/../y', 'x/subscriptions'],
		...['x/subscriptions/y', '\u0000', '\u202e', '\ud800', '1.json'],
		...['true', 'null', '0', '-0', 'NaN', 'Infinity', '1e400', '0x1F', ' 7 ', '1,5', '٣'],
		...['[', '["a"]', '[1,{}]', '{"a":1', '{"__proto__":{"polluted":1}}', '"text"', '[[]]'],
		...['{}', ','],
		...['2026-02-30', '2026-03-01', '+012026-03-01', '24:00', '2026-03-01T09:00', 'now'],
		...['03.04.2026', 'Rechnung 12', '12:30', '1772323200', '2026-03-01T23:30:00Z'],
		...[
			'a@b',
			'a b@c',
			'https://',
			'https://a@b',
			'HTTPS://X',
			'999.1.1.1',
			'::',
			'de',
			'ß',
			'eur',
		],
	),
	fc.constantFrom('x', '😀', '\ud800').map((each) => each.repeat(3000)),
	fc.constant('x'.repeat(300_000)),
);

const number = fc.oneof(
	fc.double(),
	fc.integer(),
	fc.constantFrom(
		...[NaN, Infinity, -0, 0, 1.5, 1772323200, 1e21, 1e400, 9007199254740993, 5e-324],
	),
);

const moment = fc.oneof(
	fc.date({ noInvalidDate: false }),
	fc.constant(DateTime.fromISO('2026-03-01T09:00:00+01:00')),
	fc.constant(DateTime.invalid('odd')),
	fc.constant(DateTime.fromObject({ year: 12_026 })),
	fc.constant(Duration.fromObject({ hours: 1 })),
);

function circular(): unknown {
	const value: Record<string, unknown> = { a: 1 };
	value.self = value;
	return value;
}

const leaf: Arbitrary<unknown> = fc.oneof(
	{ weight: 6, arbitrary: text },
	{ weight: 3, arbitrary: number },
	{ weight: 1, arbitrary: moment },
	fc.constantFrom(true, false, null, undefined, 'true', 'false'),
	fc.constantFrom<unknown>(
		10n,
		Symbol('odd'),
		() => 1,
		/odd/,
		new Map([['a', 1]]),
		Buffer.from('a'),
	),
	fc.constant(0).map(circular),
	fc.constant(0).map(() => Object.assign(Object.create(null), { a: 1 }) as unknown),
	fc.constant(0).map(() => new Array<number>(10_000).fill(7)),
);

/** An object whose keys are its own, `__proto__` too, as JSON.parse makes it. */
const record = (value: Arbitrary<unknown>) =>
	fc.array(fc.tuple(key, value), { maxLength: 4 }).map((entries) => Object.fromEntries(entries));

/** Any value that can come out of an expression. */
export const anything: Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 3, withCrossShrink: true },
		leaf,
		fc.array(tie('value'), { maxLength: 4 }),
		record(tie('value')),
		fc.record({ __rl: fc.constantFrom<unknown>(true, 'true', 1), mode: text, value: tie('value') }),
		fc.record({ __rl: fc.constant(true) }),
	),
})).value;

/** A row of a fixed collection with keys missing, odd or too many. */
function oddRow(fields: Field[]): Arbitrary<unknown> {
	const row = fc.record(
		Object.fromEntries(
			fields.map((field) => [field.name, fc.oneof(fc.constant(sampleValue(field)), anything)]),
		),
		{ requiredKeys: [] },
	);
	return fc.oneof(
		row,
		fc.tuple(row, record(leaf)).map(([own, more]) => ({ ...more, ...own })),
		leaf,
	);
}

function oddRows({ options: [{ name, values }] }: FixedCollection): Arbitrary<unknown> {
	const row = oddRow(values);
	const rows = fc.oneof(row, fc.array(row, { maxLength: 4 }), anything);
	return fc.oneof(
		rows.map((each) => ({ [name]: each })),
		record(rows),
	);
}

const columnTypes = [
	...['string', 'number', 'boolean', 'dateTime', 'time', 'array', 'object', 'options', 'url'],
	...['jwt', 'form-fields', 'string-alphanumeric', 'binary', 'no such type'],
];

/** A resource mapper: columns that n8n keeps with the value, and the values by column. */
const oddMapper = fc.record(
	{
		mappingMode: fc.constantFrom<unknown>('defineBelow', 'autoMapInputData', 'odd', 1),
		value: fc.oneof(record(anything), anything),
		schema: fc.oneof(
			fc.array(
				fc.oneof(
					fc.record(
						{
							id: fc.oneof(key, anything),
							displayName: fc.oneof(text, anything),
							type: fc.oneof(fc.constantFrom<unknown>(...columnTypes), anything),
							removed: fc.constantFrom<unknown>(true, false, 'true'),
						},
						{ requiredKeys: ['id'] },
					),
					leaf,
				),
				{ maxLength: 4 },
			),
			anything,
		),
	},
	{ requiredKeys: ['mappingMode'] },
);

/** JSON that holds something odd where the fields of the form have their places. */
function oddJson(names: string[]): Arbitrary<unknown> {
	const entries = fc.array(fc.tuple(fc.constantFrom(...names), anything), { maxLength: 3 });
	return fc.oneof(
		entries.map((all) => Object.fromEntries(all)),
		fc.tuple(fc.constantFrom(...names), entries).map(([name, all]) => ({
			[name]: Object.fromEntries(all),
		})),
	);
}

/** Values for one field: of its own shape with something odd in it, or anything at all. */
function oddValue(field: Field, names: string[]): Arbitrary<unknown> {
	const locator = leaf.map((value) => ({ __rl: true, mode: 'id', value }));
	if (field.type === 'fixedCollection') return fc.oneof(oddRows(field), anything);
	if (field.type === 'resourceMapper') return fc.oneof(oddMapper, anything);
	if (field.type === 'resourceLocator') return fc.oneof(locator, anything);
	if (field.type === 'json') return fc.oneof(oddJson(names), record(anything), fc.json(), anything);
	return anything;
}

/** Forms of an operation, all set, with odd values in one to three places. */
export function oddForms({ fields = [], ...operation }: Operation, bases: Form[]): Arbitrary<Form> {
	const places = [
		...fields.map((field) => ({
			field,
			with: (form: Form, value: unknown): Form => ({ ...form, [field.name]: value }),
		})),
		...slots({ fields, ...operation }),
	];
	const names = [...new Set(places.flatMap(({ field }) => wireName(field).split('.')))];
	const base = fc.constantFrom(...bases);
	if (places.length === 0) return base;
	const change = fc
		.constantFrom(...places)
		.chain((place) => oddValue(place.field, names).map((value) => ({ place, value })));
	return fc
		.tuple(base, fc.array(change, { minLength: 1, maxLength: 3 }))
		.map(([form, changes]) =>
			changes.reduce((changed, { place, value }) => place.with(changed, value), form),
		);
}
