// The first workflow of the README in a real n8n, started from the editor, and its credential.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openEditor } from '../n8n/browser.cts';
import { itemsOf, type WorkflowJson } from '../n8n/client.cts';
import { setting } from '../n8n/setting.cts';

const running = setting({ sandbox: { customers: process.env.PICTURES ? 10_000 : 500 } });
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
		expect(itemsOf(execution, 'Record usage')[0].json.value).toBe(42);
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

test('the test of the credential passes, and tells a wrong key', async () => {
	const { n8n, sandbox } = running();
	const testWith = async (baseUrl: string, apiKey: string) => {
		const { id } = await n8n.client.createCredential('platformApi', 'Tried', { baseUrl, apiKey });
		return await n8n.client.testCredential(id);
	};
	// A pasted version and a slash do no harm.
	expect(await testWith(`${sandbox.baseUrl}/2026-02-01/`, sandbox.key)).toMatchObject({
		status: 'OK',
	});
	expect(await testWith(sandbox.baseUrl, 'wrong')).toMatchObject({
		status: 'Error',
		message: expect.stringContaining('Invalid token'),
	});
});
