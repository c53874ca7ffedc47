// Platform Knowledge Base Tool as n8n makes a tool of it: what the model is told, what it gets back.
import {
	traverseNodeParameters,
	type FromAIArgument,
	type IDataObject,
	type INodeParameters,
} from 'n8n-workflow';
import { runNode } from './host/host.cts';
import { packageNodes } from './host/package.cts';
import { byId, credentialOf, sandboxFor } from './host/run.cts';
import { useTools, type Tool } from './host/tool.cts';

const sandbox = sandboxFor({ customers: 1 });

const bodies = () => sandbox().requests.map(({ body }) => body as Record<string, unknown>);

const QUESTION = 'How do I reset my password?';

/** What a use of the tool gives back. */
async function withTool<T>(
	parameters: INodeParameters,
	use: (tool: Tool) => Promise<T> | T,
	options: Parameters<typeof useTools>[3] = {},
): Promise<T> {
	const results: T[] = [];
	const form = { knowledgeBaseId: byId('akb-1'), ...parameters };
	await useTools(
		[{ node: 'platformKnowledgeBaseTool', parameters: form }],
		credentialOf(sandbox()),
		async ({ Tool_1: tool }) => results.push(await use(tool)),
		options,
	);
	expect(results).toHaveLength(1);
	return results[0];
}

/** The text that the model gets for its arguments. */
async function answerTo(
	args: Record<string, unknown>,
	parameters: INodeParameters = {},
	options?: Parameters<typeof useTools>[3],
): Promise<string> {
	const output = await withTool(parameters, async (tool) => await tool.invoke(args), options);
	const [{ response, error }] = JSON.parse(output) as Array<{ response?: string; error?: string }>;
	return response ?? String(error);
}

test("tells the model the user's description, and asks it for a question and nothing else", async () => {
	const described = async (form: INodeParameters) =>
		await withTool(form, ({ description, schema }) => [description, Object.keys(schema.shape)]);
	expect(await described({})).toEqual([
		expect.stringMatching(/^Search a knowledge base/),
		['question'],
	]);
	const toolDescription = 'Search the handbook of the company';
	expect(await described({ toolDescription })).toEqual([toolDescription, ['question']]);
});

// They run the node alone: what the model fills in is its item, and only fields that are set are read.
describe("in n8n's own Agents", () => {
	const { properties } = packageNodes().platformKnowledgeBaseTool.description;
	const question = properties.find(({ name }) => name === 'question');
	const told = /\$fromAI\([^)]*\)/.exec(String(question?.builderHint?.propertyHint))?.[0];

	const execute = async (parameters: INodeParameters, item: IDataObject) =>
		await runNode({
			node: 'platformKnowledgeBaseTool',
			parameters: { knowledgeBaseId: byId('akb-1'), ...parameters },
			credential: credentialOf(sandbox()),
			items: [item],
		});

	test('the model is asked for a question where the field is set as its hint says', async () => {
		const parameters = { question: `={{ ${told} }}` };
		const asked: FromAIArgument[] = [];
		traverseNodeParameters(parameters, asked);
		expect(asked).toMatchObject([{ key: 'question', type: 'string' }]);
		const { items } = await execute(parameters, { question: QUESTION });
		expect(items[0].json.response).toContain('Source: Reset your password, page 8');
		expect(bodies()).toMatchObject([{ query: QUESTION }]);
	});

	test('an error says what to set where the model was not asked', async () => {
		const { error } = await execute({}, {});
		expect(error?.message).toMatch(
			/^"Question" must not be empty\. In n8n's own Agents, let the model/,
		);
		expect(bodies()).toEqual([]);
	});
});

test('answers with passages and a line for the source of each', async () => {
	const response = await answerTo({ question: QUESTION }, { passages: 2 });
	expect(bodies()).toEqual([{ query: QUESTION, limit: 2 }]);
	expect(response).toMatch(/valid for one hour.*\n.*\n\nSource: Reset your password, page 8\n\n/);
	expect(response.match(/^Source: /gm)).toHaveLength(2);
});

test('lets the model choose the limit where the user does', async () => {
	const passages = "={{ $fromAI('limit', 'Max number of passages, 1 to 10', 'number', 5) }}";
	await answerTo({ question: QUESTION, limit: 1 }, { passages });
	expect(bodies()).toEqual([{ query: QUESTION, limit: 1 }]);
	expect(await answerTo({ question: QUESTION, limit: 50 }, { passages })).toContain(
		'"Max Passages" must be between 1 and 10 (got 50)',
	);
});

// An agent that calls its tools itself has their fields read for its first item, whichever item it works on.
test('does not search with the principals of the first item for another', async () => {
	const options = { principals: '={{ $json.user }}' };
	const answer = async (...users: string[]) =>
		await answerTo({ question: QUESTION }, { options }, { items: users.map((user) => ({ user })) });
	expect(await answer('ceo', 'intern')).toContain(
		'"Principals" must be the same for all input items',
	);
	expect(bodies()).toEqual([]);
	await answer('ceo', 'ceo');
	expect(bodies()).toMatchObject([{ principals: ['ceo'] }]);
});

test("if one knowledge base can't be searched, gives the passages of the others and says so", async () => {
	const response = await answerTo(
		{ question: QUESTION },
		{ options: { moreKnowledgeBases: ['akb-6'] } },
	);
	expect(response).toContain('Source: Reset your password, page 8');
	expect(response).toMatch(
		/\n\nThe knowledge base akb-6 wasn't searched: Knowledge base is not ready \(HTTP 409\)\./,
	);
});

test.each([
	['none is ready', 'akb-6', { question: QUESTION }, /^Knowledge base is not ready \(HTTP 409\)/],
	['it is not there', 'akb-99', { question: QUESTION }, /Nothing found for "akb-99"/],
	['the question is empty', 'akb-1', { question: '' }, /"Question" must not be empty/],
])('fails with the reason when %s', async (_title, id, args, message) => {
	expect(await answerTo(args, { knowledgeBaseId: byId(id) })).toMatch(message);
});

test("tells n8n's log streaming what n8n's own tools tell it", async () => {
	const events: unknown[] = [];
	const aiEvent = (name: string, { msg = '' }: { msg?: string }) => {
		events.push({ name, data: JSON.parse(msg) as unknown });
	};
	expect(await answerTo({ question: 'xylophone' }, {}, { aiEvent })).toBe('No passages found.');
	expect(events).toEqual([
		{ name: 'ai-tool-called', data: { query: 'xylophone', response: 'No passages found.' } },
	]);
});
