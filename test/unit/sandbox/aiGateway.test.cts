/** The AI gateway of the sandbox: every endpoint, its refusals and its limits. */
import type { Sandbox } from '../../sandbox/index.cts';
import { open, type Reply, type Send } from './client.cts';

interface Row {
	id: string;
	name: string;
	[field: string]: unknown;
}

interface Elements {
	elements: Row[];
}

interface Embeddings {
	data: { index: number; embedding: number[] }[];
	usage: { prompt_tokens: number; total_tokens: number };
	svc: Record<string, unknown>;
}

interface Found {
	count: number;
	results: { document_id: string; document_name: string; score: number; content: string }[];
}

let sandbox: Sandbox;
let send: Send;
let close: () => Promise<void>;

beforeAll(async () => ({ sandbox, send, close } = await open({ customers: 0 })));
afterAll(() => close());
afterEach(() => {
	const problems = sandbox.problems.splice(0);
	expect(problems.filter((problem) => !problem.startsWith('Request '))).toEqual([]);
});

const root = '/ai-gateway';
const secret = 'sk-never-shown';

/** The ids of the seeds that the tests use. */
const ids = {
	generation: 'aic-1',
	embedding: 'aic-2',
	roleEmbedding: 'aic-3',
	disabled: 'aic-5',
	store: 'avs-1',
	disabledStore: 'avs-3',
	lexicalBase: 'akb-1',
	vectorBase: 'akb-2',
	payloadBase: 'akb-3',
	restrictedBase: 'akb-4',
	emptyBase: 'akb-5',
	queuedBase: 'akb-6',
};

async function list(path: string): Promise<Row[]> {
	const { status, body } = await send<Elements>('GET', `${root}/${path}.json`);
	expect(status).toBe(200);
	expect(Object.keys(body)).toEqual(['elements']);
	return body.elements;
}

const inList = async (path: string, id: string) =>
	(await list(path)).find((element) => element.id === id);

function expectRefusal({ status, body }: Reply<unknown>, error: string): void {
	expect(body).toEqual({ error });
	expect(status).toBeGreaterThanOrEqual(400);
	expect(status).toBeLessThan(500);
}

async function make(path: string, input: Record<string, unknown>): Promise<Row> {
	const { status, body } = await send<Row>('POST', `${root}/${path}.json`, input);
	expect(status).toBe(200);
	return body;
}

const makeConnection = (input: Record<string, unknown> = {}) =>
	make('connections', {
		name: 'Test embeddings',
		provider: 'vendor_a',
		purpose: 'embedding',
		model: 'embed-1',
		credential: secret,
		...input,
	});

const makeStore = (input: Record<string, unknown> = {}) =>
	make('vector-stores', {
		name: 'Test store',
		provider: 'vector_vendor',
		endpoint: 'https://store.example:6333',
		api_key: secret,
		...input,
	});

async function makeVectorBase(input: Record<string, unknown> = {}) {
	const connection = await makeConnection();
	const store = await makeStore();
	const base = await make('knowledge-bases', {
		name: 'Test base',
		retrieval_mode: 'vector',
		vector_store_id: store.id,
		embedding_connection_id: connection.id,
		...input,
	});
	return { base, connection, store };
}

