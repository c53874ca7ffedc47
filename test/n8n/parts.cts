// Workflows of the end-to-end tests, made of parts that name what they are connected to.
import type { IDataObject, INode, NodeParameterValueType } from 'n8n-workflow';
import { itemsOf, type Execution, type WorkflowJson } from './client.cts';

export const LANGCHAIN = '@n8n/n8n-nodes-langchain';
export const PLATFORM = 'n8n-nodes-platform-api';

export type Parameters = Record<string, NodeParameterValueType | object>;

/** A node and what it is connected to: by the names of the nodes that it feeds. */
export interface Part {
	name: string;
	type: string;
	version?: number;
	parameters?: Parameters;
	to?: string[];
	/** Output that feeds them, 0 by default. */
	output?: number;
	/** Kind of the connection, `main` by default. */
	as?: string;
	/** Its type; this n8n's credential of that type takes the place. */
	credential?: 'openAiApi' | 'platformApi' | 'smtp';
	/** Its tab Settings, such as Retry On Fail. */
	settings?: Partial<INode>;
}

export function workflowOf(name: string, parts: Part[]): WorkflowJson {
	return {
		name,
		settings: { executionOrder: 'v1' },
		nodes: parts.map(({ name: id, type, version = 1, parameters = {}, ...part }, index) => ({
			...part.settings,
			id,
			name: id,
			type,
			typeVersion: version,
			// What feeds a node from below stands a little to the left, clear of the buttons under that node.
			position: part.as === undefined ? [index * 200, 0] : [(index - 1) * 220, 240],
			parameters: parameters as INode['parameters'],
			credentials: part.credential && { [part.credential]: { id: '', name: '' } },
			// A webhook of a trigger, or of a wait, is found by it.
			webhookId: `${name}-${id}`.replace(/\W+/g, '-').toLowerCase(),
		})),
		connections: Object.fromEntries(
			parts
				.filter(({ to }) => to)
				.map(({ name: from, to = [], output = 0, as = 'main' }) => {
					const fed = to.map((node) => ({ node, type: as as 'main', index: 0 }));
					return [from, { [as]: [...Array<[]>(output).fill([]), fed] }];
				}),
		),
	};
}

/** A workflow of parts in a row, each of which feeds the next one. */
export const rowOf = (name: string, ...parts: Part[]): WorkflowJson =>
	workflowOf(
		name,
		parts.map((part, index) => ({ ...part, to: parts.slice(index + 1, index + 2).map(nameOf) })),
	);

const nameOf = ({ name }: Part) => name;

/** A node of the package, by its name without the prefix. */
export const platform = (name: string, node: string, parameters: Parameters = {}): Part => ({
	name,
	type: `${PLATFORM}.platform${node}`,
	parameters,
	credential: 'platformApi',
});

export const start: Part = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };

/** A workflow that another one calls begins with it. */
export const called: Part = {
	name: 'Called',
	type: 'n8n-nodes-base.executeWorkflowTrigger',
	version: 1.1,
	parameters: { inputSource: 'passthrough' },
};

export const calling = (id: string, waits = true): Part => ({
	name: 'Call',
	type: 'n8n-nodes-base.executeWorkflow',
	version: 1.2,
	parameters: { workflowId: byId(id), options: { waitForSubWorkflow: waits } },
});

/** n8n offers Retry after a cancel and a crash only for what such a trigger has started. */
export const webhook = (path: string, parameters: Parameters = {}): Part => ({
	name: 'Webhook',
	type: 'n8n-nodes-base.webhook',
	version: 2,
	parameters: { path, httpMethod: 'GET', ...parameters },
});

export const done: Part = { name: 'Done', type: 'n8n-nodes-base.noOp' };

export const byId = (value: string) => ({ __rl: true, mode: 'id', value });

export const trigger = (to: string): Part => ({ ...start, to: [to] });

/** A trigger of the package, and a node that keeps what it gives. */
export const triggered = (name: string, node: string, parameters: Parameters): WorkflowJson =>
	rowOf(name, platform('Trigger', node, parameters), done);

/** What the trigger gave an execution. */
export const given = (execution: Execution): IDataObject[] =>
	itemsOf(execution, 'Done').map(({ json }) => json);

export const chatModel = (...to: string[]): Part => ({
	name: 'Chat Model',
	type: `${LANGCHAIN}.lmChatOpenAi`,
	credential: 'openAiApi',
	version: 1.2,
	parameters: { model: byId('test-model') },
	to,
	as: 'ai_languageModel',
});

export const agent = (text: string, options: object = {}): Part => ({
	name: 'Agent',
	type: `${LANGCHAIN}.agent`,
	version: 3.1,
	parameters: { promptType: 'define', text, options },
});

/** An agent that is a tool of another one. The model says what it's to do. */
export const helperAgent: Part = {
	name: 'Helper',
	type: `${LANGCHAIN}.agentTool`,
	version: 3,
	parameters: {
		toolDescription: 'Helps',
		text: "={{ $fromAI('task', 'What to do', 'string') }}",
	},
	to: ['Agent'],
	as: 'ai_tool',
};

/** A knowledge base of the sandbox as a tool of an agent. */
export const knowledgeTool = (to: string, parameters: Parameters = {}): Part => ({
	...platform('Search Knowledge Base', 'KnowledgeBaseTool', {
		knowledgeBaseId: byId('akb-1'),
		...parameters,
	}),
	to: [to],
	as: 'ai_tool',
});
