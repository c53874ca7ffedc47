// A list by tokens: each page names the next one. The API has none today; the reading of lists doesn't assume numbers.
import { lists } from '../../dist/nodes/api/lists.js';
import { PageReader } from '../../dist/nodes/engine/client/list/pages.js';
import type { Part } from '../../nodes/engine/client/list/page.ts';
import type { Place } from '../../nodes/engine/base/definition.ts';

interface Served {
	rows: unknown[];
	next?: string;
}

const rows = Array.from({ length: 25 }, (_each, n) => ({ id: `r${n}` }));

/** Pages of ten. A token is the number of rows before its page. */
function pageOf(place: Place): Served {
	const start = place === 1 ? 0 : Number(place);
	const end = start + 10;
	return { rows: rows.slice(start, end), ...(end < rows.length && { next: String(end) }) };
}

/** A reader of a service, and the places that it asks for. */
function readerOf(serve: (place: Place) => Served, part: Part = {}, bookmark?: string) {
	const asked: Place[] = [];
	const fetch = async (place: Place) => {
		asked.push(place);
		const token = typeof place === 'string' ? place : undefined;
		return await Promise.resolve({ ...serve(place), token });
	};
	const shape = { kind: 'list', paging: 'tokens' } as const;
	const rules = { ...lists, tokens: lists.pages };
	return { asked, reader: new PageReader({ shape, rules }, fetch, part, bookmark) };
}

test('it is read to the page that names no other', async () => {
	const { asked, reader } = readerOf(pageOf);
	expect(await reader.readAll(5)).toMatchObject({ rows, left: 0, mayHaveMore: false });
	expect(asked).toEqual([1, '10', '20']);
	expect(reader.list().warning).toBeUndefined();
});

test('Skip and Limit count rows, and no page after them is asked for', async () => {
	const { asked, reader } = readerOf(pageOf, { skip: 12, limit: 3 });
	const list = await reader.readAll(5);
	expect(list).toMatchObject({ rows: rows.slice(12, 15), mayHaveMore: true });
	expect(asked).toEqual([1, '10']);
});

test('a bookmark goes on where another reader has stopped, or with its newest page', async () => {
	const first = readerOf(pageOf);
	await first.reader.read(1, 1);
	await first.reader.read(1, 1);
	const next = readerOf(pageOf, {}, first.reader.bookmark());
	expect((await next.reader.readAll(1)).rows).toEqual(rows.slice(20));
	expect(next.asked).toEqual(['20']);
	const again = readerOf(pageOf, {}, first.reader.bookmark({ again: true }));
	await again.reader.readAll(1);
	expect(again.asked).toEqual(['10', '20']);
});

test('an empty page that names another one is not the end', async () => {
	const { reader } = readerOf((place) => (place === 1 ? { rows: [], next: '0' } : pageOf(place)));
	expect(await reader.readAll(1)).toMatchObject({ rows });
});

test('a service that names the same page again and again is not asked for ever, and rows may be missing', async () => {
	const { asked, reader } = readerOf(() => ({ rows: rows.slice(0, 10), next: '10' }));
	const { rows: found, warning } = await reader.readAll(1);
	expect(found).toEqual(rows.slice(0, 10));
	expect(asked.length).toBeLessThan(6);
	expect(warning).toBe('Page 2 had nothing new, although the list goes on. Rows may be missing.');
});