describe('connections', () => {
	const one = (id: string, action = '') => `${root}/connections/${id}${action}.json`;

	test('lists the documented providers with their capabilities', async () => {
		const providers = await list('providers');
		expect(providers.map(({ key, capabilities }) => [key, capabilities])).toEqual([
			['vendor_a', ['chat', 'streaming', 'embeddings']],
			['vendor_b', ['chat', 'streaming']],
			['vendor_a_compatible', ['chat', 'streaming']],
			['vendor_a_embeddings_compatible', ['embeddings']],
			['vendor_c', ['embeddings']],
			['vendor_d', ['chat', 'streaming', 'embeddings']],
		]);
	});

	test('creates with defaults, lists, updates what is given, and deletes', async () => {
		const made = await make('connections', {
			name: 'n'.repeat(120),
			provider: 'vendor_d',
			model: 'm'.repeat(160),
			base_url: 'https://models.example/v1',
			credential: secret,
			output_cost_per_million: 8,
		});
		expect(made).toMatchObject({
			provider: 'vendor_d',
			purpose: 'generation',
			status: 'active',
			credential_configured: true,
		});
		expect(await inList('connections', made.id)).toEqual(made);

		const updated = await send('PUT', one(made.id), { name: 'Renamed', status: 'disabled' });
		expect(updated).toMatchObject({
			status: 200,
			body: { id: made.id, name: 'Renamed', status: 'disabled' },
		});
		expect(await inList('connections', made.id)).toEqual({
			...made,
			name: 'Renamed',
			status: 'disabled',
		});

		const deleted = await send('DELETE', one(made.id));
		expect(deleted.body).toEqual({ deleted: true, connection_id: made.id });
		expect(await inList('connections', made.id)).toBeUndefined();
	});

	test.each([
		['no name', { name: undefined }],
		['a blank name', { name: ' ' }],
		['a name over 120 characters', { name: 'n'.repeat(121) }],
		['no model', { model: undefined }],
		['a model over 160 characters', { model: 'm'.repeat(161) }],
		['an unknown provider', { provider: 'vendor_z' }],
		['an unknown purpose', { purpose: 'speech' }],
		['a purpose that the provider does not serve', { provider: 'vendor_b' }],
		['generation by an embeddings provider', { provider: 'vendor_c', purpose: 'generation' }],
		['no base_url for vendor_d', { provider: 'vendor_d' }],
		['no base_url for a compatible one', { provider: 'vendor_a_embeddings_compatible' }],
		['an http base_url', { base_url: 'http://models.example' }],
		['a base_url with credentials', { base_url: 'https://a:b@models.example' }],
		['no credential', { credential: undefined }],
		['a negative cost', { input_cost_per_million: -1 }],
		['an unknown field', { colour: 'blue' }],
	])('refuses %s', async (_case, input) => {
		const before = sandbox.state.aiConnections.connections.size;
		const body = {
			name: 'Wrong',
			provider: 'vendor_a',
			purpose: 'embedding',
			model: 'embed-1',
			credential: secret,
			...input,
		};
		const answer = await send('POST', `${root}/connections.json`, body);
		expectRefusal(answer, 'Invalid connection configuration');
		expect(sandbox.state.aiConnections.connections.size).toBe(before);
	});

	test('refuses an update that would not be valid, or that changes provider or purpose', async () => {
		for (const patch of [
			{ model: '' },
			{ base_url: 'ftp://x' },
			{ provider: 'vendor_b' },
			{ purpose: 'generation' },
			{ status: 'paused' },
		]) {
			const answer = await send('PUT', one(ids.embedding), patch);
			expectRefusal(answer, 'Invalid connection configuration');
		}
	});

	test('rotates the credential', async () => {
		const { id } = await makeConnection();
		const rotated = await send('POST', one(id, '/rotate'), { credential: 'sk-new' });
		expect(rotated).toMatchObject({ status: 200, body: { id, credential_configured: true } });
		expect(sandbox.state.aiConnections.connections.get(id)?.credential).toBe('sk-new');
		expect((await send('POST', one(id, '/rotate'), {})).status).toBe(400);
	});

	test('tests: usage, cost and duration, and remembers the outcome', async () => {
		const { id, last_test_status } = await makeConnection({
			purpose: 'generation',
			input_cost_per_million: 2,
			output_cost_per_million: 4,
		});
		expect(last_test_status).toBeUndefined();
		const { body } = await send<{
			usage: { input_tokens: number; output_tokens: number; total_tokens: number };
			duration_ms: number;
			estimated_cost_usd: number;
		}>('POST', one(id, '/test'));
		expect(body).toMatchObject({
			status: 'succeeded',
			connection_id: id,
			request_id: expect.any(String),
		});
		const { input_tokens, output_tokens, total_tokens } = body.usage;
		expect(total_tokens).toBe(input_tokens + output_tokens);
		expect(body.estimated_cost_usd).toBeCloseTo((2 * input_tokens + 4 * output_tokens) / 1e6, 12);
		expect(body.duration_ms).toBeGreaterThan(0);
		expect(await inList('connections', id)).toMatchObject({ last_test_status: 'succeeded' });
	});

	test('refuses to test a disabled connection until it is active again', async () => {
		const { id } = await makeConnection();
		await send('PUT', one(id), { status: 'disabled' });
		expectRefusal(await send('POST', one(id, '/test')), 'The AI connection is disabled');
		await send('PUT', one(id), { status: 'active' });
		expect((await send('POST', one(id, '/test'))).status).toBe(200);
	});

	test('fails at the provider while its name says so', async () => {
		const { id } = await makeConnection({ name: 'Failing provider' });
		expectRefusal(await send('POST', one(id, '/test')), 'Provider request failed');
		expect(await inList('connections', id)).toMatchObject({ last_test_status: 'failed' });
		await send('PUT', one(id), { name: 'Mended provider' });
		expect((await send('POST', one(id, '/test'))).status).toBe(200);
	});

	test('keeps the model and the connection that a vector base depends on', async () => {
		const { connection } = await makeVectorBase();
		expectRefusal(
			await send('PUT', one(connection.id), { model: 'embed-2' }),
			'Create a new embedding connection and reindex instead',
		);
		const same = { model: 'embed-1', name: 'Same model' };
		expect((await send('PUT', one(connection.id), same)).status).toBe(200);
		const inUse = 'Remove linked resources before deleting this connection';
		expectRefusal(await send('DELETE', one(connection.id)), inUse);
		expectRefusal(await send('DELETE', one(ids.generation)), inUse);
	});

	test.each([
		['PUT', '', { name: 'x' }],
		['DELETE', '', undefined],
		['POST', '/rotate', { credential: secret }],
		['POST', '/test', undefined],
	] as const)('does not find an unknown one: %s %s', async (method, action, body) => {
		expectRefusal(await send(method, one('none', action), body), 'AI connection not found');
	});
});

