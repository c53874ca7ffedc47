// Names and statuses that are typed into the form of the polling trigger: their case makes no difference, and what no row has is
// told where the user looks.
import type { IDataObject } from 'n8n-workflow';
import { serveWatched, type Watched } from './host/listService.cts';
import { Poller } from './host/poller.cts';
import { Service } from './host/service.cts';

const service = new Service().inFile();

const payment = (last_payment_status: string, n = 1) => ({ id: `rec-${n}`, last_payment_status });

const customer = (more: IDataObject) => ({
	id: 'cus-1',
	email: 'a@example.com',
	company_name: 'A',
	external_id: 'x',
	...more,
});

async function published(list: Watched, parameters: object): Promise<Poller> {
	const poller = new Poller(service, { event: 'subscriptionPayment', ...parameters });
	serveWatched(service, list);
	await poller.publish();
	return poller;
}

test.each(['subscriptionPayment', 'paymentStatusChanged'])(
	'%s: a status in another case is one, another status is none',
	async (event) => {
		const list: Watched = { rows: [payment('Pending')] };
		const poller = await published(list, { event, statuses: 'PAID, pending' });
		list.rows = [payment('paid')];
		expect(await poller.poll()).toEqual([expect.objectContaining({ status: 'paid' })]);
		list.rows = [payment('failed')];
		expect(await poller.poll()).toEqual([]);
		list.rows = [payment('PENDING')];
		expect(await poller.poll()).toEqual([expect.objectContaining({ status: 'PENDING' })]);
	},
);

const told =
	'found no row with the status "Paied" at the moment. The rows have "failed", "paid". Check Filter by Status.';

const rows = [payment('paid', 1), payment('failed', 2)];

test('a status that no row has is in the log, in the first item, and in the test event', async () => {
	const list: Watched = { rows };
	const poller = await published(list, { statuses: 'Paied, failed' });
	expect(poller.warnings).toEqual([`"Trigger" ${told}`]);
	list.rows = [payment('failed', 1), payment('failed', 2), payment('failed', 3)];
	const [first, second] = (await poller.poll()) ?? [];
	const later = told.replace('"failed", "paid"', '"failed"');
	expect([first.warning, second.warning]).toEqual([`F${later.slice(1)}`, undefined]);
	list.rows = [...list.rows, payment('failed', 4)];
	expect((await poller.poll())?.[0].warning).toBeUndefined();
	expect(poller.warnings).toHaveLength(1);

	serveWatched(service, { rows });
	expect((await poller.poll('manual'))?.map(({ warning }) => warning)).toEqual([
		`F${told.slice(1)}`,
	]);
	const never = new Poller(service, { event: 'subscriptionPayment', statuses: 'Paied' });
	await expect(never.poll('manual')).rejects.toThrow(`The trigger ${told}`);
});

test('one that comes later is none, and another filter is checked anew', async () => {
	const list: Watched = { rows };
	const poller = await published(list, { statuses: 'refused' });
	expect(poller.warnings).toHaveLength(1);
	list.rows = [payment('refused', 1), payment('failed', 2)];
	expect((await poller.poll())?.map(({ warning }) => warning)).toEqual([undefined]);
	poller.parameters = { ...poller.parameters, statuses: 'Paied' };
	await poller.publish();
	expect(poller.warnings).toHaveLength(2);
	await poller.poll();
	expect(poller.warnings).toHaveLength(2);
});

test('nothing is told of a list without rows, nor of the statuses that the form offers', async () => {
	expect((await published({ rows: [] }, { statuses: 'paid' })).warnings).toEqual([]);
	const event = { event: 'payoutStatusChanged', payoutStatuses: ['refused'] };
	expect((await published({ rows: [{ id: 'pay-1', status: 'paid' }] }, event)).warnings).toEqual(
		[],
	);
});

describe('the state of an earlier version of the package', () => {
	// As it stored rows: grouped by status, and for changes by the names of their fields.
	test.each([
		['paymentStatusChanged', { statuses: 'failed' }, [payment('paid')], [payment('failed')]],
		[
			'customerChanged',
			{ watchedFields: 'email' },
			[customer({})],
			[customer({ email: 'b@example.com' })],
		],
	])('%s goes on from it', async (event, more, before, after) => {
		const list: Watched = { rows: before };
		const poller = await published(list, { event, ...more });
		const { seen } = (JSON.parse(poller.memory) as Record<string, { seen: IDataObject }>)[
			'node:Trigger'
		];
		expect(Object.keys(seen).sort()).toEqual(['account', 'checked', 'given', 'groups', 'watching']);
		const { checked: _checked, ...earlier } = seen;
		poller.forget(JSON.stringify({ 'node:Trigger': { seen: earlier } }));
		list.rows = after;
		expect(await poller.publish()).toHaveLength(1);
		expect(await poller.poll()).toBeNull();
	});
});

test.each([
	[1, 'paymentStatusChanged'],
	[1.1, 'subscriptionPayment'],
])('version %s of the node begins with %s', async (typeVersion, event) => {
	serveWatched(service, { rows });
	const poller = new Poller(service, {}, typeVersion);
	expect((await poller.poll('manual'))?.[0].event).toBe(event);
});
