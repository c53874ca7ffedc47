// Providers of vector stores (reference: AI Gateway, Vector store).
import type { Resource } from '../shared/operation';

export const vectorStoreProvider: Resource = {
	name: 'Vector Store Provider',
	value: 'vectorStoreProvider',
	operations: [
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many vector store providers',
			description: 'Return the providers of vector stores with key and capabilities',
			route: 'GET /ai-gateway/vector-store-providers.json',
		},
	],
};
