// Customers found by what the API cannot search for: pages are looked through as they arrive.
import { told } from './host/host.cts';
import { run, sandboxFor } from './host/run.cts';

const sandbox = sandboxFor({ customers: 900 });

const find = async (filters: object, more: object = { returnAll: true }) =>
	await run(sandbox(), 'platformCustomers', 'customer.getAll', { filters, ...more });

const customers = () => sandbox().state.customers.customers.rows;
const idsOf = (rows: ReadonlyArray<{ id: string }>) => rows.map(({ id }) => id);

test('without a filter the list comes as it is, and no hint with it', async () => {
	const { items, hints } = await find({});
	expect(items).toHaveLength(900);
	expect(hints).toEqual([]);
});

test('one customer is found by email, whatever its case', async () => {
	const wanted = customers()[437];
	const { items, hints } = await find({ email: String(wanted.email).toUpperCase() });
	expect(idsOf(items.map(({ json }) => json as { id: string }))).toEqual([wanted.id]);
	expect(hints).toEqual(['900 customers were read, 1 matches.']);
});

test('a part of an email is no email', async () => {
	const { items } = await find({ email: String(customers()[437].email).slice(1) });
	expect(items).toEqual([]);
});

test('customers are found by tag', async () => {
	const { items } = await find({ tag: 'VIP' });
	const wanted = customers().filter(({ tags }) => tags.includes('vip'));
	expect(wanted.length).toBeGreaterThan(20);
	expect(items.map(({ json }) => json.id)).toEqual(idsOf(wanted));
});

test('customers are found by a part of the company name', async () => {
	const { company_name = '' } = customers().find((each) => each.company_name) ?? {};
	const part = company_name.slice(2, 7).toLowerCase();
	const { items } = await find({ company: part });
	const wanted = customers().filter((each) => each.company_name?.toLowerCase().includes(part));
	expect(items.map(({ json }) => json.id)).toEqual(idsOf(wanted));
});

test('text is looked for in every field', async () => {
	const [{ address }] = customers();
	const city = String(address?.city);
	const { items } = await find({ text: city.toLowerCase() });
	const wanted = customers().filter((each) => JSON.stringify(Object.values(each)).includes(city));
	expect(items.map(({ json }) => json.id)).toEqual(idsOf(wanted));
});

test('all filters count', async () => {
	const wanted = customers().find(({ tags }) => tags.includes('vip'));
	const { items } = await find({ tag: 'vip', email: wanted?.email });
	expect(items.map(({ json }) => json.id)).toEqual([wanted?.id]);
	const { items: none } = await find({ tag: 'trial', email: wanted?.email });
	expect(none).toEqual([]);
});

test('reading stops when there are enough', async () => {
	const { items, hints } = await find({ tag: 'vip' }, { limit: 3 });
	const wanted = customers().filter(({ tags }) => tags.includes('vip'));
	expect(items.map(({ json }) => json.id)).toEqual(idsOf(wanted.slice(0, 3)));
	expect(sandbox().requests.length).toBeLessThan(4);
	const read = sandbox().requests.length * 100;
	expect(hints).toEqual([
		`${read} customers were read, 3 match. Reading stopped at the limit, so there may be more.`,
	]);
});

test('the hint counts for all items together', async () => {
	const { hints } = await run(
		sandbox(),
		'platformCustomers',
		'customer.getAll',
		{ filters: { email: '={{ $json.email }}' }, returnAll: true },
		{ items: [{ email: customers()[1].email }, { email: customers()[2].email }] },
	);
	expect(hints).toEqual(['1800 customers were read, 2 match.']);
});

test('a fault while pages are looked through is the error of the item', async () => {
	sandbox().faults.add({ kind: 'status', status: 403, nth: { from: 2 } });
	const { error } = await find({ email: 'nobody@example.com' });
	expect(told(error)).toContain('customers:read');
});

test.each([
	['an empty text', ''],
	['a blank', ' '],
	['what an expression does not find', '={{ $json.nothing }}'],
	['an object', '={{ ({ a: 1 }) }}'],
])('%s is no filter, since it would match all', async (_what, email) => {
	const { error, items } = await find({ email });
	expect(error?.message).toContain('"Email" must not be empty');
	expect(items).toEqual([]);
	expect(sandbox().requests).toEqual([]);
});
