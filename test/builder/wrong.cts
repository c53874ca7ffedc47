// Wrong parameters of the nodes, one of each kind, and what a model reads when it runs them.
const byId = (value: string) => ({ __rl: true, mode: 'id', value });

export interface Wrong {
	what: string;
	/** The node, without the prefix `platform`. */
	node: string;
	parameters: object;
	/** What the model reads, or how it begins; a list of valid values has the nearest first. */
	says: string;
}

export const wrong: Wrong[] = [
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
		says: '"Services" has a wrong row 1: Amount must be a number (got "5 EUR"). Nothing was sent.',
	},
	{
		what: 'An update of nothing',
		node: 'Customers',
		parameters: { resource: 'customer', operation: 'update', customerId: byId('cus-100001') },
		says: '"Update Fields" is empty: add at least one field to update. Nothing was sent.',
	},
];
