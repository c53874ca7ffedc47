// Knowledge bases and their search (reference: AI Gateway, Knowledge base).
import { create, getMany, operation } from '../api';
import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { recordOf } from '../engine/base/data';
import { additionalFields, choice, filters, json, number, text } from '../engine/form/fields';
import { resource } from '../engine/form/operation';
import { filteredBy } from '../engine/form/rowFilters';
import { toList } from '../engine/form/values';
import { access, accessCheck, withoutAccess, principals } from './access';
import { embeddingConnection, knowledgeBaseId, name, vectorStoreId } from './fields';
import { getOne } from './getOne';
import { isLeftOut, leaveOut, maxPassages, queryLimit } from './knowledgeBaseSearch';

/** @throws FieldFault for the vector store as storage without vector retrieval */
function checkStorage({ body }: ApiRequest): void {
	const { content_storage_mode, retrieval_mode } = recordOf(body);
	if (content_storage_mode === 'vector_store_payload' && retrieval_mode !== 'vector') {
		throw new FieldFault(
			'Content Storage',
			'can only be the vector store if Retrieval Mode is Vector',
		);
	}
}

export const knowledgeBase = resource('knowledgeBase', {
	description: 'Documents that can be searched',
	usual: 'search',
	ids: [knowledgeBaseId],
	operations: [
		create({
			action: 'Create a knowledge base',
			description: 'Create an empty knowledge base and return it with its ID',
			route: 'POST /ai-gateway/knowledge-bases.json',
			check: checkStorage,
			fields: [
				{ ...name, required: true },
				choice({
					name: 'retrievalMode',
					default: 'lexical',
					send: { as: 'retrieval_mode' },
					options: [
						{ name: 'Lexical', value: 'lexical', description: 'Find passages by words' },
						{
							name: 'Vector',
							value: 'vector',
							description:
								'Find passages by meaning. Needs a vector store and an embedding connection, and may cost tokens.',
						},
					],
				}),
				{
					...vectorStoreId,
					displayOptions: { show: { retrievalMode: ['vector'] } },
					send: { as: 'vector_store_id' },
				},
				{
					...embeddingConnection,
					displayName: 'Embedding Connection',
					name: 'embeddingConnectionId',
					displayOptions: { show: { retrievalMode: ['vector'] } },
					send: { as: 'embedding_connection_id' },
				},
				additionalFields([
					choice({
						displayName: 'Content Storage',
						name: 'contentStorageMode',
						default: 'svc',
						send: { as: 'content_storage_mode' },
						options: [
							{ name: 'Platform', value: 'svc' },
							{
								name: 'Vector Store',
								value: 'vector_store_payload',
								description:
									'For vector retrieval only. Required for ingesting documents from URLs.',
							},
						],
					}),
					text({
						name: 'description',
						send: { maxLength: 500 },
						description: 'Up to 500 characters',
					}),
				]),
			],
		}),
		operation('getEvaluations', {
			action: 'Get evaluations of a knowledge base',
			description:
				'Return evaluations with decision and metrics. A recommendation needs at least 10 cases.',
			route: 'GET /ai-gateway/knowledge-bases/{knowledgeBaseId}/evaluations.json',
			fields: [
				filters([
					number({
						displayName: 'Max Evaluations',
						name: 'evaluations',
						typeOptions: { minValue: 1 },
						default: 20,
						send: { as: 'limit', type: 'integer' },
						description: 'Max recent evaluations to return',
					}),
				]),
			],
		}),
		getOne({
			field: 'knowledgeBaseId',
			list: 'knowledgeBases',
			description: 'Return a knowledge base with retrieval mode, status and number of documents',
			placeholder: 'e.g. akb-1',
		}),
		getMany({
			action: 'Get many knowledge bases',
			description: 'Return knowledge bases with retrieval mode, status and number of documents',
			route: 'GET /ai-gateway/knowledge-bases.json',
			...filteredBy('knowledge bases', { status: {} }),
		}),
		operation('search', {
			action: 'Search a knowledge base',
			description: 'Return the passages that match a query, one item each',
			notice: 'In a vector knowledge base, this may cost tokens',
			builderHint: 'In an agent use platformKnowledgeBaseTool instead.',
			route: 'POST /ai-gateway/knowledge-bases/{knowledgeBaseId}/search.json',
			check: accessCheck('Principals (JSON)'),
			reading: (value) => {
				const { [leaveOut.name]: left } = recordOf(value('additionalFields'));
				if (left === undefined) return undefined;
				const ids = toList(leaveOut, left);
				return { wanted: { matches: (row) => !isLeftOut(ids, row) } };
			},
			alternative: { field: 'output', is: 'answer', shape: { kind: 'one' } },
			fields: [
				text({
					name: 'query',
					placeholder: 'e.g. How do I cancel?',
					required: true,
					send: { maxLength: queryLimit },
					description: 'Max 32,000 characters',
				}),
				access,
				principals,
				choice({
					name: 'output',
					default: 'passages',
					send: false,
					options: [
						{ name: 'Passages', value: 'passages', description: 'One item for each passage' },
						{
							name: 'Whole Response',
							value: 'answer',
							description: 'One item with the knowledge base, the count and all passages',
						},
					],
				}),
				additionalFields([
					{
						...leaveOut,
						description:
							'IDs of documents, such as replaced ones. Fewer passages come then. Not in a whole response.',
					},
					{
						...maxPassages,
						description: 'From 1 to 10',
					},
					json({
						name: 'principals',
						default: '',
						placeholder: 'e.g. ["group:finance"]',
						displayOptions: { show: withoutAccess },
						send: { type: 'array', empty: 'refused', emptyList: true },
						description: 'Who is searching. Only public passages and theirs are returned.',
					}),
				]),
			],
		}),
	],
});
