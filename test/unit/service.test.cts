// The check of a service, against sandboxes that are one: what it finds, and what it keeps to itself.
import { usualWorld, worldFrom, worldOf } from '../contract/worlds.cts';
import { startSandbox, type Sandbox } from '../sandbox/index.cts';
import { checkService } from '../service/check.cts';
import { endpointTable, questionTable, worldFile } from '../service/report.cts';
import { Bench } from '../worlds/bench.cts';
import { serviceChecks } from '../worlds/service.cts';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ customers: 40 });
});
afterEach(() => {
	sandbox.faults.clear();
	sandbox.rateLimit(null);
	sandbox.clearRequests();
});
afterAll(() => sandbox.close());

const check = async (key = sandbox.key) => await checkService(sandbox.baseUrl, key);

test.each([0, 101, 102, 103, 104])('finds the choices of world %i', async (seed) => {
	const bench = await Bench.open(seed === 0 ? usualWorld : worldFrom(seed));
	try {
		for (const each of serviceChecks) await each.run(bench);
	} finally {
		await bench.close();
	}
});

test('sends GET only, one at a time', async () => {
	await check();
	expect(new Set(sandbox.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
	expect(Math.max(...sandbox.requests.map(({ inFlight }) => inFlight))).toBe(1);
	expect(sandbox.requests.length).toBeLessThan(120);
});

test('waits where the service asks for it', async () => {
	sandbox.faults.add({ kind: 'status', status: 429, retryAfter: 1, nth: [3] });
	const { rows, learned } = await check();
	expect(rows.map(({ status }) => status)).not.toContain(429);
	expect(learned).toContainEqual({ name: 'retryAfter', found: 'seconds' });
});

test('tells which scopes a key lacks', async () => {
	const key = sandbox.addKey({ scopes: ['ping:read', 'customers:read'] });
	const { rows, learned } = await check(key);
	const of = (path: string) => rows.find(({ endpoint }) => endpoint === `GET ${path}`);
	expect(of('/customers.json')?.verdict).toBe('as documented');
	expect(of('/webhooks.json')).toMatchObject({
		verdict: 'no access',
		status: 403,
		how: 'the key lacks webhooks:read',
	});
	expect(learned).toContainEqual({ name: 'missingScope', found: '403' });
});

test('a wrong key ends it', async () => {
	await expect(check('wrong')).rejects.toThrow('The service refuses the key');
});

test('tells where and how an answer differs', async () => {
	const body = { id: 7, name: 'Hidden Ltd', price: 'Hidden' };
	sandbox.faults.add({ kind: 'status', status: 200, body, path: '/company.json' });
	sandbox.faults.add({ kind: 'status', status: 500, path: '/currencies.json' });
	const { rows } = await check();
	const differing = rows.filter(({ verdict }) => verdict === 'differs');
	expect(differing.map(({ endpoint, how }) => `${endpoint}: ${how}`)).toEqual([
		'GET /company.json: answer/id must be string',
		'GET /currencies.json: status 500 is not documented',
	]);
});

test('shows nothing of the account', async () => {
	const wrong = { elements: { Hidden: 7 }, count: 'Hidden', type: 'Hidden' };
	const path = '/customers/{customerId}/properties.json';
	sandbox.faults.add({ kind: 'status', status: 200, body: wrong, path });
	const { rows, learned } = await check();
	const shown = `${endpointTable(rows)}\n${questionTable(learned)}\n${worldFile(learned)}`;
	expect(shown).toContain('answer/elements/* must be string');
	expect(shown).not.toContain('Hidden');
	expect(shown).not.toContain(sandbox.key);
	const { rows: customers } = sandbox.state.customers.customers;
	for (const { id, email, company_name } of customers) {
		for (const value of [id, email, company_name]) if (value) expect(shown).not.toContain(value);
	}
});

test('what it writes is a world that a sandbox takes', async () => {
	const world = worldOf({ ids: 'UUIDs', emptyLists: 'null', order: 'mixed' });
	const other = await startSandbox({ customers: 40, world });
	const { learned } = await checkService(other.baseUrl, other.key);
	await other.close();
	const choices = JSON.parse(worldFile(learned)) as Record<string, unknown>;
	expect(worldOf(choices)).toEqual(world);
});
