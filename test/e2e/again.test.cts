// What is done again after an error or a crash, in a real n8n: in loops, after a Wait, in sub-workflows, by agents, with
// changed workflows. No charge is applied twice unless a person has released it, what isn't sent is told, and its advice ends well.
import { fetch } from 'undici';
import { itemsOf, type Execution, type WorkflowJson } from '../n8n/client.cts';
import { startChatModel, type ChatModel } from '../n8n/chatModel.cts';
import type { N8nInstance } from '../n8n/instance.cts';
import {
	agent,
	byId,
	called,
	calling,
	chatModel,
	type Parameters,
	type Part,
	platform,
	rowOf,
	start,
	webhook,
	workflowOf,
} from '../n8n/parts.cts';
import { LEAN, localSetting } from '../n8n/setting.cts';
import { until } from '../n8n/until.cts';
import type { FaultRule } from '../sandbox/faults.cts';
import type { Sandbox } from '../sandbox/index.cts';

let n8n: N8nInstance;
let sandbox: Sandbox;
let model: ChatModel;

const running = localSetting({ env: LEAN }, { sandbox: { customers: 4 } });

beforeAll(async () => {
	({ n8n, sandbox } = running());
	model = await startChatModel();
	await n8n.client.createCredential('openAiApi', 'Chat Model', { apiKey: 'none', url: model.url });
});

afterAll(async () => await model?.close());

const customers = (name = 'Customers') =>
	platform(name, 'Customers', { resource: 'customer', operation: 'getAll', returnAll: true });

/** A charge of each customer, by which those of a scene are told from others. */
const charge = (scene: string, fields: Parameters = {}, name = 'Charge'): Part =>
	platform(name, 'Customers', {
		resource: 'charge',
		operation: 'create',
		customerId: byId('={{ $json.id }}'),
		services: { service: [{ name: scene, amount: 10 }] },
		...fields,
	});

/** It goes on when its URL is called. */
const wait: Part = {
	name: 'Wait',
	type: 'n8n-nodes-base.wait',
	version: 1.1,
	parameters: { resume: 'webhook' },
};

const loop: Part = { name: 'Loop', type: 'n8n-nodes-base.splitInBatches', version: 3, output: 1 };

/** Charges one customer in each round. */
const looped = (scene: string, from: Part, ...after: Part[]): WorkflowJson => {
	const { nodes, connections, ...row } = rowOf(
		scene,
		from,
		customers(),
		loop,
		charge(scene),
		...after,
	);
	const back = { main: [[{ node: 'Loop', type: 'main' as const, index: 0 }]] };
	return { ...row, nodes, connections: { ...connections, [String(nodes.at(-1)?.name)]: back } };
};

/** How often each customer was charged, in the order of the list. */
function charged(scene: string): number[] {
	const ids = sandbox.state.charges.charges.rows
		.filter(({ services }) => services[0].name === scene)
		.map(({ customer_id }) => customer_id);
	return sandbox.state.customers.customers.rows.map(
		({ id }) => ids.filter((each) => each === id).length,
	);
}

/** Something happens to these charges from now on, counted from 1. */
function onCharges(nth: number | number[], fault: Partial<FaultRule> = {}): void {
	const path = '/customers/{customerId}/charges.json';
	sandbox.faults.clear();
	sandbox.faults.add({ kind: 'status', status: 422, method: 'POST', path, nth, ...fault });
}

const imported = async (workflow: WorkflowJson): Promise<string> =>
	(await n8n.client.importWorkflow(workflow, await n8n.client.credentials())).id;

/** Calls the URL that the executions of a workflow wait for. */
async function resume(workflowId: string): Promise<void> {
	const { client, url } = n8n;
	for (const { id } of await client.executions({ workflowId, status: ['waiting'] })) {
		const { status, data } = await client.execution(id);
		const { resumeToken } = data as { resumeToken?: string };
		if (status !== 'waiting') continue;
		const { dispatcher } = client;
		await fetch(`${url}/webhook-waiting/${id}?signature=${resumeToken}`, { dispatcher });
	}
}

/** The end of an execution, which goes on after each Wait. */
async function ended(workflowId: string, ending: Promise<Execution>): Promise<Execution> {
	let isOver = false;
	const over = ending.finally(() => (isOver = true));
	await Promise.all([
		over,
		until('the end of all waits', async () => {
			await resume(workflowId);
			return isOver;
		}),
	]);
	return await over;
}

