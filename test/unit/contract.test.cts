// Holds the contract against its own rules, and the checks against known good and bad cases.
import {
	checkAnswer,
	checkRequest,
	checkValue,
	contract,
	endpoints,
	type Schema,
} from '../contract/contract.cts';
import { resolveReference } from '../contract/document.cts';

/** All objects below a node, the node itself included. */
function* objectsIn(node: unknown): Generator<Record<string, unknown>> {
	if (typeof node !== 'object' || node === null) return;
	if (!Array.isArray(node)) yield node as Record<string, unknown>;
	for (const value of Object.values(node)) yield* objectsIn(value);
}

const title = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

describe('the document', () => {
	test('is OpenAPI 3.1 for the version of the reference', () => {
		expect(contract.openapi).toBe('3.1.0');
		expect(contract.info.version).toBe('2026-02-01');
		expect(contract.servers[0].url).toBe('{base_url}/2026-02-01');
	});

	test('puts every row into an area that it lists', () => {
		const areas = contract.tags.map(({ name }) => name);
		expect([...new Set(endpoints.map(({ area }) => area))].sort()).toEqual([...areas].sort());
	});

	test('has no reference that leads nowhere, and no component that nothing refers to', () => {
		const references = [...objectsIn(contract)].flatMap(({ $ref }) =>
			typeof $ref === 'string' ? [$ref] : [],
		);
		for (const reference of references) {
			expect(resolveReference(contract, reference)).toBeDefined();
		}
		const { parameters, responses, schemas } = contract.components;
		const defined = Object.entries({ parameters, responses, schemas }).flatMap(([kind, named]) =>
			Object.keys(named).map((name) => `#/components/${kind}/${name}`),
		);
		// The answer 401 is added to all endpoints in code.
		const used = new Set([...references, '#/components/responses/Unauthorized']);
		expect(defined.filter((reference) => !used.has(reference))).toEqual([]);
	});

	test('gives each operation one area and one scope, or says that the scope is not shown', () => {
		const operations = Object.values(contract.paths).flatMap(({ get, post, put, delete: remove }) =>
			[get, post, put, remove].flatMap((operation) => operation ?? []),
		);
		for (const { operationId, tags, security, ...operation } of operations) {
			const scopes = security.flatMap(({ bearerKey }) => bearerKey);
			const isShown = !operation['x-not-shown']?.includes('scope');
			expect({ operationId, tags: tags.length, scopes: scopes.length }).toEqual({
				operationId,
				tags: 1,
				scopes: isShown ? 1 : 0,
			});
			expect(scopes.join('')).toMatch(/^([a-z_]+:(read|write))?$/);
		}
		expect(operations).toHaveLength(endpoints.length);
	});
});

describe.each(endpoints.map((endpoint) => ({ ...endpoint, name: title(endpoint) })))(
	'$name',
	(endpoint) => {
		const { path, pathParameters, queryParameters, requestBody, responses } = endpoint;
		const answers = Object.entries(responses);
		const answerSchemas = answers.flatMap(([, { body }]) => (body ? [body.schema] : []));

		test('has only schemas that ajv accepts in strict mode', () => {
			const schemas: Schema[] = [
				...[...pathParameters, ...queryParameters].map(({ schema }) => schema),
				...(requestBody ? [requestBody.schema] : []),
				...answerSchemas,
			];
			for (const schema of schemas) {
				expect(() => checkValue(schema, undefined, 'value')).not.toThrow();
			}
		});

		test('declares the parameters of its path', () => {
			const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
			expect(pathParameters.map(({ name }) => name)).toEqual(names);
			expect(pathParameters.filter(({ required }) => !required)).toEqual([]);
		});

		test('has a success, and errors besides 401', () => {
			const statuses = answers.map(([status]) => status);
			expect(statuses.filter((status) => /^2(\d\d|XX)$/.test(status))).toHaveLength(1);
			expect(statuses).toEqual(expect.arrayContaining(['401', '4XX']));
		});

		test('closes what it sends and opens what it receives', () => {
			if (requestBody?.required) {
				const { schema } = requestBody;
				const shapes = (schema.oneOf ?? [schema]) as Schema[];
				for (const shape of shapes) expect(shape.additionalProperties).toBe(false);
			}
			for (const schema of objectsIn(answerSchemas)) {
				expect(schema.additionalProperties).not.toBe(false);
			}
		});

		test('requires only what it describes', () => {
			for (const schema of objectsIn([requestBody?.schema, ...answerSchemas])) {
				if (schema.type !== 'object') continue;
				const { properties = {}, required = [] } = schema as Schema;
				expect(Object.keys(properties)).toEqual(expect.arrayContaining(required));
			}
		});

		test('names the key of its rows', () => {
			for (const schema of objectsIn(answerSchemas) as Generator<Schema>) {
				const key = schema['x-items'];
				if (key === undefined) continue;
				const rows = schema.properties?.[String(key)];
				expect(rows).toMatchObject({ type: 'array', items: expect.any(Object) as object });
				expect(schema.required).toContain(key);
			}
		});
	},
);

