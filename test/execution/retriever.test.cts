// Platform Knowledge Base Retriever on n8n-core's own contexts, with LangChain's own classes, as n8n's retrievers, chains and Code
// node use them, and its search in several knowledge bases. Who is asking since version 1.1: access.test.cts.
import { RunnableLambda, RunnableSequence } from '@langchain/core/runnables';
import { NodeConnectionTypes, type INodeParameters } from 'n8n-workflow';
import { bothSides } from '../constants.cts';
import { until } from '../n8n/until.cts';
import { byId, credentialOf, sandboxFor } from './host/run.cts';
import { useSubNode, type SubNodeOptions } from './host/subNode.cts';

const sandbox = sandboxFor({ customers: 1 });

const bodies = () => sandbox().requests.map(({ body }) => body as Record<string, unknown>);

interface Passage {
	pageContent: string;
	metadata: Record<string, unknown>;
}

interface Retriever {
	invoke(query: string, config?: unknown): Promise<Passage[]>;
	getRelevantDocuments(query: string): Promise<Passage[]>;
	batch(queries: string[]): Promise<Passage[][]>;
	pipe(next: unknown): { invoke(query: string): Promise<unknown> };
}

type Options = Pick<
	Partial<SubNodeOptions<Retriever>>,
	'parameters' | 'items' | 'cancelAfter' | 'failingEvents'
>;

const use = async (
	work: (retriever: Retriever) => Promise<unknown>,
	{ parameters = {}, ...options }: Options = {},
) =>
	await useSubNode<Retriever>({
		node: 'platformKnowledgeBaseRetriever',
		type: NodeConnectionTypes.AiRetriever,
		parameters: { knowledgeBaseId: byId('akb-1'), ...parameters },
		credential: credentialOf(sandbox()),
		use: work,
		...options,
	});

/** What a use of the retriever gives back. */
async function withRetriever<T>(
	parameters: INodeParameters,
	work: (retriever: Retriever) => Promise<T>,
): Promise<T> {
	let result: { value: T } | undefined;
	const { error } = await use(
		async (retriever) => {
			result = { value: await work(retriever) };
		},
		{ parameters },
	);
	// n8n keeps errors as data.
	if (error) throw new Error(`${error.message} ${error.description ?? ''}`);
	if (!result) throw new Error('The root node was not run');
	return result.value;
}

const find = async (query: string, parameters: INodeParameters = {}) =>
	await withRetriever(parameters, async ({ invoke }) => await invoke(query));

const scoresOf = (passages: Passage[]) => passages.map(({ metadata }) => Number(metadata.score));

test("tells n8n's log streaming what n8n's own retrievers tell it", async () => {
	const work = async ({ invoke }: Retriever) => await invoke('password');
	const { events } = await use(work);
	expect(events).toEqual([
		{ name: 'ai-documents-retrieved', msg: JSON.stringify({ query: 'password' }) },
	]);
	const unheard = await use(work, { failingEvents: true });
	expect(unheard.error).toBeUndefined();
});

test('gives passages with all that is needed to cite them', async () => {
	let passages: Passage[] = [];
	const { runs } = await use(
		async ({ invoke }) => {
			passages = await invoke('reset my password with an e-mail');
		},
		{ parameters: { passages: 3 } },
	);
	expect(bodies()).toEqual([{ query: 'reset my password with an e-mail', limit: 3 }]);
	const [document] = sandbox().state.aiDocuments.documents.rows.filter(
		({ name }) => name === 'Reset your password',
	);
	const [passage] = document.passages;
	expect(passages).toHaveLength(3);
	expect(passages[0]).toEqual({
		pageContent: passage.content,
		metadata: {
			chunk_id: passage.id,
			document_id: document.id,
			document_name: 'Reset your password',
			position: passage.position,
			page: 8,
			section: 'Security',
			language: 'en',
			chunking_strategy_version: expect.any(String),
			knowledge_base_id: 'akb-1',
			knowledge_base_name: 'Help centre',
		},
	});
	const scored = passages.map(({ pageContent, metadata }) => ({
		pageContent,
		metadata: { ...metadata, score: expect.any(Number) },
	}));
	expect(runs()).toEqual([
		{
			status: 'success',
			input: { query: 'reset my password with an e-mail' },
			output: { response: scored },
		},
	]);
});

// Of version 1.
test.each([
	['group:finance, user:ada', ['group:finance', 'user:ada']],
	[[], []],
])('searches for the principals %j', async (principals, sent) => {
	const parameters = { options: { principals } };
	await use(async ({ invoke }) => await invoke('salaries'), { parameters });
	expect(bodies()).toEqual([{ query: 'salaries', limit: 5, principals: sent }]);
});

