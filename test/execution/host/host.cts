// Runs nodes of the built package on n8n-core's own engine: the workflow, its expressions, its
// pairing, its error handling, its cancelling and its HTTP helpers are n8n's, nothing is faked.
import { parse, stringify } from 'flatted';
import { wait } from '../../wait.cts';
import { WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	NodeConnectionTypes,
	type AiEvent,
	type ICredentialDataDecryptedObject,
	type IConnections,
	type IExecuteFunctions,
	type IExecuteResponsePromiseData,
	type IExecutionContext,
	type INode,
	type INodeExecutionData,
	type INodeProperties,
	type INodeType,
	type INodeTypeDescription,
	type IPinData,
	type IRun,
	type IRunExecutionData,
	type ITaskData,
	type IWorkflowExecuteAdditionalData,
	type NodeParameterValueType,
	type Workflow,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { packageNodes } from './package.cts';
import { additionalDataOf, nodeOf, workflowOf, type WorkflowOptions } from './workflow.cts';

/** A node type of a test's own. */
export const ownNode = (
	name: string,
	execute: (this: IExecuteFunctions) => Promise<INodeExecutionData[][]>,
	inputs: INodeTypeDescription['inputs'] = [NodeConnectionTypes.Main],
	properties: INodeProperties[] = [],
): INodeType => ({
	description: {
		displayName: name,
		name,
		group: ['transform'],
		version: 1,
		description: '',
		defaults: { name },
		inputs,
		outputs: [NodeConnectionTypes.Main],
		properties,
	},
	execute,
});

/** Gives its items to the node under test. */
export const sourceOf = (items: INodeExecutionData[]): INodeType =>
	ownNode('source', async () => await Promise.resolve([items]), []);

/** Passes on what it gets, so that references through the node under test can be tried. */
const sink = ownNode(
	'sink',
	async function () {
		const items = this.getInputData().map((_item, item) => ({
			json: { value: this.getNodeParameter('value', item) as string },
			pairedItem: { item },
		}));
		return await Promise.resolve([items]);
	},
	[NodeConnectionTypes.Main],
	[{ displayName: 'Value', name: 'value', type: 'string', default: '' }],
);

/** One run of one node. */
export interface RunOptions {
	/** Name of the node type without the package, such as `platformCustomers`. */
	node: string;
	parameters: Record<string, NodeParameterValueType | object>;
	credential: ICredentialDataDecryptedObject;
	/** JSON of the input items; one empty item by default. */
	items?: Array<INodeExecutionData['json']>;
	/** Files of each input item. */
	files?: INodeExecutionData['binary'];
	/** Settings of the node such as `onError` or `retryOnFail`. */
	settings?: Partial<INode>;
	/** Expression that a following node evaluates for each output item, such as `{{ $('Source').item.json.n }}`. */
	then?: string;
	cancelAfter?: WorkflowRun['cancelAfter'];
	more?: WorkflowRun['more'];
	/** Zone of the workflow. */
	timezone?: string;
	/** Node types beside the package's own, by name. */
	types?: Record<string, INodeType>;
	/** Mode of the execution; `manual` by default. */
	mode?: WorkflowRun['mode'];
	/** The failed run that n8n's Retry starts again. */
	retryOf?: WorkflowRun['retryOf'];
}

/** What came of it. */
export interface RunResult {
	run: IRun;
	task: ITaskData;
	/** Items of the first output. */
	items: INodeExecutionData[];
	/** Items of the error output. */
	errors: INodeExecutionData[];
	/** The error that ended the run, if one did. */
	error?: Error & {
		description?: string | null;
		httpCode?: string;
		context?: { itemIndex?: number };
	};
	/** What the following node made of `then`. */
	then: unknown[];
	hints: string[];
}

/** What n8n's editor shows of an error: its message, and the description below it. */
export const told = (error?: RunResult['error']): string =>
	[error?.message.replace(/\.$/, ''), error?.description].filter(Boolean).join('. ');

/** A workflow and what it needs to run. */
export interface WorkflowRun extends WorkflowOptions {
	/** The credential of all nodes. */
	credential: ICredentialDataDecryptedObject;
	/** Name of the node to start with. */
	start: string;
	/** Cancels the run after so many milliseconds, or when that has come. */
	cancelAfter?: number | Promise<unknown>;
	/** Mode of the execution; `manual` by default, `retry` for a failed run that is started again. */
	mode?: WorkflowExecuteMode;
	/** The failed run that n8n's Retry starts again, as n8n has saved it. */
	retryOf?: IRun;
	/** A run that waits, and the items that have come for it. Without items, its time to wait is over. */
	resumes?: { run: IRun; items?: INodeExecutionData[] };
	/** Items in place of nodes, by name. */
	pinData?: IPinData;
	/** Is told what the workflow responds to the webhook that started it. */
	responded?: (response: IExecuteResponsePromiseData) => void;
	/** What n8n hands to the execution beside what is always there. */
	more?: Partial<IWorkflowExecuteAdditionalData>;
	/** Is called after each node, with the data that n8n can save then. */
	afterNode?: (data: IRunExecutionData) => void;
	/** Is told the AI events of the nodes. */
	aiEvent?: (name: AiEvent, payload: { nodeName: string; msg?: string }) => void;
}

/** The data of a run as n8n has saved it, with the nodes as they are now. */
function savedDataOf({ data }: IRun, workflow: Workflow): IRunExecutionData {
	const saved = parse(stringify(data)) as IRunExecutionData;
	for (const each of saved.executionData?.nodeExecutionStack ?? []) {
		each.node = workflow.getNode(each.node.name) ?? each.node;
	}
	return saved;
}

/** The data with which a run goes on that has waited: its node lets pass what has come, or else what it had. */
function resumedDataOf(
	{ run, items }: NonNullable<WorkflowRun['resumes']>,
	workflow: Workflow,
): IRunExecutionData {
	const saved = savedDataOf(run, workflow);
	const [waiting] = saved.executionData?.nodeExecutionStack ?? [];
	// The engine switches it off, but only for what has come.
	waiting.node = { ...waiting.node };
	if (items) waiting.data.main = [items];
	return saved;
}

/**
 * The data with which n8n's Retry begins: as it was saved, without the error and the failed run of the node.
 */
function retryDataOf(run: IRun, workflow: Workflow): IRunExecutionData {
	const saved = savedDataOf(run, workflow);
	const { runData, lastNodeExecuted } = saved.resultData;
	delete saved.resultData.error;
	if (lastNodeExecuted && runData[lastNodeExecuted]?.at(-1)?.error) runData[lastNodeExecuted].pop();
	return saved;
}

/** What n8n knows of the beginning of the last execution that wasn't a Retry. */
let begun: IExecutionContext | undefined = { version: 1, establishedAt: 1, source: 'manual' };

/** None is that of a sub-workflow's execution: n8n hasn't kept when that began. */
export function setBeginning(other: IExecutionContext | undefined): void {
	begun = other;
}

export const lastBeginning = (): IExecutionContext | undefined => begun;

/** The data with which a Retry begins if n8n has kept nothing of the execution: it begins anew, at the same time. */
const lostDataOf = (node: INode) =>
	createRunExecutionData({
		executionData: {
			nodeExecutionStack: [{ node, data: { main: [[{ json: {} }]] }, source: null }],
			runtimeData: begun,
		},
	});

/** Runs a whole workflow. */
export async function runWorkflow(options: WorkflowRun): Promise<IRun> {
	const { credential, start, cancelAfter, retryOf, resumes, pinData, more } = options;
	const { mode = retryOf ? 'retry' : 'manual' } = options;
	const { aiEvent: logAiEvent = () => undefined } = options;
	const workflow = workflowOf(options);
	const additionalData = additionalDataOf(credential, options, { logAiEvent, ...more });
	additionalData.hooks?.addHandler('sendResponse', (response) => options.responded?.(response));
	additionalData.hooks?.addHandler('nodeExecuteAfter', (_name, _task, saved) =>
		options.afterNode?.(saved),
	);
	const startNode = workflow.getNode(start) as INode;
	const isRetry = mode === 'retry' || retryOf !== undefined;
	let data = createRunExecutionData();
	if (isRetry) data = retryOf ? retryDataOf(retryOf, workflow) : lostDataOf(startNode);
	if (resumes) data = resumedDataOf(resumes, workflow);
	const engine = new WorkflowExecute(additionalData, mode, data);
	const execution =
		isRetry || resumes
			? engine.processRunExecutionData(workflow)
			: engine.run({ workflow, startNode, pinData });
	if (cancelAfter !== undefined) {
		const sign = typeof cancelAfter === 'number' ? wait(cancelAfter) : cancelAfter;
		void sign.then(() => execution.cancel());
	}
	const result = await execution;
	if (!isRetry && !resumes) begun = result.data.executionData?.runtimeData;
	return result;
}

/** Runs one node of the package between a source and, where asked for, a sink. */
export async function runNode(options: RunOptions): Promise<RunResult> {
	const { node: type, parameters, settings = {} } = options;
	const nodes: INode[] = [
		{ id: '1', name: 'Source', type: 'source', typeVersion: 1, position: [0, 0], parameters: {} },
		nodeOf(type, parameters as INode['parameters'], { id: '2', position: [200, 0], ...settings }),
		{
			id: '3',
			name: 'Sink',
			type: 'sink',
			typeVersion: 1,
			position: [400, 0],
			parameters: { value: options.then ? `=${options.then}` : '' },
		},
	];
	const to = (name: string) => [{ node: name, type: NodeConnectionTypes.Main, index: 0 }];
	const connections: IConnections = {
		Source: { main: [to('Node')] },
		...(options.then ? { Node: { main: [to('Sink')] } } : {}),
	};
	const types = {
		...packageNodes(),
		...options.types,
		source: sourceOf(inputOf(options)),
		sink,
	};
	const { credential, timezone, cancelAfter, mode, retryOf } = options;
	const more = { credential, timezone, cancelAfter, mode, retryOf, more: options.more };
	return resultOf(await runWorkflow({ nodes, connections, types, start: 'Source', ...more }));
}

const inputOf = ({ items = [{}], files: binary }: RunOptions) =>
	items.map((json) => ({ json, ...(binary && { binary }) }));

const outputsOf = (task: ITaskData | undefined) => task?.data?.main ?? [];

function resultOf(run: IRun): RunResult {
	const { runData, error } = run.data.resultData;
	const task = runData.Node?.[0];
	const [items, errors] = outputsOf(task);
	const [then] = outputsOf(runData.Sink?.[0]);
	return {
		run,
		task,
		items: items ?? [],
		errors: errors ?? [],
		error: (task?.error ?? error) as RunResult['error'],
		then: (then ?? []).map(({ json }) => json.value),
		hints: (task?.hints ?? []).map(({ message }) => message),
	};
}
