// Rows of writes as n8n shows them in a table: what fits into a line first, the note of Dry Run last, and enough on each row to
// look it up. Nodes of version 1 keep their output.
import { newestVersion, nodes } from '../table/operations.cts';
import type { RunOptions } from './host/host.cts';
import { clearStore } from './host/keyStore.cts';
import { byId, run as runWith } from './host/run.cts';
import { Service } from './host/service.cts';

const service = Service.forFile();
beforeEach(() => {
	clearStore();
	service.behave(() => ({ body: { id: 'ch-9', lines: [{ n: 1 }], state: 'open' } }));
});

const { description } = nodes.find(({ name }) => name === 'platformCustomers')!;
const typeVersion = newestVersion(description);

const run = async (
	node: string,
	operation: string,
	parameters: RunOptions['parameters'],
	{ settings, ...options }: Partial<RunOptions> = {},
) =>
	await runWith({ baseUrl: service.baseUrl, key: 'key' }, node, operation, parameters, {
		...options,
		settings: { typeVersion, ...settings },
	});

const charge = {
	customerId: byId('={{ $json.customer }}'),
	services: { service: [{ name: 'Setup', amount: '={{ $json.amount }}' }] },
	idempotencyKey: '={{ $json.order }}',
};
const order = (number: number, amount: number) => ({
	order: `INV-${number}`,
	customer: `cus-${number}`,
	amount,
});
const dry = () => ({ credential: { ...service.credential, dryRun: true } });

describe('a charge', () => {
	test('in a dry run begins with ID, customer, amount and key, and ends with the request', async () => {
		const { items } = await run('platformCustomers', 'charge.create', charge, {
			items: [order(1, 30)],
			...dry(),
		});
		const [{ json }] = items;
		expect(Object.keys(json)).toEqual(['id', 'customer_id', 'amount', 'idempotencyKey', 'dryRun']);
		expect(json).toMatchObject({
			customer_id: 'cus-1',
			amount: 30,
			idempotencyKey: 'INV-1',
			dryRun: true,
		});
	});

	test('in a dry run without Simplify has the whole request', async () => {
		const { items } = await run(
			'platformCustomers',
			'charge.create',
			{ ...charge, options: { simplify: false } },
			{ items: [order(1, 30)], ...dry() },
		);
		expect(Object.keys(items[0].json).at(-1)).toBe('dryRun');
		expect(items[0].json.dryRun).toEqual({
			method: 'POST',
			path: '/customers/cus-1/charges.json',
			body: { charge: { services: [{ name: 'Setup', amount: 30 }] } },
		});
	});

	test('that was sent has its amount and key, and what the API returned in line first', async () => {
		const { items } = await run('platformCustomers', 'charge.create', charge, {
			items: [order(1, 30)],
		});
		const keys = Object.keys(items[0].json);
		expect(keys[0]).toBe('id');
		expect(keys.indexOf('state')).toBeLessThan(keys.indexOf('lines'));
		expect(items[0].json).toMatchObject({ amount: 30, idempotencyKey: 'INV-1' });
		expect(items[0].json.services).toBeUndefined();
	});

	test('that was sent has a line, also if the API returns what was sent, and all of it without Simplify', async () => {
		const services = [{ name: 'Setup', amount: 30, tax: 6.6 }];
		service.behave(() => ({ body: { id: 'ch-9', services, status: 'pending' } }));
		const once = { items: [order(1, 30)] };
		const simple = await run('platformCustomers', 'charge.create', charge, once);
		expect(simple.items[0].json).toEqual({
			id: 'ch-9',
			customer_id: 'cus-1',
			amount: 30,
			idempotencyKey: 'INV-1',
			status: 'pending',
		});
		clearStore();
		const whole = { ...charge, options: { simplify: false } };
		const { items } = await run('platformCustomers', 'charge.create', whole, once);
		expect(items[0].json).toMatchObject({ id: 'ch-9', services });
		clearStore();
		const older = await run('platformCustomers', 'charge.create', charge, {
			...once,
			settings: { typeVersion: 1 },
		});
		expect(older.items[0].json).toMatchObject({ id: 'ch-9', services });
	});

	test('that is skipped can be looked up', async () => {
		await run('platformCustomers', 'charge.create', charge, { items: [order(1, 30)] });
		const { items } = await run('platformCustomers', 'charge.create', charge, {
			items: [order(1, 30)],
		});
		expect(items[0].json).toMatchObject({
			customer_id: 'cus-1',
			amount: 30,
			idempotencyKey: 'INV-1',
			skipped: true,
			reason: 'Sent before',
		});
	});

	test('with the key of another row says which, and has the ID of that', async () => {
		const items = [order(1, 30), order(2, 40), order(1, 30), { ...order(1, 30), amount: 31 }];
		const { items: out } = await run('platformCustomers', 'charge.create', charge, { items });
		expect(out[2].json).toMatchObject({
			id: 'ch-9',
			skipped: true,
			reason: 'Same key as row 1',
		});
		expect(out[3].json.reason).toContain('Same key as row 1 (item 0) with other values');
	});

	test('of a node of version 1 is as it was', async () => {
		const settings = { typeVersion: 1 };
		const once = { items: [order(1, 30)], settings };
		const dryRun = await run('platformCustomers', 'charge.create', charge, { ...once, ...dry() });
		expect(Object.keys(dryRun.items[0].json)[0]).toBe('dryRun');
		const sent = await run('platformCustomers', 'charge.create', charge, once);
		expect(Object.keys(sent.items[0].json).slice(0, 3)).toEqual(['id', 'lines', 'state']);
		expect(sent.items[0].json.idempotencyKey).toBeUndefined();
		const skipped = await run('platformCustomers', 'charge.create', charge, once);
		expect(Object.keys(skipped.items[0].json)).toEqual([
			'skipped',
			'idempotencyKey',
			'inDoubt',
			'reason',
		]);
	});
});

