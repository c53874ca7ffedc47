// Which read scopes the key has, found out by harmless reads: the first one of each scope.
import type { IDataObject } from 'n8n-workflow';

import { endpointOf, routes, type Route } from '../shared/endpoints';
import { recordOf, recordsOf, type Answer, type ApiRequest, type Steps } from '../shared/operation';
import { inPool } from '../shared/pool';

/** The read that shows whether the key has a scope. */
export interface Probe {
	scope: string;
	route: Route;
}

/** One row of the result. */
export interface Access {
	scope: string;
	access: 'yes' | 'no' | 'unknown';
	/** HTTP status of the response, null if nothing was sent. */
	status: number | null;
	/** `OK`, or the API's own message. */
	answer: string;
	/** The endpoint that was asked. */
	endpoint: string;
}

const PARALLEL = 5;

/** Lists whose first row gives a path its id, by the parameter. */
const idLists: Record<string, Route> = {
	customerId: 'GET /customers.json',
	workflowId: 'GET /workflow.json',
};

/** Ids that are surely not there, by the parameter: not to be found shows that the API looked. */
const absentIds: Record<string, string> = {
	// No country has the code XX.
	vatNumber: 'XX00000000000',
	externalUserId: 'access-check-00000000-0000-0000-0000-000000000000',
};

const today = () => new Date().toISOString().slice(0, 10);

const oneRow = () => ({ size: 1, page: 1 });

/** Parameters that an endpoint requires. */
const queries: Partial<Record<Route, () => IDataObject>> = {
	'GET /scheduler/events.json': () => ({ start: today(), end: today() }),
};

/** Every read scope of both reference documents, in their order. */
export const probes: Probe[] = routes.flatMap((route, index): Probe[] => {
	const { scope } = endpointOf(route);
	const isRead = (each: Route) => each.startsWith('GET ') && endpointOf(each).scope === scope;
	const isFirst = isRead(route) && !routes.slice(0, index).some(isRead);
	return scope !== null && isFirst ? [{ scope, route }] : [];
});

const parameterOf = (route: Route) => /\{(\w+)\}/.exec(route)?.[1] ?? '';

/** The list that the path of a probe needs an id of, if it needs one. */
const idListOf = ({ route }: Probe): Route | undefined => idLists[parameterOf(route)];

function queryOf(route: Route): IDataObject | undefined {
	const endpoint = endpointOf(route);
	const isPaged = endpoint.kind === 'list' && endpoint.paging === 'paged';
	return queries[route]?.() ?? (isPaged ? oneRow() : undefined);
}

/**
 * What a response says about the key. What a key without the scope is answered is not shown in the
 * reference: 401 and 403 count as no, anything that tells nothing about the key as unknown.
 */
function accessOf({ route }: Probe, answer: Answer): Access['access'] {
	if (answer.status === 401 || answer.status === 403) return 'no';
	const isAbsent = parameterOf(route) in absentIds && answer.says === 'absent';
	return answer.says === 'success' || isAbsent ? 'yes' : 'unknown';
}

/** @throws when the key itself is not valid, or when what answers is not the API */
async function ask(steps: Steps, request: ApiRequest): Promise<Answer> {
	const answer = await steps.ask(request);
	const isInvalidKey = answer.status === 401 && /invalid token/i.test(answer.message ?? '');
	if (answer.says === 'success' || isInvalidKey) steps.accept(answer);
	return answer;
}

/** The first ids of the lists that the probes need, by list. */
async function firstIds(steps: Steps): Promise<Map<Route, unknown>> {
	const lists = [...new Set(probes.flatMap((probe) => idListOf(probe) ?? []))];
	const ids = new Map<Route, unknown>();
	await inPool(lists.length, PARALLEL, async (index) => {
		const request = steps.request(lists[index], {}, { query: oneRow() });
		const { body } = await ask(steps, request);
		const [first] = recordsOf(recordOf(body).elements);
		ids.set(lists[index], first?.id);
	});
	return ids;
}

/**
 * Asks for every read scope.
 * @returns one row for each scope, in the order of the reference
 * @throws when the key itself is not valid, or when what answers is not the API
 */
export async function checkAccess(_request: ApiRequest, steps: Steps): Promise<Access[]> {
	const ids = await firstIds(steps);
	const rows = new Array<Access>(probes.length);
	await inPool(probes.length, PARALLEL, async (index) => {
		const probe = probes[index];
		const { scope, route } = probe;
		const list = idListOf(probe);
		const parameter = parameterOf(route);
		const id = list === undefined ? absentIds[parameter] : ids.get(list);
		if (list !== undefined && id === undefined) {
			const answer = `Not checked: ${list} returned no rows`;
			rows[index] = { scope, access: 'unknown', status: null, answer, endpoint: route };
			return;
		}
		const query = queryOf(route);
		const answer = await ask(steps, steps.request(route, { [parameter]: id }, { query }));
		rows[index] = {
			scope,
			access: accessOf(probe, answer),
			status: answer.status,
			answer: answer.says === 'success' ? 'OK' : (answer.message ?? 'No reason given'),
			endpoint: route,
		};
	});
	return rows;
}
