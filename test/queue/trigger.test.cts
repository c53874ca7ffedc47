// Queue mode: the webhook process takes the deliveries of Platform Trigger, two workers run the executions,
// an agent's too, and one of them is killed on the way.
import { itemsOf, type StoredCredential } from '../n8n/client.cts';
import { startQueueMode, type QueueMode } from '../n8n/queue.cts';
import { until } from '../n8n/until.cts';
import { chargeCustomer } from '../n8n/charge.cts';
import { startChatModel } from '../n8n/chatModel.cts';
import {
	agent,
	byId,
	chatModel,
	knowledgeTool,
	platform,
	rowOf,
	trigger,
	workflowOf,
} from '../n8n/parts.cts';
import { packed, PATIENT } from '../n8n/setting.cts';
import { startSandbox, type Sandbox } from '../sandbox/index.cts';

const CHARGES = 30;

let n8n: QueueMode;
let sandbox: Sandbox;
let workflowId: string;
let credential: StoredCredential;

const workflow = rowOf(
	'Charges in queue mode',
	platform('Platform Trigger', 'CustomersTrigger'),
	platform('Get customer', 'Customers', {
		resource: 'customer',
		operation: 'get',
		customerId: byId('={{ $json.body.data.charge.customer_id }}'),
	}),
);

beforeAll(async () => {
	n8n = await startQueueMode({ tls: true, packageUnderTest: packed() });
	sandbox = await startSandbox({ customers: 100, deliveries: { ca: n8n.ca, ...PATIENT } });
	credential = await n8n.client.createCredential('platformApi', 'Platform API', {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.key,
	});
	workflowId = (await n8n.client.importWorkflow(workflow, [credential])).id;
});

afterAll(async () => {
	await n8n?.stop();
	await sandbox?.close();
});

/** Creates a charge and settles it, so that its event is delivered. */
async function charge(n: number): Promise<string> {
	const customer = sandbox.state.customers.customers.rows[n];
	return (await chargeCustomer(sandbox, customer.id, n % 2 === 0 ? 'paid' : 'failed')).id;
}

const own = () =>
	sandbox.state.webhooks.webhooks.rows.filter(({ name }) =>
		name.startsWith('n8n: Charges in queue mode ('),
	);

test('publishing registers both webhooks, at the webhook process', async () => {
	await n8n.client.activate(workflowId);
	expect(own()).toHaveLength(2);
	expect(own().every(({ url }) => url.startsWith('https://n8n.example.test'))).toBe(true);
});

test('every charge starts exactly one execution, run by the workers', async () => {
	const ids = await Promise.all(
		Array.from({ length: CHARGES }, async (_each, n) => await charge(n)),
	);
	await sandbox.deliveriesSettled();
	const executions = await n8n.client.waitForExecutions(workflowId, CHARGES);
	expect(await n8n.client.executions({ workflowId })).toHaveLength(CHARGES);
	const seen = executions.map((execution) => {
		expect(execution.status).toBe('success');
		const [{ json }] = itemsOf(execution, 'Platform Trigger');
		return (json.body as { data: { charge: { id: string } } }).data.charge.id;
	});
	expect(seen.sort()).toEqual(ids.sort());
});

test('an agent on a worker asks a knowledge base', async () => {
	const model = await startChatModel();
	try {
		const openAi = { apiKey: 'none', url: model.url };
		const modelCredential = await n8n.client.createCredential('openAiApi', 'Chat Model', openAi);
		const question = { question: 'How do I reset my password?' };
		const asking = workflowOf('Agent', [
			trigger('Agent'),
			agent(`call Search_Knowledge_Base ${JSON.stringify(question)}`),
			chatModel('Agent'),
			knowledgeTool('Agent'),
		]);
		const { id } = await n8n.client.importWorkflow(asking, [credential, modelCredential]);
		const execution = await n8n.client.runWorkflow(id);
		expect(execution.status).toBe('success');
		expect(model.toolResults().join()).toContain('Source: Reset your password, page 8');
	} finally {
		await model.close();
	}
});

test('a worker killed on the way: still one execution for each charge, none doubled', async () => {
	const sent = Promise.all(Array.from({ length: CHARGES }, async (_each, n) => await charge(n)));
	// While they are under way: as soon as the first delivery has begun.
	await until('a delivery', () => sandbox.deliveries.length > CHARGES);
	await n8n.workers[0].kill();
	await sent;
	await sandbox.deliveriesSettled();
	expect(sandbox.deliveries.every(({ state }) => state === 'delivered')).toBe(true);
	// n8n gives up those of a dead worker after a minute.
	await n8n.client.waitForExecutions(workflowId, 2 * CHARGES, { newest: 0 });
	const all = await n8n.client.executions({ workflowId });
	expect(all).toHaveLength(2 * CHARGES);
	const executions = all.slice(0, CHARGES);
	// n8n does not run again what a killed worker had begun: it ends as an error, to be retried.
	expect(executions.every(({ status }) => ['success', 'error', 'crashed'].includes(status))).toBe(
		true,
	);
	expect(executions.filter(({ status }) => status === 'success').length).toBeGreaterThan(0);
});

test('unpublishing leaves none', async () => {
	await n8n.client.deactivate(workflowId);
	expect(own()).toEqual([]);
});
