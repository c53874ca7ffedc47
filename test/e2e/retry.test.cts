// n8n's Retry of a run of charges without keys, in a real n8n: after an error, a cancel, a crash, and a second time.
import { fetch } from 'undici';
import { openEditor } from '../n8n/browser.cts';
import type { Execution } from '../n8n/client.cts';
import { itemsOf } from '../n8n/client.cts';
import type { N8nInstance } from '../n8n/instance.cts';
import { byId, type Part, platform, rowOf, start, webhook } from '../n8n/parts.cts';
import { LEAN, localSetting } from '../n8n/setting.cts';
import { until } from '../n8n/until.cts';
import { chargesByCustomer } from '../n8n/chargeAll.cts';
import type { Sandbox } from '../sandbox/index.cts';

let n8n: N8nInstance;
let sandbox: Sandbox;

const running = localSetting(
	{ env: process.env.PICTURES ? {} : LEAN },
	{ sandbox: { customers: 4 } },
);

beforeAll(() => {
	({ n8n, sandbox } = running());
});

beforeEach(() => sandbox.clearRequests());

const charge = (amount: number, options: object = {}): Part =>
	platform('Charge', 'Customers', {
		resource: 'charge',
		operation: 'create',
		customerId: byId('={{ $json.id }}'),
		services: { service: [{ name: 'Setup', amount }] },
		options,
	});

const workflow = (name: string, amount = 10, options: object = {}, from = start) =>
	rowOf(
		name,
		from,
		platform('Customers', 'Customers', { resource: 'customer', operation: 'getAll', limit: 4 }),
		charge(amount, options),
	);

async function imported(name: string): Promise<string> {
	return (await n8n.client.importWorkflow(workflow(name), await n8n.client.credentials())).id;
}

/** How often each customer was charged. */
const charges = () => [...chargesByCustomer(sandbox).values()];

const messageOf = ({ data }: Execution) => data.resultData.error?.message ?? '';

const hintsOf = ({ data }: Execution) =>
	(data.resultData.runData.Charge?.at(-1)?.hints ?? []).map(({ message }) => message);

/** Takes a picture of what an execution shows of the charges, once this text is there. */
async function picture(name: string, id: string, execution: Execution, text: string) {
	if (!process.env.PICTURES) return;
	const editor = await openEditor(n8n);
	await editor.page.goto(`${n8n.url}/workflow/${id}/executions/${execution.id}`);
	await editor.page.getByTestId('canvas-node').last().dblclick();
	await editor.page.getByText(text).first().waitFor();
	await editor.picture(name);
	await editor.close();
}

const third = { method: 'POST', path: '/customers/{customerId}/charges.json', nth: 3 } as const;

// With the workflow as it is saved now: again.test.cts.
test('after an error: the rest is sent, a second Retry sends nothing', async () => {
	const id = await imported('Retry');
	sandbox.faults.add({ kind: 'status', status: 422, body: { error: 'Declined' }, ...third });
	const failed = await n8n.client.runWorkflow(id);
	expect(messageOf(failed)).toContain('Already done, but not in the output: row');
	const again = await n8n.client.retryExecution(failed.id);
	expect([again.status, charges()]).toEqual(['success', [1, 1, 2, 1]]);
	expect(itemsOf(again, 'Charge').map(({ json }) => typeof json.id)).toEqual(
		Array(4).fill('string'),
	);
	expect(hintsOf(again)[0]).toContain('2 items were sent in the execution before');

	await picture('retried', id, again, '2 items were sent in the execution before');

	const second = await n8n.client.retryExecution(failed.id);
	expect(hintsOf(second)[0]).toContain('4 items were sent in the execution before');
	expect(charges()).toEqual([1, 1, 2, 1]);
});

/** Publishes a workflow that begins with a webhook, starts it, and waits until so many customers were asked to be charged. */
async function started(
	path: string,
	workflow: ReturnType<typeof rowOf>,
	count: number,
): Promise<{ id: string; execution: string }> {
	const { client } = n8n;
	const { id } = await client.importWorkflow(workflow, await client.credentials());
	await client.activate(id);
	await (await fetch(`${n8n.url}/webhook/${path}`, { dispatcher: client.dispatcher })).text();
	await until(`${count} charges`, async () => charges().length >= count || undefined);
	const [{ id: execution }] = await client.executions({ workflowId: id });
	return { id, execution };
}

