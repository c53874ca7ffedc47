// n8n's record of executions, and what it makes of it: sub-workflows, and its Retry. Done as n8n does it, with
// a map in place of its database.
import { WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	type ExecuteWorkflowOptions,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type IRun,
	type IRunExecutionData,
	type IWorkflowExecuteAdditionalData,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { ownNode, runWorkflow } from './host.cts';
import { packageNodes } from './package.cts';
import { additionalDataOf, workflowOf, type WorkflowOptions } from './workflow.cts';

/** Calls the workflow below, as Execute Workflow does. */
const caller = (isTold: boolean): INodeType =>
	ownNode('caller', async function (this: IExecuteFunctions) {
		const parentExecution = { executionId: this.getExecutionId(), workflowId: 'workflow' };
		const options = isTold ? { parentExecution } : {};
		const { data } = await this.executeWorkflow(
			{ id: 'sub' },
			this.getInputData(),
			undefined,
			options,
		);
		return data as INodeExecutionData[][];
	});

const common = { typeVersion: 1, parameters: {}, position: [0, 0] as [number, number] };

const callerNode: INode = { ...common, id: 'caller', name: 'Caller', type: 'caller' };

const copyOf = (value: unknown) => JSON.parse(JSON.stringify(value)) as IRunExecutionData;

let serial = 0;

/** Executions of a workflow that has one node. */
export class Executions {
	private readonly records = new Map<string, IRunExecutionData>();

	constructor(
		private readonly node: INode,
		private readonly credential: ICredentialDataDecryptedObject,
		/** Whether callers say who they are. Some of n8n's nodes don't. */
		private readonly isTold = true,
	) {}

	/**
	 * Runs the node in a workflow that others call.
	 * @param depth how many workflows are between it and the one that began
	 */
	async run(mode: WorkflowExecuteMode, depth = 0): Promise<IRun> {
		const id = this.nextId();
		return await runWorkflow({
			...this.workflow(depth),
			credential: this.credential,
			mode,
			start: depth === 0 ? this.node.name : 'Caller',
			more: this.dataFor(id, mode, depth),
		});
	}

	/** Starts an execution again that has failed, as the button Retry does. */
	async retry({ data }: IRun): Promise<IRun> {
		const options = this.workflow(0);
		const stored = copyOf(data);
		const { resultData } = stored;
		delete resultData.error;
		resultData.runData[this.node.name]?.pop();
		const more = this.dataFor(this.nextId(), 'retry', 0);
		const additionalData = additionalDataOf(this.credential, options, more);
		const execution = new WorkflowExecute(additionalData, 'retry', stored);
		return await execution.processRunExecutionData(workflowOf(options));
	}

	private nextId(): string {
		return String(++serial);
	}

	private workflow(depth: number): WorkflowOptions {
		const types = { ...packageNodes(), caller: caller(this.isTold) };
		return { nodes: [depth === 0 ? this.node : callerNode], types };
	}

	private dataFor(
		executionId: string,
		mode: WorkflowExecuteMode,
		depth: number,
	): Partial<IWorkflowExecuteAdditionalData> {
		return {
			executionId,
			getRunExecutionData: async (id: string) => await Promise.resolve(this.records.get(id)),
			executeWorkflow: async (_info, additionalData, options) => {
				const rootMode = additionalData.rootExecutionMode ?? mode;
				return await this.call(depth - 1, rootMode, options);
			},
		};
	}

	/** n8n's `executeWorkflow`: a record of the new execution, and then the execution itself. */
	private async call(
		depth: number,
		rootExecutionMode: WorkflowExecuteMode,
		{ parentExecution, inputData }: ExecuteWorkflowOptions,
	) {
		const options = this.workflow(depth);
		const workflow = workflowOf(options);
		const executionId = this.nextId();
		const data = createRunExecutionData({
			executionData: {
				nodeExecutionStack: [
					{
						node: options.nodes[0],
						data: { main: [inputData ?? [{ json: {} }]] },
						metadata: { parentExecution },
						source: null,
					},
				],
			},
			parentExecution,
		});
		this.records.set(executionId, copyOf(data));
		const more = { ...this.dataFor(executionId, 'integrated', depth), rootExecutionMode };
		const additionalData = additionalDataOf(this.credential, options, more);
		const execution = new WorkflowExecute(additionalData, 'integrated', data);
		const run = await execution.processRunExecutionData(workflow);
		const { error, runData } = run.data.resultData;
		if (error) throw error;
		const [last] = runData[options.nodes[0].name];
		return { executionId, data: last.data?.main ?? [] };
	}
}
