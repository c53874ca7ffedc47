// Rows found by what the API cannot search for: pages are looked through as they arrive.
import type { IDataObject } from 'n8n-workflow';
import { existingForm, keyOf } from '../table/existing.cts';
import { table } from '../table/operations.cts';
import { pageOf } from '../table/pages.cts';
import { listServiceFor } from './host/listService.cts';
import { byId, run, sandboxFor } from './host/run.cts';

const sandbox = sandboxFor({ customers: 400 });
const service = listServiceFor();

const find = async (filters: object, more: object = { returnAll: true }) =>
	await run(sandbox(), 'platformCustomers', 'customer.getAll', { filters, ...more });

const customers = () => sandbox().state.customers.customers.rows;
const idsOf = (rows: ReadonlyArray<{ id: string }>) => rows.map(({ id }) => id);

test.each<[string, boolean, object, string[]]>([
	['no row has tags', true, { tag: 'vip' }, ["No row has tags, so the filter Tag can't match."]],
	['no row has tags, and nobody asks for them', true, { company: 'a' }, []],
	['rows have tags', false, { tag: 'none of these' }, []],
])('%s: a hint says so or not', async (_what, lacks, filters, says) => {
	if (lacks) {
		const elements = customers().map(({ tags: _tags, ...row }) => row);
		const body = { count: 3, elements: elements.slice(0, 3) };
		sandbox().faults.add({ kind: 'status', status: 200, body, path: '/customers.json' });
	}
	const { items, hints } = await find(filters);
	expect(hints.filter((hint) => hint.includes('No row has tags'))).toEqual(
		says.map((text) => expect.stringContaining(text)),
	);
	if ('tag' in filters) expect(items).toEqual([]);
});

