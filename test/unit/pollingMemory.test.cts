// The memory of the polling trigger: packing loses and mixes up nothing.
import fc from 'fast-check';
import { hashesOf } from '../../dist/nodes/PollingTrigger/fieldHashes.js';
import { keptOf } from '../../dist/nodes/PollingTrigger/kept.js';
import { paymentsOf } from '../../dist/nodes/PollingTrigger/payments.js';
import {
	fingerprint,
	pack,
	packMarks,
	unpack,
	unpackMarks,
	type KnownRows,
	type RowState,
} from '../../dist/nodes/PollingTrigger/packedState.js';

const standing = fc.record(
	{
		status: fc.option(fc.string(), { nil: null }),
		goneSince: fc.constantFrom('2026-01-01', '2026-01-02'),
	},
	{ requiredKeys: ['status'] },
);
const rows = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 2 ** 48 - 1 }), standing), {
	selector: ([number]) => number,
	maxLength: 300,
});

test('what is packed comes out again, also through JSON', () => {
	fc.assert(
		fc.property(rows, (given) => {
			const known: KnownRows = new Map(given);
			const stored = JSON.parse(JSON.stringify(pack(known))) as ReturnType<typeof pack>;
			expect(unpack(stored)).toEqual(known);
		}),
	);
});

test('the rows that are marked come out, and no others', () => {
	fc.assert(
		fc.property(rows, (given) => {
			const groups = pack(new Map(given));
			const isMarked = (number: number) => number % 3 === 0;
			const marked = new Map(given.filter(([number]) => isMarked(number)));
			expect(unpackMarks(groups, packMarks(groups, isMarked))).toEqual(marked);
		}),
	);
});

test('the ends of the range and neighbours', () => {
	const numbers = [0, 1, 127, 128, 129, 2 ** 32 - 1, 2 ** 32, 2 ** 48 - 2, 2 ** 48 - 1];
	const known: KnownRows = new Map(numbers.map((number) => [number, { status: 'paid' }]));
	const groups = pack(known);
	expect(groups).toHaveLength(1);
	expect([...unpack(groups).keys()]).toEqual(numbers);
});

test('ids that differ little have different numbers of 48 bits', () => {
	const numbers = Array.from({ length: 1_000 }, (_each, n) => fingerprint(`cus-${n}`));
	expect(new Set(numbers).size).toBe(1_000);
	expect(numbers.every(Number.isInteger)).toBe(true);
	const highest = Math.max(...numbers);
	expect(highest).toBeLessThan(2 ** 48);
	expect(highest).toBeGreaterThan(2 ** 47);
});

const DAY = 24 * 3600 * 1000;

const renewal = (n: number, time: number) => ({
	id: `rec-${n}`,
	status: 'active',
	last_payment_status: n % 2 ? 'paid' : 'failed',
	next_renewal_date: new Date(Date.parse('2026-01-01') + time).toISOString(),
});

/** Kilobytes that docs/triggers.md names for 10,000 rows, and a row. */
test.each<[string, number, (n: number) => RowState]>([
	['payments of a day', 100, (n) => ({ status: paymentsOf(renewal(n, (n % 31) * DAY)) })],
	['payments with a time of their own', 900, (n) => ({ status: paymentsOf(renewal(n, n * 7000)) })],
	[
		'all fields of customers',
		500,
		(n) =>
			hashesOf(
				{
					...{ id: `cus-${n}`, external_id: `crm-${n}`, company_name: `C ${n}`, email: `e${n}` },
					...{ first_name: 'A', last_name: `L ${n}` },
					address: { country: 'DE', city: 'Hamburg', address: `S ${n}` },
				},
				new Set(),
			),
	],
	[
		'what leads to subscriptions',
		600,
		(n) =>
			keptOf(
				{ id: `rec-${100000 + n}`, customerId: `cus-${n}`, subscription_reference: `sub-${n}` },
				{ kept: ['id', 'customerId', 'subscription_reference'] },
			),
	],
	// As many of each status as 100,000 rows have in 20.
	['two statuses', 80, (n) => ({ status: `status ${n % 2}` })],
])('10,000 rows: %s', (_what, kilobytes, stateOf) => {
	const known: KnownRows = new Map(
		Array.from({ length: 10_000 }, (_each, n) => [fingerprint(`row-${n}`), stateOf(n)]),
	);
	const groups = pack(known);
	expect(JSON.stringify(groups).length).toBeLessThan(kilobytes * 1000);
	expect(unpack(groups)).toEqual(known);
});
