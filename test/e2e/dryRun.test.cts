// Dry Run only in manual executions, in a real n8n: what runs from the editor is dry, what is published is real,
// with the workflows that either calls. n8n's Retry, expressions in the credential, and HTTP Request.
import { fetch } from 'undici';
import type { IDataObject } from 'n8n-workflow';
import {
	itemsOf,
	type Execution,
	type StoredCredential,
	type WorkflowJson,
} from '../n8n/client.cts';
import {
	byId,
	called,
	calling,
	type Part,
	platform,
	rowOf,
	start,
	webhook,
	workflowOf,
} from '../n8n/parts.cts';
import { setting } from '../n8n/setting.cts';
import { until } from '../n8n/until.cts';

const running = setting({ credentialName: 'Dry Run', sandbox: { customers: 5 } });

const CUSTOMER = 'cus-100001';

const charge = (name: string, customer = CUSTOMER): Part =>
	platform(name, 'Customers', {
		resource: 'charge',
		operation: 'create',
		customerId: byId(customer),
		services: { service: [{ name: 'Setup', amount: 10 }] },
	});

const charges = () =>
	running().sandbox.requests.filter(
		({ method, path }) => method === 'POST' && /charges/.test(path),
	);

const credentialWith = async (dryRun: unknown): Promise<StoredCredential> =>
	await running().n8n.client.createCredential('platformApi', `Dry Run ${String(dryRun)}`, {
		baseUrl: running().sandbox.baseUrl,
		apiKey: running().sandbox.key,
		...(dryRun !== 'never set' && { dryRun }),
	});

/** A workflow that starts by hand and by a webhook. */
function twoWays(name: string, ...parts: Part[]): WorkflowJson {
	const row = parts.map((part, at) => ({
		...part,
		to: parts.slice(at + 1, at + 2).map((p) => p.name),
	}));
	const first = [parts[0].name];
	return workflowOf(name, [
		{ ...start, to: first },
		{ ...webhook(name, { responseMode: 'lastNode' }), to: first },
		...row,
	]);
}

const rows = (execution: Execution, node: string): IDataObject[] =>
	itemsOf(execution, node).map(({ json }) => json);

const errorOf = ({ data }: Execution) => data.resultData.error?.message;

async function callWebhook(path: string): Promise<number> {
	const { n8n } = running();
	const { status } = await fetch(`${n8n.url}/webhook/${path}`, {
		dispatcher: n8n.client.dispatcher,
	});
	return status;
}

let manual: StoredCredential;

beforeAll(async () => {
	manual = await credentialWith('manual');
});

beforeEach(() => running().sandbox.clearRequests());

const DRY = expect.objectContaining({
	dryRun: expect.objectContaining({ reason: 'manual execution', method: 'POST' }),
});

test('a workflow is dry from the editor and real when it is published, as are those that it calls', async () => {
	const { client } = running().n8n;
	const store = async (workflow: WorkflowJson) => await client.importWorkflow(workflow, [manual]);
	const last = await store(rowOf('Dry last', called, charge('Charge last')));
	const middle = await store(rowOf('Dry middle', called, calling(last.id)));
	const first = await store(twoWays('dry-first', calling(middle.id), charge('Charge')));

	// n8n runs only what is published for a workflow that was called itself.
	await client.activate(last.id);
	const tried = await client.runWorkflow(first.id);
	expect(errorOf(tried)).toBeUndefined();
	expect(rows(tried, 'Call')).toEqual([DRY]);
	expect(rows(tried, 'Charge')).toEqual([DRY]);
	expect(charges()).toEqual([]);

	for (const { id } of [middle, first]) await client.activate(id);
	expect(await callWebhook('dry-first')).toBe(200);
	const [real] = await client.waitForExecutions(first.id, 2, { newest: 1 });
	expect(real.mode).toBe('webhook');
	expect(rows(real, 'Charge')).toEqual([
		expect.not.objectContaining({ dryRun: expect.anything() }),
	]);
	expect(charges()).toHaveLength(2);
	const modes = await client.executions({ workflowId: last.id });
	expect(modes.map(({ mode, status }) => [mode, status])).toEqual([
		['integrated', 'success'],
		['integrated', 'success'],
	]);
	running().sandbox.clearRequests();
	// Published now, it is still dry from the editor.
	expect(rows(await client.runWorkflow(first.id), 'Charge')).toEqual([DRY]);
	expect(charges()).toEqual([]);
	await client.deactivate(first.id);
});

