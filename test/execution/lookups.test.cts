// Reads by an external ID or an email: the record that comes back has to carry it, whatever the service compares by.
import type { IDataObject } from 'n8n-workflow';
import { told } from './host/host.cts';
import { byId, run } from './host/run.cts';
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

test.each<[string, object, string | undefined]>([
	['its external ID', { externalId: 'crm-1a', email: 'new@b.example' }, '8'],
	['its email, and no external ID yet', { externalId: null, email: 'a@b.example' }, '8'],
	['its email, and another external ID', { externalId: 'other', email: 'a@b.example' }, undefined],
])('a partner looked up by both is taken if it shows %s', async (_what, shown, id) => {
	service.behave(() => ({ body: { id: '8', name: 'P', ...shown } }));
	const form = { externalId: 'crm-1a', email: 'a@b.example' };
	const { items, error } = await run(service, 'platformPartners', 'partner.find', form);
	expect(items.map(({ json }) => json.id)).toEqual(id === undefined ? [] : [id]);
	if (id === undefined) expect(told(error)).toContain('returned a different record (ID 8)');
});

test.each([
	['customer', 'platformCustomers', 'customer.get', { customerId: byId('c-7') }],
	['partner', 'platformPartners', 'partner.get', { partnerId: byId('c-7') }],
	['newsletter', 'platformNewsletters', 'newsletter.get', { newsletterId: byId('c-7') }],
])('a read of a %s that returns an empty object found nothing', async (_what, node, name, form) => {
	service.behave(() => ({ body: {} }));
	const { items, error } = await run(service, node, name, form);
	expect(items).toEqual([]);
	expect(told(error)).toContain('The API returned an empty object. Nothing found for "c-7".');
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
