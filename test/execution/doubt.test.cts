// What is in doubt doesn't look like success: the run ends with one error that names each item as a person knows it, after
// everything else was done. And where the Idempotency Key stands follows from what it may skip.
import { clearStore } from './host/keyStore.cts';
import { byId, run as runWith } from './host/run.cts';
import { Service } from './host/service.cts';
import type { RunOptions } from './host/host.cts';
import { newestVersion, nodes, table } from '../table/operations.cts';
import { endpoints } from '../../dist/nodes/api/endpoints.js';
import { formFields } from '../../dist/nodes/engine/node/description.js';
import { takesKey } from '../../dist/nodes/engine/form/operation.js';

const service = Service.forFile();
beforeEach(clearStore);

const run = async (
	operation: string,
	parameters: RunOptions['parameters'],
	options: Partial<RunOptions> = {},
) =>
	await runWith({ baseUrl: service.baseUrl, key: 'key' }, NODE, operation, parameters, {
		...options,
		settings: { typeVersion: newestVersion(description), ...options.settings },
	});

const NODE = 'platformCustomers';
const { description } = nodes.find(({ name }) => name === NODE)!;

const charge = {
	customerId: byId('={{ $json.customer }}'),
	services: { service: [{ name: 'Setup', amount: '={{ $json.amount }}' }] },
	idempotencyKey: '={{ $json.order }}',
};

const order = (number: number, amount = 30) => ({
	order: `INV-${number}`,
	customer: `cus-${number}`,
	amount,
});

/** Sends charges whose response is lost, so that their keys are in doubt. */
async function leaveInDoubt(...numbers: number[]): Promise<void> {
	service.behave(() => undefined);
	for (const number of numbers) {
		const { error } = await run('charge.create', charge, { items: [order(number)] });
		expect(error?.message).toContain('It may have gone through');
	}
	service.behave(({ method }) => ({ body: { id: 'ch-9', method } }));
}

const posts = () => service.sent('POST');

describe('Fail While in Doubt', () => {
	test('a run with keys in doubt does everything else, then fails and names them', async () => {
		await leaveInDoubt(1, 3);
		const items = [1, 2, 3, 4].map((number) => order(number, number * 1000));
		const { error } = await run('charge.create', charge, { items });
		expect(posts().map(({ path }) => path)).toEqual([
			expect.stringContaining('cus-2'),
			expect.stringContaining('cus-4'),
		]);
		expect(error?.message).toContain('2 items may have gone through before');
		expect(error?.message).toContain('charge INV-1 of 1,000.00 for cus-1, row 1 (item 0)');
		expect(error?.message).toContain('charge INV-3 of 3,000.00 for cus-3, row 3 (item 2)');
		expect(error?.message).toContain('Release Key');
		expect(error?.message).toContain('Already done, but not in the output: rows 2 (ID ch-9), 4');
	});

	test('a released key goes out, and the run succeeds', async () => {
		await leaveInDoubt(1);
		const form = { ...charge, options: { releaseKey: 'INV-1' } };
		const { error, items } = await run('charge.create', form, { items: [order(1), order(2)] });
		expect(error).toBeUndefined();
		expect(items).toHaveLength(2);
		expect(posts()).toHaveLength(2);
	});

	test('the first error of a doubt says what to look for', async () => {
		service.behave(() => undefined);
		const { error } = await run('charge.create', charge, { items: [order(7), order(8)] });
		expect(error?.message).toContain('It may have gone through');
		expect(error?.message).toContain(
			'Look for the charge INV-7 of 30.00 for cus-7, row 1 (item 0).',
		);
	});

	test('with On Error: Continue, an item in doubt comes out as an error', async () => {
		await leaveInDoubt(1);
		const settings = { onError: 'continueErrorOutput' as const };
		const result = await run('charge.create', charge, { items: [order(1), order(2)], settings });
		expect(result.error).toBeUndefined();
		expect(result.items).toHaveLength(1);
		expect(result.errors).toHaveLength(1);
		expect(String(result.errors[0].json.error)).toContain('The charge INV-1 of 30.00 for cus-1');
	});

	test.each([
		['it is off', {}, { failWhileInDoubt: false }],
		['the node is older', { typeVersion: 1 }, {}],
	])('if %s, the item comes out as skipped', async (_title, settings, options) => {
		await leaveInDoubt(1);
		const form = { ...charge, options };
		const { error, items } = await run('charge.create', form, { items: [order(1)], settings });
		expect(error).toBeUndefined();
		expect(items[0].json).toMatchObject({ skipped: true, inDoubt: true });
	});

	test('an older node has it as an option', async () => {
		await leaveInDoubt(1);
		const form = { ...charge, options: { failWhileInDoubt: true } };
		const settings = { typeVersion: 1 };
		const { error } = await run('charge.create', form, { items: [order(1)], settings });
		expect(error?.message).toContain('The charge INV-1 of 30.00 for cus-1 may have gone through');
	});
});