test('a list envelope of every kind is marked with the key of its rows', () => {
	const keys = Object.values(contract.components.schemas).flatMap((schema) =>
		schema.properties && ('entities' in schema.properties || 'elements' in schema.properties)
			? [schema['x-items'] ?? schema.properties.type]
			: [],
	);
	// The elements of customer properties are a map, not rows.
	const unmarked = keys.filter((key) => key !== 'elements');
	expect(unmarked).toEqual([expect.objectContaining({ const: 'CustomerProperties' })]);
});

test('the secrets that can only be written are marked', () => {
	const secrets = endpoints.flatMap(({ requestBody }) =>
		[...objectsIn(requestBody?.schema)].flatMap(({ properties = {} }) =>
			Object.entries(properties as Record<string, Schema>)
				.filter(([, schema]) => schema.writeOnly === true)
				.map(([name]) => name),
		),
	);
	expect(new Set(secrets)).toEqual(new Set(['credential', 'api_key', 'ca_certificate']));
});

test.each([
	['/ai-gateway/connections.json', 'credential'],
	['/ai-gateway/vector-stores.json', 'api_key'],
	['/ai-gateway/vector-stores.json', 'ca_certificate'],
])('an answer of POST %s may not hold %s', (path, secret) => {
	const problems = (body: object) => checkAnswer({ method: 'POST', path, status: 200, body });
	expect(problems({ [secret]: 'any' }).length).toBeGreaterThan(problems({}).length);
});

describe('checkRequest', () => {
	test.each<[string, string, object, string]>([
		['GET', '/nothing.json', {}, 'GET /nothing.json is not documented'],
		['PATCH', '/customers/c-1.json', {}, 'PATCH /customers/c-1.json is not documented'],
		['GET', '/customers/%E0%A4%A.json', {}, 'path parameter customerId is not percent-encoded'],
		['GET', '/customers.json', { query: { pages: 1 } }, 'pages is not documented'],
		['GET', '/customers.json', { query: { page: '' } }, 'page must be integer'],
		[
			'GET',
			'/customers.json',
			{ query: new URLSearchParams('page=1&page=2') },
			'page must be integer',
		],
		['GET', '/webhooks.json', { query: { size: 101 } }, 'size must be <= 100'],
		['GET', '/workflow/w-1/traces.json', { query: { size: 101 } }, 'size must be <= 100'],
		['GET', '/customers/customer.json', {}, 'externalId is missing'],
		['GET', '/partners/partner.json', {}, 'one of the query parameters externalId, email'],
		['POST', '/customers.json', {}, 'the body is missing'],
		['DELETE', '/customers/c-1.json', { body: {} }, 'a body is not documented'],
		[
			'POST',
			'/customers/c-1/charges.json',
			{ body: { charge: { services: [{ amount: '1' }] } } },
			'body/charge/services/0/amount must be number',
		],
		[
			'POST',
			'/scheduler/events.json',
			{ body: { event: { recurrence: { endDate: '2026-02-30' } } } },
			'body/event/recurrence/endDate must match format "date"',
		],
	])('refuses %s %s %j', (method, path, rest, problem) => {
		expect(checkRequest({ method, path, ...rest }).join('\n')).toContain(problem);
	});

	test('does not repeat a value of the request', () => {
		const body = { name: ['hidden-1'], credential: { key: 'hidden-2' }, more: 'hidden-3' };
		const problems = checkRequest({ method: 'POST', path: '/ai-gateway/connections.json', body });
		expect(problems.length).toBeGreaterThan(2);
		expect(problems.join('\n')).not.toContain('hidden');
	});
});

describe('checkAnswer', () => {
	const list = { count: 0, per_page: 50, pages: { current: 1, max: 1 }, elements: [] };
	const report = '/partners/p-1/payouts/q-1/report.pdf';

	test.each<[string, string, number, unknown, string]>([
		['GET', '/nothing.json', 404, { error: 'no' }, 'GET /nothing.json is not documented'],
		['POST', '/customers.json', 200, { customer: {} }, 'status 200 is not documented'],
		['GET', '/customers.json', 503, { error: 'no' }, 'status 503 is not documented'],
		['GET', '/customers.json', 200, undefined, 'answer must be object'],
		[
			'GET',
			'/customers.json',
			200,
			{ entities: 'any', ...list, elements: [{}] },
			"answer/elements/0 must have required property 'id'",
		],
		['GET', '/customers.json', 400, { message: 'no' }, "required property 'error'"],
		['GET', report, 200, { stream: 'no' }, 'answer must be application/pdf'],
	])('refuses %s %s %i %j', (method, path, code, body, problem) => {
		expect(checkAnswer({ method, path, status: code, body }).join('\n')).toContain(problem);
	});
});
