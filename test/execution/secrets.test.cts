// The key: where it goes, where it never appears, and what the credential's own rules say.
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HostCredentials } from './host/credentials.cts';
import { testCredential } from './host/credentialTest.cts';
import { ownNode, runNode, runWorkflow, sourceOf } from './host/host.cts';
import { searchList } from './host/pickers.cts';
import { byId, credentialOf, run, sandboxFor } from './host/run.cts';
import { nodeOf } from './host/workflow.cts';

const sandbox = sandboxFor();

type Credential = ReturnType<typeof credentialOf>;

/** Has the API refuse with this message. */
const says = (error: string) =>
	sandbox().faults.add({ kind: 'status', status: 400, body: { error } });

/** Sends a secret to an API that refuses it with this message. */
async function refusedFor(credential: string, message: string) {
	says(message);
	const form = { connectionId: byId('aic-1'), credential };
	return await run(sandbox(), 'platformAiGateway', 'connection.rotateCredential', form);
}

/** Reads a customer, with a credential of a test's own. */
const ask = async (credential: Credential, form: object = {}) =>
	await runNode({
		node: 'platformCustomers',
		credential,
		parameters: { resource: 'customer', operation: 'getAll', limit: 1, ...form },
	});

test("a failure in n8n itself isn't reported as a network error", async () => {
	// As n8n does when the package is uninstalled while an execution runs.
	const failing = jest
		.spyOn(HostCredentials.prototype, 'authenticate')
		.mockRejectedValue(new Error('Unrecognized credential type: platformApi'));
	const result = await run(sandbox(), 'platformCustomers', 'customer.getAll');
	failing.mockRestore();
	expect(result.error?.message).toBe(
		'The request failed: Unrecognized credential type: platformApi.',
	);
	expect(sandbox().requests).toEqual([]);
});

test.each([' ', '\n', '\r\n', '\t', '\u00a0'])(
	'a key with %j around it is sent without, and what is sent is hidden',
	async (around) => {
		const credential = {
			baseUrl: sandbox().baseUrl,
			apiKey: `${around}${sandbox().key}${around}`,
		};
		expect((await ask(credential)).items).toHaveLength(1);
		says(`The token ${sandbox().key} may not do that`);
		const refused = await ask(credential);
		expect(refused.error?.message).toContain('The token *** may not do that');
		expect(JSON.stringify(refused.run)).not.toContain(sandbox().key);
	},
);

test.each(['\n', '\r\n', '\t', ' ', '\u200b', '\ufeff', '\u00a0', '\u0000', 'é'])(
	'a key with %j inside is refused by nodes and by the test of the credential',
	async (inside) => {
		const credential = { baseUrl: sandbox().baseUrl, apiKey: `first${inside}second` };
		const { error } = await ask(credential);
		const tested = await testCredential(credential);
		expect(tested).toEqual({ status: 'Error', message: error?.message });
		expect(error?.message).toContain('"API Key" in the credential has a blank, a line break');
		expect(error?.message).not.toMatch(/first|second/);
		expect(sandbox().requests).toEqual([]);
	},
);

test.each(['Bearer ', 'bearer  ', ' BEARER\n'])('%j before a key is left out', async (before) => {
	const credential = { baseUrl: sandbox().baseUrl, apiKey: `${before}${sandbox().key}` };
	expect((await ask(credential)).items).toHaveLength(1);
	expect(await testCredential(credential)).toMatchObject({ status: 'OK' });
});

const odd = 'k/ey+"of ~the\\ser\'s>>>vi???ce<&>==';
const base64 = (text: string) => Buffer.from(text).toString('base64');
/** In a longer text of JSON. */
const inJson = (secret: string) => JSON.stringify(secret).slice(1, -1);
/** As PHP, Go, Python and JavaScript do it for a page. */
const html = (secret: string) =>
	secret
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;')
		.replaceAll('>', '&gt;')
		.replaceAll('"', '&quot;');
const encoded: Array<[string, (secret: string) => string]> = [
	['as it is', (secret) => secret],
	['URL-encoded', encodeURIComponent],
	[
		'URL-encoded in lower case',
		(secret) => encodeURIComponent(secret).replace(/%../g, (each) => each.toLowerCase()),
	],
	['of a form', (secret) => encodeURIComponent(secret).replaceAll('%20', '+')],
	['JSON-escaped', inJson],
	['JSON-escaped as PHP does', (secret) => inJson(secret).replaceAll('/', '\\/')],
	['in HTML', html],
	['in HTML with apostrophes', (secret) => html(secret).replaceAll("'", '&#39;')],
	[
		'in JSON for a page, as Go does',
		(secret) =>
			inJson(secret)
				.replaceAll('<', '\\u003c')
				.replaceAll('>', '\\u003e')
				.replaceAll('&', '\\u0026'),
	],
	['in base64', base64],
	['in base64 for URLs', (secret) => Buffer.from(secret).toString('base64url')],
	['as a header in base64', (secret) => base64(`Bearer ${secret}`)],
];

