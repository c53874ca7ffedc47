// Platform Knowledge Base Retriever: gives passages of a knowledge base to n8n's chains.
import {
	NodeConnectionTypes,
	type INodeType,
	type INodeTypeDescription,
	type ISupplyDataFunctions,
	type SupplyData,
} from 'n8n-workflow';

import { describeFields } from '../shared/description';
import { methods } from '../shared/pickers';
import { SubNode } from '../shared/subNode';
import { operation, search, type Passage } from './search';

export class PlatformKnowledgeBaseRetriever implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Platform Knowledge Base Retriever',
		name: 'platformKnowledgeBaseRetriever',
		icon: {
			light: 'file:../../icons/knowledgeBaseRetriever.svg',
			dark: 'file:../../icons/knowledgeBaseRetriever.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle:
			'={{$parameter["knowledgeBaseId"]["cachedResultName"] || $parameter["knowledgeBaseId"]["value"]}}',
		description: 'Retrieve passages and sources from a knowledge base',
		defaults: { name: 'Platform Knowledge Base Retriever' },
		inputs: [],
		outputs: [NodeConnectionTypes.AiRetriever],
		outputNames: ['Retriever'],
		credentials: [{ name: 'platformApi', required: true, testedBy: 'platformApiTest' }],
		properties: describeFields(operation),
	};

	methods = methods;

	/**
	 * Supplies what LangChain takes for a retriever without its classes: `lc_runnable` and `invoke`.
	 * With any further callable member LangChain would make a branch of each.
	 */
	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		const node = await SubNode.open(this, itemIndex, NodeConnectionTypes.AiRetriever, operation);
		return {
			response: {
				lc_runnable: true,
				invoke: async (query: string, config?: { signal?: unknown }): Promise<Passage[]> =>
					await node.run({
						input: { query },
						work: async (api, request) => await search(query, request, api),
						output: (response) => ({ response }),
						// Some of LangChain's retrievers pass something else than a config here.
						signal: config?.signal instanceof AbortSignal ? config.signal : undefined,
					}),
			},
			closeFunction: node.close,
		};
	}
}
