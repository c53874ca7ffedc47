// Many charges without an Idempotency Key that are cut off in the middle, in a real n8n: the Retry asks for what was on its way,
// a person looks it up, and each customer is charged once.
import { fetch } from 'undici';
import { chargesByCustomer, releaseCharges } from '../n8n/chargeAll.cts';
import { itemsOf, type Execution, type WorkflowJson } from '../n8n/client.cts';
import type { N8nInstance } from '../n8n/instance.cts';
import { byId, platform, rowOf, start, webhook, type Part } from '../n8n/parts.cts';
import { LEAN, localSetting } from '../n8n/setting.cts';
import { until } from '../n8n/until.cts';

/** Charges, and the one at which they are cut off. With CHARGES=2000 CUT=780, it takes some minutes more. */
const CUSTOMERS = Number(process.env.CHARGES ?? 200);
const CUT = Number(process.env.CUT ?? 120);

const running = localSetting(
	{ env: { ...LEAN, N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '3' } },
	{ sandbox: { customers: CUSTOMERS } },
);

const PATH = '/customers/{customerId}/charges.json';

const customers = platform('Customers', 'Customers', {
	resource: 'customer',
	operation: 'getAll',
	returnAll: true,
});

const charge = platform('Charge', 'Customers', {
	resource: 'charge',
	operation: 'create',
	customerId: byId('={{ $json.id }}'),
	services: { service: [{ name: 'Setup', amount: 10 }] },
});

/** It goes on when its URL is called, in another run of the workflow's process. */
const wait: Part = {
	name: 'Wait',
	type: 'n8n-nodes-base.wait',
	version: 1.1,
	parameters: { resume: 'webhook' },
};

const savesProgress = { settings: { executionOrder: 'v1', saveExecutionProgress: true } };

const charged = () => chargesByCustomer(running().sandbox);

const messageOf = ({ data }: Execution) => data.resultData.error?.message ?? '';

/** Holds the charge in the middle, which the API has applied. Resolves when it has come. */
async function heldCharge(): Promise<void> {
	const { sandbox } = running();
	sandbox.clearRequests();
	sandbox.faults.clear();
	const rule = { kind: 'stall', applied: true, method: 'POST', path: PATH, nth: CUT } as const;
	const held = sandbox.faults.add(rule);
	await until(`${CUT} charges`, () => held.hits > 0);
	held.remove();
}

/** The last execution of a workflow, once it has this status. */
async function lastExecution(workflowId: string, status: string): Promise<string> {
	const { client } = running().n8n;
	return await until(`an execution that is ${status}`, async () => {
		const [last] = await client.executions({ workflowId });
		return last?.status === status ? last.id : undefined;
	});
}

/** Calls the URL that the execution waits for. */
async function resume(workflowId: string): Promise<void> {
	const { client, url } = running().n8n;
	const id = await lastExecution(workflowId, 'waiting');
	const { data } = await client.execution(id);
	const { resumeToken } = data as { resumeToken?: string };
	const address = `${url}/webhook-waiting/${id}?signature=${resumeToken}`;
	await fetch(address, { dispatcher: client.dispatcher });
}

/** Publishes a workflow and calls its webhook. Its charges begin. */
async function begin(
	name: string,
	settings: Partial<WorkflowJson>,
	before: Part[] = [],
	charging = charge,
): Promise<string> {
	const { n8n, credential } = running();
	const path = name.replace(/\W+/g, '-');
	const workflow = rowOf(name, webhook(path), ...before, customers, charging);
	const { id } = await n8n.client.importWorkflow({ ...workflow, ...settings }, [credential]);
	await n8n.client.activate(id);
	const { dispatcher } = n8n.client;
	await (await fetch(`${n8n.url}/webhook/${path}`, { dispatcher })).text();
	return id;
}

