// Lists as other services may send them: every list of the operation table, against a service that
// sends one in each of the shapes of test/table/listShapes.cts.
import type { Operation } from '../../nodes/shared/operation.ts';
import { forms } from '../table/forms.cts';
import { listShapes, ROWS } from '../table/listShapes.cts';
import { shapeOf, table, type TableEntry } from '../table/operations.cts';
import { runNode } from './host/host.cts';
import { bodyOf, listServiceFor, served } from './host/listService.cts';
import { credentialOf } from './host/run.cts';

const service = listServiceFor();

interface ReadList {
	entry: TableEntry;
	/** Where its rows stand; `''` for a bare array. */
	items: string;
	rows: unknown[];
	/** What a row becomes in the output. */
	json: (row: unknown) => unknown;
}

/** A list of the table that may have more than one page. */
function readListOf(entry: TableEntry): ReadList[] {
	const response = shapeOf(entry.operation);
	if ((response.kind !== 'list' && response.kind !== 'strings') || response.whole) return [];
	const numbers = Array.from({ length: ROWS }, (_each, n) => n + 1);
	if (response.kind === 'strings') {
		const json = (row: unknown) => ({ [response.as]: row });
		return [{ entry, items: response.items ?? '', rows: numbers.map((n) => `row-${n}`), json }];
	}
	const key = response.key ?? 'id';
	const rows = numbers.map((n) => ({ [key]: `row-${n}`, title: `Row ${n}` }));
	return [{ entry, items: response.items ?? 'elements', rows, json: (row) => row }];
}

const lists = table.filter(({ operation }) => operation.run === undefined).flatMap(readListOf);

async function readAll(
	{ node, resource, operation }: TableEntry,
	more: object = { returnAll: true },
) {
	const [form] = forms(operation as Operation);
	return await runNode({
		node,
		credential: credentialOf(service()),
		parameters: { ...form, resource: resource.value, operation: operation.value, ...more },
	});
}

test('there are lists of all kinds', () => {
	const pagings = lists.map(({ entry: { operation } }) => {
		const shape = shapeOf(operation);
		return shape.kind === 'list' ? (shape.paging ?? 'none') : 'texts';
	});
	expect(new Set(pagings)).toEqual(new Set(['paged', 'announced', 'none', 'texts']));
	expect(lists.length).toBeGreaterThan(20);
});

describe.each(lists.map((list) => [list.entry.title, list] as const))('%s', (_title, list) => {
	const { entry, items, rows, json } = list;
	const shapes = listShapes.filter(({ announces }) => !announces || items !== '');

	test.each(shapes.map((shape) => [shape.what, shape] as const))('%s', async (_what, shape) => {
		service().serve(served(shape, rows, items));
		const { items: output, error, hints } = await readAll(entry);
		expect(error).toBeUndefined();
		expect(output.map((each) => each.json)).toEqual(rows.slice(0, shape.delivers).map(json));
		if (shape.hint) expect(hints.join()).toMatch(shape.hint);
		else expect(hints).toEqual([]);
		expect(service().pages.length).toBeLessThanOrEqual(shape.requests);
	});

	test('a limit takes no page more than it needs', async () => {
		service().serve(served(listShapes[0], rows, items));
		const { items: output } = await readAll(entry, { returnAll: false, limit: 40 });
		expect(output.map((each) => each.json)).toEqual(rows.slice(0, 40).map(json));
		expect(service().pages).toEqual([1]);
	});

	test('a first page that is not found is an error', async () => {
		service().serve(() => ({ status: 404, body: { error: 'Not found' } }));
		const { error } = await readAll(entry);
		expect(error?.message).toContain('(HTTP 404)');
	});

	test('a page that fails is an error', async () => {
		service().serve((page) =>
			page === 1
				? { body: bodyOf(rows.slice(0, 50), items) }
				: { status: 403, body: { error: 'No' } },
		);
		const { error } = await readAll(entry);
		expect(error?.message).toContain('(HTTP 403)');
	});

	test('a second page that is refused is an error, or the end of a list without pages', async () => {
		const response = shapeOf(entry.operation);
		const paging = response.kind === 'list' ? (response.paging ?? 'none') : 'none';
		const envelope = { count: ROWS };
		service().serve((page) =>
			page === 1
				? { body: bodyOf(rows.slice(0, 50), items, envelope) }
				: { status: 400, body: { error: 'No page here' } },
		);
		const { items: output, error, hints } = await readAll(entry);
		if (paging === 'none') {
			expect(output).toHaveLength(50);
			const told = 'The API announced 120 rows but delivered 50.';
			expect(hints).toEqual(items === '' ? [] : [told]);
		} else expect(error?.message).toContain('(HTTP 400)');
	});

	if (items !== '') {
		test('an envelope without rows is empty; one that announces some, or something else, is an error', async () => {
			for (const body of [{}, { count: 0 }, { type: 'X' }, { entities: 'X', count: 0 }]) {
				service().serve(() => ({ body }));
				const empty = await readAll(entry);
				expect([empty.error, empty.items, empty.hints]).toEqual([undefined, [], []]);
			}
			for (const body of [{ count: 1 }, { entities: 'X', count: 3 }, { foo: 1 }]) {
				service().serve(() => ({ body }));
				const { error } = await readAll(entry);
				expect(error?.message).toContain('in an unexpected shape');
			}
		});
	}
});
<<<<<<< HEAD
=======

