// The time that a loop takes over what a stranger, an item or the API may make long: 64 times as much takes about 64 times
// as long, never 64² times. As a ratio of processor time in one run, so that a busy machine makes no difference: the short
// one is done 64 times, so both last as long. What others take from a processor and its caches lengthens both.
import { errors } from '../../dist/nodes/api/errors.js';
import { withNames } from '../../dist/nodes/api/names.js';
import { onceEach } from '../../dist/nodes/api/recordByKey.js';
import { splitPassages } from '../../dist/nodes/AiGateway/embeddingBatches.js';
import { received } from '../../dist/nodes/engine/client/http/exchange.js';
import { nextStep } from '../../dist/nodes/engine/client/http/nextStep.js';
import { Secrets } from '../../dist/nodes/engine/client/http/redact.js';
import { Collector } from '../../dist/nodes/engine/client/list/collector.js';
import { formats } from '../../dist/nodes/engine/form/formats.js';
import { jsonFault } from '../../dist/nodes/engine/form/jsonFault.js';
import { singleValue } from '../../dist/nodes/engine/form/values.js';
import { leftOut } from '../../dist/nodes/engine/run/leftOut.js';
import { decimalOf } from '../../dist/nodes/engine/run/decimal.js';
import { Ledger } from '../../dist/nodes/engine/run/ledger.js';
import { changedFields, hashesOf } from '../../dist/nodes/PollingTrigger/fieldHashes.js';
import {
	fingerprint,
	pack,
	packMarks,
	unpack,
} from '../../dist/nodes/PollingTrigger/packedState.js';
import { missingOf, registeredOf } from '../../dist/nodes/PollingTrigger/registered.js';
import { parseBody } from '../../dist/nodes/Trigger/body.js';
import { shownHeaders } from '../../dist/nodes/Trigger/headers.js';
import { hasEvent, hasMark, isTruncated } from '../../dist/nodes/Trigger/urls.js';
import { endpointOf } from '../table/api.cts';
import { entryOf } from '../table/operations.cts';

/** How much longer the long one is. */
const TIMES = 64;

/** Max growth of the time. Between linear, with room for the collection of garbage, and quadratic. */
const MOST = 200;

/** Microseconds of processor time that the short one takes at least. Less shows no growth: much of it is the same each time. */
const LEAST = 1_000;

/** Microseconds that all the short ones take at least, so that a pause in the long one is no growth. */
const LEAST_OF_ALL = 16 * LEAST;

/** The longest short one. Over TIMES as much, a quadratic loop takes longer than MOST allows. */
const LONGEST = 400;

/** Max rounds of measurements. What is slow by chance in one is not in another. */
const ROUNDS = 8;

const rows = <T,>(length: number, row: (n: number) => T) =>
	Array.from({ length }, (_each, n) => row(n));

/** Makes something long, and returns what is done with it. */
type Work = (length: number) => () => unknown;

function cost(work: () => unknown): number {
	const begin = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(begin);
	return user + system;
}

/** The time for TIMES as much, as a multiple. */
function growth(prepare: Work): number {
	let length = 50;
	const isShort = (work: () => unknown) => Math.min(cost(work), cost(work)) < LEAST;
	while (length < LONGEST && isShort(prepare(length))) length *= 2;
	const short = prepare(length);
	const works = [() => rows(TIMES, short), prepare(TIMES * length)];
	const least = [Infinity, Infinity];
	const ratio = () => (TIMES * least[1]) / Math.max(least[0], LEAST_OF_ALL);
	for (let round = 0; round < ROUNDS && !(ratio() < MOST); round++) {
		for (const [index, work] of works.entries()) least[index] = Math.min(least[index], cost(work));
	}
	return ratio();
}

/** Large maps leave the caches: that alone grows faster than their number. So some have a half, or a quarter, of the fields. */
const record = (length: number, of: (n: number) => unknown) =>
	Object.fromEntries(rows(length, (n) => [`f${n}`, of(n)]));

/** Something long, and what is done with it. */
const over =
	<T,>(make: (length: number) => T, work: (made: T) => unknown): Work =>
	(length) => {
		const made = make(length);
		return () => work(made);
	};

