/**
 * A chat model for tests: an OpenAI-compatible server on the loopback interface whose answers follow
 * from what it is told, so that a test can say what an agent's model does.
 *
 * Lines of the newest user message that begin with `call` are tool calls, made one after the other:
 *
 *     call Get_a_customer {"Customer": "1"}
 *     if "does not exist" call Create_a_customer {"Email": "ada@example.com"}
 *
 * A line with `if` is skipped unless the tool result before it holds the text, which stands in backticks if it has
 * quotes. `@name` in arguments is a value of that name in the results (`filledIn` in test/table/jobs.cts). Without such lines each tool
 * is called once, with what its required parameters find in the question. When all calls are done the model answers with
 * the last result. Asked for versions of a question, as n8n's MultiQuery Retriever does, it gives three.
 * Without tools it answers with the sentence of its system messages that shares the most words with the
 * question, or, if it was given none, repeats the last line of what it was asked.
 */
import fastify from 'fastify';
import { filledIn } from '../table/jobs.cts';

/** A message as clients send it; `content` may come in parts. */
interface ChatMessage {
	role: 'assistant' | 'system' | 'tool' | 'user';
	content: string | Array<{ type: string; text?: string }> | null;
	tool_calls?: ToolCall[];
	tool_call_id?: string;
}

interface ToolCall {
	id: string;
	type: 'function';
	function: { name: string; arguments: string };
}

/** As much of a JSON Schema as tools describe their parameters with. */
interface Schema {
	type?: string;
	properties?: Record<string, Schema>;
	items?: Schema;
	/** Of an object. Its other properties are left out. All are filled if it's missing. */
	required?: string[];
}

/** What a client asked, as it arrived. */
interface ChatRequest {
	model: string;
	messages: ChatMessage[];
	tools?: Array<{ function: { name: string; description?: string; parameters?: Schema } }>;
	stream?: boolean;
}

export interface ChatModel {
	/** The base URL that an OpenAI credential takes. */
	url: string;
	/** Every request so far, oldest first. */
	requests: ChatRequest[];
	/** Called before every answer; the answer waits for it. */
	beforeAnswer: (() => Promise<void>) | undefined;
	/** Lines that begin with `call`, for a message that has none, since a picture shows it. */
	script: string;
	/** Texts of the tool results in the newest request: what reached the model. */
	toolResults(): string[];
	close(): Promise<void>;
}

type Reply = Pick<ChatMessage, 'content' | 'tool_calls'>;

const directive =
	/^(?:if (?:"(?<condition>[^"]*)"|`(?<quoted>[^`]*)`) )?call (?<tool>\S+)(?: (?<args>\{.*\}))?$/gm;

function textOf({ content }: ChatMessage): string {
	if (typeof content === 'string') return content;
	return (content ?? []).map(({ text = '' }) => text).join('\n');
}

const words = (text: string) =>
	new Set((text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length > 3));

/** The sentence of the context with the most words of the question. */
function bestSentence(context: string, question: string): string {
	const wanted = words(question);
	const shared = (sentence: string) =>
		[...words(sentence)].filter((word) => wanted.has(word)).length;
	const sentences = context.split(/(?<=[.!?])\s+|\n/).map((sentence) => sentence.trim());
	const best = sentences.reduce((found, each) => (shared(each) > shared(found) ? each : found), '');
	return best || 'I do not know.';
}

/** Stands in arguments for the first ID in the results. */
const FOUND_ID = '@id';

/** A step without an ID of the results comes before those that need one, and the longer ones later. */
const weightOf = ({ args }: Step): number =>
	args.length + (args.includes(`"${FOUND_ID}"`) ? 10_000 : 0);

/**
 * What a question holds for a parameter: a number, an ID such as `cus-1`, an email, or else all of it. An ID that it doesn't hold is the
 * first one of the results.
 */
function argumentFrom(question: string, name: string, schema: Schema): unknown {
	const { type, items } = schema;
	if (schema.properties) return argumentsFrom(question, schema);
	if (items) return [argumentFrom(question, name, items)];
	if (type === 'number' || type === 'integer')
		return Number(/(?<!\S)\d+(\.\d+)?(?![\w@-])/.exec(question)?.[0] ?? 1);
	if (/id$/i.test(name)) return /\b[a-z]+-\d+\b/.exec(question)?.[0] ?? FOUND_ID;
	return (/email/i.test(name) && /\S+@\S+/.exec(question)?.[0]) || question;
}

const argumentsFrom = (question: string, { properties = {}, required }: Schema) =>
	Object.fromEntries(
		Object.entries(properties)
			.filter(([name]) => required === undefined || required.includes(name))
			.map(([name, each]) => [name, argumentFrom(question, name, each)]),
	);

type Tools = NonNullable<ChatRequest['tools']>;
type Step = Record<string, string>;

