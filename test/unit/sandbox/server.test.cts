/** What holds for every endpoint of the sandbox: keys, scopes, contract, log, control, TLS. */
import { checkAnswer, endpoints, type Endpoint } from '../../contract/contract.cts';
import { usualWorld } from '../../contract/worlds.cts';
import { Answer, type Call } from '../../sandbox/area.cts';
import type { Sandbox } from '../../sandbox/index.cts';
import { plain } from '../../sandbox/plain.cts';
import { refusals } from '../../sandbox/refusals.cts';
import { open, type Send } from './client.cts';

let sandbox: Sandbox;
let send: Send;
let close: () => Promise<void>;

beforeAll(async () => ({ sandbox, send, close } = await open()));
afterAll(() => close());
beforeEach(() => {
	sandbox.clearRequests();
	sandbox.problems.splice(0);
});

describe('the reference', () => {
	test('has the messages of the sandbox, with their statuses', () => {
		const messages = new Map<string, number>(
			Object.values(refusals).map(({ message, status }) => [message, status]),
		);
		const stated = endpoints
			.filter(({ path }) => !path.startsWith('/sentinel/'))
			.flatMap(({ errors }) => errors)
			.filter(({ paraphrase }) => !paraphrase);
		expect(stated.length).toBeGreaterThan(100);
		for (const { message, status } of stated) {
			expect(messages.has(message) ? message : undefined).toBe(message);
			if (status) expect(messages.get(message)).toBe(status);
		}
	});
});

describe('an endpoint that has no handler', () => {
	// What only a handler knows: bytes, numbers in texts.
	const special = /"pattern"|"uuid"|minItems|application\/pdf/;
	const usual = endpoints.filter(({ responses }) => !special.test(JSON.stringify(responses)));
	const callOf = (documented: Endpoint, params: object, body?: unknown, state: object = {}) =>
		({
			...{ documented, params, body, state, query: {}, pagingFaults: [], world: usualWorld },
			newId: (prefix: string) => `${prefix}-2`,
		}) as unknown as Call;
	test.each(usual.map((each) => [`${each.method} ${each.path}`, each] as const))(
		'answers as the contract says: %s',
		(_name, documented) => {
			const params = Object.fromEntries(
				documented.pathParameters.map(({ name }) => [name, 'row-1']),
			);
			const given = plain(documented)(callOf(documented, params));
			const { status, body } = given instanceof Answer ? given : { status: 200, body: given };
			const path = documented.path.replace(/\{\w+\}/g, 'row-1');
			expect(checkAnswer({ method: documented.method, path, status, body })).toEqual([]);
		},
	);

	test('keeps what is posted to a list, and forgets what is deleted', () => {
		const state = {};
		const ask = (name: string, params: object = {}, body?: unknown) => {
			const documented = endpoints.find(({ method, path }) => `${method} ${path}` === name);
			const given = plain(documented as Endpoint)(
				callOf(documented as Endpoint, params, body, state),
			);
			return given instanceof Answer ? given.body : given;
		};
		const one = { webhookId: 'row-2' };
		ask('POST /webhooks.json', {}, { webhook: { name: 'Ledger' } });
		expect(ask('GET /webhooks.json')).toMatchObject({
			elements: [{ id: 'row-1' }, { id: 'row-2', name: 'Ledger' }],
		});
		expect(ask('GET /webhooks/{webhookId}.json', one)).toMatchObject({ name: 'Ledger' });
		expect(ask('DELETE /webhooks/{webhookId}.json', one)).toMatchObject({ deleted: true });
		expect(() => ask('GET /webhooks/{webhookId}.json', one)).toThrow('Not found');
	});
});

describe('keys', () => {
	test('refuses unknown and revoked keys', async () => {
		const invalid = { status: 401, body: { error: 'Invalid token' } };
		expect(await send('GET', '/ping.json', undefined, 'wrong')).toMatchObject(invalid);
		const key = sandbox.addKey();
		expect((await send('GET', '/ping.json', undefined, key)).status).toBe(200);
		sandbox.revokeKey(key);
		expect(await send('GET', '/ping.json', undefined, key)).toMatchObject(invalid);
	});

	test('wants the scope of the endpoint', async () => {
		const key = sandbox.addKey({ scopes: ['customers:read'] });
		expect((await send('GET', '/customers.json', undefined, key)).status).toBe(200);
		expect((await send('POST', '/customers.json', { customer: {} }, key)).status).toBe(403);
		expect((await send('GET', '/company.json', undefined, key)).status).toBe(403);
	});
});

describe('the contract', () => {
	test('records a request that breaks it, and does not apply it', async () => {
		const before = sandbox.state.customers.customers.size;
		const answer = await send('POST', '/customers.json', { customer: { email: 5 } });
		expect(answer.status).toBe(400);
		expect(sandbox.problems).toEqual([expect.stringMatching(/customers\.json.*email/)]);
		expect(sandbox.state.customers.customers.size).toBe(before);
	});

	test.each(['{"customer":', '[1'])('refuses the body %s', async (text) => {
		expect((await send('POST', '/customers.json', text)).status).toBe(400);
		expect(sandbox.problems).toHaveLength(1);
	});

	test('turns an answer that breaks it into a 500 that says so', async () => {
		const { company } = sandbox.state.company;
		const { name } = company;
		Object.assign(company, { name: 5 });
		const answer = await send('GET', '/company.json');
		Object.assign(company, { name });
		expect(answer.status).toBe(500);
		expect(answer.text).toMatch(/broke the contract.*name/);
		expect(sandbox.problems).toEqual([expect.stringMatching(/company\.json.*name/)]);
	});
});

