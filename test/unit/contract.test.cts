// Holds the contract against its own rules, and the checks against known good and bad cases.
import {
	checkAnswer,
	checkRequest,
	contract,
	endpoints,
	type Schema,
} from '../contract/contract.cts';

/** All objects below a node, the node itself included. */
function* objectsIn(node: unknown): Generator<Record<string, unknown>> {
	if (typeof node !== 'object' || node === null) return;
	if (!Array.isArray(node)) yield node as Record<string, unknown>;
	for (const value of Object.values(node)) yield* objectsIn(value);
}

describe.each(endpoints.map((each) => ({ ...each, name: `${each.method} ${each.path}` })))(
	'$name',
	({ requestBody, responses }) => {
		const answerSchemas = Object.values(responses).flatMap(({ body }) => body?.schema ?? []);

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
	},
);

const lists = endpoints.flatMap(({ method, path, responses }) =>
	([...objectsIn(Object.values(responses).map(({ body }) => body?.schema))] as Schema[])
		.filter((schema) => schema['x-items'] !== undefined)
		.map((schema) => [`${method} ${path}`, schema] as const),
);

test.each(lists)('%s has the key of its rows', (_name, schema) => {
	const key = String(schema['x-items']);
	expect(schema.properties?.[key]).toMatchObject({
		type: 'array',
		items: expect.any(Object) as object,
	});
	expect(schema.required).toContain(key);
});

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
	test.each<[string, object, string]>([
		['GET /nothing.json', {}, 'GET /nothing.json is not documented'],
		['PATCH /customers/c-1.json', {}, 'PATCH /customers/c-1.json is not documented'],
		['GET /customers/%E0%A4%A.json', {}, 'path parameter customerId is not percent-encoded'],
		['GET /customers.json', { query: { pages: 1 } }, 'pages is not documented'],
		['GET /customers.json', { query: { page: '' } }, 'page must be integer'],
		[
			'GET /customers.json',
			{ query: new URLSearchParams('page=1&page=2') },
			'page must be integer',
		],
		['GET /webhooks.json', { query: { size: 101 } }, 'size must be <= 100'],
		['GET /workflow/w-1/traces.json', { query: { size: 101 } }, 'size must be <= 100'],
		['GET /customers/customer.json', {}, 'externalId is missing'],
		['GET /partners/partner.json', {}, 'one of the query parameters externalId, email'],
		['POST /customers.json', {}, 'the body is missing'],
		['DELETE /customers/c-1.json', { body: {} }, 'a body is not documented'],
		[
			'POST /customers/c-1/charges.json',
			{ body: { charge: { services: [{ amount: '1' }] } } },
			'body/charge/services/0/amount must be number',
		],
		[
			'POST /scheduler/events.json',
			{ body: { event: { recurrence: { endDate: '2026-02-30' } } } },
			'body/event/recurrence/endDate must match format "date"',
		],
	])('refuses %s %j', (request, rest, problem) => {
		const [method, path] = request.split(' ');
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
	const report = 'GET /partners/p-1/payouts/q-1/report.pdf';

	test.each<[string, number, unknown, string]>([
		['GET /nothing.json', 404, { error: 'no' }, 'GET /nothing.json is not documented'],
		['POST /customers.json', 200, { customer: {} }, 'status 200 is not documented'],
		['GET /customers.json', 503, { error: 'no' }, 'status 503 is not documented'],
		['GET /customers.json', 200, undefined, 'answer must be object'],
		[
			'GET /customers.json',
			200,
			{ entities: 'any', ...list, elements: [{}] },
			"answer/elements/0 must have required property 'id'",
		],
		['GET /customers.json', 400, { message: 'no' }, "required property 'error'"],
		[report, 200, { stream: 'no' }, 'answer must be application/pdf'],
	])('refuses %s %i %j', (request, status, body, problem) => {
		const [method, path] = request.split(' ');
		expect(checkAnswer({ method, path, status, body }).join('\n')).toContain(problem);
	});
});