// n8n's chains ask for the retriever of their first item, whichever item's question they search for.
test.each([
	['Principals', { options: { principals: '={{ [$json.user] }}' } }],
	['Knowledge Base', { knowledgeBaseId: byId('=akb-{{ $json.user }}') }],
])('does not search with the %s of the first item for another', async (field, parameters) => {
	const asking = async (...users: string[]) =>
		await use(async ({ invoke }) => await invoke('salaries'), {
			parameters,
			items: users.map((user) => ({ user })),
		});
	const { error, runs } = await asking('ceo', 'ceo', 'intern');
	const says = `"${field}" must be the same for all input items, and row 3 (item 2) has another value`;
	expect(error?.description).toContain(says);
	expect(runs()).toMatchObject([{ status: 'error', error: expect.stringContaining(says) }]);
	expect(bodies()).toEqual([]);
	await asking('ceo', 'ceo', 'ceo');
	expect(bodies()).toHaveLength(1);
});

test.each([
	['', 'be empty'],
	[['group:a', ' '], 'have empty entries'],
	['[null]', 'have empty entries'],
])('does not search for the principals %j', async (principals, fault) => {
	const parameters = { options: { principals } };
	const { error } = await use(async ({ invoke }) => await invoke('salaries'), { parameters });
	expect(error?.description).toContain(`"Principals" must not ${fault}`);
	expect(bodies()).toEqual([]);
});

test.each([
	['empty', '', /"Query" must not be empty/],
	['no text', { input: 'x' } as unknown as string, /"Query" must be text/],
])('sends no query that is %s', async (_title, query, message) => {
	const { error, runs } = await use(async ({ invoke }) => await invoke(query));
	expect(error?.message).toMatch(message);
	expect(runs()).toMatchObject([{ status: 'error', error: error?.message }]);
	expect(bodies()).toEqual([]);
});

const asked = () => until('a request', () => bodies().length > 0);

test.each(['the execution is cancelled', 'its caller wants it'])('ends when %s', async (why) => {
	sandbox().faults.add({ kind: 'stall' });
	const isOfCaller = why.startsWith('its');
	const controller = new AbortController();
	if (isOfCaller) void asked().then(() => controller.abort());
	let failure: Error | undefined;
	await use(
		async ({ invoke }) => {
			await invoke('x', { signal: controller.signal }).catch((error: Error) => (failure = error));
		},
		{ cancelAfter: isOfCaller ? undefined : asked() },
	);
	expect(failure?.message).toMatch(/canceled/);
	expect(bodies()).toHaveLength(1);
});

test('takes a call without a config, or with something else in its place', async () => {
	const { error } = await use(async ({ invoke }) => {
		await invoke('password', undefined);
		await invoke('password', { signal: 'none', handlers: [] });
	});
	expect(error).toBeUndefined();
	expect(bodies()).toHaveLength(2);
});

bothSides('AiGateway/knowledgeBaseSearch queryLimit', async (length, isWithin) => {
	const found = find('x'.repeat(length)).then(
		() => true,
		({ message }: Error) => message,
	);
	expect(await found).toEqual(isWithin ? true : expect.stringContaining('characters'));
});

// LangChain takes passages with the same metadata for one, and the same passage has another score for each question.
test('the score of a passage can be read, but makes no two passages differ', async () => {
	const [{ metadata }] = await find('reset my password');
	expect(metadata.score).toEqual(expect.any(Number));
	expect(Object.keys(metadata)).not.toContain('score');
});

describe('Additional Knowledge Bases', () => {
	const both = { options: { moreKnowledgeBases: ['akb-2', 'akb-1'] } };
	const query = 'how do I reset my password with single sign-on';

	test('are searched side by side, each once, and the best scores come first', async () => {
		const passages = await find(query, { ...both, passages: 4 });
		expect(
			sandbox()
				.requests.map(({ path }) => path)
				.sort(),
		).toEqual([
			'/ai-gateway/knowledge-bases/akb-1/search.json',
			'/ai-gateway/knowledge-bases/akb-2/search.json',
		]);
		expect(bodies()).toEqual(Array(2).fill({ query, limit: 4 }));
		const alone = [
			...(await find(query, { passages: 4 })),
			...(await find(query, { knowledgeBaseId: byId('akb-2'), passages: 4 })),
		];
		expect(alone.length).toBeGreaterThan(4);
		const best = alone.sort((a, b) => Number(b.metadata.score) - Number(a.metadata.score));
		expect(scoresOf(passages)).toEqual(scoresOf(best).slice(0, 4));
		expect(passages).toHaveLength(4);
	});

	test('keep a passage without a score, after all others', async () => {
		const answer = (name: string, scores: unknown[]) => ({
			knowledge_base: { id: name, name },
			results: scores.map((score, index) => ({
				chunk_id: `${name}-${index}`,
				content: `${name} ${String(score)}`,
				score,
			})),
		});
		const add = (id: string, scores: unknown[]) => {
			const path = `/ai-gateway/knowledge-bases/${id}/search.json`;
			sandbox().faults.add({ kind: 'status', status: 200, path, body: answer(id, scores) });
		};
		add('akb-1', [0.2, null]);
		add('akb-2', ['0.9', 0.1]);
		const passages = await find(query, both);
		expect(passages.map(({ pageContent }) => pageContent)).toEqual([
			'akb-2 0.9',
			'akb-1 0.2',
			'akb-2 0.1',
			'akb-1 null',
		]);
	});

	test('go nowhere else', async () => {
		await expect(find(query, { options: { moreKnowledgeBases: ['../x'] } })).rejects.toThrow(
			'"Additional Knowledge Base Names or IDs" must be an ID (got "../x")',
		);
		expect(sandbox().requests).toEqual([]);
	});
});

