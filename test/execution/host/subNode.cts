// AI sub-nodes of the built package on n8n-core's own engine: a root node asks n8n for what is
// connected to it, as n8n's vector stores and chains do, and a test does with it what they would.
import 'reflect-metadata';
import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	NodeConnectionTypes,
	Workflow,
	type AINodeConnectionType,
	type IConnections,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type IRun,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { HostCredentials } from './credentials.cts';
import { packageNodes } from './package.cts';

/** A root node that hands what is connected to it to `use`. */
function rootNode<T>(type: AINodeConnectionType, use: (object: T) => Promise<unknown>): INodeType {
	return {
		description: {
			displayName: 'Root',
			name: 'root',
			group: ['trigger'],
			version: 1,
			description: '',
			defaults: { name: 'Root' },
			inputs: [{ type, required: true, maxConnections: 1 }],
			outputs: [NodeConnectionTypes.Main],
			properties: [],
		},
		async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
			await use((await this.getInputConnectionData(type, 0)) as T);
			return [[]];
		},
	};
}

export interface SubNodeOptions<T> {
	/** Name of the node type without the package, such as `platformEmbeddings`. */
	node: string;
	/** What it is connected by. */
	type: AINodeConnectionType;
	parameters: INodeParameters;
	credential: ICredentialDataDecryptedObject;
	/** What the root node does with the object that the sub-node supplies. */
	use: (object: T) => Promise<unknown>;
	/** Cancels the execution after so many milliseconds. */
	cancelAfter?: number;
}

/** A run of the sub-node as the editor shows it. */
export interface SubNodeRun {
	status?: string;
	input?: IDataObject;
	output?: IDataObject;
	error?: string;
}

export interface SubNodeResult {
	run: IRun;
	/** The error that ended the execution, if one did. */
	error?: Error & { description?: string | null };
	/** The runs of the sub-node so far, also those after the end. */
	runs(): SubNodeRun[];
}

/** Executes a root node with the sub-node connected to it. */
export async function useSubNode<T>(options: SubNodeOptions<T>): Promise<SubNodeResult> {
	const { node: name, type, parameters, credential, use, cancelAfter } = options;
	const at = { typeVersion: 1, position: [0, 0] as [number, number] };
	const nodes: INode[] = [
		{ id: '1', name: 'Root', type: 'root', parameters: {}, ...at },
		{
			id: '2',
			name: 'Sub-node',
			type: name,
			parameters,
			credentials: { platformApi: { id: '1', name: 'Platform API' } },
			...at,
		},
	];
	const connections: IConnections = {
		'Sub-node': { [type]: [[{ node: 'Root', type, index: 0 }]] },
	};
	const types: Record<string, INodeType> = { ...packageNodes(), root: rootNode(type, use) };
	const find = (wanted: string) => types[wanted];
	const workflow = new Workflow({
		id: 'workflow',
		nodes,
		connections,
		active: false,
		nodeTypes: { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) },
		settings: { executionOrder: 'v1' },
	});
	const hooks = new ExecutionLifecycleHooks('manual', 'execution', {
		id: 'workflow',
		name: 'Workflow',
		active: false,
		isArchived: false,
		activeVersionId: null,
		nodes,
		connections,
		createdAt: new Date(),
		updatedAt: new Date(),
	});
	const additionalData = {
		credentialsHelper: new HostCredentials(credential),
		hooks,
		executionId: 'execution',
		currentNodeExecutionIndex: 0,
		formWaitingBaseUrl: 'http://127.0.0.1/formWaitingBaseUrl',
		webhookWaitingBaseUrl: 'http://127.0.0.1/webhookWaitingBaseUrl',
		variables: {},
		setExecutionStatus: () => undefined,
	} as unknown as IWorkflowExecuteAdditionalData;

	const data = createRunExecutionData();
	const execution = new WorkflowExecute(additionalData, 'manual', data).run({
		workflow,
		startNode: workflow.getNode('Root') as INode,
	});
	if (cancelAfter !== undefined) setTimeout(() => execution.cancel(), cancelAfter);
	const run = await execution;
	return {
		run,
		error: run.data.resultData.error,
		runs: () =>
			(run.data.resultData.runData['Sub-node'] ?? []).map((task) => ({
				status: task.executionStatus,
				input: task.inputOverride?.[type]?.[0]?.[0]?.json,
				output: task.data?.[type]?.[0]?.[0]?.json,
				error: task.error?.message,
			})),
	};
}
