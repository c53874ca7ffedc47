// Executions side by side: what they share of one API, how they take turns, and what stays apart.
import type { Sandbox } from '../sandbox/index.cts';
import { type RunOptions } from './host/host.cts';
import { useLeapingTime } from './host/leapingTime.cts';
import { byId, run, sandboxFor } from './host/run.cts';
import { Service } from './host/service.cts';

useLeapingTime();
const sandbox = sandboxFor({ customers: 10_000, latencyMs: 2 });
const customer = () => byId(sandbox().state.customers.customers.rows[0].id);
const sent = (method: string) => sandbox().requests.filter((request) => request.method === method);
const highest = (requests: Sandbox['requests']) =>
	Math.max(...requests.map(({ inFlight }) => inFlight));

/** A key of which nothing is known yet. */
let key: string;
beforeEach(() => {
	key = sandbox().addKey();
});

/** Runs an operation with that key; `count` items. */
async function execute(
	operation: string,
	parameters: RunOptions['parameters'],
	count = 1,
	more: Partial<RunOptions> = {},
	apiKey = key,
) {
	const api = { baseUrl: sandbox().baseUrl, key: apiKey };
	const items = Array.from({ length: count }, (_each, n) => ({ n }));
	return await run(api, 'platformCustomers', operation, parameters, { items, ...more });
}

const reads = async (count: number, requests: object = {}, more: Partial<RunOptions> = {}) =>
	await execute('customer.get', { customerId: customer(), requests }, count, more);

let runs = 0;
const creates = async (count: number, requests: object = {}, more: Partial<RunOptions> = {}) => {
	const email = `={{ $json.n }}-${++runs}@example.com`;
	return await execute('customer.create', { email, requests }, count, more);
};

const slow = (ms: number) => sandbox().faults.add({ kind: 'delay', ms });

/** Slow answers to pages only. */
const slowPages = (ms: number) => sandbox().faults.add({ kind: 'delay', ms, path: '^.*page=' });

/** Resolves when so many requests have come. */
async function requests(count: number): Promise<void> {
	while (sandbox().requests.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('while a long list is read', () => {
	/** Returns what `work` gives, done while the list was under way, and the list's own result. */
	async function duringList<T>(work: () => Promise<T>) {
		slowPages(300);
		const list = execute('customer.getAll', { returnAll: true, requests: { maxParallel: 8 } });
		await requests(20);
		const before = sandbox().requests.length;
		const result = await work();
		const pages = () => sent('GET').filter(({ path }) => path.includes('page=')).length;
		const read = pages();
		const { items } = await list;
		expect(items).toHaveLength(sandbox().state.customers.customers.rows.length);
		expect(read).toBeLessThan(pages());
		return { result, after: sandbox().requests.slice(before) };
	}

	test('another step gets its response before the next page', async () => {
		const { result, after } = await duringList(async () => await reads(1));
		expect(result.items).toHaveLength(1);
		const place = after.findIndex(({ path }) => !path.includes('page='));
		// Pages that go out while n8n prepares the step are no matter of the line.
		expect(place).toBeGreaterThanOrEqual(0);
		expect(place).toBeLessThan(15);
	});
});

describe('writes', () => {
	test('begin with 5 and become more while the API answers quickly', async () => {
		slow(100);
		const { items } = await creates(120);
		expect(items).toHaveLength(120);
		expect(highest(sent('POST').slice(0, 5))).toBe(5);
		expect(highest(sent('POST'))).toBeGreaterThan(10);
		expect(highest(sent('POST'))).toBeLessThanOrEqual(40);
	});
});

describe('a run that stops sends nothing that has not begun', () => {
	/** The `nth` request of those is refused for good, before the others are answered. */
	function refuse(nth: number, those: { method?: string; path?: string }) {
		const body = { error: 'Not this one' };
		sandbox().faults.add({ kind: 'delay', ms: 800, ...those, nth: { from: 1, to: nth - 1 } });
		sandbox().faults.add({ kind: 'delay', ms: 800, ...those, nth: { from: nth + 1 } });
		sandbox().faults.add({ kind: 'delay', ms: 400, ...those, nth });
		sandbox().faults.add({ kind: 'status', status: 400, body, ...those, nth });
	}

	/** What was sent although the refused request had been answered. */
	const late = (method: string) => {
		const refused = sent(method).find(({ status }) => status === 400);
		return sent(method).filter(({ startedAt }) => startedAt > Number(refused?.endedAt));
	};

	test.each<[string, object]>([
		['as many as there may be', {}],
		['one after the other', { maxParallel: 1 }],
	])('creates, %s', async (_width, options) => {
		refuse(3, { method: 'POST' });
		const { error, items } = await creates(60, options);
		expect(items).toEqual([]);
		expect(error?.message).toContain('Not this one');
		expect(late('POST')).toEqual([]);
		// Each of those that were sent was applied, and is named.
		const applied = sent('POST').filter(({ status }) => status === 201).length;
		const named = error?.message.match(/Already done, but not in the output: rows? (.*?)\./)?.[1];
		// The message names twenty at most.
		const isNamed = (named?.split(',') ?? []).length;
		expect(isNamed).toBe(Math.min(20, applied));
	});

	test('Create or Update: what was only looked up is not created', async () => {
		refuse(2, { method: 'POST' });
		const form = {
			externalId: `={{ $json.n }}-${++runs}`,
			email: `={{ $json.n }}-${runs}@example.com`,
		};
		const { error } = await execute('customer.upsert', form, 40);
		expect(error?.message).toContain('Not this one');
		expect(late('POST')).toEqual([]);
	});
});

describe('one who is throttled for a minute holds up nobody else', () => {
	const service = Service.forFile();

	test.each<[string, string, object]>([
		[
			'platformIdentity',
			'oneTimePassword.verify',
			{ externalUserId: '={{ $json.who }}', code: '1' },
		],
		['platformIdentity', 'passkey.startVerification', { externalUserId: '={{ $json.who }}' }],
		['platformNewsletters', 'suppression.add', { email: '={{ $json.who }}' }],
	])('%s, %s', async (node, operation, form) => {
		const items = Array.from({ length: 20 }, (_each, n) => ({ who: `user-${n}@example.com` }));
		const begin = performance.now();
		const ends: number[] = [];
		let end = Infinity;
		service.behave(({ body }) => {
			if (JSON.stringify(body).includes('user-3@')) {
				end = Math.min(end, performance.now() + 60_000);
				const left = Math.ceil((end - performance.now()) / 1000);
				if (left > 0) return { status: 429, headers: { 'retry-after': String(left) } };
			} else ends.push(performance.now() - begin);
			return {
				body: {
					status: 'ok',
					id: '1',
					message: '',
					unsubscribed: true,
					passkey: { challenge_id: '1' },
				},
			};
		});
		const { items: output, error } = await run(service, node, operation, form as never, { items });
		expect([error, output.length]).toEqual([undefined, 20]);
		expect(Math.max(...ends)).toBeLessThan(2000);
		expect(performance.now() - begin).toBeLessThan(70_000);
	});
});
