// Providers of models (reference: AI Gateway, Provider).
import { getMany, type Resource } from '../shared/operation';

export const provider: Resource = {
	name: 'Provider',
	value: 'provider',
	description: 'Providers of AI models',
	operations: [
		getMany({
			action: 'Get many providers',
			description:
				'Return model providers with key, name and capabilities (chat, streaming, embeddings)',
			route: 'GET /ai-gateway/providers.json',
		}),
	],
};
