// Platform Knowledge Base Tool: lets an agent search knowledge bases.
import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { methods, nodeHead } from '../api';
import { describeFields } from '../engine/node/description';
import { executeTool } from '../engine/node/execute';
import { tellEvent } from '../engine/node/subNode';
import { operation } from './tool';

/**
 * n8n turns a node with an AiTool output, `execute` and no `supplyData` into a tool. The model fills in its `$fromAI()`
 * parameters. It then runs like every other node, also in nested agents, for the MCP Server Trigger and on workers.
 */
export class PlatformKnowledgeBaseTool implements INodeType {
	description: INodeTypeDescription = {
		...nodeHead(
			'platformKnowledgeBaseTool',
			'For agents. Say in the description what the knowledge base is about. The model asks the question, so leave it as it is.',
			['platformAiGateway'],
		),
		version: [1, 1.1],
		icon: {
			light: 'file:../../icons/knowledgeBaseTool.svg',
			dark: 'file:../../icons/knowledgeBaseTool.dark.svg',
		},
		group: ['transform'],
		subtitle:
			'={{$parameter["knowledgeBaseId"]["cachedResultName"] || $parameter["knowledgeBaseId"]["value"]}}',
		description: 'Let an agent search knowledge bases and cite the sources',
		defaults: { name: 'Search Knowledge Base' },
		inputs: [],
		outputs: [NodeConnectionTypes.AiTool],
		outputNames: ['Tool'],
		credentials: [{ name: 'platformApi', required: true, testedBy: 'platformApiTest' }],
		properties: describeFields(operation),
	};

	methods = methods;

	/** `{response}` for each question: passages with their sources, as text. n8n's log streaming gets each success. */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const output = await executeTool.call(this, operation);
		for (const [index, { json }] of output[0].entries()) {
			// An expression that has failed would fail here, too.
			if ('error' in json) continue;
			const data = { query: this.getNodeParameter('question', index), ...json };
			tellEvent(this, { name: 'ai-tool-called', data });
		}
		return output;
	}
}
