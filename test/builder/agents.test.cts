// n8n's own Agents, which stand outside of workflows: a charge that a person approves, and the knowledge base.
// They are built and called as a model does it, by n8n's MCP server; the approval is given there and in the editor.
import { startChatModel, type ChatModel } from '../n8n/chatModel.cts';
import { openEditor, pictured } from '../n8n/browser.cts';
import { until } from '../n8n/until.cts';
import { builder, byId, PACKAGE } from './builder.cts';

const building = builder('agents', { sandbox: { customers: 5 } });

let model: ChatModel;
let modelCredential: string;
let projectId: string;

beforeAll(async () => {
	model = await startChatModel();
	const { client } = building().n8n;
	const data = { apiKey: 'none', url: model.url };
	({ id: modelCredential } = await client.createCredential('openAiApi', 'Model of Agents', data));
	({ id: projectId } = await client.rest<{ id: string }>('GET', '/projects/personal'));
});

afterAll(async () => {
	await model?.close();
});

beforeEach(() => {
	model.script = '';
	building().sandbox.clearRequests();
});

const fromAi = (name: string, description: string, type = 'string') =>
	`={{ $fromAI('${name}', '${description}', '${type}') }}`;

/** A node as a tool of an Agent. */
function tool(name: string, type: string, nodeParameters: object, more: object = {}) {
	const { credential } = building();
	const credentials = { platformApi: { id: credential.id, name: credential.name } };
	const node = { nodeType: `${PACKAGE}.${type}`, nodeTypeVersion: 1, nodeParameters, credentials };
	return { type: 'node', name, node, ...more };
}

const chargeCustomer = () =>
	tool(
		'Charge Customer',
		'platformCustomersTool',
		{
			resource: 'charge',
			operation: 'create',
			customerId: byId(fromAi('customer_id', 'ID of the customer')),
			services: {
				service: [
					{
						name: fromAi('service', 'What is charged for'),
						amount: fromAi('amount', 'Price of the service', 'number'),
					},
				],
			},
		},
		{ description: 'Charge a customer', requireApproval: true },
	);

/** An Agent with these tools, valid as n8n sees it. */
async function agentWith(name: string, ...tools: object[]): Promise<string> {
	const { answer } = building();
	const config = {
		model: 'openai/test-model',
		credential: modelCredential,
		instructions: 'Help with billing.',
		tools,
	};
	const args = { projectId, name, config };
	const { agent } = await answer<{ agent: { id: string } }>('create_agent', args);
	expect(await answer('validate_agent', { agentId: agent.id })).toMatchObject({ valid: true });
	return agent.id;
}

interface Answer {
	status: string;
	response: string;
	approvals?: Array<{ continuation: object }>;
}

const call = async (agentId: string, request: object) =>
	await building().answer<Answer>('call_agent', { agentId, request });

/** Has the model of an Agent call its only tool: what came of it, and what the model was told of the tool. */
async function callTool(name: string, used: { name: string }, args: object) {
	const agentId = await agentWith(name, used);
	const toolName = used.name.replace(' ', '_');
	const message = `call ${toolName} ${JSON.stringify(args)}`;
	const answered = await call(agentId, { type: 'message', message });
	const tools = model.requests.at(-1)?.tools?.map(({ function: each }) => each);
	return { ...answered, told: tools?.find((each) => each.name === toolName) };
}

const charges = () =>
	building().sandbox.requests.filter(
		({ method, path }) => method === 'POST' && path.includes('/charges'),
	);

/** What the model is told to do: to charge the first customer. */
function ask(amount = 5): string {
	const [{ id }] = building().sandbox.state.customers.customers.rows;
	const args = { customer_id: String(id), service: 'Setup', amount };
	return `call Charge_Customer ${JSON.stringify(args)}`;
}

