// Fields shared by the resources of the AI Gateway.
import { locator } from '../api';
import { choice, text } from '../engine/form/fields';

export const knowledgeBaseId = locator('knowledgeBases', {
	name: 'knowledgeBaseId',
	required: true,
	placeholder: 'e.g. akb-1',
});

export const vectorStoreId = locator('vectorStores', {
	name: 'vectorStoreId',
	required: true,
	placeholder: 'e.g. avs-1',
});

export const embeddingConnection = locator('embeddingConnections', {
	name: 'connectionId',
	required: true,
	send: { as: 'connection_id' },
	description: 'Active, with the purpose embedding',
	placeholder: 'e.g. aic-1',
});

export const name = text({
	name: 'name',
	send: { maxLength: 120 },
	description: 'Up to 120 characters',
});

export const status = choice({
	name: 'status',
	default: 'active',
	options: [
		{ name: 'Active', value: 'active' },
		{ name: 'Disabled', value: 'disabled' },
	],
	description: "Disabled ones can't be tested",
});
