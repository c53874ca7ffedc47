// Lists that change, or repeat themselves, while their pages are read: every list of the table.
import { shareOf } from '../share.cts';
import { run, sandboxFor } from './host/run.cts';
import { shapeOf, table, type TableEntry } from '../table/operations.cts';
import { pagingCases, type PagingCase } from '../table/reliability.cts';

const sandbox = sandboxFor({ customers: 120 });

const PAGE = 100;

/** Rows that the sandbox adds to every list, so that each has pages. */
const EXTRA = 150;

/** The lists that are read page by page and need no id. */
const lists = table.flatMap((entry) => {
	const response = shapeOf(entry.operation);
	const path = entry.operation.endpoint.route;
	return response.kind === 'list' && response.paging === 'paged' && !path.includes('{')
		? [{ entry, key: response.key ?? 'id' }]
		: [];
});

/** A run of a list under a fault, or none: the keys of its rows, and what the user is told. */
async function read({ node, resource, operation }: TableEntry, key: string, fault?: PagingCase) {
	sandbox().clearRequests();
	sandbox().faults.add({ kind: 'insert', rows: EXTRA });
	if (fault) sandbox().faults.add({ ...fault.rule, nth: { from: 2 } });
	const { items, error, hints } = await run(
		sandbox(),
		node,
		`${resource.value}.${operation.value}`,
		{ returnAll: true },
	);
	sandbox().faults.clear();
	expect(error).toBeUndefined();
	return {
		keys: items.map(({ json }) => json[key]),
		hints: hints.join(' '),
		requests: sandbox().requests.length,
	};
}

beforeAll(() => {
	sandbox().state.webhooks.webhooks.add({
		id: 'whk-1',
		name: 'Billing',
		description: 'Charges',
		url: 'https://receiver.example.com/charges',
		events: ['RecurringPayments.charge.paid'],
		token: 'a-token-of-the-webhook',
	});
});

test('there are lists of several nodes', () => {
	expect(new Set(lists.map(({ entry }) => entry.node)).size).toBeGreaterThan(3);
});

// Each list has one of the faults, and each fault is in several lists.
const tried = lists.flatMap(({ entry, key }, row) =>
	shareOf(pagingCases, pagingCases.length, row).map(
		(fault) => [entry.title, fault.what, entry, key, fault] as const,
	),
);

test.each(tried)('%s: %s', async (_title, _what, entry, key, fault) => {
	const before = await read(entry, key);
	expect(before.keys.length).toBeGreaterThanOrEqual(EXTRA);
	expect(new Set(before.keys).size).toBe(before.keys.length);
	expect(before.hints).toBe('');
	// One more where the last page is full.
	expect(before.requests).toBe(Math.floor(before.keys.length / PAGE) + 1);

	const { keys, hints, requests } = await read(entry, key, fault);
	const rows = before.keys.length;
	const { least, most } = fault.expected(rows, PAGE);
	expect(keys.length).toBeGreaterThanOrEqual(least);
	expect(keys.length).toBeLessThanOrEqual(most);
	expect(new Set(keys).size).toBe(keys.length);
	if (fault.rule.kind === 'insert') expect(keys).toEqual(expect.arrayContaining(before.keys));
	if (fault.hint) expect(hints).toMatch(fault.hint);
	else expect(hints).toBe('');
	// Bounded: the announced pages, those that were added, one look past the end.
	expect(requests).toBeLessThanOrEqual(Math.ceil((rows + 120) / PAGE) + 1);
});

test('filters go with every page', async () => {
	sandbox().faults.add({ kind: 'insert', rows: EXTRA });
	const filters = { state: { __rl: true, mode: 'name', value: 'public' } };
	await run(sandbox(), 'platformContentBox', 'content.getAll', { returnAll: true, filters });
	const queries = sandbox().requests.map(({ path }) => new URLSearchParams(path.split('?')[1]));
	expect(queries.length).toBeGreaterThan(1);
	expect(queries.map((query) => query.get('state'))).toEqual(queries.map(() => 'public'));
});