describe('vector stores', () => {
	const one = (id: string, action = '') => `${root}/vector-stores/${id}${action}.json`;
	const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

	test('lists the documented provider', async () => {
		expect(await list('vector-store-providers')).toMatchObject([
			{ key: 'vector_vendor', capabilities: ['dense_vectors', 'metadata_filters'] },
		]);
	});

	test('creates with defaults, lists, updates what is given, and deletes', async () => {
		const made = await makeStore();
		expect(made).toMatchObject({
			provider: 'vector_vendor',
			endpoint: 'https://store.example:6333',
			collection_prefix: 'svc',
			status: 'active',
			credential_configured: true,
			tls_ca_configured: false,
		});
		expect(await inList('vector-stores', made.id)).toEqual(made);
		const patch = { endpoint: 'https://other.example', collection_prefix: 'live' };
		const updated = await send('PUT', one(made.id), patch);
		expect(updated.body).toEqual({ id: made.id, name: made.name, status: 'active' });
		expect(await inList('vector-stores', made.id)).toEqual({ ...made, ...patch });
		const deleted = await send('DELETE', one(made.id));
		expect(deleted.body).toEqual({ deleted: true, vector_store_id: made.id });
		expect(await inList('vector-stores', made.id)).toBeUndefined();
	});

	test.each([
		['no name', { name: undefined }],
		['an unknown provider', { provider: 'other' }],
		['no endpoint', { endpoint: undefined }],
		['an http endpoint', { endpoint: 'http://store.example' }],
		['an endpoint with a path', { endpoint: 'https://store.example/v1' }],
		['no key', { api_key: undefined }],
		['a blank key', { api_key: ' ' }],
		['a certificate that is not PEM', { ca_certificate: 'MIIB' }],
		['a prefix in upper case', { collection_prefix: 'Live' }],
	])('refuses %s', async (_case, input) => {
		const before = sandbox.state.aiVectorStores.stores.size;
		const body = {
			name: 'Wrong',
			provider: 'vector_vendor',
			endpoint: 'https://store.example',
			api_key: secret,
			...input,
		};
		const answer = await send('POST', `${root}/vector-stores.json`, body);
		expectRefusal(answer, 'Invalid vector store configuration');
		expect(sandbox.state.aiVectorStores.stores.size).toBe(before);
	});

	test('refuses an update that would not be valid', async () => {
		for (const patch of [{ endpoint: 'store.example' }, { name: ' ' }, { status: 'paused' }]) {
			const answer = await send('PUT', one(ids.store), patch);
			expectRefusal(answer, 'Invalid vector store configuration');
		}
	});

	test('rotates key and certificate; without a certificate the public bundle is used', async () => {
		const { id, tls_ca_configured } = await makeStore({ ca_certificate: pem });
		expect(tls_ca_configured).toBe(true);
		const rotate = (body: object) => send('POST', one(id, '/rotate'), body);
		const again = await rotate({ api_key: 'key-2', ca_certificate: pem });
		expect(again.body).toEqual({ id, credential_configured: true });
		expect(await inList('vector-stores', id)).toMatchObject({ tls_ca_configured: true });
		await rotate({ api_key: 'key-3' });
		expect(await inList('vector-stores', id)).toMatchObject({ tls_ca_configured: false });
		expect(sandbox.state.aiVectorStores.stores.get(id)?.api_key).toBe('key-3');
		expect((await rotate({ ca_certificate: pem })).status).toBe(400);
	});

	test('tests, unless disabled or failing', async () => {
		const { store } = await makeVectorBase();
		const { id } = store;
		const test = () => send<{ duration_ms: number }>('POST', one(id, '/test'));
		const { body } = await test();
		expect(body).toMatchObject({
			status: 'succeeded',
			vector_store_id: id,
			collections_count: 1,
			request_id: expect.any(String),
		});
		expect(body.duration_ms).toBeGreaterThan(0);
		await send('PUT', one(id), { status: 'disabled' });
		expectRefusal(await test(), 'The vector store is disabled');
		await send('PUT', one(id), { status: 'active', name: 'Failing store' });
		expectRefusal(await test(), 'Vector store request failed');
		expect(await inList('vector-stores', id)).toMatchObject({ last_test_status: 'failed' });
	});

	test('is kept while a knowledge base uses it', async () => {
		const { store } = await makeVectorBase();
		const answer = await send('DELETE', one(store.id));
		expectRefusal(answer, 'Remove linked knowledge bases before deletion');
	});

	test.each([
		['PUT', '', { name: 'x' }],
		['DELETE', '', undefined],
		['POST', '/rotate', { api_key: secret }],
		['POST', '/test', undefined],
	] as const)('does not find an unknown one: %s %s', async (method, action, body) => {
		expectRefusal(await send(method, one('none', action), body), 'Vector store not found');
	});
});

describe('secrets', () => {
	test('are in no answer', async () => {
		const pem = `-----BEGIN CERTIFICATE-----\n${secret}\n-----END CERTIFICATE-----\n`;
		const connection = await makeConnection();
		const store = await makeStore({ ca_certificate: pem });
		const answers = [
			JSON.stringify([connection, store]),
			...(await Promise.all([
				send('GET', `${root}/connections.json`),
				send('GET', `${root}/vector-stores.json`),
				send('PUT', `${root}/connections/${connection.id}.json`, { name: 'x' }),
				send('PUT', `${root}/vector-stores/${store.id}.json`, { name: 'x' }),
				send('POST', `${root}/connections/${connection.id}/rotate.json`, { credential: secret }),
				send('POST', `${root}/vector-stores/${store.id}/rotate.json`, { api_key: secret }),
				send('POST', `${root}/connections/${connection.id}/test.json`),
				send('POST', `${root}/embeddings`, { connection_id: connection.id, input: 'a' }),
			]).then((replies) => replies.map(({ text }) => text))),
		];
		expect(answers.filter((text) => text.includes(secret))).toEqual([]);
		expect(answers.filter((text) => text.includes('seeded-'))).toEqual([]);
	});
});

