// A list in slices (Skip), and rows with the fields that are wanted only (Output Fields).
import { isPaged } from '../../dist/nodes/engine/client/list/rows.js';
import { shapeOf, table } from '../table/operations.cts';
import { listServiceFor, numbered } from './host/listService.cts';
import { packageNodes } from './host/package.cts';
import { byId, run, sandboxFor } from './host/run.cts';

const sandbox = sandboxFor({ customers: 350 });
const service = listServiceFor();
const rows = () => sandbox().state.customers.customers.rows;
const ids = (from: number, to?: number) =>
	rows()
		.slice(from, to)
		.map(({ id }) => id);
const asked = () =>
	sandbox().requests.map(({ path }) => {
		const query = new URLSearchParams(path.split('?')[1]);
		return `${query.get('page')}x${query.get('size')}`;
	});
const getAll = async (parameters: object, options: object = {}) =>
	await run(sandbox(), 'platformCustomers', 'customer.getAll', { ...parameters }, options);

/** Reads a slice of the list that the service has. */
const readSlice = async (skip: number, limit: number) =>
	await run(service(), 'platformCustomers', 'customer.getAll', { limit, options: { skip } });

/** Expects the rows behind Skip of so many numbered ones. */
async function expectSlice(length: number, skip: number, limit: number) {
	const { items, error } = await readSlice(skip, limit);
	expect(error).toBeUndefined();
	const right = numbered(length, 1, length).slice(skip, skip + limit);
	expect([skip, items.map(({ json }) => json.id)]).toEqual([skip, right.map(({ id }) => id)]);
}

