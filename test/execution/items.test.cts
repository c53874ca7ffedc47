// Items in, items out: order, pairing, and what one failing item does to the others.
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { byId, run, sandboxFor } from './host/run.cts';

const sandbox = sandboxFor({ customers: 20, latencyMs: 2 });

const create = { email: '={{ $json.mail }}' };
const posts = () =>
	sandbox()
		.requests.filter(({ method }) => method === 'POST')
		.map(({ body }) => (body as { customer: { email: string } }).customer.email);

describe('three items of which the second is refused by the API', () => {
	const taken = () => String(sandbox().state.customers.customers.rows[0].email);
	const items = (tag: string) => [
		{ mail: `first.${tag}@example.com` },
		{ mail: taken() },
		{ mail: `third.${tag}@example.com` },
	];
	const mails = (tag: string) => items(tag).map(({ mail }) => mail);
	const createAll = async (
		tag: string,
		onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput',
	) =>
		await run(sandbox(), 'platformCustomers', 'customer.create', create, {
			items: items(tag),
			settings: { onError },
			then: '{{ $("Source").item.json.mail }}',
		});

	test('stop: the run ends with the error of item 1', async () => {
		const result = await createAll('stop', 'stopWorkflow');
		expect(result.items).toEqual([]);
		expect(result.error?.message).toContain('A customer already exists with this email (HTTP 409)');
		expect(result.error?.context?.itemIndex).toBe(1);
		expect(new Set(posts()).size).toBe(posts().length);
	});

	test('continue: three items, the second an error, each paired with its own input', async () => {
		const result = await createAll('continue', 'continueRegularOutput');
		expect(result.error).toBeUndefined();
		const errors = result.items.map(({ json }) => typeof json.error);
		expect(errors).toEqual(['undefined', 'string', 'undefined']);
		const pairs = result.items.map(({ pairedItem }) => pairedItem);
		expect(pairs).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
		expect(result.then).toEqual(mails('continue'));
		expect(posts().sort()).toEqual(mails('continue').sort());
	});

	test('continue with error output: two items there, one here, nothing sent twice', async () => {
		const result = await createAll('output', 'continueErrorOutput');
		expect(result.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
		expect(result.then).toEqual([mails('output')[0], mails('output')[2]]);
		expect(result.errors).toHaveLength(1);
		expect(result.errors[0].pairedItem).toEqual({ item: 1 });
		expect(result.errors[0].json).toMatchObject({
			mail: taken(),
			error: expect.stringContaining('A customer already exists with this email'),
			details: { httpCode: '409' },
		});
		expect(posts().sort()).toEqual(mails('output').sort());
	});
});

test('a value that must not be sent is refused before any request, naming field and item', async () => {
	const result = await run(sandbox(), 'platformCustomers', 'customer.create', create, {
		items: ['one@example.com', 'not an address', 'three@example.com'].map((mail) => ({ mail })),
		settings: { onError: 'continueErrorOutput' },
	});
	expect(posts().sort()).toEqual(['one@example.com', 'three@example.com']);
	expect(result.errors[0].json.error).toBe(
		'"Email" must be an email address (got "not an address") [mail not an address, row 2 (item 1)]. Nothing was sent.',
	);
});

describe('an item in an error', () => {
	const get = { customerId: byId('={{ $json.customer }}') };
	const faultOf = async (
		parameters: INodeParameters,
		items: IDataObject[],
		operation = 'customer.get',
	) => {
		const settings = { onError: 'continueRegularOutput' } as const;
		const form = { items: [{ customer: 'cus-100001' }, ...items], settings };
		const { items: all } = await run(sandbox(), 'platformCustomers', operation, parameters, form);
		return all.at(-1)?.json.error;
	};

	test.each([
		['its first short text', { order: 'A-1043', note: 'x' }, 'order A-1043, row 2 (item 1)'],
		['not a long one', { text: 'x'.repeat(41), order: 'A-1043' }, 'order A-1043, row 2 (item 1)'],
		['a number that identifies it', { total: 3, orderNo: 1043 }, 'orderNo 1043, row 2 (item 1)'],
		[
			'not a secret',
			{ password: 'hunter2', apiKey: 'k', pin: '1234', name: 'Ada' },
			'name Ada, row 2 (item 1)',
		],
		['not a token', { value: 'sk_live_51HxYzAbCdEfGh' }, 'row 2 (item 1)'],
		['not a URL', { link: 'https://a.example/x?sig=1' }, 'row 2 (item 1)'],
		['not HTML', { body: '<b>Hi</b>' }, 'row 2 (item 1)'],
		['nothing without a text', { total: 3 }, 'row 2 (item 1)'],
	])('is named by its place and %s', async (_what, item, name) => {
		expect(await faultOf(get, [item])).toBe(
			`"Customer" must not be empty, and the expression {{ $json.customer }} gives nothing [${name}].`,
		);
	});

	test('is named by its count alone in a form with a secret', async () => {
		const connection = {
			name: '={{ $json.label }}',
			provider: 'openai',
			model: 'm',
			apiKey: '={{ $json.word }}',
		};
		const { error } = await run(sandbox(), 'platformAiGateway', 'connection.create', connection, {
			items: [{ word: 'open sesame' }, { word: 'hunter2' }],
		});
		expect(error?.message).toContain('must not be empty');
		expect(JSON.stringify(error)).not.toMatch(/open sesame|hunter2/);
	});

	test('an amount with a decimal comma: the error asks for a point', async () => {
		const services = { service: [{ name: 'Setup', amount: '={{ $json.amount }}' }] };
		const charge = { customerId: byId('cus-100001'), services };
		const fault = await faultOf(charge, [{ amount: '49,90' }], 'charge.create');
		expect(fault).toContain('Amount must be a number, with a point for the decimals (got "49,90")');
	});
});

test('an expression that fails belongs to its item', async () => {
	const result = await run(
		sandbox(),
		'platformCustomers',
		'customer.get',
		{ customerId: { __rl: true, mode: 'id', value: '={{ $json.id.toLowerCase() }}' } },
		{
			items: [{ id: sandbox().state.customers.customers.rows[3].id }, { other: 1 }],
			settings: { onError: 'continueErrorOutput' },
		},
	);
	expect(result.items).toHaveLength(1);
	expect(result.errors.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }]);
});

