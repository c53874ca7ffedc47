// Providers of models and of vector stores (reference: AI Gateway, Provider, Vector store).
import { getMany } from '../api';
import { resource } from '../engine/form/operation';

export const provider = resource('provider', {
	description: 'Providers of AI models',
	operations: [
		getMany({
			action: 'Get many providers',
			description:
				'Return model providers with key, name and capabilities (chat, streaming, embeddings)',
			route: 'GET /ai-gateway/providers.json',
		}),
	],
});

export const vectorStoreProvider = resource('vectorStoreProvider', {
	description: 'Providers of vector stores',
	operations: [
		getMany({
			action: 'Get many vector store providers',
			description: 'Return vector store providers with key and capabilities',
			route: 'GET /ai-gateway/vector-store-providers.json',
		}),
	],
});
