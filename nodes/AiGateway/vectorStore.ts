// Vector stores (reference: AI Gateway, Vector store).
import { create, getMany, loadedChoice, operation, remove, update } from '../api';
import { ownId } from '../api/simplify';
import { additionalFields, choice, text, updateFields } from '../engine/form/fields';
import { resource } from '../engine/form/operation';
import { filteredBy } from '../engine/form/rowFilters';
import { status, vectorStoreId } from './fields';
import { getOne } from './getOne';

const name = text({ name: 'name' });

const endpoint = text({
	name: 'endpoint',
	placeholder: 'e.g. https://vectors.example.com:6333',
	send: { format: 'endpoint', getsKey: true },
	description: 'With https://, host and, if needed, port',
});

const apiKey = text({
	name: 'apiKey',
	typeOptions: { password: true },
	required: true,
	send: { as: 'api_key' },
	description: 'An expression that reads your secret store. Text would be saved in the workflow.',
});

const caCertificate = text({
	name: 'caCertificate',
	typeOptions: { password: true },
	send: { as: 'ca_certificate', format: 'certificate' },
	description: 'PEM certificate of a private certificate authority',
});

const collectionPrefix = text({
	name: 'collectionPrefix',
	placeholder: 'e.g. acme_',
	default: 'svc',
	send: { as: 'collection_prefix', format: 'lowercase' },
	description: 'Lowercase prefix for names of collections',
});

export const vectorStore = resource('vectorStore', {
	description: 'Stores for vectors',
	ids: [vectorStoreId],
	operations: [
		create({
			action: 'Create a vector store',
			description: 'Connect a vector store and return it, without key and certificate',
			route: 'POST /ai-gateway/vector-stores.json',
			fields: [
				{ ...name, required: true },
				loadedChoice('vectorStoreProviders', {
					name: 'provider',
					required: true,
					description: 'Provider of the vector store',
				}),
				{ ...endpoint, required: true },
				apiKey,
				additionalFields([caCertificate, collectionPrefix, status]),
			],
		}),
		remove({
			action: 'Delete a vector store',
			description: 'Delete a vector store and return its ID. Fails while a knowledge base uses it.',
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
			notice: 'This replaces the current key for good',
			route: 'POST /ai-gateway/vector-stores/{vectorStoreId}/rotate.json',
			fields: [
				apiKey,
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
					description: "The API can't rotate the key and keep a private certificate",
				}),
				{
					...caCertificate,
					required: true,
					displayOptions: { show: { certificateAuthority: ['private'] } },
				},
			],
		}),
		operation('test', {
			action: 'Test a vector store',
			description: 'Call a vector store. Returns status, duration and number of collections.',
			notice: 'A test calls the vector store, which may cost money',
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
						description: 'For new indexes only',
					},
					endpoint,
					status,
				]),
			],
		}),
	],
});
