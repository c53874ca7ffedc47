// Platform Embeddings and the action nodes as tools in a real n8n, with n8n's own vector store, chains and agent, and a chat
// model that the test serves itself. The retriever and the other tools, the examples show.
import { itemsOf, type Execution } from '../n8n/client.cts';
import { existingForm } from '../table/existing.cts';
import { onlyReads, table } from '../table/operations.cts';
import { aiSetting, type AiSetting } from './aiSetting.cts';
import {
	agent,
	byId,
	chatModel,
	LANGCHAIN,
	PLATFORM,
	trigger,
	type Parameters,
	type Part,
} from '../n8n/parts.cts';

const embeddings = (to: string): Part => ({
	name: 'Platform Embeddings',
	type: `${PLATFORM}.platformEmbeddings`,
	credential: 'platformApi',
	parameters: { connectionId: byId('aic-2') },
	to: [to],
	as: 'ai_embedding',
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
	parameters: {
		jsonMode: 'expressionData',
		jsonData: '={{ $json.text }}',
		textSplittingMode: 'custom',
	},
	to: [to],
	as: 'ai_document',
});

/** Makes a chunk of each line. */
const splitter: Part = {
	name: 'Lines',
	type: `${LANGCHAIN}.textSplitterCharacterTextSplitter`,
	parameters: { separator: '\n', chunkSize: 60 },
	to: ['Data Loader'],
	as: 'ai_textSplitter',
};

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

const vectorStoreRetriever = (to: string): Part => ({
	name: 'Retriever',
	type: `${LANGCHAIN}.retrieverVectorStore`,
	to: [to],
	as: 'ai_retriever',
});

const multiQuery: Part = {
	name: 'Queries',
	type: `${LANGCHAIN}.retrieverMultiQuery`,
	to: ['Chain'],
	as: 'ai_retriever',
};

const chain = (text: string): Part => ({
	name: 'Chain',
	type: `${LANGCHAIN}.chainRetrievalQa`,
	version: 1.7,
	parameters: { promptType: 'define', text },
});

const ai = aiSetting('chains');
let { n8n, sandbox, model, run, results } = {} as AiSetting;

beforeAll(() => {
	({ n8n, sandbox, model, run, results } = ai());
});

const bodies = (path: string) =>
	sandbox.requests
		.filter((request) => request.path.endsWith(path))
		.map(({ body }) => body as Record<string, unknown>);

const insert = async (key: string, list: string[]) =>
	await run('Insert', [
		trigger('Texts'),
		texts(list, 'Store'),
		vectorStore('Store', 'insert', key),
		loader('Store'),
		splitter,
		embeddings('Store'),
	]);

describe('Platform Embeddings', () => {
	const load = async (key: string, prompt: string, topK = 2) =>
		await run('Load', [
			trigger('Store'),
			vectorStore('Store', 'load', key, { parameters: { prompt, topK } }),
			embeddings('Store'),
		]);

	test('fills a Simple Vector Store and finds the nearest text in it', async () => {
		const inserted = await insert('topics', manyTexts(150));
		expect(inserted.status).toBe('success');
		expect(itemsOf(inserted, 'Store')).toHaveLength(150);
		expect(bodies('/ai-gateway/embeddings').map(({ input }) => (input as []).length)).toEqual([
			64, 64, 22,
		]);

		sandbox.clearRequests();
		const loaded = await load('topics', 'When are invoices sent?');
		const [first] = itemsOf(loaded, 'Store');
		expect(first.json.document).toMatchObject({ pageContent: topics[0] });
		expect(bodies('/ai-gateway/embeddings')).toEqual([
			{ connection_id: 'aic-2', input: ['When are invoices sent?'] },
		]);
		const last = await load('topics', 'item149 of shelf149');
		expect(itemsOf(last, 'Store')[0].json.document).toMatchObject({
			pageContent: manyTexts(150)[149],
		});
	});

	test('serves another execution after its own one has ended', async () => {
		await insert('shared', topics);
		// n8n's Simple Vector Store gives the object that was opened last to all its stores: here to
		// an execution that waits for its model meanwhile.
		let other: Execution | undefined;
		model.beforeAnswer = async () => {
			model.beforeAnswer = undefined;
			other = await load('shared', 'dogs');
			sandbox.clearRequests();
		};
		const execution = await run('Slow', [
			trigger('Chain'),
			chain('When are invoices sent?'),
			chatModel('Chain', 'Queries'),
			multiQuery,
			vectorStoreRetriever('Queries'),
			vectorStore('Store', 'retrieve', 'shared', { to: ['Retriever'], as: 'ai_vectorStore' }),
			embeddings('Store'),
		]);
		expect(itemsOf(execution, 'Chain').map(({ json }) => json.response)).toEqual([
			`Context: ${topics[0]}`,
		]);
		expect(bodies('/ai-gateway/embeddings').length).toBeGreaterThan(0);
		// What ended stays as it was: the late calls are no runs of it.
		const { id } = other as Execution;
		const ended = await n8n.client.execution(id);
		expect(ended.data.resultData.runData['Platform Embeddings']).toHaveLength(1);
	});

	test('feeds an agent through a vector store tool', async () => {
		await insert('tool', topics);
		const execution = await run('Agent', [
			trigger('Agent'),
			agent('call Company_Facts {"input": "May employees bring dogs?"}'),
			chatModel('Agent'),
			vectorStore('Company Facts', 'retrieve-as-tool', 'tool', {
				to: ['Agent'],
				as: 'ai_tool',
				parameters: { toolDescription: 'Facts about the company', topK: 1 },
			}),
			embeddings('Company Facts'),
		]);
		expect(execution.status).toBe('success');
		expect(model.toolResults()).toEqual([expect.stringContaining(topics[1])]);
	});
});

