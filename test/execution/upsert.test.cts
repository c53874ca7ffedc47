// Create or Update of a customer by its external id, or by its email in the list of customers.
import { run, sandboxFor } from './host/run.cts';
import { Service } from './host/service.cts';

const sandbox = sandboxFor();
const upsert = async (externalId: string, form: object) =>
	await run(sandbox(), 'platformCustomers', 'customer.upsert', { externalId, ...form });
const named = (externalId: string) =>
	sandbox().state.customers.customers.rows.filter((customer) => customer.externalId === externalId);

test.each([
	// They share a lock.
	['of one key', () => sandbox().key, 0],
	// As in two processes. Both look the customer up before either creates it.
	['of two keys', () => sandbox().addKey(), 1],
])('two runs %s that race create one customer', async (what, otherKey, conflicts) => {
	sandbox().faults.add({ kind: 'delay', ms: 500, method: 'POST' });
	const email = `${what.length}@example.com`;
	const form = { externalId: what, email, fields: { address: { city: 'Bonn' } } };
	const runs = [sandbox().key, otherKey()].map(async (key) => {
		const api = { baseUrl: sandbox().baseUrl, key };
		return await run(api, 'platformCustomers', 'customer.upsert', form);
	});
	const actions = (await Promise.all(runs)).map(({ items }) => items[0].json.action);
	// Both have the same values.
	expect(actions.sort()).toEqual(['created', 'unchanged']);
	expect(named(what)).toHaveLength(1);
	expect(sandbox().requests.filter(({ status }) => status === 409)).toHaveLength(conflicts);
});

test('an external ID in another case is another customer', async () => {
	const [one, other] = ['order-A', 'Order-a'];
	const items = [one, other].map((id) => ({ id }));
	const form = {
		externalId: '={{ $json.id }}',
		email: '={{ $json.id }}.{{ $itemIndex }}@x.example',
	};
	const result = await run(sandbox(), 'platformCustomers', 'customer.upsert', form, { items });
	expect(result.items.map(({ json }) => json.action)).toEqual(['created', 'created']);
	expect([named(one).length, named(other).length]).toEqual([1, 1]);
	// A service that looks up whatever the case.
	const found = { status: 200, body: { id: 'cus-7', externalId: one } };
	sandbox().faults.add({ kind: 'status', ...found, path: '/customers/customer.json' });
	const { error } = await upsert(other, { fields: { lastName: 'B' } });
	expect(error?.message).toContain('returned a different record (ID cus-7)');
});

describe('by email', () => {
	const byEmail = async (emails: string[]) => {
		const form = {
			matchBy: 'email',
			email: '={{ $json.email }}',
			fields: { companyName: '=Company {{ $json.n }}' },
		};
		const items = emails.map((email, n) => ({ email, n }));
		return await run(sandbox(), 'platformCustomers', 'customer.upsert', form, { items });
	};
	const withEmail = (email: string) =>
		sandbox().state.customers.customers.rows.filter((customer) => customer.email === email);
	const lists = () =>
		sandbox().requests.filter(
			({ method, path }) => method === 'GET' && path.startsWith('/customers.json'),
		);

	test('items read the list once, create what is not there and update what is', async () => {
		const before = sandbox().state.customers.customers.rows.map(({ email }) => String(email));
		await byEmail([before[0]]);
		const once = lists().length;
		sandbox().clearRequests();
		const known = before.slice(0, 5).map((email) => email.toUpperCase());
		const others = Array.from({ length: 20 }, (_each, n) => `new-${n}@example.com`);
		const { items } = await byEmail([...known, ...others]);
		expect(items.map(({ json }) => json.action)).toEqual([
			// The first one was given this name before.
			'unchanged',
			...Array(4).fill('updated'),
			...Array(20).fill('created'),
		]);
		expect(lists()).toHaveLength(once);
		expect(withEmail(before[0])[0].company_name).toBe('Company 0');
	});

	test('two runs that race create one customer', async () => {
		sandbox().faults.add({ kind: 'delay', ms: 150, path: '/customers.json' });
		const races = [byEmail(['race-by@example.com']), byEmail(['race-by@example.com'])];
		const results = await Promise.all(races);
		expect(results.map(({ items }) => items[0].json.action).sort()).toEqual([
			'created',
			'unchanged',
		]);
		expect(withEmail('race-by@example.com')).toHaveLength(1);
	});
});

