// What agents and other programs do with the Platform in a real n8n: the knowledge base as a tool, in an
// agent, in an agent within an agent and over MCP, and tool calls that a person approves.
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { openEditor } from '../n8n/browser.cts';
import { itemsOf, type Execution } from '../n8n/client.cts';
import { aiSetting, type AiSetting } from './aiSetting.cts';
import { startMailServer, type MailServer } from '../n8n/mailServer.cts';
import { callTool, connectMcp } from '../n8n/mcp.cts';
import {
	agent,
	byId,
	chatModel,
	knowledgeTool,
	LANGCHAIN,
	PLATFORM,
	trigger,
	type Parameters,
	type Part,
} from '../n8n/parts.cts';
import { answerReview } from './review.cts';

const ai = aiSetting('agents');
let { n8n, sandbox, model, add, run, results } = {} as AiSetting;
let mailServer: MailServer;

beforeAll(async () => {
	({ n8n, sandbox, model, add, run, results } = ai());
	mailServer = await startMailServer();
	const { credential } = mailServer;
	ai().credentials.push(await n8n.client.createCredential('smtp', 'SMTP of agents', credential));
});

afterAll(async () => {
	await mailServer?.close();
});

beforeEach(() => {
	mailServer.mails.length = 0;
});

const customerTool = (name: string, to: string, parameters: Parameters): Part => ({
	name,
	type: `${PLATFORM}.platformCustomersTool`,
	credential: 'platformApi',
	parameters,
	to: [to],
	as: 'ai_tool',
});

const getCustomer = (to: string) =>
	customerTool('Get Customer', to, {
		resource: 'customer',
		operation: 'get',
		customerId: byId("={{ $fromAI('customer_id', 'ID of the customer', 'string') }}"),
	});

const createCustomer = (to: string) =>
	customerTool('Create Customer', to, {
		resource: 'customer',
		operation: 'create',
		email: "={{ $fromAI('email', 'Email address', 'string') }}",
	});

describe('Platform Knowledge Base Tool', () => {
	const question = 'How do I reset my password?';
	const ask = `call Search_Knowledge_Base ${JSON.stringify({ question })}`;

	test('answers an agent with passages and sources', async () => {
		const execution = await run('Agent', [
			trigger('Agent'),
			agent(ask),
			chatModel('Agent'),
			knowledgeTool('Agent'),
		]);
		expect(execution.status).toBe('success');
		expect(results()).toEqual([
			[{ response: expect.stringContaining('Source: Reset your password, page 8') }],
		]);
		const [described] = (model.requests.at(-1)?.tools ?? []).map(({ function: each }) => each);
		expect(described).toMatchObject({
			name: 'Search_Knowledge_Base',
			description: expect.stringMatching(/^Search a knowledge base/),
			parameters: { type: 'object', properties: { question: { type: 'string' } } },
		});
	});

	test('answers an agent within an agent', async () => {
		const execution = await run('Agents', [
			trigger('Agent'),
			agent(`call Helper ${JSON.stringify({ task: ask })}`),
			chatModel('Agent', 'Helper'),
			{
				name: 'Helper',
				type: `${LANGCHAIN}.agentTool`,
				version: 3,
				parameters: {
					toolDescription: 'Helps',
					text: "={{ $fromAI('task', 'What to do', 'string') }}",
				},
				to: ['Agent'],
				as: 'ai_tool',
			},
			knowledgeTool('Helper'),
		]);
		expect(execution.status).toBe('success');
		expect(JSON.stringify(itemsOf(execution, 'Agent')[0].json)).toContain(
			'Source: Reset your password, page 8',
		);
	});

	test('gives an error that the model can act on', async () => {
		const execution = await run('Agent', [
			trigger('Agent'),
			agent(ask),
			chatModel('Agent'),
			knowledgeTool('Agent', { knowledgeBaseId: byId('akb-6') }),
		]);
		expect(execution.status).toBe('success');
		expect(results()).toEqual([
			[{ error: expect.stringMatching(/^Knowledge base is not ready \(HTTP 409\)/) }],
		]);
	});
});

