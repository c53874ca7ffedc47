/** Vector stores and their providers. Reference, AI Gateway: 'Vector store'. */
import type { Area, Call } from '../../area.cts';
import { Collection } from '../../collection.cts';
import { envelope } from '../../lists.cts';
import { refuse } from '../../refusals.cts';

interface VectorStore {
	id: string;
	name: string;
	provider: string;
	endpoint: string;
	/** Never shown. */
	api_key: string;
	/** PEM, never shown. */
	ca_certificate?: string;
	collection_prefix: string;
	status: 'active' | 'disabled';
	last_test_status?: 'succeeded' | 'failed';
}

export interface VectorStoresState {
	providers: { key: string; name: string; capabilities: string[] }[];
	stores: Collection<VectorStore>;
}

type StoreInput = Omit<VectorStore, 'id' | 'status' | 'last_test_status' | 'collection_prefix'> & {
	collection_prefix?: string;
};
type StorePatch = Partial<Pick<VectorStore, 'name' | 'endpoint' | 'collection_prefix' | 'status'>>;

const usual = {
	provider: 'vector_vendor',
	api_key: 'seeded-key',
	collection_prefix: 'svc',
	status: 'active',
} as const;

const seeds: (Partial<VectorStore> & { name: string; host: string })[] = [
	{
		name: 'Production vectors',
		host: 'vectors',
		ca_certificate: '-----BEGIN CERTIFICATE-----\nseeded\n-----END CERTIFICATE-----\n',
		last_test_status: 'succeeded',
	},
	{ name: 'Staging vectors', host: 'vectors-staging', collection_prefix: 'staging' },
	{ name: 'Retired cluster', host: 'vectors-old', status: 'disabled', last_test_status: 'failed' },
];

const storeOf = ({ state, params }: Call): VectorStore =>
	state.aiVectorStores.stores.need(params.vectorStoreId, 'unknownVectorStore');

function shown({ api_key, ca_certificate, ...store }: VectorStore): Record<string, unknown> {
	return {
		...store,
		credential_configured: api_key !== '',
		tls_ca_configured: ca_certificate !== undefined,
	};
}

/** Refuses a store with an unknown provider. */
function check({ providers }: VectorStoresState, { provider }: Pick<VectorStore, 'provider'>) {
	if (!providers.some(({ key }) => key === provider)) throw refuse('badVectorStore');
}

const basesOn = ({ state }: Call, storeId: string) =>
	state.aiKnowledgeBases.bases.rows.filter(({ vector_store_id }) => vector_store_id === storeId);

export const aiVectorStores: Area<VectorStoresState> = {
	seed() {
		const stores = new Collection<VectorStore>();
		for (const [index, { name, host, ...more }] of seeds.entries()) {
			const endpoint = `https://${host}.harbour.example`;
			stores.add({ ...usual, ...more, id: `avs-${index + 1}`, name, endpoint });
		}
		const capabilities = ['dense_vectors', 'metadata_filters'];
		return {
			providers: [{ key: 'vector_vendor', name: 'Vector vendor', capabilities }],
			stores,
		};
	},

	endpoints: {
		'GET /ai-gateway/vector-store-providers.json': ({ state }) => ({
			elements: state.aiVectorStores.providers,
		}),

		'GET /ai-gateway/vector-stores.json': (call) =>
			envelope(call, call.state.aiVectorStores.stores.rows, { element: shown }),

		'POST /ai-gateway/vector-stores.json': {
			invalid: 'badVectorStore',
			handle: (call) => {
				const { collection_prefix = 'svc', ...input } = call.body as StoreInput;
				const store: VectorStore = {
					...input,
					collection_prefix,
					id: call.newId('avs'),
					status: 'active',
				};
				check(call.state.aiVectorStores, store);
				return shown(call.state.aiVectorStores.stores.add(store));
			},
		},

		'PUT /ai-gateway/vector-stores/{vectorStoreId}.json': {
			invalid: 'badVectorStore',
			handle: (call) => {
				const patch = call.body as StorePatch;
				const store = { ...storeOf(call), ...patch };
				call.state.aiVectorStores.stores.update(store.id, patch);
				const { id, name, status } = store;
				return { id, name, status };
			},
		},

		'DELETE /ai-gateway/vector-stores/{vectorStoreId}.json': (call) => {
			const { id } = storeOf(call);
			if (basesOn(call, id).length > 0) throw refuse('vectorStoreInUse');
			call.state.aiVectorStores.stores.remove(id);
			return { deleted: true, vector_store_id: id };
		},

		'POST /ai-gateway/vector-stores/{vectorStoreId}/rotate.json': {
			invalid: 'badVectorStore',
			handle: (call) => {
				const { api_key, ca_certificate } = call.body as Pick<
					VectorStore,
					'api_key' | 'ca_certificate'
				>;
				const { id } = call.state.aiVectorStores.stores.update(storeOf(call).id, {
					api_key,
					ca_certificate,
				});
				return { id, credential_configured: true };
			},
		},

		'POST /ai-gateway/vector-stores/{vectorStoreId}/test.json': (call) => {
			const store = storeOf(call);
			if (store.status === 'disabled') throw refuse('vectorStoreDisabled');
			store.last_test_status = 'succeeded';
			return {
				status: store.last_test_status,
				vector_store_id: store.id,
				duration_ms: 120,
				collections_count: basesOn(call, store.id).length,
				request_id: call.newId('req'),
			};
		},
	},
};
