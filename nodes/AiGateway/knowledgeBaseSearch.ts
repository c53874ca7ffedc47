// Search in one or several knowledge bases, for the retriever and the tool (reference: AI Gateway,
// Document and passage).
import type { IDataObject } from 'n8n-workflow';

import { endpointOf, loadedChoices, operation } from '../api';
import type { ApiRequest } from '../engine/base/apiRequest';
import { isUnset, numberOf, recordOf, recordsOf } from '../engine/base/data';
import { requestTo } from '../engine/base/path';
import { inPool } from '../engine/base/pool';
import type { Steps } from '../engine/client/steps';
import { number, text, type Field } from '../engine/form/fields';
import { accessCheck, principalsOption } from './access';
import { knowledgeBaseId } from './fields';

const ROUTE = 'POST /ai-gateway/knowledge-bases/{knowledgeBaseId}/search.json';

const BASES = 'GET /ai-gateway/knowledge-bases.json';

/** The operation without its query, which comes with each call. */
export const searchEndpoint = operation('search', {
	action: 'Search a knowledge base',
	description: 'Return the passages that match a query',
	route: ROUTE,
	also: [BASES],
	shape: { kind: 'list', items: 'results' },
	check: accessCheck('Principals'),
});

export const knowledgeBase: Field = {
	...knowledgeBaseId,
};

/** Max passages of a search. If some may be left out, it asks for so many. */
const MOST_PASSAGES = 10;

export const maxPassages = number({
	displayName: 'Max Passages',
	name: 'passages',
	typeOptions: { minValue: 1, maxValue: MOST_PASSAGES },
	default: 5,
	send: { as: 'limit', type: 'integer' },
	description: 'From 1 to 10',
});

const moreKnowledgeBases = loadedChoices('knowledgeBases', {
	displayName: 'Additional Knowledge Base',
	name: 'moreKnowledgeBases',
	send: { type: 'list', setting: true },
	description: 'The best passages of all are returned',
});

/** Documents whose passages are left out. */
export const leaveOut = text({
	displayName: 'Leave Out Documents',
	name: 'leaveOutDocuments',
	placeholder: 'e.g. ado-1, ado-2',
	send: { type: 'list', setting: true },
	description: 'IDs of documents, such as replaced ones',
});

/** True for a passage of a document that the user leaves out. */
export const isLeftOut = (left: unknown, { document_id: id }: IDataObject): boolean =>
	[left ?? []].flat().map(String).includes(String(id));

export const searchOptions: Field[] = [
	moreKnowledgeBases,
	leaveOut,
	number({
		name: 'minimumScore',
		typeOptions: { numberPrecision: 4 },
		send: { setting: true },
		description:
			'Lower ones of the same kind are left out. A first search shows which scores you get.',
	}),
	principalsOption,
];

export const queryLimit = 32_000;

export interface Passage {
	content: string;
	/** Undefined if the API returns none. */
	score?: number;
	/** All other fields of the passage, and ID and name of its knowledge base. */
	metadata: IDataObject;
}

/** @param body of the response that has the passage */
function passageOf(
	baseId: string,
	body: unknown,
	{ content, score, ...rest }: IDataObject,
): Passage {
	const { name } = recordOf(recordOf(body).knowledge_base);
	const metadata = { ...rest, knowledge_base_id: baseId, knowledge_base_name: name ?? null };
	return { content: String(content ?? ''), score: numberOf(score), metadata };
}

/** Requests by the ID of the base, so that none is searched twice. Errors about an additional base name its field. */
function requestsFor(request: ApiRequest, query: string): Map<string, ApiRequest> {
	const leavesOut = request.settings?.[leaveOut.name] !== undefined;
	const body = { ...request.body, query, ...(leavesOut && { limit: MOST_PASSAGES }) };
	const requests = new Map<string, ApiRequest>();
	requests.set(request.ids.knowledgeBaseId, { ...request, body });
	const field = moreKnowledgeBases.displayName;
	for (const id of [request.settings?.moreKnowledgeBases ?? []].flat().map(String)) {
		if (requests.has(id)) continue;
		const other = requestTo(endpointOf(ROUTE), { knowledgeBaseId: id }, { body }, () => field);
		requests.set(id, { ...other, lookupKeys: () => [{ field, value: id }] });
	}
	return requests;
}

/** The constant of reciprocal rank fusion, as its authors chose it (Cormack, Clarke, Büttcher, 2009). */
const K = 60;

