// What earlier runs of a node have done, while n8n's 'Retry On Fail' runs it again over all items: what
// was sent, or may have been, is not sent a second time.
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

/** Results per item: the output, or the error of a write that may have been applied. */
export type EarlierRun = Map<number, INodeExecutionData[] | Error>;

/** By what n8n hands to all runs of a node that it repeats, then by the node. */
const earlierRuns = new WeakMap<object, Map<string, EarlierRun>>();

/**
 * The object that n8n hands to a node each time that it runs it again, and to nothing else. For a node
 * of the workflow it is the data of the run. An agent has one such object for all calls of all its
 * tools; the arguments of a call are its own, and are handed over again with each run.
 */
function identityOf(context: IExecuteFunctions): unknown {
	return context.isToolExecution() ? context.getInputData()[0]?.json : context.getExecuteData();
}

/**
 * What is remembered of this run of this node.
 * @returns undefined where n8n does not run a node again, or where its runs cannot be told apart
 */
export function earlierRunOf(context: IExecuteFunctions): EarlierRun | undefined {
	const { name, retryOnFail } = context.getNode();
	const identity = identityOf(context);
	if (retryOnFail !== true || typeof identity !== 'object' || identity === null) return undefined;
	const nodes = earlierRuns.get(identity) ?? new Map<string, EarlierRun>();
	earlierRuns.set(identity, nodes);
	const known = nodes.get(name) ?? new Map();
	nodes.set(name, known);
	return known;
}
