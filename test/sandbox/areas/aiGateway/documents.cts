/**
 * Documents of knowledge bases: added as text, or queued from a remote source. The states of a
 * remote document after 'queued' are not shown, so it stays queued. Reference, AI Gateway:
 * 'Document and passage', 'Remote source descriptor'.
 */
import type { Area, Call } from '../../area.cts';
import { Collection } from '../../collection.cts';
import { refuse } from '../../refusals.cts';
import { knowledgeBaseSeeds } from '../../seeds/knowledgeBases.cts';
import { canRetrieve, knowledgeBaseOf, type KnowledgeBase } from './knowledgeBases.cts';
import { embed, passagesOf } from './text.cts';

export interface Passage {
	id: string;
	/** Counted from 1 within its document. */
	position: number;
	content: string;
	/** What a search compares, in lexical bases as well. */
	vector: number[];
}

export interface Document {
	id: string;
	knowledge_base_id: string;
	name: string;
	metadata: Record<string, unknown>;
	/** Bytes of UTF-8; null for a remote document that has not been fetched. */
	bytes: number | null;
	passages: Passage[];
	/** There in remote documents only. */
	remote?: Remote;
}

interface Remote {
	/** Never shown. */
	url: string;
	content_type: string;
	ingestion_attempts: number;
	/** There after a replacement of the source. */
	source_version?: number;
}

export interface DocumentsState {
	documents: Collection<Document>;
}

interface ManifestInput {
	name: string;
	metadata?: Record<string, unknown>;
}

interface DocumentInput extends ManifestInput {
	content: string;
}

interface RemoteSource {
	type?: string;
	url?: string;
	content_type?: string;
}

function textDocument(id: string, base: KnowledgeBase, input: DocumentInput): Document {
	const { name, content, metadata = {} } = input;
	return {
		id,
		knowledge_base_id: base.id,
		name,
		metadata,
		bytes: Buffer.byteLength(content),
		passages: passagesOf(content).map((text, index) => ({
			id: `${id}-${index + 1}`,
			position: index + 1,
			content: text,
			vector: embed(`${name} ${text}`),
		})),
	};
}

function remoteDocument(
	id: string,
	base: KnowledgeBase,
	{ name, metadata = {} }: ManifestInput,
	remote: Remote,
): Document {
	return { id, knowledge_base_id: base.id, name, metadata, bytes: null, passages: [], remote };
}

function documentOf({ state, params }: Call, base: KnowledgeBase): Document {
	const document = state.aiDocuments.documents.get(params.documentId);
	if (document?.knowledge_base_id !== base.id) throw refuse('unknownDocument');
	return document;
}

const statusOf = ({ remote }: Document) => (remote ? 'queued' : 'ready');

/** The state of a document, without the source of a remote one. */
function shown(document: Document, base: KnowledgeBase): Record<string, unknown> {
	const { id, knowledge_base_id, name, bytes, passages, remote } = document;
	const { url: _url, ...ingestion } = remote ?? {};
	return {
		id,
		knowledge_base_id,
		name,
		...(remote && { source_type: 'remote_url' }),
		content_storage_mode: base.content_storage_mode,
		status: statusOf(document),
		index_status: statusOf(document),
		bytes,
		chunks_count: passages.length,
		...ingestion,
	};
}

/** What is kept of a source; undefined when it is not a valid one. */
function remoteOf(source: RemoteSource): Remote | undefined {
	const { type, url, content_type = 'text/plain' } = source;
	if (type !== 'remote_url' || !url) return undefined;
	return { url, content_type, ingestion_attempts: 0 };
}

export const aiDocuments: Area<DocumentsState> = {
	seed() {
		const documents = new Collection<Document>();
		for (const { documents: seeds, ...base } of knowledgeBaseSeeds()) {
			for (const { name, metadata, text = [], source } of seeds) {
				const id = `ado-${documents.size + 1}`;
				documents.add(
					source
						? remoteDocument(id, base, { name, metadata }, { ...source, ingestion_attempts: 0 })
						: textDocument(id, base, { name, metadata, content: text.join('\n\n') }),
				);
			}
		}
		return { documents };
	},

	endpoints: {
		'POST /ai-gateway/knowledge-bases/{knowledgeBaseId}/documents.json': (call) => {
			const base = knowledgeBaseOf(call);
			const input = call.body as DocumentInput;
			if (!canRetrieve(call.state, base)) throw refuse('indexingFailed');
			const document = call.state.aiDocuments.documents.add(
				textDocument(call.newId('ado'), base, input),
			);
			return {
				document_id: document.id,
				chunks_count: document.passages.length,
				retrieval_mode: base.retrieval_mode,
				index_status: statusOf(document),
				indexed_in_vector_store: base.retrieval_mode === 'vector',
			};
		},

		'POST /ai-gateway/knowledge-bases/{knowledgeBaseId}/ingestions.json': {
			invalid: 'badIngestion',
			handle: (call) => {
				const base = knowledgeBaseOf(call);
				const input = call.body as ManifestInput & { source: RemoteSource };
				const remote = remoteOf(input.source);
				const isStoredThere = base.content_storage_mode === 'vector_store_payload';
				if (!remote || !isStoredThere) throw refuse('badIngestion');
				const document = call.state.aiDocuments.documents.add(
					remoteDocument(call.newId('ado'), base, input, remote),
				);
				return shown(document, base);
			},
		},

		'GET /ai-gateway/knowledge-bases/{knowledgeBaseId}/documents/{documentId}.json': (call) => {
			const base = knowledgeBaseOf(call);
			return shown(documentOf(call, base), base);
		},

		'PUT /ai-gateway/knowledge-bases/{knowledgeBaseId}/documents/{documentId}/source.json': {
			invalid: 'badSource',
			handle: (call) => {
				const document = documentOf(call, knowledgeBaseOf(call));
				const { source } = call.body as { source: RemoteSource };
				const remote = remoteOf(source);
				if (!document.remote || !remote) throw refuse('badSource');
				const source_version = (document.remote.source_version ?? 1) + 1;
				document.remote = { ...remote, source_version };
				return {
					id: document.id,
					source_version,
					status: statusOf(document),
					index_status: statusOf(document),
					ingestion_attempts: document.remote.ingestion_attempts,
				};
			},
		},
	},
};
