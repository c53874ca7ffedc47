// Fields that several resources of this area share.
import { text, type Field } from '../shared/fields';
import { locator } from '../shared/pickers';

export const knowledgeBaseId = locator('knowledgeBases', {
	displayName: 'Knowledge Base',
	name: 'knowledgeBaseId',
	required: true,
	description: 'The knowledge base to work with',
	placeholder: 'e.g. kb_12',
});

export const vectorStoreId = locator('vectorStores', {
	displayName: 'Vector Store',
	name: 'vectorStoreId',
	required: true,
	description: 'The vector store to work with',
	placeholder: 'e.g. vs_12',
});

export const embeddingConnection = locator('embeddingConnections', {
	displayName: 'Connection',
	name: 'connectionId',
	required: true,
	send: { as: 'connection_id' },
	description: 'An active connection with the purpose embedding',
	placeholder: 'e.g. conn_12',
});

export const name = text({
	displayName: 'Name',
	name: 'name',
});

/** State of a connection or a vector store. */
export const status: Field = {
	displayName: 'Status',
	name: 'status',
	type: 'options',
	default: 'active',
	options: [
		{ name: 'Active', value: 'active' },
		{ name: 'Disabled', value: 'disabled' },
	],
	description: "Disabled ones can't be tested",
};
