// A model at n8n's own MCP server: what its tools say, and workflows that are built and run with them.
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { callTool, connectToBuilder } from '../n8n/mcp.cts';
import { setting, type Setting, type SettingOptions } from '../n8n/setting.cts';

export const PACKAGE = 'n8n-nodes-platform-api';

/** A node of a workflow as a model writes it; its type without the package is one of ours. */
export interface Step {
	type: string;
	version?: number;
	parameters?: object;
	kind?: 'node' | 'trigger';
}

/** What a workflow from code is called. */
export interface Built {
	workflowId: string;
	name: string;
}

/** What n8n found for a picker. */
interface Explored {
	results: Array<{ name: string; value: string }>;
}

export interface Builder extends Setting {
	/** What a tool of the server says; its errors, too. */
	ask(tool: string, args: object): Promise<string>;
	/** The same as data. */
	answer<T>(tool: string, args: object): Promise<T>;
	/** What a model sees of a picker of a node, with these values in the form and this text typed. */
	explore(node: string, methodName: string, given?: object, filter?: string): Promise<Explored>;
	/** Builds a workflow of steps in a row, after a manual trigger, as a model does: validates its code, then creates it. */
	build(...steps: Step[]): Promise<string>;
	/** Runs a workflow and gives back what a model reads of the execution. */
	run(workflowId: string): Promise<string>;
}

export const byId = (value: string) => ({ __rl: true, mode: 'id', value });

const START: Step = { type: 'n8n-nodes-base.manualTrigger', kind: 'trigger' };

/** Code of a workflow of steps in a row, named Step 1, Step 2, ... */
function codeOf(steps: Step[], credential: { id: string; name: string }): string {
	const own = { credentials: { platformApi: { id: credential.id, name: credential.name } } };
	const nodes = steps.map(({ type, version = 1, parameters = {}, kind = 'node' }, index) => {
		const isOwn = !type.includes('.');
		const config = { name: `Step ${index}`, parameters, ...(isOwn && own) };
		const full = isOwn ? `${PACKAGE}.${type}` : type;
		return `const step${index} = ${kind}(${JSON.stringify({ type: full, version, config })});`;
	});
	const chain = steps.map((_step, index) => `.${index === 0 ? 'add' : 'to'}(step${index})`);
	return [
		"import { workflow, node, trigger } from '@n8n/workflow-sdk';",
		...nodes,
		`export default workflow('built', 'Built')${chain.join('')};`,
	].join('\n');
}

/**
 * The n8n for all files of the suite, a sandbox for the tests of this one, and a model at the MCP server.
 * @param of tells the credential of this file from those of others
 */
export function builder(of: string, options: SettingOptions = {}): () => Builder {
	const running = setting({ credentialName: `Platform API of ${of}`, ...options });
	let client: Client;

	beforeAll(async () => {
		client = await connectToBuilder(running().n8n);
	});

	afterAll(async () => {
		await client?.close();
	});

	const ask = async (name: string, args: object): Promise<string> =>
		(await callTool(client, name, args as Record<string, unknown>)).text;
	const answer = async <T,>(name: string, args: object): Promise<T> => {
		const text = await ask(name, args);
		if (!text.startsWith('{')) throw new Error(`${name}: ${text}`);
		return JSON.parse(text) as T;
	};

	return () => ({
		...running(),
		ask,
		answer,
		explore: async (node, methodName, given = {}, filter = '') =>
			await answer('explore_node_resources', {
				nodeType: `${PACKAGE}.${node}`,
				version: 1,
				methodName,
				methodType: 'listSearch',
				credentialType: 'platformApi',
				credentialId: running().credential.id,
				currentNodeParameters: given,
				filter,
			}),
		build: async (...steps) => {
			const all = steps[0]?.kind === 'trigger' ? steps : [START, ...steps];
			const code = codeOf(all, running().credential);
			expect(await answer('validate_workflow', { code })).toMatchObject({ valid: true });
			const args = { code, versionName: 'First' };
			const { workflowId } = await answer<Built>('create_workflow_from_code', args);
			return workflowId;
		},
		run: async (workflowId) => {
			const started = await answer<{ executionId: string }>('execute_workflow', {
				workflowId,
				executionMode: 'manual',
			});
			const { executionId } = started;
			await running().n8n.client.waitForExecution(executionId);
			const args = { workflowId, executionId, includeData: true };
			return await ask('get_workflow_execution', args);
		},
	});
}
