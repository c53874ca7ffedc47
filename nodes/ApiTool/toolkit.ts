// Tools for an agent that calls them itself, for an MCP client, and for n8n's engine. n8n logs nothing for the first two, so
// each call is written down here.
import {
	NodeConnectionTypes,
	NodeOperationError,
	type IDataObject,
	type INode,
	type ISupplyDataFunctions,
} from 'n8n-workflow';

import { FieldFault } from '../engine/base/apiRequest';
import { recordOf, sentence } from '../engine/base/data';
import { nearestFirst } from '../engine/base/nearest';
import { advised } from '../engine/client/http/errors';
import { runOperation } from '../engine/node/execute';
import { isKept } from '../engine/run/ledger';
import type { Operation } from '../engine/form/operation';
import {
	accessOf,
	CLOSED,
	listsOf,
	toolNamesFor,
	type Context,
	type Offer,
	type Offered,
} from './catalog';
import { isNote, rowsFor } from './parts';
import { countCall, Guard, isOwnAgent, type Policy } from './policy';
import { Signature } from './schema';
import { advice, describedTool, listed } from './words';
import { checkCopy, enumOf, object, record, type AnyZodObject, type ZodTypeAny } from './zod';

const signatures = new WeakMap<Operation, Signature>();

/** The arguments only depend on the operation, so they're made once. */
export function signatureFor({ area, name, operation }: Offer): Signature {
	const known = signatures.get(operation) ?? new Signature(operation, name, toolNamesFor(area));
	signatures.set(operation, known);
	return known;
}

/** The tools for a person, also those that a limit leaves out. */
export const listOf = ({ tools, closed }: Offered): IDataObject[] => [
	...tools.map((offer) => ({
		tool: offer.name,
		changesData: offer.changes,
		arguments: signatureFor(offer).names.join(', '),
		description: describedTool(offer.operation),
	})),
	...closed.map(({ tool, limit }) => ({
		tool,
		notOffered: `${limit} is set: ${CLOSED}`,
	})),
];

/** Rows for the model, or the text of an error, which says what it can do next. */
type Result = { rows: IDataObject[] } | { error: string };

type Arguments = Record<string, unknown>;

/** @throws the error of the operation, and of the Guard for a change that the policy doesn't allow */
async function rowsOf(
	context: Context,
	offer: Offer,
	args: Arguments,
	policy: Policy,
): Promise<IDataObject[]> {
	const signature = signatureFor(offer);
	const values = { ...signature.valuesOf(args, policy.maxRows), ...accessOf(context, offer) };
	const guard = offer.changes ? new Guard(context, policy, offer) : undefined;
	const [items] = await runOperation(context, signature.operation, values, guard);
	const rows = items.map(({ json }) => json);
	const { shown } = offer;
	// The note on the rows left has no secrets, and must stay as it is.
	const safe = shown ? rows.map((row) => (isNote(row) ? row : shown(row))) : rows;
	return rowsFor(signature.operation, safe, args, policy.maxRows);
}

/** A model gets another next step than a person does (`advised`). */
function errorFor(offer: Offer, error: Error, args: Arguments): string {
	const signature = signatureFor(offer);
	const { message } = error;
	const text = advised.get(error);
	if (!text) return withList(signature.told(message), offer);
	// A function, since `$` has a meaning in a text.
	return message.replace(text, () =>
		advice(text, signature.words, Object.keys(args), listsOf(offer)),
	);
}

/** Adds to a text about an argument which tool lists its values. */
function withList(text: string, offer: Offer): string {
	const found = listsOf(offer).find(([name]) => text.startsWith(`"${name}" `));
	if (!found || text.includes(found[1])) return text;
	return `${sentence(text)} ${listed(found)}`;
}

/** Makes a call if its tool is offered and the policy allows it. Errors come as text. */
export async function resultOf(
	context: Context,
	{ tools, closed }: Offered,
	{ tool, args }: { tool: unknown; args: Arguments },
	policy: Policy,
): Promise<Result> {
	const offer = tools.find(({ name }) => name === tool);
	const shut = closed.find((each) => each.tool === tool);
	if (shut) {
		const error = `${shut.tool} isn't offered, since ${shut.limit} is set: ${CLOSED}. Don't try another way, tell the user.`;
		return { error };
	}
	if (!offer) {
		const names = tools.map(({ name }) => name);
		const nearest = nearestFirst(String(tool), names).slice(0, 20).join(', ');
		return { error: `There is no tool "${String(tool).slice(0, 60)}". There are: ${nearest}.` };
	}
	try {
		countCall(context, policy, offer);
		return { rows: await rowsOf(context, offer, args, policy) };
	} catch (error) {
		if (error instanceof FieldFault) return { error: `"${error.field}" ${error.fault}.` };
		return { error: errorFor(offer, error as Error, args) };
	}
}

