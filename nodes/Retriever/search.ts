// The search of Platform Knowledge Base Retriever, with passages as LangChain documents.
import type { IDataObject } from 'n8n-workflow';

import { access, principals } from '../AiGateway/access';
import {
	knowledgeBase,
	maxPassages,
	queryLimit,
	searchBases,
	searchEndpoint,
	searchOptions,
	withSource,
	type Passage,
} from '../AiGateway/knowledgeBaseSearch';
import type { ApiRequest } from '../engine/base/apiRequest';
import type { Steps } from '../engine/client/steps';
import { options, text, toggle } from '../engine/form/fields';
import type { Operation } from '../engine/form/operation';
import { checkedValue, waitSettings } from '../engine/node/subNode';

/** The query comes with each call. */
export const operation: Operation = {
	...searchEndpoint,
	fields: [
		knowledgeBase,
		access,
		principals,
		maxPassages,
		options([
			...searchOptions,
			toggle({
				displayName: 'Source in Text',
				name: 'sourceInText',
				default: true,
				send: { setting: true },
				description:
					'Whether to end each passage with a line such as "Source: Handbook, page 8", so that a chain can cite it',
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

/** A document of LangChain. */
export interface Document {
	pageContent: string;
	/**
	 * All other fields of the passage, such as document_name and page, and its knowledge base. The score isn't enumerable:
	 * LangChain deduplicates passages by their metadata, and the same passage has another score for each question.
	 */
	metadata: IDataObject;
}

function documentOf(passage: Passage, sourceInText: boolean): Document {
	const metadata = { ...passage.metadata };
	// The score isn't enumerable, as `Document` says.
	Object.defineProperty(metadata, 'score', { value: passage.score ?? null });
	return { pageContent: sourceInText ? withSource(passage) : passage.content, metadata };
}

/** A copy of the metadata lacks the score, so the editor's output gets it here. */
export const shownOutput = (documents: Document[]): IDataObject => ({
	response: documents.map(({ pageContent, metadata }) => ({
		pageContent,
		metadata: { ...metadata, score: metadata.score },
	})),
});

/** `request`: without the query. Throws FieldFault for a query that is empty, too long or not text. */
export async function search(
	query: unknown,
	request: ApiRequest,
	steps: Steps,
): Promise<Document[]> {
	const checked = String(checkedValue(queryField, query));
	const passages = await searchBases(checked, request, steps);
	return passages.map((each) => documentOf(each, request.settings?.sourceInText === true));
}
