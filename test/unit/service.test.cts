// The check of a service, against sandboxes that are one: what it finds, and what it keeps to itself.
import { endpoints } from '../contract/contract.cts';
import { worldOf } from '../contract/worlds.cts';
import { startSandbox, type Sandbox } from '../sandbox/index.cts';
import { checkService } from '../service/check.cts';
import { endpointTable, questionTable, summary, worldFile } from '../service/report.cts';

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

test('sends GET only, one at a time', async () => {
	await check();
	expect(new Set(sandbox.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
	expect(Math.max(...sandbox.requests.map(({ inFlight }) => inFlight))).toBe(1);
	expect(sandbox.requests.length).toBeLessThan(2 * endpoints.length);
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

test('tells first what calls for a look', async () => {
	sandbox.faults.add({ kind: 'status', status: 500, path: '/scheduler/events.json' });
	const scopes = endpoints.flatMap(({ scope }) =>
		scope && scope !== 'webhooks:read' ? [scope] : [],
	);
	const key = sandbox.addKey({ scopes });
	const { rows, learned, requests } = await check(key);
	const lines = endpointTable(rows).split('\n');
	expect(lines).toHaveLength(1 + rows.length);
	expect(lines[1]).toMatch(/^GET \/scheduler\/events.json +500 +differs /);
	expect(lines[2]).toMatch(/ 403 +no access +the key lacks webhooks:read$/);
	expect(lines.at(-1)).toContain('as documented');
	const reads = endpoints.filter(({ method }) => method === 'GET').length;
	const told = summary(rows, learned, requests);
	expect(told.startsWith(`${reads} endpoints, ${requests} requests: 1 differs, `)).toBe(true);
	expect(told).toMatch(/, [1-3] no access, .*\n[23]\d open questions closed, /);
});

test('shows nothing of the account', async () => {
	const wrong = { elements: { Hidden: 7 }, count: 'Hidden', type: 'Hidden' };
	const path = '/customers/{customerId}/properties.json';
	sandbox.faults.add({ kind: 'status', status: 200, body: wrong, path });
	const { rows, learned } = await check();
	const tables = [endpointTable(rows), questionTable(learned)];
	const shown = [...tables, worldFile(learned)].join('\n');
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
