// AI sub-nodes of the built package on n8n-core's own engine: a root node asks n8n for what is
// connected to it, as n8n's vector stores and chains do, and a test does with it what they would.
import {
	NodeConnectionTypes,
	type AINodeConnectionType,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type INodeParameters,
	type IRun,
} from 'n8n-workflow';
import { ownNode, runWorkflow, sourceOf, type WorkflowRun } from './host.cts';
import { packageNodes } from './package.cts';
import { nodeOf } from './workflow.cts';

/** A root node that hands what is connected to it to `use`: the last of several. */
const rootNode = <T,>(
	type: AINodeConnectionType,
	use: (object: T) => Promise<unknown>,
	count: number,
) =>
	ownNode(
		'root',
		async function () {
			const connected = [await this.getInputConnectionData(type, 0)].flat();
			await use(connected.at(-1) as T);
			return [[]];
		},
		[NodeConnectionTypes.Main, { type, required: true, maxConnections: count }],
	);

export interface SubNodeOptions<T> {
	/** Name of the node type without the package, such as `platformEmbeddings`. */
	node: string;
	/** What it is connected by. */
	type: AINodeConnectionType;
	parameters: INodeParameters;
	/** Version of the node, the first one by default. */
	typeVersion?: number;
	/** JSON of the input items of the root node; one empty item by default. */
	items?: IDataObject[];
	/** Form of another sub-node of this type, which the root node has before. */
	beside?: INodeParameters;
	credential: ICredentialDataDecryptedObject;
	/** What the root node does with the object that the sub-node supplies. */
	use: (object: T) => Promise<unknown>;
	cancelAfter?: WorkflowRun['cancelAfter'];
	/** Whether n8n fails to take AI events. */
	failingEvents?: boolean;
}

/** A run of the sub-node as the editor shows it. */
interface SubNodeRun {
	status?: string;
	input?: IDataObject;
	output?: IDataObject;
	error?: string;
}

export interface SubNodeResult {
	run: IRun;
	/** The AI events that it sent. */
	events: Array<{ name: string; msg?: string }>;
	/** The error that ended the execution, if one did. */
	error?: Error & { description?: string | null };
	/** The runs of the sub-node so far, also those after the end. */
	runs(): SubNodeRun[];
}

/** Executes a root node with the sub-node connected to it. */
export async function useSubNode<T>(options: SubNodeOptions<T>): Promise<SubNodeResult> {
	const {
		node: name,
		type,
		parameters,
		credential,
		use,
		cancelAfter,
		failingEvents,
		beside,
		typeVersion = 1,
	} = options;
	const events: SubNodeResult['events'] = [];
	const input = (options.items ?? [{}]).map((json) => ({ json }));
	const common = { typeVersion: 1, parameters: {} };
	const run = await runWorkflow({
		nodes: [
			{ ...common, id: '0', name: 'Source', type: 'source', position: [0, 0] },
			{ ...common, id: '1', name: 'Root', type: 'root', position: [200, 0] },
			...(beside ? [nodeOf(name, beside, { id: '3', name: 'Other', typeVersion })] : []),
			nodeOf(name, parameters, { id: '2', name: 'Sub-node', typeVersion }),
		],
		connections: {
			Source: { main: [[{ node: 'Root', type: NodeConnectionTypes.Main, index: 0 }]] },
			...(beside ? { Other: { [type]: [[{ node: 'Root', type, index: 0 }]] } } : {}),
			'Sub-node': { [type]: [[{ node: 'Root', type, index: 0 }]] },
		},
		types: {
			...packageNodes(),
			source: sourceOf(input),
			root: rootNode(type, use, beside ? 2 : 1),
		},
		credential,
		start: 'Source',
		cancelAfter,
		aiEvent: (event, { msg }) => {
			if (failingEvents) throw new Error('Nobody listens');
			events.push({ name: event, msg });
		},
	});
	return {
		run,
		events,
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
