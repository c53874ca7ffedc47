// Updates of what the API replaces as a whole: tags that are added or removed, parts of an address.
import { byId, run } from './host/run.cts';
import { Service } from './host/service.cts';

const service = Service.forFile();

const customer = { id: 'cus-1', tags: ['old', 'vip'], address: { country: 'DE', city: 'Berlin' } };

/** What an update sends, to a service that keeps one record and replaces what it is sent. */
async function update(updateFields: object, record: object = customer) {
	service.behave(({ method }) => ({
		body: method === 'GET' ? record : { customer: { id: 'cus-1' } },
	}));
	const form = { customerId: byId('cus-1'), updateFields };
	const { items, error } = await run(service, 'platformCustomers', 'customer.update', form);
	const sent = service.sent('PUT').map(({ body }) => body);
	return { items, error, sent, reads: service.sent('GET').length };
}

test.each<[string, object, object, number]>([
	['sent from JSON as they are', { further: '{"tags": ["new"]}' }, { tags: ['new'] }, 0],
	[
		'added from JSON as said',
		{ further: '{"tags": ["new"]}', changeTags: 'add' },
		{ tags: ['old', 'vip', 'new'] },
		1,
	],
	['replaced as said', { tags: 'new', changeTags: 'replace' }, { tags: ['new'] }, 0],
	['removed as a whole', { tags: '', changeTags: 'replace' }, { tags: [] }, 0],
	['added as said', { tags: 'vip, new', changeTags: 'add' }, { tags: ['old', 'vip', 'new'] }, 1],
	['added in another case', { tags: 'VIP' }, { tags: ['old', 'vip', 'VIP'] }, 1],
	[
		'removed in their case, if they are there',
		{ tags: 'VIP, old', changeTags: 'remove' },
		{ tags: ['vip'] },
		1,
	],
	['left alone', { companyName: 'C', changeTags: 'add' }, { company_name: 'C' }, 0],
])('tags are %s', async (_what, fields, sent, reads) => {
	const result = await update(fields);
	expect(result.error).toBeUndefined();
	const { action, changes: _changes, ...item } = result.items[0].json;
	expect(item).toEqual({ id: 'cus-1', ...sent });
	// Only what was read can be told from what is sent.
	expect(action).toBe(reads > 0 ? 'updated' : undefined);
	expect([result.sent, result.reads]).toEqual([[{ customer: sent }], reads]);
});

test.each<[string, { address?: object; keepAddress?: boolean; further?: string }, object, number]>([
	['alone', { address: { city: 'Bonn' }, keepAddress: false }, { city: 'Bonn' }, 0],
	['with the rest', { address: { city: 'Bonn' } }, { country: 'DE', city: 'Bonn' }, 1],
	['from JSON as it is', { further: '{"address": {"city": "Bonn"}}' }, { city: 'Bonn' }, 0],
	[
		'with what no field has, even if all fields are set',
		{ address: { street: '', city: 'Bonn', country: 'IT' } },
		{ address: '', city: 'Bonn', country: 'IT', zip: '10115', state: 'BE' },
		1,
	],
])('a part of the address is sent %s', async (_what, fields, address, reads) => {
	const rest = Object.keys(fields.address ?? {}).length > 1 ? { zip: '10115', state: 'BE' } : {};
	const record = { ...customer, address: { ...customer.address, ...rest } };
	const result = await update(fields, record);
	expect([result.sent, result.reads]).toEqual([[{ customer: { address } }], reads]);
});

test.each(['add', 'remove', undefined])('to %s no tags is refused', async (changeTags) => {
	const { error, sent } = await update({ companyName: 'C', tags: '={{ [] }}', changeTags });
	expect(error?.message).toContain('set Change Tags to Replace');
	expect(sent).toEqual([]);
});

test.each<[string, object, object]>([
	[
		'what the record has stays',
		{},
		{ tags: ['old', 'vip', 'new'], address: { city: 'Bonn', country: 'DE' } },
	],
	[
		'what the user wants is replaced',
		{ changeTags: 'replace', keepAddress: false },
		{ tags: ['new'], address: { city: 'Bonn' } },
	],
])('Create or Update of a record that exists: %s', async (_what, more, sent) => {
	for (const [match, reads] of [
		// The list is as it was before the run, so it's never enough for a write.
		[{ matchBy: 'email', email: 'a@b.example' }, 2],
		[{ matchBy: 'externalId', externalId: 'crm-1' }, 1],
	] as const) {
		const found = { ...customer, email: 'a@b.example', externalId: 'crm-1' };
		service.behave(({ method, path }) => {
			if (method !== 'GET') return { body: { customer: { id: 'cus-1' } } };
			const isList = path.startsWith('/customers.json');
			return { body: isList ? { count: 1, elements: [found] } : found };
		});
		const form = { ...match, fields: { tags: 'new', address: { city: 'Bonn' }, ...more } };
		const { error } = await run(service, 'platformCustomers', 'customer.upsert', form);
		expect(error).toBeUndefined();
		expect(service.sent('PUT').map(({ body }) => body)).toEqual([{ customer: sent }]);
		expect(service.sent('GET')).toHaveLength(reads);
	}
});

test.each([
	['remove', undefined],
	['add', ['new']],
])('Create or Update of a record that is new, with tags to %s', async (changeTags, tags) => {
	for (const match of [
		{ matchBy: 'email', email: 'a@b.example' },
		{ matchBy: 'externalId', externalId: 'crm-1' },
	]) {
		service.behave(({ method, path }) => {
			if (method !== 'GET') return { body: { customer: { id: 'cus-1' } } };
			const isList = path.startsWith('/customers.json');
			return isList ? { body: { count: 0, elements: [] } } : { status: 404 };
		});
		const form = { ...match, fields: { companyName: 'C', tags: 'new', changeTags } };
		const { error } = await run(service, 'platformCustomers', 'customer.upsert', form);
		expect(error).toBeUndefined();
		const sent = service.sent('POST').map(({ body }) => (body.customer as { tags?: unknown }).tags);
		expect(sent).toEqual([tags]);
	}
});

