// Providers of vector stores (reference: AI Gateway, Vector store).
import { getMany, resource } from '../shared/operation';

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