/** An agent of n8n has ten rounds. */
const MOST_STEPS = 8;

/** What to call: as the question or the script says, or else tools once each, with the one that does most as the last. */
function stepsOf(question: string, script: string, tools: Tools): Step[] {
	const told = [...`${question}\n${script}`.matchAll(directive)].map(({ groups = {} }) => groups);
	if (told.length > 0) return told;
	const all = tools
		.map(({ function: { name, parameters } }) => ({
			tool: name,
			args: JSON.stringify(argumentsFrom(question, parameters ?? {})),
		}))
		// What takes little looks something up, before what does something with it.
		.sort((one, other) => weightOf(one) - weightOf(other));
	return all.length > MOST_STEPS ? [...all.slice(0, MOST_STEPS - 1), ...all.slice(-1)] : all;
}

/** Several versions of a question, if that is asked for. */
function versionsOf(question: string): Reply | undefined {
	const original = /different versions[^]*Original question: (?<asked>.*)/.exec(question)?.groups;
	if (!original) return undefined;
	const { asked } = original;
	const versions = [asked, `Please tell me: ${asked}`, `${asked} Thanks!`];
	return { content: ['<questions>', ...versions, '</questions>'].join('\n') };
}

/** The call of the first step without a result; undefined when all have theirs. */
function nextCall(steps: Step[], results: string[], tools: Tools): Reply | undefined {
	let done = 0;
	for (const { quoted, condition = quoted, tool, args = '{}' } of steps) {
		const last = (results[done - 1] ?? '').replaceAll('\\"', '"');
		if (condition !== undefined && !last.includes(condition)) continue;
		if (done < results.length) {
			done += 1;
			continue;
		}
		const offered = tools.map(({ function: { name } }) => name);
		if (!offered.includes(tool)) {
			return { content: `There is no tool ${tool}, only: ${offered.join(', ')}` };
		}
		const given = filledIn(JSON.parse(args) as Record<string, unknown>, results.slice(0, done));
		const call = { name: tool, arguments: JSON.stringify(given) };
		return {
			content: null,
			tool_calls: [{ id: `call_${done}`, type: 'function', function: call }],
		};
	}
	return undefined;
}

function reply({ messages, tools = [] }: ChatRequest, script: string): Reply {
	const asked = messages.findLastIndex(({ role }) => role === 'user');
	const question = asked < 0 ? '' : textOf(messages[asked]);
	const results = messages
		.slice(asked + 1)
		.filter(({ role }) => role === 'tool')
		.map(textOf);
	const steps = stepsOf(question, script, tools);
	const made = versionsOf(question) ?? nextCall(steps, results, tools);
	if (made) return made;
	if (results.length > 0 && steps.length > 0) return { content: results[results.length - 1] };
	const context = messages.filter(({ role }) => role === 'system').map(textOf);
	if (context.length === 0) return { content: question.trim().split('\n').at(-1) ?? '' };
	return { content: bestSentence(context.join('\n'), question) };
}

/** Starts the model on a free port. */
export async function startChatModel(): Promise<ChatModel> {
	const requests: ChatRequest[] = [];
	const app = fastify({ bodyLimit: 10 * 1024 * 1024 });
	const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
	const head = { id: 'chatcmpl-1', created: 0, model: 'test-model' };

	app.get('/v1/models', () => ({ object: 'list', data: [{ id: 'test-model', object: 'model' }] }));

	app.post<{ Body: ChatRequest }>('/v1/chat/completions', async ({ body }, response) => {
		requests.push(body);
		await model.beforeAnswer?.();
		const answer = reply(body, model.script);
		const finish_reason = answer.tool_calls ? 'tool_calls' : 'stop';
		if (!body.stream) {
			const message = { role: 'assistant', ...answer };
			const choices = [{ index: 0, message, finish_reason }];
			return { ...head, object: 'chat.completion', choices, usage };
		}
		const tool_calls = answer.tool_calls?.map((call, index) => ({ index, ...call }));
		const delta = { role: 'assistant', content: answer.content, ...(tool_calls && { tool_calls }) };
		const chunks = [
			{ choices: [{ index: 0, delta, finish_reason: null }] },
			{ choices: [{ index: 0, delta: {}, finish_reason }], usage },
		].map((chunk) => JSON.stringify({ ...head, object: 'chat.completion.chunk', ...chunk }));
		response.type('text/event-stream');
		return [...chunks, '[DONE]'].map((chunk) => `data: ${chunk}\n\n`).join('');
	});

	const model: ChatModel = {
		url: `${await app.listen({ host: '127.0.0.1', port: 0 })}/v1`,
		requests,
		beforeAnswer: undefined,
		script: '',
		toolResults: () =>
			(requests.at(-1)?.messages ?? []).filter(({ role }) => role === 'tool').map(textOf),
		close: async () => await app.close(),
	};
	return model;
}
