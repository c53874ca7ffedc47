/** Providers and the connections to them. Reference, AI Gateway: 'Provider', 'Connection'. */
import type { Area, Call } from '../../area.cts';
import { Collection } from '../../collection.cts';
import { envelope } from '../../lists.cts';
import { refuse } from '../../refusals.cts';
import { tokenCount } from './text.cts';

interface Provider {
	key: string;
	name: string;
	capabilities: string[];
}

export interface Connection {
	id: string;
	name: string;
	provider: string;
	purpose: 'generation' | 'embedding';
	model: string;
	base_url?: string;
	/** Never shown. */
	credential?: string;
	input_cost_per_million?: number;
	output_cost_per_million?: number;
	status: 'active' | 'disabled';
	last_test_status?: 'succeeded' | 'failed';
}

export interface ConnectionsState {
	providers: Provider[];
	connections: Collection<Connection>;
}

type ConnectionInput = Omit<Connection, 'id' | 'status' | 'last_test_status'>;
type ConnectionPatch = Partial<Omit<ConnectionInput, 'provider' | 'purpose' | 'credential'>> & {
	status?: Connection['status'];
};

const testPrompt = 'Reply with the single word ready.';

const connectionOf = ({ state, params }: Call): Connection =>
	state.aiConnections.connections.need(params.connectionId, 'unknownConnection');

function shown({ credential, ...connection }: Connection): Record<string, unknown> {
	return { ...connection, credential_configured: credential !== undefined };
}

/** Estimated cost in USD; a price that the connection does not state counts as 0. */
export function costOf(connection: Connection, inputTokens: number, outputTokens = 0): number {
	const { input_cost_per_million: input = 0, output_cost_per_million: output = 0 } = connection;
	return (inputTokens * input + outputTokens * output) / 1_000_000;
}

/** Refuses a connection whose provider is unknown or can't do what it is for. */
function check({ providers }: ConnectionsState, { provider, purpose }: Connection): void {
	const capability = purpose === 'embedding' ? 'embeddings' : 'chat';
	const isValid = providers.some(
		({ key, capabilities }) => key === provider && capabilities.includes(capability),
	);
	if (!isValid) throw refuse('badConnection');
}

/** The vector knowledge bases that embed through a connection. */
const basesOn = ({ state }: Call, connectionId: string) =>
	state.aiKnowledgeBases.bases.rows.filter(
		({ embedding_connection_id }) => embedding_connection_id === connectionId,
	);

const tested = { credential: 'seeded-credential', last_test_status: 'succeeded' } as const;
const chat = { purpose: 'generation', status: 'active' } as const;
const embeddings = { purpose: 'embedding', status: 'active' } as const;

const providers: Record<string, string[]> = {
	vendor_a: ['chat', 'streaming', 'embeddings'],
	vendor_b: ['chat', 'streaming'],
	vendor_a_compatible: ['chat', 'streaming'],
	vendor_a_embeddings_compatible: ['embeddings'],
	vendor_c: ['embeddings'],
	vendor_d: ['chat', 'streaming', 'embeddings'],
};

const seeds: Omit<Connection, 'id'>[] = [
	{
		...{ ...chat, ...tested, name: 'Support answers', provider: 'vendor_a', model: 'chat-large-2' },
		...{ input_cost_per_million: 2.5, output_cost_per_million: 10 },
	},
	{
		...{ ...embeddings, ...tested, name: 'Help centre embeddings', provider: 'vendor_a' },
		...{ model: 'embed-small-1', input_cost_per_million: 0.02 },
	},
	{
		...{ ...embeddings, name: 'Multilingual embeddings', provider: 'vendor_c' },
		...{ model: 'embed-multilingual-2', input_cost_per_million: 0.1 },
		credential: 'seeded-credential',
	},
	{
		...{ ...chat, name: 'Private chat model', provider: 'vendor_a_compatible' },
		...{ model: 'chat-private-7b', base_url: 'https://models.harbour.example/v1' },
	},
	{
		...{ ...chat, ...tested, name: 'Retired chat model', provider: 'vendor_b' },
		...{ model: 'chat-classic-1', status: 'disabled', last_test_status: 'failed' },
	},
];

export const aiConnections: Area<ConnectionsState> = {
	seed() {
		return {
			providers: Object.entries(providers).map(([key, capabilities]) => ({
				key,
				name: key.replaceAll('_', ' '),
				capabilities,
			})),
			connections: new Collection(seeds.map((each, at) => ({ id: `aic-${at + 1}`, ...each }))),
		};
	},

	endpoints: {
		'GET /ai-gateway/providers.json': ({ state }) => ({
			elements: state.aiConnections.providers,
		}),

		'GET /ai-gateway/connections.json': (call) =>
			envelope(call, call.state.aiConnections.connections.rows, { element: shown }),

		'POST /ai-gateway/connections.json': {
			invalid: 'badConnection',
			handle: (call) => {
				const { purpose = 'generation', ...input } = call.body as ConnectionInput;
				const connection: Connection = {
					...input,
					purpose,
					id: call.newId('aic'),
					status: 'active',
				};
				check(call.state.aiConnections, connection);
				return shown(call.state.aiConnections.connections.add(connection));
			},
		},

		'PUT /ai-gateway/connections/{connectionId}.json': {
			invalid: 'badConnection',
			handle: (call) => {
				const connection = connectionOf(call);
				const patch = call.body as ConnectionPatch;
				const changed = { ...connection, ...patch };
				check(call.state.aiConnections, changed);
				const isOtherModel = changed.model !== connection.model;
				if (isOtherModel && basesOn(call, connection.id).length > 0) throw refuse('modelInUse');
				call.state.aiConnections.connections.update(connection.id, patch);
				const { id, name, status } = changed;
				return { id, name, status };
			},
		},

		'DELETE /ai-gateway/connections/{connectionId}.json': (call) => {
			const { id } = connectionOf(call);
			if (basesOn(call, id).length > 0) throw refuse('connectionInUse');
			call.state.aiConnections.connections.remove(id);
			return { deleted: true, connection_id: id };
		},

		'POST /ai-gateway/connections/{connectionId}/rotate.json': {
			invalid: 'badConnection',
			handle: (call) => {
				const connection = connectionOf(call);
				const { credential } = call.body as { credential: string };
				connection.credential = credential;
				return { id: connection.id, credential_configured: true };
			},
		},

		'POST /ai-gateway/connections/{connectionId}/test.json': (call) => {
			const connection = connectionOf(call);
			if (connection.status === 'disabled') throw refuse('connectionDisabled');
			// Nothing is really asked.
			if (/failing/i.test(connection.name)) throw refuse('providerFailed');
			connection.last_test_status = 'succeeded';
			const input = tokenCount(testPrompt);
			const output = connection.purpose === 'generation' ? 1 : 0;
			return {
				status: connection.last_test_status,
				connection_id: connection.id,
				duration_ms: 120,
				usage: { input_tokens: input, output_tokens: output, total_tokens: input + output },
				estimated_cost_usd: costOf(connection, input, output),
				request_id: call.newId('req'),
			};
		},
	},
};
