// What the AI sub-nodes share: a root node of n8n opens one, calls its object later, as often as it
// likes, and closes it. n8n logs such calls of its own classes only, so the runs are written here.
import {
	NodeConnectionTypes,
	type AiEvent,
	type AINodeConnectionType,
	type IDataObject,
	type ISupplyDataFunctions,
	type NodeApiError,
	type NodeOperationError,
} from 'n8n-workflow';

import type { Api } from './client/api';
import { openApi, type Door } from './client/door';
import type { ErrorContext } from './client/http/errorContext';
import { nodeError } from './client/http/nodeErrors';
import { optionsOf } from './form/options';
import { buildRequest, formOf } from './form/request';
import type { ApiRequest, Operation } from './operation';
import { checkSame } from './run/sameForAll';

export type { Api } from './client/api';
export { checkedValue } from './form/containers';
export { waitSettings } from './form/options';

type NodeError = NodeApiError | NodeOperationError;

/** What n8n's log streaming is told, as n8n's own nodes tell it. */
interface Event {
	name: AiEvent;
	data?: IDataObject;
}

/** Tells n8n's log streaming of something that succeeded. */
export function tellEvent(
	context: Pick<ISupplyDataFunctions, 'logAiEvent' | 'logger'>,
	{ name, data }: Event,
): void {
	try {
		context.logAiEvent(name, data && JSON.stringify(data));
	} catch {
		// What was done isn't undone because it could not be told.
		context.logger.debug(`Error logging AI event: ${name}`);
	}
}

/** One call of a sub-node's object. */
interface Call<T> {
	/** What the editor shows as the input of the run. */
	input: IDataObject;
	work: (api: Api, request: ApiRequest) => Promise<T>;
	/** What the editor shows as its output. */
	output: (result: T) => IDataObject;
	event: Event;
	/** Ends the call early, beside the cancelling of the execution. */
	signal?: AbortSignal;
}

/**
 * A sub-node that was opened. Parameters and credential are read once, at the beginning: n8n's
 * Simple Vector Store hands the object that was opened last to every execution, also when its own
 * one has ended, and then neither expressions nor the cancel signal of that one mean anything.
 */
export class SubNode {
	private isOpen = true;

	private constructor(
		private readonly context: ISupplyDataFunctions,
		private readonly type: AINodeConnectionType,
		private readonly request: ApiRequest,
		private readonly door: Door,
		private readonly errorContext: ErrorContext & { action: string },
	) {}

	/**
	 * @param type what the sub-node is connected by
	 * @throws NodeOperationError when a parameter or the credential is wrong
	 */
	static async open(
		context: ISupplyDataFunctions,
		itemIndex: number,
		type: AINodeConnectionType,
		operation: Operation,
	): Promise<SubNode> {
		const parameter = (name: string) => context.getNodeParameter(name, itemIndex, null);
		const { action, route } = operation;
		const errorContext: ErrorContext & { action: string } = {
			node: context.getNode(),
			action,
			route,
			secrets: [],
		};
		try {
			checkSame(context, operation, context.getInputData(0, NodeConnectionTypes.Main));
			const about = { timezone: context.getTimezone(), item: {} };
			const request = buildRequest(formOf(operation, parameter, about));
			const door = await openApi(context, optionsOf(context, operation));
			return new SubNode(context, type, request, door, {
				...errorContext,
				// As n8n's own sub-nodes mark the errors of their calls.
				functionality: 'configuration-node',
				secrets: door.connection.secrets,
			});
		} catch (error) {
			throw nodeError(error, errorContext);
		}
	}

	/** To be called by n8n when the root node has ended: what calls later is another execution. */
	readonly close = async (): Promise<void> => {
		this.isOpen = false;
	};

	/**
	 * Does the work of one call and shows it as a run of the sub-node.
	 * @throws NodeApiError or NodeOperationError, also when it is cancelled
	 */
	async run<T>({ input, work, output, event, signal }: Call<T>): Promise<T> {
		const end = this.show(input);
		try {
			const result = await work(this.api(signal), this.request);
			if (this.isOpen) tellEvent(this.context, event);
			end(output(result));
			return result;
		} catch (thrown) {
			const error = nodeError(thrown, this.errorContext);
			end(error);
			throw error;
		}
	}

	/** Writes the input of a run; gives back what writes its output. */
	private show(input: IDataObject): (output: IDataObject | NodeError) => void {
		if (!this.isOpen) return () => undefined;
		const { index } = this.context.addInputData(this.type, [[{ json: input }]]);
		return (output) => {
			this.context.addOutputData(
				this.type,
				index,
				output instanceof Error ? output : [[{ json: output }]],
			);
		};
	}

	private api(signal: AbortSignal | undefined): Api {
		const own = this.isOpen ? this.context.getExecutionCancelSignal() : undefined;
		const cancel = [own, signal].filter((each) => each !== undefined);
		const { action, functionality } = this.errorContext;
		return this.door.api({ action, functionality, cancel });
	}
}
