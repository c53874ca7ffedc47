// Lists as other services may send them: every list of the operation table, against a service that
// sends one in each of the shapes of test/table/listShapes.cts.
import type { Operation } from '../../nodes/engine/form/operation.ts';
import { pathParameters } from '../table/api.cts';
import { forms } from '../table/forms.cts';
import { keyOf } from '../table/existing.cts';
import { listShapes, ROWS } from '../table/listShapes.cts';
import { shapeOf, table, type TableEntry } from '../table/operations.cts';
import { fixedValues } from '../table/samples.cts';
import { shareOf } from '../share.cts';
import { runNode } from './host/host.cts';
import { bodyOf } from '../table/pages.cts';
import { listServiceFor, served } from './host/listService.cts';
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

/** What the node says of rows beside which nothing stands. */
const added: Record<string, object> = {
	'platformNewsletters.recipient.getAll': { is_selected: false },
};

/** The IDs of the path, which rows have unless they are raw. */
const pathIdsOf = ({ operation: { simplify, endpoint } }: TableEntry) =>
	Object.fromEntries(
		(simplify ? [] : pathParameters(endpoint.route)).map((name) => [
			endpoint.api.names.ofId(name),
			`sample ${name}`,
		]),
	);

/** A list of the table that may have more than one page. */
function readListOf(entry: TableEntry): ReadList[] {
	const response = shapeOf(entry.operation);
	if (response.kind !== 'list' && response.kind !== 'strings') return [];
	// Where each page names the next one, numbers say nothing (test/unit/tokens.test.cts).
	if (response.paging === 'unpaged' || response.paging === 'tokens') return [];
	const numbers = Array.from({ length: ROWS }, (_each, n) => n + 1);
	if (response.kind === 'strings') {
		const json = (row: unknown) => ({ [response.as]: row });
		return [{ entry, items: response.items ?? '', rows: numbers.map((n) => `row-${n}`), json }];
	}
	const key = response.key ?? 'id';
	const rows = numbers.map((n) => ({ [key]: `row-${n}`, title: `Row ${n}` }));
	const more = { ...added[keyOf(entry)], ...pathIdsOf(entry) };
	const json = (row: unknown) => ({ ...(row as object), ...more });
	return [{ entry, items: response.items ?? 'elements', rows, json }];
}

const lists = table.filter(({ operation }) => operation.run === undefined).flatMap(readListOf);

async function readAll(entry: TableEntry, more: object = { returnAll: true }) {
	const { node, resource, operation } = entry;
	const [form] = forms(operation as Operation, fixedValues(entry));
	return await runNode({
		node,
		credential: credentialOf(service()),
		parameters: {
			...form,
			simplify: false,
			resource: resource.value,
			operation: operation.value,
			...more,
		},
	});
}

/** How a list is read on. */
const pagingOf = ({ operation }: TableEntry) => {
	const shape = shapeOf(operation);
	return shape.kind === 'list' ? (shape.paging ?? 'none') : 'texts';
};
const pagings = lists.map(({ entry }) => pagingOf(entry));

/** One list of each kind, by how it's read on and where its rows stand. */
const samples = lists.filter(({ items }, index) => {
	const isSame = (other: ReadList, n: number) =>
		pagings[n] === pagings[index] && other.items === items;
	return lists.findIndex(isSame) === index;
});

test('there are lists of all kinds', () => {
	expect(new Set(pagings)).toEqual(new Set(['paged', 'unexplained', 'none', 'texts']));
	expect(lists.length).toBeGreaterThan(20);
});

/** What comes all at once. To ask again would make other backup codes, or pay for another search. */
const wholes = table.flatMap((entry) => {
	const shape = shapeOf(entry.operation);
	const isList = shape.kind === 'list' || shape.kind === 'strings';
	return isList && shape.paging === 'unpaged'
		? [[entry.title, entry, shape.items ?? 'elements'] as const]
		: [];
});

test.each(wholes)(
	'%s is asked once, also where the rows fill a page',
	async (_title, entry, key) => {
		const rows = Array.from({ length: 50 }, (_each, n) =>
			shapeOf(entry.operation).kind === 'strings' ? `row-${n}` : { id: `row-${n}` },
		);
		service().serve(() => ({ body: bodyOf(rows, key) }));
		const { items, error } = await readAll(entry);
		expect(error).toBeUndefined();
		expect(items).toHaveLength(50);
		expect(service().pages).toEqual([1]);
	},
);

test('a text that a later page repeats is left out, with a hint', async () => {
	const texts = Array.from({ length: 99 }, (_each, n) => `row-${n}`);
	service().serve((page) => ({
		body: page === 1 ? texts.slice(0, 50) : page === 2 ? texts.slice(49) : [],
	}));
	const { items, hints } = await readAll(lists[pagings.indexOf('texts')].entry);
	expect(items).toHaveLength(99);
	expect(hints).toEqual(['1 duplicate rows were left out.']);
});

// The first list of each paging is tried with every shape, the others with some.
const tried = lists.flatMap((list, index) => {
	const fitting = listShapes.filter(({ announces }) => !announces || list.items !== '');
	const isFirst = pagings.indexOf(pagings[index]) === index;
	const shapes = shareOf(fitting, isFirst ? 1 : 8, index);
	return shapes.map((shape) => [list.entry.title, shape.what, list, shape] as const);
});

test.each(tried)('%s: %s', async (_title, _what, { entry, items, rows, json }, shape) => {
	service().serve(served(shape, rows, items));
	const { items: output, error, hints } = await readAll(entry);
	expect(error).toBeUndefined();
	expect(output.map((each) => each.json)).toEqual(rows.slice(0, shape.delivers).map(json));
	if (shape.hint) expect(hints.join()).toMatch(shape.hint);
	else expect(hints).toEqual([]);
	expect(service().pages.length).toBeLessThanOrEqual(shape.requests);
});

describe.each(samples.map((list) => [list.entry.title, list] as const))('%s', (_title, list) => {
	const { entry, items, rows, json } = list;

	test('a limit takes no page more than it needs', async () => {
		service().serve(served(listShapes[0], rows, items));
		const { items: output } = await readAll(entry, { returnAll: false, limit: 40 });
		expect(output.map((each) => each.json)).toEqual(rows.slice(0, 40).map(json));
		expect(service().pages).toEqual([1]);
	});

	test('a page that is refused is an error, or the end of a list without pages', async () => {
		const readTo = async (refused: number, status: number) => {
			service().serve((page) =>
				page < refused
					? { body: bodyOf(rows.slice(0, 50), items, { count: ROWS }) }
					: { status, body: { error: 'No page here' } },
			);
			return await readAll(entry);
		};
		expect((await readTo(1, 404)).error?.message).toContain('(HTTP 404)');
		expect((await readTo(2, 403)).error?.message).toContain('(HTTP 403)');
		const { items: output, error, hints } = await readTo(2, 400);
		if (['none', 'texts'].includes(pagingOf(entry))) {
			expect(output).toHaveLength(50);
			const told = 'The API announced 120 rows but returned 50.';
			expect(hints).toEqual(items === '' ? [] : [told]);
		} else expect(error?.message).toContain('(HTTP 400)');
	});

	if (items !== '') {
		test('an envelope without rows is empty; one that announces some, or something else, is an error', async () => {
			for (const body of [
				{},
				{ count: 0 },
				{ count: 0, success: true },
				{ type: 'X' },
				{ entities: 'X', count: 0 },
				// As PHP and Go write an empty array.
				...[null, {}].map((none) =>
					items.split('.').reduceRight<unknown>((rows, name) => ({ [name]: rows }), none),
				),
			]) {
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
