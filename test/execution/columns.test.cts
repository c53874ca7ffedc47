// A spreadsheet of customers or partners goes in without naming a field.
import type { IDataObject } from 'n8n-workflow';
import { mapperFields } from './host/pickers.cts';
import { byId, run, sandboxFor } from './host/run.cts';

const sandbox = sandboxFor({ customers: 5 });

const automatic = { mappingMode: 'autoMapInputData', value: null };

const mapping = (columns: object = automatic, more: object = {}) => ({
	fieldsAs: 'columns',
	columns,
	...more,
});

const writes = () =>
	sandbox()
		.requests.filter(({ method }) => method !== 'GET')
		.map(({ method, body }) => [method, Object.values(body as IDataObject)[0]]);

async function sent(node: string, operation: string, parameters: object, ...items: IDataObject[]) {
	const { error } = await run(sandbox(), node, operation, parameters as never, { items });
	if (error) throw error;
	return writes();
}

async function faultOf(operation: string, parameters: object, ...items: IDataObject[]) {
	const { error } = await run(sandbox(), 'platformCustomers', operation, parameters as never, {
		items,
	});
	expect(writes()).toEqual([]);
	return String(error?.message);
}

let last = 0;
const mail = () => `row-${++last}@example.com`;

describe('customers', () => {
	const node = 'platformCustomers';
	const ALL =
		'Email, Company Name, First Name, Last Name, External ID, Street Address, City, Country, Tags';

	test.each([
		['as people write them', { 'Company Name': 'Acme', 'E-Mail': undefined, CITY: 'Bonn' }],
		['as the API writes them', { company_name: 'Acme', address: { city: 'Bonn' } }],
		['as the form writes them', { companyName: 'Acme', city: 'Bonn', row_number: 2, id: 'x' }],
	])('are created from columns %s', async (_how, columns) => {
		const email = mail();
		const all = { email, ...columns, Tags: 'a, b', 'First name': '' };
		expect(await sent(node, 'customer.create', mapping(), all as IDataObject)).toEqual([
			['POST', { email, company_name: 'Acme', address: { city: 'Bonn' }, tags: ['a', 'b'] }],
		]);
	});

	test('are created from columns mapped by hand', async () => {
		const value = { email: '={{ $json.a }}', companyName: '={{ $json.b }}', lastName: null };
		const [a, b] = [mail(), 'Acme'];
		const byHand = mapping({ mappingMode: 'defineBelow', value });
		expect(await sent(node, 'customer.create', byHand, { a, b })).toEqual([
			['POST', { email: a, company_name: 'Acme' }],
		]);
	});

	test('a column without a field is reported before anything is sent, or left out', async () => {
		const rows = [{ email: mail() }, { email: mail(), Phone: '1', 'Fax no': '2' }];
		expect(await faultOf('customer.create', mapping(), ...rows)).toContain(
			`"Columns" have no field for "Phone", "Fax no". Fields: ${ALL}. Rename them, choose Map Each Column Manually, or set Extra Columns to Ignore`,
		);
		const ignoring = mapping(automatic, { extraColumns: 'ignore' });
		expect(await sent(node, 'customer.create', ignoring, ...rows)).toEqual(
			rows.map(({ email }) => ['POST', { email }]),
		);
	});

	test('columns that match no field are named once for all rows, with what is right', async () => {
		const rows = Array.from({ length: 30 }, () => ({ Mail: mail(), Company: 'Acme', Remark: '-' }));
		expect(await faultOf('customer.create', mapping(), ...rows)).toBe(
			`None of the 30 items can be sent, so nothing was sent. All 30 rows: "Columns" match no field: "Mail", "Company", "Remark". Did you mean Email for "Mail", Company Name for "Company"? Fields: ${ALL}. Rename them, or choose Map Each Column Manually.`,
		);
	});

	test.each<[string, IDataObject, string]>([
		[
			'two columns for one field',
			{ 'Company Name': 'A', company_name: 'B' },
			'two values for Company Name',
		],
		[
			'a value that the form refuses',
			{ email: 'nobody' },
			'must be an email address (got "nobody")',
		],
		['nothing but a blank', { email: ' ' }, '"Columns" must not be empty'],
	])('%s: nothing is sent', async (_what, cells, fault) => {
		const row = { email: mail(), ...cells };
		expect(await faultOf('customer.create', mapping(), row)).toContain(fault);
	});

	test.each<[string, object, object]>([
		['another record', { partner: { id: 'p', email: 'p@x.example', tags: ['gold'] } }, {}],
		['a list of records', { contacts: [{ email: 'c@x.example' }] }, {}],
		['an address', { address: { city: 'Bonn', email: 'a@x.example' } }, { city: 'Bonn' }],
	])('fields of %s are no columns of the customer', async (_what, more, address) => {
		const row = { email: mail(), ...more };
		const name = Object.keys(more)[0];
		const extra = name === 'address' ? 'address.email' : name;
		expect(await faultOf('customer.create', mapping(), row)).toContain(
			`have no field for "${extra}"`,
		);
		const ignoring = mapping(automatic, { extraColumns: 'ignore' });
		const known = { email: row.email, ...(name === 'address' && { address }) };
		expect(await sent(node, 'customer.create', ignoring, row)).toEqual([['POST', known]]);
	});

	test('an update changes what has a value, and clears nothing', async () => {
		const { id } = sandbox().state.customers.customers.rows[0];
		const row = { id, 'Last name': 'Nova', 'External ID': ' crm-0\n', City: ' \t', tags: null };
		const update = { customerId: byId('={{ $json.id }}'), ...mapping() };
		expect(await sent(node, 'customer.update', update, row)).toEqual([
			['PUT', { last_name: 'Nova', externalId: 'crm-0' }],
		]);
	});

	test.each<[string, object, string[], number]>([
		['are added', {}, ['old', 'a', 'b'], 1],
		['take the place of others if the user wants it', { changeTags: 'replace' }, ['a', 'b'], 0],
	])('tags of a column %s', async (_what, columnOptions, tags, reads) => {
		const record = sandbox().state.customers.customers.rows[1];
		record.tags = ['old'];
		const form = { customerId: byId(record.id), ...mapping(automatic, { columnOptions }) };
		expect(await sent(node, 'customer.update', form, { tags: 'a, b' })).toEqual([
			['PUT', { tags }],
		]);
		expect(sandbox().requests).toHaveLength(1 + reads);
	});

	test.each(['externalId', 'email'])('are created or updated by the column %s', async (matchBy) => {
		const row = { externalId: `crm-${++last}`, email: mail(), first_name: 'Ada' };
		const form = mapping(automatic, { matchBy });
		await sent(node, 'customer.upsert', form, row);
		const all = await sent(node, 'customer.upsert', form, { ...row, first_name: 'Eva' });
		expect(all.map(([method]) => method)).toEqual(['POST', 'PUT']);
		expect(all[1][1]).toMatchObject({ first_name: 'Eva' });
		sandbox().clearRequests();
		const { [matchBy as 'email']: _key, ...without } = row;
		expect(await faultOf('customer.upsert', form, without)).toContain(
			`"${matchBy === 'email' ? 'Email' : 'External ID'}" must not be empty`,
		);
	});

	test('the form shows the columns of the operation', async () => {
		const form = { resource: 'customer', operation: 'create' };
		const { fields } = await mapperFields(sandbox(), node, 'recordColumns', form);
		expect(fields.map(({ displayName }) => displayName).join(', ')).toBe(ALL);
	});
});

describe('partners', () => {
	const node = 'platformPartners';

	test('are created from columns, and a required one that is missing is named', async () => {
		const row = { Name: 'Acme', Email: mail(), Country: 'DE', 'VAT Number': 'DE1', Code: 'R7' };
		expect(await sent(node, 'partner.create', mapping(), row)).toEqual([
			[
				'POST',
				{
					name: 'Acme',
					email: row.Email,
					address: { country: 'DE', vat_number: 'DE1' },
					code: 'R7',
				},
			],
		]);
		const { error } = await run(sandbox(), node, 'partner.create', mapping() as never, {
			items: [{ name: 'Acme', email: mail() }],
		});
		expect(String(error?.message)).toContain('"Country" must not be empty');
	});
});
