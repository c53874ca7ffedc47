// Vector stores (reference: AI Gateway, Vector store).
import { create, getMany, loadedChoice, operation, remove, update } from '../api';
import { ownId } from '../api/simplify';
import { additionalFields, choice, text, updateFields } from '../engine/form/fields';
import { resource } from '../engine/form/operation';
import { filteredBy } from '../engine/form/rowFilters';
import { status, vectorStoreId } from './fields';
import { getOne } from './getOne';

const name = text({ name: 'name', description: 'Name of the vector store' });

const endpoint = text({
	name: 'endpoint',
	placeholder: 'e.g. https://vectors.example.com:6333',
	send: { format: 'endpoint', getsKey: true },
	description: 'URL of the vector store: https://, host and, if needed, port',
});

const apiKey = text({
	name: 'apiKey',
	typeOptions: { password: true },
	required: true,
	send: { as: 'api_key' },
});

const caCertificate = text({
	name: 'caCertificate',
	typeOptions: { password: true },
	send: { as: 'ca_certificate', format: 'certificate' },
});

const collectionPrefix = text({
	name: 'collectionPrefix',
	placeholder: 'e.g. acme_',
	default: 'svc',
	send: { as: 'collection_prefix', format: 'lowercase' },
	description: "Lowercase prefix for collection names. The API's default is svc.",
});

const secretNotice =
	"Don't paste the key or certificate here: they would be saved in the workflow. Use an expression that reads your secret store. The API never returns them.";

export const vectorStore = resource('vectorStore', {
	description: 'Stores for vectors',
	ids: [vectorStoreId],
	operations: [
		create({
			action: 'Create a vector store',
			description: 'Connect a vector store and return it, without key and certificate',
			notice: secretNotice,
			route: 'POST /ai-gateway/vector-stores.json',
			fields: [
				{ ...name, required: true },
				loadedChoice('vectorStoreProviders', {
					name: 'provider',
					required: true,
					description: 'Provider of the vector store',
				}),
				{ ...endpoint, required: true },
				{ ...apiKey, description: 'Key of the vector store' },
				additionalFields([
					{
						...caCertificate,
						description: "PEM certificate of the vector store's private certificate authority",
					},
					collectionPrefix,
					status,
				]),
			],
		}),
		remove({
			action: 'Delete a vector store',
			description: 'Delete a vector store and return its ID. Fails while a knowledge base uses it.',
			notice: "These nodes can't restore a deleted vector store",
			route: 'DELETE /ai-gateway/vector-stores/{vectorStoreId}.json',
			simplify: ownId('vector_store_id'),
		}),
		getOne({
			field: 'vectorStoreId',
			list: 'vectorStores',
			description: 'Return a vector store with provider, endpoint and status, without secrets',
			placeholder: 'e.g. avs-1',
		}),
		getMany({
			action: 'Get many vector stores',
			description: 'Return vector stores with provider, endpoint and status, without secrets',
			route: 'GET /ai-gateway/vector-stores.json',
			...filteredBy('vector stores', { status: {} }),
		}),
		operation('rotateKey', {
			action: 'Rotate the key of a vector store',
			description:
				'Replace the key and certificate of a vector store. Returns whether a key is configured.',
			notice: secretNotice,
			route: 'POST /ai-gateway/vector-stores/{vectorStoreId}/rotate.json',
			fields: [
				{
					...apiKey,
					description: 'New key of the vector store. It replaces the current one.',
				},
				choice({
					name: 'certificateAuthority',
					default: 'private',
					send: false,
					options: [
						{
							name: 'Private',
							value: 'private',
							description: 'The certificate is sent again with the key',
						},
						{
							name: 'Public',
							value: 'public',
							description: 'A private certificate that the store has is dropped',
						},
					],
					description:
						'Which authority the store is trusted by. The API has no way to rotate the key and keep the certificate.',
				}),
				{
					...caCertificate,
					required: true,
					displayOptions: { show: { certificateAuthority: ['private'] } },
					description: 'PEM certificate of the private certificate authority',
				},
			],
		}),
		operation('test', {
			action: 'Test a vector store',
			description: 'Call a vector store. Returns status, duration and number of collections.',
			notice:
				"A test calls the vector store, which may cost money. It's never retried automatically.",
			route: 'POST /ai-gateway/vector-stores/{vectorStoreId}/test.json',
			simplify: ownId('vector_store_id'),
		}),
		update({
			action: 'Update a vector store',
			description: 'Update a vector store and return its ID, name and status',
			route: 'PUT /ai-gateway/vector-stores/{vectorStoreId}.json',
			whole: { route: 'GET /ai-gateway/vector-stores.json' },
			fields: [
				updateFields([
					name,
					{
						...collectionPrefix,
						default: '',
						description: 'Lowercase prefix for collection names. Applies to new indexes only.',
					},
					endpoint,
					status,
				]),
			],
		}),
	],
});