describe('prompts', () => {
	test('creates version 1, published, and lists it', async () => {
		const input = { name: 'p'.repeat(120), content: 'c'.repeat(32_000) };
		const made = await make('prompts', input);
		expect(made).toEqual({
			id: expect.any(String),
			name: input.name,
			version: 1,
			status: 'published',
		});
		expect(await inList('prompts', made.id)).toEqual({ ...made, content: input.content });
	});

	test.each([
		['no name', { name: undefined }],
		['no content', { content: undefined }],
		['blank content', { content: ' ' }],
		['a name over 120 characters', { name: 'p'.repeat(121) }],
		['content over 32,000 characters', { content: 'c'.repeat(32_001) }],
	])('refuses %s', async (_case, input) => {
		const body = { name: 'Wrong', content: 'Text', ...input };
		expectRefusal(await send('POST', `${root}/prompts.json`, body), 'Invalid prompt');
	});
});

describe('knowledge bases', () => {
	test('creates an empty lexical base by default', async () => {
		const input = { name: 'k'.repeat(120), description: 'd'.repeat(500) };
		const made = await make('knowledge-bases', input);
		expect(made).toEqual({
			...input,
			id: expect.any(String),
			retrieval_mode: 'lexical',
			content_storage_mode: 'svc',
			status: 'empty',
			index_status: 'ready',
			documents_count: 0,
			chunks_count: 0,
		});
		expect(await inList('knowledge-bases', made.id)).toEqual(made);
	});

	test('creates a vector base with its links', async () => {
		const { base, connection, store } = await makeVectorBase({
			content_storage_mode: 'vector_store_payload',
		});
		expect(base).toMatchObject({
			retrieval_mode: 'vector',
			content_storage_mode: 'vector_store_payload',
			vector_store_id: store.id,
			embedding_connection_id: connection.id,
			status: 'empty',
			index_status: 'ready',
		});
	});

	const links = { vector_store_id: ids.store, embedding_connection_id: ids.embedding };

	test.each([
		['no name', { name: undefined }],
		['a blank name', { name: ' ' }],
		['a name over 120 characters', { name: 'k'.repeat(121) }],
		['a description over 500 characters', { description: 'd'.repeat(501) }],
		['an unknown mode', { retrieval_mode: 'graph' }],
		['vector without a store', { vector_store_id: undefined }],
		['vector without a connection', { embedding_connection_id: undefined }],
		['an unknown store', { vector_store_id: 'none' }],
		['a disabled store', { vector_store_id: ids.disabledStore }],
		['an unknown connection', { embedding_connection_id: 'none' }],
		['a generation connection', { embedding_connection_id: ids.generation }],
		[
			'payload storage with lexical retrieval',
			{ retrieval_mode: 'lexical', content_storage_mode: 'vector_store_payload' },
		],
	])('refuses %s', async (_case, input) => {
		const body = { name: 'Wrong', retrieval_mode: 'vector', ...links, ...input };
		const answer = await send('POST', `${root}/knowledge-bases.json`, body);
		expectRefusal(answer, 'Invalid knowledge base configuration');
	});

	test('fails when the store or the provider does', async () => {
		const down = await makeStore({ name: 'Failing store' });
		const deaf = await makeConnection({ name: 'Failing provider' });
		for (const link of [{ vector_store_id: down.id }, { embedding_connection_id: deaf.id }]) {
			const body = { name: 'New', retrieval_mode: 'vector', ...links, ...link };
			const answer = await send('POST', `${root}/knowledge-bases.json`, body);
			expectRefusal(answer, 'Knowledge base setup failed');
		}
	});
});

const base = (id: string, action: string) => `${root}/knowledge-bases/${id}/${action}.json`;

