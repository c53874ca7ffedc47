// Providers of models (reference: AI Gateway, Provider).
import { getMany, resource } from '../shared/operation';

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
