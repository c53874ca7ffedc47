// The search in knowledge bases, as the retriever and the tool do it: one base or several side by side
// (reference: AI Gateway, Document and passage).
import type { IDataObject } from 'n8n-workflow';

import { text, number, type Field } from '../shared/fields';
import { requestTo } from '../shared/path';
import { loadedChoices } from '../shared/pickers';
import {
	FieldFault,
	isRecord,
	numberOf,
	recordOf,
	recordsOf,
	type ApiRequest,
	type Operation,
	type Steps,
} from '../shared/operation';
import { inPool } from '../shared/pool';
import { knowledgeBaseId } from './fields';

const ROUTE = 'POST /ai-gateway/knowledge-bases/{knowledgeBaseId}/search.json';

/** Whether a value that should name a person or a group is empty. */
const isEmpty = (value: unknown) =>
	!value ||
	(typeof value === 'string' && value.trim() === '') ||
	(isRecord(value) && Object.keys(value).length === 0);

/**
 * Whether a value that should name people or groups is empty somewhere, alone or in a list. An empty list is
 * something else: it names no one on purpose.
 */
export const hasEmptyName = (value: unknown): boolean => [value].flat().some(isEmpty);

/** Refuses principals that are blank: they may be of an expression that found no one. */
export const principalsCheck =
	(label: string) =>
	({ body }: ApiRequest): void => {
		if (body?.principals !== undefined && hasEmptyName(body.principals)) {
			throw new FieldFault(label, 'must not have empty entries');
		}
	};

/** The endpoint; its request lacks the query, which comes with each question. */
export const searchEndpoint: Operation = {
	name: 'Search',
	value: 'search',
	action: 'Search a knowledge base',
	description: 'Return the passages that match a query',
	route: ROUTE,
	shape: { kind: 'list', items: 'results' },
	check: principalsCheck('Principals'),
};

export const knowledgeBase: Field = {
	...knowledgeBaseId,
	description: 'The knowledge base to search',
};

export const maxPassages = number({
	displayName: 'Max Passages',
	name: 'passages',
	typeOptions: { minValue: 1, maxValue: 10 },
	default: 5,
	send: { as: 'limit', type: 'integer' },
	description: 'Max number of passages to return, 1 to 10',
});

const moreKnowledgeBases = loadedChoices('knowledgeBases', {
	displayName: 'Additional Knowledge Base',
	name: 'moreKnowledgeBases',
	send: { type: 'list', setting: true },
	description:
		'Further knowledge bases to search. The passages with the highest scores are returned',
});

export const searchOptions: Field[] = [
	moreKnowledgeBases,
	number({
		name: 'minimumScore',
		typeOptions: { numberPrecision: 4 },
		send: { setting: true },
		description:
			'Passages with a lower score are left out. Run a search first to see which scores you get. Passages without a score are kept.',
	}),
	text({
		name: 'principals',
		placeholder: 'e.g. group:finance, user:ada',
		send: { type: 'values', emptyFails: true },
		description:
			"Who is searching, separated by commas or as an array. Only public passages and those they can see are returned. Can't be left blank once added. An expression must give the same for all input items.",
	}),
];

export const queryLimit = 32_000;

export interface Found {
	content: string;
	/** Undefined where the API names none. */
	score?: number;
	/** Every other documented or further field of the passage, with ID and name of its knowledge base. */
	about: IDataObject;
}

function foundIn(base: string, body: unknown, { content, score, ...rest }: IDataObject): Found {
	const { name } = recordOf(recordOf(body).knowledge_base);
	const about = { ...rest, knowledge_base_id: base, knowledge_base_name: name ?? null };
	return { content: String(content ?? ''), score: numberOf(score), about };
}

/** The request of the form, and one for each further base; a base that is named twice is asked once. */
function requestsFor(request: ApiRequest, query: string): Map<string, ApiRequest> {
	const body = { ...request.body, query };
	const requests = new Map<string, ApiRequest>();
	requests.set(request.ids.knowledgeBaseId, { ...request, body });
	const more = [request.settings?.moreKnowledgeBases ?? []].flat().map(String);
	for (const id of more.filter((each) => !requests.has(each))) {
		const field = moreKnowledgeBases.displayName;
		const other = requestTo(ROUTE, { knowledgeBaseId: id }, { body }, () => field);
		requests.set(id, { ...other, lookupKeys: [{ field, value: id }] });
	}
	return requests;
}

/**
 * Searches all knowledge bases of a request.
 * @param request without the query; its limit holds for each base, and for all passages together
 * @param failed takes the failures of bases while another one responds; without it, the first one throws
 * @returns the passages of one base in the order of the API; those of several by their scores, the
 *   highest first, and those without a score last
 * @throws FieldFault for a further base whose ID isn't valid, and the failure of the first base where
 *   none answers
 */
export async function searchBases(
	query: string,
	request: ApiRequest,
	steps: Steps,
	failed?: (base: string, error: unknown) => void,
): Promise<Found[]> {
	const requests = [...requestsFor(request, query)];
	const responses = requests.map((): Found[] => []);
	const failures = new Map<string, unknown>();
	await inPool(requests.length, requests.length, async (index) => {
		const [base, each] = requests[index];
		const onPage = (rows: unknown[], body: unknown) => {
			responses[index].push(...recordsOf(rows).map((row) => foundIn(base, body, row)));
			return rows;
		};
		await steps.list(each, { onPage }).catch((error: unknown) => {
			if (failed === undefined) throw error;
			failures.set(base, error);
		});
	});
	for (const [base, error] of failures) {
		if (failures.size === requests.length) throw error;
		failed?.(base, error);
	}
	const minimum = numberOf(request.settings?.minimumScore) ?? -Infinity;
	const found = responses.flat().filter(({ score }) => score === undefined || score >= minimum);
	if (requests.length === 1) return found;
	const rank = ({ score = -Infinity }: Found) => score;
	return found.sort((a, b) => rank(b) - rank(a) || 0).slice(0, numberOf(request.body?.limit));
}

/** The text of a passage, and below it where it is from: `Source: Handbook, page 8`. */
export function withSource({ content, about }: Found): string {
	const { document_name, document_id, page } = about;
	const name = document_name ?? document_id ?? 'unknown';
	const isPage = page !== undefined && page !== null && page !== '';
	return `${content}\n\nSource: ${String(name)}${isPage ? `, page ${String(page)}` : ''}`;
}
