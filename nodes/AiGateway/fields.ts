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
