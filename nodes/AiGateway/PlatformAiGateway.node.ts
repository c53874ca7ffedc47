// Platform AI Gateway: provider connections, vector stores, prompts, knowledge bases, embeddings.
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { actionNode, subtitleOf } from '../shared/description';
import { executeOf } from '../shared/execute';
import { actionHint, LISTS } from '../shared/hints';
import { methods } from '../shared/pickers';
import { connection } from './connection';
import { document } from './document';
import { embedding } from './embedding';
import { knowledgeBase } from './knowledgeBase';
import { prompt } from './prompt';
import { provider } from './provider';
import { vectorStore } from './vectorStore';
import { vectorStoreProvider } from './vectorStoreProvider';

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
		...actionNode(resources),
		displayName: 'Platform AI Gateway',
		name: 'platformAiGateway',
		icon: { light: 'file:../../icons/aiGateway.svg', dark: 'file:../../icons/aiGateway.dark.svg' },
		version: 1,
		subtitle: subtitleOf(resources),
		description:
			'Manage AI connections, vector stores and knowledge bases, search them and create embeddings',
		defaults: { name: 'Platform AI Gateway' },
		usableAsTool: true,
		builderHint: actionHint(
			'platformAiGateway',
			resources,
			`To build a knowledge base: knowledgeBase create, then document add for each text. ${LISTS}`,
			['platformKnowledgeBaseTool', 'platformKnowledgeBaseRetriever', 'platformEmbeddings'],
		),
	};

	methods = methods;

	execute = executeOf(resources);
}
