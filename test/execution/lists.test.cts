// Lists of every size and limit, over every operation that reads one.
import { formFields } from '../../dist/nodes/engine/node/description.js';
import type { Field } from '../../nodes/engine/form/fields.ts';
import { findEndpoint } from '../contract/contract.cts';
import { platform } from '../../dist/nodes/api/platform.js';
import type { FetchPage } from '../../dist/nodes/engine/client/list/page.js';
import { PageReader } from '../../dist/nodes/engine/client/list/pages.js';
import { keyOf } from '../table/existing.cts';
import { table } from '../table/operations.cts';
import { listServiceFor, numbered } from './host/listService.cts';
import { run, sandboxFor } from './host/run.cts';
import { HostCredentials } from './host/credentials.cts';

const sandbox = sandboxFor({ customers: 251 });
const service = listServiceFor();
const rows = () => sandbox().state.customers.customers.rows;
const pages = () => sandbox().requests.map(({ path }) => new URLSearchParams(path.split('?')[1]));

test.each([
	[1, 1, 1],
	[100, 1, 100],
	[101, 2, 100],
	[251, 3, 100],
	[1000, 3, 100],
])('limit %i needs %i requests of size %i', async (limit, requests, size) => {
	const result = await run(sandbox(), 'platformCustomers', 'customer.getAll', { limit });
	expect(result.items.map(({ json }) => json.id)).toEqual(
		rows()
			.slice(0, limit)
			.map(({ id }) => id),
	);
	expect(pages().map((query) => query.get('size'))).toEqual(Array(requests).fill(String(size)));
	expect(result.hints).toEqual([]);
});

test.each([0, -1, 1.5, 'many', ''])('limit %j is refused', async (limit) => {
	const result = await run(sandbox(), 'platformCustomers', 'customer.getAll', {
		limit: limit as number,
	});
	expect(result.error?.message).toContain('"Limit"');
	expect(sandbox().requests).toEqual([]);
});

test.each([
	[{ timeout: 0 }, '"Settings: Timeout (Seconds)" must be between 1 and 3600 (got 0)'],
	[{ retryTime: 3601 }, '"Settings: Retry Time (Seconds)" must be between 0 and 3600 (got 3601)'],
	[{ retryTime: 'long' }, '"Settings: Retry Time (Seconds)" must be a number (got "long")'],
	[{ maxParallel: 0 }, '"Settings: Max Parallel Requests" must be between 1 and 40 (got 0)'],
])('the setting %j is refused', async (requests, message) => {
	const result = await run(sandbox(), 'platformCustomers', 'customer.getAll', { requests });
	expect(result.error?.message).toContain(message);
	expect(sandbox().requests).toEqual([]);
});

test('the credential is decrypted once, however many requests there are', async () => {
	const decrypted = jest.spyOn(HostCredentials.prototype, 'getDecrypted');
	await run(sandbox(), 'platformCustomers', 'customer.getAll', { returnAll: true });
	expect(sandbox().requests).toHaveLength(3);
	expect(decrypted).toHaveBeenCalledTimes(1);
	decrypted.mockRestore();
});

test('a reader that goes on from a bookmark delivers the rows behind it', async () => {
	const list = { shape: { kind: 'list', paging: 'paged' }, rules: platform.lists } as const;
	const read = async (part: object, count: number, bookmark?: string) => {
		const fetch: FetchPage = async (page, { size = 0 }) =>
			await Promise.resolve({ rows: numbered(140, Number(page), size), count });
		const reader = new PageReader(list, fetch, part, bookmark);
		return { ...(await reader.readAll(1)), bookmark: reader.bookmark() };
	};
	const { bookmark, rows: before } = await read({ limit: 100 }, 140);
	expect(before).toEqual(numbered(140, 1, 100));
	const { rows, left, warning } = await read({}, 140, bookmark);
	expect({ rows, left, warning }).toEqual({ rows: numbered(140, 2, 100), left: 0 });
	expect((await read({}, 150, bookmark)).warning).toBe(
		'The API announced 150 rows but returned 40 after the first 100.',
	);
});

describe('a size that the service refuses', () => {
	/** Rows in pages of 25; a `size` above 50 is refused under this status. */
	const refuse = (status: number) =>
		service().serve((page, size = 25) =>
			size > 50
				? { status, body: { error: 'Invalid size' } }
				: { body: { elements: numbered(60, page, size) } },
		);

	const readAll = async (node: string, operation: string) =>
		await run(service(), node, operation, { returnAll: true });

	test.each([400, 422, 409, 200])('under %d its own size is read', async (status) => {
		refuse(status);
		const { items, error, hints } = await readAll('platformCustomers', 'customer.getAll');
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toMatchObject(numbered(60, 1, 60));
		expect(hints).toEqual([]);
		// The refused one, and then the pages.
		expect(service().pages).toEqual([1, 1, 2, 3, 4]);
	});

	test.each([401, 403, 404])('a refusal under %d is about something else', async (status) => {
		refuse(status);
		const { error } = await readAll('platformCustomers', 'customer.getAll');
		expect(error?.message).toContain(`Invalid size (HTTP ${status})`);
		expect(service().pages).toEqual([1]);
	});

	test('where the reference shows the largest page (core, Limits), it is an error', async () => {
		const sizeOf = ({ operation: { endpoint } }: (typeof table)[number]) => {
			const { queryParameters = [] } = findEndpoint('GET', endpoint.route.slice(4)) ?? {};
			return queryParameters.find(({ name }) => name === 'size')?.schema;
		};
		const nameOf = ({ node, resource, operation }: (typeof table)[number]) =>
			`${node}.${resource.value}.${operation.value}`;
		const paged = table.filter((entry) => {
			const { endpoint, run: steps } = entry.operation;
			// The service pages by numbers.
			const isByTokens = endpoint.kind === 'list' && endpoint.paging === 'tokens';
			return steps === undefined && !endpoint.route.includes('{') && sizeOf(entry) && !isByTokens;
		});
		expect(paged.length).toBeGreaterThan(7);
		const unknown = paged.filter((entry) => sizeOf(entry)?.maximum === undefined).map(nameOf);
		expect(unknown).toContain('platformCustomers.customer.getAll');
		const read: string[] = [];
		for (const entry of paged) {
			const { node, resource, operation } = entry;
			refuse(400);
			const { error } = await readAll(node, `${resource.value}.${operation.value}`);
			if (error === undefined) read.push(nameOf(entry));
		}
		expect(read.sort()).toEqual(unknown.sort());
	});
});

test('Include Envelope gives the range of a list of events, without a further request', async () => {
	const range = { start: '2031-05-01', end: '2031-05-02' };
	const { items } = await run(sandbox(), 'platformScheduler', 'event.getAll', {
		...range,
		options: { includeEnvelope: true },
	});
	expect(items).toEqual([
		{ json: { status: 'fetch', count: 0, range, events: [] }, pairedItem: { item: 0 } },
	]);
	expect(sandbox().requests).toHaveLength(1);
});

// Newsletter recipients and passages of a search have more beside their rows, too: there Output offers it.
test('only a list with more than the common envelope offers Include Envelope', () => {
	const offering = table.filter(({ operation }) =>
		(formFields(operation) as Field[]).some(
			({ name, type, options = [] }) =>
				name === 'options' &&
				type === 'collection' &&
				options.some((option) => option.name === 'includeEnvelope'),
		),
	);
	expect(offering.map(keyOf)).toEqual(['platformScheduler.event.getAll']);
});
