// Providers of vector stores (reference: AI Gateway, Vector store).
import { getMany, type Resource } from '../shared/operation';

export const vectorStoreProvider: Resource = {
	name: 'Vector Store Provider',
	value: 'vectorStoreProvider',
	description: 'Providers of vector stores',
	operations: [
		getMany({
			action: 'Get many vector store providers',
			description: 'Return vector store providers with key and capabilities',
			route: 'GET /ai-gateway/vector-store-providers.json',
		}),
	],
};
