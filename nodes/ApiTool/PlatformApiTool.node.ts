// Platform Tools: many operations as tools of one node, for agents and MCP clients.
import {
	NodeConnectionTypes,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type ISupplyDataFunctions,
	type SupplyData,
} from 'n8n-workflow';

import { methods, nodeHead } from '../api';
import { withNodeErrors } from '../engine/editor/editor';
import { describeFields } from '../engine/node/description';
import { offeredBy, type Offer } from './catalog';
import { fields } from './form';
import { policyOf } from './policy';
import { listOf, resultOf, signatureFor, Toolkit } from './toolkit';

/** An argument that the model has given. Null counts as none. */
const fromModel = (context: IExecuteFunctions, name: string): unknown =>
	context.evaluateExpression(`{{ $fromAI('${name}') }}`, 0);

/** Names in an item that aren't in `own`, and that n8n doesn't put beside the arguments itself. */
function otherNames(json: IDataObject, own: string[]): string[] {
	const excluded = new Set(['tool', 'toolCallId', ...own]);
	// What $fromAI can read, without names that every object has, such as `constructor`.
	const canLookUp = (name: string) => /^[\w-]{1,64}$/.test(name) && !(name in {});
	return Object.keys(json).filter((name) => canLookUp(name) && !excluded.has(name));
}

/**
 * Reads the arguments of the model. n8n writes them over the item of the agent, which must not get into the arguments: only $fromAI
 * tells them apart. What must never happen: an argument is dropped without a word. So each name in the item is looked up, also
 * those that the tool doesn't have, which are refused later. Only names that $fromAI can't read are lost: with other
 * characters, or reserved by n8n, such as `arguments`. No tool has such a name.
 */
function argumentsOf(context: IExecuteFunctions, offer: Offer): Record<string, unknown> {
	const [{ json }] = context.getInputData();
	const { names } = signatureFor(offer);
	// $fromAI gives nothing for null. A null that the item had before the model is taken for the model's, too: a field that says
	// who may see something then refuses it, and to all others it means nothing.
	const own = names.map((name): [string, unknown] => [
		name,
		fromModel(context, name) ?? (json[name] === null ? null : undefined),
	]);
	// $fromAI also looks for arguments inside of one called `query`. No tool has that name, so it's refused.
	const others = ['query', ...otherNames(json, [...names, 'query'])].map(
		(name): [string, unknown] => {
			try {
				return [name, fromModel(context, name)];
			} catch {
				// n8n reserves the name.
				return [name, undefined];
			}
		},
	);
	return Object.fromEntries([...own, ...others].filter(([, value]) => value !== undefined));
}

/** Makes the call in an item, and returns its rows, or its error as one. Execute step gives no tool, and gets their list. */
async function rowsOfCall(context: IExecuteFunctions): Promise<IDataObject[]> {
	const offered = offeredBy(context);
	const tool = fromModel(context, 'tool');
	if (tool === undefined) {
		return listOf(offered);
	}
	const offer = offered.tools.find(({ name }) => name === tool);
	const call = { tool, args: offer ? argumentsOf(context, offer) : {} };
	const result = await resultOf(context, offered, call, policyOf(context));
	// n8n 2.20 ends the agent at a thrown error, so that the model couldn't mend it.
	return 'rows' in result ? result.rows : [result];
}

const toolsOf = async (context: ISupplyDataFunctions): Promise<unknown> =>
	await Promise.resolve(new Toolkit(context, offeredBy(context), policyOf(context)).supplied());

export class PlatformApiTool implements INodeType {
	description: INodeTypeDescription = {
		...nodeHead(
			'platformApiTool',
			'For agents and MCP clients that need several operations: one node in place of many tool nodes. Connect as ai_tool.',
			['platformKnowledgeBaseTool'],
		),
		version: [1, 1.1],
		displayName: 'Platform Tools',
		icon: { light: 'file:../../icons/apiTool.svg', dark: 'file:../../icons/apiTool.dark.svg' },
		group: ['transform'],
		subtitle:
			'={{ $parameter["offer"] === "chosen" ? $parameter["operations"].join(", ") : ($parameter["offer"] === "readOnly" ? "read: " : "read and change: ") + $parameter["areas"].join(", ") }}',
		description: 'Give an agent or an MCP client many operations as tools, with limits',
		defaults: { name: 'Platform Tools' },
		inputs: [],
		outputs: [NodeConnectionTypes.AiTool],
		outputNames: ['Tool'],
		credentials: [{ name: 'platformApi', required: true, testedBy: 'platformApiTest' }],
		properties: describeFields({ fields }),
	};

	methods = { credentialTest: methods.credentialTest };

	/** Agents that call their tools themselves, and MCP clients, use this. */
	async supplyData(this: ISupplyDataFunctions): Promise<SupplyData> {
		return { response: await withNodeErrors(this, toolsOf(this)) };
	}

	/** AI Agent 3 has n8n's engine run its tools. */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const rows = await withNodeErrors(this, rowsOfCall(this));
		return [rows.map((json) => ({ json, pairedItem: { item: 0 } }))];
	}
}