test('a list of many IDs that was sent is in no row, and one that the API returned is whole', async () => {
	const contactIds = Array.from({ length: 503 }, (_each, index) => `cus-${index}`);
	const form = {
		newsletterId: byId('n-1'),
		customersAs: 'ids',
		contactIds,
		changeRecipients: 'replace',
	};
	const inDryRun = await run('platformNewsletters', 'recipient.set', form, dry());
	expect(inDryRun.items[0].json).toEqual({
		id: 'n-1',
		saved_recipients: 503,
		skipped_suppressed: 0,
		skipped_not_found: 0,
		dryRun: true,
	});
	const saved = { newsletter_id: 'n-1', saved_recipients: 503, kept: contactIds };
	service.behave(() => ({ body: saved }));
	const { items } = await run('platformNewsletters', 'recipient.set', form);
	expect(service.received[0].body).toEqual({ newsletter: { contact_ids: contactIds } });
	expect(items[0].json).toEqual({ id: 'n-1', saved_recipients: 503, kept: contactIds });
});

test('a dry run of a newsletter says how many people get it', async () => {
	service.behave(() => ({ body: { newsletter: { id: 'n-1', total_recipients: 503 } } }));
	const form = { newsletterId: byId('n-1') };
	const { items } = await run('platformNewsletters', 'newsletter.queue', form, dry());
	expect(items[0].json).toMatchObject({ id: 'n-1', recipients: 503 });
	expect(service.sent('POST')).toEqual([]);
});

describe('customers of a sheet', () => {
	const sheet = [1, 2, 3].map((n) => ({
		external_id: `crm-${n}`,
		email: `c${n}@example.com`,
		company_name: `Company ${n}`,
	}));
	const form = { fieldsAs: 'columns', columns: { mappingMode: 'autoMapInputData', value: null } };
	const known = (n: number) => ({ id: `cus-${n}`, ...sheet[n - 1], externalId: `crm-${n}` });

	beforeEach(() =>
		service.behave(({ method, path }) => {
			if (method === 'POST') return { body: { customer: { id: 'cus-9', partner: null } } };
			if (method === 'PUT') return { body: { id: path.match(/cus-\d/)?.[0] } };
			if (path.endsWith('=crm-1')) return { status: 404, body: { error: 'Not found' } };
			const isSame = path.endsWith('=crm-3');
			return { body: isSame ? known(3) : { ...known(2), company_name: 'Before' } };
		}),
	);

	test('have their key on each row, whatever the API returns, begin with what is done, and end with what is empty', async () => {
		const { items } = await run('platformCustomers', 'customer.upsert', form, { items: sheet });
		expect(items.map(({ json }) => [json.action, json.external_id])).toEqual([
			['created', 'crm-1'],
			['updated', 'crm-2'],
			['unchanged', 'crm-3'],
		]);
		const keys = Object.keys(items[0].json);
		expect(keys.slice(0, 3)).toEqual(['id', 'action', 'changes']);
		expect(keys.at(-1)).toBe('partner');
	});

	test('are summed up after a run as in its plan', async () => {
		const plan = await run('platformCustomers', 'customer.upsert', form, {
			items: sheet,
			...dry(),
		});
		expect(plan.hints).toEqual([
			'Dry run, nothing was sent: "Create or update a customer". 1 would be created, 1 updated (company_name 1), and 1 are unchanged.',
		]);
		const { hints } = await run('platformCustomers', 'customer.upsert', form, { items: sheet });
		expect(hints).toEqual([
			'"Create or update a customer": 1 created, 1 updated (company_name 1), and 1 unchanged.',
		]);
	});
});

describe('a summary', () => {
	const items = [order(1, 1000), order(2, 725), order(3, 5), order(1, 1000)];
	const refuse3 = () =>
		service.behave(({ path }) =>
			path.includes('cus-3')
				? { status: 422, body: { error: 'No card' } }
				: { body: { id: 'ch-9' } },
		);

	test('of a run says what was sent, skipped and refused', async () => {
		refuse3();
		const settings = { onError: 'continueRegularOutput' as const };
		const { hints } = await run('platformCustomers', 'charge.create', charge, { items, settings });
		expect(hints[0]).toBe(
			'Sent: "Create a charge" for 2 items, 1,725.00 in total. 1 skipped, 1 refused.',
		);
	});

	test('is left out for one item, and in older nodes', async () => {
		const one = await run('platformCustomers', 'charge.create', charge, { items: [items[0]] });
		expect(one.hints).toEqual([]);
		const settings = { typeVersion: 1 };
		const older = await run('platformCustomers', 'charge.create', charge, {
			items: items.slice(1, 3),
			settings,
		});
		expect(older.hints).toEqual([]);
	});
});