const run = async (id: string) => await ended(id, n8n.client.runWorkflow(id));

async function retry(execution: string, withSaved = false): Promise<Execution> {
	const { workflowId } = await n8n.client.execution(execution);
	return await ended(workflowId, n8n.client.retryExecution(execution, withSaved));
}

/** Saves the charge with other fields, and with another name. */
async function change(id: string, fields: Parameters, to?: string): Promise<void> {
	const { nodes, connections } = await n8n.client.workflow(id);
	const { name, parameters } = nodes.find((node) => /^(Charge|Bill)$/.test(node.name))!;
	const changed = {
		name: to ?? name,
		parameters: { ...parameters, ...fields } as typeof parameters,
	};
	const texts = JSON.stringify(connections).replaceAll(`"${name}"`, `"${changed.name}"`);
	await n8n.client.updateWorkflow(id, {
		nodes: nodes.map((node) => (node.name === name ? { ...node, ...changed } : node)),
		connections: JSON.parse(texts) as typeof connections,
	});
}

const messageOf = ({ data }: Execution) => data.resultData.error?.message ?? '';

const hintOf = ({ data }: Execution, node = 'Charge') =>
	data.resultData.runData[node]?.at(-1)?.hints?.[0]?.message ?? '';

/** All that an execution tells of a node: its error, its hints, its items. */
const toldBy = (execution: Execution) =>
	messageOf(execution) + JSON.stringify(execution.data.resultData.runData.Charge ?? []);

test('a Retry of the Retry, then of the first one again, then of the second one', async () => {
	const scene = 'Retry of a Retry';
	const id = await imported(rowOf(scene, start, customers(), charge(scene)));
	onCharges([3, 5]);
	const first = await run(id);
	const second = await retry(first.id);
	expect([second.status, charged(scene)]).toEqual(['error', [1, 1, 1, 0]]);
	const third = await retry(second.id);
	expect([third.status, charged(scene)]).toEqual(['success', [1, 1, 1, 1]]);
	expect(hintOf(third)).toContain('3 items were sent in the execution before');
	// All is done now, whichever of them is retried.
	for (const { id: execution } of [first, second]) {
		const again = await retry(execution);
		expect([again.status, itemsOf(again, 'Charge').length]).toEqual(['success', 4]);
		expect(hintOf(again)).toContain('4 items were sent in the execution before');
		expect(charged(scene)).toEqual([1, 1, 1, 1]);
	}
});

test('a node that was renamed, and one whose amounts were changed', async () => {
	const scene = 'Changed';
	const id = await imported(rowOf(scene, start, customers(), charge(scene)));
	onCharges([3, 5]);
	const first = await run(id);
	await change(id, {}, 'Bill');
	// n8n finds nodes by their names.
	await expect(
		n8n.client.rest('POST', `/executions/${first.id}/retry`, { loadWorkflow: true }),
	).rejects.toThrow('Could not find the node');
	const second = await retry(first.id);
	expect([second.status, charged(scene)]).toEqual(['error', [1, 1, 1, 0]]);
	const amount = '={{ $itemIndex === 0 ? 10 : 12 }}';
	await change(id, { services: { service: [{ name: scene, amount }] } }, 'Charge');
	const third = await retry(second.id, true);
	expect([third.status, charged(scene)]).toEqual(['success', [1, 1, 1, 1]]);
	expect(hintOf(third)).toContain('Sent with other values than these: rows 2, 3.');
	const [last] = sandbox.state.charges.charges.rows.slice(-1);
	expect(last.services[0].amount).toBe(12);
});

test('an error in a node after a Wait: the node before it charges nobody again', async () => {
	const scene = 'Wait';
	const before = charge('Before the Wait', {}, 'Before');
	const id = await imported(
		rowOf(scene, start, customers(), before, wait, customers('Again'), charge(scene)),
	);
	onCharges(4 + 3);
	const first = await run(id);
	expect(charged(scene)).toEqual([1, 1, 0, 0]);
	const again = await retry(first.id);
	expect([again.status, charged('Before the Wait'), charged(scene)]).toEqual([
		'success',
		[1, 1, 1, 1],
		[1, 1, 1, 1],
	]);
});

