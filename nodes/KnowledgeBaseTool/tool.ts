// The operation of Platform Knowledge Base Tool: searches knowledge bases and returns text for a model.
import { access, principals } from '../AiGateway/access';
import {
	knowledgeBase,
	maxPassages,
	queryLimit,
	searchBases,
	searchEndpoint,
	searchOptions,
	withSource,
} from '../AiGateway/knowledgeBaseSearch';
import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import type { Steps } from '../engine/client/steps';
import { options, text } from '../engine/form/fields';
import type { Operation } from '../engine/form/operation';
import { waitSettings } from '../engine/node/subNode';

/** Lets the model fill in a field. n8n's own Agents only find it in set fields, the canvas also in defaults. */
const FROM_AI = "$fromAI('question', 'The question to search for, as a full sentence', 'string')";

/** The editor recognizes a field that the model defines by this marker. */
const BY_MODEL = '/*n8n-auto-generated-fromAI-override*/';

/**
 * A base that fails doesn't end the search, if another one responds.
 * @returns `{response}`: the passages with their sources, or a note that there are none, and a note for each base that failed
 * @throws the error of the base that failed first, if all failed
 */
async function answer(request: ApiRequest, steps: Steps): Promise<unknown> {
	const notes: string[] = [];
	const onFailure = (baseId: string, error: unknown) => {
		const reason = error instanceof Error ? error.message : String(error);
		notes.push(`The knowledge base ${baseId} wasn't searched: ${reason}`);
	};
	// The search takes the query by itself and puts it into each request.
	const { query, ...body } = request.body ?? {};
	const found = await searchBases(String(query), { ...request, body }, steps, onFailure);
	const texts = found.length > 0 ? found.map(withSource) : ['No passages found.'];
	return { response: [...texts, ...notes].join('\n\n') };
}

/** An empty question means that the field isn't set to `$fromAI()`. */
function checkQuestion(request: ApiRequest): void {
	if (String(request.body?.query ?? '').trim() === '') {
		throw new FieldFault(
			'Question',
			"must not be empty. In n8n's own Agents, let the model define it with the field's button",
		);
	}
	// In `operation`, this check replaces that of the search.
	searchEndpoint.check?.(request);
}

export const operation: Operation = {
	...searchEndpoint,
	shape: { kind: 'one' },
	check: checkQuestion,
	run: answer,
	fields: [
		text({
			displayName: 'Description',
			name: 'toolDescription',
			typeOptions: { rows: 3 },
			default:
				'Search a knowledge base of the company. Returns passages with their sources. Ask a full question.',
			send: false,
			description: 'What the model is told. Say what the knowledge base is about.',
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
		access,
		principals,
		maxPassages,
		options(searchOptions),
		waitSettings,
	],
};