describe('MCP Server Trigger', () => {
	let client: Client;

	const call = async (name: string, args: Record<string, unknown>) =>
		await callTool(client, name, args);

	beforeAll(async () => {
		const server: Part = {
			name: 'Platform',
			type: `${LANGCHAIN}.mcpTrigger`,
			version: 2,
			parameters: { path: 'agents-tools' },
		};
		const id = await add('MCP', [
			server,
			getCustomer('Platform'),
			createCustomer('Platform'),
			knowledgeTool('Platform'),
		]);
		await n8n.client.activate(id);
		client = await connectMcp(n8n, 'agents-tools');
	});

	afterAll(async () => {
		await client?.close();
	});

	test('lists the tools with what they take', async () => {
		const { tools } = await client.listTools();
		expect(tools.map(({ name }) => name).sort()).toEqual([
			'Create_Customer',
			'Get_Customer',
			'Search_Knowledge_Base',
		]);
		const search = tools.find(({ name }) => name === 'Search_Knowledge_Base');
		expect(search?.inputSchema).toMatchObject({
			type: 'object',
			properties: { question: { type: 'string' } },
			required: ['question'],
		});
	});

	test('reads, creates and searches', async () => {
		const [{ id, email }] = sandbox.state.customers.customers.rows;
		const read = await call('Get_Customer', { customer_id: String(id) });
		expect(read.isError).toBe(false);
		expect(JSON.parse(read.text)).toEqual([expect.objectContaining({ id, email })]);

		await call('Create_Customer', { email: 'mcp@example.com' });
		expect(sandbox.state.customers.customers.findBy('email', 'mcp@example.com')).toBeDefined();

		const found = await call('Search_Knowledge_Base', { question: 'How do I reset my password?' });
		expect(found).toEqual({
			isError: false,
			text: expect.stringContaining('Source: Reset your password, page 8'),
		});
	});

	test('gives errors that the client can act on', async () => {
		expect(await call('Get_Customer', { customer_id: 'no-such-customer' })).toEqual({
			isError: true,
			text: expect.stringContaining(
				'Nothing found for "no-such-customer". Check the Customer field.',
			),
		});
		expect(await call('Search_Knowledge_Base', { question: '' })).toEqual({
			isError: true,
			text: expect.stringContaining('"Question" must not be empty'),
		});
	});
});

describe('human review of tool calls', () => {
	const [look, charge] = [
		(id: string) => `call Get_Customer ${JSON.stringify({ customer_id: id })}`,
		(id: string) =>
			`call Charge_Customer ${JSON.stringify({ toolParameters: { customer_id: id, service: 'Setup', amount: 5 } })}`,
	];

	const chargeCustomer = customerTool('Charge Customer', 'Approval', {
		resource: 'charge',
		operation: 'create',
		customerId: byId("={{ $fromAI('customer_id', 'ID of the customer', 'string') }}"),
		services: {
			service: [
				{
					name: "={{ $fromAI('service', 'What is charged for', 'string') }}",
					amount: "={{ $fromAI('amount', 'Price of the service', 'number') }}",
				},
			],
		},
	});

	const approval: Part = {
		name: 'Approval',
		type: 'n8n-nodes-base.emailSendHitlTool',
		version: 2.1,
		credential: 'smtp',
		parameters: {
			fromEmail: 'n8n@example.com',
			toEmail: 'manager@example.com',
			subject: 'Please approve',
			approvalOptions: { values: { approvalType: 'double' } },
		},
		to: ['Agent'],
		as: 'ai_tool',
	};

	const charges = () =>
		sandbox.requests.filter(({ method, path }) => method === 'POST' && path.includes('/charges'));

	/** Runs the agent until it asks, answers with one of the two links, and waits for the end. */
	async function review(approved: boolean): Promise<Execution> {
		const [{ id: customer }] = sandbox.state.customers.customers.rows;
		const id = await add('Review', [
			trigger('Agent'),
			agent([look(String(customer)), charge(String(customer))].join('\n')),
			chatModel('Agent'),
			getCustomer('Agent'),
			approval,
			chargeCustomer,
		]);
		const executionId = await n8n.client.startWorkflow(id);
		await answerReview(n8n, mailServer, approved, () => expect(charges()).toEqual([]));
		return await n8n.client.waitForExecution(executionId);
	}

	test('an approved charge is made once', async () => {
		const execution = await review(true);
		expect(execution.status).toBe('success');
		expect(charges()).toHaveLength(1);
		expect(JSON.stringify(charges()[0].body)).toMatch(/"amount":5/);
	});

	test('a refused charge is not made', async () => {
		const execution = await review(false);
		expect(execution.status).toBe('success');
		expect(charges()).toEqual([]);
	});
});

test('the picture of an agent with sources', async () => {
	const question = 'For how long is the link to reset a password valid?';
	const id = await add('Agent with sources', [
		trigger('Agent'),
		agent(`call Search_Knowledge_Base ${JSON.stringify({ question })}`),
		chatModel('Agent'),
		knowledgeTool('Agent', { passages: 1 }),
	]);
	const editor = await openEditor(n8n);
	await editor.openWorkflow(id);
	const execution = await editor.executeWorkflow();
	expect(execution.status).toBe('success');
	expect(String(itemsOf(execution, 'Agent')[0].json.output)).toContain('page 8');
	await editor.picture('agent-with-sources');
	await editor.openNode('Search Knowledge Base');
	await editor.picture('form-knowledge-base-tool');
	await editor.close();
});
