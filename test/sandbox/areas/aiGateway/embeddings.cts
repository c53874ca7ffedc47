/** Embeddings, at both addresses, and the budget that holds them. Reference: 'Embeddings request'. */
import type { Area, Call } from '../../area.cts';
import { refuse } from '../../refusals.cts';
import { costOf } from './connections.cts';
import { defaultDimensions, embed, tokenCount } from './text.cts';

export interface EmbeddingsState {
	/** Of this month; a request that would spend more than the limit is refused. */
	budget: { limitUsd: number | null; spentUsd: number };
}

interface EmbeddingsInput {
	connection_id: string;
	model?: string;
	input: string | string[];
	dimensions?: number;
}

function embeddings(call: Call) {
	const { state } = call;
	const { connection_id, model, input, dimensions } = call.body as EmbeddingsInput;
	const passages = [input].flat();
	const connection = state.aiConnections.connections.get(connection_id);
	if (!connection) throw refuse('unknownConnection');
	const isValid =
		connection.status === 'active' &&
		connection.purpose === 'embedding' &&
		(model === undefined || model === connection.model);
	if (!isValid) throw refuse('badEmbedding');

	const tokens = passages.reduce((sum, passage) => sum + tokenCount(passage), 0);
	const cost = costOf(connection, tokens);
	const { budget } = state.aiEmbeddings;
	if (budget.limitUsd !== null && budget.spentUsd + cost > budget.limitUsd) {
		throw refuse('budgetExceeded');
	}
	budget.spentUsd += cost;
	return {
		object: 'list',
		data: passages.map((passage, index) => ({
			object: 'embedding',
			index,
			embedding: embed(passage, dimensions),
		})),
		model: connection.model,
		usage: { prompt_tokens: tokens, total_tokens: tokens },
		svc: {
			request_id: call.newId('req'),
			run_id: call.newId('run'),
			connection_id: connection.id,
			provider: connection.provider,
			input_items: passages.length,
			dimensions: dimensions ?? defaultDimensions,
			estimated_cost_usd: cost,
		},
	};
}

/** The same with a shorter ledger entry. */
function aliased(call: Call) {
	const { svc, ...answer } = embeddings(call);
	if (call.world.aliasLedger === 'whole') return { ...answer, svc };
	const { request_id, connection_id, provider, estimated_cost_usd } = svc;
	return { ...answer, svc: { request_id, connection_id, provider, estimated_cost_usd } };
}

export const aiEmbeddings: Area<EmbeddingsState> = {
	seed: () => ({ budget: { limitUsd: 100, spentUsd: 12.4 } }),

	endpoints: {
		'POST /ai-gateway/embeddings': { invalid: 'badEmbedding', handle: embeddings },
		'POST /ai-gateway/embeddings.json': { invalid: 'badEmbedding', handle: aliased },
	},
};