describe('Skip', () => {
	// Skip, Limit (all without one), and the pages that are asked for, with their sizes.
	test.each<[string, unknown, number | undefined, string]>([
		['none', 0, 5, '1x5'],
		['less than a page', 3, 5, '1x8'],
		['two and a half pages', 250, 50, '3x100'],
		['and a limit over the end of a page', 150, 100, '2x100 3x100'],
		['all of the rest', 250, undefined, '3x100 4x100'],
		// A short page may be the last one, or one of many that the service cut: the first page tells.
		['to the last row', 349, 50, '4x100 1x100'],
		['exactly to the end', 350, 50, '4x100 1x100'],
		['past the end', 5000, 50, '51x100 1x100'],
		['as an expression', '={{ 1000 / 10 }}', 10, '2x100'],
	])('%s: no page that is not needed', async (_what, skip, limit, pages) => {
		const all = limit === undefined;
		const { items, hints, error } = await getAll({ returnAll: all, limit, options: { skip } });
		expect(error).toBeUndefined();
		const from = typeof skip === 'number' ? skip : 100;
		expect(items.map(({ json }) => json.id)).toEqual(ids(from, all ? undefined : from + limit));
		expect(asked()).toEqual(pages.split(' '));
		expect(hints).toEqual([]);
	});

	test.each([-1, 1.5, 'many'])('%j is refused', async (skip) => {
		const { error } = await getAll({ limit: 5, options: { skip } });
		expect(error?.message).toContain('"Options: Skip"');
		expect(asked()).toEqual([]);
	});

	test('slices of several items together are the list', async () => {
		const slices = [0, 100, 200, 300].map((skip) => ({ skip }));
		const form = { limit: 100, options: { skip: '={{ $json.skip }}' } };
		const { items } = await getAll(form, { items: slices });
		expect(items.map(({ json }) => json.id)).toEqual(ids(0));
		// The last one is short: the first page is looked at for its size.
		expect(asked()).toHaveLength(5);
	});

	test('tells of rows that are missing behind it', async () => {
		sandbox().faults.add({ kind: 'shrink', rows: 100, nth: { from: 2 } });
		const { hints } = await getAll({ returnAll: true, options: { skip: 100 } });
		expect(hints.join()).toMatch(/got shorter|announced 350 rows but returned/);
	});

	test('is offered where pages can be asked for, and only there', () => {
		for (const { title, node, resource, operation } of table) {
			const shape = shapeOf(operation);
			if (operation.run || shape.kind === 'one' || shape.kind === 'binary') continue;
			const offered = packageNodes()[node].description.properties.some(
				({ name: field, displayOptions, options = [] }) =>
					field === 'options' &&
					options.some((option) => option.name === 'skip') &&
					displayOptions?.show?.resource?.includes(resource.value) &&
					displayOptions.show.operation?.includes(operation.value),
			);
			expect([title, offered]).toEqual([title, isPaged(shape)]);
		}
	});

	describe('where pages are of another size than asked for', () => {
		/** A list of numbered rows, `size` a page whatever is asked for. */
		const serve = (length: number, size: number | undefined, says: Array<'count' | 'pages'>) =>
			service().serve((page, wanted = 25) => {
				const real = size ?? wanted;
				const elements = numbered(length, page, real);
				return {
					body: {
						elements,
						...(says.includes('count') ? { count: length } : {}),
						...(says.includes('pages') ? { pages: { max: Math.ceil(length / real) } } : {}),
					},
				};
			});

		// Rows of the list, Skip, Limit.
		const slices = [
			[260, 50, 100],
			[260, 99, 100],
			[260, 250, 100],
			[260, 1000, 100],
			[150, 150, 30],
			[40, 50, 10],
		];
		describe.each([
			['as asked', undefined],
			['smaller', 50],
			['larger', 200],
			['odd', 30],
		])('%s', (_size, size) => {
			test.each<[string, Array<'count' | 'pages'>]>([
				['a total', ['count']],
				['a last page', ['pages']],
				['no end', []],
			])('and %s is announced', async (_what, says) => {
				for (const [length, skip, limit] of slices) {
					serve(length, size, says);
					await expectSlice(length, skip, limit);
				}
			});
		});

		test('the size is looked up once, and only where it can be another one', async () => {
			const pagesOf = async (skip: number, limit: number) => {
				await readSlice(skip, limit);
				return service().pages;
			};
			serve(1000, 50, ['count']);
			// The third page is too short: the first one shows how long pages are.
			expect(await pagesOf(250, 100)).toEqual([3, 1, 6, 7]);
			serve(1000, undefined, []);
			// Nothing announces the page: it may be the last one, sent for all behind it.
			expect(await pagesOf(250, 50)).toEqual([3, 2]);
			serve(260, 50, []);
			// The end of the list: its last page is short, too.
			expect(await pagesOf(250, 10)).toEqual([3, 1, 6, 5]);
			serve(260, 200, []);
			expect(await pagesOf(150, 10)).toEqual([2, 1]);
		});

		test('a first page whose length changes is looked at once', async () => {
			let length = 40;
			service().serve((page) => {
				if (service().pages.length > 20) return { status: 403, body: { error: 'Endless' } };
				return { body: { elements: numbered(10_000, page, page === 1 ? length++ : 30) } };
			});
			expect((await readSlice(250, 10)).items).not.toEqual([]);
		});
	});
});

