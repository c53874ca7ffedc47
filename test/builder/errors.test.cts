// Wrong parameters that a model wrote, and what it reads when it runs them through n8n's own MCP server. A list of valid values has
// the nearest first.
import { builder, byId } from './builder.cts';

const building = builder('errors', { sandbox: { customers: 5 } });

const charge = { resource: 'charge', operation: 'create' };
const payout = { resource: 'payout', operation: 'updateStatus', payoutId: byId('pay-1') };

test.each([
	[
		'An unknown resource',
		'Customers',
		{ resource: 'customers', operation: 'create' },
		`This node doesn't have the operation "customers" (resource.operation). It has: customer.get, customer.upsert, customer.create, `,
	],
	[
		'An unknown event',
		'PollingTrigger',
		{ event: 'paymentStatus' },
		'"Event" must be one of paymentStatusChanged, ',
	],
	[
		'An unknown option',
		'Partners',
		{ ...payout, status: 'payed' },
		'"Status" must be one of paid, refused, pending (got "payed"). Nothing was sent.',
	],
	[
		'An unknown mode of a locator',
		'Customers',
		{ resource: 'customer', operation: 'get', customerId: { ...byId('ada'), mode: 'email' } },
		'"Customer" must have one of the modes id, list (got "email").',
	],
	[
		'A charge without a customer',
		'Customers',
		{ ...charge, services: { service: [{ name: 'Setup', amount: 5 }] } },
		'Parameter "Customer" is required.',
	],
])('%s: the model reads what to change', async (_what, node, parameters, says) => {
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
