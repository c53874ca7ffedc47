// Search in one or several knowledge bases, for the retriever and the tool (reference: AI Gateway,
// Document and passage).
import type { IDataObject } from 'n8n-workflow';

import { endpointOf, loadedChoices, operation } from '../api';
import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { isRecord, isUnset, numberOf, recordOf, recordsOf } from '../engine/base/data';
import { requestTo } from '../engine/base/path';
import { inPool } from '../engine/base/pool';
import type { Steps } from '../engine/client/steps';
import { number, text, type Field } from '../engine/form/fields';
import { toData, toJson, toList, toText } from '../engine/form/values';
import { knowledgeBaseId } from './fields';

const ROUTE = 'POST /ai-gateway/knowledge-bases/{knowledgeBaseId}/search.json';

/** True for what can't name a person or group: null, false, 0, blank text, `{}`. */
const isEmpty = (value: unknown) =>
	!value ||
	(typeof value === 'string' && value.trim() === '') ||
	(isRecord(value) && Object.keys(value).length === 0);

/**
 * True for the blank name of a person or group, alone or in a list. An empty list has none: it names no one on
 * purpose.
 */
export const hasEmptyName = (value: unknown): boolean => [value].flat().some(isEmpty);

/**
 * Returns a check that refuses blank principals, such as from an expression that found no one.
 * @param label of their field
 */
export const principalsCheck =
	(label: string) =>
	({ body }: ApiRequest): void => {
		if (body?.principals !== undefined && hasEmptyName(body.principals)) {
			throw new FieldFault(label, 'must not have empty entries');
		}
	};

/** The operation without its query, which comes with each call. */
export const searchEndpoint = operation('search', {
	action: 'Search a knowledge base',
	description: 'Return the passages that match a query',
	route: ROUTE,
	shape: { kind: 'list', items: 'results' },
	check: principalsCheck('Principals'),
});

export const knowledgeBase: Field = {
	...knowledgeBaseId,
};

export const maxPassages = number({
	displayName: 'Max Passages',
	name: 'passages',
	typeOptions: { minValue: 1, maxValue: 10 },
	default: 5,
	send: { as: 'limit', type: 'integer' },
	description: 'From 1 to 10',
});

const moreKnowledgeBases = loadedChoices('knowledgeBases', {
	displayName: 'Additional Knowledge Base',
	name: 'moreKnowledgeBases',
	send: { type: 'list', setting: true },
	description: 'The highest scores of all are returned',
});

/** Entries of an array or a JSON array as they are: the reference doesn't show their type. Other text is a list of names. */
function principalsIn(field: Field, value: unknown): unknown[] | undefined {
	if (Array.isArray(value)) {
		// Null is kept for `principalsCheck`, which says that an entry is empty. `toData` would say that it isn't JSON.
		return value.map((each) => (each === null ? null : toData(field, each)));
	}
	const given = toText(field, value).trim();
	return given.startsWith('[')
		? principalsIn(field, toJson(field, given, 'any'))
		: toList(field, given);
}

export const searchOptions: Field[] = [
	moreKnowledgeBases,
	number({
		name: 'minimumScore',
		typeOptions: { numberPrecision: 4 },
		send: { setting: true },
		description: 'Lower ones are left out. A first search shows which scores you get.',
	}),
	text({
		name: 'principals',
		placeholder: 'e.g. group:finance, user:ada',
		send: { type: 'list', convert: principalsIn, emptyFails: true, limitsAccess: true },
		description:
			'Who is searching, the same for all items. Only public passages and theirs are returned.',
	}),
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

/**
 * The form's request and one for each additional base, by the ID of the base, so none is searched twice. Errors about an
 * additional base name its field.
 */
function requestsFor(request: ApiRequest, query: string): Map<string, ApiRequest> {
	const body = { ...request.body, query };
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

/**
 * Searches all knowledge bases of a request at the same time.
 * @param request without the query. Its limit applies to each base and to the result.
 * @param onFailure called for each failed base if another one responds. Without it, the first failure throws.
 * @returns passages of a single base in the order of the API. Those of several bases have the highest
 *   scores first and those without a score last. Those without a score also pass Minimum Score.
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
	const responses = requests.map((): Passage[] => []);
	const failures = new Map<string, unknown>();
	await inPool(requests.length, requests.length, async (index) => {
		const [baseId, ofBase] = requests[index];
		// Passages are taken from the page, since only its body has the name of the base.
		const onPage = (rows: unknown[], body: unknown) => {
			responses[index].push(...recordsOf(rows).map((row) => passageOf(baseId, body, row)));
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
	const minimum = numberOf(request.settings?.minimumScore) ?? -Infinity;
	const found = responses.flat().filter(({ score }) => score === undefined || score >= minimum);
	if (requests.length === 1) return found;
	const rank = ({ score = -Infinity }: Passage) => score;
	// Two without a score give NaN (-Infinity minus itself). With 0 they keep their order.
	return found.sort((a, b) => rank(b) - rank(a) || 0).slice(0, numberOf(request.body?.limit));
}

/** Text of a passage, followed by a line such as `Source: Handbook, page 8`. */
export function withSource({ content, metadata }: Passage): string {
	const { document_name, document_id, page } = metadata;
	const name = String(document_name ?? document_id ?? 'unknown');
	const where = isUnset(page) ? '' : `, page ${String(page)}`;
	return `${content}\n\nSource: ${name}${where}`;
}
