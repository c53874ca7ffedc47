// Odd lists where one reader serves all: odd rows in a list, the pickers and the polling trigger.
import { bothSides } from '../constants.cts';
import { shareOf } from '../share.cts';
import { endpointOf } from '../table/operations.cts';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { pickerLists } from '../../dist/nodes/api/pickerLists.js';
import { platform } from '../../dist/nodes/api/platform.js';
import type { FetchPage } from '../../dist/nodes/engine/client/list/page.js';
import { PageReader } from '../../dist/nodes/engine/client/list/pages.js';
import type { PickerList } from '../../nodes/engine/editor/pickers.ts';
import { listShapes, ROWS } from '../table/listShapes.cts';
import { bodyOf, itemsOf as rowsPlaceOf, pageOf } from '../table/pages.cts';
import { listServiceFor, served, type Serve } from './host/listService.cts';
import { formOf, searchList } from './host/pickers.cts';
import { Poller } from './host/poller.cts';
import { byId, run } from './host/run.cts';

const service = listServiceFor();

/** Runs a list that takes pages and is documented to announce nothing. */
const readUsage = async () =>
	await run(service(), 'platformCustomers', 'usage.getHistory', {
		customerId: byId('1'),
		subscriptionId: byId('1'),
		returnAll: true,
		requests: { retryTime: 0 },
	});

