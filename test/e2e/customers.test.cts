// The first workflow of the README in a real n8n, started from the editor, and its credential.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openEditor } from '../n8n/browser.cts';
import { itemsOf, type WorkflowJson } from '../n8n/client.cts';
import { setting } from '../n8n/setting.cts';

const running = setting({ sandbox: { customers: 10_000 } });
const example = async (): Promise<WorkflowJson> =>
	JSON.parse(
		await readFile(join(__dirname, '../../examples/01-bill-a-new-customer.json'), 'utf8'),
	) as WorkflowJson;

test('customer, subscription, usage, charge, then all customers, executed from the editor', async () => {
	const { n8n, sandbox, credential } = running();
	const { id } = await n8n.client.importWorkflow(await example(), [credential]);
	const editor = await openEditor(n8n);
	try {
		await editor.openWorkflow(id);
		const execution = await editor.executeWorkflow();
		expect(execution.status).toBe('success');
		const [created] = itemsOf(execution, 'Create customer');
		const customer = sandbox.state.customers.customers.get(String(created.json.id));
		expect(customer).toMatchObject({
			company_name: 'Lovelace Analytics',
			tags: ['demo', 'analytics'],
		});
		expect(customer?.subscriptions).toEqual([itemsOf(execution, 'Create subscription')[0].json.id]);
		expect(itemsOf(execution, 'Record usage')[0].json.amount).toBe(42);
		expect(itemsOf(execution, 'Create charge')).toHaveLength(1);
		expect(itemsOf(execution, 'Get all customers').map(({ json }) => json.id)).toEqual(
			sandbox.state.customers.customers.rows.map((row) => row.id),
		);
		expect(JSON.stringify(execution)).not.toContain(sandbox.key);
		await editor.picture('first-workflow');
		await editor.openNode('Get all customers');
		await editor.picture('all-customers');
	} finally {
		await editor.close();
	}
});

describe('the test of the credential', () => {
	const testWith = async (data: { baseUrl: string; apiKey: string }) => {
		const { client } = running().n8n;
		const { id } = await client.createCredential('platformApi', 'Tried', data);
		return await client.testCredential(id);
	};

	test('passes with the right key, also with a pasted version and a slash', async () => {
		const { baseUrl, key } = running().sandbox;
		for (const end of ['', '/', '/2026-02-01/']) {
			expect(await testWith({ baseUrl: baseUrl + end, apiKey: key })).toMatchObject({
				status: 'OK',
			});
		}
	});

	test('tells a wrong key', async () => {
		const { baseUrl } = running().sandbox;
		const result = await testWith({ baseUrl, apiKey: 'wrong' });
		expect(result).toMatchObject({
			status: 'Error',
			message: expect.stringContaining('Invalid token'),
		});
	});

	test('sends the key to no address without https', async () => {
		const result = await testWith({ baseUrl: 'http://api.example.com', apiKey: 'some-key' });
		expect(result).toMatchObject({
			status: 'Error',
			message: expect.stringContaining('must start with https://'),
		});
	});

	test('tells a wrong address', async () => {
		const { baseUrl, key } = running().sandbox;
		const result = await testWith({ baseUrl: `${baseUrl}/elsewhere`, apiKey: key });
		expect(result.status).toBe('Error');
		expect(result.message).toContain('Base URL');
		const site = createServer((_request, response) =>
			response.setHeader('content-type', 'text/html').end('<html>Another site</html>'),
		).listen(0, '127.0.0.1');
		await once(site, 'listening');
		const { port } = site.address() as AddressInfo;
		const other = await testWith({ baseUrl: `http://localhost:${port}`, apiKey: key });
		site.close();
		expect(other.status).toBe('Error');
		expect(other.message).toContain('Base URL');
		// The sandbox has noted the request to an address that is not the API's.
		expect(running().sandbox.problems.splice(0)).toHaveLength(1);
	});
});
