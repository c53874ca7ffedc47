// Action nodes as tools of an agent, as n8n hands them to a node that calls its tools itself: each
// becomes a tool whose calls n8n runs, and tries again where the node says so.
import { SupplyDataContext, WebhookContext } from 'n8n-core';
import {
	createRunExecutionData,
	NodeConnectionTypes,
	type EngineRequest,
	type IConnections,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INode,
	type INodeParameters,
	type INodeType,
	type IRun,
	type IWebhookData,
	type IWorkflowExecuteAdditionalData,
	type Workflow,
} from 'n8n-workflow';
import { asTool } from '../../table/tools.cts';
import { ownNode, runWorkflow, sourceOf, type WorkflowRun } from './host.cts';
import { packageNodes } from './package.cts';
import { additionalDataOf, nodeOf, workflowOf } from './workflow.cts';

/** A tool as n8n supplies it. */
export interface Tool {
	name: string;
	description: string;
	/** What the model fills in, with its descriptions. */
	schema: {
		shape: Record<string, { description?: string }>;
		/** Leaves out what isn't in the schema. */
		parse(given: unknown): Record<string, unknown>;
	};
	invoke(args: Record<string, unknown>): Promise<string>;
}

/** Whether a node is a tool by itself. */
const isTool = (name: string) =>
	[packageNodes()[name].description.outputs].flat().includes(NodeConnectionTypes.AiTool);

/** What n8n calls the type of a node that is connected as a tool. */
const typeNameOf = (name: string) => (isTool(name) ? name : `${name}Tool`);

/** A node type of the package in the form of a tool, as n8n makes it of every action node. */
function toolType(name: string): INodeType {
	const type = packageNodes()[name];
	if (isTool(name)) return type;
	return Object.create(type, { description: { value: asTool(type.description) } }) as INodeType;
}

/** Settings of a node that n8n runs again when it fails. */
export const retryOnFail: Partial<INode> = {
	retryOnFail: true,
	maxTries: 3,
	waitBetweenTries: 1,
};

/** A tool to be connected: a node of the package and what its form holds. */
export interface ToolNode {
	/** Name of the node type without the package, such as `platformCustomers`. */
	node: string;
	parameters: INodeParameters;
	settings?: Partial<INode>;
}

/** The same node as n8n runs it for a request, such as one to the MCP Server Trigger. */
function webhookOf(context: IExecuteFunctions): WebhookContext {
	const { workflow, additionalData } = context as unknown as {
		workflow: Workflow;
		additionalData: IWorkflowExecuteAdditionalData;
	};
	const webhookData = {} as IWebhookData;
	const run = createRunExecutionData();
	return new WebhookContext(
		workflow,
		context.getNode(),
		{ ...additionalData, executionId: undefined },
		'webhook',
		webhookData,
		[],
		run,
	);
}

/** A call of a tool that an agent leaves to n8n's engine, as AI Agent 3 does. */
export interface EngineCall {
	/** Name of the tool's node: `Tool 1`, `Tool 2`, ... */
	node: string;
	/** Arguments of the model. n8n writes them over the item. */
	input: IDataObject;
	/** Item of the agent that it works on. */
	itemIndex?: number;
}

/** Has the engine run tools, all calls of a step at once, and ends. */
const engineAgent = (steps: EngineCall[][]): INodeType => {
	let step = 0;
	return ownNode(
		'agent',
		async function () {
			const calls = steps[step++];
			if (!calls) return await Promise.resolve([[]]);
			const actions = calls.map(({ node: nodeName, input, itemIndex = 0 }, index) => ({
				actionType: 'ExecutionNodeAction' as const,
				nodeName,
				input: input as EngineRequest['actions'][number]['input'],
				type: NodeConnectionTypes.AiTool,
				id: `call_${step}_${index}`,
				metadata: { itemIndex },
			}));
			const request: EngineRequest = { actions, metadata: {} };
			return request as unknown as INodeExecutionData[][];
		},
		[NodeConnectionTypes.Main, { type: NodeConnectionTypes.AiTool }],
	);
};

/** Hands tools to `use`, as an agent has them that calls its tools itself, or the MCP Server Trigger. */
const agent = (use: (tools: Record<string, Tool>) => Promise<unknown>, isWebhook: boolean) =>
	ownNode(
		'agent',
		async function () {
			const context = isWebhook ? webhookOf(this) : this;
			const tools = await context.getInputConnectionData(NodeConnectionTypes.AiTool, 0);
			// A toolkit is an array of tools.
			const all = (tools as Array<Tool | Tool[]>).flat();
			await use(Object.fromEntries(all.map((tool) => [tool.name, tool])));
			return [[]];
		},
		[NodeConnectionTypes.Main, { type: NodeConnectionTypes.AiTool }],
	);

