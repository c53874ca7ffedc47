// The AI sub-nodes and the action nodes as tools in a real n8n, with n8n's own vector store, chains
// and agent, and a chat model that the test serves itself.
import type { INode, NodeParameterValueType } from 'n8n-workflow';
import {
	itemsOf,
	type Execution,
	type StoredCredential,
	type WorkflowJson,
} from '../n8n/client.cts';
import { startN8n, type N8nInstance } from '../n8n/instance.cts';
import { startSandbox, type Sandbox } from '../sandbox/index.cts';
import { startChatModel, type ChatModel } from './chat-model.cts';

const LANGCHAIN = '@n8n/n8n-nodes-langchain';
const PLATFORM = 'n8n-nodes-platform-api';

type Parameters = Record<string, NodeParameterValueType | object>;

/** A node and what it is connected to: by the names of the nodes that it feeds. */
interface Part {
	name: string;
	type: string;
	version?: number;
	parameters?: Parameters;
	to?: string[];
	/** Kind of the connection, `main` by default. */
	as?: string;
	settings?: Partial<INode>;
}

function workflowOf(name: string, parts: Part[]): WorkflowJson {
	const credentials = {
		platformApi: { id: '', name: '' },
		openAiApi: { id: '', name: '' },
	};
	return {
		name,
		nodes: parts.map(({ name: id, type, version = 1, parameters = {}, settings }, index) => ({
			id,
			name: id,
			type,
			typeVersion: version,
			position: [index * 200, 0],
			parameters: parameters as INode['parameters'],
			credentials: type.startsWith(PLATFORM)
				? { platformApi: credentials.platformApi }
				: type.includes('OpenAi')
					? { openAiApi: credentials.openAiApi }
					: undefined,
			...settings,
		})),
		connections: Object.fromEntries(
			parts
				.filter(({ to }) => to)
				.map(({ name: from, to = [], as = 'main' }) => [
					from,
					{ [as]: [to.map((node) => ({ node, type: as as 'main', index: 0 }))] },
				]),
		),
	};
}

const byId = (value: string) => ({ __rl: true, mode: 'id', value });

const trigger = (to: string): Part => ({
	name: 'Start',
	type: 'n8n-nodes-base.manualTrigger',
	to: [to],
});

const embeddings = (to: string, parameters: Parameters = {}): Part => ({
	name: 'Platform Embeddings',
	type: `${PLATFORM}.platformEmbeddings`,
	parameters: { connectionId: byId('aic-2'), ...parameters },
	to: [to],
	as: 'ai_embedding',
});

const chatModel = (...to: string[]): Part => ({
	name: 'Chat Model',
	type: `${LANGCHAIN}.lmChatOpenAi`,
	version: 1.2,
	parameters: { model: byId('test-model') },
	to,
	as: 'ai_languageModel',
});

const vectorStore = (
	name: string,
	mode: string,
	memoryKey: string,
	rest: Partial<Part> & { parameters?: Parameters } = {},
): Part => ({
	name,
	type: `${LANGCHAIN}.vectorStoreInMemory`,
	version: 1.3,
	...rest,
	parameters: { mode, memoryKey: byId(memoryKey), ...rest.parameters },
});

/** Items with a text each, for a vector store to insert. */
const texts = (list: string[], to: string): Part => ({
	name: 'Texts',
	type: 'n8n-nodes-base.code',
	version: 2,
	parameters: { jsCode: `return ${JSON.stringify(list)}.map((text) => ({ json: { text } }));` },
	to: [to],
});

const loader = (to: string): Part => ({
	name: 'Data Loader',
	type: `${LANGCHAIN}.documentDefaultDataLoader`,
	version: 1.1,
	parameters: { jsonMode: 'expressionData', jsonData: '={{ $json.text }}' },
	to: [to],
	as: 'ai_document',
});

const topics = [
	'Invoices are sent on the first day of each month by mail.',
	'Employees may bring their dogs into the office on Fridays.',
	'The cafeteria serves vegetarian lunch between noon and two.',
	'Passwords expire after ninety days unless a passkey is used.',
];

/** As many texts as wanted, each with words of its own, so that each has its own neighbourhood. */
const manyTexts = (count: number) =>
	Array.from({ length: count }, (_text, index) =>
		index < topics.length ? topics[index] : `Remark${index} about item${index} of shelf${index}.`,
	);

let n8n: N8nInstance;
let sandbox: Sandbox;
let model: ChatModel;
let credentials: StoredCredential[];

beforeAll(async () => {
	sandbox = await startSandbox({ customers: 50 });
	model = await startChatModel();
	n8n = await startN8n();
	credentials = [
		await n8n.client.createCredential('platformApi', 'Platform API', {
			baseUrl: sandbox.baseUrl,
			apiKey: sandbox.key,
		}),
		await n8n.client.createCredential('openAiApi', 'Chat Model', {
			apiKey: 'none',
			url: model.url,
		}),
	];
});

