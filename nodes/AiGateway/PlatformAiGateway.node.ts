// Platform AI Gateway: provider connections, vector stores, prompts, knowledge bases, embeddings.
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { actionNode, methods } from '../api';
import { executeOf } from '../engine/node/execute';
import { subtitleOf } from '../engine/node/nodeHead';
import { connection } from './connection';
import { document } from './document';
import { embedding } from './embedding';
import { knowledgeBase } from './knowledgeBase';
import { prompt } from './prompt';
import { provider, vectorStoreProvider } from './providers';
import { vectorStore } from './vectorStore';

export const resources = [
	knowledgeBase,
	document,
	embedding,
	prompt,
	connection,
	vectorStore,
	provider,
	vectorStoreProvider,
];

export class PlatformAiGateway implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(
			'platformAiGateway',
			resources,
			'To build a knowledge base: knowledgeBase create, then document add for each text.',
			['platformKnowledgeBaseTool', 'platformKnowledgeBaseRetriever', 'platformEmbeddings'],
		),
		icon: { light: 'file:../../icons/aiGateway.svg', dark: 'file:../../icons/aiGateway.dark.svg' },
		subtitle: subtitleOf(resources),
		description:
			'Manage AI connections, vector stores and knowledge bases, search them and create embeddings',
		usableAsTool: true,
	};

	methods = methods;

	execute = executeOf(resources);
}
