// Rows that a list doesn't have any more are told once, after two complete polls, and no row that is only hidden is.
import type { IDataObject } from 'n8n-workflow';
import { constants } from '../constants.cts';
import { serveWatched, type Watched } from './host/listService.cts';
import { idsOf, Poller } from './host/poller.cts';
import { Service } from './host/service.cts';
import { wait } from '../wait.cts';

const service = new Service().inFile();

const customers = (count: number) =>
	Array.from({ length: count }, (_each, n) => ({ id: `cus-${n}`, external_id: `crm-${n}` }));

const subscriptions = (count: number) =>
	Array.from({ length: count }, (_each, n) => ({
		id: `rec-${n}`,
		customerId: `cus-${n}`,
		subscription_reference: `sub-${n}`,
		status: 'active',
	}));

const serve = (list: Watched) => serveWatched(service, list);

async function watching(event: string, list: Watched): Promise<Poller> {
	const poller = new Poller(service, { event });
	serve(list);
	expect(await poller.publish()).toBeNull();
	return poller;
}

/** What a read of a customer by its ID gives, besides the list. */
function reads(
	list: Watched,
	answer: (id: string) => { status?: number; body: unknown } | undefined,
) {
	const asked: string[] = [];
	service.behave(async ({ path }) => {
		const { searchParams, pathname } = new URL(path, 'http://service');
		await wait(1);
		if (pathname === '/company.json') return { body: { id: 'company' } };
		const id = /^\/customers\/(.+)\.json$/.exec(pathname)?.[1];
		if (id !== undefined) {
			asked.push(id);
			return answer(id);
		}
		const page = Number(searchParams.get('page') ?? 1);
		const elements = list.rows.slice((page - 1) * 100, page * 100);
		return { body: { count: list.count ?? list.rows.length, per_page: 100, elements } };
	});
	return asked;
}

const absent = { status: 404, body: { error: 'This customer does not exist' } };

test('a subscription is told in the second poll that misses it, with what led to it', async () => {
	const list: Watched = { rows: subscriptions(3) };
	const poller = await watching('subscriptionNoLongerListed', list);
	list.rows = list.rows.slice(0, 2);
	expect(await poller.poll()).toBeNull();
	expect(await poller.poll()).toEqual([
		{
			event: 'subscriptionNoLongerListed',
			id: 'rec-2',
			detectedAt: expect.any(String),
			data: { id: 'rec-2', customer_id: 'cus-2', subscription_reference: 'sub-2' },
		},
	]);
	expect(await poller.poll()).toBeNull();
	expect(await poller.publish()).toBeNull();
	expect(await poller.poll()).toBeNull();
});

test('one that is back in between is not, also over a restart', async () => {
	const all = subscriptions(3);
	const list: Watched = { rows: all };
	const poller = await watching('subscriptionNoLongerListed', list);
	list.rows = [...all.slice(0, 2), ...subscriptions(4).slice(3)];
	// Without items, so that n8n saves the new one.
	expect(await poller.poll()).toEqual([]);
	list.rows = subscriptions(4);
	expect(await poller.poll()).toEqual([]);
	list.rows = all.slice(0, 2);
	expect(await poller.publish()).toBeNull();
	expect(idsOf(await poller.poll())?.sort()).toEqual(['rec-2', 'rec-3']);
});

test('nothing is told of a list with a total that lacks rows', async () => {
	const list: Watched = { rows: customers(3) };
	const poller = await watching('customerNoLongerListed', list);
	const asked = reads(list, () => absent);
	Object.assign(list, { rows: customers(2), count: 3 });
	for (let n = 0; n < 3; n++) expect(await poller.poll()).toBeNull();
	expect(poller.warnings).toEqual([expect.stringContaining("Missing rows aren't reported")]);
	expect(asked).toEqual([]);
	list.count = 2;
	expect(await poller.poll()).toBeNull();
	expect(idsOf(await poller.poll())).toEqual(['cus-2']);
});

test('nothing is told of a list without a total that has no rows', async () => {
	const list: Watched = { rows: subscriptions(3) };
	const poller = await watching('subscriptionNoLongerListed', list);
	list.rows = [];
	for (let n = 0; n < 3; n++) expect(await poller.poll()).toBeNull();
	list.rows = subscriptions(2);
	expect(idsOf(await poller.poll())).toEqual(['rec-2']);
});

test('of a customer a read by its ID decides', async () => {
	const list: Watched = { rows: customers(4) };
	const poller = await watching('customerNoLongerListed', list);
	const asked = reads(list, (id) => {
		if (id === 'cus-1') return { body: { id } };
		return id === 'cus-2' ? { status: 403, body: { error: 'No' } } : absent;
	});
	list.rows = list.rows.slice(0, 1);
	expect(await poller.poll()).toBeNull();
	expect(asked).toEqual([]);
	expect(await poller.poll()).toEqual([
		{
			event: 'customerNoLongerListed',
			id: 'cus-3',
			detectedAt: expect.any(String),
			data: { id: 'cus-3', external_id: 'crm-3' },
		},
	]);
	expect([...asked].sort()).toEqual(['cus-1', 'cus-2', 'cus-3']);
	// One that couldn't be read is read again, one that is only hidden once a day.
	asked.length = 0;
	expect(await poller.poll()).toBeNull();
	expect(asked).toEqual(['cus-2']);
	const tomorrow = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 24 * 3_600_000);
	asked.length = 0;
	reads(list, () => absent);
	expect(idsOf(await poller.poll())?.sort()).toEqual(['cus-1', 'cus-2']);
	tomorrow.mockRestore();
});

test('a list that is empty is looked through by ID, a part in each poll', async () => {
	const max = Number(constants.get('PollingTrigger/gone MAX_READS'));
	const list: Watched = { rows: customers(max + 1) };
	const poller = await watching('customerNoLongerListed', list);
	const asked = reads(list, () => absent);
	list.rows = [];
	expect(await poller.poll()).toBeNull();
	expect(await poller.poll()).toHaveLength(max);
	expect(await poller.poll()).toHaveLength(1);
	expect(await poller.poll()).toBeNull();
	expect(asked).toHaveLength(max + 1);
});

test('rows that can never be read do not keep others from it', async () => {
	const max = Number(constants.get('PollingTrigger/gone MAX_READS'));
	const list: Watched = { rows: customers(max + 1) };
	const poller = await watching('customerNoLongerListed', list);
	const broken = new Set<string>();
	reads(list, (id) => {
		if (broken.size < max) broken.add(id);
		return broken.has(id) ? { status: 403, body: { error: 'No' } } : absent;
	});
	list.rows = [];
	let told: IDataObject[] | null = null;
	for (let polls = 0; told === null && polls < 20; polls++) told = await poller.poll();
	expect(broken.size).toBe(max);
	expect(told).toHaveLength(1);
});

test('a manual execution shows rows as they would be told', async () => {
	serve({ rows: subscriptions(2) });
	const poller = new Poller(service, { event: 'subscriptionNoLongerListed' });
	const [item] = (await poller.poll('manual')) ?? [];
	expect(item.data).toEqual({ id: 'rec-0', customer_id: 'cus-0', subscription_reference: 'sub-0' });
});
