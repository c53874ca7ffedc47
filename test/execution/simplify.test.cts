// Simplify, and the whole record after a write, as they come out of the engine.
import type { INodeParameters } from 'n8n-workflow';
import { names } from '../../dist/nodes/api/names.js';
import { previewOf, type Preview } from '../../tools/previews.cts';
import { table } from '../table/operations.cts';
import { pageOf } from '../table/pages.cts';
import { byId, run, sandboxFor } from './host/run.cts';
import { Service, type Reply } from './host/service.cts';
import { retryOnFail, useTools } from './host/tool.cts';

const sandbox = sandboxFor({ customers: 20 });
const service = Service.forFile();

/** Rows of an operation against a service that answers with this body. */
async function ofBody(node: string, operation: string, body: unknown, parameters = {}) {
	service.behave(() => ({ body: body as object }));
	const { items, error } = await run(service, node, operation, parameters);
	if (error) throw error;
	return items.map(({ json }) => json);
}

describe('what Simplify makes of an answer', () => {
	const entry = {
		id: 'cnt-1',
		type_id: 'typ-1',
		title: 'Taxes',
		state: 'public',
		data: { teaser: 'Soon', title: 'In data' },
		more: 1,
	};

	test('an entry has the fields of its content type; one that it has itself stays in data', async () => {
		const parameters = { contentId: byId('cnt-1') };
		expect(await ofBody('platformContentBox', 'content.get', entry, parameters)).toEqual([
			{ ...entry, data: { title: 'In data' }, teaser: 'Soon' },
		]);
		const raw = { ...parameters, simplify: false };
		expect(await ofBody('platformContentBox', 'content.get', entry, raw)).toEqual([entry]);
	});

	test('a customer has what people look for, flat; the rest is in the raw data', async () => {
		const customer = {
			tags: ['vip'],
			email: 'a@b.example',
			x: { y: 1 },
			address: { country: 'DE', city: 'Bonn', address: 'Street 1', zip: '53111' },
			id: '1',
			externalId: 'own',
		};
		const form = { customerId: byId('1') };
		const [row] = await ofBody('platformCustomers', 'customer.get', customer, form);
		expect(JSON.stringify(row)).toBe(
			'{"id":"1","external_id":"own","email":"a@b.example","address":"Street 1","city":"Bonn","country":"DE","tags":["vip"]}',
		);
		const raw = { ...form, simplify: false };
		expect(await ofBody('platformCustomers', 'customer.get', customer, raw)).toEqual([customer]);
	});

	const partner = async (row: object) =>
		await ofBody('platformPartners', 'partner.get', row, { partnerId: byId('p') });

	test('what else the API sends stays, under the names of its place', async () => {
		const address = { city: 'Bonn', vat_number: 'DE1', zip: '53111', geo: { lat: 1 } };
		expect(await partner({ id: 'p', partner_code: 'C', address, more: [1] })).toEqual([
			{
				...{ id: 'p', code: 'C', city: 'Bonn', vat_number: 'DE1' },
				...{ address_zip: '53111', address_geo: { lat: 1 }, more: [1] },
			},
		]);
	});

	test('two names with the same value are one, with different values both stay', async () => {
		const both = { id: 'p', code: 'C', partner_code: 'C', city: 'Kiel', address: { city: 'Kiel' } };
		expect(await partner(both)).toEqual([{ id: 'p', code: 'C', city: 'Kiel' }]);
		for (const row of [
			{ id: 'p', partner_code: 'D', code: 'C', address: { city: 'Bonn' }, city: 'Kiel' },
			{ id: 'p', code: 'C', partner_code: 'D', city: 'Kiel', address: { city: 'Bonn' } },
		]) {
			expect(await partner(row)).toEqual([
				{ id: 'p', code: 'C', partner_code: 'D', city: 'Kiel', address_city: 'Bonn' },
			]);
		}
	});

	test('an address that is text stays text', async () => {
		const row = { id: 'p', address: 'Street 1, Bonn' };
		expect(await partner(row)).toEqual([row]);
	});

	test('fields that users name themselves keep their names', async () => {
		const data = { externalId: 'x', address: { city: 'Bonn' } };
		const content = { id: 'c', type_id: 't', title: 'T', state: 'draft', data };
		const form = { contentId: byId('c') };
		const [read] = await ofBody('platformContentBox', 'content.get', content, form);
		expect(read).toMatchObject(data);
		const result = { customerId: 'c', price: { amount: 1 } };
		const stages = [{ node: 'A', status: 'completed', output: result }];
		const answer = { success: true, execution_id: 'e', stages };
		expect(
			await ofBody('platformWorkflows', 'workflow.run', answer, { workflowId: byId('w') }),
		).toEqual([
			{
				...answer,
				stages: [{ node_name: 'A', status: 'completed', output: result }],
				workflow_id: 'w',
			},
		]);
	});

	test('a field named __proto__ is a field', async () => {
		const odd = JSON.parse('{"name": "L", "id": "1", "__proto__": {"a": 1}}') as object;
		const [row] = await partner(odd);
		expect(JSON.stringify(row)).toBe('{"name":"L","id":"1","__proto__":{"a":1}}');
		expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
	});

	test('properties are one item for each customer, read and written', async () => {
		const form = { customerId: byId('cus/1') };
		const elements = { plan: 'gold', since: '2020' };
		const properties = { id: 'cus/1', properties: elements };
		const read = async (all: object, more = {}) => {
			const body = { count: 2, type: 'CustomerProperties', elements: all };
			return await ofBody('platformCustomers', 'property.getAll', body, { ...form, ...more });
		};
		expect(await read(elements)).toEqual([properties]);
		expect(await read([])).toEqual([{ id: 'cus/1', properties: {} }]);
		expect(await read(elements, { simplify: false })).toEqual([
			{ name: 'plan', value: 'gold' },
			{ name: 'since', value: '2020' },
		]);
		const written = { customer: { id: 'cus/1' }, CustomerProperties: elements };
		const property = [{ name: { __rl: true, mode: 'name', value: 'plan' }, value: 'gold' }];
		const update = { ...form, properties: { property } };
		expect(await ofBody('platformCustomers', 'property.update', written, update)).toEqual([
			{ ...properties, action: 'unchanged' },
		]);
	});

	test('times in Unix seconds are ISO 8601; other times are as they came', async () => {
		const row = (unsubscribed_at: unknown) => ({ email: 'a@b.example', unsubscribed_at });
		const times = [1_700_000_000, '2023-11-14', null, 9e15];
		const elements = times.map((time, index) => ({ ...row(time), email: `${index}@b.example` }));
		const rows = await ofBody('platformNewsletters', 'suppression.getAll', { elements });
		expect(rows.map(({ unsubscribed_at: time }) => time)).toEqual([
			'2023-11-14T22:13:20.000Z',
			'2023-11-14',
			null,
			9e15,
		]);
	});

	// A time in UTC may be of another day in the zone of the workflow, in which the nodes send dates.
	test('the next renewal is what the API gave, in both lists of subscriptions', async () => {
		const renewals = [
			'2026-03-31T22:00:00Z',
			'2027-03-01T23:30:00-05:00',
			'2027-03-01',
			'soon',
			null,
		];
		const renewalsOf = async (node: string, route: string, name: string, form = {}) => {
			const all = renewals.map((renewal) => ({ id: 's', status: 'active', [name]: renewal }));
			const body = pageOf(route, all) as object;
			const rows = await ofBody(node, 'subscription.getAll', body, form);
			return rows.map((row) => row.next_renew);
		};
		const form = { customerId: byId('c') };
		const ofCustomer = 'GET /customers/{customerId}/subscriptions.json';
		const found = await renewalsOf('platformCustomers', ofCustomer, 'next_renew', form);
		expect(found).toEqual(renewals);
		const ofAll = 'GET /recurring-payments/subscriptions.json';
		const others = await renewalsOf('platformRecurringPayments', ofAll, 'next_renewal_date');
		expect(others).toEqual(renewals);
	});

	test('times of a record below its name are ISO 8601, too', async () => {
		const body = {
			newsletter: { id: 'n1', created_at: 1_772_319_600, sent: 1_772_319_600 },
			stats: { sent: 2 },
		};
		const form = { newsletterId: byId('n1') };
		const [row] = await ofBody('platformNewsletters', 'newsletter.getStats', body, form);
		expect(row).toMatchObject({
			newsletter: { id: 'n1', created_at: '2026-02-28T23:00:00.000Z', sent: 1_772_319_600 },
			stats: { sent: 2 },
		});
	});

	const query = (resolver: string, answers: object[], more = {}) => ({
		resolver_label: resolver,
		resolver,
		record_type: 'A',
		status: 'NOERROR',
		server: '192.0.2.1#53',
		query_time_ms: 3,
		answers,
		answer_signature: 's',
		error: null,
		...more,
	});
	const answer = (value: string) => ({ name: 'a.example', ttl: 60, class: 'IN', type: 'A', value });
	const lookup = {
		target: 'a.example',
		propagation: { A: { is_consistent: false, distinct_statuses: 2, distinct_answers: 2 } },
		queries: {
			A: [
				query('north', [answer('192.0.2.7'), answer('192.0.2.8')]),
				query('south', [], { status: 'SERVFAIL', error: 'timed out' }),
			],
		},
	};

	test('a lookup is an item for each answer, and for each query without one', async () => {
		const rows = await ofBody('platformDns', 'lookup.run', lookup, { target: 'a.example' });
		expect(rows.map(({ value, resolver, status }) => [value, resolver, status])).toEqual([
			['192.0.2.7', 'north', 'NOERROR'],
			['192.0.2.8', 'north', 'NOERROR'],
			[undefined, 'south', 'SERVFAIL'],
		]);
		expect(rows.every((row) => row.target === 'a.example' && row.is_consistent === false)).toBe(
			true,
		);
		// n8n takes an item with `error` for a failed one.
		expect(rows.filter((row) => 'error' in row)).toEqual([]);
		expect(rows[2].query_error).toBe('timed out');
		const odd = query('west', 'none' as never, { error: 'refused' });
		const body = { ...lookup, queries: { A: [odd] } };
		const [item] = await ofBody('platformDns', 'lookup.run', body, { target: 'a.example' });
		expect(item).toMatchObject({ resolver: 'west', answers: 'none', query_error: 'refused' });
		expect(item).not.toHaveProperty('error');
		const empty = { ...lookup, queries: { A: [] } };
		const rowsOfEmpty = await ofBody('platformDns', 'lookup.run', empty, { target: 'a.example' });
		expect(rowsOfEmpty).toEqual([empty]);
	});

	test('embeddings are an item for each passage, by index', async () => {
		const vector = (index: number) => ({ object: 'embedding', index, embedding: [index, 0.5] });
		const body = { object: 'list', data: [vector(1), vector(0)], model: 'm', usage: {} };
		const rows = await ofBody('platformAiGateway', 'embedding.create', body, {
			connectionId: byId('aic-2'),
			passages: '={{ ["first", "second"] }}',
		});
		expect(rows).toEqual([
			{ index: 0, text: 'first', embedding: [0, 0.5], model: 'm' },
			{ index: 1, text: 'second', embedding: [1, 0.5], model: 'm' },
		]);
	});

	/** The names in a preview, also of what is below. */
	const namesIn = ({ properties = {}, items }: Preview): string[] => [
		...Object.entries(properties).flatMap(([name, each]) => [name, ...namesIn(each)]),
		...(items ? namesIn(items) : []),
	];

	// n8n's own words for a file, and the API's own, each of which stands in one place.
	const ownNames = ['fileName', 'fileSize', 'RRT', 'taxProfile', 'endDate'];

	test('previews have no other names', () => {
		const raw = Object.keys(names).filter((place) => !place.includes('.'));
		const wrong = table.flatMap((entry) =>
			namesIn(previewOf(entry) ?? {})
				.filter((name) => raw.includes(name) || /[A-Z]/.test(name))
				.filter((name) => !ownNames.includes(name))
				.map((name) => `${entry.title}: ${name}`),
		);
		expect(wrong).toEqual([]);
	});

	const simplified = table.filter(({ operation }) => operation.simplify);
	test.each(simplified.map(({ title, operation }) => [title, operation] as const))(
		'%s passes what the reference does not show',
		(_title, { simplify, endpoint }) => {
			const odd = { surprise: [1], data: 'text', queries: 'none', elements_of: null };
			const context = { endpoint, path: '/a/1/b', ids: { id: '1' } };
			const rows = [odd, 'text', null, [1]];
			expect(simplify?.(rows, context)).toEqual(rows);
		},
	);
});