test.each(encoded)('a secret that an error repeats %s is hidden', async (_how, encode) => {
	const { error } = await refusedFor(odd, `Got <${encode(odd)}> as the credential`);
	expect(error?.message).toMatch(/Got <\*\*\*=*> as the credential/);
});

const long = createHash('sha512').update('long').digest('hex');
const first = long.slice(0, 6);

test.each([0, 100, 470, 490, 499, 700])(
	'a secret is hidden before a message is cut, %d characters into it',
	async (before) => {
		const secret = long.slice(0, 80);
		const message = `${'x'.repeat(before)}${secret}${'y'.repeat(500)}`;
		const { error } = await refusedFor(secret, message);
		expect(error?.message).toContain('HTTP 400');
		expect(error?.message).not.toContain(first);
	},
);

test('a key that was pasted as an ID is hidden, also where an error cuts it', async () => {
	const { key } = sandbox();
	const { error: unknown } = await ask(credentialOf(sandbox()), {
		operation: 'get',
		customerId: byId(key),
	});
	expect(unknown?.description).toContain('Nothing found for "***".');
	const apiKey = long.slice(0, 90);
	for (const id of [`${apiKey}/..`, `a/${apiKey}/../b`, apiKey]) {
		const credential = { baseUrl: sandbox().baseUrl, apiKey };
		const { error } = await ask(credential, { operation: 'get', customerId: byId(id) });
		expect(error).toBeDefined();
		expect(error?.message).not.toContain(first);
	}
	sandbox().problems.splice(0);
});

const pem =
	'-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ2VydGlmaWNhdGU\n-----END CERTIFICATE-----';
const signed = 'https://files.example.com/handbook.md?X-Signature=5d41402abc4b2a76&Expires=99';
const source = { contentType: 'text/markdown', name: 'Handbook', knowledgeBaseId: byId('kb-1') };
const repeated: Array<[string, string, object, string]> = [
	[
		'a certificate typed with \\n',
		'vectorStore.rotateKey',
		{ vectorStoreId: byId('v-1'), apiKey: 'some-key', caCertificate: pem.replaceAll('\n', '\\n') },
		pem,
	],
	[
		'a secret that is a number',
		'connection.rotateCredential',
		{ connectionId: byId('aic-1'), credential: '={{ 8274650193 }}' },
		'8274650193',
	],
	['a signed URL', 'document.ingest', { ...source, url: signed }, signed],
	[
		'a signed URL in a source',
		'document.ingest',
		{ ...source, sourceType: '', sourceJson: JSON.stringify({ object: { url: signed } }) },
		signed,
	],
];

test.each(repeated)(
	'%s is in no error, nor in its stack',
	async (_what, operation, parameters, secret) => {
		says(`Could not use ${secret} here`);
		const result = await run(sandbox(), 'platformAiGateway', operation, { ...parameters });
		expect(result.error?.message).toMatch(/Could not use \??\*\*\* here/);
		expect(JSON.stringify(result.error) + String(result.error?.stack)).not.toContain(secret);
	},
);

test('a signed URL that the form refuses is not quoted', async () => {
	const url = signed.replace('https', 'http');
	const { error } = await run(sandbox(), 'platformAiGateway', 'document.ingest', {
		...source,
		url,
	});
	expect(error?.message).toContain('"URL" must be an https:// URL');
	expect(JSON.stringify(error)).not.toContain('X-Signature');
});

describe("n8n's allowed domains", () => {
	/** A run, the editor, and the test of the credential, each of which gets the credential in its own way. */
	const ways: Array<[string, (credential: Credential) => Promise<unknown>]> = [
		[
			'an action node',
			async (credential) => {
				const { error } = await ask(credential);
				if (error) throw error;
			},
		],
		[
			'a locator list',
			async (credential) =>
				await searchList(sandbox(), 'platformCustomers', 'customers', {}, { credential }),
		],
		[
			'the test of the credential',
			async (credential) => {
				const { status, message } = await testCredential(credential);
				if (status === 'Error') throw new Error(message);
			},
		],
	];

	const other = '"Allowed Domains" in the credential doesn\'t include 127.0.0.1';
	const rules: Array<[object, string]> = [
		[{ allowedHttpRequestDomains: 'all' }, ''],
		[{ allowedHttpRequestDomains: 'domains', allowedDomains: '127.0.0.1' }, ''],
		[{ allowedHttpRequestDomains: 'domains', allowedDomains: 'api.example.com' }, other],
		[{ allowedHttpRequestDomains: 'domains', allowedDomains: '' }, 'No allowed domains'],
		[{ allowedHttpRequestDomains: 'none' }, 'configured to prevent use'],
	];

	describe.each(ways)('%s', (_way, ask) => {
		test.each(rules)('%j', async (rule, reason) => {
			const outcome = await ask({ ...credentialOf(sandbox()), ...rule }).then(
				() => '',
				(error: Error) => error.message,
			);
			expect(outcome === '').toBe(reason === '');
			expect(outcome).toContain(reason);
			expect(outcome).not.toContain(sandbox().key);
			expect(sandbox().requests.length > 0).toBe(reason === '');
		});
	});
});

