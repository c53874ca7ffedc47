// The search of Platform Knowledge Base Retriever and the documents of its response.
import type { IDataObject } from 'n8n-workflow';

import { options, text, toggle } from '../shared/fields';
import {
	knowledgeBase,
	maxPassages,
	queryLimit,
	searchBases,
	searchEndpoint,
	searchOptions,
	withSource,
	type Found,
} from '../AiGateway/knowledgeBases';
import type { ApiRequest, Operation, Steps } from '../shared/operation';
import { checkedValue, waitSettings } from '../shared/subNode';

/** The request without its query, and the form that fills it. */
export const operation: Operation = {
	...searchEndpoint,
	fields: [
		knowledgeBase,
		maxPassages,
		options([
			...searchOptions,
			toggle({
				displayName: 'Source in Text',
				name: 'sourceInText',
				default: true,
				send: { setting: true },
				description:
					'Whether to end the text of each passage with a line such as "Source: Handbook, page 8". Chains that give the model only the text need it to cite sources.',
			}),
		]),
		waitSettings,
	],
};

const queryField = text({
	name: 'query',
	required: true,
	send: { maxLength: queryLimit },
});

/** A passage as chains know it: its text, and what is needed to cite it. */
export interface Passage {
	pageContent: string;
	/**
	 * Every other field of the passage, such as document_name, page and section, and its knowledge base.
	 * The score can be read, but isn't enumerable: LangChain takes passages whose metadata differ for
	 * different ones, and a score differs with each question.
	 */
	metadata: IDataObject;
}

function passageOf(found: Found, sourceInText: boolean): Passage {
	const metadata = { ...found.about };
	Object.defineProperty(metadata, 'score', { value: found.score ?? null });
	return { pageContent: sourceInText ? withSource(found) : found.content, metadata };
}

/** What the editor shows of passages: their scores, too. */
export const shown = (passages: Passage[]): IDataObject => ({
	response: passages.map(({ pageContent, metadata }) => ({
		pageContent,
		metadata: { ...metadata, score: metadata.score },
	})),
});

/**
 * Searches for a query.
 * @param request without the query
 * @throws FieldFault for a query that is empty, too long or no text
 */
export async function search(
	query: unknown,
	request: ApiRequest,
	steps: Steps,
): Promise<Passage[]> {
	const text = String(checkedValue(queryField, query));
	const found = await searchBases(text, request, steps);
	return found.map((each) => passageOf(each, request.settings?.sourceInText === true));
}
