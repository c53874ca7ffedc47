/** Reads knowledgeBases.yaml. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
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
	return parse(readFileSync(join(__dirname, 'knowledgeBases.yaml'), 'utf8'));
}
