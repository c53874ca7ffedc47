// Items of writes: what the API returned and what was sent, in one shape, dry and real. Raw, only what it returned.
import { leavesInDryRun } from '../table/api.cts';
import { tellsSent } from '../../dist/nodes/engine/form/operation.js';
import type { Sandbox } from '../sandbox/index.cts';
import { existingForm, inOrder } from '../table/existing.cts';
import { endpointOf, table, type TableEntry } from '../table/operations.cts';
import { byId, credentialOf, run, sandboxFor } from './host/run.cts';
import { Service } from './host/service.cts';

const writes = inOrder(table.filter(({ operation }) => !leavesInDryRun(operation.endpoint.route)));

const checksCode = ({ operation }: TableEntry) =>
	Object.hasOwn(endpointOf(operation.endpoint.route), 'checksCode');

async function itemOf(sandbox: Sandbox, entry: TableEntry, form: object, dryRun: string) {
	const { node, resource, operation } = entry;
	const credential = { ...credentialOf(sandbox), dryRun };
	const name = `${resource.value}.${operation.value}`;
	const { items, error } = await run(sandbox, node, name, form as never, { credential });
	expect(error?.message).toBeUndefined();
	const { dryRun: note, ...json } = items[0].json;
	expect(note === undefined).toBe(dryRun === 'off');
	return json;
}

/** The names in an item, also of what is below. Lists and what users name themselves have none. */
const namesIn = (value: unknown, parent = ''): unknown =>
	typeof value !== 'object' || value === null || Array.isArray(value) || parent === 'fields'
		? undefined
		: Object.fromEntries(Object.entries(value).map(([name, each]) => [name, namesIn(each, name)]));

describe('dry as real', () => {
	const sandbox = sandboxFor({ customers: 20 });

	test.each(
		writes.filter((entry) => !checksCode(entry)).map((entry) => [entry.title, entry] as const),
	)('%s', async (_title, entry) => {
		const form = existingForm(sandbox(), entry);
		const dry = await itemOf(sandbox(), entry, form, 'on');
		const real = await itemOf(sandbox(), entry, form, 'off');
		expect(namesIn(dry)).toEqual(namesIn(real));
	});
});

describe('raw is what the API returned', () => {
	const sandbox = sandboxFor({ customers: 20, keepAnswers: true });
	const told = writes.filter(({ operation }) => tellsSent(operation));

	test.each(told.map((entry) => [entry.title, entry] as const))('%s', async (_title, entry) => {
		const form = { ...existingForm(sandbox(), entry), simplify: false };
		const raw = await itemOf(sandbox(), entry, form, 'off');
		const { plain, endpoint } = sandbox().requests.at(-1) ?? {};
		const { unwrap = '' } = endpointOf(endpoint as never) as { unwrap?: string };
		const answered = Object(plain) as Record<string, object | undefined>;
		// Create or Update says what it did.
		const { action: _action, changes: _changes, ...own } = raw;
		expect(own).toEqual(answered[unwrap] ?? answered);
	});
});

describe('what was sent', () => {
	const service = Service.forFile();

	async function item(node: string, operation: string, form: object, body: object) {
		service.behave(() => ({ body }));
		const { items, error } = await run(service, node, operation, form as never);
		expect(error?.message).toBeUndefined();
		return items[0].json;
	}

	test('comes below what the API returned, whose own members stay as they are', async () => {
		const test = { newsletterId: byId('n-1'), testEmail: 'a@b.example' };
		const answer = { newsletter_id: 'n-1', test_email: 'b@b.example', sent: true };
		const sent = await item('platformNewsletters', 'newsletter.sendTest', test, answer);
		expect(sent).toEqual({ id: 'n-1', test_email: 'b@b.example', sent: true });

		const charge = {
			customerId: byId('cus-1'),
			services: { service: [{ name: 'Setup', amount: 5 }] },
		};
		const made = { id: 'chg-1', sent: 'yesterday', services: 1, customerId: 'other' };
		const charged = await item('platformCustomers', 'charge.create', charge, made);
		expect(charged).toEqual(made);
		const silent = await item('platformCustomers', 'charge.create', charge, { id: 'chg-1' });
		expect(Object.entries(silent)).toEqual([
			['id', 'chg-1'],
			['customer_id', 'cus-1'],
			['services', [{ name: 'Setup', amount: 5 }]],
		]);
	});

	test('has the names and the places of simplified output', async () => {
		const content = {
			title: 'Taxes',
			typeId: byId('typ-1'),
			dataInput: 'json',
			dataJson: { teaser: 'Soon', externalId: 'own' },
		};
		expect(await item('platformContentBox', 'content.create', content, { id: 'c-1' })).toEqual({
			...{ id: 'c-1', title: 'Taxes', type_id: 'typ-1' },
			...{ teaser: 'Soon', externalId: 'own' },
		});
		const usage = {
			customerId: byId('cus-1'),
			subscriptionId: byId('sub-1'),
			externalId: 'u-1',
			additionalFields: { amount: 3 },
		};
		expect(await item('platformCustomers', 'usage.record', usage, { id: 'u', amount: 3 })).toEqual({
			...{ id: 'u', amount: 3 },
			...{ customer_id: 'cus-1', subscription_id: 'sub-1', external_id: 'u-1' },
		});
	});

	test('names nothing that n8n or the node gives a meaning', async () => {
		const content = {
			title: 'Taxes',
			typeId: byId('typ-1'),
			dataInput: 'json',
			dataJson: { error: 'no', skipped: true, warning: 'none', dryRun: {}, teaser: 'Soon' },
		};
		const { id, ...rest } = await item('platformContentBox', 'content.create', content, {
			id: 'c',
		});
		expect([id, rest]).toEqual(['c', { title: 'Taxes', type_id: 'typ-1', teaser: 'Soon' }]);
	});

	test('has no secret', async () => {
		service.behave(() => ({ body: { id: 'w' } }));
		const key = service.credential.apiKey;
		const form = {
			title: 'Taxes',
			typeId: byId('typ-1'),
			dataInput: 'json',
			dataJson: { a: key, list: [key, 'b'], text: `Bearer ${key}`, deep: { key: [{ key }] } },
		};
		const json = await item('platformContentBox', 'content.create', form, { id: 'w' });
		expect(JSON.stringify(json)).not.toContain(key);
		expect(json).toMatchObject({ list: ['b'], text: 'Bearer ***' });
	});
});