describe('a service that refuses pages behind its end', () => {
	/** Numbered rows in pages of 50 at most, and what it says where there are none. */
	const serve = (length: number, refusal: { status: number; error: string }, beside: object) =>
		service().serve((page, wanted = 25) => {
			const size = Math.min(50, wanted);
			const elements = numbered(length, page, size);
			const { status, error } = refusal;
			if (elements.length === 0 && page > 1) return { status, body: { error } };
			return { body: { elements, ...beside } };
		});

	describe.each([
		{ status: 400, error: 'Invalid page' },
		{ status: 422, error: 'page: out of range' },
		{ status: 200, error: 'Invalid page' },
		{ status: 404, error: 'Page not found' },
	])('$status $error', (refusal) => {
		test('Skip past what it announces is no error and no row', async () => {
			for (const beside of [{ count: 200 }, { pages: { max: 4 } }]) {
				serve(200, refusal, beside);
				for (const skip of [150, 200, 260]) {
					const { items, error, hints } = await readSlice(skip, 50);
					expect(error).toBeUndefined();
					expect(items).toHaveLength(skip === 150 ? 50 : 0);
					expect(hints).toEqual([]);
				}
			}
		});

		test('where nothing is announced, or more, the refusal is told', async () => {
			for (const beside of [{}, { count: 900 }]) {
				serve(200, refusal, beside);
				const { items, error, hints } = await readSlice(260, 50);
				expect(error).toBeUndefined();
				expect(items).toEqual([]);
				expect(hints.join()).toMatch(refusal.status === 404 ? /^$/ : /wasn't returned/);
			}
		});
	});

	test('a first page that is refused, and a refusal of the key, are errors', async () => {
		service().serve(() => ({ status: 400, body: { error: 'Invalid page' } }));
		expect((await readSlice(260, 50)).error?.message).toContain('Invalid page (HTTP 400)');
		serve(200, { status: 403, error: 'No' }, { count: 200 });
		expect((await readSlice(260, 50)).error?.message).toContain('No (HTTP 403)');
	});
});

describe('a service that sends its last page for all behind it', () => {
	/** Numbered rows in pages of `largest` at most, and what stands beside them. */
	const serve = (
		length: number,
		largest: number,
		beside: (page: number, wanted: number, rows: number) => object,
	) =>
		service().serve((page, wanted = 25) => {
			const size = Math.min(largest, wanted);
			const last = Math.max(1, Math.ceil(length / size));
			const elements = numbered(length, Math.min(page, last), size);
			return { body: { elements, ...beside(Math.min(page, last), wanted, elements.length) } };
		});

	const LENGTH = 260;

	describe.each<[string, (page: number, wanted: number, rows: number) => object]>([
		['nothing', () => ({})],
		['a total', () => ({ count: LENGTH })],
		['a total that is capped', () => ({ count: 100 })],
		['the rows of the page as total', (_page, _wanted, rows) => ({ count: rows })],
		['the last page', (page) => ({ pages: { current: page, max: 3 } })],
		[
			'a total, and the last page by the size asked for',
			(_page, wanted) => ({
				count: LENGTH,
				per_page: wanted,
				pages: { max: Math.ceil(LENGTH / wanted) },
			}),
		],
	])('and announces %s', (_what, beside) => {
		test.each([100, 50])('in pages of %d: Skip gives the rows behind, or none', async (largest) => {
			for (const [length, skip] of [
				[LENGTH, 150],
				[LENGTH, 259],
				[LENGTH, 260],
				[LENGTH, 310],
				[300, 300],
			]) {
				serve(length, largest, beside);
				await expectSlice(length, skip, 100);
			}
		});
	});
});

describe('Output Fields', () => {
	const fields = async (outputFields: unknown, parameters: object = { limit: 3 }) =>
		await getAll({ simplify: false, ...parameters, options: { outputFields } });

	test.each<[string, unknown, (row: { id: string; address: { city: string } }) => object]>([
		['one', 'id', ({ id }) => ({ id })],
		[
			'nested ones, in their order',
			' address.city , id ',
			({ id, address }) => ({ address: { city: address.city }, id }),
		],
		['a whole object', 'address.city, address', ({ address }) => ({ address })],
		['a whole object and a part of it', 'address, address.city', ({ address }) => ({ address })],
		['a list, from an expression', "={{ ['id'] }}", ({ id }) => ({ id })],
	])('%s', async (_what, names, cut) => {
		const whole = await getAll({ simplify: false, limit: 3 });
		const { items, hints } = await fields(names);
		const wanted = whole.items.map(({ json }) => cut(json as never));
		expect(items.map(({ json }) => json)).toEqual(wanted);
		expect(JSON.stringify(items.map(({ json }) => json))).toBe(JSON.stringify(wanted));
		expect(hints).toEqual([]);
	});

	test('what no item has is told, and what one has not is left out', async () => {
		const { items, hints } = await fields('id, adress.city, toString');
		expect(items.map(({ json }) => Object.keys(json))).toEqual([['id'], ['id'], ['id']]);
		expect(hints).toEqual(['Output Fields: no item has adress, toString.']);
	});

	test.each(['a..b', '.id', 'id.'])('%j is no name', async (names) => {
		const { error } = await fields(names);
		expect(error?.message).toContain('Output Fields');
		expect(asked()).toEqual([]);
	});

	/** Reads two pages, of which the second has the ID of a row of the first. */
	const readShared = async (one: object, other: object, options: object) => {
		const pages = [
			[{ id: 'a' }, { id: 'b', ...one }],
			[{ id: 'c' }, { id: 'b', ...other }],
		];
		service().serve((page) => ({ body: { count: 4, elements: pages[page - 1] ?? [] } }));
		const form = { returnAll: true, options };
		return await run(service(), 'platformCustomers', 'customer.getAll', form);
	};

	test('rows that share an ID and differ are rows, also where they differ in what is cut away', async () => {
		const { items, hints } = await readShared({ note: 1 }, { note: 2 }, { outputFields: 'id' });
		expect(items).toHaveLength(4);
		expect(hints.join()).toContain('have the same ID');
	});

	test('rows that share an ID and are equal after Simplify are one', async () => {
		const { items, hints } = await readShared({ changedAt: 1 }, { changedAt: 2 }, {});
		expect(items).toHaveLength(3);
		expect(hints.join()).toContain('1 duplicate rows were left out');
	});

	test('rows that come a second time are known although their id is cut away', async () => {
		sandbox().faults.add({ kind: 'insert', rows: 7, nth: { from: 2 } });
		const { items, hints } = await fields('email', { returnAll: true });
		const whole = new Set(rows().map(({ email }) => email));
		expect(new Set(items.map(({ json }) => json.email))).toEqual(whole);
		expect(items.length).toBeLessThanOrEqual(rows().length + 7);
		expect(hints.join()).toContain('7 duplicate rows');
	});

	test('of one object', async () => {
		const [first] = rows();
		const { items } = await run(sandbox(), 'platformCustomers', 'customer.get', {
			customerId: byId(first.id),
			options: { outputFields: 'id, email' },
		});
		expect(items.map(({ json }) => json)).toEqual([{ id: first.id, email: first.email }]);
	});

	describe('of a write', () => {
		/** Creates customers, of whom the last one is refused. */
		const create = async (count: number, settings: object = {}) => {
			const items = Array.from({ length: count }, (_each, n) => ({
				email: `${n}@${count}.example`,
			}));
			const body = { error: 'Not this one' };
			const nth = { from: count };
			sandbox().faults.add({ kind: 'status', status: 400, body, method: 'POST', nth });
			const form = {
				email: '={{ $json.email }}',
				options: { outputFields: 'no_such_field' },
				requests: { maxParallel: 1 },
			};
			return await run(sandbox(), 'platformCustomers', 'customer.create', form, {
				items,
				settings,
			});
		};

		test('an error still names the IDs of what was done', async () => {
			const { error } = await create(3);
			expect(error?.message).toMatch(
				/Already done, but not in the output: rows 1 \(ID \S+\), 2 \(ID \S+\)\. n8n's Retry/,
			);
		});

		test('error items stay whole', async () => {
			const { items } = await create(2, { onError: 'continueRegularOutput' });
			expect(items[0].json).toEqual({});
			expect(items[1].json).toEqual({
				error: expect.stringContaining('Not this one'),
				details: expect.anything(),
			});
		});
	});

	test('a name applies to each entry of a list, also of a list in a list', async () => {
		service().serve(() => ({
			body: {
				elements: [
					{ id: '1', tags: [{ name: 'a', kind: 'x' }, 'text', [{ name: 'b' }]], other: 1 },
					{ id: '2', tags: [] },
					{ id: '3', tags: 'none' },
				],
				count: 3,
			},
		}));
		const { items } = await run(service(), 'platformCustomers', 'customer.getAll', {
			returnAll: true,
			options: { outputFields: 'id, tags.name' },
		});
		expect(items.map(({ json }) => json)).toEqual([
			{ id: '1', tags: [{ name: 'a' }, [{ name: 'b' }]] },
			{ id: '2', tags: [] },
			{ id: '3' },
		]);
	});
});