describe('action nodes as tools of an agent', () => {
	const tool = (name: string, parameters: Parameters, node = 'platformCustomers'): Part => ({
		name,
		type: `${PLATFORM}.${node}Tool`,
		credential: 'platformApi',
		parameters,
		to: ['Agent'],
		as: 'ai_tool',
	});

	const getCustomer = tool('Get Customer', {
		resource: 'customer',
		operation: 'get',
		customerId: byId("={{ $fromAI('customer_id', 'ID of the customer', 'string') }}"),
	});

	const createCustomer = tool('Create Customer', {
		resource: 'customer',
		operation: 'create',
		email: "={{ $fromAI('email', 'E-mail address', 'string') }}",
		companyName: "={{ $fromAI('company', 'Name of the company', 'string') }}",
	});

	test('each is one', async () => {
		const entries = new Map(
			table
				.filter(({ operation }) => onlyReads(operation.endpoint.route))
				.reverse()
				.map((entry) => [entry.node, entry]),
		);
		const all = [...entries].map(([node, entry]) => {
			const { resource, operation } = entry;
			const form = { ...existingForm(sandbox, entry), resource: resource.value };
			return tool(node, { ...form, operation: operation.value } as Parameters, node);
		});
		const execution = await run('All', [
			trigger('Agent'),
			// More calls than n8n allows unless told.
			agent(all.map(({ name }) => `call ${name}`).join('\n'), { maxIterations: 20 }),
			chatModel('Agent'),
			...all,
		]);
		expect(execution.status).toBe('success');
		expect(all.length).toBeGreaterThan(10);
		expect(results()).toEqual(all.map(() => expect.any(Array)));
		expect(model.toolResults().filter((text) => /^\[\{"error"/.test(text))).toEqual([]);
		const tools = (model.requests.at(-1)?.tools ?? []).map(({ function: each }) => each);
		const descriptions = tools.map(({ description = '' }) => description);
		expect(new Set(descriptions).size).toBe(all.length);
		expect(descriptions.filter((text) => !/\breturns?\b/i.test(text))).toEqual([]);
	});

	test('create with values of the model, which can act on an error', async () => {
		const values = { email: 'tool@example.com', company: 'Tool Works' };
		const execution = await run('Agent', [
			trigger('Agent'),
			agent(
				[
					'call Get_Customer {"customer_id": "no-such-customer"}',
					`if "This customer does not exist" call Create_Customer ${JSON.stringify(values)}`,
				].join('\n'),
			),
			chatModel('Agent'),
			getCustomer,
			createCustomer,
		]);
		expect(execution.status).toBe('success');
		const says =
			'This customer does not exist (HTTP 404). Nothing found for "no-such-customer". Check the Customer field.';
		const { rows } = sandbox.state.customers.customers;
		const created = rows.find(({ email }) => email === values.email);
		expect(results()).toEqual([[{ error: says }], [expect.objectContaining({ id: created?.id })]]);
		expect(bodies('/customers.json')).toEqual([
			{ customer: { email: values.email, company_name: values.company } },
		]);
		expect(JSON.stringify(model.requests)).not.toContain(sandbox.key);
		const described = (model.requests.at(-1)?.tools ?? []).map(({ function: each }) => each);
		expect(described).toMatchObject([
			{
				name: 'Create_Customer',
				description:
					'Create a customer and return its ID. Fails if the email or external ID already exists.',
				parameters: {
					type: 'object',
					properties: {
						email: { type: 'string', description: 'E-mail address' },
						company: { type: 'string', description: 'Name of the company' },
					},
				},
			},
			{ name: 'Get_Customer', description: 'Return the customer that has this ID' },
		]);
	});
});