test('an error in the third round of a loop with a Wait', async () => {
	const scene = 'Loop';
	const id = await imported(looped(scene, start, wait));
	onCharges(3);
	const first = await run(id);
	expect(charged(scene)).toEqual([1, 1, 0, 0]);
	const again = await retry(first.id);
	expect([again.status, charged(scene)]).toEqual(['success', [1, 1, 1, 1]]);
	// n8n begins with the data of the first one again.
	const second = await retry(first.id);
	expect([second.status, charged(scene)]).toEqual(['success', [1, 1, 1, 1]]);
});

describe('an error in a sub-workflow', () => {
	/** Charges two customers, then fails. */
	async function failed(scene: string, fields: Parameters = {}) {
		const sub = await imported(rowOf(scene, called, charge(scene, fields)));
		await n8n.client.activate(sub);
		const id = await imported(rowOf(`${scene}, parent`, start, customers(), calling(sub)));
		onCharges(3);
		const parent = await run(id);
		expect([parent.status, charged(scene)]).toEqual(['error', [1, 1, 0, 0]]);
		const [own] = await n8n.client.executions({ workflowId: sub });
		return { parent: parent.id, own: own.id };
	}

	test('its own Retry sends the rest', async () => {
		const scene = 'Sub-workflow';
		const { own } = await failed(scene);
		const again = await retry(own);
		expect([again.status, charged(scene)]).toEqual(['success', [1, 1, 1, 1]]);
		await retry(own);
		expect(charged(scene)).toEqual([1, 1, 1, 1]);
	});

	// The page says so: it's a new run.
	test.each([
		['without a key', {}, [2, 2, 1, 1]],
		['with a key', { idempotencyKey: '={{ $json.id }}' }, [1, 1, 1, 1]],
	])('a Retry of its parent calls it anew, %s', async (how, fields, counts) => {
		const { parent } = await failed(how, fields);
		const again = await retry(parent);
		expect([again.status, charged(how)]).toEqual(['success', counts]);
	});
});

test('Retry On Fail sends no lost response again', async () => {
	const scene = 'Retry On Fail';
	const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 };
	const id = await imported(rowOf(scene, start, customers(), { ...charge(scene), settings }));
	onCharges(2, { status: 502, applied: true });
	const first = await run(id);
	expect(charged(scene)).toEqual([1, 1, 0, 0]);
	expect(messageOf(first)).toContain('Already done, but not in the output: row 1 (item 0)');
	const again = await retry(first.id);
	expect([again.status, charged(scene)]).toEqual(['error', [1, 1, 0, 0]]);
	const [, releaseKey] = /enter (run-[\w-]+ 1) in/.exec(messageOf(again)) as RegExpExecArray;
	// It went through. Its release then asks for what the Retry has done.
	const { nodes } = await n8n.client.workflow(id);
	const left = nodes.map((node) => ({
		...node,
		...(node.name === 'Charge' && { onError: 'continueRegularOutput' as const }),
	}));
	await n8n.client.updateWorkflow(id, { nodes: left });
	const rest = await retry(again.id, true);
	expect([rest.status, charged(scene)]).toEqual(['success', [1, 1, 1, 1]]);
	expect(itemsOf(rest, 'Charge')[1].json.error).toContain('It may have gone through');
	await n8n.client.updateWorkflow(id, { nodes });
	await change(id, { options: { releaseKey } });
	await retry(first.id, true);
	await retry(again.id, true);
	expect(charged(scene)).toEqual([1, 1, 1, 1]);
});

interface Scene {
	workflow: WorkflowJson;
	/** A workflow that calls it. */
	parent?: (id: string) => WorkflowJson;
	/** The charge that is under way when n8n is killed: it's applied, and its response lost. */
	nth: number;
	/** It has its response, and the model is being asked what to do next. */
	isAnswered?: boolean;
	/** What a person changes before the Retry. */
	before?: (id: string) => Promise<void> | void;
	/** Charges after it. */
	counts: number[];
	/** What it tells. */
	text: string;
	/** The items in doubt that its code names. Undefined if it offers none. */
	inDoubt?: string;
	/** What a person enters after the code. By default, that nothing of it went through, without a look. */
	entered?: string;
	/** Charges after that. */
	released?: number[];
}

const LOST = 'n8n kept nothing of it, so nothing was sent';

/** All items of a run that was killed are in doubt, since they're less than a slice. */
const ALL_IN_DOUBT = {
	text: '4 items may have gone through in an execution before this one, so nothing was sent.',
	inDoubt: '0-3',
};

