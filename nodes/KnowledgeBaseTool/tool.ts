// The operation of Platform Knowledge Base Tool: a question to knowledge bases, answered with text that
// a model reads.
import { options, text } from '../shared/fields';
import {
	knowledgeBase,
	maxPassages,
	queryLimit,
	searchBases,
	searchEndpoint,
	searchOptions,
	withSource,
} from '../AiGateway/knowledgeBases';
import { FieldFault, type ApiRequest, type Operation, type Steps } from '../shared/operation';
import { waitSettings } from '../shared/subNode';

/** What n8n's own Agents look for in fields that are set, while the canvas takes it from the default, too. */
const FROM_AI = "$fromAI('question', 'The question to search for, as a full sentence', 'string')";

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

/** Without a question there's nothing to search for. Where the model wasn't asked for one, it can't know. */
function checkQuestion(request: ApiRequest): void {
	if (String(request.body?.query ?? '').trim() === '') {
		throw new FieldFault(
			'Question',
			"must not be empty. In n8n's own Agents, let the model define it with the field's button",
		);
	}
	searchEndpoint.check?.(request);
}

export const operation: Operation = {
	...searchEndpoint,
	shape: { kind: 'one' },
	check: checkQuestion,
	run: ask,
	fields: [
		text({
			displayName: 'Description',
			name: 'toolDescription',
			typeOptions: { rows: 3 },
			default:
				'Search a knowledge base of the company. Returns passages with their sources. Ask a full question.',
			send: false,
			description:
				'What the model is told about this tool. Say what the knowledge base is about, so that the model knows when to use it.',
		}),
		knowledgeBase,
		text({
			name: 'question',
			default: `={{ ${BY_MODEL} ${FROM_AI} }}`,
			send: { as: 'query', maxLength: queryLimit },
			description: 'What to search for. By default, the model asks.',
			builderHint: {
				propertyHint: `In an agent outside of a workflow, always set it to the expression ${FROM_AI}. Its default isn't read there, so the model would have no question to fill in.`,
			},
		}),
		maxPassages,
		options(searchOptions),
		waitSettings,
	],
};