test('a workflow that nobody waits for follows the one that called it', async () => {
	const { client } = running().n8n;
	const last = await client.importWorkflow(rowOf('Dry alone', called, charge('Charge')), [manual]);
	const first = await client.importWorkflow(twoWays('dry-alone', calling(last.id, false)), [
		manual,
	]);
	await client.runWorkflow(first.id);
	const [tried] = await client.waitForExecutions(last.id, 1);
	expect(rows(tried, 'Charge')).toEqual([DRY]);
	expect(charges()).toEqual([]);
	for (const { id } of [last, first]) await client.activate(id);
	await callWebhook('dry-alone');
	const [real] = await client.waitForExecutions(last.id, 2, { newest: 1 });
	expect(errorOf(real)).toBeUndefined();
	await until('the charge', () => charges().length === 1);
	await client.deactivate(first.id);
});

test('a Retry follows the execution that failed', async () => {
	const { client } = running().n8n;
	const broken = twoWays('dry-retry', charge('Charge', '={{ $json.none.id }}'));
	const { id } = await client.importWorkflow(broken, [manual]);
	const tried = await client.runWorkflow(id);
	expect(tried.status).toBe('error');
	await client.activate(id);
	await callWebhook('dry-retry');
	const [published] = await client.waitForExecutions(id, 2, { newest: 1 });
	expect([published.mode, published.status]).toEqual(['webhook', 'error']);
	const { nodes } = await client.workflow(id);
	const mended = nodes.map((node) =>
		node.name === 'Charge'
			? { ...node, parameters: { ...node.parameters, customerId: byId(CUSTOMER) } }
			: node,
	);
	await client.updateWorkflow(id, { nodes: mended });
	const retry = async (execution: Execution) => {
		await client.rest('POST', `/executions/${execution.id}/retry`, { loadWorkflow: true });
		const [{ id: newest }] = await client.executions({ workflowId: id });
		return await client.waitForExecution(newest);
	};
	const again = await retry(tried);
	expect([again.mode, again.status]).toEqual(['retry', 'success']);
	expect(rows(again, 'Charge')).toEqual([DRY]);
	expect(charges()).toEqual([]);
	const real = await retry(published);
	expect([real.mode, real.status]).toEqual(['retry', 'success']);
	expect(charges()).toHaveLength(1);
	await client.deactivate(id);
});

test.each(['={{ undefined }}', '={{ null }}', "={{ '' }}", '={{ $json.nothing }}', ''])(
	'Dry Run %j is refused',
	async (dryRun) => {
		const { client } = running().n8n;
		const credential = await credentialWith(dryRun);
		const { id } = await client.importWorkflow(twoWays('dry-unset', charge('Charge')), [
			credential,
		]);
		expect(errorOf(await client.runWorkflow(id))).toContain('"Dry Run" in the credential must be');
		expect(charges()).toEqual([]);
	},
);

test.each([
	['never set', false],
	[false, false],
	['={{ false }}', false],
	[true, true],
	['={{ true }}', true],
	['on', true],
])('Dry Run %j: dry is %j', async (dryRun, isDry) => {
	const { client } = running().n8n;
	const credential = await credentialWith(dryRun);
	const { id } = await client.importWorkflow(twoWays('dry-set', charge('Charge')), [credential]);
	const [item] = rows(await client.runWorkflow(id), 'Charge');
	expect(item.dryRun !== undefined).toBe(isDry);
	expect(charges()).toHaveLength(isDry ? 0 : 1);
});

describe('the HTTP Request node', () => {
	const request = (method: string): Part => ({
		name: 'Request',
		type: 'n8n-nodes-base.httpRequest',
		version: 4.2,
		parameters: {
			method,
			url: `${running().sandbox.baseUrl}/2026-02-01/customers.json`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'platformApi',
			...(method === 'POST' && {
				sendBody: true,
				specifyBody: 'json',
				jsonBody: '{"customer": {"email": "http@example.com"}}',
			}),
		},
		credential: 'platformApi',
	});

	async function outcome(method: string, credential: StoredCredential) {
		const { client } = running().n8n;
		const { id } = await client.importWorkflow(rowOf('Dry HTTP', start, request(method)), [
			credential,
		]);
		const execution = await client.runWorkflow(id);
		const error = execution.data.resultData.error as Error & { description?: string };
		return error ? `${error.message} ${error.description}` : execution.status;
	}

	test.each(['on', 'manual'])('changes nothing with Dry Run %s, and reads', async (dryRun) => {
		const credential = dryRun === 'manual' ? manual : await credentialWith(dryRun);
		expect(await outcome('POST', credential)).toContain("so POST isn't sent");
		expect(running().sandbox.requests).toEqual([]);
		expect(await outcome('GET', credential)).toBe('success');
		expect(running().sandbox.requests).toHaveLength(1);
	});

	test('is as it always was with Dry Run off', async () => {
		expect(await outcome('POST', await credentialWith('off'))).toBe('success');
		expect(running().sandbox.requests).toHaveLength(1);
	});
});