describe('Minimum Score', () => {
	test.each([
		[0, ['0', '0.3']],
		[-0.2, ['-0.2', '0', '0.3']],
		[0.3, ['0.3']],
		[-1, ['-0.5', '-0.2', '0', '0.3']],
		[1, []],
	])('%d keeps the scores from it on: %j', async (minimumScore, expected) => {
		const results = [-0.5, -0.2, 0, 0.3].map((score) => ({ content: String(score), score }));
		sandbox().faults.add({ kind: 'status', status: 200, body: { results } });
		const passages = await find('x', { options: { minimumScore } });
		expect(passages.map(({ pageContent }) => pageContent)).toEqual(expected);
	});

	test('keeps what has no score', async () => {
		const results = [
			{ content: 'one', score: null },
			{ content: 'two' },
			{ content: '3', score: '' },
		];
		sandbox().faults.add({ kind: 'status', status: 200, body: { results } });
		expect(await find('x', { options: { minimumScore: 0.5 } })).toHaveLength(3);
	});
});

test('Leave Out Documents has other passages take the place of theirs', async () => {
	const query = 'How do I change my plan, my password or my invoices?';
	const documentsOf = (passages: Passage[]) => passages.map(({ metadata }) => metadata.document_id);
	const all = documentsOf(await find(query, { passages: 10 }));
	const [best] = all;
	const others = all.filter((id) => id !== best).slice(0, 2);
	expect(others).toHaveLength(2);
	const options = { leaveOutDocuments: [String(best), 'ado-none'] };
	expect(documentsOf(await find(query, { passages: 2, options }))).toEqual(others);
});

test('a knowledge base that comes without a name has none', async () => {
	sandbox().faults.add({ kind: 'status', status: 200, body: { results: [{ content: 'x' }] } });
	const [{ metadata }] = await find('x');
	expect(metadata).toEqual({ knowledge_base_id: 'akb-1', knowledge_base_name: null });
});

test('Source in Text ends each text with document and page', async () => {
	const [plain] = await find('reset my password');
	const [passage] = await find('reset my password', { options: { sourceInText: true } });
	expect(plain.pageContent).not.toContain('Source:');
	expect(passage.pageContent).toBe(`${plain.pageContent}\n\nSource: Reset your password, page 8`);
});

test("LangChain's RunnableSequence gets passages of one question, whole or streamed in pieces", async () => {
	await withRetriever({ passages: 1 }, async (retriever) => {
		const sequence = RunnableSequence.from<string, unknown>([
			RunnableLambda.from(async function* (_text: string) {
				yield 'reset my ';
				yield 'password';
			}) as never,
			retriever as never,
			(passages: Passage[]) => passages.length,
		]);
		expect(await sequence.invoke('How?')).toBe(1);
		for await (const count of await sequence.stream('How?')) expect(count).toBe(1);
	});
	const query = 'reset my password';
	expect(bodies()).toMatchObject([{ query }, { query }]);
});

describe('in a Code node', () => {
	test('getRelevantDocuments and batch ask what invoke asks', async () => {
		const [found, batches] = await withRetriever(
			{ passages: 2 },
			async (retriever) =>
				[
					await retriever.getRelevantDocuments('reset my password'),
					await retriever.batch(['reset my password', 'refunds']),
				] as const,
		);
		expect(found).toHaveLength(2);
		expect(batches[0]).toEqual(found);
		expect(bodies()).toEqual(
			['reset my password', 'reset my password', 'refunds'].map((query) => ({ query, limit: 2 })),
		);
	});

	test.each<[string, unknown]>([
		['a function', (passages: Passage[]) => passages.length],
		['a runnable', RunnableLambda.from((passages: Passage[]) => passages.length)],
	])('pipe hands the passages to %s', async (_title, next) => {
		const length = await withRetriever(
			{ passages: 2 },
			async (retriever) => await retriever.pipe(next).invoke('reset my password'),
		);
		expect(length).toBe(2);
	});

	test('pipe says what it does not take', async () => {
		await withRetriever({}, async (retriever) => {
			expect(() => retriever.pipe('text')).toThrow(/function or a runnable/);
		});
	});
});
