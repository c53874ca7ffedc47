// What must hold in every version of n8n that the package supports: it installs, all of its nodes
// are there, and a workflow that was saved with version 1 of them runs from beginning to end.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INode } from 'n8n-workflow';
import { fetch } from 'undici';
import { itemsOf, type WorkflowJson } from './client.cts';
import { startChatModel } from './chatModel.cts';
import { agent, chatModel, platform, trigger, workflowOf } from './parts.cts';
import { until } from './until.cts';
import { nodes } from '../table/operations.cts';
import { chargeCustomer } from './charge.cts';
import type { Setting } from './setting.cts';

const PACKAGE = 'n8n-nodes-platform-api';
const saved = JSON.parse(
	readFileSync(join(__dirname, '../fixtures/workflow-v1.json'), 'utf8'),
) as WorkflowJson;

/** @param running an n8n of that version, reachable from outside */
export function holdsInN8n(running: () => Setting): void {
	/** What n8n tells its editor about nodes or credentials. */
	const types = async (kind: 'credentials' | 'nodes') => {
		const { url, client } = running().n8n;
		const { cookie, browserId } = client.session;
		const headers = { cookie, 'browser-id': browserId };
		const response = await fetch(`${url}/types/${kind}.json`, {
			headers,
			dispatcher: client.dispatcher,
		});
		return (await response.json()) as Array<{ name: string }>;
	};

	test('all nodes are there, the action nodes also as tools', async () => {
		const own = (await types('nodes'))
			.map(({ name }) => name)
			.filter((name) => name.startsWith(`${PACKAGE}.`));
		const expected = nodes.flatMap(({ name, resources }) => [
			`${PACKAGE}.${name}`,
			...(resources ? [`${PACKAGE}.${name}Tool`] : []),
		]);
		expect([...new Set(own)].sort()).toEqual(expected.sort());
		expect((await types('credentials')).map(({ name }) => name)).toContain('platformApi');
	});

	test('the credential is tested', async () => {
		const { n8n, credential } = running();
		expect(await n8n.client.testCredential(credential.id)).toMatchObject({ status: 'OK' });
	});

	test('the saved workflow runs', async () => {
		const { n8n, credential } = running();
		const { id } = await n8n.client.importWorkflow(saved, [credential]);
		const execution = await n8n.client.runWorkflow(id);
		expect(execution.data.resultData.error).toBeUndefined();
		expect(execution.status).toBe('success');
		const enabled = saved.nodes.filter(({ disabled }) => !disabled).map(({ name }) => name);
		expect(enabled.filter((name) => itemsOf(execution, name).length === 0)).toEqual([]);
	});

	test('the trigger registers its webhooks, is started by a charge, and leaves none behind', async () => {
		const { n8n, sandbox, credential } = running();
		const { webhooks } = sandbox.state.webhooks;
		const before = webhooks.rows.length;
		const node = saved.nodes.find(
			({ type }) => type === `${PACKAGE}.platformCustomersTrigger`,
		) as INode;
		const trigger = { ...node, disabled: false, parameters: {} };
		const workflow = { name: 'Charges', nodes: [trigger], connections: {} };
		const { id } = await n8n.client.importWorkflow(workflow, [credential]);
		await n8n.client.activate(id);
		expect(
			webhooks.rows
				.slice(before)
				.flatMap(({ events }) => events)
				.sort(),
		).toEqual(['RecurringPayments.charge.failed', 'RecurringPayments.charge.paid']);
		const [customer] = sandbox.state.customers.customers.rows;
		await chargeCustomer(sandbox, customer.id, 'paid');
		await sandbox.deliveriesSettled();
		const [execution] = await n8n.client.waitForExecutions(id, 1);
		expect(itemsOf(execution, trigger.name)[0].json.event).toBe('RecurringPayments.charge.paid');
		await n8n.client.deactivate(id);
		expect(webhooks.rows).toHaveLength(before);
	});

	test('an agent with Platform Tools mends its wrong turns, and charges once', async () => {
		const { n8n, sandbox, credential } = running();
		const model = await startChatModel();
		const openAi = await n8n.client.createCredential('openAiApi', 'Chat model', {
			apiKey: 'none',
			url: model.url,
		});
		const charge = (amount: unknown) =>
			JSON.stringify({ customer_id: 'cus-100001', services: [{ name: 'Setup', amount }] });
		const script = [
			'call get_customer {"customer_id": "nobody"}',
			`if "Check the customer_id" call create_charge ${charge('ten')}`,
			`if "must be a number" call create_charge ${charge(10)}`,
			`if "pending" call create_charge ${charge(10)}`,
		];
		const workflow = workflowOf('Agent with tools', [
			trigger('Agent'),
			agent(script.join('\n')),
			chatModel('Agent'),
			{
				...platform('Platform Tools', 'ApiTool', {
					offer: 'chosen',
					operations: ['get_customer', 'create_charge'],
				}),
				to: ['Agent'],
				as: 'ai_tool',
			},
		]);
		const { id } = await n8n.client.importWorkflow(workflow, [credential, openAi]);
		sandbox.clearRequests();
		const execution = await n8n.client.runWorkflow(id);
		await model.close();
		expect(execution.status).toBe('success');
		expect(model.toolResults()).toHaveLength(script.length);
		expect(model.toolResults().at(-1)).toContain('This was done already: chg-');
		expect(sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
	});

	test('cancelling ends a wait', async () => {
		const { n8n, sandbox, credential } = running();
		sandbox.faults.add({ kind: 'status', status: 429, retryAfter: 60, path: '/customers.json' });
		const { id } = await n8n.client.importWorkflow(
			{
				name: 'Waiting',
				nodes: [
					{ ...saved.nodes[0], name: 'Start' },
					{
						...saved.nodes[2],
						name: 'List',
						parameters: { resource: 'customer', operation: 'getAll' },
					},
				],
				connections: { Start: { main: [[{ node: 'List', type: 'main', index: 0 }]] } },
			},
			[credential],
		);
		const execution = await n8n.client.startWorkflow(id);
		await until('the request', () =>
			sandbox.requests.some(({ path }) => path.startsWith('/customers.json')),
		);
		await n8n.client.stopExecution(execution);
		const ended = await n8n.client.waitForExecution(execution);
		expect(ended.status).toBe('canceled');
	});
}