describe('the whole record after a write', () => {
	const create = {
		email: 'whole@example.com',
		companyName: 'Whole Ltd',
		returnWholeRecord: true,
	};

	/** The item of a write that the sandbox takes. */
	const written = async (node: string, operation: string, form: INodeParameters) => {
		const { items, error } = await run(sandbox(), node, operation, form);
		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
		return items[0].json;
	};

	test('holds what was written, and what the write says beside it', async () => {
		expect(await written('platformCustomers', 'customer.create', create)).toMatchObject({
			email: 'whole@example.com',
			company_name: 'Whole Ltd',
		});
		const email = 'whole-1@example.com';
		const upsert = { externalId: 'whole-1', email, returnWholeRecord: true };
		expect(await written('platformCustomers', 'customer.upsert', upsert)).toMatchObject({
			email,
			action: 'created',
		});
		const user = { externalUserId: 'whole-user', returnWholeRecord: true };
		expect(await written('platformIdentity', 'user.create', user)).toMatchObject({
			external_id: 'whole-user',
			has_otp: false,
		});
	});

	test('may be a row of a list, or a record below another one', async () => {
		const customer = sandbox().state.customers.customers.rows[0];
		const form = { customerId: byId(customer.id), plan: 'plan-team', returnWholeRecord: true };
		const subscription = await written('platformCustomers', 'subscription.create', form);
		expect(subscription).toMatchObject({ name: expect.any(String), price: expect.any(Number) });
		expect(sandbox().requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
			`POST /customers/${customer.id}/subscriptions.json`,
			`GET /customers/${customer.id}/subscriptions.json`,
		]);
		expect(customer.subscriptions).toContain(subscription.id);
		const [base] = sandbox().state.aiKnowledgeBases.bases.rows;
		const document = await written('platformAiGateway', 'document.add', {
			...{ knowledgeBaseId: byId(base.id), name: 'Notes', content: 'Birds' },
			returnWholeRecord: true,
		});
		expect(document).toMatchObject({ name: 'Notes', knowledge_base_id: base.id });
	});

	test('is no place for what proves who somebody is, nor for what a model has sent itself', async () => {
		service.behave(() => ({ body: { status: 'ok', id: 'u' } }));
		const form = { externalUserId: 'u', code: '123456' };
		const { items } = await run(service, 'platformIdentity', 'oneTimePassword.verify', form);
		expect(items[0].json).toEqual({ status: 'ok', id: 'u' });
		service.behave(() => ({ body: { customer: { id: 'cus-9', partner: null } } }));
		const parameters = { resource: 'customer', operation: 'create', email: 'a@b.example' };
		const tools = [{ node: 'platformCustomers', parameters }];
		await useTools(tools, service.credential, async ({ Tool_1: tool }) => {
			expect(JSON.parse(await tool.invoke({}))).toEqual([{ id: 'cus-9', partner: null }]);
		});
	});

	test('has no sent field that the API has not kept. If it cannot be read, the item has what was sent', async () => {
		const shown = async (read: Reply) => {
			const answer = { body: { customer: { id: 'cus-9' } } };
			service.behave(({ method }) => (method === 'POST' ? answer : read));
			return (await run(service, 'platformCustomers', 'customer.create', create)).items[0].json;
		};
		const kept = { id: 'cus-9', email: create.email };
		expect(await shown({ body: { customer: kept } })).toEqual(kept);
		expect(await shown({ status: 404, body: { error: 'Down' } })).toEqual({
			...kept,
			company_name: create.companyName,
			warning: expect.stringContaining('went through'),
		});
	});

	test('that cannot be read sends nothing again, however often n8n tries', async () => {
		service.behave(({ method }) =>
			method === 'POST'
				? { body: { customer: { id: 'cus-9', partner: null } } }
				: { status: 404, body: { error: 'Down' } },
		);
		const parameters = { resource: 'customer', operation: 'create', ...create };
		const tools = [{ node: 'platformCustomers', parameters, settings: retryOnFail }];
		await useTools(tools, service.credential, async ({ Tool_1: tool }) => {
			expect(JSON.parse(await tool.invoke({}))).toEqual([
				expect.objectContaining({ id: 'cus-9', warning: expect.stringContaining('went through') }),
			]);
		});
		expect(service.sent('POST')).toHaveLength(1);
	});
});
