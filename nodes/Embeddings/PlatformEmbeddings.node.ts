// Platform Embeddings: creates embeddings for n8n's vector stores with an AI Gateway connection.
import {
	NodeConnectionTypes,
	type IDataObject,
	type INodeType,
	type INodeTypeDescription,
	type ISupplyDataFunctions,
	type SupplyData,
} from 'n8n-workflow';

import { methods, nodeHead } from '../api';
import { describeFields } from '../engine/node/description';
import { openSubNode } from '../engine/node/subNode';
import { embed, embedding } from './embed';

export class PlatformEmbeddings implements INodeType {
	description: INodeTypeDescription = {
		...nodeHead(
			'platformEmbeddings',
			'For vector stores of n8n. Use the same connection to insert and to search.',
			['platformAiGateway', 'platformKnowledgeBaseRetriever'],
		),
		icon: {
			light: 'file:../../icons/embeddings.svg',
			dark: 'file:../../icons/embeddings.dark.svg',
		},
		group: ['transform'],
		subtitle:
			'={{$parameter["connectionId"]["cachedResultName"] || $parameter["connectionId"]["value"]}}',
		description: 'Create embeddings for a vector store with an AI Gateway connection',
		inputs: [],
		outputs: [NodeConnectionTypes.AiEmbedding],
		outputNames: ['Embeddings'],
		credentials: [{ name: 'platformApi', required: true, testedBy: 'platformApiTest' }],
		properties: [
			{
				displayName:
					"This node must be connected to a vector store. <a data-action='openSelectiveNodeCreator' data-action-parameter-connectiontype='ai_vectorStore'>Insert one</a>",
				name: 'notice',
				type: 'notice',
				default: '',
				typeOptions: { containerClass: 'ndv-connection-hint-notice' },
			},
			...describeFields(embedding),
		],
	};

	methods = methods;

	/** Supplies `{embedQuery(text), embedDocuments(texts)}`, which n8n's vector stores call. */
	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		const node = await openSubNode(this, itemIndex, NodeConnectionTypes.AiEmbedding, embedding);
		const vectorsOf = async (texts: string[], role: 'document' | 'query', input: IDataObject) => {
			const { vectors } = await node.run({
				input,
				work: async (api, request) => await embed(texts, role, request, api),
				event: { name: role === 'query' ? 'ai-query-embedded' : 'ai-document-embedded' },
				output: ({ summary }) => summary,
			});
			return vectors;
		};
		return {
			response: {
				embedQuery: async (query: string) => (await vectorsOf([query], 'query', { query }))[0],
				embedDocuments: async (documents: string[]) =>
					await vectorsOf(documents, 'document', { documents }),
			},
			closeFunction: node.close,
		};
	}
}
