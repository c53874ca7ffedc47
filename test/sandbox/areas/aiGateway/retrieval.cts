/** Search in knowledge bases, and evaluations of it. Reference, AI Gateway: 'Evaluation summary'. */
import { queryText, type Area, type Call } from '../../area.cts';
import { Collection } from '../../collection.cts';
import { refuse } from '../../refusals.cts';
import { dateAfter } from '../../seeds/people.cts';
import type { Document, Passage } from './documents.cts';
import { canRetrieve, knowledgeBaseOf } from './knowledgeBases.cts';
import { chunkingStrategyVersion, embed } from './text.cts';

interface Evaluation {
	id: string;
	knowledge_base_id: string;
	name: string;
	cases_count: number;
	limit: number;
	metrics: Record<string, number>;
	decision: { status: string; recommendation?: string };
}

export interface RetrievalState {
	/** Newest first. */
	evaluations: Collection<Evaluation>;
}

interface SearchInput {
	query: string;
	limit?: number;
	principals?: unknown[];
}

/** Base, number of evaluations, cases of each and cutoff. */
const seeds: [string, number, number, number][] = [
	['akb-1', 24, 40, 5],
	['akb-2', 2, 25, 3],
	['akb-4', 1, 8, 5],
];

/** Cosine of the angle between the query and a passage. */
function scoreFor(query: string): (passage: Passage) => number {
	const wanted = embed(query);
	return ({ vector }) => vector.reduce((sum, value, index) => sum + value * wanted[index], 0);
}

/** Whether a search sees a document: public ones always, others by their principals, if asked. */
function isVisible({ metadata }: Document, principals: readonly unknown[] | undefined): boolean {
	const acl = [metadata.acl ?? []].flat();
	return !principals || acl.length === 0 || acl.some((one) => principals.includes(one));
}

function search(call: Call) {
	const base = knowledgeBaseOf(call);
	const { query, limit = 5, principals } = call.body as SearchInput;
	if (!query.trim()) throw refuse('invalidRequest', 'query must not be blank');
	if (base.index_status !== 'ready' || !canRetrieve(call.state, base)) {
		throw refuse('knowledgeBaseNotReady');
	}
	const found = call.state.aiDocuments.documents.rows
		.filter(({ knowledge_base_id }) => knowledge_base_id === base.id)
		.filter((document) => isVisible(document, principals))
		.flatMap((document) => document.passages.map((passage) => ({ document, passage })));
	const scoreOf = scoreFor(query);
	const matches = found
		.map(({ document, passage }) => ({ document, passage, score: scoreOf(passage) }))
		.filter(({ score }) => score > 0);
	const results = matches
		.sort((a, b) => b.score - a.score)
		.slice(0, limit)
		.map(({ document: { id, name, metadata }, passage, score }) => ({
			chunk_id: passage.id,
			document_id: id,
			document_name: name,
			position: passage.position,
			score: Number(score.toFixed(4)),
			content: passage.content,
			page: metadata.page ?? null,
			section: metadata.section ?? null,
			language: metadata.language ?? null,
			chunking_strategy_version: chunkingStrategyVersion,
		}));
	const { id, name, retrieval_mode, index_status } = base;
	return {
		knowledge_base: { id, name, retrieval_mode, index_status },
		count: call.world.retrievalCount === 'results' ? results.length : matches.length,
		results,
	};
}

export const aiRetrieval: Area<RetrievalState> = {
	seed({ random, today }) {
		const evaluations = new Collection<Evaluation>();
		for (const [base, number, cases, limit] of seeds) {
			for (let index = 0; index < number; index += 1) {
				const metric = (from: number) => random.int(from, from + 50) / 1000;
				const isSufficient = cases >= 10;
				evaluations.add({
					id: `aev-${evaluations.size + 1}`,
					knowledge_base_id: base,
					name: `Weekly questions, ${dateAfter(today, -7 * index)}`,
					cases_count: cases,
					limit,
					metrics: {
						[`recall_at_${limit}`]: metric(910),
						[`mrr_at_${limit}`]: metric(820),
						[`ndcg_at_${limit}`]: metric(860),
					},
					decision: isSufficient
						? { status: 'sufficient', recommendation: 'Keep the retrieval mode.' }
						: { status: 'insufficient' },
				});
			}
		}
		return { evaluations };
	},

	endpoints: {
		'POST /ai-gateway/knowledge-bases/{knowledgeBaseId}/search.json': search,

		'GET /ai-gateway/knowledge-bases/{knowledgeBaseId}/evaluations.json': (call) => {
			const { id } = knowledgeBaseOf(call);
			const limit = Number(queryText(call, 'limit') ?? 20);
			if (limit < 1) throw refuse('invalidRequest', 'limit must be at least 1');
			const own = call.state.aiRetrieval.evaluations.rows.filter(
				({ knowledge_base_id }) => knowledge_base_id === id,
			);
			return { elements: own.slice(0, limit) };
		},
	},
};