test.each(['', '/', '/2026-02-01', '/2026-02-01/', '///'])(
	'a base URL is taken with %j after it',
	async (end) => {
		const baseUrl = `  ${sandbox().baseUrl}${end} `;
		const { items } = await ask({ ...credentialOf(sandbox()), baseUrl });
		expect(items).toHaveLength(1);
	},
);

describe('every text that leaves n8n goes through one door', () => {
	const services = { service: [{ name: 'Setup', amount: '={{ $json.amount }}' }] };

	test('the error of Max Amount names its item by no field that holds the key', async () => {
		const { key } = sandbox();
		const form = { customerId: byId('cus-100001'), services, safetyLimits: { maxAmount: 50 } };
		const items = [{ amount: 10 }, { note: `by ${key}`, order: 'A-7', amount: 100 }];
		const { error, run: data } = await run(sandbox(), 'platformCustomers', 'charge.create', form, {
			items,
		});
		expect(error?.message).toBe(
			'The amount is 100.00 in order A-7, row 2 (item 1), Max Amount is 50.00 (Safety Limits). Nothing was sent.',
		);
		expect(JSON.stringify(data.data.resultData.error)).not.toContain(key);
	});

	test.each<[string, (key: string) => object]>([
		['a setting', (key) => ({ requests: { maxParallel: key } })],
		['the operation', (key) => ({ operation: key })],
	])('the key in %s, before the API is open', async (_title, form) => {
		const { key } = sandbox();
		const { error } = await run(sandbox(), 'platformCustomers', 'customer.getAll', {
			...form(key),
		});
		expect(error?.message).toContain('***');
		expect(`${error?.message} ${error?.description}`).not.toContain(key);
	});

	test('a hint that names values of the API', async () => {
		const { key } = sandbox();
		const [row] = sandbox().state.customers.customers.rows;
		row.address = { ...row.address, country: key };
		const form = { filters: { country: 'XX' }, returnAll: true };
		const { hints } = await run(sandbox(), 'platformCustomers', 'customer.getAll', form);
		expect(hints.join(' ')).toContain('Country is one of ***');
		expect(hints.join(' ')).not.toContain(key);
	});
});

describe('a node of another package that follows redirects', () => {
	const hosts: Server[] = [];
	/** What came: the host, the path, and if the key was with it. */
	const got: string[] = [];
	type Helper = 'httpRequestWithAuthentication' | 'requestWithAuthentication';

	const urlOf = (host: number) =>
		`http://127.0.0.1:${(hosts[host].address() as AddressInfo).port}/`;

	beforeAll(async () => {
		for (const host of [0, 1]) {
			const server = createServer((request, response) => {
				const { pathname, searchParams } = new URL(String(request.url), 'http://any');
				const hasKey = String(request.headers.authorization).includes(sandbox().key);
				got.push(`${host}${pathname} ${hasKey ? 'key' : 'no key'}`);
				const location = searchParams.get('to');
				if (location) response.writeHead(Number(pathname.slice(1)), { location });
				response.end('{}');
			});
			await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
			hosts.push(server);
		}
	});

	afterAll(() => hosts.forEach((server) => server.close()));

	/** Sends a request that is redirected to a host. */
	async function redirected(helper: Helper, method: string, to: number) {
		const status = method === 'GET' ? 302 : 307;
		const url = `${urlOf(0)}${status}?to=${encodeURIComponent(`${urlOf(to)}end`)}`;
		const foreign = ownNode('foreign', async function () {
			const options = { method: method as 'POST', url, json: true };
			const more = { followAllRedirects: true, sendCredentialsOnCrossOriginRedirect: true };
			await this.helpers[helper].call(this, 'platformApi', { ...options, ...more });
			return [[{ json: {} }]];
		});
		foreign.description.credentials = [{ name: 'platformApi', required: true }];
		await runWorkflow({
			nodes: [
				nodeOf('source', {}, { name: 'Source' }),
				nodeOf('foreign', {}, { name: 'Foreign', id: '2' }),
			],
			connections: { Source: { main: [[{ node: 'Foreign', type: 'main', index: 0 }]] } },
			types: { source: sourceOf([{ json: {} }]), foreign },
			credential: credentialOf(sandbox()),
			start: 'Source',
		});
		return got.splice(0);
	}

	test.each(
		(['httpRequestWithAuthentication', 'requestWithAuthentication'] as const).flatMap((helper) =>
			['GET', 'POST'].map((method) => [helper, method] as const),
		),
	)('by %s, %s: the key stays with its host', async (helper, method) => {
		const status = method === 'GET' ? 302 : 307;
		expect(await redirected(helper, method, 0)).toEqual([`0/${status} key`, '0/end key']);
		expect(await redirected(helper, method, 1)).toEqual([`0/${status} key`, '1/end no key']);
	});
});