/** Until its third charge is on its way. */
async function untilThird(path: string): Promise<{ id: string; execution: string }> {
	sandbox.faults.add({ kind: 'stall', times: 1, ...third });
	return await started(path, workflow(path, 10, {}, webhook(path)), 3);
}

const LATER = '/company.json';

/** Until a node after the charges waits for the API. */
async function untilLater(path: string): Promise<{ id: string; execution: string }> {
	sandbox.faults.add({ kind: 'stall', method: 'GET', path: LATER });
	const later = platform('Later', 'Company', { resource: 'company', operation: 'get' });
	const customers = { resource: 'customer', operation: 'getAll', limit: 4 };
	const all = [platform('Customers', 'Customers', customers), charge(10), later];
	const run = await started(path, rowOf(path, webhook(path), ...all), 4);
	const isLater = ({ path }: { path: string }) => path.startsWith(LATER);
	await until('the later node', async () => sandbox.requests.some(isLater) || undefined);
	return run;
}

/** Kills n8n, and waits until it knows that the execution crashed. */
async function crash(id: string): Promise<void> {
	await n8n.kill9();
	await n8n.restart();
	await until('the end of the crashed execution', async () => {
		const [{ status }] = await n8n.client.executions({ workflowId: id });
		return status === 'crashed' || undefined;
	});
}

/** Sets fields of the charge. */
async function change(id: string, amount: number, parameters: object): Promise<void> {
	const { nodes } = await n8n.client.workflow(id);
	const form = { ...charge(amount).parameters, ...parameters } as (typeof nodes)[0]['parameters'];
	await n8n.client.updateWorkflow(id, {
		nodes: nodes.map((node) => (node.name === 'Charge' ? { ...node, parameters: form } : node)),
	});
}

test.each([
	{
		how: 'a cancel',
		end: async (_id: string, execution: string) => await n8n.client.stopExecution(execution),
		asked: '2',
		released: [1, 1, 2, 1],
	},
	{
		how: 'kill -9',
		end: async (id: string) => await crash(id),
		asked: '0-3',
		released: [2, 2, 2, 1],
	},
])('after $how: nothing is sent before a release, and none frees it twice', async (scene) => {
	const { how, end, asked, released } = scene;
	const { id, execution } = await untilThird(how.replace(/\W/g, ''));
	await end(id, execution);
	await n8n.client.waitForExecution(execution);
	const again = await n8n.client.retryExecution(execution);
	expect([again.status, charges()]).toEqual(['error', [1, 1, 1]]);
	const [, releaseKey, items] = /enter (run-[\w-]{12} ([\d-]+)) in/.exec(messageOf(again)) ?? [];
	expect(items).toBe(asked);
	const isPicture = how === 'a cancel';
	if (isPicture) await picture('cut-off-asks', id, again, 'in the option Release Key');
	// A person who doesn't look charges them again, once.
	await change(id, 10, { options: { releaseKey } });
	const going = await n8n.client.retryExecution(execution, true);
	expect(charges()).toEqual(released);
	if (isPicture) await picture('cut-off-goes-on', id, going, 'sent in the execution before');
	await n8n.client.retryExecution(execution, true);
	expect(charges()).toEqual(released);
	// With a key that wasn't there, neither.
	await change(id, 10, { options: {}, idempotencyKey: '={{ $json.id }}' });
	const keyed = await n8n.client.retryExecution(execution, true);
	expect([charges(), messageOf(keyed)]).toEqual([
		released,
		expect.stringContaining('another Idempotency Key'),
	]);
});

test.each([
	[
		'cancelled',
		async (_id: string, execution: string) => await n8n.client.stopExecution(execution),
	],
	['killed', async (id: string) => await crash(id)],
])(
	'%s in a later node: nothing is sent twice, and the rest of the workflow runs',
	async (how, end) => {
		const { id, execution } = await untilLater(`${how}-later`);
		await end(id, execution);
		await n8n.client.waitForExecution(execution);
		sandbox.faults.clear();
		const again = await n8n.client.retryExecution(execution);
		// n8n shows the cancel of the first execution as the error of the second, too.
		expect(charges()).toEqual([1, 1, 1, 1]);
		expect(hintsOf(again)[0]).toContain('4 items were sent in the execution before');
		expect(itemsOf(again, 'Later')).not.toEqual([]);
	},
);