/** The only item of a run is. */
const ONE_IN_DOUBT = {
	text: 'It may have gone through in the execution before this one. Make sure that it has ended.',
	inDoubt: '0',
};

const row = (scene: string, fields: Parameters = {}) =>
	rowOf(scene, webhook(scene), customers(), charge(scene, fields));

const inProgress = (workflow: WorkflowJson): WorkflowJson => ({
	...workflow,
	settings: { ...workflow.settings, saveExecutionProgress: true },
});

/** Customers who come first in the list. */
function newCustomers(): void {
	const { customers } = sandbox.state.customers;
	for (const n of [1, 2]) {
		const id = `cus-new-${n}`;
		customers.add(
			{ ...customers.rows[0], id, email: `${id}@example.com`, externalId: id },
			'front',
		);
	}
}

const errorOutput = (scene: string): WorkflowJson =>
	workflowOf(scene, [
		{ ...webhook(scene), to: ['Customers'] },
		{ ...customers(), to: ['Charge'] },
		{
			...charge(scene),
			settings: { onError: 'continueErrorOutput' },
			to: ['Charge'],
			output: 1,
		},
	]);

/** An agent that charges the first customer, and once more if it's told nothing. */
function agentOf(scene: string, version: number, kind: 'node' | 'toolkit'): WorkflowJson {
	const customer_id = 'cus-100001';
	const isNode = kind === 'node';
	const args = isNode ? {} : { customer_id, services: [{ name: scene, amount: 10 }] };
	const call = `call ${isNode ? 'Charge' : 'create_charge'} ${JSON.stringify(args)}`;
	const text = `${scene}\n${call}\nif \`""\` ${call}`;
	const tool = isNode
		? {
				...charge(scene, { customerId: byId(customer_id) }),
				type: 'n8n-nodes-platform-api.platformCustomersTool',
			}
		: platform('Charge', 'ApiTool', { offer: 'chosen', operations: ['create_charge'] });
	return workflowOf(scene, [
		{ ...webhook(scene), to: ['Agent'] },
		{
			...agent(text),
			version,
			parameters: { agent: 'toolsAgent', promptType: 'define', text, options: {} },
		},
		chatModel('Agent'),
		{ ...tool, to: ['Agent'], as: 'ai_tool' },
	]);
}

/** What becomes of an agent's charge. */
const AGENTS = [
	[22, 'node'],
	[22, 'toolkit'],
	[31, 'node'],
	[31, 'toolkit'],
] as const;

const agentScenes = AGENTS.flatMap(([version, kind]): Array<[string, Scene]> => {
	const name = `agent-${version}-${kind}`;
	const workflow = (moment: string) => agentOf(`${name}-${moment}`, version / 10, kind);
	const once = { nth: 1, counts: [1, 0, 0, 0] };
	const asked = {
		...once,
		...(kind === 'node'
			? { ...ONE_IN_DOUBT, released: [2, 0, 0, 0] }
			: { text: "it isn't known which, so nothing was sent. Don't try again." }),
	};
	const scenes: Array<[string, Scene]> = [
		[`${name}-waits`, { ...asked, workflow: workflow('waits') }],
		[
			`${name}-answered`,
			{
				...once,
				workflow: workflow('answered'),
				isAnswered: true,
				text: 'Sent in the execution before this one',
			},
		],
	];
	// n8n goes on with the agent, and gives its model nothing for the response of the charge.
	const progress = {
		...once,
		workflow: inProgress(workflow('progress')),
		text: 'may have gone through, so it was not sent again',
	};
	return version === 31 ? [...scenes, [`${name}-progress`, progress]] : scenes;
});

