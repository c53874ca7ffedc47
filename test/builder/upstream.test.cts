// What belongs upstream (docs/contributing/upstream.md), each point reproduced in the n8n under test. A point that
// n8n has settled turns its test red: then it leaves the list.
import { generateWorkflowCode, parseWorkflowCode } from '@n8n/workflow-sdk';
import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import { builder, byId, codeOf, PACKAGE } from './builder.cts';
import { catalog, resolveBuiltinNodeDefinitionDirs, synthesizeNodeTypeDef } from './n8nModules.cts';

const building = builder('upstream', { sandbox: { customers: 5 } });

const CUSTOMERS = `${PACKAGE}.platformCustomers`;

const pick = (name: string, value: string, show?: object): INodeProperties => ({
	displayName: name,
	name,
	type: 'options',
	noDataExpression: true,
	default: value,
	options: [
		{
			name: value,
			value,
			description: `${Object.values(show ?? {})
				.flat()
				.join()} text`,
		},
	],
	...(show && { displayOptions: { show: show as never } }),
});

/** A community node with two resources that both have `create`; the options of the resource have no description. */
const twoResources: Partial<INodeTypeDescription> = {
	displayName: 'Example',
	name: 'n8n-nodes-example.example',
	group: ['transform'],
	version: 1,
	description: '',
	defaults: { name: 'Example' },
	inputs: ['main'],
	outputs: ['main'],
	properties: [
		{
			...pick('resource', 'order'),
			options: ['order', 'invoice'].map((value) => ({ name: value, value })),
		},
		pick('operation', 'create', { resource: ['order'] }),
		pick('operation', 'create', { resource: ['invoice'] }),
		{
			displayName: 'Customer',
			name: 'customer',
			type: 'resourceLocator',
			required: true,
			default: { mode: 'list', value: '' },
			modes: [{ displayName: 'By ID', name: 'id', type: 'string' }],
			displayOptions: { show: { resource: ['order'], operation: ['create'] } },
		},
	],
};

test('get_node_types gives the whole node, whatever resource and operation are asked for', async () => {
	const { ask } = building();
	const whole = await ask('get_node_types', { nodeIds: [{ nodeId: CUSTOMERS }] });
	const one = { nodeId: CUSTOMERS, resource: 'charge', operation: 'create' };
	expect(await ask('get_node_types', { nodeIds: [one] })).toBe(whole);
});

test('the comment above a type is the text of the first operation of that name', () => {
	const types = synthesizeNodeTypeDef(twoResources);
	expect(types.match(/\/\*\* order text \*\//g)).toHaveLength(2);
	expect(types).not.toContain('invoice text');
});

test('a required resource locator looks optional', () => {
	expect(synthesizeNodeTypeDef(twoResources)).toMatch(/^ +customer\?: /m);
});

test('Custom API Call has a type for each resource', async () => {
	const text = await building().ask('get_node_types', { nodeIds: [{ nodeId: CUSTOMERS }] });
	expect(text.match(/operation: '__CUSTOM_API_CALL__'/g)?.length).toBeGreaterThan(1);
});

test('wrong parameters of a community node are valid, and those that it does not have are dropped', async () => {
	const { answer, ask, build, credential, run, sandbox } = building();
	const parameters = { resource: 'charge', operation: 'no such operation' };
	const code = codeOf(
		[
			{ type: 'n8n-nodes-base.manualTrigger', kind: 'trigger' },
			{ type: 'platformCustomers', parameters },
		],
		credential,
	);
	expect(await answer('validate_workflow', { code })).toMatchObject({ valid: true });
	const nodes = [{ type: CUSTOMERS, typeVersion: 1, parameters }];
	expect(await answer('validate_node_config', { nodes })).toMatchObject({ valid: true });
	expect(
		await ask('validate_node_config', {
			nodes: [
				{ type: 'n8n-nodes-base.set', typeVersion: 3.4, parameters: { mode: 'no such mode' } },
			],
		}),
	).toContain('"valid": false');

	const id = await build({
		type: 'platformCustomers',
		parameters: {
			resource: 'customer',
			operation: 'create',
			email: 'dropped@example.com',
			additionalFields: { noSuchField: 'x' },
		},
	});
	sandbox.clearRequests();
	expect(await run(id)).toContain('"status":"success"');
	expect(sandbox.requests.map(({ body }) => body)).toEqual([
		{ customer: { email: 'dropped@example.com' } },
	]);
});

test('output schema previews reach neither the pinned data nor, but for our own hints, the types', async () => {
	const { answer, build } = building();
	const workflowId = await build({
		type: 'platformCustomers',
		parameters: { resource: 'customer', operation: 'getAll' },
	});
	const prepared = await answer<{ nodesWithoutSchema: string[] }>('prepare_workflow_pin_data', {
		workflowId,
	});
	expect(prepared.nodesWithoutSchema).toContain('Step 1');
});

test('a word in a name outweighs the same word as an alias', () => {
	const named = (name: string, displayName: string, alias: string[]) =>
		({ ...twoResources, name, displayName, codex: { alias } }) as INodeTypeDescription;
	const others = [1, 2, 3, 4, 5].map((n) => named(`a.node${n}`, `Customer ${n}`, []));
	const parser = new catalog.NodeTypeParser([...others, named('b.node', 'Other', ['customer'])]);
	expect(catalog.searchCodeBuilderNodes(parser, ['customer']).results).not.toContain('b.node');
});

test('the licensed AI builder knows no types of a community node', () => {
	const options = { nodeDefinitionDirs: resolveBuiltinNodeDefinitionDirs() };
	expect(catalog.getNodeTypes(['n8n-nodes-base.noOp'], options)).toContain('export ');
	expect(catalog.getNodeTypes([CUSTOMERS], options)).toMatch(/not found/i);
});

test('explore_node_resources knows no fields of a resource mapper', async () => {
	const { ask, credential } = building();
	const said = await ask('explore_node_resources', {
		nodeType: `${PACKAGE}.platformContentBox`,
		version: 1,
		methodName: 'contentFields',
		methodType: 'resourceMapping',
		credentialType: 'platformApi',
		credentialId: credential.id,
		currentNodeParameters: { typeId: byId('typ-article') },
	});
	expect(said).toMatch(/invalid/i);
});

test('a workflow as code loses what follows a Merge that only error outputs feed', () => {
	const node = (name: string, type: string, onError?: string) => ({
		id: name,
		name,
		type: `n8n-nodes-base.${type}`,
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
		...(onError && { onError }),
	});
	const to = (name: string, index = 0) => [{ node: name, type: 'main', index }];
	const workflow = {
		name: 'Errors',
		nodes: [
			node('Start', 'manualTrigger'),
			node('A', 'httpRequest', 'continueErrorOutput'),
			node('B', 'httpRequest', 'continueErrorOutput'),
			node('Merge', 'merge'),
			node('Last', 'noOp'),
		],
		connections: {
			Start: { main: [to('A')] },
			A: { main: [to('B'), to('Merge')] },
			B: { main: [[], to('Merge', 1)] },
			Merge: { main: [to('Last')] },
		},
	};
	const code = generateWorkflowCode(workflow as never);
	expect(
		parseWorkflowCode(code)
			.nodes.map(({ name }) => name)
			.sort(),
	).toEqual(['A', 'B', 'Merge', 'Start']);
});
