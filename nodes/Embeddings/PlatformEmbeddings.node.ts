// Platform Embeddings: makes the vectors of n8n's vector stores, over an embedding connection of
// the AI gateway.
import {
	NodeConnectionTypes,
	type IDataObject,
	type INodeType,
	type INodeTypeDescription,
	type ISupplyDataFunctions,
	type SupplyData,
} from 'n8n-workflow';

import { describeFields } from '../shared/description';
import { methods } from '../shared/pickers';
import { SubNode } from '../shared/subNode';
import { recordOf } from '../shared/operation';
import { embed, operation } from './embed';

export class PlatformEmbeddings implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Platform Embeddings',
		name: 'platformEmbeddings',
		icon: {
			light: 'file:../../icons/embeddings.svg',
			dark: 'file:../../icons/embeddings.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle:
			'={{$parameter["connectionId"]["cachedResultName"] || $parameter["connectionId"]["value"]}}',
		description: 'Create embeddings for a vector store with an AI Gateway connection',
		defaults: { name: 'Platform Embeddings' },
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
			...describeFields(operation),
		],
	};

	methods = methods;

	/** Supplies `{embedQuery(text), embedDocuments(texts)}`, what n8n's vector stores call. */
	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		const options = recordOf(this.getNodeParameter('options', itemIndex, {}));
		const node = await SubNode.open(this, itemIndex, NodeConnectionTypes.AiEmbedding, operation);
		const vectorsOf = async (texts: string[], role: 'document' | 'query', input: IDataObject) => {
			const { vectors } = await node.run({
				input,
				work: async (api, request) => {
					const body = { ...request.body };
					if (options.inputTypes !== false) body.input_type = role;
					return await embed(texts, { ...request, body }, api);
				},
				// Not the vectors themselves: they are long, and kept with the execution.
				output: ({ vectors: made, requests, tokens }) => ({
					vectors: made.length,
					dimensions: made[0]?.length ?? 0,
					requests,
					tokens,
				}),
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
