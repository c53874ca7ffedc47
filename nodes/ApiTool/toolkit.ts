// What a toolkit gives to an agent that calls its tools itself, and to an MCP client: objects that n8n takes for
// tools. n8n logs nothing for them, so each call is written down here.
import {
	NodeConnectionTypes,
	NodeOperationError,
	type IDataObject,
	type ISupplyDataFunctions,
} from 'n8n-workflow';
import { z } from 'zod';

import { recordOf } from '../shared/operation';
import { answerTo, signatureFor, type Answer } from './call';
import type { Offer } from './catalog';
import { isLasting, type Policy } from './policy';

/** As much of a LangChain tool as n8n's agents and its MCP Server Trigger use. */
interface Tool {
	name: string;
	description: string;
	schema: z.AnyZodObject;
	returnDirect: false;
	invoke(input: unknown): Promise<string>;
	metadata: { isFromToolkit: boolean; sourceNodeName: string };
}

/** What a model is told of an operation. */
export const toldOf = ({ operation: { description, tool = description } }: Offer): string => tool;

/** Tokens are dear, so an answer has no spaces. */
const textOf = (answer: Answer): string =>
	'error' in answer ? answer.error : JSON.stringify(answer.rows);

export class Toolkit {
	constructor(
		private readonly context: ISupplyDataFunctions,
		private readonly offered: Offer[],
		private readonly policy: Policy,
	) {}

	/** Calls a tool, and shows it as a run of the node. */
	private async call(tool: unknown, args: Record<string, unknown>): Promise<string> {
		const { context, offered, policy } = this;
		const type = NodeConnectionTypes.AiTool;
		const json = { tool, ...args } as IDataObject;
		const { index } = context.addInputData(type, [[{ json }]]);
		const answer = await answerTo(context, offered, { tool, args }, policy);
		const text = textOf(answer);
		if ('error' in answer) {
			const error = new NodeOperationError({ ...context.getNode(), parameters: {} }, text);
			context.addOutputData(type, index, error);
			// An MCP client sees that it's an error. An agent would end.
			if (!isLasting(context)) throw error;
			return text;
		}
		context.addOutputData(type, index, [[{ json: { response: answer.rows } }]]);
		return text;
	}

	private tool(name: string, description: string, schema: z.AnyZodObject): Tool {
		return {
			name,
			description,
			schema,
			returnDirect: false,
			invoke: async (input) => await this.call(name, recordOf(input)),
			metadata: { isFromToolkit: true, sourceNodeName: this.context.getNode().name },
		};
	}

	/** An array of tools that is a toolkit, too: n8n before 2.32 wants the one, later ones the other. */
	tools(): Tool[] & { tools: Tool[]; getTools: () => Tool[] } {
		const tools = this.offered.map((offer) =>
			this.tool(offer.name, toldOf(offer), signatureFor(offer).schema),
		);
		return Object.assign([...tools], { tools, getTools: () => tools });
	}

	/** One tool that calls the others, for n8n's own Agents, which take no toolkit. */
	dispatcher(): Tool {
		const names = this.offered.map(({ name }) => name);
		const list = this.offered.map((offer) => {
			const { shape } = signatureFor(offer).schema as z.ZodObject<z.ZodRawShape>;
			const args = Object.entries(shape).map(([name, each]) =>
				each.isOptional() ? `${name}?` : name,
			);
			return `${offer.name}(${args.join(', ')}): ${toldOf(offer)}`;
		});
		const schema = z.object({
			tool: z.enum(names as [string, ...string[]]),
			arguments: z.record(z.any()).optional(),
		});
		const description = `Calls one of these. A ? marks an optional argument.\n${list.join('\n')}`;
		const invoke = async (input: unknown) => {
			const { tool, arguments: args } = recordOf(input);
			return await this.call(tool, recordOf(args));
		};
		return { ...this.tool('platform', description, schema), invoke };
	}
}