const repeated = (piece: string, work: (text: string) => unknown) =>
	over((length) => piece.repeat(length), work);

// Deliveries
const bodyOf = (type: string) => (text: string) => parseBody(Buffer.from(text), type);
const form = bodyOf('application/x-www-form-urlencoded');
const json = bodyOf('application/json');
const accepted = { event: 'e', secret: 'h', at: 0, tokenHash: 't' };
const shown = (headers: Record<string, string>) => shownHeaders(headers, '', accepted);

// Errors
const create = endpointOf('POST /customers.json');
const counts = { endpoint: create, attempts: 1, doubtfulAttempts: 0, waited: 0, inDoubt: false };
const sent = [
	{ field: 'Email', name: 'email' },
	{ field: 'Tags', name: 'tags' },
];
const key = 'sk-1234567890';
const context = { secrets: new Secrets([key]), sent: () => sent } as never;
const hide = (text: string) => new Secrets([key]).hide(text);
const advice = (status: number) => (body: unknown) =>
	nextStep({ ...received(create, status, {}, body), ...counts }, context);

// Rows
const collect = (pages: unknown[][]) => {
	const collector = new Collector('id');
	for (const page of pages) collector.add(page);
};
const collected = (page: (n: number) => unknown[]) =>
	over((length) => rows(Math.ceil(length / 100), page), collect);
const known = (length: number) =>
	new Map(rows(length / 2, (n) => [fingerprint(`row-${n}`), { status: `s${n % 7}` }]));
const webhooks = (length: number, url: (n: number) => string) =>
	new Map(
		rows(length, (id) => [
			id,
			{ status: registeredOf({ id, url: url(id) }, 'https://') as string | null },
		]),
	);

// Values of items
const sentAs = (more: object) => (given: unknown) => {
	try {
		const field = { displayName: 'F', name: 'f', default: '', ...more };
		return singleValue(field as never, given, 'UTC');
	} catch {
		return undefined;
	}
};
const tags = sentAs({ type: 'string', send: { type: 'list' } });

// Items of a run that ends early
const charge = entryOf('platformCustomers', 'charge', 'create').operation;

/** The ledger of a node whose items are done, in an execution that n8n keeps nothing of. */
function doneLedger(length: number): Ledger {
	const ledger = new Ledger(
		{
			getExecutionId: () => '1',
			getMode: () => 'internal',
			getNode: () => ({ id: '1' }),
			getWorkflow: () => ({}),
			getWorkflowDataProxy: () => ({ $runIndex: 0 }),
			isToolExecution: () => false,
		} as never,
		charge as never,
	);
	for (let index = 0; index < length; index++) {
		ledger.begin({ index, fingerprint: String(index) }, {} as never);
		ledger.done(index, [{ json: { id: index } }]);
	}
	return ledger;
}

const PIECES = ['a', '1', ':', '.', '@', 'a.', '-----BEGIN CERTIFICATE-----\n'];

