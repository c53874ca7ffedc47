// The operation of Platform Embeddings (reference: AI Gateway, Embeddings request).
import type { IDataObject } from 'n8n-workflow';

import {
	dimensions,
	embedInBatches,
	passageFault,
	retryBrokenField,
	vectorsIn,
} from '../AiGateway/embeddingBatches';
import { embeddingConnection } from '../AiGateway/fields';
import { operation } from '../api';
import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { numberOf, recordOf, recordsOf } from '../engine/base/data';
import type { Steps } from '../engine/client/steps';
import { options, text, toggle } from '../engine/form/fields';
import { waitSettings } from '../engine/node/subNode';

/** Max requests in flight of one call. It only sets the pace. */
const PARALLEL = 4;

/** The operation without its texts, which come with each call. */
export const embedding = operation('embed', {
	action: 'Embed texts',
	description: 'Create embeddings of text',
	route: 'POST /ai-gateway/embeddings',
	fields: [
		{
			...embeddingConnection,
			description: 'Active, with the purpose embedding. Insert and search with the same one.',
		},
		options([
			{
				...dimensions,
				description: `${dimensions.description}. Must match the vector store.`,
			},
			text({
				name: 'model',
				placeholder: 'e.g. text-embedding-3-small',
				description:
					"Fails if the connection has another one, so a changed model can't mix up the vectors",
			}),
			retryBrokenField,
			toggle({
				displayName: 'Send Input Type',
				name: 'inputTypes',
				send: { setting: true },
				description: 'Whether to tell queries from documents, for providers that do so',
			}),
		]),
		waitSettings,
	],
});

interface Embedded {
	vectors: number[][];
	/** Shown in the editor. Without vectors, which are long and would be saved with the execution. */
	summary: IDataObject;
}

/** Vectors and summary of a response of `embedInBatches`. */
function embeddedOf(response: IDataObject): Embedded {
	const vectors = vectorsIn(recordsOf(response.data));
	const bill = recordOf(response.svc);
	// Joined bills (`joinBills`) list all requests.
	const bills = bill.requests === undefined ? [bill] : recordsOf(bill.requests);
	const ids = bills.map(({ request_id }) => request_id).filter((id) => id !== undefined);
	return {
		vectors,
		summary: {
			vectors: vectors.length,
			dimensions: vectors[0]?.length ?? 0,
			model: response.model ?? null,
			// Without texts, none was sent.
			requests: vectors.length === 0 ? 0 : bills.length,
			tokens: numberOf(recordOf(response.usage).total_tokens) ?? null,
			estimated_cost_usd: numberOf(bill.estimated_cost_usd) ?? null,
			request_ids: ids,
		},
	};
}

/** Embeds texts in as many requests as needed. Send Input Type sends `role`. Throws FieldFault for an unusable text. */
export async function embed(
	texts: unknown[],
	role: 'document' | 'query',
	request: ApiRequest,
	steps: Steps,
): Promise<Embedded> {
	if (!texts.every((text) => typeof text === 'string')) {
		throw new FieldFault('Text to embed', 'must be text');
	}
	const fault = passageFault(texts);
	if (fault !== undefined) throw new FieldFault('Text to embed', fault);
	const body: IDataObject = { ...request.body, input: texts };
	if (request.settings?.inputTypes === true) body.input_type = role;
	return embeddedOf(await embedInBatches({ ...request, body }, steps, PARALLEL));
}