/** An agent with tools, which it knows as `Tool_1`, `Tool_2`, in their order. */
function workflowWith(tools: ToolNode[], items: IDataObject[], agentType: INodeType) {
	const common = { typeVersion: 1, parameters: {} };
	const nodes: INode[] = [
		{ ...common, id: 'source', name: 'Source', type: 'source', position: [-200, 0] },
		{ ...common, id: '0', name: 'Agent', type: 'agent', position: [0, 0] },
		...tools.map(({ node, parameters, settings }, index) =>
			nodeOf(typeNameOf(node), parameters, {
				id: String(index + 1),
				name: `Tool ${index + 1}`,
				position: [0, 200 * (index + 1)],
				...settings,
			}),
		),
	];
	const connections: IConnections = Object.fromEntries(
		tools.map((_tool, index) => [
			`Tool ${index + 1}`,
			{
				[NodeConnectionTypes.AiTool]: [
					[{ node: 'Agent', type: NodeConnectionTypes.AiTool, index: 0 }],
				],
			},
		]),
	);
	connections.Source = { main: [[{ node: 'Agent', type: NodeConnectionTypes.Main, index: 0 }]] };
	const source = sourceOf(items.map((json, item) => ({ json, pairedItem: { item } })));
	const types = Object.fromEntries(tools.map(({ node }) => [typeNameOf(node), toolType(node)]));
	return { nodes, connections, types: { ...types, source, agent: agentType }, start: 'Source' };
}

/**
 * Runs an agent that calls its tools itself.
 * @throws what `use` throws
 */
export async function useTools(
	tools: ToolNode[],
	credential: ICredentialDataDecryptedObject,
	use: (tools: Record<string, Tool>) => Promise<unknown>,
	{
		items = [{}],
		isWebhook = false,
		ended,
		...options
	}: Pick<WorkflowRun, 'aiEvent' | 'cancelAfter' | 'retryOf'> & {
		/** JSON of the input items of the agent. */
		items?: IDataObject[];
		/** Whether the tools are called for a request. */
		isWebhook?: boolean;
		/** Is handed the execution. */
		ended?: (run: IRun) => void;
	} = {},
): Promise<void> {
	const workflow = workflowWith(tools, items, agent(use, isWebhook));
	const run = await runWorkflow({ ...workflow, credential, ...options });
	ended?.(run);
	const { error } = run.data.resultData;
	if (error) throw error;
}

/** The result of a call: its items, or the message of its error. */
export type EngineResult = IDataObject[] | string;

/**
 * Has n8n's engine run tools, as AI Agent 3 does.
 * @param steps calls that the agent asks for at once
 * @returns the results by tool, in the order of their runs
 */
export async function runTools(
	tools: ToolNode[],
	credential: ICredentialDataDecryptedObject,
	steps: EngineCall[][],
	{
		items = [{}],
		ended,
		...options
	}: Pick<WorkflowRun, 'cancelAfter' | 'retryOf' | 'timezone'> & {
		items?: IDataObject[];
		/** Is handed the execution, which can be retried. */
		ended?: (run: IRun) => void;
	} = {},
): Promise<EngineResult[][]> {
	const workflow = workflowWith(tools, items, engineAgent(steps));
	const run = await runWorkflow({ ...workflow, credential, ...options });
	ended?.(run);
	const { runData } = run.data.resultData;
	return tools.map((_tool, index) =>
		(runData[`Tool ${index + 1}`] ?? []).map(({ error, data }) =>
			error ? error.message : (data?.ai_tool?.[0] ?? []).map(({ json }) => json),
		),
	);
}

/**
 * A tool as n8n's own Agents open it: alone, in a workflow without an ID, and without an execution.
 * @param items what the model gives, as the item of the call. None if n8n only asks for the schema.
 */
export async function toolOfOwnAgent(
	{ node: type, parameters, settings }: ToolNode,
	credential: ICredentialDataDecryptedObject,
	items: IDataObject[] = [],
): Promise<Tool> {
	const node = nodeOf(type, parameters, settings);
	const workflow = workflowOf({ id: '', nodes: [node] });
	const additionalData = additionalDataOf(
		credential,
		{ nodes: [node] },
		{ executionId: undefined },
	);
	const input = items.map((json) => ({ json }));
	const inputData = { main: [input] };
	const context = new SupplyDataContext(
		workflow,
		node,
		additionalData,
		'internal',
		createRunExecutionData(),
		0,
		input,
		inputData,
		NodeConnectionTypes.AiTool,
		{ node, data: inputData, source: null },
		[],
	);
	const supplied = await packageNodes()[type].supplyData?.call(context, 0);
	return supplied?.response as Tool;
}

/** Calls a tool of Platform Tools in n8n's own Agents, which open it anew for each call. Gives back its error as text. */
export async function answerOfOwnAgent(
	node: ToolNode,
	credential: ICredentialDataDecryptedObject,
	call: { tool: string; arguments: Record<string, unknown> },
): Promise<string> {
	const { schema } = await toolOfOwnAgent(node, credential);
	const input = schema.parse(call);
	const tool = await toolOfOwnAgent(node, credential, [input as IDataObject]);
	return await tool.invoke(input).catch(({ message }: Error) => message);
}
