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

const base = (id: string, action: string) => `${root}/knowledge-bases/${id}/${action}.json`;

describe('documents', () => {
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
});

describe('embeddings', () => {
	const path = `${root}/embeddings`;
	const embed = (input: unknown, further: object = {}, to = path) =>
		send<Embeddings>('POST', to, { connection_id: ids.embedding, input, ...further });
	const invalid = 'Invalid embedding request';

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
