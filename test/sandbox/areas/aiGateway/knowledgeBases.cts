/** Knowledge bases. Reference, AI Gateway: 'Knowledge base'. */
import type { Area, Call } from '../../area.cts';
import { Collection } from '../../collection.cts';
import { envelope } from '../../lists.cts';
import { refuse } from '../../refusals.cts';
import { knowledgeBaseSeeds } from '../../seeds/knowledgeBases.cts';
import type { State } from '../index.cts';

export interface KnowledgeBase {
	id: string;
	name: string;
	description?: string;
	retrieval_mode: 'lexical' | 'vector';
	content_storage_mode: 'svc' | 'vector_store_payload';
	/** Both links are there in vector bases only. */
	vector_store_id?: string;
	embedding_connection_id?: string;
	index_status: 'ready' | 'queued';
}

export interface KnowledgeBasesState {
	bases: Collection<KnowledgeBase>;
}

type KnowledgeBaseInput = Pick<KnowledgeBase, 'name'> &
	Partial<Omit<KnowledgeBase, 'id' | 'index_status'>>;

/** The knowledge base of a path, or the refusal that the API gives for an unknown one. */
export const knowledgeBaseOf = ({ state, params }: Call): KnowledgeBase =>
	state.aiKnowledgeBases.bases.need(params.knowledgeBaseId, 'unknownKnowledgeBase');

/** What a vector base is linked to. */
function linksOf(state: State, base: KnowledgeBase) {
	return {
		store: state.aiVectorStores.stores.get(base.vector_store_id ?? ''),
		connection: state.aiConnections.connections.get(base.embedding_connection_id ?? ''),
	};
}

/** Whether what a base needs to embed and to search is active. */
export function canRetrieve(state: State, base: KnowledgeBase): boolean {
	if (base.retrieval_mode === 'lexical') return true;
	const { store, connection } = linksOf(state, base);
	return [store, connection].every((link) => link?.status === 'active');
}

function shown({ state }: Call, base: KnowledgeBase): Record<string, unknown> {
	const documents = state.aiDocuments.documents.rows.filter(
		({ knowledge_base_id }) => knowledge_base_id === base.id,
	);
	const chunks = documents.reduce((sum, { passages }) => sum + passages.length, 0);
	return {
		...base,
		status: chunks > 0 ? 'ready' : 'empty',
		documents_count: documents.length,
		chunks_count: chunks,
	};
}

/** Refuses a vector base whose links do not fit. */
function checkLinks(state: State, base: KnowledgeBase): void {
	if (base.retrieval_mode === 'lexical') return;
	const { store, connection } = linksOf(state, base);
	const isValid =
		store?.status === 'active' &&
		connection?.status === 'active' &&
		connection.purpose === 'embedding';
	if (!isValid) throw refuse('badKnowledgeBase');
}

export const aiKnowledgeBases: Area<KnowledgeBasesState> = {
	seed: () => ({
		bases: new Collection(knowledgeBaseSeeds().map(({ documents: _documents, ...base }) => base)),
	}),

	endpoints: {
		'GET /ai-gateway/knowledge-bases.json': (call) =>
			envelope(call, call.state.aiKnowledgeBases.bases.rows, {
				element: (base) => shown(call, base),
			}),

		'POST /ai-gateway/knowledge-bases.json': {
			invalid: 'badKnowledgeBase',
			handle: (call) => {
				const input = call.body as KnowledgeBaseInput;
				const { vector_store_id, embedding_connection_id, ...fields } = input;
				const isVector = input.retrieval_mode === 'vector';
				const base: KnowledgeBase = {
					retrieval_mode: 'lexical',
					content_storage_mode: 'svc',
					...fields,
					...(isVector && { vector_store_id, embedding_connection_id }),
					id: call.newId('akb'),
					index_status: 'ready',
				};
				checkLinks(call.state, base);
				return shown(call, call.state.aiKnowledgeBases.bases.add(base));
			},
		},
	},
};
