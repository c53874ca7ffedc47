/** Faults on demand and the rate limit of the sandbox. */
import type { FaultKind, Sandbox } from '../../sandbox/index.cts';
import { open, type Send } from './client.cts';

interface List {
	count: number;
	pages: { current: number; max: number };
	elements: { id: string }[];
}

let sandbox: Sandbox;
let send: Send;
let close: () => Promise<void>;

beforeEach(async () => ({ sandbox, send, close } = await open({ customers: 250 })));
afterEach(() => close());

const create = (email = 'new@fault.example') =>
	send('POST', '/customers.json', { customer: { email } });
const isCreated = () =>
	sandbox.state.customers.customers.findBy('email', 'new@fault.example') !== undefined;
const page = (number: number) =>
	send<List>('GET', `/customers.json?size=100&page=${number}`).then(({ body }) => body);

describe('which requests are hit', () => {
	const hit = async (path: string) => (await send('GET', path)).status === 500;

	test('goes by method and path', async () => {
		sandbox.faults.add({ kind: 'status', method: 'GET', path: '/customers/{customerId}.json' });
		expect(await hit('/customers/nobody.json')).toBe(true);
		expect(await hit('/customers.json')).toBe(false);
		sandbox.faults.clear();
		sandbox.faults.add({ kind: 'status', path: '/customers.json' });
		expect(await hit('/customers.json?page=2')).toBe(true);
		expect(await hit('/customers/nobody.json')).toBe(false);
		sandbox.faults.clear();
		sandbox.faults.add({ kind: 'status', path: '^/customers\\.json\\?.*page=2$' });
		expect(await hit('/customers.json?page=1')).toBe(false);
		expect(await hit('/customers.json?page=2')).toBe(true);
		sandbox.faults.clear();
		sandbox.faults.add({ kind: 'status', method: 'POST' });
		expect(await hit('/customers.json')).toBe(false);
	});

	test.each([
		[{ nth: 2 }, [false, true, false, false]],
		[{ nth: [1, 4] }, [true, false, false, true]],
		[{ nth: { from: 2, to: 3 } }, [false, true, true, false]],
		[{ nth: { from: 3 } }, [false, false, true, true]],
		[{ times: 1 }, [true, false, false, false]],
	])('counts with %j', async (count, expected) => {
		const fault = sandbox.faults.add({ kind: 'status', path: '/ping.json', ...count });
		await send('GET', '/company.json');
		const hits: boolean[] = [];
		for (let index = 0; index < 4; index += 1) hits.push(await hit('/ping.json'));
		expect(hits).toEqual(expected);
		expect(fault.hits).toBe(expected.filter(Boolean).length);
		fault.remove();
		expect(await hit('/ping.json')).toBe(false);
	});
});

describe('answers that are replaced', () => {
	test('status: with headers and body, and the write not done', async () => {
		sandbox.faults.add({
			kind: 'status',
			status: 429,
			retryAfter: 7,
			headers: { 'x-one': '1' },
			body: { error: 'slow down' },
			times: 1,
		});
		expect(await create()).toMatchObject({
			status: 429,
			headers: { 'retry-after': '7', 'x-one': '1' },
			body: { error: 'slow down' },
		});
		expect(isCreated()).toBe(false);
	});

	test('status with applied: the write done, its answer lost', async () => {
		sandbox.faults.add({ kind: 'status', status: 500, applied: true });
		expect((await create()).status).toBe(500);
		expect(isCreated()).toBe(true);
	});

	test('redirect', async () => {
		sandbox.faults.add({ kind: 'redirect', location: 'http://127.0.0.1:9/elsewhere' });
		expect(await send('GET', '/ping.json')).toMatchObject({
			status: 302,
			headers: { location: 'http://127.0.0.1:9/elsewhere' },
		});
	});

	test('html', async () => {
		sandbox.faults.add({ kind: 'html' });
		const answer = await send('GET', '/ping.json');
		expect(answer).toMatchObject({
			status: 200,
			headers: { 'content-type': 'text/html; charset=utf-8' },
		});
		expect(answer.text).toMatch(/^<!doctype html>/);
	});
});

