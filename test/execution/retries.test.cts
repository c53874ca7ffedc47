// What is sent again, what never is, how long is waited, and how a wait ends.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rules, type Rule } from '../../dist/nodes/engine/client/http/retry.js';
import { until } from '../n8n/until.cts';
import { wait } from '../wait.cts';
import { told, type RunOptions } from './host/host.cts';
import { byId, run, sandboxFor } from './host/run.cts';

const sandbox = sandboxFor({ customers: 300, latencyMs: 2 });

const customerId = () => byId(sandbox().state.customers.customers.rows[0].id);
const charge = () => ({
	customerId: customerId(),
	services: { service: [{ name: 'Setup', amount: 10, taxProfile: 'standard' }] },
});
/** Reads of `count` customers, one for each item. */
const reads = async (count: number, requests: object = {}, more: Partial<RunOptions> = {}) =>
	await run(
		sandbox(),
		'platformCustomers',
		'customer.get',
		{ customerId: customerId(), requests },
		{ items: Array.from({ length: count }, (_each, n) => ({ n })), ...more },
	);

const sent = (method: string) => sandbox().requests.filter((request) => request.method === method);

test('a 429 with Retry-After on page 2 of 3 loses and doubles nothing', async () => {
	const fault = sandbox().faults.add({
		kind: 'status',
		status: 429,
		retryAfter: 1,
		body: { error: 'Too many requests' },
		path: '^/customers\\.json\\?.*page=2(&|$)',
		times: 1,
	});
	const result = await run(sandbox(), 'platformCustomers', 'customer.getAll', { returnAll: true });
	expect(result.error).toBeUndefined();
	expect(fault.hits).toBe(1);
	expect(result.items.map(({ json }) => json.id)).toEqual(
		sandbox().state.customers.customers.rows.map(({ id }) => id),
	);
	// Three pages, the refused one again, and one more behind a last page that is full.
	expect(sandbox().requests).toHaveLength(5);
	expect(result.hints).toEqual([]);
});

test('a charge to an address where nothing listens is no doubt: it was not sent', async () => {
	const gone = createServer().listen(0, '127.0.0.1');
	await once(gone, 'listening');
	const { port } = gone.address() as AddressInfo;
	await new Promise((resolve) => gone.close(resolve));
	const api = { baseUrl: `http://127.0.0.1:${port}`, key: 'key' };
	const { error } = await run(api, 'platformCustomers', 'charge.create', charge());
	expect(told(error)).toContain('ECONNREFUSED');
	expect(told(error)).toContain('The host in Base URL refused the connection.');
	expect(told(error)).not.toContain('may have');
});

test.each([0, -5, 'Thu, 01 Jan 1970 00:00:00 GMT'])(
	'an API that refuses with Retry-After %j is not asked without end',
	async (retryAfter) => {
		// The pauses of the row before are over.
		await reads(1, { retryTime: 2 });
		sandbox().clearRequests();
		sandbox().faults.add({ kind: 'status', status: 429, retryAfter });
		const result = await reads(1, { retryTime: 2 });
		expect(result.error?.message).toContain('(HTTP 429)');
		// At once, after a quarter to half a second, after half to one, after one to two.
		expect(sent('GET').length).toBeLessThanOrEqual(4);
		expect(sent('GET').length).toBeGreaterThan(1);
	},
);

test('a read waits as long as a 503 with Retry-After asks', async () => {
	const retryAfter = new Date(Date.now() + 2500).toUTCString();
	const started = Date.now();
	sandbox().faults.add({ kind: 'status', status: 503, retryAfter, times: 1 });
	const result = await reads(1);
	expect(result.error).toBeUndefined();
	expect(Date.now() - started).toBeGreaterThan(1000);
});

test('a read gives up after five faults and says so', async () => {
	sandbox().faults.add({ kind: 'status', status: 500, body: { error: 'Broken' } });
	const result = await reads(1);
	expect(sandbox().requests).toHaveLength(5);
	expect(told(result.error)).toContain('Broken (HTTP 500). The API failed after 5 attempts.');
});

test('the retry time bounds the waiting, and the error says how long it was', async () => {
	const body = { error: 'Slow down' };
	sandbox().faults.add({ kind: 'status', status: 429, retryAfter: 1, body });
	const result = await reads(1, { retryTime: 2 });
	expect(told(result.error)).toMatch(/Slow down \(HTTP 429\).*Tried [23] times and waited [12] s/);
});

test.each([
	['a wait for Retry-After', { kind: 'status', status: 429, retryAfter: 60 }],
	['a request that is not answered', { kind: 'stall' }],
] as const)('cancelling during %s ends within a second', async (_title, fault) => {
	sandbox().faults.add(fault);
	const started = Date.now();
	const { run: outcome } = await reads(1, {}, { cancelAfter: 500 });
	expect(outcome.status).toBe('canceled');
	const sentBefore = sandbox().requests.length;
	// What n8n has given up must not go on behind its back.
	await wait(700);
	expect(sandbox().requests.length).toBe(sentBefore);
	expect(Date.now() - started).toBeLessThan(2500);
});