describe('odd rows', () => {
	async function readRows() {
		const { items, error, hints } = await readUsage();
		expect(error).toBeUndefined();
		// Without the IDs of the path, which each item has.
		const rows = items.map(({ json: { customer_id, subscription_id, ...row } }) => {
			expect([customer_id, subscription_id]).toEqual(['1', '1']);
			return row;
		});
		return { rows, hints };
	}

	/** What comes of pages that are sent as they are, and of none behind them. */
	async function readPages(...pages: unknown[][]) {
		service().serve((page) => ({ body: { type: 'X', elements: pages[page - 1] ?? [] } }));
		return await readRows();
	}

	// The same rows for each page: whether there are more is open.
	bothSides('engine/client/list/pages SMALL_PAGE', async (n, _isWithin, limit) => {
		const rows = many(1, n);
		service().serve(() => ({ body: { type: 'X', elements: rows } }));
		const unsure = `Page 2 was the same as page 1, and the API doesn't say how many rows there are. If there are more than ${n}, they are missing.`;
		expect(await readRows()).toEqual({ rows, hints: n < limit ? [] : [unsure] });
	});

	test.each([200, 400, 403, 422])(
		'a later page that is said not to be there under %d ends the list, and the user is told',
		async (status) => {
			const rows = many(1, 25);
			service().serve((page) =>
				page === 1
					? { body: { type: 'X', elements: rows } }
					: { status, body: { error: 'Page not found' } },
			);
			const hints = ["Page 2 wasn't returned (Page not found). Rows may be missing."];
			expect(await readRows()).toEqual({ rows, hints });
		},
	);

	test.each([
		[403, 'Scope customers:read not found for this key'],
		[401, 'Not found'],
		[429, 'Plan not found'],
		[502, 'Host not found'],
		[400, 'Try again'],
	])('a later page that is refused for another reason is an error: %d %s', async (status, text) => {
		service().serve((page) =>
			page === 1
				? { body: { type: 'X', elements: many(1, 25) } }
				: { status, body: { error: text } },
		);
		expect((await readUsage()).error?.message).toContain(`${text} (HTTP ${status})`);
	});

	test.each([
		['comes again', 25, 1],
		['is empty', 0, 0],
	])('an announced last page that %s', async (_what, rows, hintCount) => {
		const first = many(1, 25);
		service().serve((page) => ({
			body: { type: 'X', pages: { max: 2 }, elements: page === 1 ? first : first.slice(0, rows) },
		}));
		const { items, hints } = await readUsage();
		expect(items).toHaveLength(25);
		expect(hints).toHaveLength(hintCount);
	});

	test.each([
		['is empty', { body: { type: 'X', elements: [] } }],
		['is not found', { status: 404, body: { error: 'Not found' } }],
		['is refused', { status: 400, body: { error: 'Page not found' } }],
	])('a page that %s before others that are there is told', async (_what, answer) => {
		const last = 100;
		service().serve((page) => {
			const elements = many(25 * page - 24, 25 * page);
			return page === 3 ? answer : { body: { type: 'X', pages: { max: last }, elements } };
		});
		const { items, hints } = await readUsage();
		// Those of the pages that were in flight are there, too.
		expect(items.length).toBeGreaterThan(50);
		expect(hints).toEqual([
			`The API announced ${last} pages, but page 3 had nothing new. Rows may be missing.`,
		]);
	});

	/** Rows that were added meanwhile have moved all rows of page 1 to so many pages. */
	const readMoved = async (pages: number) => {
		const max = pages + 2;
		service().serve((page) => ({
			body: { type: 'X', pages: { max }, elements: page < max ? many(1, 25) : many(26, 50) },
		}));
		return await readRows();
	};
	test('two announced pages with nothing new are no end', async () => {
		const hints = ['50 duplicate rows were left out.'];
		expect(await readMoved(2)).toEqual({ rows: many(1, 50), hints });
	});
	bothSides('engine/client/list/listState MAX_STALE_PAGES', async (pages, _isWithin, enough) => {
		const { hints } = await readMoved(pages);
		expect(hints.join().includes('page 2 had nothing new')).toBe(pages >= enough);
	});

	test('an envelope that announces rows and has none: a later one ends the list, the first is an error', async () => {
		const bare = { type: 'X', count: 60 };
		service().serve((page) => ({ body: page === 1 ? { ...bare, elements: many(1, 25) } : bare }));
		const hints = ['The API announced 60 rows but returned 25.'];
		expect(await readRows()).toEqual({ rows: many(1, 25), hints });
		service().serve(() => ({ body: bare }));
		expect((await readUsage()).error?.message).toContain('JSON in an unexpected shape');
	});

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
		['ids 1 and "1"', [[row(1), row('1')], [row(2), row('2')], [row(3)]]],
		['a row listed twice on a page', [[row('a'), row('b'), row('a')], [row('c')]]],
		[
			'ids that are no ids',
			[
				[row(null), row(''), row({})],
				[row(false), row([])],
			],
		],
		['rows of two pages with an empty id', [[row('a'), row('')], [row(''), row('b')], [row('c')]]],
		['short pages', [[row('a'), row('b')], [row('c'), row('d')], [row('e')]]],
	])('%s: all are there, and there is nothing to tell', async (_what, pages) => {
		expect(await readPages(...pages)).toEqual({ rows: pages.flat(), hints: [] });
	});

	test('null and other values that are no rows', async () => {
		const { rows } = await readPages([null, row('a'), 5], ['text', row('b'), null]);
		const [nothing, number, text] = [null, 5, 'text'].map((value) => ({ value }));
		expect(rows).toEqual([nothing, row('a'), number, text, row('b'), nothing]);
	});

	test('a row of an earlier page is left out, with a hint', async () => {
		const { rows, hints } = await readPages(many(1, 10), many(10, 19));
		expect(rows).toEqual(many(1, 19));
		expect(hints).toEqual(['1 duplicate rows were left out.']);
		// A page that has a row twice doesn't mean that IDs are none.
		const twice = await readPages([row('a'), row('a'), row('b')], [row('b'), row('c')]);
		expect(twice.rows).toEqual([row('a'), row('a'), row('b'), row('c')]);
	});

	test('a row of an earlier page that has changed is there twice, with a hint', async () => {
		const { rows, hints } = await readPages(many(1, 10), [row('use-10', 2), ...many(11, 19)]);
		expect(rows).toEqual([...many(1, 10), row('use-10', 2), ...many(11, 19)]);
		expect(hints.join()).toMatch(/^1 rows have the same ID/);
	});

	/** Rows without an ID: `time` is that of the response. */
	const timed = (time: number, length: number) =>
		Array.from({ length }, (_each, n) => ({ amount: n % 5, time }));

	// A service that ignores `page`, and rows that change with each response.
	test.each<[string, (time: number) => unknown[], number]>([
		['of rows without IDs', (time) => timed(time, 25), 25],
		['with another time in each row', (time) => many(1, 25).map((each) => ({ ...each, time })), 25],
		['of one row without an ID', (time) => timed(time, 1), 1],
		['with a new row at the start', (time) => many(time, time + 24).reverse(), 26],
	])('a list %s, which changes all the time, ends with page 2', async (_what, rowsAt, count) => {
		let time = 100;
		service().serve(() => ({ body: { elements: rowsAt(time++) } }));
		const { rows, hints } = await readRows();
		expect(rows).toHaveLength(count);
		expect(service().pages).toEqual([1, 2]);
		expect(hints.join()).toMatch(count > 1 ? /Page 2 was the same as page 1/ : /^$/);
	});

	test('rows that have moved from page to page are no page that is ignored', async () => {
		// 20 new rows came between all pages, and usages whose amounts are all the same.
		const pages = [many(1, 25), many(6, 30), many(11, 35), many(16, 40)];
		const { rows } = await readPages(...pages);
		expect(rows).toEqual(many(1, 40));
		const hours = (from: number) =>
			Array.from({ length: 25 }, (_each, n) => ({ amount: 1, hour: from + n }));
		const usages = await readPages(hours(0), hours(25), hours(50));
		expect(usages).toEqual({ rows: [...hours(0), ...hours(25), ...hours(50)], hints: [] });
		// A field that the first row lacks tells pages apart, too.
		const noted = (from: number) =>
			Array.from({ length: 25 }, (_each, n) => ({
				amount: n % 5,
				...(n > 0 && { note: from + n }),
			}));
		const notes = await readPages(noted(0), noted(25));
		expect(notes).toEqual({ rows: [...noted(0), ...noted(25)], hints: [] });
	});

	test('a list that changes in a way that nothing tells apart is left, and that is told', async () => {
		const facts = { shape: { kind: 'list', paging: 'paged' }, rules: platform.lists } as const;
		const fetch: FetchPage = async (page) => await Promise.resolve({ rows: [{ time: page }] });
		const reader = new PageReader(facts, fetch);
		expect((await reader.readAll(1)).missing).toBe(
			'Pages kept coming, and the list showed no end. Reading stopped after 1001 rows, so rows may be missing or repeated.',
		);
		expect(reader.pages).toBe(1001);
	});

	test.each([
		['with a null in it', [null, ...many(1, 5)]],
		['of rows without ids', [{ a: 1 }, { a: 2 }]],
		['of rows with one id', [row('s', 1), row('s', 2)]],
	])('pages %s that come in turns end', async (_what, rows) => {
		service().serve((page) => ({ body: { elements: page % 2 === 1 ? rows : many(50, 55) } }));
		const { items } = await readUsage();
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
	const isNumbered = (list: PickerList) => {
		const shape = shapeOfList(list);
		return shape.kind !== 'map' && !('paging' in shape && shape.paging === 'tokens');
	};
	const names = Object.entries(pickerLists as Record<string, PickerList>).filter(
		([, list]) => !list.searchBody && isNumbered(list),
	);
	const parents = {
		customerId: byId('1'),
		partnerId: byId('1'),
		workflowId: byId('1'),
		knowledgeBaseId: byId('1'),
	} as unknown as INodeParameters;

	const samples = ['customers', 'aiConnections', 'schedulerEvents', 'contents'];

	/** All choices of a picker, scrolled to its end. */
	async function scroll(name: string, typed = '') {
		const values: unknown[] = [];
		const { node, chosen } = formOf(name);
		let token: string | undefined;
		do {
			const form = { ...chosen, ...parents };
			const found = await searchList(service(), node, name, form, { typed, token });
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

		// One picker of each kind is tried with every shape, the others with one.
		const row = names.findIndex(([other]) => other === name);
		const some = samples.includes(name) ? listShapes : shareOf(listShapes, listShapes.length, row);

		test.each(some.map((shape) => [shape.what, shape] as const))('%s', async (_what, shape) => {
			service().serve(served(shape, rows, itemsOf(list)));
			expect(await scroll(name)).toEqual(values.slice(0, shape.delivers));
			if (list.searchParameter === undefined) {
				expect(await scroll(name, 'row-119')).toEqual(shape.delivers === ROWS ? ['row-119'] : []);
			}
		});

		test('rows that are no choice are left out', async () => {
			const odd = [null, 5, [], {}, { [list.value ?? 'id']: null }, { [list.value ?? 'id']: {} }];
			service().serve(() => ({
				body: bodyOf([...odd, rows[0], rows[0]], itemsOf(list)),
			}));
			expect(await scroll(name)).toEqual(['row-1']);
		});
	});
});

