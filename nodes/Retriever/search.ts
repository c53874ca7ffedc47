// The search of Platform Knowledge Base Retriever and the documents of its answer (reference: AI
// Gateway, Document and passage).
import type { IDataObject } from 'n8n-workflow';

import { locator } from '../shared/pickers';
import { recordsOf, type ApiRequest, type Field, type Operation } from '../shared/operation';
import { checkedValue } from '../shared/checkedValue';
import { waitingFields, type Api } from '../shared/subNode';

const endpoint: Operation = {
	name: 'Search',
	value: 'search',
	action: 'Search a knowledge base',
	description: 'Return the passages that match a query',
	route: 'POST /ai-gateway/knowledge-bases/{knowledgeBaseId}/search.json',
	shape: { kind: 'list', items: 'results' },
	// It only reads.
};

/** The request without its query, and the form that fills it. */
export const operation: Operation = {
	...endpoint,
	fields: [
		locator('knowledgeBases', {
			displayName: 'Knowledge Base',
			name: 'knowledgeBaseId',
			required: true,
			description: 'The knowledge base to search',
			placeholder: 'e.g. kb_12',
		}),
		{
			displayName: 'Max Passages',
			name: 'passages',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 10 },
			default: 5,
			send: { as: 'limit', type: 'integer', minimum: 1, maximum: 10 },
			description: 'Max number of passages to return, 1 to 10',
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: [
				{
					displayName: 'Principals',
					name: 'principals',
					type: 'string',
					default: '',
					placeholder: 'e.g. group:finance, user:ada',
					send: { type: 'list', emptyFails: true },
					description:
						"Who is searching, separated by commas or as an array. Only public passages and those these principals can see are returned. Can't be left blank once added; an empty array is sent as it is.",
				},
				...waitingFields(endpoint),
			],
		},
	],
};

const queryField: Field = {
	displayName: 'Query',
	name: 'query',
	type: 'string',
	required: true,
	default: '',
	send: { maxLength: 32_000 },
};

/** A passage as chains know it: its text, and what is needed to cite it. */
export interface Passage {
	pageContent: string;
	/** Every other field of the passage, such as document_name, page, section and score. */
	metadata: IDataObject;
}

/**
 * Searches for a query.
 * @param request without the query
 * @throws FieldFault for a query that is empty, too long or no text
 */
export async function search(query: unknown, request: ApiRequest, api: Api): Promise<Passage[]> {
	const text = String(checkedValue(queryField, query));
	const body = { ...request.body, query: text };
	const { rows } = await api.list({ ...request, body });
	return recordsOf(rows).map(({ content, ...metadata }) => ({
		pageContent: String(content ?? ''),
		metadata,
	}));
}
