// The operation table against the contract: every endpoint used, every documented request field
// settable, every documented limit enforced before sending.
import { endpoints, findEndpoint, type Endpoint, type Schema } from './contract.cts';
import { forms, sampleValue } from '../table/forms.cts';
import { filledPaths, leavesOf, slots } from '../table/leaves.cts';
import { setAt } from '../../dist/nodes/engine/base/data.js';
import { platform } from '../../dist/nodes/api/platform.js';
import { pagingRules } from '../../dist/nodes/engine/client/list/rows.js';
import { recordKey } from '../../dist/nodes/engine/base/path.js';
import { requestTo } from '../table/api.cts';
import {
	endpointOf,
	partsOf,
	routes,
	shapeOf,
	table,
	type TableEntry,
} from '../table/operations.cts';
import { problemsOf, requestOf } from '../table/requests.cts';
import { fixedValues } from '../table/samples.cts';
import { expectNone } from '../none.cts';

/** The same as another one, which answers with more. */
const aliases = ['POST /ai-gateway/embeddings.json'];

const text = (length: number) => 'x'.repeat(length);

/** A value that breaks a limit, from the limit and its schema; undefined where the limit allows all. */
const breaking: Record<string, (limit: never, schema: Schema) => unknown> = {
	maxLength: (limit: number) => text(limit + 1),
	minLength: (limit: number) => (limit > 1 ? text(limit - 1) : undefined),
	minimum: (limit: number) => limit - 1,
	maximum: (limit: number) => limit + 1,
	maxItems: (limit: number) => Array.from({ length: limit + 1 }, () => 'x'),
	minItems: () => [],
	maxProperties: (limit: number) =>
		Object.fromEntries(Array.from({ length: limit + 1 }, (_each, key) => [`k${key}`, 1])),
	'x-maxBytes': (bytes: number, { type }) =>
		type === 'object' ? { key: text(bytes) } : text(bytes + 1),
	pattern: (pattern: string) =>
		[' not \n this ', 'NOT THIS'].find((each) => !new RegExp(pattern, 'u').test(each)),
	enum: () => 'none of these',
};

const otherTypes: Record<string, Array<[limit: string, value: unknown]>> = {
	integer: [
		['integer', 1.5],
		['number', 'many'],
	],
	number: [['number', 'many']],
	boolean: [['boolean', 'perhaps']],
};

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

/** Every request that the forms of an operation make. */
const requests = (entry: TableEntry) =>
	forms(entry.operation, fixedValues(entry)).map((form) => requestOf(entry, form));

const entriesOf = (endpoint: Endpoint): TableEntry[] =>
	table.filter(({ operation: { endpoint: own, alternative } }) =>
		[own.route, alternative?.route].some((each) => each === nameOf(endpoint)),
	);

/** Names in the query of a page, which the engine sets by itself. */
function pagingNamesIn(shape: ReturnType<typeof shapeOf>): string[] {
	if (shape.kind !== 'list' || ['unpaged', undefined].includes(shape.paging)) return [];
	return Object.keys(pagingRules(shape, platform.lists).query('2', 1));
}

const covered = endpoints.filter((endpoint) => entriesOf(endpoint).length > 0);

test('every endpoint of the contract is used by an operation', () => {
	const unused = endpoints
		.map(nameOf)
		.filter((name) => !covered.map(nameOf).includes(name) && !aliases.includes(name));
	expectNone(
		unused,
		'Add an operation that sends the endpoint (docs/contributing/guides.md), or name it in `aliases` if another one does the same.',
	);
});

/** A place in a request that names a record, which may be in the path instead. */
const NAMES = /(^|[._])(id|email|user_?id|sentinel_session|target)$|[a-z]Id$/;

/** Records that a request uses beside the one that it's about. */
const USED =
	/(type|template|workflow|vector_store|embedding_connection|partner_group|challenge|tax)_id$/;

const named = endpoints.flatMap((endpoint) => {
	if (endpoint.pathParameters.length > 0) return [];
	const inBody = endpoint.requestBody ? leavesOf(endpoint.requestBody.schema) : [];
	const inQuery = endpoint.queryParameters.map(({ name }) => ({ path: name }));
	return [...inBody, ...inQuery]
		.filter(({ path }) => NAMES.test(path) && !USED.test(path))
		.map(({ path }) => [nameOf(endpoint), path] as const);
});