describe('documents', () => {
	const text = { name: 'Opening hours', content: 'The office is open from nine to five.' };

	test('is added to a lexical base, which becomes ready', async () => {
		const { id } = await make('knowledge-bases', { name: 'Office' });
		const content = Array.from({ length: 3 }, (_, index) => `${index} ${'word '.repeat(100)}`);
		const added = await send<{ document_id: string }>('POST', base(id, 'documents'), {
			name: 'd'.repeat(180),
			content: content.join('\n\n'),
		});
		expect(added).toMatchObject({
			status: 200,
			body: {
				chunks_count: 3,
				retrieval_mode: 'lexical',
				index_status: 'ready',
				indexed_in_vector_store: false,
			},
		});
		const { document_id } = added.body;
		expect(await inList('knowledge-bases', id)).toMatchObject({
			status: 'ready',
			documents_count: 1,
			chunks_count: 3,
		});
		const read = await send('GET', base(id, `documents/${document_id}`));
		expect(read.body).toMatchObject({
			id: document_id,
			knowledge_base_id: id,
			content_storage_mode: 'svc',
			status: 'ready',
			index_status: 'ready',
			bytes: content.join('\n\n').length,
			chunks_count: 3,
		});
		expect(read.body).not.toHaveProperty('source_type');
	});

	test('is embedded and indexed in a vector base, unless that fails', async () => {
		const { base: own, connection, store } = await makeVectorBase();
		const added = await send('POST', base(own.id, 'documents'), text);
		expect(added.body).toMatchObject({
			retrieval_mode: 'vector',
			indexed_in_vector_store: true,
		});
		const breaks: [string, object, object][] = [
			[`connections/${connection.id}`, { status: 'disabled' }, { status: 'active' }],
			[`vector-stores/${store.id}`, { name: 'Failing store' }, { name: 'Test store' }],
		];
		for (const [path, broken, mended] of breaks) {
			await send('PUT', `${root}/${path}.json`, broken);
			const refused = await send('POST', base(own.id, 'documents'), text);
			expectRefusal(refused, 'Vector indexing failed');
			await send('PUT', `${root}/${path}.json`, mended);
		}
		expect(await inList('knowledge-bases', own.id)).toMatchObject({ documents_count: 1 });
	});

	const fields = (count: number) =>
		Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, index]));
	/** As JSON, this many bytes. */
	const sized = (bytes: number) => ({ note: 'n'.repeat(bytes - '{"note":""}'.length) });

	test('takes metadata of 20 fields and of 8 KB', async () => {
		for (const metadata of [fields(20), sized(8192)]) {
			const added = await send('POST', base(ids.emptyBase, 'documents'), { ...text, metadata });
			expect(added.status).toBe(200);
		}
	});

	test.each([
		['no name', { name: undefined }],
		['a name over 180 characters', { name: 'd'.repeat(181) }],
		['no content', { content: undefined }],
		['blank content', { content: ' \n ' }],
		['metadata of 21 fields', { metadata: fields(21) }],
		['metadata over 8 KB', { metadata: sized(8193) }],
	])('is refused with %s', async (_case, input) => {
		const before = sandbox.state.aiDocuments.documents.size;
		const answer = await send('POST', base(ids.emptyBase, 'documents'), { ...text, ...input });
		expect(answer.status).toBe(400);
		expect(sandbox.state.aiDocuments.documents.size).toBe(before);
	});

	test('is not found in an unknown base or in another base', async () => {
		const unknownBase = 'Knowledge base not found';
		expectRefusal(await send('POST', base('none', 'documents'), text), unknownBase);
		expectRefusal(await send('GET', base('none', 'documents/ado-1')), unknownBase);
		expect((await send('GET', base(ids.lexicalBase, 'documents/ado-1'))).status).toBe(200);
		for (const path of [
			base(ids.lexicalBase, 'documents/none'),
			base(ids.vectorBase, 'documents/ado-1'),
		]) {
			expectRefusal(await send('GET', path), 'Document not found');
		}
	});
});