test('results keep the order of the input although later answers come first', async () => {
	const rows = sandbox().state.customers.customers.rows.slice(0, 15);
	// Every third answer is late, so the order of arrival is not the order of the input.
	sandbox().faults.add({ kind: 'delay', ms: 60, nth: [1, 4, 7, 10, 13] });
	const result = await run(
		sandbox(),
		'platformCustomers',
		'customer.get',
		{ customerId: byId('={{ $json.id }}') },
		{ items: rows.map(({ id }) => ({ id })), then: '{{ $("Source").item.json.id }}' },
	);
	expect(result.items.map(({ json }) => json.id)).toEqual(rows.map(({ id }) => id));
	expect(result.then).toEqual(rows.map(({ id }) => id));
});

test('rows of a list for several input items are paired with the item that they belong to', async () => {
	const owners = sandbox()
		.state.customers.customers.rows.filter(({ subscriptions }) => subscriptions.length > 0)
		.slice(0, 3);
	const result = await run(
		sandbox(),
		'platformCustomers',
		'subscription.getAll',
		{ customerId: byId('={{ $json.id }}'), returnAll: true },
		{ items: owners.map(({ id }) => ({ id })), then: '{{ $("Source").item.json.id }}' },
	);
	const expected = owners.flatMap(({ id, subscriptions }) => subscriptions.map(() => id));
	expect(result.then).toEqual(expected);
});

test.each([
	['charge.create', 1],
	['customer.update', 5],
])('%s sends at most %i at a time unless the user says otherwise', async (operation, most) => {
	sandbox().faults.add({ kind: 'delay', ms: 30 });
	const items = sandbox()
		.state.customers.customers.rows.slice(0, 10)
		.map(({ id }) => ({ id }));
	const parameters = {
		customerId: byId('={{ $json.id }}'),
		services: { service: [{ name: 'Setup', amount: 10 }] },
		updateFields: { lastName: 'Changed' },
	};
	await run(sandbox(), 'platformCustomers', operation, parameters, { items });
	const inFlight = sandbox().requests.map((request) => request.inFlight);
	expect(inFlight).toHaveLength(10);
	expect(Math.max(...inFlight)).toBe(most);
});

test('no input items: no output and no request', async () => {
	const result = await run(sandbox(), 'platformCustomers', 'customer.getAll', {}, { items: [] });
	expect(result.items).toEqual([]);
	expect(sandbox().requests).toEqual([]);
});

test('Retry On Fail of n8n sends the item that was refused again, and no other one', async () => {
	const blocked = sandbox().faults.add({
		kind: 'status',
		status: 400,
		body: { error: 'Not now' },
		path: '/customers.json',
		nth: 2,
	});
	const items = ['a', 'b', 'c'].map((name) => ({ mail: `retry.${name}@example.com` }));
	const form = { ...create, requests: { maxParallel: 1 } };
	const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 };
	const options = { items, settings };
	const result = await run(sandbox(), 'platformCustomers', 'customer.create', form, options);
	expect(blocked.hits).toBe(1);
	expect(result.error).toBeUndefined();
	expect(result.items).toHaveLength(3);
	expect(posts()).toEqual(['a', 'b', 'b', 'c'].map((name) => `retry.${name}@example.com`));
});
