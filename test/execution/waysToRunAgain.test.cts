// The ways in which n8n starts a run again, and what is sent twice then, without and with an Idempotency Key: docs/money.md
// says it.
import type { IRun } from 'n8n-workflow';
import { clearStore, crashPoint } from './host/keyStore.cts';
import { ownNode, runWorkflow, sourceOf, type RunOptions } from './host/host.cts';
import { packageNodes } from './host/package.cts';
import { byId, run as runWith } from './host/run.cts';
import { Service } from './host/service.cts';
import { retryOnFail, useTools } from './host/tool.cts';
import { nodeOf } from './host/workflow.cts';

const service = Service.forFile();

beforeEach(clearStore);

const orders = ['cus-0', 'cus-1', 'cus-2'].map((customer) => ({ customer }));

/** What the service does with the first charge of the second order. */
type First = 'done' | 'refused' | 'stalls';

/** How often each customer was charged. */
const applied = new Map<string, number>();

let requested = () => {};

function behave(first: First): void {
	let isFirst = true;
	service.behave(async ({ path }) => {
		const [, , customer] = path.split('/');
		const does = isFirst && customer === 'cus-1' ? first : 'done';
		if (customer === 'cus-1') isFirst = false;
		if (does === 'refused') return { status: 422, body: { error: 'Declined' } };
		applied.set(customer, (applied.get(customer) ?? 0) + 1);
		if (does === 'stalls') {
			requested();
			await new Promise(() => {});
		}
		return { body: { id: 'ch' } };
	});
}

let runs = 0;

const charge = (isKeyed: boolean, amount = 10) => ({
	customerId: byId('={{ $json.customer }}'),
	services: { service: [{ name: 'Setup', amount }] },
	...(isKeyed && { idempotencyKey: '={{ $json.customer }}' }),
});

/** Charges the orders. */
async function charged(isKeyed: boolean, more: Partial<RunOptions> = {}, amount = 10) {
	const api = { baseUrl: service.baseUrl, key: `key-of-run-${++runs}` };
	const parameters = charge(isKeyed, amount);
	const { run } = await runWith(api, 'platformCustomers', 'charge.create', parameters, {
		items: orders,
		...more,
	});
	return run;
}

/** Charges the orders until the second one is on its way, and cancels. */
async function cut(isKeyed: boolean, atCut = () => {}): Promise<void> {
	behave('stalls');
	const cancelAfter = new Promise<void>((resolve) => {
		requested = () => {
			atCut();
			resolve();
		};
	});
	await charged(isKeyed, { cancelAfter });
}

/** A run of which the second order was refused. */
async function failed(isKeyed: boolean): Promise<IRun> {
	behave('refused');
	return await charged(isKeyed);
}

/** Runs the node twice, with something else in the second run. */
const twice =
	(second: Partial<RunOptions>, both: Partial<RunOptions> = {}) =>
	async (isKeyed: boolean): Promise<void> => {
		behave('done');
		await charged(isKeyed, both);
		await charged(isKeyed, { ...both, ...second });
	};

/** Calls a tool twice with the same arguments. */
async function calledTwice(isKeyed: boolean, isWebhook: boolean): Promise<void> {
	behave('done');
	const parameters = {
		resource: 'charge',
		operation: 'create',
		...charge(isKeyed),
		customerId: byId('cus-0'),
		...(isKeyed && { idempotencyKey: 'order-0' }),
	};
	await useTools(
		[{ node: 'platformCustomers', parameters }],
		service.credential,
		async ({ Tool_1: tool }) => {
			await tool.invoke({});
			await tool.invoke({});
		},
		{ isWebhook },
	);
}

