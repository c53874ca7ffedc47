// The key: where it goes, where it never appears, and what the credential's own rules say.
import { HostCredentials } from './host/credentials.cts';
import { testCredential } from './host/credentialTest.cts';
import { runNode } from './host/host.cts';
import { loadOptions, mapperFields, searchList } from './host/pickers.cts';
import { TriggerWorkflow } from './host/trigger.cts';
import { byId, credentialOf, run, sandboxFor } from './host/run.cts';

const sandbox = sandboxFor();

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

test('a key that was pasted as an ID is not shown', async () => {
	const { key } = sandbox();
	const form = { customerId: byId(key) };
	const { error } = await run(sandbox(), 'platformCustomers', 'customer.get', form);
	expect(error?.description).toContain('Nothing found for "***".');
});

test('what fails in n8n itself is no matter of the network', async () => {
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
		const ask = async () =>
			await runNode({
				node: 'platformCustomers',
				credential: {
					baseUrl: sandbox().baseUrl,
					apiKey: `${around}${sandbox().key}${around}`,
				},
				parameters: { resource: 'customer', operation: 'getAll', limit: 1 },
			});
		const result = await ask();
		expect(result.error?.message).toBeUndefined();
		expect(result.items).toHaveLength(1);
		sandbox().faults.add({
			kind: 'status',
			status: 400,
			body: { error: `The token ${sandbox().key} may not do that` },
		});
		const refused = await ask();
		expect(refused.error?.message).toContain('The token *** may not do that');
		expect(JSON.stringify(refused.run)).not.toContain(sandbox().key);
	},
);

test.each(['\n', '\r\n', '\t', ' ', '\u200b', '\ufeff', '\u00a0', '\u0000', 'é'])(
	'a key with %j inside is refused by nodes and by the test of the credential',
	async (inside) => {
		const credential = { baseUrl: sandbox().baseUrl, apiKey: `first${inside}second` };
		const parameters = { resource: 'customer', operation: 'getAll' };
		const { error } = await runNode({ node: 'platformCustomers', credential, parameters });
		const tested = await testCredential(credential);
		expect(tested).toEqual({ status: 'Error', message: error?.message });
		expect(error?.message).toContain('"API Key" in the credential has a blank, a line break');
		expect(error?.message).not.toMatch(/first|second/);
		expect(sandbox().requests).toEqual([]);
	},
);

test.each(['Bearer ', 'bearer  ', ' BEARER\n'])('%j before a key is left out', async (before) => {
	const credential = { baseUrl: sandbox().baseUrl, apiKey: `${before}${sandbox().key}` };
	const parameters = { resource: 'customer', operation: 'getAll', limit: 1 };
	const { items } = await runNode({ node: 'platformCustomers', credential, parameters });
	expect(items).toHaveLength(1);
	expect(await testCredential(credential)).toMatchObject({ status: 'OK' });
});

const odd = 'k/ey+"of ~the\\service==';
const encoded: Array<[string, (secret: string) => string]> = [
	['as it is', (secret) => secret],
	['URL-encoded', encodeURIComponent],
	[
		'URL-encoded in lower case',
		(secret) => encodeURIComponent(secret).replace(/%../g, (each) => each.toLowerCase()),
	],
	['of a form', (secret) => encodeURIComponent(secret).replaceAll('%20', '+')],
	['JSON-escaped', (secret) => JSON.stringify(secret)],
	['JSON-escaped as PHP does', (secret) => JSON.stringify(secret).replaceAll('/', '\\/')],
	['in base64', (secret) => Buffer.from(secret).toString('base64')],
	['in base64 for URLs', (secret) => Buffer.from(secret).toString('base64url')],
];

test.each(encoded)('a secret that an error repeats %s is hidden', async (_how, encode) => {
	const body = { error: `Got <${encode(odd)}> as the credential` };
	sandbox().faults.add({ kind: 'status', status: 400, body });
	const { error } = await run(sandbox(), 'platformAiGateway', 'connection.rotateCredential', {
		connectionId: byId('aic-1'),
		credential: odd,
	});
	expect(error?.message).toMatch(/Got <"?\*\*\*=*"?> as the credential/);
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
		'a line of it',
		'vectorStore.rotateKey',
		{ vectorStoreId: byId('v-1'), apiKey: 'some-key', caCertificate: pem },
		'MIIBszCCAVmgAwIBAgIUQ2VydGlmaWNhdGU',
	],
	['a signed URL', 'document.ingest', { ...source, url: signed }, signed],
	[
		'the query of a signed URL',
		'document.ingest',
		{ ...source, url: signed },
		new URL(signed).search,
	],
	[
		'a signed URL in a source',
		'document.ingest',
		{ ...source, sourceType: '', sourceJson: JSON.stringify({ object: { url: signed } }) },
		signed,
	],
];

test.each(repeated)('%s is in no error', async (_what, operation, parameters, secret) => {
	const body = { error: `Could not use ${secret} here` };
	sandbox().faults.add({ kind: 'status', status: 400, body });
	const result = await run(sandbox(), 'platformAiGateway', operation, { ...parameters });
	expect(result.error?.message).toMatch(/Could not use \??\*\*\* here/);
	expect(JSON.stringify(result.error)).not.toContain(secret);
});

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
	type Credential = ReturnType<typeof credentialOf>;

	/** Every way by which a request leaves the package. */
	const ways: Array<[string, (credential: Credential) => Promise<unknown>]> = [
		[
			'an action node',
			async (credential) => {
				const { error } = await runNode({
					node: 'platformCustomers',
					credential,
					parameters: { resource: 'customer', operation: 'getAll' },
				});
				if (error) throw error;
			},
		],
		[
			'a locator list',
			async (credential) =>
				await searchList(
					sandbox(),
					'platformCustomers',
					'customers',
					{},
					'',
					undefined,
					credential,
				),
		],
		[
			'loaded options',
			async (credential) =>
				await loadOptions(sandbox(), 'platformWebhooks', 'webhookEventTypes', {}, credential),
		],
		[
			'the fields of a mapper',
			async (credential) =>
				await mapperFields(
					sandbox(),
					'platformContentBox',
					'contentFields',
					{ resource: 'content', operation: 'create', typeId: byId('typ-faq') },
					credential,
				),
		],
		[
			'the hooks of the trigger',
			async (credential) => await new TriggerWorkflow(credential).checkExists(),
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
		test.each(rules)('%j', async (rule, says) => {
			const outcome = await ask({ ...credentialOf(sandbox()), ...rule }).then(
				() => '',
				(error: Error) => error.message,
			);
			expect(outcome === '').toBe(says === '');
			expect(outcome).toContain(says);
			expect(outcome).not.toContain(sandbox().key);
			expect(sandbox().requests.length > 0).toBe(says === '');
		});
	});
});

test.each([
	['a text', 'sk-live-do-not-show', 'sk-live-do-not-show'],
	['a number', '={{ 8274650193 }}', '8274650193'],
])(
	'a secret that is %s is in no error, whatever the API says about it',
	async (_kind, credential, secret) => {
		sandbox().faults.add({
			kind: 'status',
			status: 400,
			body: { error: `The credential ${secret} is not valid` },
		});
		const result = await run(sandbox(), 'platformAiGateway', 'connection.create', {
			name: 'Model',
			provider: 'vendor_a',
			purpose: 'embedding',
			model: 'embed-1',
			credential,
		});
		expect(result.error?.message).toContain('The credential *** is not valid');
		expect(JSON.stringify(result.error) + String(result.error?.stack)).not.toContain(secret);
	},
);

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
});