describe('odd rows', () => {
	const usage = lists.find(({ entry }) => entry.operation.value === 'getHistory') as ReadList;

	/** What comes of pages that are sent as they are, and of none behind them. */
	async function readPages(...pages: unknown[][]) {
		service.serve((page) => ({ body: { type: 'X', elements: pages[page - 1] ?? [] } }));
		const { items, error, hints } = await readAll(usage.entry);
		expect(error).toBeUndefined();
		return { rows: items.map(({ json }) => json), hints };
	}

	const row = (id: unknown, amount = 1) => ({ id, amount });
	const many = (from: number, to: number) =>
		Array.from({ length: to - from + 1 }, (_each, n) => row(`use-${from + n}`));

	test.each<[string, unknown[][]]>([
		[
			'rows without an id, some of them equal',
			[[{ a: 1 }, { a: 1 }], [{ a: 2 }, { a: 1 }], [{ a: 1 }]],
		],
		[
			'all rows with one id',
			[[row('s', 1), row('s', 2)], [row('s', 2), row('s', 3)], [row('s', 4)]],
		],
		[
			'ids 1 and "1"',
			[
				[row(1), row('1')],
				[row(2), row('2')],
			],
		],
		['a row listed twice on a page', [[row('a'), row('b'), row('a')], [row('c')]]],
		[
			'ids that are no ids',
			[
				[row(null), row(''), row({})],
				[row(false), row([])],
			],
		],
		[
			'one row that comes with another status',
			[
				[row('a'), row('b')],
				[row('c'), row('d')],
			],
		],
	])('%s: all are there, and there is nothing to tell', async (_what, pages) => {
		expect(await readPages(...pages)).toEqual({ rows: pages.flat(), hints: [] });
	});

	test('null and other values that are no rows', async () => {
		const { rows } = await readPages([null, row('a'), 5], ['text', row('b'), null]);
		expect(rows).toEqual([
			{ value: null },
			row('a'),
			{ value: 5 },
			{ value: 'text' },
			row('b'),
			{ value: null },
		]);
	});

	test('a row of an earlier page is left out, with a hint', async () => {
		const { rows, hints } = await readPages(many(1, 10), many(10, 19));
		expect(rows).toEqual(many(1, 19));
		expect(hints).toEqual(['1 duplicate rows were left out.']);
	});

	test('a row of an earlier page that has changed is there twice, with a hint', async () => {
		const { rows, hints } = await readPages(many(1, 10), [row('use-10', 2), ...many(11, 19)]);
		expect(rows).toEqual([...many(1, 10), row('use-10', 2), ...many(11, 19)]);
		expect(hints.join()).toMatch(/^1 rows have the same ID/);
	});

	test('a page that comes for ever with other times in it ends', async () => {
		let time = 0;
		service.serve(() => ({
			body: { elements: many(1, 7).map((each) => ({ ...each, time: time++ })) },
		}));
		const { items } = await readAll(usage.entry);
		expect(items).toHaveLength(7);
		expect(service.pages).toHaveLength(2);
	});

	test.each([
		['with a null in it', [null, ...many(1, 5)]],
		['of rows without ids', [{ a: 1 }, { a: 2 }]],
		['of rows with one id', [row('s', 1), row('s', 2)]],
	])('pages %s that come in turns end', async (_what, rows) => {
		service.serve((page) => ({ body: { elements: page % 2 === 1 ? rows : many(50, 55) } }));
		const { items } = await readAll(usage.entry);
		expect(items).toHaveLength(rows.length + 6);
	});
});

/** How the rows of a picker's list come. */
const shapeOfList = ({ route, shape }: PickerList) => shape ?? endpointOf(route);

/** Where they stand, `elements` where a list of texts is answered as it is. */
function itemsOf(list: PickerList): string {
	const shape = shapeOfList(list);
	return ('items' in shape && shape.items) || 'elements';
}

