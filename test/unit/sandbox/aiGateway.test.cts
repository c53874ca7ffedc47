/** What of the sandbox's AI gateway no node shows: how it searches, and the limits of embeddings. */
import type { Sandbox } from '../../sandbox/index.cts';
import { open, type Reply, type Send } from './client.cts';

interface Row {
	id: string;
	name: string;
	[field: string]: unknown;
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

/** The ids of the seeds that the tests use. */
const ids = { embedding: 'aic-2', lexicalBase: 'akb-1', vectorBase: 'akb-2' };

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
		credential: 'secret',
		...input,
	});

const makeStore = () =>
	make('vector-stores', {
		name: 'Test store',
		provider: 'vector_vendor',
		endpoint: 'https://store.example:6333',
		api_key: 'secret',
	});

async function makeVectorBase(): Promise<Row> {
	const connection = await makeConnection();
	const store = await makeStore();
	return await make('knowledge-bases', {
		name: 'Test base',
		retrieval_mode: 'vector',
		vector_store_id: store.id,
		embedding_connection_id: connection.id,
	});
}

const base = (id: string, action: string) => `${root}/knowledge-bases/${id}/${action}.json`;

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

	test('finds a document as soon as it is added, and not in other bases', async () => {
		for (const { id } of [await make('knowledge-bases', { name: 'A' }), await makeVectorBase()]) {
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
