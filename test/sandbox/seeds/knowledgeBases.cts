/** Reads knowledgeBases.yaml. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CORE_SCHEMA, load } from 'js-yaml';
import type { KnowledgeBase } from '../areas/aiGateway/knowledgeBases.cts';

export interface DocumentSeed {
	name: string;
	metadata?: Record<string, unknown>;
	/** Paragraphs. */
	text?: string[];
	/** There instead of a text in remote documents. */
	source?: { url: string; content_type: string };
}

export function knowledgeBaseSeeds(): (KnowledgeBase & { documents: DocumentSeed[] })[] {
	const text = readFileSync(join(__dirname, 'knowledgeBases.yaml'), 'utf8');
	return load(text, { schema: CORE_SCHEMA }) as ReturnType<typeof knowledgeBaseSeeds>;
}
