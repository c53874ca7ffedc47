// Platform Embeddings on n8n-core's own contexts: what they send and give back, what the editor shows of it, and what they do
// when an execution is cancelled or has ended.
import { MemoryVectorStore } from '@langchain/classic/vectorstores/memory';
import { NodeConnectionTypes, type INodeParameters } from 'n8n-workflow';
import { until } from '../n8n/until.cts';
import { embed } from '../sandbox/areas/aiGateway/text.cts';
import type { FaultRule } from '../sandbox/index.cts';
import { byId, credentialOf, sandboxFor } from './host/run.cts';
import { useSubNode, type SubNodeOptions } from './host/subNode.cts';

const sandbox = sandboxFor({ customers: 1, latencyMs: 2 });

const bodies = () => sandbox().requests.map(({ body }) => body as Record<string, unknown>);

interface Embeddings {
	embedQuery(text: string): Promise<number[]>;
	embedDocuments(texts: string[]): Promise<number[][]>;
}

const use = async (
	work: (embeddings: Embeddings) => Promise<unknown>,
	{
		parameters = {},
		cancelAfter,
	}: Pick<Partial<SubNodeOptions<Embeddings>>, 'parameters' | 'cancelAfter'> = {},
) =>
	await useSubNode<Embeddings>({
		node: 'platformEmbeddings',
		type: NodeConnectionTypes.AiEmbedding,
		parameters: { connectionId: byId('aic-2'), ...parameters },
		credential: credentialOf(sandbox()),
		use: work,
		cancelAfter,
	});

const words = (count: number) => Array.from({ length: count }, (_word, index) => `word${index}`);

/** The vectors of these texts. */
async function embedded(texts: string[], parameters: INodeParameters = {}): Promise<unknown> {
	let vectors: unknown;
	const work = async ({ embedDocuments }: Embeddings) => (vectors = await embedDocuments(texts));
	await use(work, { parameters });
	return vectors;
}

/** An answer of the API in place of the sandbox's own. */
const answer = (data: unknown) =>
	sandbox().faults.add({ kind: 'status', status: 200, body: { object: 'list', data } });

test('embeds documents and queries, each in its role if the user wants it', async () => {
	let vectors: unknown[] = [];
	const work = async ({ embedQuery, embedDocuments }: Embeddings) => {
		vectors = [await embedQuery('red'), ...(await embedDocuments(['green', 'blue']))];
	};
	await use(work, { parameters: { options: { inputTypes: true } } });
	expect(vectors).toEqual([embed('red'), embed('green'), embed('blue')]);
	expect(bodies()).toEqual([
		{ connection_id: 'aic-2', input: ['red'], input_type: 'query' },
		{ connection_id: 'aic-2', input: ['green', 'blue'], input_type: 'document' },
	]);
	expect(sandbox().requests.map(({ path }) => path)).toEqual(
		Array(2).fill('/ai-gateway/embeddings'),
	);
});

test('sends the options that are set, and no role by default', async () => {
	const options = { dimensions: 32, model: 'embed-small-1' };
	expect(await embedded(['red'], { options })).toEqual([embed('red', 32)]);
	expect(bodies()).toEqual([{ connection_id: 'aic-2', input: ['red'], ...options }]);
});

test('keeps the order of texts over several requests', async () => {
	// The later request is answered first.
	sandbox().faults.add({ kind: 'delay', ms: 100, nth: 1 });
	expect(await embedded(words(65))).toEqual(words(65).map((word) => embed(word)));
	expect(bodies().map(({ input }) => (input as string[]).length)).toEqual([64, 1]);
});

test('no texts, no request', async () => {
	expect(await embedded([])).toEqual([]);
	expect(bodies()).toEqual([]);
});

test('orders vectors by their index', async () => {
	answer([
		{ object: 'embedding', index: 1, embedding: [1] },
		{ object: 'embedding', index: 0, embedding: [0] },
	]);
	expect(await embedded(['zero', 'one'])).toEqual([[0], [1]]);
});

const vector = (index: number, embedding: unknown = [1]) => ({ index, embedding });

test.each([
	['one too few', [vector(0)]],
	['one twice', [vector(0), vector(0)]],
	['one empty', [vector(0), vector(1, [])]],
	['one of another kind', [vector(0), vector(1, 'AAAA')]],
	['one too many', [vector(0), vector(1), vector(2)]],
	['one of another length', [vector(0), vector(1, [1, 2])]],
	['no list', null],
])('refuses an answer with %s', async (_title, data) => {
	answer(data);
	const { error, runs } = await use(
		async ({ embedDocuments }) => await embedDocuments(['zero', 'one']),
	);
	expect(error?.message).toMatch(/returned \d entries with \d usable vectors for 2 texts/);
	expect(runs()).toMatchObject([{ status: 'error', error: error?.message }]);
	// By this n8n shows the sub-node as the one that failed.
	expect(error).toMatchObject({ functionality: 'configuration-node' });
});

test.each([
	['an empty text', ['red', ''], /must not be empty \(passage 2 of 2\)/],
	['a text over 128 KB', ['x'.repeat(128 * 1024 + 1)], /at most 131072 bytes each/],
	['what is no text', [undefined], /must be text/],
])('sends nothing for %s', async (_title, texts, message) => {
	const { error } = await use(
		async ({ embedDocuments }) => await embedDocuments(texts as string[]),
	);
	expect(error?.message).toMatch(message);
	expect(bodies()).toEqual([]);
});