afterAll(async () => {
	await n8n?.stop();
	await model?.close();
	await sandbox?.close();
});

beforeEach(() => {
	sandbox.clearRequests();
});

afterEach(() => {
	sandbox.faults.clear();
	model.beforeAnswer = undefined;
	const problems = sandbox.problems.splice(0);
	expect(problems).toEqual([]);
});

async function run(name: string, parts: Part[]): Promise<Execution> {
	const { id } = await n8n.client.importWorkflow(workflowOf(name, parts), credentials);
	return await n8n.client.runWorkflow(id);
}

const bodies = (path: string) =>
	sandbox.requests
		.filter((request) => request.path.endsWith(path))
		.map(({ body }) => body as Record<string, unknown>);

/** What the editor shows of the runs of a sub-node. */
const runsOf = ({ data }: Execution, node: string, type: string) =>
	(data.resultData.runData[node] ?? []).map((task) => ({
		status: task.executionStatus,
		input: task.inputOverride?.[type]?.[0]?.[0]?.json,
		output: task.data?.[type]?.[0]?.[0]?.json,
		error: task.error?.message,
	}));

const insert = async (key: string, list: string[], parameters: Parameters = {}) =>
	await run('Insert', [
		trigger('Texts'),
		texts(list, 'Store'),
		vectorStore('Store', 'insert', key),
		loader('Store'),
		embeddings('Store', parameters),
	]);

describe('Platform Embeddings', () => {
	const load = async (key: string, prompt: string) =>
		await run('Load', [
			trigger('Store'),
			vectorStore('Store', 'load', key, { parameters: { prompt, topK: 2 } }),
			embeddings('Store'),
		]);

	test('fills a Simple Vector Store and finds the nearest text in it', async () => {
		const inserted = await insert('topics', manyTexts(150));
		expect(inserted.status).toBe('success');
		expect(itemsOf(inserted, 'Store')).toHaveLength(150);
		expect(bodies('/ai-gateway/embeddings').map(({ input }) => (input as []).length)).toEqual([
			64, 64, 22,
		]);
		expect(bodies('/ai-gateway/embeddings').map(({ input_type }) => input_type)).toEqual([
			'document',
			'document',
			'document',
		]);

		sandbox.clearRequests();
		const loaded = await load('topics', 'When are invoices sent?');
		const [first] = itemsOf(loaded, 'Store');
		expect(first.json.document).toMatchObject({ pageContent: topics[0] });
		expect(bodies('/ai-gateway/embeddings')).toEqual([
			{ connection_id: 'aic-2', input: ['When are invoices sent?'], input_type: 'query' },
		]);
		const last = await load('topics', 'item149 of shelf149');
		expect(itemsOf(last, 'Store')[0].json.document).toMatchObject({
			pageContent: manyTexts(150)[149],
		});
	});

	test('shows its runs in the editor', async () => {
		const inserted = await insert('shown', topics);
		expect(runsOf(inserted, 'Platform Embeddings', 'ai_embedding')).toEqual([
			{
				status: 'success',
				input: { documents: topics },
				output: { vectors: 4, dimensions: 256, requests: 1, tokens: expect.any(Number) },
				error: undefined,
			},
		]);
	});

	test('serves another execution after its own one has ended', async () => {
		await insert('shared', topics);
		// n8n's Simple Vector Store gives the object that was opened last to all its stores.
		let other: Execution | undefined;
		model.beforeAnswer = async () => {
			model.beforeAnswer = undefined;
			other = await load('shared', 'dogs');
			sandbox.clearRequests();
		};
		const execution = await run('Slow', [
			trigger('Chain'),
			{
				name: 'Chain',
				type: `${LANGCHAIN}.chainRetrievalQa`,
				version: 1.7,
				parameters: { promptType: 'define', text: 'When are invoices sent?' },
			},
			chatModel('Chain', 'Queries'),
			{
				name: 'Queries',
				type: `${LANGCHAIN}.retrieverMultiQuery`,
				to: ['Chain'],
				as: 'ai_retriever',
			},
			{
				name: 'Retriever',
				type: `${LANGCHAIN}.retrieverVectorStore`,
				to: ['Queries'],
				as: 'ai_retriever',
			},
			vectorStore('Store', 'retrieve', 'shared', { to: ['Retriever'], as: 'ai_vectorStore' }),
			embeddings('Store'),
		]);
		expect(other?.status).toBe('success');
		console.log(
			execution.data.resultData.error,
			JSON.stringify(itemsOf(execution, 'Chain')),
			runsOf(execution, 'Platform Embeddings', 'ai_embedding'),
			runsOf(await n8n.client.execution(other!.id), 'Platform Embeddings', 'ai_embedding'),
		);
		expect(execution.status).toBe('success');
	});
});