test.each(named)('%s is about the record that %s names', (route, path) => {
	const aboutRecord = (id: string) => {
		const content = {};
		setAt(content, path, id);
		const place = route.startsWith('GET') ? { query: content } : { body: content };
		return recordKey(requestTo(route, {}, place));
	};
	expect([aboutRecord('a'), aboutRecord('b')]).toEqual(['a', 'b']);
});

test('the page of the API has the endpoints of the contract, with their scopes', () => {
	const page = routes.map((route) => [route, endpointOf(route).scope]);
	const documented = endpoints.map((each) => [nameOf(each), each.scope ?? null]);
	expect(page.sort()).toEqual(documented.sort());
});

describe.each(table.map((entry) => [entry.title, entry] as const))('%s', (_title, entry) => {
	const { operation } = entry;
	const { method, path } = partsOf(operation.endpoint.route);

	test('makes requests that the contract accepts, with every field set', () => {
		for (const request of requests(entry)) {
			expect({ request, problems: problemsOf(request) }).toEqual({ request, problems: [] });
		}
	});

	test('makes a request that the contract accepts, with the required fields only', () => {
		const required = (operation.fields ?? []).filter(
			({ name, required: needed, type }) =>
				(needed || path.includes(`{${name}}`)) && type !== 'notice',
		);
		const form = {
			...Object.fromEntries(required.map((field) => [field.name, sampleValue(field)])),
			...fixedValues(entry),
			// What changes or makes a record must set something, whatever it is.
			...(method === 'PUT' || operation.makes ? forms(operation, fixedValues(entry))[0] : {}),
		};
		expectNone(
			problemsOf(requestOf(entry, form)),
			'The contract refuses what the form sends. Correct the field, or the contract if the reference says so.',
		);
	});
});

describe.each(covered.map((endpoint) => [nameOf(endpoint), endpoint] as const))(
	'%s',
	(_name, endpoint) => {
		const entries = entriesOf(endpoint);
		const leaves = endpoint.requestBody ? leavesOf(endpoint.requestBody.schema) : [];
		const paging = entries.flatMap(({ operation }) => pagingNamesIn(shapeOf(operation)));

		test('every documented body field and query parameter can be set', () => {
			const asked = entries.flatMap(requests);
			const paths = asked.map(({ endpoint: { method }, path }) => findEndpoint(method, path)?.path);
			expect(paths).toContain(endpoint.path);
			const filled = asked.flatMap(({ body }) => filledPaths(body ?? {}));
			const set = [...paging, ...asked.flatMap(({ query }) => Object.keys(query ?? {}))];
			const unset = {
				body: leaves.map(({ path }) => path).filter((path) => !filled.includes(path)),
				query: endpoint.queryParameters
					.map(({ name }) => name)
					.filter((name) => !set.includes(name)),
			};
			expect(unset).toEqual({ body: [], query: [] });
		});

		const query = endpoint.queryParameters
			.filter(({ name }) => !paging.includes(name))
			.map(({ name, schema }) => ({ path: name, schema }));
		const limited = [...leaves, ...query].flatMap(({ path, schema }) =>
			violations(schema).map(([limit, value]) => [path, limit, value] as const),
		);
		if (limited.length > 0) {
			test.each(limited)('%s: %s is enforced', (path, _limit, value) => {
				const tried = entries.flatMap((entry) => {
					const all = forms(entry.operation, fixedValues(entry));
					return (
						slots(entry.operation)
							.filter((slot) => slot.path === path)
							// In the forms that show the field; the others don't send it.
							.map((slot) => () => all.map((form) => requestOf(entry, slot.with(form, value))))
					);
				});
				expect(tried.length).toBeGreaterThan(0);
				for (const request of tried) expect(request).toThrow();
			});
		}
	},
);

/** Values that break each limit of a schema, one for each. */
function violations(schema: Schema): Array<[limit: string, value: unknown]> {
	const limits = Object.entries(breaking)
		.filter(([limit]) => schema[limit] !== undefined)
		.map(([limit, breaks]): [string, unknown] => [limit, breaks(schema[limit] as never, schema)])
		.filter(([, value]) => value !== undefined);
	return [...limits, ...(otherTypes[String(schema.type)] ?? [])];
}