describe('pickers', () => {
	const names = Object.entries(pickerLists as Record<string, PickerList>).filter(
		([, list]) => !list.searchBody && shapeOfList(list).kind !== 'map',
	);
	const parents = {
		customerId: byId('1'),
		partnerId: byId('1'),
		workflowId: byId('1'),
		knowledgeBaseId: byId('1'),
	} as unknown as INodeParameters;

	/** All choices of a picker, scrolled to its end. */
	async function scroll(name: string, typed = '') {
		const values: unknown[] = [];
		const { node, chosen } = formOf(name);
		let token: string | undefined;
		do {
			const form = { ...chosen, ...parents };
			const found = await searchList(service, node, name, form, typed, token);
			values.push(...found.results.map(({ value }) => value));
			token = found.paginationToken as string | undefined;
		} while (token !== undefined && values.length < 1000);
		return values;
	}

	const rowsFor = ({ value = 'id' }: PickerList) =>
		Array.from({ length: ROWS }, (_each, n) => ({
			[value]: `row-${n + 1}`,
			purpose: 'embedding',
			name: `Row ${n + 1}`,
		}));

	describe.each(names)('%s', (name, list) => {
		const rows = rowsFor(list);
		const values = rows.map((row) => row[list.value ?? ('id' as keyof typeof row)]);

		test.each(listShapes.map((shape) => [shape.what, shape] as const))(
			'%s',
			async (_what, shape) => {
				service.serve(served(shape, rows, itemsOf(list)));
				expect(await scroll(name)).toEqual(values.slice(0, shape.delivers));
				if (list.searchParameter === undefined) {
					expect(await scroll(name, 'row-119')).toEqual(shape.delivers === ROWS ? ['row-119'] : []);
				}
			},
		);

		test('rows that are no choice are left out', async () => {
			const odd = [null, 5, [], {}, { [list.value ?? 'id']: null }, { [list.value ?? 'id']: {} }];
			service.serve(() => ({ body: bodyOf([...odd, rows[0], rows[0]], itemsOf(list)) }));
			expect(await scroll(name)).toEqual(['row-1']);
		});

		test('count 0 without rows is empty', async () => {
			service.serve(() => ({ body: { count: 0 } }));
			expect(await scroll(name)).toEqual([]);
		});
	});

	test('loaded options are the whole list', async () => {
		const rows = Array.from({ length: ROWS }, (_each, n) => `event-${n}`);
		service.serve(served(listShapes[0], rows, ''));
		const options = await loadOptions(service, 'platformWebhooks', 'webhookEventTypes');
		expect(options.map(({ value }) => value)).toEqual(rows);
	});

	test('a token of nobody starts at the beginning', async () => {
		service.serve(() => ({ body: { elements: [{ id: 'a' }] } }));
		const found = await searchList(service, 'platformCustomers', 'customers', {}, '', 'odd token');
		expect(found.results.map(({ value }) => value)).toEqual(['a']);
	});
});

describe('polling', () => {
	const parameters = { event: 'paymentStatusChanged' };
	const row = (id: unknown, status = 'paid') => ({ id, last_payment_status: status });
	const many = Array.from({ length: ROWS }, (_each, n) => row(`row-${n + 1}`));

	/** A published trigger, and what it reports when the first of many rows changes and one comes. */
	async function pollTwice(serve: (rows: unknown[]) => Serve, rows: unknown[] = many) {
		service.serve(serve(rows));
		const poller = new Poller(service, parameters);
		expect(await poller.publish()).toBeNull();
		expect(await poller.poll()).toBeNull();
		service.serve(serve([row('row-1', 'failed'), ...rows.slice(1)]));
		const items = await poller.poll();
		expect(await poller.poll()).toBeNull();
		return items?.map(({ id, status }: IDataObject) => [id, status]);
	}

	test.each(
		listShapes
			.filter(({ delivers }) => delivers === ROWS)
			.map((shape) => [shape.what, shape] as const),
	)('%s', async (_what, shape) => {
		expect(await pollTwice((rows) => served(shape, rows, 'elements'))).toEqual([
			['row-1', 'failed'],
		]);
	});

	test.each<[string, unknown[]]>([
		['null', [null]],
		['no id', [{ last_payment_status: 'paid' }, row(null), row('')]],
		['an id that is none', [row({}), row(['a'])]],
		['ids 1 and "1"', [row(1), row('1')]],
		['a row listed twice', [row('twice'), row('twice')]],
		['a row listed twice, on two pages', [many[1]]],
		['a row listed twice, with two statuses', [row('twice', 'a'), row('twice', 'b')]],
		['a status of another type', [row('a', 5 as never), row('b', {} as never)]],
	])('a list with %s', async (_what, odd) => {
		const count = ROWS + odd.length;
		const serve =
			(rows: unknown[]): Serve =>
			(page) => ({
				body: { count, elements: rows.slice((page - 1) * 50, page * 50) },
			});
		expect(await pollTwice(serve, [...many, ...odd])).toEqual([['row-1', 'failed']]);
	});

	test('a manual run says when rows have no id', async () => {
		service.serve(() => ({ body: { count: 1, elements: [null] } }));
		await expect(new Poller(service, parameters).poll('manual')).rejects.toThrow(
			"1 of them have no ID and can't be watched",
		);
	});
});
>>>>>>> english
