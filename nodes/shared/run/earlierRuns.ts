// Results of earlier runs, for n8n's Retry On Fail: it runs a node again over all items, but what was sent,
// or may have been, isn't sent a second time.
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

/** Results by item: the output, or the error of a write that may have gone through. */
export type EarlierRun = Map<number, INodeExecutionData[] | Error>;

/** By the object of `identityOf`, then by the name of the node. */
const earlierRuns = new WeakMap<object, Map<string, EarlierRun>>();

/**
 * Returns the object that n8n passes to each retry of a run, and to no other run: the execution data. An
 * agent shares its execution data between all calls of all tools, but each call has its own arguments,
 * which retries get again.
 */
function identityOf(context: IExecuteFunctions): unknown {
	return context.isToolExecution() ? context.getInputData()[0]?.json : context.getExecuteData();
}

/**
 * Results of earlier tries of this run.
 * @returns undefined without Retry On Fail, or if runs can't be told apart
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