const table: Array<[string, Work]> = [
	['a form with many names', over((n) => Object.keys(record(n, String)).join('&'), form)],
	['a form with a long value', repeated('%41+', form)],
	['a form with one name', repeated('&=', form)],
	['a form of nothing but =', repeated('=', form)],
	['a text', repeated(' x', bodyOf('text/plain'))],
	['JSON', over((n) => JSON.stringify(rows(n, (each) => ({ each }))), json)],
	['JSON that ends too early', repeated('[1,', json)],
	['headers', over((n) => record(n, () => 'a b') as Record<string, string>, shown)],
	['a header', repeated('ab, ', (text) => shown({ name: text }))],
	['a header of hexadecimal digits', repeated('af0 ', (text) => shown({ name: text }))],
	['a query', repeated('a=1&', (text) => hasMark(`https://a.example/?${text}node=m`, 'm'))],
	[
		'a value of slashes',
		repeated('/', (text) => hasEvent(`https://a.example/?event=${text}x`, 'x')),
	],
	[
		'a path',
		repeated('/', (text) => isTruncated(`https://a.example${text}x`, 'https://a.example/b?c=d')),
	],

	['a message', repeated('email tags ', (error) => advice(400)({ error }))],
	['a message of a 429', repeated('month ', (error) => advice(429)({ error }))],
	['many errors', over((n) => ({ errors: rows(n, () => ({ each: [{}] })) }), advice(200))],
	[
		'what is beside an error',
		over(
			(n) => record(n, () => null),
			(body) => errors.isUnclear(create, body),
		),
	],

	['a long text', repeated('sk-12345 &amp;amp; %2525 \\\\\\u0041 ', hide)],
	['a text that was cut often', repeated('sk-1234… ', hide)],
	['a long secret', repeated('ab', (long) => new Secrets([long]).hide('It is 1234… or 5678…'))],
	[
		'the beginning of a secret',
		repeated('ab', (text) => new Secrets([`${'ab'.repeat(90)}c`]).hide(text)),
	],
	[
		'a value with many texts',
		over(
			(n) => rows(n, (a) => `text ${a}`),
			(all) => new Secrets([key]).hideIn(all),
		),
	],
	[
		'a value without its secrets',
		over(
			(n) => rows(n, String),
			(all) => new Secrets(all).without(all),
		),
	],

	['pages with IDs', collected((page) => rows(100, (n) => ({ id: 100 * page + n })))],
	['pages without IDs', collected((page) => rows(100, (n) => ({ a: 100 * page + n })))],
	['pages that overlap', collected((page) => rows(100, (n) => ({ id: 40 * page + n, page })))],
	[
		'rows with many fields',
		over((n) => [0, 1, 2].map((page) => [{ page, ...record(n / 4, (each) => each) }]), collect),
	],
	['names of a row', over((n) => record(n, (each) => ({ each })), withNames)],
	['rows that come twice', over((n) => rows(n, (each) => ({ id: each % 999 })), onceEach)],
	['rows that are remembered', over(known, (all) => unpack(pack(all)))],
	[
		'rows that are marked',
		over(
			(n) => pack(known(n)),
			(all) => packMarks(all, (n) => n % 2 === 0),
		),
	],
	[
		'fields that are compared',
		over(
			(n) => [0, 1].map((by) => hashesOf(record(n / 2, (each) => each + by) as never, new Set())),
			([one, other]) => changedFields(one, other),
		),
	],
	[
		'webhooks that are missing',
		over(
			(n) => ['a', 'b'].map((host) => webhooks(n, (each) => `https://${host}.example/${each}`)),
			([one, other]) => missingOf(one, other),
		),
	],
	[
		'a webhook with a URL of slashes',
		over(
			(n) => webhooks(1, () => `https://a.example${'/'.repeat(n)}x`),
			(one) => missingOf(one, new Map()),
		),
	],

	['tags', repeated('a, ', tags)],
	['tags in JSON', over((n) => JSON.stringify(rows(n, String)), tags)],
	['a number', repeated('1', (text) => sentAs({ type: 'number' })(`${text}x`))],
	['an amount', repeated('1', (text) => decimalOf(`${text}x`))],
	['bad JSON', repeated('1,', (text) => jsonFault(`[${text}`))],
	['a date', repeated('1', (text) => sentAs({ type: 'dateTime' })(`2026-01-01T00:00:00.${text}x`))],
	...Object.entries(formats).map(([name, { test: format }]): [string, Work] => [
		`the format ${name}`,
		over(
			(n) =>
				PIECES.map((piece) => piece.repeat(n)).flatMap((text) => [
					...[`${text}!`, `a@${text} `, `https://${text} `],
				]),
			(texts) => texts.map((text) => format.test(text)),
		),
	]),
	[
		'items that a run leaves out',
		(length) => {
			const ledger = doneLedger(length);
			const reason = new Error('Cancelled');
			return () => rows(length, (index) => leftOut(ledger, index, reason));
		},
	],
	[
		'passages',
		over(
			(n) => rows(n, (each) => `passage ${each}`),
			(all) => splitPassages(all, {}),
		),
	],
];

test.each(table)('%s', (_what, prepare) => {
	expect(growth(prepare)).toBeLessThan(MOST);
});
