// Makes an API from the rows of its endpoints.
import type { ApiDefinition, Endpoint, EndpointRow, Route } from './definition';
import { templatesOf } from './path';

type Given = Omit<ApiDefinition, 'endpoint' | 'routes'> & {
	endpoints: Record<string, EndpointRow>;
};

/** @throws Error if `endpoint` of the API is asked for a route that has no row */
export function defineApi({ endpoints, ...about }: Given): ApiDefinition {
	const rows = Object.entries(endpoints) as Array<[Route, EndpointRow]>;
	const pathOf = (route: Route) => route.split(' ')[1];
	const templates = templatesOf(rows.map(([route]) => pathOf(route)));
	const made = new Map<Route, Endpoint>();
	const api: ApiDefinition = {
		...about,
		routes: rows.map(([route]) => route),
		endpoint(route) {
			const known = made.get(route);
			if (!known) throw new Error(`${about.name} has no endpoint ${route}`);
			return known;
		},
	};
	// After the API, because each endpoint refers to it.
	for (const [route, row] of rows) {
		const method = route.split(' ')[0] as Endpoint['method'];
		const template = templates.get(pathOf(route)) as Endpoint['template'];
		const { reads = false, acts = false, again, computes = false, onRecord = false } = row;
		const onlyReads = method === 'GET' || reads;
		const isIdempotent = method !== 'POST' && method !== 'PATCH';
		made.set(route, {
			...row,
			route,
			method,
			api,
			template,
			pathParameters: template.names,
			onlyReads,
			isUntyped: row.kind === 'one' && row.untyped !== undefined,
			isRepeatable: reads || again !== undefined || (isIdempotent && !acts),
			makesRecord: method === 'POST' && !onRecord,
			leavesInDryRun: onlyReads || computes,
		});
	}
	return api;
}
