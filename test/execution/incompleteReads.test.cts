// What is read before a write, or in place of a search that the API lacks, may be incomplete: nothing is lost, and nobody is
// made twice.
import type { INodeParameters } from 'n8n-workflow';
import { runNode } from './host/host.cts';
import { byId, run } from './host/run.cts';
import { Service, type Handler } from './host/service.cts';

const service = Service.forFile();

const bodies = () => service.sent('PUT').map(({ body }) => body);

const customers = (count: number) =>
	Array.from({ length: count }, (_each, n) => ({ id: `c${n}`, email: `c${n}@x.example` }));

/** A list of customers in pages of 100, and writes that are taken. */
const listOf =
	(rows: object[], count = rows.length): Handler =>
	({ method, path }) => {
		if (method === 'POST') return { status: 201, body: { customer: { id: 'made' } } };
		if (method === 'PUT') return { body: { customer: { id: 'changed' } } };
		const page = Number(/[?&]page=(\d+)/.exec(path)?.[1] ?? 1);
		const elements = rows.slice((page - 1) * 100, page * 100);
		return { body: { entities: 'Customers', count, per_page: 100, elements } };
	};

test.each<[string, unknown]>([
	['under the name that an update has', { CustomerProperties: { since: '2020' } }],
	['as rows, which Get Many reads', { count: 1, elements: [{ name: 'since', value: '2020' }] }],
	['in no form that is known', { data: { since: '2020' } }],
])('Keep Other Properties loses none that come %s', async (_what, body) => {
	service.behave(({ method }) => ({
		body: method === 'GET' ? body : { customer: { id: 'cus-1' }, CustomerProperties: {} },
	}));
	const { error } = await run(service, 'platformCustomers', 'property.update', {
		customerId: byId('cus-1'),
		propertiesAs: 'json',
		propertiesJson: '{"plan": "gold"}',
	});
	// Either all are sent, or nothing is.
	const kept = bodies().map(({ CustomerProperties }) => CustomerProperties);
	expect(error ? kept : kept.filter((each) => !Object.hasOwn(each as object, 'since'))).toEqual([]);
});

describe('a list of customers that lacks rows which it announces', () => {
	const email = 'c120@x.example';

	test('Create or Update by email creates nobody whom it may have', async () => {
		service.behave(listOf(customers(100), 250));
		const form = { matchBy: 'email', email, fields: { firstName: 'Ada' } };
		const { error } = await run(service, 'platformCustomers', 'customer.upsert', form);
		expect(service.sent('POST')).toEqual([]);
		expect(error?.message).toContain('announced 250 rows but returned 100');
	});

	test('Get by Email does not say that there is no such customer', async () => {
		service.behave(listOf(customers(100), 250));
		const { error } = await run(service, 'platformCustomers', 'customer.getByEmail', { email });
		expect(error?.message).toContain('announced 250 rows but returned 100');
	});
});

test('Get by name of a connection does not say that there is none, either', async () => {
	service.behave(() => ({
		body: { count: 250, per_page: 100, elements: [{ id: 'one', name: 'One' }] },
	}));
	const form = { connectionId: { __rl: true, mode: 'list', value: 'Two' } };
	const { error } = await run(service, 'platformAiGateway', 'connection.get', form);
	expect(error?.message).toContain('announced 250 rows but returned 1');
});

test('the rest of an address that the API does not return is not lost without a word', async () => {
	service.behave(({ method }) => ({
		body: method === 'GET' ? { id: 'cus-1', email: 'a@x.example' } : { customer: { id: 'cus-1' } },
	}));
	const { error, hints } = await run(service, 'platformCustomers', 'customer.update', {
		customerId: byId('cus-1'),
		updateFields: { address: { city: 'Bonn' } },
	});
	// As with tags: 'tags that the API does not return are not lost' in changes.test.cts.
	expect([error?.message, ...hints].join(' ')).toMatch(/address/i);
});

test.each<[string, INodeParameters]>([
	['Get by Email', { operation: 'getByEmail' }],
	['Create or Update', { operation: 'upsert', matchBy: 'email', fields: { firstName: 'Ada' } }],
])('%s: a customer who changes while the list is read is one customer', async (_what, form) => {
	const rows = customers(101);
	// A new customer has moved the last row of page 1 to page 2, and it has another value there.
	const moved = [...rows.slice(0, 100), { ...rows[99], company_name: 'Acme' }, rows[100]];
	service.behave(listOf(moved, 102));
	const { error, items } = await runNode({
		node: 'platformCustomers',
		credential: service.credential,
		parameters: { resource: 'customer', email: rows[99].email, ...form },
	});
	expect([error?.message, items.length]).toEqual([undefined, 1]);
});