/** Merges rankings whose scores can't be compared, by reciprocal rank fusion. Equal ranks are in the order of the rankings. */
const fused = (rankings: Passage[][]): Passage[] =>
	rankings
		.flatMap((ranking) => ranking.map((passage, at) => ({ passage, weight: 1 / (K + at + 1) })))
		.sort((one, other) => other.weight - one.weight)
		.map(({ passage }) => passage);

/** Passages whose scores can be compared, the highest first and those without a score last. */
function byScore(passages: Passage[]): Passage[] {
	const rank = ({ score = -Infinity }: Passage) => score;
	// Two without a score give NaN (-Infinity minus itself). With 0 they keep their order.
	return [...passages].sort((a, b) => rank(b) - rank(a) || 0);
}

/** Response of a knowledge base to a search. */
interface Response {
	baseId: string;
	/** As the response names it. */
	mode?: unknown;
	passages: Passage[];
}

/**
 * The kind of the scores of each response: those of one kind can be compared. Lexical scores are one kind. Those of vectors
 * depend on the embedding model, so they're of the embedding connection, which only the list of knowledge bases shows. Where
 * it isn't known, a base is of its own kind.
 */
async function kindsOf(responses: Response[], steps: Steps): Promise<unknown[]> {
	const isVector = ({ mode }: Response) => mode === 'vector';
	if (responses.filter(isVector).length < 2) return responses.map(({ mode }) => mode);
	const { rows } = await steps.list(steps.request(BASES)).catch(() => ({ rows: [] }));
	return responses.map((response) => {
		if (!isVector(response)) return response.mode;
		const base = recordsOf(rows).find(({ id }) => String(id) === response.baseId);
		return base?.embedding_connection_id ?? response;
	});
}

/**
 * Searches all knowledge bases of a request at the same time.
 * @param request without the query. Its limit applies to each base and to the result.
 * @param onFailure called for each failed base if another one responds. Without it, the first failure throws.
 * @returns passages of a single base in the order of the API. Those of several bases have the highest scores first if these can
 *   be compared. Else they're merged by rank. Minimum Score is for scores of the kind that the first base has, and passages
 *   without a score pass it.
 * @throws FieldFault for an additional base with an invalid ID
 * @throws the error of the base that failed first, if all failed
 */
export async function searchBases(
	query: string,
	request: ApiRequest,
	steps: Steps,
	onFailure?: (baseId: string, error: unknown) => void,
): Promise<Passage[]> {
	const requests = [...requestsFor(request, query)];
	const responses = requests.map(([baseId]): Response => ({ baseId, passages: [] }));
	const failures = new Map<string, unknown>();
	await inPool(requests.length, requests.length, async (index) => {
		const [baseId, ofBase] = requests[index];
		const response = responses[index];
		// Passages are taken from the page, since only its body has the name and the mode of the base.
		const onPage = (rows: unknown[], body: unknown) => {
			response.mode = recordOf(recordOf(body).knowledge_base).retrieval_mode;
			response.passages.push(...recordsOf(rows).map((row) => passageOf(baseId, body, row)));
			return rows;
		};
		await steps.list(ofBase, { onPage }).catch((error: unknown) => {
			if (onFailure === undefined) throw error;
			failures.set(baseId, error);
		});
	});
	const [firstError] = failures.values();
	if (failures.size === requests.length) throw firstError;
	for (const [baseId, error] of failures) onFailure?.(baseId, error);
	const { minimumScore, [leaveOut.name]: left } = request.settings ?? {};
	for (const response of responses) {
		response.passages = response.passages.filter(({ metadata }) => !isLeftOut(left, metadata));
	}
	const minimum = numberOf(minimumScore) ?? -Infinity;
	const passes = ({ score }: Passage) => score === undefined || score >= minimum;
	const [first] = responses;
	const wanted = numberOf(request.body?.limit);
	if (requests.length === 1) return first.passages.filter(passes).slice(0, wanted);
	const kinds = await kindsOf(responses, steps);
	const rankings = [...new Set(kinds)].map((kind) => {
		const found = responses.filter((_response, index) => kinds[index] === kind);
		const ranking = byScore(found.flatMap(({ passages }) => passages));
		return found.includes(first) ? ranking.filter(passes) : ranking;
	});
	return fused(rankings).slice(0, wanted);
}

/** Text of a passage, followed by a line such as `Source: Handbook, page 8`. */
export function withSource({ content, metadata }: Passage): string {
	const { document_name, document_id, page } = metadata;
	const name = String(document_name ?? document_id ?? 'unknown');
	const where = isUnset(page) ? '' : `, page ${String(page)}`;
	return `${content}\n\nSource: ${name}${where}`;
}