describe('remote documents', () => {
	const source = {
		type: 'remote_url',
		url: 'https://files.example/handbook.md?signature=hidden',
		content_type: 'text/markdown',
		sha256: 'a'.repeat(64),
	};
	const manifest = { name: 'Handbook', source };

	test('is queued, and its source is never shown', async () => {
		const metadata = { department: 'legal', year: 2026, open: true };
		const path = base(ids.payloadBase, 'ingestions');
		const queued = await send<Row>('POST', path, { ...manifest, metadata });
		expect(queued).toMatchObject({
			status: 200,
			body: {
				knowledge_base_id: ids.payloadBase,
				name: 'Handbook',
				source_type: 'remote_url',
				content_storage_mode: 'vector_store_payload',
				status: 'queued',
				index_status: 'queued',
				ingestion_attempts: 0,
				content_type: 'text/markdown',
				chunks_count: 0,
			},
		});
		expect(queued.body).not.toHaveProperty('source_version');
		const read = await send('GET', base(ids.payloadBase, `documents/${queued.body.id}`));
		expect(read.body).toEqual(queued.body);
		expect(queued.text + read.text).not.toMatch(/signature|files\.example/);
	});

	test('takes metadata of 20 fields and of 8 KB', async () => {
		const fields = Object.fromEntries([...'abcdefghijklmnopqrst'].entries());
		const note = 'n'.repeat(8192 - '{"note":""}'.length);
		for (const metadata of [fields, { note }]) {
			const path = base(ids.payloadBase, 'ingestions');
			expect((await send('POST', path, { ...manifest, metadata })).status).toBe(200);
		}
	});

	test('gets a new source: version up, attempts back to 0, queued', async () => {
		const { body } = await send<Row>('POST', base(ids.payloadBase, 'ingestions'), manifest);
		const { remote } = sandbox.state.aiDocuments.documents.get(body.id) ?? {};
		Object.assign(remote ?? {}, { ingestion_attempts: 3 });
		const path = base(ids.payloadBase, `documents/${body.id}`);
		expect((await send('GET', path)).body).toMatchObject({ ingestion_attempts: 3 });
		const versions: unknown[] = [];
		for (const url of ['https://files.example/2', 'https://files.example/3']) {
			const replace = { source: { ...source, url, content_type: 'text/plain' } };
			const replaced = await send<Row>('PUT', path.replace('.json', '/source.json'), replace);
			expect(replaced.body).toEqual({
				id: body.id,
				source_version: expect.any(Number),
				status: 'queued',
				index_status: 'queued',
				ingestion_attempts: 0,
			});
			versions.push(replaced.body.source_version);
		}
		expect(versions[1]).toBe(Number(versions[0]) + 1);
		expect((await send('GET', path)).body).toMatchObject({
			source_version: versions[1],
			content_type: 'text/plain',
			ingestion_attempts: 0,
		});
	});

	const wrongSources: [string, object][] = [
		['an http url', { ...source, url: 'http://files.example/x' }],
		['a url with credentials', { ...source, url: 'https://a:b@files.example/x' }],
		['no url', { type: 'remote_url' }],
		['an unknown type', { ...source, type: 'carrier_pigeon' }],
		['a checksum in upper case', { ...source, sha256: 'A'.repeat(64) }],
		['a checksum that is too short', { ...source, sha256: 'a'.repeat(63) }],
		['a content type that is none', { ...source, content_type: 'markdown' }],
	];

	test.each(wrongSources)('is refused with %s, also as a new source', async (_case, wrong) => {
		const posted = await send('POST', base(ids.payloadBase, 'ingestions'), {
			...manifest,
			source: wrong,
		});
		expectRefusal(posted, 'Invalid ingestion manifest');
		const { body } = await send<Row>('POST', base(ids.payloadBase, 'ingestions'), manifest);
		const path = base(ids.payloadBase, `documents/${body.id}/source`);
		expectRefusal(await send('PUT', path, { source: wrong }), 'Invalid remote source');
	});

	test.each([
		['no name', { name: undefined }],
		['a name over 180 characters', { name: 'd'.repeat(181) }],
		['no source', { source: undefined }],
		[
			'metadata of 21 fields',
			{ metadata: Object.fromEntries([...'abcdefghijklmnopqrstu'].entries()) },
		],
		['metadata over 8 KB', { metadata: { note: 'n'.repeat(8192) } }],
		['metadata that is not scalar', { metadata: { tags: ['a'] } }],
	])('is refused with %s', async (_case, input) => {
		const body = { ...manifest, ...input };
		const answer = await send('POST', base(ids.payloadBase, 'ingestions'), body);
		expectRefusal(answer, 'Invalid ingestion manifest');
	});

	test('wants a base that keeps its content in the vector store', async () => {
		for (const id of [ids.lexicalBase, ids.vectorBase]) {
			const answer = await send('POST', base(id, 'ingestions'), manifest);
			expectRefusal(answer, 'Invalid ingestion manifest');
		}
	});

	test('is not found in an unknown base, and a text document has no source', async () => {
		const posted = await send('POST', base('none', 'ingestions'), manifest);
		expectRefusal(posted, 'Knowledge base not found');
		const replace = (id: string, document: string) =>
			send('PUT', base(id, `documents/${document}/source`), { source });
		expectRefusal(await replace('none', 'ado-1'), 'Knowledge base not found');
		expectRefusal(await replace(ids.payloadBase, 'none'), 'Document not found');
		expectRefusal(await replace(ids.lexicalBase, 'ado-1'), 'Invalid remote source');
	});
});