describe('polling', () => {
	const parameters = { event: 'paymentStatusChanged' };
	const route = 'GET /recurring-payments/subscriptions.json';
	const row = (id: unknown, status = 'paid') => ({ id, last_payment_status: status });
	const many = Array.from({ length: ROWS }, (_each, n) => row(`row-${n + 1}`));

	/** A published trigger, and what it reports when the first of many rows changes and one comes. */
	async function pollTwice(serve: (rows: unknown[]) => Serve, rows: unknown[] = many) {
		service().serve(serve(rows));
		const poller = new Poller(service(), parameters);
		expect(await poller.publish()).toBeNull();
		expect(await poller.poll()).toBeNull();
		service().serve(serve([row('row-1', 'failed'), ...rows.slice(1)]));
		const items = await poller.poll();
		expect(await poller.poll()).toBeNull();
		return items?.map(({ id, status }: IDataObject) => [id, status]);
	}

	test.each(
		listShapes
			.filter(({ delivers }) => delivers === ROWS)
			.map((shape) => [shape.what, shape] as const),
	)('%s', async (_what, shape) => {
		expect(await pollTwice((rows) => served(shape, rows, rowsPlaceOf(route)))).toEqual([
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
		const serve =
			(rows: unknown[]): Serve =>
			(page) => ({ body: pageOf(route, rows, page, 50) });
		expect(await pollTwice(serve, [...many, ...odd])).toEqual([['row-1', 'failed']]);
	});

	test('a manual run says when rows have no id', async () => {
		service().serve(() => ({ body: pageOf(route, [null]) }));
		await expect(new Poller(service(), parameters).poll('manual')).rejects.toThrow(
			"1 of them have no ID and can't be watched",
		);
	});
});
