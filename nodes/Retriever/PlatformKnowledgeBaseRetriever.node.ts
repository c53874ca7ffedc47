// Platform Knowledge Base Retriever: supplies passages of knowledge bases to n8n's chains.
import {
	NodeConnectionTypes,
	type INodeType,
	type INodeTypeDescription,
	type ISupplyDataFunctions,
	type SupplyData,
} from 'n8n-workflow';

import { methods, nodeHead } from '../api';
import { recordOf } from '../engine/base/data';
import { describeFields } from '../engine/node/description';
import { openSubNode } from '../engine/node/subNode';
import { runnable } from './runnable';
import { operation, search, shownOutput } from './search';

export class PlatformKnowledgeBaseRetriever implements INodeType {
	description: INodeTypeDescription = {
		...nodeHead(
			'platformKnowledgeBaseRetriever',
			'For chains such as the Question and Answer Chain. For agents use platformKnowledgeBaseTool.',
			['platformAiGateway', 'platformKnowledgeBaseTool'],
		),
		version: [1, 1.1],
		icon: {
			light: 'file:../../icons/knowledgeBaseRetriever.svg',
			dark: 'file:../../icons/knowledgeBaseRetriever.dark.svg',
		},
		group: ['transform'],
		subtitle:
			'={{$parameter["knowledgeBaseId"]["cachedResultName"] || $parameter["knowledgeBaseId"]["value"]}}',
		description: 'Retrieve passages and sources from a knowledge base',
		inputs: [],
		outputs: [NodeConnectionTypes.AiRetriever],
		outputNames: ['Retriever'],
		credentials: [{ name: 'platformApi', required: true, testedBy: 'platformApiTest' }],
		properties: describeFields(operation),
	};

	methods = methods;

	/** A LangChain retriever without LangChain's classes: a runnable, with `getRelevantDocuments` of older retrievers. */
	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		const node = await openSubNode(this, itemIndex, NodeConnectionTypes.AiRetriever, operation);
		const retrieve = async (query: string, config?: unknown) => {
			// Some of LangChain's retrievers pass something else in place of a config.
			const { signal } = recordOf(config);
			return await node.run({
				input: { query },
				work: async (api, request) => await search(query, request, api),
				output: shownOutput,
				event: { name: 'ai-documents-retrieved', data: { query } },
				signal: signal instanceof AbortSignal ? signal : undefined,
			});
		};
		return {
			response: { ...runnable(retrieve), getRelevantDocuments: retrieve },
			closeFunction: node.close,
		};
	}
}
