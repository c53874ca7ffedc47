// Platform Tools, called by each who can call them.
import type { ICredentialDataDecryptedObject, IDataObject, INode } from 'n8n-workflow';
import type { WorkflowRun } from './host.cts';
import { answerOfOwnAgent, runTools, useTools, type EngineResult, type ToolNode } from './tool.cts';

/** Arguments of one call of a tool. */
export type Call = [tool: string, args: Record<string, unknown>];

export const toolkitOf = (parameters: object, settings?: Partial<INode>): ToolNode => ({
	node: 'platformApiTool',
	parameters: parameters as ToolNode['parameters'],
	settings,
});

/** A result of n8n's engine as a model reads it. */
export function textOf(result: EngineResult): string {
	if (typeof result === 'string') return result;
	const error = result[0]?.error;
	return typeof error === 'string' ? error : JSON.stringify(result);
}

export interface CallOptions {
	credential: ICredentialDataDecryptedObject;
	/** JSON of the items of the agent. */
	items?: IDataObject[];
	settings?: Partial<INode>;
	cancelAfter?: WorkflowRun['cancelAfter'];
}

/** Makes the calls of a step at once, one step after the other, and gives back what the model reads of each. */
type Caller = (form: object, steps: Call[][], options: CallOptions) => Promise<string[]>;

const inProcess =
	(isWebhook: boolean): Caller =>
	async (form, steps, { credential, settings, ...options }) => {
		const answers: string[] = [];
		await useTools(
			[toolkitOf(form, settings)],
			credential,
			async (tools) => {
				for (const step of steps) {
					const calls = step.map(
						async ([tool, args]) =>
							await tools[tool].invoke(args).catch(({ message }: Error) => message),
					);
					answers.push(...(await Promise.all(calls)));
				}
			},
			{ ...options, isWebhook },
		);
		return answers;
	};

export const callers = {
	'an agent itself': inProcess(false),
	"n8n's engine": async (form, steps, { credential, settings, ...options }) => {
		const calls = steps.map((step) =>
			step.map(([tool, args]) => ({ node: 'Tool 1', input: { ...args, tool } as IDataObject })),
		);
		const [results] = await runTools([toolkitOf(form, settings)], credential, calls, options);
		return results.map(textOf);
	},
	'an MCP client': inProcess(true),
	"n8n's own Agents": async (form, steps, { credential, settings }) => {
		const answers: string[] = [];
		for (const [tool, args] of steps.flat()) {
			const call = { tool, arguments: args };
			answers.push(await answerOfOwnAgent(toolkitOf(form, settings), credential, call));
		}
		return answers;
	},
} satisfies Record<string, Caller>;

export type CallerName = keyof typeof callers;