describe('search', () => {
	const search = (id: string, body: object) => send<Found>('POST', base(id, 'search'), body);

	test.each([
		['refund', 'Refunds'],
		['Why did the payment fail?', 'Why a payment failed'],
		['How can I cancel my subscription?', 'Cancel your subscription'],
		['set up two-factor authentication', 'Sign in with two factors'],
		['how many requests may a key send', 'Rate limits of the interface for developers'],
	])('finds by words: %s', async (query, name) => {
		const { body } = await search(ids.lexicalBase, { query });
		expect(body.results[0].document_name).toBe(name);
	});

	test.each([
		['import rows from a CSV file', 'Import records from a spreadsheet'],
		['what happens when a step of an automation fails', 'Automations'],
		['send a report as PDF every week', 'Dashboards and reports'],
		['identity provider login', 'Single sign-on'],
	])('finds by vectors: %s', async (query, name) => {
		const { body } = await search(ids.vectorBase, { query });
		expect(body.results[0].document_name).toBe(name);
	});

	test('answers ranked passages with all that a citation needs', async () => {
		const { status, body } = await search(ids.lexicalBase, { query: 'invoice' });
		expect(status).toBe(200);
		expect(body).toMatchObject({
			knowledge_base: {
				id: ids.lexicalBase,
				name: 'Help centre',
				retrieval_mode: 'lexical',
				index_status: 'ready',
			},
			count: body.results.length,
		});
		expect(body.results[0]).toMatchObject({
			chunk_id: expect.any(String),
			document_name: 'Download invoices',
			content: expect.stringContaining('nvoice'),
			page: 5,
			section: 'Billing',
			language: 'en',
			chunking_strategy_version: expect.any(String),
		});
		const scores = body.results.map(({ score }) => score);
		expect(scores).toEqual([...scores].sort((a, b) => b - a));
	});

	test('answers 5 passages, or as many as asked for, from 1 to 10', async () => {
		const query = 'workspace invoice member plan data mail code';
		const counts = await Promise.all(
			[undefined, 1, 10].map(async (limit) => {
				const { body } = await search(ids.lexicalBase, { query, limit });
				return body.results.length;
			}),
		);
		expect(counts).toEqual([5, 1, 10]);
		for (const limit of [0, 11, 2.5]) {
			expect((await search(ids.lexicalBase, { query, limit })).status).toBe(400);
		}
	});

	test('finds nothing for words that no document has, and nothing in an empty base', async () => {
		const nothing = { status: 200, body: { count: 0, results: [] } };
		expect(await search(ids.lexicalBase, { query: 'zeppelin' })).toMatchObject(nothing);
		const { id } = await make('knowledge-bases', { name: 'Empty' });
		expect(await search(id, { query: 'invoice' })).toMatchObject(nothing);
	});

	test('takes queries of 1 to 32,000 characters', async () => {
		expect((await search(ids.lexicalBase, { query: 'q'.repeat(32_000) })).status).toBe(200);
		for (const query of ['q'.repeat(32_001), '', ' ', undefined]) {
			expect((await search(ids.lexicalBase, { query })).status).toBe(400);
		}
	});

	test('shows principals their passages and the public ones', async () => {
		const names = async (principals?: string[]) => {
			const query = 'salary refund expenses finance euros';
			const { body } = await search(ids.restrictedBase, { query, limit: 10, principals });
			return body.results.map(({ document_name }) => document_name).sort();
		};
		expect(await names()).toEqual(['Refund approvals', 'Salary bands', 'Travel policy']);
		expect(await names([])).toEqual(['Travel policy']);
		expect(await names(['group:support'])).toEqual(['Refund approvals', 'Travel policy']);
		expect(await names(['group:people', 'group:support'])).toHaveLength(3);
	});

	test('finds a document as soon as it is added, and not in other bases', async () => {
		for (const { id } of [
			await make('knowledge-bases', { name: 'A' }),
			(await makeVectorBase()).base,
		]) {
			const content = 'Zeppelins are moored at the northern mast.';
			const added = await send<{ document_id: string }>('POST', base(id, 'documents'), {
				name: 'Airfield',
				content,
			});
			const { body } = await search(id, { query: 'Where is the zeppelin moored?' });
			expect(body.results).toMatchObject([{ document_id: added.body.document_id, content }]);
		}
		expect((await search(ids.lexicalBase, { query: 'zeppelin' })).body.count).toBe(0);
	});

	test('refuses a base that is not ready, or whose connection or store is not', async () => {
		const notReady = 'Knowledge base is not ready';
		expectRefusal(await search(ids.queuedBase, { query: 'a' }), notReady);
		const { base: own, connection, store } = await makeVectorBase();
		for (const path of [`connections/${connection.id}`, `vector-stores/${store.id}`]) {
			await send('PUT', `${root}/${path}.json`, { status: 'disabled' });
			expectRefusal(await search(own.id, { query: 'word' }), notReady);
			await send('PUT', `${root}/${path}.json`, { status: 'active' });
			expect((await search(own.id, { query: 'word' })).status).toBe(200);
		}
		expectRefusal(await search('none', { query: 'a' }), 'Knowledge base not found');
	});
});

describe('evaluations', () => {
	test('lists the 20 most recent, or as many as asked for', async () => {
		const path = base(ids.lexicalBase, 'evaluations');
		const { body } = await send<Elements>('GET', path);
		expect(body.elements).toHaveLength(20);
		expect(body.elements[0]).toMatchObject({
			knowledge_base_id: ids.lexicalBase,
			cases_count: 40,
			limit: 5,
			metrics: {
				recall_at_5: expect.any(Number),
				mrr_at_5: expect.any(Number),
				ndcg_at_5: expect.any(Number),
			},
			decision: { status: 'sufficient', recommendation: expect.any(String) },
		});
		const few = await send<Elements>('GET', `${path}?limit=3`);
		expect(few.body.elements).toEqual(body.elements.slice(0, 3));
		expect((await send<Elements>('GET', `${path}?limit=100`)).body.elements).toHaveLength(24);
		expect((await send('GET', `${path}?limit=0`)).status).toBe(400);
	});

	test('recommends nothing for fewer than ten cases', async () => {
		const { body } = await send<Elements>('GET', base(ids.restrictedBase, 'evaluations'));
		expect(body.elements).toMatchObject([{ cases_count: 8 }]);
		expect(body.elements[0].decision).not.toHaveProperty('recommendation');
	});

	test('does not find an unknown base', async () => {
		expectRefusal(await send('GET', base('none', 'evaluations')), 'Knowledge base not found');
	});
});

