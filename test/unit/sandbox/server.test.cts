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

beforeAll(async () => ({ sandbox, send } = await open()));
afterAll(() => sandbox.close());
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
});
