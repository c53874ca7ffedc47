// Knowledge bases and the search in them (reference: AI Gateway, Knowledge base).
import { locator } from '../shared/pickers';
import { FieldFault, recordOf, type ApiRequest, type Resource } from '../shared/operation';
import { knowledgeBaseId, name } from './fields';

function checkStorage({ body }: ApiRequest): void {
	const { content_storage_mode, retrieval_mode } = recordOf(body);
	if (content_storage_mode === 'vector_store_payload' && retrieval_mode !== 'vector') {
		throw new FieldFault('Content Storage', 'can be the vector store only with vector retrieval');
	}
}

export const knowledgeBase: Resource = {
	name: 'Knowledge Base',
	value: 'knowledgeBase',
	operations: [
		{
			name: 'Create',
			value: 'create',
			action: 'Create a knowledge base',
			description: 'Create an empty knowledge base and return it with its ID',
			route: 'POST /ai-gateway/knowledge-bases.json',
			check: checkStorage,
			fields: [
				{
					...name,
					required: true,
					send: { maxLength: 120 },
					description: 'Name of the knowledge base, up to 120 characters',
				},
				{
					displayName: 'Retrieval Mode',
					name: 'retrievalMode',
					type: 'options',
					default: 'lexical',
					send: { as: 'retrieval_mode' },
					options: [
						{ name: 'Lexical', value: 'lexical', description: 'Passages are found by their words' },
						{
							name: 'Vector',
							value: 'vector',
							description:
								'Passages are found by their meaning: needs a vector store and an embedding connection, and costs tokens',
						},
					],
					description: 'How passages are found',
				},
				locator('vectorStores', {
					displayName: 'Vector Store',
					name: 'vectorStoreId',
					required: true,
					displayOptions: { show: { retrievalMode: ['vector'] } },
					send: { as: 'vector_store_id' },
					description: 'Where the vectors of the passages are kept',
					placeholder: 'e.g. vs_12',
				}),
				locator('embeddingConnections', {
					displayName: 'Embedding Connection',
					name: 'embeddingConnectionId',
					required: true,
					displayOptions: { show: { retrievalMode: ['vector'] } },
					send: { as: 'embedding_connection_id' },
					description: 'The connection, of purpose embedding, that makes vectors of the passages',
					placeholder: 'e.g. conn_12',
				}),
				{
					displayName: 'Additional Fields',
					name: 'additionalFields',
					type: 'collection',
					placeholder: 'Add field',
					default: {},
					options: [
						{
							displayName: 'Content Storage',
							name: 'contentStorageMode',
							type: 'options',
							default: 'svc',
							send: { as: 'content_storage_mode' },
							options: [
								{ name: 'Platform', value: 'svc' },
								{
									name: 'Vector Store',
									value: 'vector_store_payload',
									description: 'For vector retrieval only; needed to ingest documents from URLs',
								},
							],
							description: 'Where the texts are kept',
						},
						{
							displayName: 'Description',
							name: 'description',
							type: 'string',
							default: '',
							send: { maxLength: 500 },
							description: 'What the knowledge base is about, up to 500 characters',
						},
					],
				},
			],
		},
		{
			name: 'Get Evaluations',
			value: 'getEvaluations',
			action: 'Get evaluations of a knowledge base',
			description: 'Return the recent evaluations of retrieval with metrics and decision',
			route: 'GET /ai-gateway/knowledge-bases/{knowledgeBaseId}/evaluations.json',
			fields: [
				knowledgeBaseId,
				{
					displayName: 'Filters',
					name: 'filters',
					type: 'collection',
					placeholder: 'Add filter',
					default: {},
					options: [
						{
							displayName: 'Evaluations at Most',
							name: 'evaluations',
							type: 'number',
							typeOptions: { minValue: 1 },
							default: 20,
							send: { as: 'limit', type: 'integer' },
							description: 'How many of the recent evaluations to return; 20 unless set',
						},
					],
				},
			],
		},
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many knowledge bases',
			description: 'Return the knowledge bases with retrieval mode, status and number of documents',
			route: 'GET /ai-gateway/knowledge-bases.json',
		},
		{
			name: 'Search',
			value: 'search',
			action: 'Search a knowledge base',
			description: 'Return the passages that match a question, best first, one item each',
			notice:
				'A search in a vector knowledge base asks the embedding provider, which may cost tokens.',
			route: 'POST /ai-gateway/knowledge-bases/{knowledgeBaseId}/search.json',
			alternative: { field: 'output', is: 'answer', shape: { kind: 'one' } },
			fields: [
				knowledgeBaseId,
				{
					displayName: 'Query',
					name: 'query',
					type: 'string',
					required: true,
					default: '',
					send: { maxLength: 32_000 },
					description: 'What to look for, up to 32,000 characters',
				},
				{
					displayName: 'Output',
					name: 'output',
					type: 'options',
					default: 'passages',
					send: false,
					options: [
						{ name: 'Passages', value: 'passages', description: 'One item for each passage' },
						{
							name: 'Whole Answer',
							value: 'answer',
							description: 'One item with the knowledge base, the count and the list of passages',
						},
					],
					description: 'What to return',
				},
				{
					displayName: 'Additional Fields',
					name: 'additionalFields',
					type: 'collection',
					placeholder: 'Add field',
					default: {},
					options: [
						{
							displayName: 'Passages at Most',
							name: 'passages',
							type: 'number',
							typeOptions: { minValue: 1, maxValue: 10 },
							default: 5,
							send: { as: 'limit', type: 'integer', minimum: 1, maximum: 10 },
							description: 'How many passages to return, 1 to 10; 5 unless set',
						},
						{
							displayName: 'Principals (JSON)',
							name: 'principals',
							type: 'json',
							default: '',
							placeholder: 'e.g. ["group:finance"]',
							send: { type: 'array', emptyFails: true },
							description:
								'For whom to search, as a JSON array: only passages that they may see and public ones are found. The search is refused if it is added and empty; an empty array is sent as such.',
						},
					],
				},
			],
		},
	],
};
