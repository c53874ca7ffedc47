// The key: where it goes, where it never appears, and what the credential's own rules say.
import { startSandbox, type Sandbox } from '../sandbox/index.cts';
import { runNode } from './host/host.cts';
import { byId, credentialOf, run, sandboxFor } from './host/run.cts';

const sandbox = sandboxFor();

const faults = [
	{ kind: 'status', status: 401, body: { error: 'Invalid token' } },
	{ kind: 'status', status: 500 },
	{ kind: 'reset-before' },
	{ kind: 'reset-after' },
	{ kind: 'html' },
	{ kind: 'cut-json' },
	{ kind: 'empty' },
	{ kind: 'wrong-content-type' },
] as const;

test.each(faults)('the key is in no error and not in the execution: %j', async (fault) => {
	sandbox().faults.add({ ...fault, method: 'POST' });
	const result = await run(sandbox(), 'platformCustomers', 'customer.create', {
		email: `secret.${faults.indexOf(fault)}@example.com`,
	});
	const everything = JSON.stringify(result.run) + String(result.error?.stack);
	expect(everything).not.toContain(sandbox().key);
	expect(sandbox().requests).toHaveLength(1);
});

test('an API that repeats the key in its message is not repeated', async () => {
	sandbox().faults.add({
		kind: 'status',
		status: 400,
		body: { error: `The token ${sandbox().key} may not do that` },
	});
	const result = await run(sandbox(), 'platformCustomers', 'customer.getAll');
	expect(result.error?.message).toContain('The token *** may not do that');
	expect(JSON.stringify(result.run)).not.toContain(sandbox().key);
});

test('a wrong key is sent once and named', async () => {
	const result = await runNode({
		node: 'platformCustomers',
		credential: { baseUrl: sandbox().baseUrl, apiKey: 'wrong' },
		parameters: { resource: 'customer', operation: 'create', email: 'key@example.com' },
	});
	expect(result.error?.message).toBe(
		'Invalid token (HTTP 401). Check the API key of the credential: it is wrong or was revoked.',
	);
	expect(sandbox().requests).toHaveLength(1);
});

test('a missing scope is named', async () => {
	const apiKey = sandbox().addKey({ scopes: ['customers:read'] });
	const result = await runNode({
		node: 'platformCustomers',
		credential: { baseUrl: sandbox().baseUrl, apiKey },
		parameters: { resource: 'customer', operation: 'create', email: 'scope@example.com' },
	});
	expect(result.error?.message).toContain('scope customers:write');
});

describe('redirects', () => {
	let other: Sandbox;
	beforeAll(async () => {
		other = await startSandbox({ customers: 1 });
	});
	afterAll(async () => {
		await other.close();
	});

	test.each(['GET', 'POST'])(
		'%s is not followed, and the key goes nowhere else',
		async (method) => {
			sandbox().faults.add({
				kind: 'redirect',
				location: `${other.baseUrl}/2026-02-01/customers.json`,
				method,
			});
			const result =
				method === 'GET'
					? await run(sandbox(), 'platformCustomers', 'customer.getAll')
					: await run(sandbox(), 'platformCustomers', 'customer.create', {
							email: 'r@example.com',
						});
			expect(result.error?.message).toContain('Put the address that the API redirects to');
			expect(other.requests).toEqual([]);
		},
	);
});

describe("n8n's allowed domains", () => {
	const get = async (rule: object) =>
		await runNode({
			node: 'platformCustomers',
			credential: { ...credentialOf(sandbox()), ...rule },
			parameters: { resource: 'customer', operation: 'getAll' },
		});

	test.each([
		[{ allowedHttpRequestDomains: 'all' }, true],
		[{ allowedHttpRequestDomains: 'domains', allowedDomains: '127.0.0.1' }, true],
		[{ allowedHttpRequestDomains: 'domains', allowedDomains: 'api.example.com' }, false],
		[{ allowedHttpRequestDomains: 'domains', allowedDomains: '' }, false],
		[{ allowedHttpRequestDomains: 'none' }, false],
	])('%j', async (rule, allowed) => {
		const result = await get(rule);
		expect(result.error === undefined).toBe(allowed);
		expect(sandbox().requests.length > 0).toBe(allowed);
	});
});

describe('the base URL', () => {
	const at = async (baseUrl: string) =>
		await runNode({
			node: 'platformCustomers',
			credential: { baseUrl, apiKey: sandbox().key },
			parameters: { resource: 'customer', operation: 'getAll', limit: 1 },
		});

	test.each(['', '/', '/2026-02-01', '/2026-02-01/', '///'])(
		'is taken with %j after it',
		async (end) => {
			const result = await at(`  ${sandbox().baseUrl}${end} `);
			expect(result.items).toHaveLength(1);
		},
	);

	test.each([
		['', 'is empty'],
		['api.example.com', 'https://'],
		['http://api.example.com', 'https://'],
		['ftp://127.0.0.1', 'https://'],
		['https://user:pass@api.example.com', 'must not hold a user'],
		['https://api.example.com/?a=1', 'must not hold'],
	])('%j is refused', async (baseUrl, says) => {
		const result = await at(baseUrl);
		expect(result.error?.message).toContain('"Base URL"');
		expect(result.error?.message).toContain(says);
	});
});

test('a locator value typed as a secret is not an exception: ids may be shown, passwords not', async () => {
	const result = await run(sandbox(), 'platformCustomers', 'customer.get', {
		customerId: byId('visible-id'),
	});
	expect(result.error?.message).toContain('Customer "visible-id"');
});