describe('answers that are damaged', () => {
	const damaged = async (kind: FaultKind) => {
		sandbox.faults.add({ kind, times: 1 });
		const answer = await create();
		expect(answer.status).toBe(201);
		expect(isCreated()).toBe(true);
		return answer;
	};

	test('empty', async () => {
		expect((await damaged('empty')).text).toBe('');
	});

	test('cut-json', async () => {
		const { text } = await damaged('cut-json');
		expect(text).toMatch(/^\{"customer"/);
		expect(() => JSON.parse(text)).toThrow();
	});

	test('wrong-content-type', async () => {
		const { headers, body } = await damaged('wrong-content-type');
		expect(headers['content-type']).toMatch(/^text\/plain/);
		expect(body).toHaveProperty('customer.id');
	});

	test('big', async () => {
		const { text, body } = await damaged('big');
		expect(text.length).toBeGreaterThan(10_000_000);
		expect(body).toHaveProperty('customer.id');
	});

	test('delay', async () => {
		sandbox.faults.add({ kind: 'delay', ms: 80 });
		const start = Date.now();
		expect((await create()).status).toBe(201);
		expect(Date.now() - start).toBeGreaterThanOrEqual(78);
	});
});

describe('connections that break', () => {
	test.each([
		['reset-before', false],
		['reset-after', true],
	] as const)('%s: the write done is %s', async (kind, applied) => {
		sandbox.faults.add({ kind });
		await expect(create()).rejects.toThrow();
		expect(isCreated()).toBe(applied);
		expect(sandbox.requests).toMatchObject([{ method: 'POST', status: null }]);
	});

	test('stall: no answer until the sandbox is closed', async () => {
		sandbox.faults.add({ kind: 'stall' });
		const ended = jest.fn();
		const stalled = create().then(ended, ended);
		await new Promise((resolve) => setTimeout(resolve, 200));
		expect(ended).not.toHaveBeenCalled();
		expect(sandbox.requests).toMatchObject([{ status: null, endedAt: null }]);
		await sandbox.close();
		await stalled;
		expect(isCreated()).toBe(false);
	});

	test('close ends requests that wait', async () => {
		sandbox.faults.add({ kind: 'delay', ms: 60_000 });
		const waiting = expect(create()).rejects.toThrow();
		await new Promise((resolve) => setTimeout(resolve, 100));
		await sandbox.close();
		await waiting;
	});
});

describe('lists that change while they are read', () => {
	test('repeat-page', async () => {
		sandbox.faults.add({ kind: 'repeat-page' });
		const [first, third] = [await page(1), await page(3)];
		expect(third.elements).toEqual(first.elements);
	});

	test('grow', async () => {
		sandbox.faults.add({ kind: 'grow', rows: 60, nth: { from: 2 } });
		expect(await page(1)).toMatchObject({ count: 250, pages: { max: 3 } });
		const grown = await page(3);
		expect(grown).toMatchObject({ count: 310, pages: { max: 4 } });
		expect(new Set(grown.elements.map(({ id }) => id)).size).toBe(100);
		expect((await page(4)).elements).toHaveLength(10);
	});

	test('shrink', async () => {
		sandbox.faults.add({ kind: 'shrink', rows: 60, nth: { from: 2 } });
		expect(await page(1)).toMatchObject({ count: 250, pages: { max: 3 } });
		expect(await page(2)).toMatchObject({ count: 190, pages: { max: 2 } });
		expect((await page(3)).elements).toEqual([]);
	});

	test('insert: a row at the front moves the others to later pages', async () => {
		sandbox.faults.add({ kind: 'insert', nth: { from: 2 } });
		const [first, second] = [await page(1), await page(2)];
		expect(second.count).toBe(251);
		expect(second.elements[0].id).toBe(first.elements[99].id);
	});
});

describe('the rate limit', () => {
	test('accepts so many requests a second, and says when to come again', async () => {
		sandbox.rateLimit(3);
		const answers = await Promise.all([1, 2, 3, 4, 5].map(() => send('GET', '/ping.json')));
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429]);
		const refused = answers.find(({ status }) => status === 429);
		expect(refused?.headers['retry-after']).toBe('1');
		await new Promise((resolve) => setTimeout(resolve, 1050));
		expect((await send('GET', '/ping.json')).status).toBe(200);
	});
});
