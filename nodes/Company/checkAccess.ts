// Check Access: sends one harmless GET for each read scope to see if the API key has the scope.
import type { IDataObject } from 'n8n-workflow';

import { endpointOf, type Route } from '../api';
import { endpoints } from '../api/endpoints';
import { lists } from '../api/lists';
import type { ApiRequest } from '../engine/base/apiRequest';
import { recordOf, recordsOf } from '../engine/base/data';
import { inPool } from '../engine/base/pool';
import type { ApiResponse, Steps } from '../engine/client/steps';

/** Output item for one scope. */
export interface Access {
	scope: string;
	access: 'yes' | 'no' | 'unknown';
	/** Null if no request was sent. */
	status: number | null;
	/** `OK`, the API's error message, or why no request was sent. */
	answer: string;
	endpoint: string;
}

const PARALLEL = 5;

/** Path parameter to the list whose first row provides its ID. */
const idLists: Record<string, Route> = {
	customerId: 'GET /customers.json',
	workflowId: 'GET /workflow.json',
};

/** Path parameter to an ID that doesn't exist. If the API says "not found", the key has the scope. */
const absentIds: Record<string, string> = {
	// No country has the code XX.
	vatNumber: 'XX00000000000',
	externalUserId: 'access-check-00000000-0000-0000-0000-000000000000',
};

const oneRow = lists.pages.query(1, 1);

/** Query that a GET needs, or that keeps its response short. */
function queryOf(route: Route): IDataObject | undefined {
	// Requires a range.
	if (route === 'GET /scheduler/events.json') {
		const today = new Date().toISOString().slice(0, 10);
		return { start: today, end: today };
	}
	const endpoint = endpointOf(route);
	return endpoint.kind === 'list' && endpoint.paging === 'paged' ? oneRow : undefined;
}

const reads = (Object.keys(endpoints) as Route[]).filter((route) => route.startsWith('GET '));

/** Read scopes in the order of the reference, each with the first GET that requires it. */
export const probes = reads.flatMap((route, index) => {
	const { scope } = endpointOf(route);
	const isFirst = reads.findIndex((each) => endpointOf(each).scope === scope) === index;
	return scope !== null && isFirst ? [{ scope, route }] : [];
});

/** The reference shows no response for a missing scope: 401 and 403 count as no, "not found" for a made-up ID as yes. */
function accessOf(route: Route, response: ApiResponse): Access['access'] {
	if (response.status === 401 || response.status === 403) return 'no';
	const isMadeUp = endpointOf(route).pathParameters.some((parameter) => parameter in absentIds);
	const isAbsent = isMadeUp && response.says === 'absent';
	return response.says === 'success' || isAbsent ? 'yes' : 'unknown';
}

/** Returns any other error of the API. Throws if the key is invalid, or if the response doesn't come from the API. */
async function responseTo(steps: Steps, request: ApiRequest): Promise<ApiResponse> {
	const response = await steps.ask(request);
	// Any other 401 may be about the scope.
	const isInvalidKey = response.status === 401 && /invalid token/i.test(response.message ?? '');
	// Throws for an error, and for a success without the documented body, such as a page of a proxy.
	if (response.says === 'success' || isInvalidKey) steps.accept(response);
	return response;
}

/** One row for each scope, in the order of the reference. Throws if the key is invalid, or a response isn't the API's. */
export async function checkAccess(_request: ApiRequest, steps: Steps): Promise<Access[]> {
	const ids: Record<string, unknown> = { ...absentIds };
	const listed = Object.entries(idLists);
	await inPool(listed.length, PARALLEL, async (index) => {
		const [parameter, list] = listed[index];
		const { body } = await responseTo(steps, steps.request(list, {}, { query: oneRow }));
		ids[parameter] = recordsOf(recordOf(body)[lists.items])[0]?.id;
	});
	const rows = new Array<Access>(probes.length);
	await inPool(probes.length, PARALLEL, async (index) => {
		const { scope, route } = probes[index];
		const missingId = endpointOf(route).pathParameters.find(
			(parameter) => ids[parameter] === undefined,
		);
		if (missingId !== undefined) {
			const answer = `Not checked: ${idLists[missingId]} gave no ID`;
			rows[index] = { scope, access: 'unknown', status: null, answer, endpoint: route };
			return;
		}
		const response = await responseTo(steps, steps.request(route, ids, { query: queryOf(route) }));
		rows[index] = {
			scope,
			access: accessOf(route, response),
			status: response.status,
			answer: response.says === 'success' ? 'OK' : (response.message ?? 'No reason given'),
			endpoint: route,
		};
	});
	return rows;
}