describe('a charge by an Agent', () => {
	test.each([
		['is made once when it is approved', true, 1],
		['is not made when it is refused', false, 0],
	])('%s', async (_title, approved, count) => {
		const agentId = await agentWith(`Approve ${approved}`, chargeCustomer());
		const asked = await call(agentId, { type: 'message', message: ask() });
		expect(asked.status).toBe('suspended');
		expect(charges()).toEqual([]);
		const [{ continuation }] = asked.approvals ?? [];
		const answered = await call(agentId, { type: 'approval', approved, continuation });
		expect(answered.status).toBe('completed');
		expect(charges()).toHaveLength(count);
	});

	pictured('shows in the editor what is to be approved', async () => {
		const { n8n } = building();
		const agentId = await agentWith('Billing', chargeCustomer());
		const editor = await openEditor(n8n);
		const { page } = editor;
		await editor.visit(`/projects/${projectId}/agents/${agentId}`);
		const dock = page.locator('[data-testid="agent-preview-dock"]');
		await page.getByRole('button', { name: 'Preview' }).last().click();
		model.script = ask();
		await dock.locator('textarea').fill('Charge the first customer 5 for the setup.');
		await page.keyboard.press('Enter');
		const card = dock.locator('[data-testid="agent-approval-card"]');
		await card.waitFor();
		// The end of the stream draws the card again, and closes it.
		await until('what is to be approved', async () => {
			if (/Charge Customer[^]*"amount": 5/.test(await card.innerText())) return true;
			await card.locator('summary').click();
			return false;
		});
		expect(charges()).toEqual([]);
		await editor.picture('agent-approval');
		await card.locator('[data-testid="agent-approval-approve"]').click();
		await until('the charge', () => charges().length > 0);
		await editor.close();
		expect(charges()).toHaveLength(1);
	});
});

// Each call is a node of its own, so what counts over calls can't hold.
describe('Safety Limits of a charge', () => {
	const limited = async (name: string, safetyLimits: object, amount: number) => {
		const { node, ...rest } = chargeCustomer();
		const nodeParameters = { ...node.nodeParameters, safetyLimits };
		const agentId = await agentWith(name, {
			...rest,
			node: { ...node, nodeParameters },
			requireApproval: false,
		});
		return (await call(agentId, { type: 'message', message: ask(amount) })).response;
	};

	test('Max Total is refused, since it can hold nowhere', async () => {
		const response = await limited('Total', { maxTotal: 12 }, 5);
		expect(response).toContain('Safety Limits: Max Total');
		expect(response).toContain("can't hold here");
		expect(charges()).toEqual([]);
	});

	test('Max Amount holds', async () => {
		expect(await limited('Over', { maxAmount: 5 }, 6)).toContain('Max Amount is 5.00');
		expect(charges()).toEqual([]);
		await limited('Within', { maxAmount: 5 }, 5);
		expect(charges()).toHaveLength(1);
	});
});

test('Platform Knowledge Base Tool asks the model of an Agent for a question, and answers it', async () => {
	const description = 'Search the handbook';
	const question = fromAi('question', 'The question to search for, as a full sentence');
	const form = { knowledgeBaseId: byId('akb-1'), question };
	const handbook = tool('Search Handbook', 'platformKnowledgeBaseTool', form, { description });
	const args = { question: 'How do I reset my password?' };
	const { status, response, told } = await callTool('Handbook', handbook, args);
	expect({ status, response }).toEqual({
		status: 'completed',
		response: expect.stringContaining('Source: Reset your password, page 8'),
	});
	expect(told).toMatchObject({
		description,
		parameters: { properties: { question: { type: 'string' } }, required: ['question'] },
	});
});

// They take no toolkit, so they get one tool that calls the others.
describe('Platform Tools', () => {
	async function use(name: string, form: object, named: string, args: object) {
		const description = 'Use the Platform';
		const tools = tool('Platform Tools', 'platformApiTool', form, { description });
		return await callTool(name, tools, { tool: named, arguments: args });
	}

	test("says what it calls, refuses a charge under a rule that can't hold, and makes it without", async () => {
		const [{ id }] = building().sandbox.state.customers.customers.rows;
		const form = { offer: 'chosen', operations: ['create_charge', 'get_customer'] };
		const charge = { customer_id: String(id), services: [{ name: 'Setup', amount: 5 }] };
		const refused = await use('Once', form, 'create_charge', charge);
		expect(refused.response).toContain("can't hold in n8n's own Agents");
		expect(charges()).toEqual([]);
		const says = 'get_customer(customer_id): Return the customer that has this ID';
		expect(refused.told?.parameters?.properties).toMatchObject({
			tool: { description: expect.stringContaining(says) },
			arguments: {},
		});
		expect(JSON.stringify(refused.told).split(says)).toHaveLength(2);
		await use('Free', { ...form, onceOnly: false }, 'create_charge', charge);
		expect(charges()).toHaveLength(1);
	});
});
