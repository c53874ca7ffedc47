// Platform Tools: many operations as tools of one node, for agents and MCP clients.
import {
	NodeConnectionTypes,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type ISupplyDataFunctions,
	type SupplyData,
} from 'n8n-workflow';

import { describeFields } from '../shared/description';
import { asNodeError } from '../shared/execute';
import { nodeHead } from '../shared/nodeHead';
import { methods } from '../shared/pickers';
import { FieldFault } from '../shared/operation';
import { answerTo, signatureFor } from './call';
import type { Offer } from './catalog';
import { form, offeredBy, policyOf } from './form';
import type { Context } from './policy';
import { toldOf, Toolkit } from './toolkit';

/**
 * Reads what the model has given. n8n writes it over the item of the agent, which must not get into the
 * arguments: only $fromAI tells them apart. It also looks into an argument `query`, which no tool has.
 */
function argumentsOf(context: IExecuteFunctions, offer: Offer): Record<string, unknown> {
	const given = (name: string) => context.evaluateExpression(`{{ $fromAI('${name}') }}`, 0);
	if (given('query') !== undefined) throw new FieldFault('query', "is no argument. Don't give it");
	const names = Object.keys(signatureFor(offer).schema.shape as object);
	const entries = names.map((name) => [name, given(name)] as const);
	return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** A review gates the whole node, and what was approved is not what decides on the tool (n8n 2.41). */
function checkReview(context: ISupplyDataFunctions, offered: Offer[]): void {
	const { parentNode } = context as { parentNode?: INode };
	if (!parentNode?.type.endsWith('HitlTool') || offered.length === 1) return;
	throw new FieldFault(
		'Tools',
		'must be one operation for each review node, else a model could have one approved and call another. Connect reads to the agent directly',
	);
}

/** Runs `work`, with errors of the form as n8n shows them. */
const withErrors = async <T>(context: Context, work: () => T | Promise<T>): Promise<T> => {
	try {
		return await work();
	} catch (error) {
		throw asNodeError(context, error);
	}
};

/** The call in an item: the tool and its arguments. Nothing if somebody executes the node by hand. */
async function callIn(context: IExecuteFunctions, offered: Offer[]): Promise<IDataObject[]> {
	const tool: unknown = context.evaluateExpression("{{ $fromAI('tool') }}", 0);
	if (tool === undefined) {
		return offered.map((offer) => ({
			tool: offer.name,
			description: toldOf(offer),
			arguments: Object.keys(signatureFor(offer).schema.shape as object),
			changesData: offer.changes,
		}));
	}
	const offer = offered.find(({ name }) => name === tool);
	const call = { tool, args: offer ? argumentsOf(context, offer) : {} };
	const answer = await answerTo(context, offered, call, policyOf(context));
	// n8n 2.20 ends the agent at a thrown error, so that the model couldn't mend it.
	return 'error' in answer ? [{ error: answer.error }] : answer.rows;
}

export class PlatformApiTool implements INodeType {
	description: INodeTypeDescription = {
		...nodeHead(
			'platformApiTool',
			'For agents and MCP clients that need several operations: one node in place of a tool node for each. Connect as ai_tool. For one operation whose fields the user fills in, use the tool variant of an action node.',
			['platformKnowledgeBaseTool'],
		),
		displayName: 'Platform Tools',
		icon: { light: 'file:../../icons/apiTool.svg', dark: 'file:../../icons/apiTool.dark.svg' },
		group: ['transform'],
		subtitle:
			'={{ $parameter["offer"] === "chosen" ? $parameter["operations"].join(", ") : $parameter["offer"] + ": " + $parameter["areas"].join(", ") }}',
		description: 'Give an agent or an MCP client many operations as tools, with limits',
		defaults: { name: 'Platform Tools' },
		inputs: [],
		outputs: [NodeConnectionTypes.AiTool],
		outputNames: ['Tool'],
		credentials: [{ name: 'platformApi', required: true, testedBy: 'platformApiTest' }],
		properties: describeFields(form),
	};

	methods = { credentialTest: methods.credentialTest };

	/** For agents that call their tools themselves, and for MCP clients. */
	async supplyData(this: ISupplyDataFunctions): Promise<SupplyData> {
		return await withErrors(this, () => {
			const offered = offeredBy(this);
			checkReview(this, offered);
			const toolkit = new Toolkit(this, offered, policyOf(this));
			const isAgentOfN8n = this.getMode() === 'internal';
			return { response: isAgentOfN8n ? toolkit.dispatcher() : toolkit.tools() };
		});
	}

	/** For AI Agent 3, which has n8n's engine run its tools. */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const rows = await withErrors(this, async () => await callIn(this, offeredBy(this)));
		return [rows.map((json) => ({ json, pairedItem: { item: 0 } }))];
	}
}
