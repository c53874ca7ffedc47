// Several knowledge bases of different kinds, held against a small labelled set: what stands first in the passages of the retriever
// is what answers the question. The measure is nDCG, with the exact relevance of each passage.
import { NodeConnectionTypes, type IDataObject } from 'n8n-workflow';
import { embed } from '../sandbox/areas/aiGateway/text.cts';
import { byId, credentialOf, sandboxFor } from './host/run.cts';
import { useSubNode } from './host/subNode.cts';

const sandbox = sandboxFor({ customers: 1 });

interface Base {
	id: string;
	mode: 'lexical' | 'vector';
	connection?: string;
	/** How its service scores a passage. */
	score: (query: string, text: string) => number;
	texts: string[];
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];

/** Any number: the more words of a question a text has, and the longer they are, the higher. */
const lexical = (query: string, text: string) => {
	const own = wordsOf(text);
	return wordsOf(query).reduce((sum, word) => sum + (own.includes(word) ? word.length / 2 : 0), 0);
};

/** Of a model whose scores are cosines, from -1 to 1. */
const cosine = (dimensions: number) => (query: string, text: string) => {
	const [one, other] = [embed(query, dimensions), embed(text, dimensions)];
	return one.reduce((sum, value, index) => sum + value * other[index], 0);
};

/** Of a model whose scores are all near 1. */
const narrow = (query: string, text: string) => 0.8 + cosine(128)(query, text) / 5;

const bases: Base[] = [
	{
		id: 'akb-1',
		mode: 'lexical',
		score: lexical,
		texts: [
			'How do I change the name on my account? Open your profile.',
			'How do I invite people? Open Members and choose Invite.',
			'How long is a link valid? See the page of the link.',
			'Why was my payment refused? Ask your bank why the payment was refused.',
			'How do I download an invoice? Invoices are under Billing.',
		],
	},
	{
		id: 'akb-2',
		mode: 'vector',
		connection: 'aic-2',
		score: cosine(256),
		texts: [
			'Refunds arrive within five working days.',
			'A link to reset a password is valid for one hour.',
			'Seats can be added at any time.',
			'Backups are kept for 35 days.',
			'Exports are archives of tables.',
		],
	},
	{
		id: 'akb-3',
		mode: 'vector',
		connection: 'aic-3',
		score: narrow,
		texts: [
			'Backups are made every six hours.',
			'The notice period is three months.',
			'Data is stored in the European Union.',
			'Liability ends with the contract.',
			'Renewals are for one year.',
		],
	},
];

/** Questions, each with the passages that answer it, by base and number: 3 wholly, 1 in part. */
const labelled: Array<
	[question: string, ...relevance: Array<[base: number, text: number, grade: number]>]
> = [
	['How long is the link to reset my password valid?', [1, 1, 3], [0, 2, 1]],
	['How often are backups made and for how long are they kept?', [1, 3, 3], [2, 0, 3]],
	['When do refunds arrive?', [1, 0, 3]],
	['Why was my payment refused?', [0, 3, 3]],
	['What is the notice period of the contract?', [2, 1, 3], [2, 3, 1]],
	['How do I add seats for people?', [1, 2, 3], [0, 1, 1]],
	['Where is my data stored and how do I export tables?', [2, 2, 3], [1, 4, 1]],
];

const LIMIT = 5;

const gain = (grades: number[]) =>
	grades.reduce((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0);

/** Normalized discounted cumulative gain of what was found: 1 if the best passages stand first. */
function ndcg(found: string[], grades: Map<string, number>): number {
	const ideal = [...grades.values()].sort((one, other) => other - one).slice(0, LIMIT);
	return gain(found.slice(0, LIMIT).map((text) => grades.get(text) ?? 0)) / gain(ideal);
}

const responseOf = ({ id, mode, score, texts }: Base, question: string) => {
	const results = texts
		.map((content) => ({ content, score: Number(score(question, content).toFixed(4)) }))
		.sort((one, other) => other.score - one.score)
		.slice(0, LIMIT)
		.map((each, index) => ({ ...each, chunk_id: `${id}-${index}` }));
	return { knowledge_base: { id, name: id, retrieval_mode: mode }, count: LIMIT, results };
};

async function found(question: string, options: IDataObject = {}): Promise<string[]> {
	sandbox().faults.clear();
	for (const base of bases) {
		const path = `/ai-gateway/knowledge-bases/${base.id}/search.json`;
		sandbox().faults.add({ kind: 'status', status: 200, path, body: responseOf(base, question) });
	}
	let texts: string[] = [];
	const { error } = await useSubNode<{
		invoke(query: string): Promise<Array<{ pageContent: string }>>;
	}>({
		node: 'platformKnowledgeBaseRetriever',
		type: NodeConnectionTypes.AiRetriever,
		parameters: {
			knowledgeBaseId: byId('akb-1'),
			options: { moreKnowledgeBases: ['akb-2', 'akb-3'], ...options },
		},
		credential: credentialOf(sandbox()),
		use: async ({ invoke }) => {
			texts = (await invoke(question)).map(({ pageContent }) => pageContent);
		},
	});
	if (error) throw error;
	return texts;
}

/** As scores alone would have it. */
const byScore = (question: string) =>
	bases
		.flatMap((base) => responseOf(base, question).results)
		.sort((one, other) => other.score - one.score)
		.map(({ content }) => content);

test('passages of bases whose scores can not be compared are merged by rank: what answers stands first', async () => {
	const measured: Array<[before: number, after: number]> = [];
	for (const [question, ...relevance] of labelled) {
		const grades = new Map(
			relevance.map(([base, text, grade]) => [bases[base].texts[text], grade]),
		);
		measured.push([ndcg(byScore(question), grades), ndcg(await found(question), grades)]);
	}
	const [before, after] = [0, 1].map((at) => measured.reduce((sum, each) => sum + each[at], 0));
	expect(before).toBeGreaterThan(0);
	expect(after).toBeGreaterThan(2 * before);
	// Each question has at least one passage that answers it.
	expect(measured.filter(([, each]) => each === 0)).toEqual([]);
});

test('the kinds of vector scores come from one read of the list, which may fail', async () => {
	const [question] = labelled[0];
	const whole = await found(question);
	const lists = () => sandbox().requests.filter(({ method }) => method === 'GET');
	expect(lists().map(({ path }) => path.split('?')[0])).toEqual([
		'/ai-gateway/knowledge-bases.json',
	]);
	expect(
		new Set(whole.slice(0, 3).map((text) => bases.findIndex(({ texts }) => texts.includes(text))))
			.size,
	).toBe(3);
});

test('Minimum Score is for scores of the kind that the first base has', async () => {
	const [question] = labelled[0];
	const texts = await found(question, { minimumScore: 1000 });
	expect(texts.length).toBe(LIMIT);
	expect(texts.filter((text) => bases[0].texts.includes(text))).toEqual([]);
});
