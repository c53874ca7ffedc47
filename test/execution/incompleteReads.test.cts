// What is read before a write, or in place of a search that the API lacks, may be incomplete: nothing is lost, and nobody is
// made twice.
import type { INodeParameters } from 'n8n-workflow';
import { runNode, told } from './host/host.cts';
import { byId, run } from './host/run.cts';
import { Service, type Handler, type Reply } from './host/service.cts';

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

const email = 'c120@x.example';
const byEmail = { matchBy: 'email', email, fields: { firstName: 'Ada' } };
const byName = { connectionId: { __rl: true, mode: 'list', value: 'Two' } };

test.each<[string, string, string, INodeParameters]>([
	['creates nobody whom it may have', 'platformCustomers', 'customer.upsert', byEmail],
	['is no sign that none has an email', 'platformCustomers', 'customer.getByEmail', { email }],
	['is no sign that none has a name', 'platformAiGateway', 'connection.get', byName],
])('a list that lacks rows which it announces %s', async (_what, node, operation, form) => {
	service.behave(listOf(customers(100), 250));
	const { error } = await run(service, node, operation, form);
	expect(service.sent('POST')).toEqual([]);
	expect(error?.message).toContain('announced 250 rows but returned 100');
});

const customerUpdate = (updateFields: INodeParameters): Update => [
	'platformCustomers',
	'customer.update',
	{ customerId: byId('1'), updateFields },
];
const content: Update = [
	'platformContentBox',
	'content.update',
	{ contentId: byId('1'), dataInput: 'json', dataJson: '{"text": "New"}' },
];
const properties: Update = [
	'platformCustomers',
	'property.update',
	{ customerId: byId('1'), propertiesAs: 'json', propertiesJson: '{"plan": "gold"}' },
];
const recipients: Update = [
	'platformNewsletters',
	'recipient.set',
	{ newsletterId: byId('1'), changeRecipients: 'add', customersAs: 'ids', contactIds: 'c' },
];
const tags = customerUpdate({ tags: 'new' });
const address = customerUpdate({ address: { city: 'Bonn' } });

type Update = [node: string, operation: string, form: INodeParameters];

const updates = {
	tags: [tags, /set Change Tags to Replace/],
	'the tags of a partner': [
		['platformPartners', 'partner.update', { partnerId: byId('1'), updateFields: { tags: 'new' } }],
		/set Change Tags to Replace/,
	],
	'an address': [address, /turn off Keep Rest of Address/],
	'tags and an address': [
		customerUpdate({ tags: 'new', address: { city: 'Bonn' } }),
		/set Change Tags to Replace and turn off Keep Rest of Address/,
	],
	data: [content, /turn off Keep Other Fields/],
	properties: [properties, /turn off Keep Other Properties/],
	recipients: [recipients, /set Change Recipients to Replace/],
} satisfies Record<string, [Update, RegExp]>;

/** A success of all of them. */
const saved = { id: '1', updated: true, saved_recipients: 1 };

/** Runs an update. Returns what its error says, and what was sent. */
async function tried([node, operation, form]: Update, reply: Reply): Promise<[string, unknown[]]> {
	service.behave(({ method }) => (method === 'GET' ? reply : { body: saved }));
	return [told((await run(service, node, operation, form)).error), bodies()];
}

test.each<[keyof typeof updates, string, object]>([
	['tags', 'without them', { id: '1' }],
	['tags', 'as text', { id: '1', tags: 'old, vip' }],
	['tags', 'as records', { id: '1', tags: [{ name: 'old' }, { name: 'vip' }] }],
	['the tags of a partner', 'without them', { id: '1' }],
	['an address', 'without it, and without an ID', { tags: [] }],
	['an address', 'without it, as another one', { id: '2', tags: [] }],
	['an address', 'as a list of parts', { id: '1', address: ['Berlin', 'DE'] }],
	['an address', 'as text', { id: '1', address: 'Main Street 1, Berlin' }],
	['data', 'without it', { content: { id: '1' } }],
	['data', 'as a list', { content: { id: '1', data: [{ key: 'text', value: 'Old' }] } }],
	['properties', 'with a count of more', { count: 3, elements: { since: '2020', level: '1' } }],
	['properties', 'as rows, some missing', { count: 2, elements: [{ name: 'a', value: 'b' }] }],
	['recipients', 'without them', { all_customers: [] }],
])('an update of %s sends nothing if the record comes %s', async (what, _how, body) => {
	const [update, otherwise] = updates[what];
	const [error, sent] = await tried(update, { body });
	expect(error).toMatch(otherwise);
	expect(error).toContain('Nothing was sent');
	expect(sent).toEqual([]);
});

test.each<[keyof typeof updates, object]>([
	['tags', { id: '1', tags: null }],
	['an address', { id: '1', address: null }],
	['an address', { id: '1', address: [] }],
	['data', { id: '1', data: [] }],
	['properties', { count: 0, elements: [] }],
	['properties', { count: 1, elements: { since: '2020' } }],
	['recipients', { selected_ids: [] }],
])('an update of %s is sent if the record comes as %j', async (what, body) => {
	const [error, sent] = await tried(updates[what][0], { body });
	expect([error, sent.length]).toEqual(['', 1]);
});

test.each(Object.entries(updates))(
	'an update of %s by a key that may not read names what needs no read',
	async (_what, [update, otherwise]) => {
		const [error, sent] = await tried(update, { status: 403, body: { error: 'Forbidden' } });
		expect(error).toMatch(/needs the scope \w+:read/);
		expect(error).toMatch(otherwise);
		expect(sent).toEqual([]);
	},
);

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