describe('by email, a service of its own kind', () => {
	const service = Service.forFile();
	const email = 'a@example.com';

	const row = (id: string) => ({ id, email });
	const twoItems = { items: [{}, {}], settings: { onError: 'continueRegularOutput' as const } };
	const lost = { status: 502, body: { error: 'Bad gateway' } };

	test.each([
		['several customers', [row('1'), row('2')], undefined, '2 records have the email', 0],
		['a create that may have gone through', [], lost, 'Check before you run it again', 1],
		['a create that was refused', [], { status: 422, body: { error: 'No' } }, 'No', 2],
		[
			'an external ID that is taken',
			[],
			{ status: 409, body: { error: 'A customer already exists with this email' } },
			'A customer already exists',
			2,
		],
	] as const)('%s', async (_what, elements, reply, says, posts) => {
		service.behave(({ method }) =>
			method === 'GET' ? { body: { count: elements.length, elements } } : reply,
		);
		const form = { matchBy: 'email', email, fields: {} };
		const { items } = await run(service, 'platformCustomers', 'customer.upsert', form, twoItems);
		expect(items[1].json.error).toContain(says);
		expect(service.sent('POST')).toHaveLength(posts);
	});

	test.each([
		['one customer', ['7'], { id: '7' }],
		['none', [], { error: expect.stringContaining('belongs to no customer: A@EXAMPLE.COM') }],
		['several', ['7', '8'], { error: expect.stringContaining('2 records have the email') }],
	])('Get by Email of %s', async (_what, ids, expected) => {
		service.behave(({ path }) => {
			if (path.startsWith('/customers/7.json')) return { body: row('7') };
			return { body: { count: ids.length + 1, elements: [...ids.map(row), { id: '9' }] } };
		});
		for (const readWhole of [false, true]) {
			const form = { email: email.toUpperCase(), readWhole };
			const result = await run(service, 'platformCustomers', 'customer.getByEmail', form, twoItems);
			expect(result.items.map(({ json }) => json)).toMatchObject([expected, expected]);
			const lists = service.received.filter(({ path }) => path.startsWith('/customers.json'));
			expect(lists).toHaveLength(1);
			// One more request for each item only if the user wants it.
			const reads = readWhole && ids.length === 1 ? 2 : 0;
			expect(service.received).toHaveLength(1 + reads);
			service.received.length = 0;
		}
	});
});

describe('on each way to match', () => {
	const service = Service.forFile();
	const taken = { status: 409, body: { error: 'A customer already exists with this email' } };

	/** Keys that are the same, and what the service has for one. */
	const ways = [
		{
			matchBy: 'email',
			keys: ['a@example.com', 'A@Example.COM', 'a@EXAMPLE.com'],
			found: (rows: object[]) => ({ body: { count: rows.length, elements: rows } }),
		},
		{
			matchBy: 'externalId',
			keys: ['7', 7, '7'],
			found: ([row]: object[]) =>
				row ? { body: row } : { status: 404, body: { error: 'This customer does not exist' } },
		},
	];
	const row = { id: 'cus-1', email: 'A@example.com', externalId: '7', external_id: '7' };

	const upserted = async (matchBy: string, keys: unknown[]) => {
		const form = {
			matchBy,
			email: matchBy === 'email' ? '={{ $json.key }}' : 'a@example.com',
			...(matchBy === 'externalId' && { externalId: '={{ $json.key }}' }),
			fields: { lastName: '={{ $json.name }}' },
		};
		const items = keys.map((key, n) => ({ key, name: `N${n}` })) as never;
		const settings = { onError: 'continueRegularOutput' as const };
		const result = await run(service, 'platformCustomers', 'customer.upsert', form, {
			items,
			settings,
		});
		const writes = service.sent().filter(({ method }) => method !== 'GET');
		return {
			...result,
			writes: writes.map(({ method, path }) => `${method} ${path.split('?')[0]}`),
		};
	};

	test.each(ways)(
		'$matchBy: spellings of one key make one record',
		async ({ matchBy, keys, found }) => {
			let made: object[] = [];
			service.behave(({ method }) => {
				if (method === 'GET') return found(made);
				if (method === 'POST') made = [row];
				return { body: { customer: row } };
			});
			const { writes } = await upserted(matchBy, keys);
			expect(writes).toEqual([
				'POST /customers.json',
				'PUT /customers/cus-1.json',
				'PUT /customers/cus-1.json',
			]);
		},
	);

	test.each(ways)(
		'$matchBy: a record that another process has made is looked for again, and updated',
		async ({ matchBy, keys, found }) => {
			let made: object[] = [];
			service.behave(({ method }) => {
				if (method === 'GET') return found(made);
				if (method === 'PUT') return { body: { customer: row } };
				made = [row];
				return taken;
			});
			const { items, writes } = await upserted(matchBy, keys.slice(0, 1));
			expect(items.map(({ json }) => [json.id, json.action])).toEqual([['cus-1', 'updated']]);
			expect(writes).toEqual(['POST /customers.json', 'PUT /customers/cus-1.json']);
		},
	);

	test.each(ways)(
		'$matchBy: a conflict about another value is that of the API',
		async ({ matchBy, keys, found }) => {
			service.behave(({ method }) => (method === 'GET' ? found([]) : taken));
			const { items, writes } = await upserted(matchBy, keys.slice(0, 1));
			expect(items[0].json.error).toContain('A customer already exists with this email');
			expect(writes).toEqual(['POST /customers.json']);
		},
	);
});

test('a row whose two emails differ stops the run before the first write', async () => {
	const items = ['a@example.com', 'b@example.com'].map((email) => ({ email }));
	const form = {
		matchBy: 'email',
		email: '={{ $json.email }}',
		fields: { further: `={{ { email: $itemIndex === 1 ? 'c@example.com' : $json.email } }}` },
	};
	const { error } = await run(sandbox(), 'platformCustomers', 'customer.upsert', form, { items });
	expect(error?.message).toContain('"Email" must be the same as the email in the other fields');
	expect(sandbox().requests).toEqual([]);
});