test('Create or Update reads what the lookup did not return', async () => {
	service.behave(({ method, path }) => {
		if (method === 'PUT') return { body: { customer: { id: 'cus-1' } } };
		return {
			body: path.startsWith('/customers/cus-1') ? customer : { id: 'cus-1', externalId: 'c' },
		};
	});
	const form = { externalId: 'c', fields: { tags: 'new' } };
	const { error } = await run(service, 'platformCustomers', 'customer.upsert', form);
	expect([error, service.sent('GET').length]).toEqual([undefined, 2]);
	expect(service.sent('PUT')[0].body).toEqual({ customer: { tags: ['old', 'vip', 'new'] } });
});

test.each([
	['an update', 'customer.update', { customerId: byId('cus-1') }, 'updateFields'],
	['Create or Update', 'customer.upsert', { externalId: 'crm-1' }, 'fields'],
])(
	'a whole record without an address has none to keep: %s',
	async (_what, operation, form, into) => {
		service.behave(({ method }) => ({
			body:
				method === 'GET'
					? { id: 'cus-1', externalId: 'crm-1', company_name: 'C' }
					: { customer: { id: 'cus-1' } },
		}));
		const fields = { [into]: { address: { city: 'Bonn' } } };
		const { error } = await run(service, 'platformCustomers', operation, { ...form, ...fields });
		expect(error).toBeUndefined();
		expect(service.sent('PUT').map(({ body }) => body)).toEqual([
			{ customer: { address: { city: 'Bonn' } } },
		]);
	},
);

test('Create or Update with three columns of the address keeps the rest that it has read', async () => {
	const address = { country: 'DE', city: 'Berlin', address: 'A 1', zip: '10115', vat_number: 'X' };
	service.behave(({ method }) => ({
		body:
			method === 'GET'
				? { id: 'cus-1', externalId: 'crm-1', address }
				: { customer: { id: 'cus-1' } },
	}));
	const form = {
		externalId: 'crm-1',
		fieldsAs: 'columns',
		columns: { mappingMode: 'autoMapInputData', value: null },
	};
	const items = [{ externalId: 'crm-1', street: 'B 2', city: 'Bonn', country: 'DE' }];
	const { error } = await run(service, 'platformCustomers', 'customer.upsert', form, { items });
	expect(error).toBeUndefined();
	expect(service.sent('GET')).toHaveLength(1);
	expect(service.sent('PUT').map(({ body }) => body)).toEqual([
		{ customer: { address: { ...address, address: 'B 2', city: 'Bonn' } } },
	]);
});

test('Create or Update of two records with the ID and the external ID the same text', async () => {
	service.behave(({ method }) => ({
		body: method === 'GET' ? { ...customer, externalId: 'cus-1' } : { customer: { id: 'cus-1' } },
	}));
	const form = { externalId: 'cus-1', fields: { tags: 'new' } };
	const { error, items } = await run(service, 'platformCustomers', 'customer.upsert', form);
	expect([error, items.length]).toEqual([undefined, 1]);
});

test.each<[string, object, object, number]>([
	['with the others', {}, { headline: 'New', text: 'Old' }, 1],
	['alone', { keepOtherFields: false }, { headline: 'New' }, 0],
])('the data of a content entry is sent %s', async (_what, more, data, reads) => {
	service.behave(({ method }) => ({
		body:
			method === 'GET'
				? { content: { id: 'cnt-1', data: { headline: 'Old', text: 'Old' } } }
				: { id: 'cnt-1', updated: true },
	}));
	const form = {
		contentId: byId('cnt-1'),
		dataInput: 'json',
		dataJson: '{"headline": "New"}',
		...more,
	};
	const { error } = await run(service, 'platformContentBox', 'content.update', form);
	expect(error).toBeUndefined();
	expect(service.sent('PUT').map(({ body }) => body)).toEqual([{ content: { data } }]);
	expect(service.sent('GET')).toHaveLength(reads);
});

test('the address of a partner is not read, because the API merges it', async () => {
	service.behave(() => ({ body: { id: 'ptn-1', name: 'P' } }));
	const form = { partnerId: byId('ptn-1'), updateFields: { address: { city: 'Bonn' } } };
	const { error } = await run(service, 'platformPartners', 'partner.update', form);
	expect(error).toBeUndefined();
	expect(service.sent('PUT').map(({ body }) => body)).toEqual([
		{ partner: { address: { city: 'Bonn' } } },
	]);
	expect(service.sent('GET')).toEqual([]);
});

test.each<[string, object, object, number]>([
	['alone', { keepOthers: false }, { plan: 'gold' }, 0],
	['with the others', {}, { since: '2020', plan: 'gold' }, 1],
])('a property is sent %s', async (_what, more, properties, reads) => {
	const elements = { since: '2020', plan: 'basic' };
	service.behave(({ method }) => ({
		body: method === 'GET' ? { count: 2, elements } : { customer: { id: 'cus-1' } },
	}));
	const form = {
		customerId: byId('cus-1'),
		properties: {
			property: [{ name: { __rl: true, mode: 'name', value: 'plan' }, value: 'gold' }],
		},
		...more,
	};
	await run(service, 'platformCustomers', 'property.update', form);
	expect(service.sent('PUT').map(({ body }) => body)).toEqual([{ CustomerProperties: properties }]);
	expect(service.sent('GET')).toHaveLength(reads);
});