describe('the request log', () => {
	test('shows what was sent, without the key', async () => {
		await send('PUT', '/customers/a%2Fb.json?x=1', { customer: { tags: ['vip'] } });
		await send('GET', '/ping.json', undefined, 'never-issued');
		expect(sandbox.requests).toMatchObject([
			{
				method: 'PUT',
				path: '/customers/a%2Fb.json?x=1',
				endpoint: 'PUT /customers/{customerId}.json',
				body: { customer: { tags: ['vip'] } },
				headers: { authorization: 'key-1', 'content-type': 'application/json' },
			},
			{ path: '/ping.json', status: 401, headers: { authorization: 'unknown key' } },
		]);
		const text = JSON.stringify(sandbox.requests);
		expect(text).not.toContain(sandbox.key);
		expect(text).not.toContain('never-issued');
	});

	test('counts requests in flight, and times them', async () => {
		sandbox.faults.add({ kind: 'delay', ms: 300 });
		await Promise.all([1, 2, 3].map(() => send('GET', '/ping.json')));
		sandbox.faults.clear();
		await send('GET', '/ping.json');
		expect(sandbox.requests.map(({ inFlight }) => inFlight)).toEqual([1, 2, 3, 1]);
		const [{ startedAt, endedAt }] = sandbox.requests;
		expect((endedAt ?? 0) - startedAt).toBeGreaterThanOrEqual(299);
	});

	test('keeps the newest when bounded, and none when off', async () => {
		for (const [log, kept] of [
			[2, ['/currencies.json', '/company.json']],
			[false, []],
		] as const) {
			const own = await open({ customers: 0, log });
			for (const path of ['/ping.json', '/currencies.json', '/company.json']) {
				await own.send('GET', path);
			}
			expect(own.sandbox.requests.map(({ path }) => path)).toEqual(kept);
			await own.close();
		}
	});
});

describe('remote control', () => {
	test('wants the key with all scopes', async () => {
		const key = sandbox.addKey();
		expect((await send('GET', '/sandbox/requests', undefined, key)).status).toBe(401);
	});

	test('reads and clears requests, problems and deliveries', async () => {
		await send('GET', '/nothing.json');
		expect((await send('GET', '/sandbox/requests')).body).toMatchObject([
			{ path: '/nothing.json', endpoint: null, status: 404 },
		]);
		expect((await send('GET', '/sandbox/problems')).body).toEqual([
			expect.stringContaining('/nothing.json'),
		]);
		await send('DELETE', '/sandbox/requests');
		expect((await send('GET', '/sandbox/requests')).body).toEqual([]);
		expect((await send('GET', '/sandbox/deliveries')).body).toEqual([]);
	});

	test('adds and clears faults and limits', async () => {
		await send('POST', '/sandbox/faults', { kind: 'status', status: 503, path: '/ping.json' });
		expect((await send('GET', '/ping.json')).status).toBe(503);
		await send('DELETE', '/sandbox/faults');
		expect((await send('GET', '/ping.json')).status).toBe(200);
		await send('POST', '/sandbox/rate-limit', { perSecond: 0 });
		expect((await send('GET', '/ping.json')).status).toBe(429);
		await send('POST', '/sandbox/rate-limit', { perSecond: null });
		expect((await send('GET', '/ping.json')).status).toBe(200);
	});

	test('settles a charge', async () => {
		const [{ id: customer }] = sandbox.state.customers.customers.rows;
		const { body } = await send<{ id: string }>('POST', `/customers/${customer}/charges.json`, {
			charge: { services: [] },
		});
		await send('POST', `/sandbox/charges/${body.id}/settle`, { outcome: 'failed' });
		expect(sandbox.state.charges.charges.get(body.id)?.status).toBe('failed');
		expect((await send('POST', '/sandbox/charges/none/settle', { outcome: 'paid' })).status).toBe(
			404,
		);
	});
});

describe('start and close', () => {
	test('seeds the same customers for the same seed, and others for another', async () => {
		const emails = async (seed: number) => {
			const own = await open({ customers: 50, seed });
			const rows = own.sandbox.state.customers.customers.rows.map(({ email }) => email);
			await own.close();
			return rows;
		};
		expect(await emails(7)).toEqual(await emails(7));
		expect(await emails(7)).not.toEqual(await emails(8));
	});

	test('serves over TLS with a certificate that its CA certificate verifies', async () => {
		const own = await open({ customers: 0, tls: true });
		expect(own.sandbox.baseUrl).toMatch(/^https:/);
		expect((await own.send('GET', '/ping.json')).status).toBe(200);
		await own.close();
	});
});
