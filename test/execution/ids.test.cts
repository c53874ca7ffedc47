// Ids that could lead elsewhere: they reach the record of that very id, or no request is sent.
import { searchList } from './host/pickers.cts';
import { byId, run, sandboxFor } from './host/run.cts';
import { requestTo } from '../table/api.cts';

const sandbox = sandboxFor();

const strange = [
	'a/b',
	'a/b/c',
	'a?b',
	'a#b',
	'%2e%2e',
	'%2e%2e%2fx',
	'é 中',
	'a\\b',
	'a;b',
	'a&b=c',
	'...',
	'%',
	'+',
];

test('they are encoded and reach the customers of those IDs', async () => {
	const { customers } = sandbox().state.customers;
	const [pattern] = customers.rows;
	for (const [n, id] of strange.entries()) {
		customers.add({ ...pattern, id, email: `${n}@strange.example`, externalId: id });
	}
	const form = { customerId: byId('={{ $json.id }}') };
	const items = strange.map((id) => ({ id }));
	const result = await run(sandbox(), 'platformCustomers', 'customer.get', form, { items });
	expect(result.error?.message).toBeUndefined();
	expect(result.items.map(({ json }) => json.id)).toEqual(strange);
});

const refused = ['', ' ', '.', '..', '../x', 'a/../b', 'a\\..\\b', './x', 'customer', '\ud800'];

test('an ID that no path can have is refused and nothing is sent', async () => {
	const form = { customerId: byId('={{ $json.id }}') };
	const result = await run(sandbox(), 'platformCustomers', 'customer.get', form, {
		items: refused.map((id) => ({ id })),
		settings: { onError: 'continueRegularOutput' },
	});
	expect(result.items.map(({ json }) => json.error)).toEqual(
		refused.map(() => expect.stringContaining('"Customer"')),
	);
	expect(sandbox().requests).toEqual([]);
});

// A service, or a proxy before it, that decodes a path before it looks for the endpoint.
describe('an id whose slashes make the path of another endpoint is refused', () => {
	const other = "can't be used as an ID here";

	test.each([
		['customer.delete', 'cus-1/subscriptions/sub-1', 'DELETE of a subscription'],
		['customer.delete', '/cus-1', 'another customer where slashes are joined'],
		['customer.get', 'cus-1/properties.json?x', 'its properties, before a query'],
		['charge.create', 'cus-1/subscriptions', 'POST to a subscription'],
	])('%s %j: %s', async (operation, id) => {
		const result = await run(sandbox(), 'platformCustomers', operation, {
			customerId: byId(id),
			services: { service: [{ name: 'Setup', amount: 1 }] },
		});
		expect(result.error?.message).toContain(`"Customer" ${other}: ${id} would call the endpoint /`);
		expect(result.error?.message).not.toContain('[item');
		expect(sandbox().requests).toEqual([]);
	});

	test('the error names the ID that leads elsewhere', async () => {
		const result = await run(sandbox(), 'platformCustomers', 'subscription.delete', {
			customerId: byId('cus-1'),
			subscriptionId: byId('sub-1/status'),
		});
		expect(result.error?.message).toContain(`"Subscription" ${other}`);
		expect(sandbox().requests).toEqual([]);
	});

	test('in a picker that depends on it', async () => {
		const search = searchList(sandbox(), 'platformCustomers', 'customerSubscriptions', {
			resource: 'subscription',
			operation: 'getStatus',
			customerId: byId('cus-1/subscriptions'),
		});
		await expect(search).rejects.toThrow(other);
		expect(sandbox().requests).toEqual([]);
	});
});

test('an ID of steps that no URL can have is refused as a field', () => {
	const request = () => requestTo('GET /customers/{customerId}.json', { customerId: 'a\ud800' });
	expect(request).toThrow('must be valid Unicode text');
});