/** Names of the fields and of the options of a form, in a new node. */
function placesOf(operation: (typeof table)[number]['operation']) {
	const fields = formFields(operation);
	const isShown = ({ displayOptions }: (typeof fields)[number]) =>
		!displayOptions?.show?.['@version']?.includes(1);
	const options = fields.find(({ name }) => name === 'options')?.options ?? [];
	return {
		field: fields.find((each) => each.name === 'idempotencyKey' && isShown(each)),
		option: options.find(({ name }) => name === 'idempotencyKey'),
	};
}

describe('the place of the Idempotency Key', () => {
	const keyed = table.filter(({ operation }) => takesKey(operation));

	test.each(keyed.map((entry) => [entry.title, entry.operation] as const))(
		'%s has it in one place',
		(_title, operation) => {
			const { field, option } = placesOf(operation);
			expect([field, option].filter(Boolean)).toHaveLength(1);
			const { method, key } = operation.endpoint;
			const updates = [operation.endpoint.route, ...(operation.also ?? [])].some((route) =>
				route.startsWith('PUT '),
			);
			if (updates || key === undefined) {
				expect(option && 'description' in option && option.description).toContain('are skipped');
				expect(option && 'placeholder' in option && option.placeholder).toContain('changeId');
			} else {
				expect(method).toBe('POST');
				expect(field?.placeholder).toBe(`e.g. {{ $json.${key} }}`);
			}
		},
	);

	test('whatever moves money, makes a newsletter or sends it has it in the form', () => {
		const inForm = keyed.flatMap(({ operation }) =>
			placesOf(operation).field ? [operation.endpoint.route] : [],
		);
		expect(inForm).toEqual(
			expect.arrayContaining([
				'POST /customers/{customerId}/charges.json',
				'POST /customers/{customerId}/subscriptions.json',
				'POST /partners/payouts.json',
				'POST /newsletters.json',
				'POST /newsletters/{newsletterId}/queue.json',
				'POST /workflow/{workflowId}.json',
			]),
		);
	});

	test('no write below a record has the key of that record', () => {
		const rows = Object.entries(endpoints) as Array<[string, { key?: string }]>;
		const inherited = rows.filter(([route, { key }]) => {
			const [, path] = route.split(' ');
			return rows.some(([other, parent]) => {
				const [method, collection] = other.split(' ');
				const isMaker = method === 'POST' && parent.key !== undefined && other !== route;
				const record = `${collection.replace('.json', '')}/{`;
				return isMaker && path.startsWith(record) && parent.key === key;
			});
		});
		expect(inherited).toEqual([]);
	});

	const upsert = { fieldsAs: 'fields', matchBy: 'externalId', externalId: '={{ $json.id }}' };
	const changed = [{ id: 'crm-1', email: 'ada@example.com', name: 'Ada' }];

	test.each([
		['as an option of a new node', {}, { options: { idempotencyKey: '={{ $json.email }}' } }],
		['as the field of an older one', { typeVersion: 1 }, { idempotencyKey: '={{ $json.email }}' }],
	])('%s, it skips what was sent before', async (_title, settings, key) => {
		service.behave(({ method }) =>
			method === 'GET'
				? { body: { customer: { id: '1', externalId: 'crm-1' } } }
				: { body: { customer: { id: '1' } } },
		);
		const form = { ...upsert, fields: { firstName: '={{ $json.name }}' }, ...key };
		const first = await run('customer.upsert', form, { items: changed, settings });
		expect(first.items[0].json).toMatchObject({ action: 'updated' });
		const again = await run('customer.upsert', form, { items: changed, settings });
		expect(again.items[0].json).toMatchObject({ skipped: true, idempotencyKey: 'ada@example.com' });
	});

	test('every action node is new in the same version', () => {
		const versions = nodes
			.filter(({ resources }) => resources !== undefined)
			.map(({ description }) => newestVersion(description));
		expect(new Set(versions)).toEqual(new Set([1.1]));
	});
});
