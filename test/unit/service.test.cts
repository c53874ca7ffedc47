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

test('a wrong key ends it', async () => {
	await expect(check('wrong')).rejects.toThrow('The service refuses the key');
});

describe('a service that differs, and asks for a pause', () => {
	const differing = {
		'/company.json': { status: 200, body: { id: 7, name: 'Hidden Ltd', price: 'Hidden' } },
		'/currencies.json': { status: 500 },
		'/customers/{customerId}/properties.json': {
			status: 200,
			body: { elements: { Hidden: 7 }, count: 'Hidden', type: 'Hidden' },
		},
	};

	let checked: Awaited<ReturnType<typeof check>>;
	let requests: Sandbox['requests'];
	beforeAll(async () => {
		for (const [path, answer] of Object.entries(differing)) {
			sandbox.faults.add({ kind: 'status', ...answer, path });
		}
		sandbox.faults.add({ kind: 'status', status: 429, retryAfter: 1, nth: [3] });
		checked = await check();
		requests = [...sandbox.requests];
	});

	test('gets GET only, one at a time', () => {
		expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(['GET']));
		expect(Math.max(...requests.map(({ inFlight }) => inFlight))).toBe(1);
		expect(requests.length).toBeLessThan(2 * endpoints.length);
	});

	test('is asked again after the pause', () => {
		expect(checked.rows.map(({ status }) => status)).not.toContain(429);
		expect(checked.learned).toContainEqual({ name: 'retryAfter', found: 'seconds' });
	});

	test('tells where and how an answer differs', () => {
		const differs = checked.rows.filter(({ verdict }) => verdict === 'differs');
		expect(differs.map(({ endpoint, how }) => `${endpoint}: ${how}`)).toEqual([
			'GET /company.json: answer/id must be string',
			'GET /currencies.json: status 500 is not documented',
			expect.stringMatching(
				/^GET \/customers\/\{customerId\}\/properties.json: .*answer\/elements\/\* must be string/,
			),
		]);
	});

	test('shows nothing of the account', () => {
		const { rows, learned } = checked;
		const shown = [endpointTable(rows), questionTable(learned), worldFile(learned)].join('\n');
		expect(shown).toContain('answer/elements/* must be string');
		expect(shown).not.toContain('Hidden');
		expect(shown).not.toContain(sandbox.key);
		const { rows: customers } = sandbox.state.customers.customers;
		for (const { id, email, company_name } of customers) {
			for (const value of [id, email, company_name]) if (value) expect(shown).not.toContain(value);
		}
	});
});

test('tells first what calls for a look, and which scopes the key lacks', async () => {
	sandbox.faults.add({ kind: 'status', status: 500, path: '/scheduler/events.json' });
	const scopes = endpoints.flatMap(({ scope }) =>
		scope && scope !== 'webhooks:read' ? [scope] : [],
	);
	const key = sandbox.addKey({ scopes });
	const { rows, learned, requests } = await check(key);
	const lines = endpointTable(rows).split('\n');
	expect(lines).toHaveLength(1 + rows.length);
	expect(lines[1]).toMatch(/^GET \/scheduler\/events.json +500 +differs /);
	expect(lines[2]).toMatch(/^GET \/webhooks.json +403 +no access +the key lacks webhooks:read$/);
	expect(learned).toContainEqual({ name: 'missingScope', found: '403' });
	expect(lines.at(-1)).toContain('as documented');
	const reads = endpoints.filter(({ method }) => method === 'GET').length;
	const told = summary(rows, learned, requests);
	expect(told.startsWith(`${reads} endpoints, ${requests} requests: 1 differs, `)).toBe(true);
	expect(told).toMatch(/, [1-3] no access, .*\n[23]\d open questions closed, /);
});

test('what it writes is a world that a sandbox takes', async () => {
	const world = worldOf({ ids: 'UUIDs', emptyLists: 'null', order: 'mixed' });
	const other = await startSandbox({ customers: 40, world });
	const { learned } = await checkService(other.baseUrl, other.key);
	await other.close();
	const choices = JSON.parse(worldFile(learned)) as Record<string, unknown>;
	expect(worldOf(choices)).toEqual(world);
});
