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

test.each(strange)('%j is encoded and reaches the customer of that id', async (id) => {
	const { customers } = sandbox().state.customers;
	const [pattern] = customers.rows;
	customers.add({
		...pattern,
		id,
		email: `${strange.indexOf(id)}@strange.example`,
		externalId: id,
	});
	const result = await run(sandbox(), 'platformCustomers', 'customer.get', {
		customerId: byId(id),
	});
	expect(result.error?.message).toBeUndefined();
	expect(result.items[0].json.id).toBe(id);
});

test.each(['', ' ', '.', '..', '../x', 'a/../b', 'a\\..\\b', './x', 'customer', '\ud800'])(
	'%j is refused and nothing is sent',
	async (id) => {
		const result = await run(sandbox(), 'platformCustomers', 'customer.get', {
			// An expression: an empty value in the form is refused by n8n itself.
			customerId: byId(`={{ ${JSON.stringify(id)} }}`),
		});
		expect(result.error?.message).toContain('"Customer"');
		expect(sandbox().requests).toEqual([]);
	},
);

// A service, or a proxy before it, that decodes a path before it looks for the endpoint.
describe('an id whose slashes make the path of another endpoint is refused', () => {
	const other = "can't be used as an ID here";

	test.each([
		['customer.delete', 'cus-1/subscriptions/sub-1', 'DELETE of a subscription'],
		['customer.delete', 'cus-1\\subscriptions\\sub-1', 'with backslashes'],
		['customer.delete', 'cus-1//subscriptions/sub-1', 'where slashes are joined'],
		['customer.delete', '/cus-1', 'another customer where slashes are joined'],
		['customer.get', 'cus-1/properties', 'its properties'],
		['customer.get', 'cus-1/properties.json?x', 'its properties, before a query'],
		['customer.get', 'cus-1/properties.json#x', 'its properties, before a fragment'],
		['customer.delete', 'cus-1.json?x', 'another customer, before a query'],
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
