// Platform Tools in an n8n whose folder has a second copy of a library that n8n knows its tools by. Node.js takes that
// copy for the package, since it lies nearer than n8n's own. `npm install` by hand leaves such copies.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callTool, connectMcp } from '../n8n/mcp.cts';
import { agent, chatModel, LANGCHAIN, platform, trigger, type Part } from '../n8n/parts.cts';
import { LEAN } from '../n8n/setting.cts';
import { aiSetting } from '../e2e/aiSetting.cts';

const N8N_MODULES = join(__dirname, '../n8n/node_modules');

const form = { offer: 'chosen', operations: ['get_customer'] };

const toolkit = (name: string, to: string): Part => ({
	...platform(name, 'ApiTool', form),
	to: [to],
	as: 'ai_tool',
});

const ask = 'call get_customer {"customer_id": "cus-100001"}';

/** What has to be told of the argument of `get_customer`. */
const told = { type: 'object', properties: { customer_id: { type: 'string' } } };

/** An n8n with copies of these libraries beside its community packages. */
function n8nWith(libraries: string[]): ReturnType<typeof aiSetting> {
	const userFolder = mkdtempSync(join(tmpdir(), 'n8n-copies-'));
	for (const library of libraries) {
		const copy = join(userFolder, '.n8n/node_modules', library);
		cpSync(join(N8N_MODULES, library), copy, { recursive: true, dereference: true });
	}
	const ai = aiSetting(`copies of ${libraries.join()}`, { userFolder, env: LEAN });
	afterAll(() => rmSync(userFolder, { recursive: true, force: true }));
	return ai;
}

const agentOf = (version: number): Part[] => [
	trigger('Agent'),
	{ ...agent(ask), version },
	chatModel('Agent'),
];

describe('zod', () => {
	const ai = n8nWith(['zod']);

	test.each([2.2, 3.1])('AI Agent %d knows the arguments', async (version) => {
		const parts = [...agentOf(version), toolkit('Tools', 'Agent')];
		const execution = await ai().run(`Agent ${version}`, parts);
		expect(execution.status).toBe('success');
		expect(ai().model.requests.at(-1)?.tools).toMatchObject([{ function: { parameters: told } }]);
		expect(ai().model.toolResults().at(-1)).toContain('cus-100001');
	});

	test('a review shows a person the arguments', async () => {
		const review: Part = {
			name: 'Review',
			type: 'n8n-nodes-base.emailSendHitlTool',
			version: 2.1,
			parameters: { fromEmail: 'n8n@example.com', toEmail: 'ada@example.com', subject: 'Approve' },
			to: ['Agent'],
			as: 'ai_tool',
		};
		const parts = [...agentOf(3.1), review, toolkit('Tools', 'Review')];
		await ai().run('Review', parts);
		const [tool] = ai().model.requests.at(-1)?.tools ?? [];
		expect(tool.function.parameters?.properties).toMatchObject({ toolParameters: told });
	});

	test('an MCP client gets the tools', async () => {
		const { n8n, add } = ai();
		const mcp: Part = {
			name: 'MCP',
			type: `${LANGCHAIN}.mcpTrigger`,
			version: 2,
			parameters: { path: 'copies' },
		};
		const id = await add('MCP', [mcp, toolkit('Tools', 'MCP')]);
		await n8n.client.activate(id);
		const client = await connectMcp(n8n, 'copies');
		const { tools } = await client.listTools();
		expect(tools).toMatchObject([{ name: 'get_customer', inputSchema: told }]);
		const { text } = await callTool(client, 'get_customer', { customer_id: 'cus-100001' });
		expect(text).toContain('cus-100001');
		await client.close();
	});
});

describe('n8n-workflow', () => {
	const ai = n8nWith(['zod', 'n8n-workflow']);

	test('is refused with its cause', async () => {
		const execution = await ai().run('Agent', [...agentOf(3.1), toolkit('Tools', 'Agent')]);
		expect(execution.status).toBe('error');
		expect(JSON.stringify(execution.data.resultData.error)).toContain(
			'A second copy of n8n-workflow is installed',
		);
	});
});