/** Retries what was cut off, as its errors say, until all customers are charged. */
async function goOn(execution: string): Promise<number> {
	const { client } = running().n8n;
	const before = charged().size;
	expect(before).toBe(CUT);
	const asking = await client.retryExecution(execution);
	expect(messageOf(asking)).toContain('may have gone through');
	expect(charged().size).toBe(before);
	const asked = await releaseCharges(client, running().sandbox, asking);
	expect(asked).toBeGreaterThan(0);
	const last = await client.retryExecution(asking.id, true);
	expect([last.status, messageOf(last)]).toEqual(['success', '']);
	expect([...charged().values()].filter((count) => count > 1)).toEqual([]);
	expect(charged().size).toBe(CUSTOMERS);
	return asked;
}

type How = (n8n: N8nInstance, workflowId: string) => Promise<void>;

const killed: How = async (n8n) => {
	await n8n.kill9();
	await n8n.restart();
};

// Nodes get no sign of it. n8n waits for a moment, and ends.
const restarted: How = async (n8n) => {
	await n8n.program.stop(60_000);
	await n8n.restart();
};

const cancelled: How = async ({ client }, workflowId) =>
	await client.stopExecution(await lastExecution(workflowId, 'running'));

test.each([
	['kill -9', killed, 'crashed', 37],
	['SIGTERM', restarted, 'crashed', 37],
	['cancel', cancelled, 'canceled', 1],
] as const)(
	'published, %s: the Retry goes on where the run was',
	async (how, end, status, most) => {
		const held = heldCharge();
		const id = await begin(`Cut off by ${how}`, {});
		await held;
		await end(running().n8n, id);
		const asked = await goOn(await lastExecution(id, status));
		expect(asked).toBeLessThanOrEqual(most);
	},
);

test.each([
	['Save Execution Progress', savesProgress, []],
	['a Wait', {}, [wait]],
])('published, with %s, kill -9', async (name, settings, before) => {
	const held = heldCharge();
	const id = await begin(`With ${name}`, settings, before);
	if (before.length > 0) await resume(id);
	await held;
	await killed(running().n8n, id);
	const asked = await goOn(await lastExecution(id, 'crashed'));
	expect(asked).toBeLessThanOrEqual(37);
});

test('published, with On Error: Continue, kill -9: what was on its way or had failed comes out as an error', async () => {
	const { n8n, sandbox } = running();
	const { client } = n8n;
	const held = heldCharge();
	sandbox.faults.add({
		kind: 'status',
		status: 422,
		body: { error: 'Declined' },
		method: 'POST',
		path: PATH,
		nth: 7,
	});
	const id = await begin('With Continue', {}, [], {
		...charge,
		settings: { onError: 'continueRegularOutput' },
	});
	await held;
	await killed(n8n, id);
	const before = charged();
	const again = await client.retryExecution(await lastExecution(id, 'crashed'));
	expect(again.status).toBe('success');
	const items = itemsOf(again, 'Charge').map(({ json }) => json);
	expect(items).toHaveLength(CUSTOMERS);
	const errors = items.filter(({ error }) => error !== undefined);
	expect(errors.length).toBeLessThanOrEqual(38);
	expect(String(items[6].error)).toContain('It failed in the execution before this one');
	expect([...charged().values()].filter((count) => count > 1)).toEqual([]);
	// All but those that were on their way, or had failed.
	expect(charged().size).toBeGreaterThanOrEqual(CUSTOMERS - 38);
	expect(charged().size).toBeGreaterThan(before.size);
});

test('by hand, kill -9: n8n offers no Retry of it', async () => {
	const { n8n, credential } = running();
	const workflow = rowOf('Cut off by hand', start, customers, charge);
	const { id } = await n8n.client.importWorkflow(workflow, [credential]);
	const held = heldCharge();
	await n8n.client.startWorkflow(id);
	await held;
	await killed(n8n, id);
	const execution = await lastExecution(id, 'crashed');
	await expect(n8n.client.retryExecution(execution)).rejects.toThrow('500');
	expect(charged().size).toBe(CUT);
});
