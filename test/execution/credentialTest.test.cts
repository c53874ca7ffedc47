// The test of the credential, on n8n-core's context for it: the rules and the sentences of the nodes,
// and where the key goes.
import dns from 'node:dns';
import { startSandbox } from '../sandbox/index.cts';
import { testCredential } from './host/credentialTest.cts';
import { packageNodes } from './host/package.cts';
import { credentialOf, run, sandboxFor } from './host/run.cts';
import { Service } from './host/service.cts';

const sandbox = sandboxFor({ customers: 1 });

const service = Service.forFile();

test.each(Object.keys(packageNodes()))('%s tests it: the right key passes', async (node) => {
	const result = await testCredential(credentialOf(sandbox()), node);
	expect(result).toEqual({ status: 'OK', message: 'Connection successful!' });
	expect(sandbox().requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
		'GET /ping.json',
	]);
});

test.each([
	'http://api.example.com',
	'ftp://127.0.0.1',
	'api.example.com',
	'',
	'https://user:password@api.example.com',
	'https://api.example.com?key=1',
	'https://api.example.com?',
	'https://api.example.com/#',
])('%j is refused as the nodes refuse it', async (baseUrl) => {
	const { key } = sandbox();
	const { status, message } = await testCredential({ baseUrl, apiKey: key });
	expect(status).toBe('Error');
	expect(message).toMatch(/^"Base URL" in the credential .*\.$/);
	const { error } = await run({ baseUrl, key }, 'platformCompany', 'service.ping');
	expect(message).toBe(error?.message);
});

test('a redirect is not followed, and the key goes nowhere else', async () => {
	const other = await startSandbox({ customers: 1 });
	const location = `${other.baseUrl}/2026-02-01/ping.json`;
	sandbox().faults.add({ kind: 'redirect', location });
	const { status, message } = await testCredential(credentialOf(sandbox()));
	await other.close();
	expect(status).toBe('Error');
	expect(message).toContain('Set Base URL to the final URL');
	expect(other.requests).toEqual([]);
});

test.each([
	[200, 'text/html', '<html>Welcome</html>', '(HTTP 200, HTML instead of JSON)'],
	[404, 'text/html', '<html>404</html>', '(HTTP 404, HTML instead of JSON)'],
	[403, 'text/html', '<html>Forbidden</html>', '(HTTP 403, HTML instead of JSON)'],
	[404, 'text/plain', 'Not Found', "(HTTP 404, text that isn't JSON)"],
	[404, 'text/plain', '', '(HTTP 404, an empty response)'],
	[403, 'text/plain', '', '(HTTP 403, an empty response)'],
	[200, 'application/json', '{"hello": 1}', '(HTTP 200, JSON in an unexpected shape)'],
])('another web server, HTTP %i with %s %j', async (status, type, body, what) => {
	service.behave(() => ({ status, headers: { 'content-type': type }, body }));
	const { message } = await testCredential(service.credential);
	expect(message).toBe(
		`This doesn't look like the Platform API ${what}. Check Base URL in the credential.`,
	);
});

test('a wrong key is sent once, and named', async () => {
	const { status, message } = await testCredential({
		baseUrl: sandbox().baseUrl,
		apiKey: 'wrong-key-of-mine',
	});
	expect(status).toBe('Error');
	expect(message).toBe(
		"Invalid token (HTTP 401). Check the API key in the credential. It's wrong or was revoked.",
	);
	expect(sandbox().requests).toHaveLength(1);
});

test('a key without ping:read gets a hint about the scope, and works in a node', async () => {
	const apiKey = sandbox().addKey({ scopes: ['customers:read'] });
	const { status, message } = await testCredential({ baseUrl: sandbox().baseUrl, apiKey });
	expect(status).toBe('Error');
	expect(message).toContain('HTTP 403');
	expect(message).toContain('may lack the scope ping:read');
	expect(message).toContain('Only this test and the Ping operation need it');
	const api = { baseUrl: sandbox().baseUrl, key: apiKey };
	const { items } = await run(api, 'platformCustomers', 'customer.getAll');
	expect(items).toHaveLength(1);
});

test.each<[string, Parameters<ReturnType<typeof sandbox>['faults']['add']>[0], string]>([
	[
		'an unknown address',
		{ kind: 'status', status: 404, body: { error: 'Not found' } },
		'Check Base URL in the credential',
	],
	['a server that fails', { kind: 'status', status: 500 }, 'The API failed'],
	['a limit', { kind: 'status', status: 429 }, 'rate limit was reached. Try again later.'],
	['a page', { kind: 'html' }, 'HTML instead of JSON'],
	['nothing', { kind: 'empty' }, 'an empty response'],
	['half of JSON', { kind: 'cut-json' }, "text that isn't JSON"],
	['a closed connection', { kind: 'reset-before' }, 'The connection to the API broke'],
	[
		'a message that repeats the key',
		{ kind: 'status', status: 400, body: { error: 'KEY is not valid' } },
		'*** is not valid',
	],
])('%s: one request, a sentence, and not the key', async (_what, fault, says) => {
	const { key } = sandbox();
	const body = fault.body && JSON.parse(JSON.stringify(fault.body).replace('KEY', key));
	sandbox().faults.add({ ...fault, ...(body ? { body } : {}) });
	const { status, message } = await testCredential(credentialOf(sandbox()));
	expect(status).toBe('Error');
	expect(message).toContain(says);
	expect(message).not.toContain(key);
	expect(sandbox().requests).toHaveLength(1);
});

test.each([
	['http://127.0.0.1:9', 'The host in Base URL refused the connection.'],
	['https://platform.example', "The host in Base URL wasn't found."],
])('%s: no bare code', async (baseUrl, says) => {
	const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
	const { lookup } = dns;
	jest.spyOn(dns, 'lookup').mockImplementation(((name: string, ...rest: [never, never]) => {
		if (name !== 'platform.example') return lookup(name, ...rest);
		return (rest[1] as (error: Error) => void)(unknown);
	}) as typeof lookup);
	const { message } = await testCredential({ baseUrl, apiKey: 'some-key-of-mine' });
	jest.restoreAllMocks();
	expect(message).toBe(`${says} Check Base URL in the credential, and the network.`);
});
