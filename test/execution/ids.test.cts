// Ids that could lead elsewhere: they reach the record of that very id, or no request is sent.
import { byId, run, sandboxFor } from './host/run.cts';

const sandbox = sandboxFor();

const strange = [
	'../x',
	'a/b',
	'a?b',
	'a#b',
	'%2e%2e',
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

test.each(['', ' ', '.', '..', 'customer', '\ud800'])(
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
