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

/** The rows of charges, and the hints; of one charge by default. */
const charged = async (form: object = {}, more: Partial<RunOptions> = {}) => {
	const all = { items: [order(1, 30)], ...more };
	const { items, hints } = await run(
		'platformCustomers',
		'charge.create',
		{ ...charge, ...form },
		all,
	);
	return { rows: items.map(({ json }) => json), hints };
};
const raw = { options: { simplify: false } };
const versionOne = { settings: { typeVersion: 1 } };

describe('a charge', () => {
	test('in a dry run begins with ID, customer, amount and key, and ends with the request', async () => {
		const [json] = (await charged({}, dry())).rows;
		expect(Object.keys(json)).toEqual(['id', 'customer_id', 'amount', 'idempotencyKey', 'dryRun']);
		const shown = { customer_id: 'cus-1', amount: 30, idempotencyKey: 'INV-1' };
		expect(json).toMatchObject({ ...shown, dryRun: true });
		const [whole] = (await charged(raw, dry())).rows;
		expect(Object.keys(whole).at(-1)).toBe('dryRun');
		expect(whole.dryRun).toEqual({
			method: 'POST',
			path: '/customers/cus-1/charges.json',
			body: { charge: { services: [{ name: 'Setup', amount: 30 }] } },
		});
	});

	test('that was sent has its amount and key, and what the API returned in line first; skipped, it can be looked up', async () => {
		const [json] = (await charged()).rows;
		const keys = Object.keys(json);
		expect(keys[0]).toBe('id');
		expect(keys.indexOf('state')).toBeLessThan(keys.indexOf('lines'));
		expect(json).toMatchObject({ amount: 30, idempotencyKey: 'INV-1' });
		expect(json.services).toBeUndefined();
		const shown = { customer_id: 'cus-1', amount: 30, idempotencyKey: 'INV-1' };
		expect((await charged()).rows).toEqual([
			expect.objectContaining({ ...shown, skipped: true, reason: 'Sent before' }),
		]);
	});

	test('that was sent has a line, also if the API returns what was sent, and all of it without Simplify', async () => {
		const services = [{ name: 'Setup', amount: 30, tax: 6.6 }];
		service.behave(() => ({ body: { id: 'ch-9', services, status: 'pending' } }));
		const shown = { customer_id: 'cus-1', amount: 30, idempotencyKey: 'INV-1' };
		expect((await charged()).rows).toEqual([{ id: 'ch-9', ...shown, status: 'pending' }]);
		for (const [form, more] of [
			[raw, {}],
			[{}, versionOne],
		] satisfies Array<[object, Partial<RunOptions>]>) {
			clearStore();
			expect((await charged(form, more)).rows).toMatchObject([{ id: 'ch-9', services }]);
		}
	});

	test('with the key of another row says which, and has the ID of that', async () => {
		const items = [order(1, 30), order(2, 40), order(1, 30), { ...order(1, 30), amount: 31 }];
		const { rows } = await charged({}, { items });
		expect(rows[2]).toMatchObject({ id: 'ch-9', skipped: true, reason: 'Same key as row 1' });
		expect(rows[3].reason).toContain('Same key as row 1 (item 0) with other values');
	});

	test('of a node of version 1 is as it was', async () => {
		const [inDryRun] = (await charged({}, { ...versionOne, ...dry() })).rows;
		expect(Object.keys(inDryRun)[0]).toBe('dryRun');
		const [sent] = (await charged({}, versionOne)).rows;
		expect(Object.keys(sent).slice(0, 3)).toEqual(['id', 'lines', 'state']);
		expect(sent.idempotencyKey).toBeUndefined();
		const [skipped] = (await charged({}, versionOne)).rows;
		expect(Object.keys(skipped)).toEqual(['skipped', 'idempotencyKey', 'inDoubt', 'reason']);
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

test('a summary says what was sent, skipped and refused. One item has none, nor has an older node', async () => {
	service.behave(({ path }) =>
		path.includes('cus-3') ? { status: 422, body: { error: 'No card' } } : { body: { id: 'ch-9' } },
	);
	const items = [order(1, 1000), order(2, 725), order(3, 5), order(1, 1000)];
	const settings = { onError: 'continueRegularOutput' as const };
	expect((await charged({}, { items, settings })).hints[0]).toBe(
		'Sent: "Create a charge" for 2 items, 1,725.00 in total. 1 skipped, 1 refused.',
	);
	clearStore();
	expect((await charged()).hints).toEqual([]);
	const older = { items: [order(4, 5), order(5, 5)], ...versionOne };
	expect((await charged({}, older)).hints).toEqual([]);
});
