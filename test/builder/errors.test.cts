// Wrong parameters that a model wrote, one of each kind, and what it reads when it runs them through n8n's own MCP server.
import { builder, byId } from './builder.cts';

const building = builder('errors', { sandbox: { customers: 5 } });

interface Wrong {
	what: string;
	/** The node, without the prefix `platform`. */
	node: string;
	parameters: object;
	/** What the model reads, or how it begins; a list of valid values has the nearest first. */
	says: string;
}

const wrong: Wrong[] = [
	{
		what: 'An unknown resource',
		node: 'Customers',
		parameters: { resource: 'customers', operation: 'create' },
		says: `This node doesn't have the operation "customers" (resource.operation). It has: customer.get, customer.upsert, customer.create, `,
	},
	{
		what: 'An unknown event',
		node: 'PollingTrigger',
		parameters: { event: 'paymentStatus' },
		says: '"Event" must be one of paymentStatusChanged, ',
	},
	{
		what: 'An unknown option',
		node: 'Partners',
		parameters: {
			resource: 'payout',
			operation: 'updateStatus',
			payoutId: byId('pay-1'),
			status: 'payed',
		},
		says: '"Status" must be one of paid, refused, pending (got "payed"). Nothing was sent.',
	},
	{
		what: 'An unknown mode of a locator',
		node: 'Customers',
		parameters: {
			resource: 'customer',
			operation: 'get',
			customerId: { __rl: true, mode: 'email', value: 'ada@example.com' },
		},
		says: '"Customer" must have one of the modes id, list (got "email").',
	},
	{
		what: 'A charge without services',
		node: 'Customers',
		parameters: {
			resource: 'charge',
			operation: 'create',
			customerId: byId('cus-100001'),
			services: {},
		},
		says: '"Services" must not be empty. Nothing was sent.',
	},
	{
		what: 'A charge without a customer',
		node: 'Customers',
		parameters: {
			resource: 'charge',
			operation: 'create',
			services: { service: [{ name: 'Setup', amount: 5 }] },
		},
		says: 'Parameter "Customer" is required.',
	},
	{
		what: 'A customer that is not there',
		node: 'Customers',
		parameters: { resource: 'customer', operation: 'get', customerId: byId('nobody') },
		says: 'Nothing found for "nobody". Check the Customer field.',
	},
	{
		what: 'Text that is no number',
		node: 'Customers',
		parameters: {
			resource: 'charge',
			operation: 'create',
			customerId: byId('cus-100001'),
			services: { service: [{ name: 'Setup', amount: '5 EUR' }] },
		},
		says: '"Services" has a fault in line 1: Amount must be a number (got "5 EUR"). Nothing was sent.',
	},
	{
		what: 'An update of nothing',
		node: 'Customers',
		parameters: { resource: 'customer', operation: 'update', customerId: byId('cus-100001') },
		says: '"Update Fields" is empty: add at least one field to update. Nothing was sent.',
	},
];

test.each(wrong)('$what: the model reads what to change', async ({ node, parameters, says }) => {
	const { build, run, sandbox, n8n } = building();
	const isTrigger = node.endsWith('Trigger');
	const kind = isTrigger ? 'trigger' : 'node';
	const id = await build({ type: `platform${node}`, parameters, kind });
	sandbox.clearRequests();
	// n8n's MCP server runs no polling trigger: a person does, in the editor.
	const text = isTrigger ? JSON.stringify(await n8n.client.runWorkflow(id)) : await run(id);
	expect(text).toContain('"status":"error"');
	expect(text).toContain(JSON.stringify(says).slice(1, -1));
	expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});