const SCENES: Record<string, Scene> = {
	renamed: {
		workflow: row('renamed'),
		nth: 3,
		before: async (id) => await change(id, {}, 'Bill'),
		counts: [1, 1, 1, 0],
		...ALL_IN_DOUBT,
		released: [2, 2, 2, 1],
	},
	progress: {
		workflow: inProgress(row('progress')),
		nth: 3,
		counts: [1, 1, 1, 0],
		...ALL_IN_DOUBT,
		entered: '3 sent 0-2',
		released: [1, 1, 1, 1],
	},
	'progress-loop': {
		workflow: inProgress(looped('progress-loop', webhook('progress-loop'))),
		nth: 3,
		counts: [1, 1, 1, 0],
		...ONE_IN_DOUBT,
		released: [1, 1, 2, 1],
	},
	wait: {
		workflow: rowOf(
			'wait',
			webhook('wait'),
			customers(),
			charge('before wait', {}, 'Before'),
			wait,
			customers('Again'),
			charge('wait'),
		),
		nth: 4 + 2,
		counts: [1, 1, 0, 0],
		...ALL_IN_DOUBT,
		released: [2, 2, 1, 1],
	},
	'wait-loop': {
		workflow: looped('wait-loop', webhook('wait-loop'), wait),
		nth: 3,
		counts: [1, 1, 1, 0],
		...ONE_IN_DOUBT,
		entered: 'sent 0',
		released: [1, 1, 1, 1],
	},
	loop: {
		workflow: looped('loop', webhook('loop')),
		nth: 2,
		counts: [1, 1, 0, 0],
		...ONE_IN_DOUBT,
		released: [1, 2, 1, 1],
	},
	'error-output': {
		workflow: errorOutput('error-output'),
		nth: 3,
		before: async (id) => await change(id, { idempotencyKey: '={{ $json.id }}' }),
		counts: [1, 1, 1, 0],
		text: 'another Idempotency Key or without one, so nothing was sent',
	},
	'sub-workflow': {
		workflow: rowOf('sub-workflow', called, charge('sub-workflow')),
		parent: (id) => rowOf('parent', webhook('sub-workflow'), customers(), calling(id)),
		nth: 3,
		counts: [1, 1, 1, 0],
		text: 'as of a sub-workflow, so nothing was sent. Check what went through.',
	},
	'new-customers': {
		workflow: looped('new-customers', webhook('new-customers')),
		nth: 2,
		before: newCustomers,
		counts: [0, 0, 1, 1, 0, 0],
		text: LOST,
	},
};

/** The scenes of agents come first: others add customers. */
const ALL = [...agentScenes, ...Object.entries(SCENES)];

describe('n8n is killed while', () => {
	const runs = new Map<string, { id: string; execution: string }>();

	beforeAll(async () => {
		const { client, url } = n8n;
		let isHeld = false;
		const goOn: Array<() => void> = [];
		model.beforeAnswer = async () => {
			if (isHeld && model.toolResults().length > 0)
				await new Promise<void>((resolve) => goOn.push(resolve));
		};
		// All wait for a response until the kill, so they start close to each other.
		const ids = new Map<string, string>();
		for (const [scene, { workflow, parent }] of ALL) {
			const id = await imported(workflow);
			await client.activate(id);
			if (parent) await client.activate(await imported(parent(id)));
			ids.set(scene, id);
		}
		for (const [scene, { nth, isAnswered = false }] of ALL) {
			const id = ids.get(scene)!;
			const before = sandbox.state.charges.charges.size;
			const held = goOn.length;
			isHeld = isAnswered;
			if (isAnswered) sandbox.faults.clear();
			else onCharges(nth, { kind: 'stall', applied: true });
			await (await fetch(`${url}/webhook/${scene}`, { dispatcher: client.dispatcher })).text();
			await until(`${nth} charges of ${scene}`, async () => {
				await resume(id);
				const isCharged = sandbox.state.charges.charges.size - before >= nth;
				return isCharged && (!isAnswered || goOn.length > held);
			});
			const [{ id: execution }] = await client.executions({ workflowId: id });
			runs.set(scene, { id, execution });
		}
		await n8n.kill9();
		isHeld = false;
		for (const answer of goOn) answer();
		sandbox.faults.clear();
		await n8n.restart();
		for (const { execution } of runs.values()) await client.waitForExecution(execution);
	});

	test.each(ALL)('%s', async (scene, { before, counts, text, inDoubt, entered, released }) => {
		const { id, execution } = runs.get(scene)!;
		await before?.(id);
		const again = await retry(execution, before !== undefined);
		expect(charged(scene)).toEqual(counts);
		expect(messageOf(again) + toldBy(again)).toContain(text);
		const told = messageOf(again) + toldBy(again);
		const [, code, items] = /enter (run-[\w-]{12}) ([\d -]+) in/.exec(told) ?? [];
		expect(items).toBe(inDoubt);
		if (!released) {
			expect(told).not.toContain('enter run-');
			return;
		}
		await change(id, { options: { releaseKey: `${code} ${entered ?? items}` } });
		const after = await retry(execution, true);
		expect([after.status, charged(scene)]).toEqual(['success', released]);
		await retry(execution, true);
		expect(charged(scene)).toEqual(released);
	});
});
