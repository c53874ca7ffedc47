// A charge node as a tool in a real n8n: its Safety Limits behind the MCP Server Trigger, and fields that can't be right
// for the item that an agent works on.
import { callTool, connectMcp } from '../n8n/mcp.cts';
import {
	agent,
	byId,
	chatModel,
	LANGCHAIN,
	platform,
	trigger,
	type Parameters,
	type Part,
} from '../n8n/parts.cts';
import { aiSetting } from './aiSetting.cts';

const ai = aiSetting('chargeTool');

const chargeTool = (to: string, customer: string, parameters: Parameters = {}): Part => ({
	...platform('Charge', 'CustomersTool', {
		resource: 'charge',
		operation: 'create',
		customerId: byId(customer),
		services: {
			service: [{ name: 'Setup', amount: "={{ $fromAI('amount', 'Price', 'number') }}" }],
		},
		...parameters,
	}),
	to: [to],
	as: 'ai_tool',
});

/** Customers that were charged. */
const charged = () =>
	ai()
		.sandbox.requests.filter(
			({ method, path }) => method === 'POST' && path.endsWith('/charges.json'),
		)
		.map(({ path }) => path.split('/').at(-2));

test('behind the MCP Server Trigger each execution has limits of its own', async () => {
	const { n8n, add } = ai();
	const path = 'charges';
	const mcp: Part = {
		name: 'MCP',
		type: `${LANGCHAIN}.mcpTrigger`,
		version: 2,
		parameters: { path },
	};
	const limited = chargeTool('MCP', 'cus-100001', { safetyLimits: { maxItems: 1, maxTotal: 100 } });
	const id = await add('Charges', [mcp, limited]);
	await n8n.client.activate(id);
	for (let session = 0; session < 2; session++) {
		const client = await connectMcp(n8n, path);
		for (const amount of [40, 41, 42]) {
			const { text } = await callTool(client, 'Charge', { amount });
			expect(text).toContain('"id"');
		}
		const { text } = await callTool(client, 'Charge', { amount: 120 });
		expect(text).toContain('This item has 120.00 in total, Max Total is 100.00');
		await client.close();
	}
	expect(charged()).toHaveLength(6);
	await n8n.client.deactivate(id);
});

const customers = ['cus-100001', 'cus-100002', 'cus-100003'];

/** An agent that charges once for each of three orders. */
const chargeOrders = async (version: number, tool: Part) =>
	await ai().run(`Orders ${version}`, [
		trigger('Orders'),
		{
			name: 'Orders',
			type: 'n8n-nodes-base.code',
			version: 2,
			parameters: {
				jsCode: `return ${JSON.stringify(customers)}.map((customer) => ({ json: { customer } }));`,
			},
			to: ['Agent'],
		},
		{ ...agent('call Charge {"amount": 5}'), version },
		chatModel('Agent'),
		tool,
	]);

const OF_ORDER = "={{ $('Orders').item.json.customer }}";

describe.each([
	[2.2, 'must be the same for all input items'],
	[3.1, 'takes its value from the item of "Orders", which is the first one'],
])('AI Agent %d over three orders', (version, refusal) => {
	test.each([
		['customer', chargeTool('Agent', OF_ORDER)],
		['key', chargeTool('Agent', 'cus-100001', { idempotencyKey: OF_ORDER })],
	])('sends nothing where the %s is that of another item', async (_field, tool) => {
		const { data } = await chargeOrders(version, tool);
		const plain = (text: string) => text.replaceAll(/\\+"/g, '"');
		const runs = data.resultData.runData.Charge.map((run) => plain(JSON.stringify(run)));
		expect(runs).toEqual(customers.map(() => expect.stringContaining(refusal)));
		expect(ai().model.toolResults().map(plain)).toEqual([expect.stringContaining(refusal)]);
		expect(charged()).toEqual([]);
	});
});

test('AI Agent 3.1 charges the customer of each order by $json', async () => {
	const execution = await chargeOrders(3.1, chargeTool('Agent', '={{ $json.customer }}'));
	expect(execution.status).toBe('success');
	expect(charged().sort()).toEqual(customers);
});
