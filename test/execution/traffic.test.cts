// Executions side by side: what they share of one API, how they take turns, and what stays apart.
import type { Sandbox } from '../sandbox/index.cts';
import { type RunOptions } from './host/host.cts';
import { byId, run, sandboxFor } from './host/run.cts';
import { Service } from './host/service.cts';

const sandbox = sandboxFor({ customers: 3000, latencyMs: 2 });
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
async function execute(operation: string, parameters: RunOptions['parameters'], count = 1) {
	const api = { baseUrl: sandbox().baseUrl, key };
	const items = Array.from({ length: count }, (_each, n) => ({ n }));
	return await run(api, 'platformCustomers', operation, parameters, { items });
}

const reads = async (count: number) =>
	await execute('customer.get', { customerId: customer() }, count);

let runs = 0;
const creates = async (count: number, requests: object = {}) => {
	const email = `={{ $json.n }}-${++runs}@example.com`;
	return await execute('customer.create', { email, requests }, count);
};

/** Resolves when so many requests have come. */
async function requests(count: number): Promise<void> {
	while (sandbox().requests.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('while a long list is read, another step gets its response before the next page', async () => {
	const isPage = ({ path }: { path: string }) => path.includes('page=');
	sandbox().faults.add({ kind: 'delay', ms: 300, path: '^.*page=' });
	const list = execute('customer.getAll', { returnAll: true, requests: { maxParallel: 8 } });
	await requests(20);
	const before = sandbox().requests.length;
	expect((await reads(1)).items).toHaveLength(1);
	const read = sent('GET').filter(isPage).length;
	const { items } = await list;
	expect(items).toHaveLength(sandbox().state.customers.customers.rows.length);
	expect(read).toBeLessThan(sent('GET').filter(isPage).length);
	const after = sandbox().requests.slice(before);
	const place = after.findIndex((each) => !isPage(each));
	// Pages that go out while n8n prepares the step are no matter of the line.
	expect(place).toBeGreaterThanOrEqual(0);
	expect(place).toBeLessThan(15);
});

test('writes begin with 5 and become more while the API answers quickly', async () => {
	sandbox().faults.add({ kind: 'delay', ms: 100 });
	const { items } = await creates(60);
	expect(items).toHaveLength(60);
	expect(highest(sent('POST').slice(0, 5))).toBe(5);
	expect(highest(sent('POST'))).toBeGreaterThan(10);
	expect(highest(sent('POST'))).toBeLessThanOrEqual(40);
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
		const { error, items } = await creates(30, options);
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

describe('one who is throttled for a minute', () => {
	const service = Service.forFile();

	test('holds up no other one', async () => {
		const items = Array.from({ length: 20 }, (_each, n) => ({ who: `user-${n}` }));
		const begin = performance.now();
		const ends: number[] = [];
		let end = Infinity;
		service.behave(({ body }) => {
			if (JSON.stringify(body).includes('user-3"')) {
				end = Math.min(end, performance.now() + 60_000);
				const left = Math.ceil((end - performance.now()) / 1000);
				if (left > 0) return { status: 429, headers: { 'retry-after': String(left) } };
			} else ends.push(performance.now() - begin);
			return { body: { status: 'ok', id: '1' } };
		});
		const form = { externalUserId: '={{ $json.who }}', code: '1' };
		const verify = ['platformIdentity', 'oneTimePassword.verify'] as const;
		const { items: output, error } = await run(service, ...verify, form, { items });
		expect([error, output.length]).toEqual([undefined, 20]);
		expect(Math.max(...ends)).toBeLessThan(2000);
		expect(performance.now() - begin).toBeLessThan(70_000);
	});
});
