// All ways on which an operation is called: by an action node, by the same node as a tool, and by Platform Tools; from an agent that
// calls its tools itself, from n8n's engine, from an MCP client and in n8n's own Agents.
import type { IDataObject, INodeParameters, IRun } from 'n8n-workflow';
import { stringify } from 'flatted';
import { runNode, told } from './host.cts';
import { byId } from './run.cts';
import {
	answerOfOwnAgent,
	runTools,
	useTools,
	type EngineCall,
	type EngineResult,
	type ToolNode,
} from './tool.cts';

/** An operation on its ways. */
export interface Subject {
	node: string;
	/** Its name in Platform Tools. */
	tool: string;
	/** Form in which each argument is `$json` of its name, or what a model gives. */
	form: (of: (name: string, type?: string) => string) => object;
}

export type Args = Record<string, IDataObject[string]>;

/** What came of the calls, which are made one after the other. */
export interface Called {
	/** What each gave back, with its error as the user or the model reads it. */
	answers: string[];
	/** All that n8n keeps of the execution. */
	stored: string;
}

interface Options {
	credential: IDataObject;
	/** Further values of the form: of the action node, or of Platform Tools. */
	form?: object;
	/** The execution that n8n's Retry starts again. */
	retryOf?: IRun;
	ended?: (run: IRun) => void;
}

type Way = (subject: Subject, calls: Args[], options: Options) => Promise<Called>;

const fromItem = (name: string) => `={{ $json.${name} }}`;
const fromModel = (name: string, type = 'string') => `={{ $fromAI('${name}', '', '${type}') }}`;

const answerOf = (result: EngineResult): string =>
	typeof result === 'string' ? result : JSON.stringify(result);

const byNode: Way = async ({ node, form }, calls, { credential, form: more, retryOf, ended }) => {
	const { run, items, error } = await runNode({
		node,
		parameters: { ...form(fromItem), ...more },
		credential: credential as never,
		items: calls,
		settings: { onError: 'continueRegularOutput' },
		retryOf,
	});
	ended?.(run);
	const answers = error ? [told(error)] : items.map(({ json }) => JSON.stringify(json));
	return { answers, stored: stringify(run.data) };
};

/** The action node as a tool. */
const asTool = ({ node, form }: Subject, more: object = {}): ToolNode => ({
	node,
	parameters: { ...form(fromModel), ...more } as INodeParameters,
});

const toolkit = ({ tool }: Subject, more: object = {}): ToolNode => ({
	node: 'platformApiTool',
	parameters: { offer: 'chosen', operations: [tool], onceOnly: false, ...more } as INodeParameters,
});

type MakeTool = (subject: Subject, more?: object) => ToolNode;

const byAgent =
	(make: MakeTool, isWebhook = false): Way =>
	async (subject, calls, { credential, form, retryOf, ended }) => {
		const answers: string[] = [];
		let stored = '';
		const keep = (run: IRun) => {
			stored = stringify(run.data);
			ended?.(run);
		};
		await useTools(
			[make(subject, form)],
			credential as never,
			async (tools) => {
				const [tool] = Object.values(tools);
				for (const args of calls) {
					answers.push(await tool.invoke(args).catch(({ message }: Error) => message));
				}
			},
			{ isWebhook, retryOf, ended: keep },
		);
		return { answers, stored };
	};

const byEngine =
	(make: MakeTool): Way =>
	async (subject, calls, { credential, form, retryOf, ended }) => {
		let stored = '';
		const steps = calls.map((args): EngineCall[] => [
			{ node: 'Tool 1', input: { ...args, tool: subject.tool } },
		]);
		const [results] = await runTools([make(subject, form)], credential as never, steps, {
			retryOf,
			ended: (run) => {
				stored = stringify(run.data);
				ended?.(run);
			},
		});
		return { answers: results.map(answerOf), stored };
	};

const inOwnAgents: Way = async (subject, calls, { credential, form }) => {
	const answers: string[] = [];
	for (const args of calls) {
		const call = { tool: subject.tool, arguments: args };
		answers.push(await answerOfOwnAgent(toolkit(subject, form), credential as never, call));
	}
	return { answers, stored: '' };
};

/** Those of an execution that goes on from call to call. */
export const ways = {
	'an action node': byNode,
	'a tool of an agent': byAgent(asTool),
	"a tool of n8n's engine": byEngine(asTool),
	'a tool of an MCP client': byAgent(asTool, true),
	'Platform Tools of an agent': byAgent(toolkit),
	"Platform Tools of n8n's engine": byEngine(toolkit),
	'Platform Tools of an MCP client': byAgent(toolkit, true),
	"Platform Tools in n8n's own Agents": inOwnAgents,
} satisfies Record<string, Way>;

export type WayName = keyof typeof ways;

/** Operations that stand for a kind: a write that acts, one that can be sent again, a deletion, and a read. */
export const subjects = {
	act: {
		node: 'platformCustomers',
		tool: 'create_charge',
		form: (of) => ({
			...{ resource: 'charge', operation: 'create', customerId: byId(of('customer_id')) },
			servicesAs: 'json',
			servicesJson: of('services', 'json'),
		}),
	},
	change: {
		node: 'platformCustomers',
		tool: 'update_customer',
		form: (of) => ({
			...{ resource: 'customer', operation: 'update', customerId: byId(of('customer_id')) },
			updateFields: { firstName: of('first_name') },
		}),
	},
	deletion: {
		node: 'platformCustomers',
		tool: 'delete_customer',
		form: (of) => ({
			...{ resource: 'customer', operation: 'delete', customerId: byId(of('customer_id')) },
		}),
	},
	read: {
		node: 'platformCustomers',
		tool: 'get_customer',
		form: (of) => ({
			...{ resource: 'customer', operation: 'get', customerId: byId(of('customer_id')) },
		}),
	},
} satisfies Record<string, Subject>;

export const argsOf: Record<keyof typeof subjects, Args> = {
	act: { customer_id: 'cus-1', services: [{ name: 'Setup', amount: 5 }] },
	change: { customer_id: 'cus-1', first_name: 'Ada' },
	deletion: { customer_id: 'cus-1' },
	read: { customer_id: 'cus-1' },
};
