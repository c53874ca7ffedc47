// What an AI sees and does through n8n's own MCP server: search, types, pickers, building and running.
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { TYPE_BOUNDS, typesOf } from '../../tools/typeTokens.cts';
import { tokensOfText } from '../../tools/toolTokens.cts';
import { callTool, connectToBuilder } from '../e2e/mcp.cts';
import { ownSetting, WITHOUT_EDITOR } from '../e2e/setting.cts';
import { nodes } from '../table/operations.cts';
import { queries } from './queries.cts';

const PACKAGE = 'n8n-nodes-platform-api';

// Each query is a request of its own, more than n8n takes of one client in five minutes.
const env = { N8N_MCP_SERVER_RATE_LIMIT: '10000', ...WITHOUT_EDITOR };
const running = ownSetting({ env });
let client: Client;

/** What a tool of the server says; its errors, too. */
const ask = async (name: string, args: object): Promise<string> =>
	(await callTool(client, name, args as Record<string, unknown>)).text;

const answer = async <T,>(name: string, args: object): Promise<T> =>
	JSON.parse(await ask(name, args)) as T;

beforeAll(async () => {
	client = await connectToBuilder(running().n8n);
});

afterAll(async () => {
	await client?.close();
});

/** Queries whose five places go to products of that name, in n8n 2.41.1. */
const MISSED: string[] = [
	'customer',
	'create customer',
	'update customer',
	'charge a customer',
	'crm',
	'charge paid trigger',
	'new customer',
	'new customer trigger',
	'polling trigger',
	'convert currency',
	'run platform workflow',
	'embeddings',
];

test('the search shows the wanted node, or one that leads to it', async () => {
	const places = [];
	for (const [query, wanted] of queries) {
		const text = await ask('search_nodes', { queries: [query] });
		const shown = [...text.matchAll(/^- (\S+)/gm)].map(([, id]) => id);
		const id = `${PACKAGE}.platform${wanted}`;
		places.push({ query, place: shown.indexOf(id), isNamed: text.includes(`- ${id}:`) });
	}
	const first = places.filter(({ place }) => place === 0);
	const missed = places.filter(({ place, isNamed }) => place < 0 && !isNamed);
	// n8n weighs names over search words: other products are called Customer.io, Chargebee, ConvertKit.
	expect({ first: first.length, missed: missed.map(({ query }) => query) }).toEqual({
		first: expect.any(Number),
		missed: MISSED,
	});
	expect(first.length).toBeGreaterThanOrEqual(35);
});

test('the types of the nodes are those of the table in docs/ai.md, within their bounds', async () => {
	let all = 0;
	for (const node of nodes) {
		const text = await ask('get_node_types', { nodeIds: [{ nodeId: `${PACKAGE}.${node.name}` }] });
		// n8n itself adds the times of a poll.
		if (node.name !== 'platformPollingTrigger') expect(text).toContain(typesOf(node));
		expect(tokensOfText(text)).toBeLessThanOrEqual(TYPE_BOUNDS.node);
		all += tokensOfText(text);
	}
	expect(all).toBeLessThanOrEqual(TYPE_BOUNDS.all);
});

/** Code of a workflow with one node of the package after a manual trigger. */
const codeOf = (type: string, parameters: object, credential: { id: string; name: string }) => `
import { workflow, node, trigger } from '@n8n/workflow-sdk';
const start = trigger({ type: 'n8n-nodes-base.manualTrigger', version: 1, config: { name: 'Start', parameters: {} } });
const step = node({ type: '${PACKAGE}.${type}', version: 1, config: { name: 'Step',
	parameters: ${JSON.stringify(parameters)},
	credentials: { platformApi: ${JSON.stringify({ id: credential.id, name: credential.name })} } } });
export default workflow('built', 'Built').add(start).to(step);`;

/** Builds the workflow as a model does: validates the code, then creates; gives back its ID. */
async function build(type: string, parameters: object): Promise<string> {
	const code = codeOf(type, parameters, running().credential);
	expect(await answer('validate_workflow', { code })).toMatchObject({ valid: true });
	const created = await answer<{ workflowId: string }>('create_workflow_from_code', {
		code,
		versionName: 'First',
	});
	return created.workflowId;
}

/** Runs it and gives back what a model reads of the execution. */
async function run(workflowId: string): Promise<string> {
	const started = await answer<{ executionId: string }>('execute_workflow', {
		workflowId,
		executionMode: 'manual',
	});
	await running().n8n.client.waitForExecution(started.executionId);
	return await ask('get_workflow_execution', {
		workflowId,
		executionId: started.executionId,
		includeData: true,
	});
}

const byId = (value: string) => ({ __rl: true, mode: 'id', value });

test('a picker is explored, and a charge is built, validated and run', async () => {
	const { credential, sandbox } = running();
	const { results } = await answer<{ results: Array<{ name: string; value: string }> }>(
		'explore_node_resources',
		{
			nodeType: `${PACKAGE}.platformCustomers`,
			version: 1,
			methodName: 'customers',
			methodType: 'listSearch',
			credentialType: 'platformApi',
			credentialId: credential.id,
		},
	);
	expect(results.length).toBeGreaterThan(1);
	const id = await build('platformCustomers', {
		resource: 'charge',
		operation: 'create',
		customerId: byId(results[0].value),
		services: { service: [{ name: 'Setup', amount: 49.9 }] },
	});
	const before = sandbox.requests.length;
	expect(await run(id)).toContain('"status":"success"');
	const charges = sandbox.requests.slice(before).filter(({ method }) => method === 'POST');
	expect(charges.map(({ path }) => path)).toEqual([
		expect.stringContaining(`/customers/${results[0].value}/charges.json`),
	]);
});

test('a workflow is tested with pinned data, without a request', async () => {
	const { sandbox } = running();
	const id = await build('platformCustomers', { resource: 'customer', operation: 'getAll' });
	const before = sandbox.requests.length;
	const tested = await ask('test_workflow', {
		workflowId: id,
		pinData: { Step: [{ json: { id: '1' } }] },
	});
	expect(tested).toContain('"status":"success"');
	expect(sandbox.requests.length).toBe(before);
});

/** Wrong parameters of Platform Customers, and what the model reads when it runs them. */
const wrong: Array<[string, object, RegExp]> = [
	[
		'a charge without services',
		{ resource: 'charge', operation: 'create', customerId: byId('1') },
		/Services/,
	],
	['a charge without a customer', { resource: 'charge', operation: 'create' }, /Customer/],
	['an unknown operation', { resource: 'charge', operation: 'charge' }, /charge/],
	['an unknown resource', { resource: 'customers', operation: 'create' }, /customers/],
	[
		'a customer that does not exist',
		{ resource: 'customer', operation: 'get', customerId: byId('nobody') },
		/does not exist|Nothing found/,
	],
	['an email that is none', { resource: 'customer', operation: 'create', email: 'ada' }, /Email/],
	[
		'an ID without a locator',
		{ resource: 'customer', operation: 'get', customerId: '' },
		/Customer/,
	],
	[
		'an update of nothing',
		{ resource: 'customer', operation: 'update', customerId: byId('1') },
		/Update Fields/,
	],
	['a limit below its minimum', { resource: 'customer', operation: 'getAll', limit: -1 }, /Limit/],
	[
		'a subscription without a plan',
		{ resource: 'subscription', operation: 'create', customerId: byId('1') },
		/Plan/,
	],
];

test.each(wrong)('%s: the model reads what to change', async (_title, parameters, says) => {
	const text = await run(await build('platformCustomers', parameters));
	expect(text).toMatch(says);
	expect(text).toContain('"status":"error"');
});
