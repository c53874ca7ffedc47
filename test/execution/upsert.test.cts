// Create or Update of a customer by its external id.
import { run, sandboxFor } from './host/run.cts';
import { Service } from './host/service.cts';

const sandbox = sandboxFor();
const upsert = async (externalId: string, fields: object, items?: object[]) =>
	await run(
		sandbox(),
		'platformCustomers',
		'customer.upsert',
		{ externalId, fields },
		items ? { items: items as never } : {},
	);
const named = (externalId: string) =>
	sandbox().state.customers.customers.rows.filter((customer) => customer.externalId === externalId);

test('creates what is not there, updates what is', async () => {
	const first = await upsert('crm-upsert', { email: 'u@example.com', address: { city: 'Bonn' } });
	expect(first.items[0].json).toMatchObject({ action: 'created' });
	const second = await upsert('crm-upsert', { address: { city: 'Köln' } });
	expect(second.items[0].json).toMatchObject({ action: 'updated', id: first.items[0].json.id });
	expect(named('crm-upsert')).toHaveLength(1);
	expect(named('crm-upsert')[0].address?.city).toBe('Köln');
});

test('two runs that race create one customer', async () => {
	// Both lookups are over before either creates.
	sandbox().faults.add({ kind: 'delay', ms: 150, path: '/customers/customer.json' });
	const [one, other] = await Promise.all([
		upsert('crm-race', { email: 'race@example.com', address: { city: 'Bonn' } }),
		upsert('crm-race', { email: 'race@example.com', address: { city: 'Bonn' } }),
	]);
	expect([one.items[0].json.action, other.items[0].json.action].sort()).toEqual([
		'created',
		'updated',
	]);
	expect(named('crm-race')).toHaveLength(1);
	const conflicts = sandbox().requests.filter(({ status }) => status === 409);
	expect(conflicts).toHaveLength(1);
});

test('items of one run with the same external id take turns', async () => {
	const items = Array.from({ length: 10 }, (_each, n) => ({ n }));
	const result = await run(
		sandbox(),
		'platformCustomers',
		'customer.upsert',
		{
			externalId: 'crm-turns',
			fields: { email: 'turns@example.com', address: { city: '=City {{ $json.n }}' } },
		},
		{ items },
	);
	expect(result.items.map(({ json }) => json.action)).toEqual([
		'created',
		...Array(9).fill('updated'),
	]);
	expect(named('crm-turns')).toHaveLength(1);
	expect(sandbox().requests.filter(({ status }) => status === 409)).toEqual([]);
});

test('an e-mail that belongs to somebody else is the conflict of the API', async () => {
	const { email } = sandbox().state.customers.customers.rows[5];
	const result = await upsert('crm-conflict', { email });
	expect(result.error?.message).toContain('A customer already exists with this email (HTTP 409)');
	expect(named('crm-conflict')).toHaveLength(0);
});

describe('a service that ignores the key it is asked for', () => {
	const service = Service.forFile();

	test('gets no update of the record that it answers with, and no second one', async () => {
		service.behave(() => ({ body: { id: 'cus-9', externalId: 'crm-other', external_id: null } }));
		const { error } = await run(service, 'platformCustomers', 'customer.upsert', {
			externalId: 'crm-mine',
			fields: { address: { city: 'Bonn' } },
		});
		expect(error?.message).toContain('"crm-mine"');
		expect(error?.message).toContain('ID cus-9');
		expect(service.received.map(({ method }) => method)).toEqual(['GET']);
	});
});
