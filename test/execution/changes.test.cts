// Updates of what the API replaces as a whole: tags that are added or removed, parts of an address.
import { expect, test } from '@jest/globals';
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
	['replaced', { tags: 'new' }, { tags: ['new'] }, 0],
	['replaced as said', { tags: 'new', changeTags: 'replace' }, { tags: ['new'] }, 0],
	['added', { tags: 'vip, new', changeTags: 'add' }, { tags: ['old', 'vip', 'new'] }, 1],
	['removed', { tags: 'old, none', changeTags: 'remove' }, { tags: ['vip'] }, 1],
	['left alone', { companyName: 'C', changeTags: 'add' }, { company_name: 'C' }, 0],
])('tags are %s', async (_what, fields, sent, reads) => {
	const result = await update(fields);
	expect(result.error).toBeUndefined();
	expect(result.items[0].json).toEqual({ id: 'cus-1', ...sent });
	expect([result.sent, result.reads]).toEqual([[{ customer: sent }], reads]);
});

test.each<[string, object, object, number]>([
	['alone', { address: { city: 'Bonn' } }, { city: 'Bonn' }, 0],
	[
		'with the rest',
		{ address: { city: 'Bonn' }, keepAddress: true },
		{ country: 'DE', city: 'Bonn' },
		1,
	],
])('a part of the address is sent %s', async (_what, fields, address, reads) => {
	const result = await update(fields);
	expect([result.sent, result.reads]).toEqual([[{ customer: { address } }], reads]);
});

test('tags that the API does not return are not lost', async () => {
	const { error, sent } = await update({ tags: 'new', changeTags: 'add' }, { id: 'cus-1' });
	expect(error?.message).toContain('"Change Tags" can\'t be Add or Remove');
	expect(sent).toEqual([]);
});

test.each<[string, object, object, number]>([
	['alone', {}, { plan: 'gold' }, 0],
	['with the others', { keepOthers: true }, { since: '2020', plan: 'gold' }, 1],
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