/** Charges the orders one by one in a loop, through data as another process reads it. */
async function looped(isKeyed: boolean): Promise<void> {
	behave('done');
	const left = orders.map((json) => ({ json }));
	const loop = ownNode('loop', async function () {
		const { runExecutionData } = this as unknown as { runExecutionData: IRun['data'] };
		const { executionData } = runExecutionData;
		if (executionData) executionData.contextData = structuredClone(executionData.contextData);
		return await Promise.resolve([left.splice(0, 1)]);
	});
	const common = { typeVersion: 1, parameters: {} };
	const to = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });
	const parameters = { resource: 'charge', operation: 'create', ...charge(isKeyed) };
	await runWorkflow({
		nodes: [
			{ ...common, id: '1', name: 'Source', type: 'source', position: [0, 0] },
			{ ...common, id: '3', name: 'Loop', type: 'loop', position: [1, 0] },
			nodeOf('platformCustomers', parameters, { id: '2', ...retryOnFail }),
		],
		connections: { Source: to('Loop'), Loop: to('Node'), Node: to('Loop') },
		types: { ...packageNodes(), source: sourceOf([{ json: {} }]), loop },
		credential: service.credential,
		start: 'Source',
	});
}

/** A Retry of an execution that was cut off when a later node ran: n8n begins anew. */
async function inLaterNode(isKeyed: boolean): Promise<void> {
	behave('done');
	await charged(isKeyed);
	await charged(isKeyed, { mode: 'retry' });
}

/** The ways to run again, by name. */
const ways: Record<string, Array<(isKeyed: boolean) => Promise<unknown>>> = {
	'Retry in the list of executions, both kinds': [
		async (isKeyed) => await charged(isKeyed, { retryOf: await failed(isKeyed) }),
		async (isKeyed) => await charged(isKeyed, { retryOf: await failed(isKeyed) }, 12),
	],
	'The same Retry a second time': [
		async (isKeyed) => {
			const retryOf = await failed(isKeyed);
			await charged(isKeyed, { retryOf });
			await charged(isKeyed, { retryOf });
		},
	],
	'Retry after you cancelled': [
		async (isKeyed) => {
			await cut(isKeyed);
			await charged(isKeyed, { mode: 'retry', settings: { onError: 'continueErrorOutput' } });
		},
		inLaterNode,
	],
	'Retry after n8n or a worker was killed': [
		async (isKeyed) => {
			let restart = () => {};
			await cut(isKeyed, () => (restart = crashPoint()));
			restart();
			await charged(isKeyed, { mode: 'retry' });
		},
		inLaterNode,
	],
	'Retry On Fail': [
		async (isKeyed) => {
			behave('refused');
			await charged(isKeyed, { settings: retryOnFail });
		},
	],
	'A loop, or a Wait that goes on in another process': [looped],
	'Execute workflow or Execute step again': [twice({})],
	'A webhook that was delivered twice': [twice({}, { mode: 'webhook' })],
	'An AI agent or an MCP client that calls the tool again': [
		async (isKeyed) => await calledTwice(isKeyed, false),
		async (isKeyed) => await calledTwice(isKeyed, true),
	],
	'A sub-workflow that is called again': [twice({}, { mode: 'integrated' })],
	'A copy of the workflow or of the node': [twice({ settings: { id: 'copy' } })],
};

/** A new run: docs/money.md says that it sends everything again that has no key. */
const newRuns = [
	'Execute workflow or Execute step again',
	'A webhook that was delivered twice',
	'An AI agent or an MCP client that calls the tool again',
	'A sub-workflow that is called again',
	'A copy of the workflow or of the node',
];

/** A new run that sends again what has a key, too. */
const copies = ['A copy of the workflow or of the node'];

describe.each(Object.keys(ways))('%s', (way) => {
	test.each([
		['without a key', newRuns, false],
		['with a key', copies, true],
	])('%s', async (_title, sendingAgain, isKeyed) => {
		const isSentAgain = sendingAgain.includes(way);
		for (const again of ways[way]) {
			clearStore();
			applied.clear();
			await again(isKeyed);
			const counts = [...applied.values()];
			expect(Math.max(...counts)).toBe(isSentAgain ? 2 : 1);
			if (isSentAgain) expect(Math.min(...counts)).toBe(2);
		}
	});
});