test('a row with two values that match is found once', async () => {
	const [first] = customers() as unknown as Array<{ tags: string[] }>;
	const before = first.tags;
	first.tags = ['Twice', 'twice'];
	const { items } = await find({ tag: 'twice' });
	first.tags = before;
	expect(items).toHaveLength(1);
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

test('rows that a list lacks are only told if fewer match than are wanted', async () => {
	const rows = Array.from({ length: 150 }, (_each, id) => ({ id, tags: id < 100 ? [] : ['vip'] }));
	service().serve((page) => ({
		body: { count: 300, elements: rows.slice(page * 100 - 100, page * 100) },
	}));
	const hintsFor = async (limit: number) => {
		const form = { filters: { tag: 'vip' }, limit };
		return (await run(service(), 'platformCustomers', 'customer.getAll', form)).hints;
	};
	const lacks = 'The API announced 300 rows but returned 150';
	expect((await hintsFor(49)).join()).not.toContain(lacks);
	expect((await hintsFor(2)).join()).not.toContain(lacks);
	expect((await hintsFor(51)).join()).toContain(lacks);
});

describe('several items look something up in one list', () => {
	const lookUp = async (
		filters: object,
		items: IDataObject[],
		more: object = { returnAll: true },
		settings: object = {},
	) => {
		const form = { filters, ...more };
		return await run(sandbox(), 'platformCustomers', 'customer.getAll', form, { items, settings });
	};
	const goesOn = { onError: 'continueRegularOutput' };
	const emails = (indexes: number[]) =>
		indexes.map((index) => ({ email: customers()[index].email }));

	/** Hints of items that search by these tags, while the rows have others. */
	const hintsOfTags = async (
		tagsOf: (index: number) => string[] | undefined,
		wanted: string[],
		more: object,
	) => {
		const rows = customers() as unknown as Array<{ tags?: string[] }>;
		const before = rows.map(({ tags }) => tags);
		for (const [index, row] of rows.entries()) row.tags = tagsOf(index);
		const items = wanted.map((tag) => ({ tag }));
		const { hints } = await lookUp({ tag: '={{ $json.tag }}' }, items, { limit: 1, ...more });
		for (const [index, row] of rows.entries()) row.tags = before[index];
		return hints.join();
	};

	test('which of them reads a page makes no difference to what is said about its rows', async () => {
		const tagsOf = (index: number) => (index < 100 ? (index === 7 ? ['one'] : []) : undefined);
		const one = { requests: { maxParallel: 1 } };
		expect(await hintsOfTags(tagsOf, ['one', 'none of these'], one)).not.toContain('No row has');
	});

	test('whoever of them reads it, they say that no row has a field', async () => {
		const hints = await hintsOfTags(() => undefined, ['one', 'one', 'one', 'one'], {});
		expect(hints).toContain('No row has tags');
	});

	test('it is read once, however many they are, and each gets its own rows', async () => {
		// The first is wanted twice.
		const wanted = [...Array.from({ length: 130 }, (_each, n) => 3 * n), 0];
		const { items, hints } = await lookUp({ email: '={{ $json.email }}' }, emails(wanted));
		expect(items.map(({ json }) => json.id)).toEqual(wanted.map((n) => customers()[n].id));
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			wanted.map((_each, item) => ({ item })),
		);
		expect(items[0].json).toEqual(items[130].json);
		expect(items[0].json).not.toBe(items[130].json);
		expect(items[0].json.tags).not.toBe(items[130].json.tags);
		// Four pages, and one behind the last, which is full.
		expect(sandbox().requests).toHaveLength(5);
		expect(hints).toEqual(['400 customers were read, 131 match.']);
	});

	test('also by parts of a text, by tag, and by several filters', async () => {
		const some = customers()
			.filter((each) => each.company_name)
			.slice(40, 60);
		const items = some.map(({ company_name: value, tags }) => ({ value, tag: tags[0] ?? 'vip' }));
		const filters = { company: '={{ $json.value }}', tag: '={{ $json.tag }}' };
		const result = await lookUp(filters, items as IDataObject[]);
		const right = items.flatMap(({ value, tag }) =>
			customers().filter(
				({ tags, company_name: name }) =>
					tags.includes(tag) && String(name).toLowerCase().includes(String(value).toLowerCase()),
			),
		);
		expect(result.items.map(({ json }) => json.id)).toEqual(idsOf(right));
		expect(sandbox().requests).toHaveLength(5);
	});

	test('a hint names the items without a match', async () => {
		const items = [...emails([5]), { email: 'a@nowhere.example' }, { email: 'b@nowhere.example' }];
		const { hints } = await lookUp({ email: '={{ $json.email }}' }, items);
		expect(hints).toEqual([
			'400 customers were read, 1 matches. Nothing matches for items 1, 2 (the first is 0).',
		]);
	});

	test('with a limit, pages are read until all have enough', async () => {
		const wanted = [1, 150, 42];
		const byEmail = { email: '={{ $json.email }}' };
		const { items, hints } = await lookUp(byEmail, emails(wanted), { limit: 1 });
		expect(items.map(({ json }) => json.id)).toEqual(wanted.map((n) => customers()[n].id));
		expect(sandbox().requests.length).toBeLessThan(5);
		expect(hints.join()).toMatch(
			/^\d00 customers were read, 3 match\. Reading stopped at the limit/,
		);
	});

	test('a list without a filter is read once, too', async () => {
		const form = { limit: 120, options: { outputFields: 'id, city' } };
		const { items } = await lookUp({}, [{}, {}, {}, {}], form);
		expect(items).toHaveLength(480);
		expect(items[0].json).toEqual(items[360].json);
		expect(Object.keys(items[479].json)).toEqual(['id', 'city']);
		expect(sandbox().requests).toHaveLength(2);
	});

	test('lists that items want in turn are read once each', async () => {
		const ids = idsOf(customers().slice(0, 8));
		const items = Array.from({ length: 40 }, (_each, n) => ({ id: ids[n % ids.length] }));
		const form = { customerId: byId('={{ $json.id }}'), returnAll: true };
		const { error } = await run(sandbox(), 'platformCustomers', 'subscription.getAll', form, {
			items,
		});
		expect(error).toBeUndefined();
		expect(sandbox().requests).toHaveLength(ids.length);
	});

	test('a list that could not be read is read anew for the next item', async () => {
		sandbox().faults.add({ kind: 'status', status: 403, nth: { from: 1, to: 1 } });
		const form = { limit: 5, requests: { maxParallel: 1 } };
		const { items } = await lookUp({}, [{}, {}, {}], form, goesOn);
		expect(items[0].json.error).toContain('(HTTP 403)');
		expect(items.slice(1).map(({ json }) => json.id)).toEqual(
			[1, 2].flatMap(() => idsOf(customers().slice(0, 5))),
		);
		expect(sandbox().requests).toHaveLength(2);
	});

	test('one of a list that the API only lists is read once', async () => {
		const { rows } = sandbox().state.aiPrompts.prompts;
		const items = Array.from({ length: 20 }, (_each, n) => ({ name: rows[n % rows.length].name }));
		const form = { promptId: byId('={{ $json.name }}') };
		const result = await run(sandbox(), 'platformAiGateway', 'prompt.get', form, { items });
		expect(result.error).toBeUndefined();
		expect(result.items.map(({ json }) => json.name)).toEqual(items.map(({ name }) => name));
		expect(result.items[0].json).not.toBe(result.items[rows.length].json);
		expect(sandbox().requests).toHaveLength(1);
	});

	test('a page that fails is the error of the items that wait for it, and is asked for anew', async () => {
		sandbox().faults.add({ kind: 'status', status: 403, nth: { from: 3, to: 3 } });
		const byEmail = { email: '={{ $json.email }}' };
		const form = { returnAll: true, requests: { maxParallel: 1 } };
		const { items, error } = await lookUp(byEmail, emails([1, 399]), form, goesOn);
		expect(error).toBeUndefined();
		expect(items[0].json.error).toContain('(HTTP 403)');
		expect(items[1].json.id).toBe(customers()[399].id);
		expect(sandbox().requests).toHaveLength(6);
	});

	test('an error of the list names none of them', async () => {
		sandbox().faults.add({ kind: 'status', status: 403, body: { error: 'no' } });
		const { items } = await lookUp({}, [{}, {}, {}], { returnAll: true }, goesOn);
		const described = items.map(({ json }) => (json.details as IDataObject).description);
		expect(described).toHaveLength(3);
		expect(String(described)).not.toMatch(/item \d/);
	});
});

test.each([
	['an empty text', '', 'must not be empty'],
	['a blank', ' ', 'must not be empty'],
	['what an expression does not find', '={{ $json.nothing }}', 'must not be empty'],
	['an object', '={{ ({ a: 1 }) }}', 'must be text (got {"a":1})'],
])('%s is no filter, since it would match all', async (_what, email, fault) => {
	const { error, items } = await find({ email });
	expect(error?.message).toContain(`"Email" ${fault}`);
	expect(items).toEqual([]);
	expect(sandbox().requests).toEqual([]);
});

test('a second filter that must be equal is more than contained', async () => {
	const { email, tags } = customers().find((each) => each.tags.includes('vip')) ?? {};
	expect((await find({ email, tag: 'vip' })).items).toHaveLength(1);
	expect(tags).not.toContain('vi');
	expect((await find({ email, tag: 'vi' })).items).toEqual([]);
});

const filtered = table.flatMap((entry) => {
	const { operation } = entry;
	const own = operation.fields?.find(({ name, send }) => name === 'filters' && send === false);
	return (own?.options ?? []).map(({ name }) => [keyOf(entry), name, entry] as const);
});

/** Fields of a row whose filter is called otherwise. */
const places: Record<string, string> = {
	company: 'company_name',
	event: 'events',
	tag: 'tags',
	text: 'email',
};

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

test.each(filtered)('%s keeps the rows that match: %s', async (_key, filter, entry) => {
	const place = places[filter] ?? snake(filter);
	const { node, resource, operation } = entry;
	const form = { ...existingForm(sandbox(), entry), returnAll: true };
	const key = `${resource.value}.${operation.value}`;
	const rowsOf = async (filters: object) => {
		const { items, error } = await run(sandbox(), node, key, { ...form, filters } as never);
		if (error) throw error;
		return items.map(({ json }) => json);
	};
	const all = await rowsOf({});
	const told = (row: IDataObject) => [row[place]].flat().map((each) => String(each).toLowerCase());
	const [value] = all.flatMap(told).slice(-1);
	const isPart = ['company', 'name', 'text', 'title'].includes(filter);
	const wanted = isPart ? value.slice(1, 4) : value.toUpperCase();
	const matching = all.filter((row) =>
		isPart && filter === 'text'
			? JSON.stringify(Object.values(row)).toLowerCase().includes(wanted)
			: told(row).some((each) => (isPart ? each.includes(wanted) : each === value)),
	);
	expect(matching).not.toEqual([]);
	expect(await rowsOf({ [filter]: wanted })).toEqual(matching);
});

test('which values there are is said if nothing matches, unless they identify a row', async () => {
	const list = async (filters: object, options = {}) =>
		await run(sandbox(), 'platformRecurringPayments', 'subscription.getAll', { filters, options });
	const { hints } = await list({ lastPaymentStatus: 'late' });
	expect(hints.join()).toContain('Last Payment Status is one of ');
	expect(hints.join()).toContain('failed');
	expect(hints.join()).not.toContain('others');
	expect((await list({ customerId: 'late' })).hints.join()).not.toContain('one of');
	const rowOf = (_each: unknown, id: number) => ({ id, last_payment_status: `s${id}` });
	const all = Array.from({ length: 30 }, rowOf);
	const body = pageOf('GET /recurring-payments/subscriptions.json', all) as object;
	sandbox().faults.add({ kind: 'status', status: 200, times: 1, body });
	const many = await list({ lastPaymentStatus: 'late' });
	expect(many.hints.join()).toMatch(/is one of s0, .*, s9 and others\./);
	expect((await list({ lastPaymentStatus: 'failed' })).hints.join()).not.toContain('one of');
	// All that match may have been skipped.
	const skipped = await list({ lastPaymentStatus: 'failed' }, { skip: 200 });
	expect(skipped.items).toEqual([]);
	expect(skipped.hints.join()).not.toContain('one of');
});
