// The request of Platform Embeddings and the vectors of its answer (reference: AI Gateway,
// Embeddings request).
import type { IDataObject } from 'n8n-workflow';

import { passageFault, splitPassages } from '../shared/embeddingBatches';
import { inPool } from '../shared/pool';
import { locator } from '../shared/pickers';
import {
	FieldFault,
	recordOf,
	recordsOf,
	type ApiRequest,
	type Operation,
} from '../shared/operation';
import { waitingFields, type Api } from '../shared/subNode';

/** Requests in flight, for more texts than one request takes. */
const PARALLEL = 4;

const endpoint: Operation = {
	name: 'Embed',
	value: 'embed',
	action: 'Embed texts',
	description: 'Create embeddings of text',
	// The action node uses the alias, /ai-gateway/embeddings.json.
	route: 'POST /ai-gateway/embeddings',
};

/** The request without its texts, and the form that fills it. */
export const operation: Operation = {
	...endpoint,
	fields: [
		locator('embeddingConnections', {
			displayName: 'Connection',
			name: 'connectionId',
			required: true,
			send: { as: 'connection_id' },
			description:
				'An active AI Gateway connection with the purpose embedding. Search with the same connection that you insert documents with.',
			placeholder: 'e.g. conn_12',
		}),
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: [
				{
					displayName: 'Dimensions',
					name: 'dimensions',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: 65_536 },
					default: 1024,
					send: { type: 'integer', minimum: 1, maximum: 65_536 },
					description:
						'Length of the vectors, 1 to 65,536. Only for providers that let you choose it. Must match the vector store.',
				},
				{
					displayName: 'Model',
					name: 'model',
					type: 'string',
					default: '',
					description:
						"Exact model of the connection. The request fails if the connection has another one, so a changed model can't mix up the vectors.",
				},
				{
					displayName: 'Send Input Type',
					name: 'inputTypes',
					type: 'boolean',
					default: true,
					send: false,
					description:
						'Whether to tell the provider if a text is a query or a document. Turn it off if the provider refuses the request.',
				},
				...waitingFields(endpoint),
			],
		},
	],
};

const isVector = (value: unknown): value is number[] =>
	Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'number');

/**
 * The vectors of an answer, in the order of its texts.
 * @throws Error when there is not exactly one for each text
 */
export function vectorsOf(answer: IDataObject, count: number): number[][] {
	const data = recordsOf(answer.data);
	const found = new Map(data.map(({ index, embedding }) => [index, embedding]));
	const vectors = Array.from({ length: count }, (_text, index) => found.get(index));
	if (data.length !== count || !vectors.every(isVector)) {
		const usable = [...found.values()].filter(isVector).length;
		throw new Error(
			`The API returned ${data.length} entries with ${usable} usable vectors for ${count} texts. None were used, because vectors could be matched to the wrong text.`,
		);
	}
	return vectors;
}

/** Texts that were embedded, and what it took. */
export interface Embedded {
	/** As many as texts, in their order. */
	vectors: number[][];
	/** Requests that were sent. */
	requests: number;
	/** Tokens of all requests together. */
	tokens: number;
}

/**
 * Embeds texts in as many requests as the documented limits need.
 * @param request without the texts
 * @throws FieldFault for an empty text, one that is too long, or what is no text
 */
export async function embed(texts: unknown[], request: ApiRequest, api: Api): Promise<Embedded> {
	if (!texts.every((text) => typeof text === 'string')) {
		throw new FieldFault('Text to embed', 'must be text');
	}
	const fault = passageFault(texts);
	if (fault !== undefined) throw new FieldFault('Text to embed', fault);
	const rest = recordOf(request.body);
	const batches = splitPassages(texts, rest);
	const vectors = new Array<number[][]>(batches.length);
	let tokens = 0;
	await inPool(batches.length, PARALLEL, async (index) => {
		const input = batches[index];
		const body = { ...rest, input };
		const answer = recordOf(await api.object({ ...request, body }, { kind: 'one' }));
		vectors[index] = vectorsOf(answer, input.length);
		tokens += Number(recordOf(answer.usage).total_tokens ?? 0);
	});
	return { vectors: vectors.flat(), requests: batches.length, tokens };
}
