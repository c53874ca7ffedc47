// Base of the AI sub-nodes. A root node of n8n opens one, calls its object as often as it likes, and closes it. n8n shows runs
// only for calls of its own classes, so the runs are written here.
import {
	NodeConnectionTypes,
	type AiEvent,
	type AINodeConnectionType,
	type IDataObject,
	type ISupplyDataFunctions,
	type NodeApiError,
	type NodeOperationError,
} from 'n8n-workflow';

import type { ApiRequest } from '../base/apiRequest';
import type { Api } from '../client/api';
import { openApi } from '../client/door';
import { secretsOfNode } from '../client/http/credential';
import { nodeError } from '../client/http/errors';
import type { Operation } from '../form/operation';
import { clientOptionsOf } from '../form/options';
import { requestOf } from '../form/request';
import { checkSame } from '../run/sameForAll';

export { checkedValue } from '../form/containers';
export { waitSettings } from '../form/options';

type NodeError = NodeApiError | NodeOperationError;

/** An event for n8n's log streaming, with the same data as in n8n's own nodes. */
interface Event {
	name: AiEvent;
	data?: IDataObject;
}

/** Reports a success to n8n's log streaming. */
export function tellEvent(
	context: Pick<ISupplyDataFunctions, 'logAiEvent' | 'logger'>,
	{ name, data }: Event,
): void {
	try {
		context.logAiEvent(name, data && JSON.stringify(data));
	} catch {
		// The work is done, even if the event can't be sent.
		context.logger.debug(`Error logging AI event: ${name}`);
	}
}

interface Call<T> {
	/** n8n shows it as the input of the run. */
	input: IDataObject;
	work: (api: Api, request: ApiRequest) => Promise<T>;
	/** n8n shows it as the output of the run. */
	output: (result: T) => IDataObject;
	event: Event;
	signal?: AbortSignal;
}

/**
 * Returns `run`, which does the work of a call, and `close`. Reads parameters and credential only once, because
 * n8n's Simple Vector Store gives every execution the object that was opened last, even if its own execution has ended.
 * Expressions and the cancel signal of that execution don't mean anything then.
 * @throws NodeOperationError if a parameter or the credential is wrong
 */
export async function openSubNode(
	context: ISupplyDataFunctions,
	itemIndex: number,
	type: AINodeConnectionType,
	operation: Operation,
) {
	const { action, endpoint } = operation;
	const node = context.getNode();
	const about = { node, action, endpoint };
	const open = async () => {
		checkSame(context, operation, context.getInputData(0, NodeConnectionTypes.Main));
		const parameter = (name: string) => context.getNodeParameter(name, itemIndex, null);
		const request = requestOf(operation, parameter, context.getTimezone(), node);
		return {
			request,
			door: await openApi(endpoint.api, context, clientOptionsOf(context, operation)),
		};
	};
	const { request, door } = await open().catch(async (error: unknown) => {
		throw nodeError(error, { ...about, secrets: await secretsOfNode(context) });
	});
	// n8n's own sub-nodes mark the errors of their calls with this.
	const functionality = 'configuration-node';
	let isOpen = true;

	/** Writes the input of a run. Returns a function that writes its output. Writes nothing after the sub-node was closed. */
	const show = (input: IDataObject): ((output: IDataObject | NodeError) => void) => {
		if (!isOpen) return () => undefined;
		const { index } = context.addInputData(type, [[{ json: input }]]);
		return (output) => {
			const data = output instanceof Error ? output : [[{ json: output }]];
			context.addOutputData(type, index, data);
		};
	};

	/** Does the work of one call, and shows it as a run. Throws NodeApiError or NodeOperationError, also when it's cancelled. */
	const run = async <T>({ input, work, output, event, signal }: Call<T>): Promise<T> => {
		const end = show(input);
		const own = isOpen ? context.getExecutionCancelSignal() : undefined;
		const cancel = [own, signal].filter((each) => each !== undefined);
		try {
			const result = await work(door.api({ action, functionality, cancel }), request);
			if (isOpen) tellEvent(context, event);
			end(output(result));
			return result;
		} catch (thrown) {
			const { secrets } = door;
			const error = nodeError(thrown, { ...about, functionality, secrets });
			end(error);
			throw error;
		}
	};

	/** n8n calls this when the root node has ended. Later calls belong to another execution. */
	const close = async () => {
		isOpen = false;
	};
	return { run, close };
}