describe('embeddings', () => {
	const path = `${root}/embeddings`;
	const embed = (input: unknown, further: object = {}, to = path) =>
		send<Embeddings>('POST', to, { connection_id: ids.embedding, input, ...further });
	const invalid = 'Invalid embedding request';
	const dot = (a: number[], b: number[]) =>
		a.reduce((sum, value, index) => sum + value * b[index], 0);

	test('answers one vector for each passage, in order, with usage and ledger', async () => {
		const { status, body } = await embed(['first passage', 'second one']);
		expect(status).toBe(200);
		expect(body).toMatchObject({ object: 'list', model: 'embed-small-1' });
		expect(body.data.map(({ index }) => index)).toEqual([0, 1]);
		expect(body.usage.total_tokens).toBe(body.usage.prompt_tokens);
		const { embedding } = body.data[0];
		expect(body.svc).toEqual({
			request_id: expect.any(String),
			run_id: expect.any(String),
			connection_id: ids.embedding,
			provider: 'vendor_a',
			input_items: 2,
			dimensions: embedding.length,
			estimated_cost_usd: expect.closeTo((body.usage.prompt_tokens * 0.02) / 1e6, 12),
		});
		expect(Math.hypot(...embedding)).toBeCloseTo(1, 4);
	});

	test('is the same at the alias, for one text or many, and adds up when split', async () => {
		const texts = ['one text', 'another text', 'ein dritter'];
		const whole = await embed(texts);
		const aliased = await embed(texts, {}, `${path}.json`);
		expect(aliased.body).toMatchObject({ data: whole.body.data, usage: whole.body.usage });
		expect(aliased.body.svc).toMatchObject({ connection_id: ids.embedding });
		const parts = await Promise.all(texts.map((text) => embed(text)));
		expect(parts.map(({ body }) => body.data[0].embedding)).toEqual(
			whole.body.data.map(({ embedding }) => embedding),
		);
		const tokens = parts.reduce((sum, { body }) => sum + body.usage.total_tokens, 0);
		expect(tokens).toBe(whole.body.usage.total_tokens);
	});

	test('puts similar texts near each other', async () => {
		const { body } = await embed([
			'How can I cancel a subscription?',
			'Cancelling your subscriptions takes effect at the end of the period.',
			'The train to the airport leaves every ten minutes.',
		]);
		const [question, answer, other] = body.data.map(({ embedding }) => embedding);
		expect(dot(question, answer)).toBeGreaterThan(0.3);
		expect(dot(question, answer)).toBeGreaterThan(2 * Math.abs(dot(question, other)));
	});

	test('answers as many dimensions as asked for, where the adapter can', async () => {
		for (const dimensions of [1, 64, 65_536]) {
			const { body } = await embed('some text', { dimensions });
			expect(body.data[0].embedding).toHaveLength(dimensions);
			expect(body.svc.dimensions).toBe(dimensions);
			expect(Math.hypot(...body.data[0].embedding)).toBeCloseTo(1, 4);
		}
		for (const dimensions of [0, 65_537, 1.5]) {
			expectRefusal(await embed('some text', { dimensions }), invalid);
		}
		const roles = { connection_id: ids.roleEmbedding };
		expectRefusal(await embed('some text', { ...roles, dimensions: 64 }), invalid);
		expect((await embed('some text', { ...roles, input_type: 'query' })).status).toBe(200);
	});

	test('takes 1 to 64 passages that are not empty', async () => {
		expect((await embed(Array(64).fill('a'))).body.data).toHaveLength(64);
		for (const input of [Array(65).fill('a'), [], '', ' ', ['a', ''], [1], undefined]) {
			expectRefusal(await embed(input), invalid);
		}
	});

	test('takes passages of 128 KB and requests of 1 MB, counted in bytes', async () => {
		const [passage, megabyte] = [128 * 1024, 1024 * 1024];
		expect((await embed('a'.repeat(passage))).status).toBe(200);
		expect((await embed('é'.repeat(passage / 2))).status).toBe(200);
		expectRefusal(await embed('a'.repeat(passage + 1)), invalid);
		expectRefusal(await embed(`é${'a'.repeat(passage - 1)}`), invalid);

		const body = { connection_id: ids.embedding, input: [] as string[] };
		const chunk = 'a'.repeat(100_000);
		body.input = [...Array<string>(10).fill(chunk), ''];
		const room = megabyte - JSON.stringify(body).length;
		body.input[10] = 'a'.repeat(room);
		expect((await send('POST', path, body)).status).toBe(200);
		body.input[10] += 'a';
		expectRefusal(await send('POST', path, body), invalid);
	});

	test('wants an active embedding connection, and its model if one is named', async () => {
		expect((await embed('a', { model: 'embed-small-1' })).status).toBe(200);
		expectRefusal(await embed('a', { model: 'embed-large-1' }), invalid);
		expectRefusal(await embed('a', { connection_id: ids.generation }), invalid);
		expectRefusal(await embed('a', { connection_id: undefined }), invalid);
		expectRefusal(await embed('a', { input_type: 'title' }), invalid);
		expectRefusal(await embed('a', { connection_id: 'none' }), 'AI connection not found');
		const { id } = await makeConnection();
		await send('PUT', `${root}/connections/${id}.json`, { status: 'disabled' });
		expectRefusal(await embed('a', { connection_id: id }), invalid);
	});

	test('fails with its provider', async () => {
		const { id } = await makeConnection({ name: 'Failing provider' });
		expectRefusal(await embed('a', { connection_id: id }), 'Provider request failed');
	});

	test('stops before the monthly budget is exceeded, at both addresses', async () => {
		const { id } = await makeConnection({ input_cost_per_million: 1_000_000 });
		const { budget } = sandbox.state.aiEmbeddings;
		const before = { ...budget };
		Object.assign(budget, { limitUsd: 3, spentUsd: 0 });
		const paid = (input: unknown, to = path) => embed(input, { connection_id: id }, to);
		expect((await paid(['four', 'four'])).body.svc.estimated_cost_usd).toBe(2);
		const exceeded = 'AI Gateway monthly budget would be exceeded';
		expectRefusal(await paid(['four', 'four']), exceeded);
		expectRefusal(await paid(['four', 'four'], `${path}.json`), exceeded);
		expect((await paid('four')).status).toBe(200);
		expect(budget.spentUsd).toBe(3);
		Object.assign(budget, before);
	});
});