// One row of retry.ts is all that such a response takes.
test('a rule says by a status and a header that a charge was never processed: it is sent again, and made once', async () => {
	const headers = { 'x-not-processed': 'true' };
	const rule: Rule = {
		when: 'It says so',
		retry: 'any',
		applies: (result) =>
			result.failure === undefined &&
			result.status === 503 &&
			result.headers['x-not-processed'] === 'true',
	};
	const charges = () => sandbox().state.charges.charges.rows.length;
	const chargeWith = async (requests: object, times?: number) => {
		const refusal = { kind: 'status', status: 503, headers, method: 'POST', times } as const;
		const fault = sandbox().faults.add({ ...refusal, body: { error: 'Too early' } });
		const form = { ...charge(), requests };
		const { error } = await run(sandbox(), 'platformCustomers', 'charge.create', form);
		return { said: told(error), error, hits: fault.hits };
	};
	const before = charges();
	rules.unshift(rule);
	try {
		expect(await chargeWith({}, 2)).toMatchObject({ said: '', hits: 2 });
		expect(charges()).toBe(before + 1);
		const { said, error } = await chargeWith({ retryTime: 0 });
		expect(said).toContain('Too early (HTTP 503). The API failed.');
		expect(said).not.toMatch(/may have|rate limit/);
		expect(error).toMatchObject({ failure: { cause: 'temporarily-unavailable' } });
		expect(charges()).toBe(before + 1);
	} finally {
		rules.shift();
	}
});

describe('a pause longer than Retry Time', () => {
	const longPause = { kind: 'status', status: 429, retryAfter: 600 } as const;

	test('ends all items soon, and nothing more is sent', async () => {
		sandbox().faults.add({ ...longPause, nth: { from: 3 } });
		const started = Date.now();
		const settings = { onError: 'continueRegularOutput' as const };
		const result = await reads(30, { maxParallel: 5 }, { settings });
		expect(Date.now() - started).toBeLessThan(10_000);
		// Two that were taken, those that were in flight when the third was refused, and the one that asks again.
		expect(sandbox().requests.length).toBeLessThanOrEqual(2 + 5 + 1);
		const errors = result.items.flatMap(({ json }) =>
			'error' in json ? [String(json.error)] : [],
		);
		expect(errors).toHaveLength(28);
		const unsent = errors.filter((error) => error.includes("wasn't sent"));
		expect(unsent).toHaveLength(30 - sandbox().requests.length);
		expect(unsent[0]).toMatch(
			/^The API asks for a pause of (600|599) s, longer than Retry Time, so this request wasn't sent\.$/,
		);
		expect(result.items.at(-1)?.json.details).toMatchObject({
			description: expect.stringMatching(/^Run it later, or raise Retry Time in Settings\./),
		});
	});

	test('of a write is no doubt: it was not sent', async () => {
		sandbox().faults.add(longPause);
		const result = await run(sandbox(), 'platformCustomers', 'charge.create', charge(), {
			items: [{}, {}, {}],
			settings: { onError: 'continueRegularOutput' },
		});
		// A single refusal may be wrong, so another one asks.
		expect(sent('POST')).toHaveLength(2);
		expect(String(result.items[2].json.error)).toContain("wasn't sent");
		expect(String(result.items[2].json.error)).not.toContain('may have been applied');
	});
});

test.each([
	'AI Gateway monthly budget would be exceeded',
	'The monthly quota of this key is used up',
	'Quota for this month exceeded',
])('a 429 that no waiting helps ends at once: %s', async (error) => {
	sandbox().faults.add({ kind: 'status', status: 429, body: { error } });
	const result = await reads(1);
	expect(sandbox().requests).toHaveLength(1);
	expect(result.error?.message).toBe(`${error} (HTTP 429)`);
	expect(told(result.error)).toContain(
		`${error} (HTTP 429). A budget or quota is used up, so the request wasn't retried. Raise it, or wait until it renews.`,
	);
});

test.each([
	['a budget with Retry-After', { body: { error: 'Budget used up' }, retryAfter: 1 }],
	['a quota of another time', { body: { error: 'Quota exceeded' } }],
])('a 429 about %s is waited for', async (_what, answer) => {
	sandbox().faults.add({ kind: 'status', status: 429, ...answer, times: 1 });
	const result = await reads(1);
	expect(result.error).toBeUndefined();
	expect(sandbox().requests).toHaveLength(2);
});

describe('an answer that comes drop by drop', () => {
	/** Requests that came, and whether each was let go by its sender. */
	const seen: Array<{ closed: boolean }> = [];
	const dripping = createServer((_request, response) => {
		const request = { closed: false };
		seen.push(request);
		response.writeHead(200, { 'content-type': 'application/json' });
		response.on('close', () => (request.closed = true));
		const drip = async () => {
			for (; !request.closed; await wait(200)) response.write(' ');
		};
		void drip();
	});

	beforeAll(async () => {
		await new Promise<void>((resolve) => dripping.listen(0, '127.0.0.1', resolve));
	});
	beforeEach(() => {
		seen.length = 0;
	});
	afterAll(async () => {
		dripping.closeAllConnections();
		await new Promise((resolve) => dripping.close(resolve));
	});

	const ask = async (operation: string, requests: object, more: object = {}) => {
		const { port } = dripping.address() as AddressInfo;
		const api = { baseUrl: `http://127.0.0.1:${port}`, key: sandbox().key };
		const form = { ...charge(), requests };
		return await run(api, 'platformCustomers', operation, form, more);
	};

	test.each([
		['customer.get', /didn't respond in time\. Check/],
		['charge.create', /didn't respond in time\. It may have gone through/],
	])('ends at Timeout: %s', async (operation, message) => {
		const started = Date.now();
		const { error } = await ask(operation, { timeout: 1, retryTime: 0 });
		expect(Date.now() - started).toBeLessThan(4000);
		expect(told(error)).toMatch(message);
		expect(seen).toHaveLength(1);
		await wait(100);
		expect(seen[0].closed).toBe(true);
	});

	test('ends when the execution is cancelled', async () => {
		const started = Date.now();
		const cancelAfter = until('the request', () => seen.length > 0);
		const { run: outcome } = await ask('customer.get', {}, { cancelAfter });
		expect(outcome.status).toBe('canceled');
		expect(Date.now() - started).toBeLessThan(2500);
		expect(seen).toHaveLength(1);
	});
});