test.each([
	['no connection', { connectionId: byId('') }, /"Connection" must not be empty/],
	['0 dimensions', { options: { dimensions: 0 } }, /"Dimensions" must be between 1 and 65536/],
])('is not supplied with %s', async (_title, parameters, message) => {
	const work = jest.fn(async () => undefined);
	const { error, runs } = await use(work, { parameters });
	expect(error?.message).toBe('Error in sub-node Sub-node');
	expect(error?.description).toMatch(message);
	expect(runs()).toMatchObject([{ status: 'error', error: expect.stringMatching(message) }]);
	expect(work).not.toHaveBeenCalled();
});

test('shows what each call took, and no vectors', async () => {
	const { runs } = await use(async ({ embedQuery, embedDocuments }) => {
		await embedQuery('red');
		await embedDocuments(words(65));
	});
	const shown = (input: object, vectors: number, requests: number, tokens: number) => ({
		status: 'success',
		input,
		output: {
			vectors,
			dimensions: 256,
			model: 'embed-small-1',
			requests,
			tokens,
			estimated_cost_usd: expect.any(Number),
			request_ids: Array(requests).fill(expect.any(String)),
		},
	});
	expect(runs()).toEqual([
		shown({ query: 'red' }, 1, 1, 1),
		shown({ documents: words(65) }, 65, 2, 2 * 65),
	]);
});

test("tells n8n's log streaming what n8n's own embeddings tell it", async () => {
	const { events } = await use(async ({ embedQuery, embedDocuments }) => {
		await embedQuery('red');
		await embedDocuments(['green']);
		await embedDocuments(['']).catch(() => undefined);
	});
	expect(events).toEqual([
		{ name: 'ai-query-embedded', msg: undefined },
		{ name: 'ai-document-embedded', msg: undefined },
	]);
});

test('fills a vector store whole, each text once, while requests break', async () => {
	const breaks: FaultRule[] = [
		{ kind: 'reset-after', nth: 2 },
		{ kind: 'status', status: 502, nth: 3 },
		{ kind: 'status', status: 503, nth: 4 },
	];
	for (const each of breaks) sandbox().faults.add(each);
	const documents = words(200).map((pageContent) => ({ pageContent, metadata: {} }));
	const store: Array<{ content: string; embedding: number[] }> = [];
	const { error } = await use(async (embeddings) => {
		const memory = new MemoryVectorStore(embeddings as never);
		await memory.addDocuments(documents);
		store.push(...memory.memoryVectors);
	});
	expect(error).toBeUndefined();
	expect(store.map(({ content }) => content)).toEqual(words(200));
	expect(store.map(({ embedding }) => embedding)).toEqual(words(200).map((word) => embed(word)));
	expect(bodies()).toHaveLength(4 + breaks.length);
});

test.each([
	['a failure of the API', { kind: 'status', status: 500 } as const, {}],
	['an answer that got lost', { kind: 'reset-after' } as const, { retryBroken: false }],
	['a bad gateway', { kind: 'status', status: 502 } as const, { retryBroken: false }],
])('is not sent again after %s: it may have cost', async (_title, fault, options) => {
	sandbox().faults.add(fault);
	const { error, runs } = await use(async ({ embedQuery }) => await embedQuery('red'), {
		parameters: { options },
	});
	expect(bodies()).toHaveLength(1);
	expect(error?.message).not.toContain('already embedded');
	expect(error?.message).toMatch(/may have gone through, so it wasn't retried/);
	expect(runs()).toMatchObject([{ status: 'error', error: error?.message }]);
});

test('shows the key nowhere', async () => {
	const key = sandbox().key;
	sandbox().faults.add({ kind: 'status', status: 400, body: { error: `Bad key ${key}` } });
	const { run, error } = await use(async ({ embedQuery }) => await embedQuery('red'));
	expect(error?.message).toMatch(/Bad key \*\*\* \(HTTP 400\)/);
	expect(JSON.stringify(run)).not.toContain(key);
});

test('ends when the execution is cancelled, and sends no more', async () => {
	sandbox().faults.add({ kind: 'stall' });
	const failures: string[] = [];
	let sent = 0;
	await use(
		async ({ embedDocuments }) => {
			const fails = ({ message }: Error) => failures.push(message);
			await embedDocuments(words(200)).catch(fails);
			sent = bodies().length;
			await embedDocuments(['another']).catch(fails);
		},
		{ cancelAfter: until('a request', () => bodies().length > 0) },
	);
	expect(failures).toEqual(Array(2).fill(expect.stringMatching(/canceled/)));
	expect(bodies()).toHaveLength(sent);
});

test.each([
	['has ended', {}],
	['was cancelled', { cancelAfter: 1 }],
])('serves another execution after its own one %s, unseen', async (_title, options) => {
	let kept: Embeddings | undefined;
	const { runs } = await use(async (embeddings) => {
		kept = embeddings;
		await new Promise((resolve) => setTimeout(resolve, 20));
	}, options);
	await new Promise((resolve) => setTimeout(resolve, 50));
	expect(await kept?.embedQuery('red')).toEqual(embed('red'));
	expect(runs()).toEqual([]);
});
