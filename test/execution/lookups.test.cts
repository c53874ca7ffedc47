// Reads by an external ID or an email: the record that comes back has to carry it, whatever the service compares by.
import type { IDataObject } from 'n8n-workflow';
import { told } from './host/host.cts';
import { run } from './host/run.cts';
import { Service } from './host/service.cts';
import { runTools } from './host/tool.cts';

const service = Service.forFile();

const reads = {
	customer: ['platformCustomers', 'customer.getByExternalId', { externalId: 'crm-1a' }],
	partner: ['platformPartners', 'partner.find', { externalId: 'crm-1a' }],
	'partner by email': ['platformPartners', 'partner.find', { email: 'a@b.example' }],
} satisfies Record<string, [string, string, object]>;

const record = { id: '7', email: 'A@b.example', name: 'P', company_name: 'C' };
const listed = (...elements: object[]) => ({ entities: 'Customer', count: 1, elements });

const wanted = { ...record, externalId: 'crm-1a' };
const inList = { ...record, external_id: 'crm-1a' };
const another = { ...record, id: '8', externalId: 'CRM-1A', email: 'c@b.example' };

async function read(what: keyof typeof reads, body: unknown) {
	service.behave(() => ({ body }));
	const [node, operation, form] = reads[what];
	const { items, error } = await run(service, node, operation, form);
	return error ? told(error) : items.map(({ json }) => json);
}

const each = Object.keys(reads) as Array<keyof typeof reads>;

describe.each(each)('a lookup of a %s', (what) => {
	const name = what.startsWith('customer') ? 'customer' : 'partner';

	test.each([
		['a record', wanted],
		['a record below its name', { [name]: wanted }],
		['a list of it', [wanted]],
		['the envelope of a list with it', listed(inList)],
		['a list with others', [another, wanted]],
	])('that returns %s gives that one record', async (_how, body) => {
		expect(await read(what, body)).toEqual([expect.objectContaining({ id: '7' })]);
	});

	test.each([
		['another case', another],
		['the first of all', listed(another)],
		['one that shows none', { id: '8', status: 'active' }],
	])('that returns %s is refused', async (_how, body) => {
		expect(await read(what, body)).toContain('returned a different record (ID 8)');
	});

	test.each([
		['two', listed(inList, { ...inList, id: '9' }), 'returned more than one record'],
		['an envelope without rows', { entities: 'Customer', count: 0, elements: [] }, 'belongs to no'],
		['an empty list', [], 'belongs to no'],
	])('that returns %s says so', async (_how, body, says) => {
		const error = await read(what, body);
		expect(error).toContain(says);
		expect(error).not.toContain('Base URL');
	});
});

test('three orders of a flow are not charged to another customer', async () => {
	service.behave(({ method }) => ({ body: method === 'GET' ? another : { id: 'ch-1' } }));
	const items = [{}, {}, {}];
	const settings = { onError: 'continueRegularOutput' as const };
	const [node, operation, form] = reads.customer;
	const found = await run(service, node, operation, form, { items, settings });
	expect(found.items.map(({ json }) => json.id)).toEqual([undefined, undefined, undefined]);
});

test.each([
	['get_customer_by_external_id', { external_id: 'crm-1a' }],
	['find_partner', { external_id: 'crm-1a' }],
])('the tool %s refuses another record, too', async (tool, args) => {
	service.behave(() => ({ body: another }));
	const parameters = { offer: 'chosen', operations: [tool] };
	const call = { node: 'Tool 1', input: { ...args, tool } as IDataObject };
	const toolkit = { node: 'platformApiTool', parameters };
	const [[answer]] = await runTools([toolkit], service.credential, [[call]]);
	expect(JSON.stringify(answer)).toContain('returned a different record (ID 8)');
	expect(service.received).toHaveLength(1);
});
