// The rules of paging on simulated pages: whole lists, limits, and readers that go on at a bookmark.
import type { FetchPage, List } from '../../dist/nodes/shared/client/list/page.js';
import { PageReader, readList } from '../../dist/nodes/shared/client/list/pages.js';
import { listShapes, ROWS, type ListShape } from '../table/listShapes.cts';

const request = {
	route: 'GET /customers.json',
	path: '/customers.json',
	ids: {},
	query: { filter: 'a' },
} as const;
const rows = Array.from({ length: ROWS }, (_each, n) => ({ id: `row-${n}` }));
const pagings = ['paged', 'announced', 'none'] as const;

/** A service that serves pages as they are told, and what it was asked. */
function serviceOf(serve: (page: number) => { rows: unknown[]; body: unknown }) {
	const asked: unknown[] = [];
	const fetch: FetchPage = async ({ query }) => {
		asked.push(query?.filter);
		await new Promise(setImmediate);
		return serve(Number(query?.page ?? 1));
	};
	return { asked, fetch };
}

const shaped = (shape: ListShape) =>
	serviceOf((page) => {
		const { status, rows: some, envelope } = shape.serve(rows, page);
		return { rows: some, body: status === undefined ? { ...envelope, elements: some } : undefined };
	});

/** Reads pages as they are, each with the `count` that stands beside it. */
const read = async (pages: unknown[][], counts: number[] = []): Promise<List> =>
	await readList(
		request,
		{ kind: 'list', paging: 'announced' },
		{},
		serviceOf((page) => ({ rows: pages[page - 1] ?? [], body: { count: counts[page - 1] } })).fetch,
		4,
	);

describe.each(pagings)('paging %s', (paging) => {
	const response = { kind: 'list', paging } as const;

	describe.each(listShapes.map((shape) => [shape.what, shape] as const))('%s', (_what, shape) => {
		test('whole', async () => {
			const { asked, fetch } = shaped(shape);
			const list = await readList(request, response, {}, fetch, 32);
			expect(list.rows).toEqual(rows.slice(0, shape.delivers));
			if (shape.hint) expect(list.warning).toMatch(shape.hint);
			else expect(list.warning).toBeUndefined();
			expect(asked.length).toBeLessThanOrEqual(shape.requests);
			expect(new Set(asked)).toEqual(new Set(['a']));
		});

		test('60 rows of it take two pages', async () => {
			const { asked, fetch } = shaped(shape);
			const list = await readList(request, response, { limit: 60 }, fetch, 32);
			expect(list.rows).toEqual(rows.slice(0, Math.min(60, shape.delivers)));
			expect(asked).toHaveLength(2);
		});

		test('reader after reader, each from the bookmark of the one before', async () => {
			const { fetch } = shaped(shape);
			const seen: unknown[] = [];
			let bookmark: string | undefined = '';
			for (let readers = 1; bookmark !== undefined; readers++) {
				const reader: PageReader = PageReader.from(request, response, fetch, bookmark);
				await reader.read(1, 1);
				seen.push(...reader.rows);
				bookmark = reader.done ? undefined : reader.bookmark;
				expect(readers).toBeLessThan(8);
			}
			expect(seen).toEqual(rows.slice(0, shape.delivers));
		});
	});
});

test('a list that grows is read to its new end', async () => {
	const pages = [rows.slice(0, 50), rows.slice(50, 100), rows.slice(100)];
	expect(await read(pages, [100, 120, 120])).toMatchObject({ rows, warning: undefined });
});

test('a list that shrinks is told', async () => {
	const { warning } = await read([rows.slice(0, 50), rows.slice(50, 60)], [80, 60]);
	expect(warning).toContain('got shorter');
});

test('a list that keeps growing is left, and that is told', async () => {
	const { fetch } = serviceOf((page) => ({ rows: [{ id: page }], body: { count: page + 1 } }));
	const { warning } = await readList(request, { kind: 'list', paging: 'paged' }, {}, fetch, 4);
	expect(warning).toContain('Pages kept coming');
});

test('rows that share an id: the same is left out, another is there, each with a hint', async () => {
	const again = await read([
		[{ id: 1 }, { id: 2 }],
		[{ id: 2 }, { id: 3 }],
	]);
	expect(again.rows).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
	expect(again.warning).toContain('duplicate rows');
	const changed = await read([
		[{ id: 1 }, { id: 2 }],
		[{ id: 2, state: 'new' }, { id: 3 }],
	]);
	expect(changed.rows).toHaveLength(4);
	expect(changed.warning).toContain('have the same ID');
});