/** n8n's agents and its MCP Server Trigger use no more of a LangChain tool. */
interface Tool {
	name: string;
	description: string;
	schema: AnyZodObject;
	returnDirect: false;
	invoke(input: unknown): Promise<string>;
	metadata: { isFromToolkit: boolean; sourceNodeName: string };
}

/**
 * Supplies an agent or an MCP client with a tool for each offered operation, one that calls the others (`dispatcher`), or one
 * that lists them (`lister`). Calls are shown as runs of the node.
 */
export class Toolkit {
	constructor(
		private readonly context: ISupplyDataFunctions,
		private readonly offered: Offered,
		private readonly policy: Policy,
	) {}

	/** Returns rows as JSON, or the text of an error, unless that's thrown. */
	private async call(tool: unknown, args: Arguments): Promise<string> {
		const { context, offered, policy } = this;
		const type = NodeConnectionTypes.AiTool;
		const { index } = context.addInputData(type, [[{ json: { tool, ...args } as IDataObject }]]);
		const result = await resultOf(context, offered, { tool, args }, policy);
		if ('rows' in result) {
			context.addOutputData(type, index, [[{ json: { response: result.rows } }]]);
			return JSON.stringify(result.rows);
		}
		// n8n stores an error with its node, and the parameters may have secrets.
		const error = new NodeOperationError({ ...context.getNode(), parameters: {} }, result.error);
		context.addOutputData(type, index, error);
		// An MCP client sees a thrown error as an error. An AI Agent would end.
		if (!isKept(context)) throw error;
		return result.error;
	}

	/** A LangChain tool with its calls as runs of the node. `callOf` finds tool and arguments, if it stands for several. */
	private tool(
		name: string,
		description: string,
		schema: AnyZodObject,
		callOf = (input: IDataObject): [tool: unknown, args: Arguments] => [name, input],
	): Tool {
		return {
			name,
			description,
			schema,
			returnDirect: false,
			invoke: async (input) => await this.call(...callOf(recordOf(input))),
			metadata: { isFromToolkit: true, sourceNodeName: this.context.getNode().name },
		};
	}

	/** One tool where n8n takes no more, or an array of tools that is a toolkit, too: n8n before 2.32 wants the array. */
	supplied(): Tool | (Tool[] & { tools: Tool[]; getTools: () => Tool[] }) {
		const { context, offered } = this;
		checkCopy(context);
		const { parentNode } = context as { parentNode?: INode };
		// A review gates the whole node, and what was approved doesn't decide on the tool that runs (n8n 2.41).
		if (parentNode?.type.endsWith('HitlTool') && offered.tools.length > 1) {
			const why =
				'must be one operation for each review node, else a model could have one approved and call another. Connect reads to the agent directly';
			throw new FieldFault('Tools', why);
		}
		if (parentNode?.type.endsWith('.toolExecutor')) return this.lister();
		if (isOwnAgent(context)) return this.dispatcher();
		const tools = offered.tools.map((offer) =>
			this.tool(offer.name, describedTool(offer.operation), signatureFor(offer).schema),
		);
		return Object.assign([...tools], { tools, getTools: () => tools });
	}

	/** n8n asks for no tool by name if a person executes the node by hand. */
	private lister(): Tool {
		const { context, offered } = this;
		const type = NodeConnectionTypes.AiTool;
		const list = listOf(offered);
		const invoke = async () => {
			const { index } = context.addInputData(type, [[{ json: {} }]]);
			context.addOutputData(type, index, [list.map((json) => ({ json }))]);
			return await Promise.resolve(JSON.stringify(list));
		};
		return { ...this.tool('list', 'Lists the tools', object({})), invoke };
	}

	/** For n8n's own Agents, which take no toolkit. They tell the model only the schema of a tool, so the schema has the list. */
	private dispatcher(): Tool {
		const names = this.offered.tools.map(({ name }) => name);
		const lines = this.offered.tools.map((offer) => {
			const args = Object.entries(signatureFor(offer).schema.shape).map(
				([name, each]) => `${name}${(each as ZodTypeAny).isOptional() ? '?' : ''}`,
			);
			return `${offer.name}(${args.join(', ')}): ${describedTool(offer.operation)}`;
		});
		const list = `A ? marks an optional argument.\n${lines.join('\n')}`;
		const schema = object({
			tool: enumOf(names).describe(list),
			arguments: record().optional(),
		});
		return this.tool('platform', 'Calls one of several tools', schema, (input) => [
			input.tool,
			recordOf(input.arguments),
		]);
	}
}
