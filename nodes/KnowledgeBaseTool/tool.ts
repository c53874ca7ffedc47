// The operation of Platform Knowledge Base Tool: a question to knowledge bases, answered with text that
// a model reads.
import {
	knowledgeBase,
	maxPassages,
	queryLimit,
	searchBases,
	searchEndpoint,
	searchOptions,
	withSource,
} from '../AiGateway/knowledgeBases';
import type { ApiRequest, Operation, Steps } from '../shared/operation';
import { waitSettings } from '../shared/subNode';

/** What the editor writes when the user lets the model define a field, and knows it by. */
const BY_MODEL = '/*n8n-auto-generated-fromAI-override*/';

/**
 * The passages with their sources as one text.
 * @returns `{response}`; the text says so where nothing was found, and which bases could not be searched
 * @throws the error of the first base, where none could be searched
 */
async function ask(request: ApiRequest, steps: Steps): Promise<unknown> {
	const notes: string[] = [];
	const failed = (base: string, error: unknown) => {
		const reason = error instanceof Error ? error.message : String(error);
		notes.push(`The knowledge base ${base} wasn't searched: ${reason}`);
	};
	const { query, ...body } = request.body ?? {};
	const found = await searchBases(String(query), { ...request, body }, steps, failed);
	const texts = found.length > 0 ? found.map(withSource) : ['No passages found.'];
	return { response: [...texts, ...notes].join('\n\n') };
}

export const operation: Operation = {
	...searchEndpoint,
	shape: { kind: 'one' },
	run: ask,
	fields: [
		{
			displayName: 'Description',
			name: 'toolDescription',
			type: 'string',
			typeOptions: { rows: 3 },
			default:
				'Search a knowledge base of the company. Returns passages with their sources. Ask a full question.',
			send: false,
			description:
				'What the model is told about this tool. Say what the knowledge base is about, so that the model knows when to use it.',
		},
		knowledgeBase,
		{
			displayName: 'Question',
			name: 'question',
			type: 'string',
			required: true,
			default: `={{ ${BY_MODEL} $fromAI('question', 'The question to search for, as a full sentence', 'string') }}`,
			send: { as: 'query', maxLength: queryLimit },
			description: 'What to search for. By default, the model asks.',
		},
		maxPassages,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: searchOptions,
		},
		waitSettings,
	],
};
