// Events for changes of any field: each change of a row that is known is reported once, with the names of its
// fields, whatever happens to the list, the service and n8n in between.
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { randomFrom, type Random } from '../sandbox/random.cts';
import { seedsOf } from '../share.cts';
import { serveWatched, type Watched } from './host/listService.cts';
import { idsOf, Poller } from './host/poller.cts';
import { Service } from './host/service.cts';

const service = new Service().inFile();

const serve = (list: Watched) => serveWatched(service, list);

const customer = (n: number, more: IDataObject = {}): IDataObject => ({
	id: `cus-${n}`,
	external_id: `crm-${n}`,
	company_name: `Company ${n}`,
	first_name: 'Ada',
	last_name: `Number ${n}`,
	email: `person-${n}@example.com`,
	address: { country: 'DE', city: 'Hamburg', address: `Street ${n}` },
	tags: [],
	partner: null,
	...more,
});

const customers = (count: number) => Array.from({ length: count }, (_each, n) => customer(n));

async function published(list: Watched, parameters: INodeParameters = {}): Promise<Poller> {
	const poller = new Poller(service, { event: 'customerChanged', ...parameters });
	expect(await poller.publish()).toBeNull();
	serve(list);
	return poller;
}

test.each<[string, IDataObject, IDataObject, string[] | undefined]>([
	['another text', { email: 'a@example.com' }, { email: 'b@example.com' }, ['email']],
	[
		'several',
		{ tags: [], partner: null },
		{ tags: ['vip'], partner: 'ptn-1' },
		['partner', 'tags'],
	],
	[
		'a part of the address',
		{},
		{ address: { country: 'AT', city: 'Graz' } },
		['address', 'city', 'country'],
	],
	['a field of no page of the reference', { phone: '1' }, { phone: '2' }, ['phone']],
	['a field that gets a value', { phone: '' }, { phone: '2' }, ['phone']],
	['a field that goes', { phone: '1' }, {}, ['phone']],
	['a number in place of a text', { phone: '1' }, { phone: 1 }, ['phone']],
	['a list with another order', { tags: ['a', 'b'] }, { tags: ['b', 'a'] }, ['tags']],
	['nothing', {}, {}, undefined],
	['null, absent or empty', { phone: null, fax: '' }, { fax: null }, undefined],
	['no tags, in three ways', { tags: null }, { tags: [] }, undefined],
	['an empty list that is left out', { groups: [] }, {}, undefined],
	[
		'the order of fields',
		{ extra: { a: 1, b: { c: 1, d: 2 } } },
		{ extra: { b: { d: 2, c: 1 }, a: 1 } },
		undefined,
	],
])('%s', async (_what, before, after, changed) => {
	const list = serve({ rows: [customer(0), customer(1, before)] });
	const poller = await published(list);
	list.rows = [customer(0), customer(1, after)];
	const { address, ...row } = customer(1, after);
	const data = { ...row, ...(address as IDataObject) };
	const item = {
		event: 'customerChanged',
		id: 'cus-1',
		detectedAt: expect.any(String),
		changed,
		data,
	};
	expect(await poller.poll()).toEqual(changed ? [item] : null);
	expect(await poller.poll()).toBeNull();
	expect(await poller.publish()).toBeNull();
});

test('with Simplify off, a field has the name that the item has', async () => {
	const before = {
		address: { country: 'DE', city: 'Bonn', zip: '1' },
		partner_code: 'A',
		phone: '1',
	};
	const list = serve({ rows: [customer(0, before)] });
	const poller = await published(list, { simplify: false });
	const row = customer(0, { address: { country: 'AT', zip: '2' }, external_id: 'new', phone: '2' });
	list.rows = [row];
	const changed = [
		'address.city',
		'address.country',
		'address.zip',
		'external_id',
		'partner_code',
		'phone',
	];
	expect(await poller.poll()).toEqual([
		expect.objectContaining({ data: row, changed: expect.arrayContaining(changed) }),
	]);
	list.rows = [customer(0, { address: null, external_id: 'new', phone: '2' })];
	expect(await poller.poll()).toEqual([
		expect.objectContaining({ changed: ['address.country', 'address.zip'] }),
	]);
});

test('a new row is no change, its first change is reported, also after n8n was stopped', async () => {
	const list = serve({ rows: customers(3) });
	const poller = await published(list);
	list.rows.push(customer(3));
	// Without items, so that n8n saves what was seen.
	expect(await poller.poll()).toEqual([]);
	expect(await poller.poll()).toBeNull();
	list.rows[3] = customer(3, { email: 'new@example.com' });
	expect(await poller.publish()).toEqual([
		expect.objectContaining({ id: 'cus-3', changed: ['email'] }),
	]);
	expect(await poller.poll()).toBeNull();
});

test('a removed row is no change, a row that returns with another value is', async () => {
	const list = serve({ rows: customers(3) });
	const poller = await published(list);
	list.rows = customers(2);
	expect(await poller.poll()).toBeNull();
	list.rows = [...customers(2), customer(2, { email: 'new@example.com' })];
	expect(await poller.poll()).toEqual([
		expect.objectContaining({ id: 'cus-2', changed: ['email'] }),
	]);
});

describe('Fields to Watch', () => {
	test.each([
		['email, city', 'city', { address: { country: 'DE', city: 'Graz', address: 'Street 1' } }],
		[['address.city', 'email'], 'city', { address: { city: 'Graz' } }],
		['externalId', 'external_id', { external_id: 'other' }],
		['External ID', 'external_id', { external_id: 'other' }],
		['company name', 'company_name', { company_name: 'B' }],
		['Email', 'email', { email: 'b@example.com' }],
	])('%j: others are not compared', async (watchedFields, name, after) => {
		const list = serve({ rows: customers(2) });
		const poller = await published(list, { watchedFields });
		list.rows = [customer(0), customer(1, { last_name: 'Other' })];
		expect(await poller.poll()).toBeNull();
		list.rows = [customer(0), customer(1, { last_name: 'Third', ...after })];
		expect(await poller.poll()).toEqual([
			expect.objectContaining({ id: 'cus-1', changed: [name] }),
		]);
		expect(poller.warnings).toEqual([]);
	});

	test('other fields: the state is taken anew', async () => {
		const list = serve({ rows: customers(2) });
		const poller = await published(list, { watchedFields: 'email' });
		list.rows = [customer(0), customer(1, { first_name: 'Other' })];
		poller.parameters = { event: 'customerChanged', watchedFields: 'email, first_name' };
		expect(await poller.publish()).toBeNull();
		list.rows = [customer(0), customer(1, { first_name: 'Third' })];
		expect(idsOf(await poller.poll())).toEqual(['cus-1']);
	});

	test('the log, the first item and the test event name a field that no row has', async () => {
		const list = serve({ rows: customers(2) });
		const poller = await published(list, { watchedFields: 'email, emial' });
		const message = 'found no row with a value in "emial". Check the names in Fields to Watch.';
		expect(poller.warnings).toEqual([expect.stringContaining(message)]);
		expect(await poller.poll()).toBeNull();
		expect(poller.warnings).toHaveLength(1);
		list.rows = customers(2).map((row) => ({ ...row, email: 'new@example.com' }));
		const warnings = (await poller.poll())?.map(({ warning }) => warning);
		expect(warnings).toEqual([`F${message.slice(1)}`, undefined]);
		list.rows = customers(2);
		expect((await poller.poll())?.map(({ warning }) => warning)).toEqual([undefined, undefined]);
		await expect(poller.poll('manual')).rejects.toThrow(
			'"Fields to Watch" has "emial", which none of the first rows has. They have address, city, company_name',
		);
	});

	test('a list without rows tells of no field', async () => {
		serve({ rows: [] });
		const poller = new Poller(service, { event: 'customerChanged', watchedFields: 'email' });
		await expect(poller.poll('manual')).rejects.toThrow('No sample found');
	});
});

const subscription = (more: IDataObject = {}, n = 1): IDataObject => ({
	id: `rec-${n}`,
	customer_id: `cus-${n}`,
	subscription_reference: `sub-${n}`,
	status: 'active',
	last_payment_status: 'paid',
	next_renewal_date: '2026-04-01T00:00:00+00:00',
	...more,
});

test.each<[string, INodeParameters, IDataObject, string[] | undefined]>([
	['is cancelled', {}, { status: 'dismiss', next_renewal_date: null }, ['next_renew', 'status']],
	['is paused', {}, { status: 'paused' }, ['status']],
	['is past due', {}, { status: 'past_due' }, ['status']],
	['is renewed', {}, { next_renewal_date: '2026-05-01T00:00:00+00:00' }, ['next_renew']],
	['has another reference', {}, { subscription_reference: 'other' }, ['subscription_reference']],
	['has another customer', {}, { customer_id: 'cus-9' }, undefined],
	['fails to be paid', {}, { last_payment_status: 'failed' }, undefined],
	[
		'fails to be paid, which is watched',
		{ subscriptionFields: ['last_payment_status'] },
		{ last_payment_status: 'failed', status: 'past_due' },
		['last_payment_status'],
	],
	[
		'is paused, and all fields are watched',
		{ subscriptionFields: [] },
		{ status: 'paused' },
		['status'],
	],
])('a subscription that %s', async (_what, parameters, after, changed) => {
	const list = serve({ rows: [subscription(), subscription({}, 2)] });
	const poller = await published(list, { event: 'subscriptionChanged', ...parameters });
	list.rows = [subscription(after), subscription({}, 2)];
	const item = { event: 'subscriptionChanged', id: 'rec-1', changed, isNew: false };
	expect(await poller.poll()).toEqual(changed ? [expect.objectContaining(item)] : null);
	list.rows = [...list.rows, subscription({}, 3)];
	const added = { event: 'subscriptionChanged', id: 'rec-3', isNew: true };
	expect(await poller.publish()).toEqual([expect.objectContaining(added)]);
	expect(await poller.poll()).toBeNull();
});

test('a manual execution shows the names that are compared', async () => {
	const list = serve({ rows: customers(2) });
	const poller = new Poller(service, { event: 'customerChanged' });
	const names = ['address', 'city', 'company_name', 'country', 'email', 'external_id'];
	const changed = [...names, 'first_name', 'last_name'];
	expect((await poller.poll('manual'))?.map((item) => item.changed)).toEqual([changed, changed]);
	const some = await published(list, { watchedFields: 'partner, email' });
	expect((await some.poll('manual'))?.[0].changed).toEqual(['email']);
});

test('n8n gets no value of a field', async () => {
	const list = serve({ rows: customers(200) });
	const poller = await published(list);
	expect(poller.memory).not.toContain('example.com');
	list.rows[199] = customer(199, { email: 'new@example.com' });
	expect(idsOf(await poller.poll())).toEqual(['cus-199']);
});

/** A list that changes all the time, and what the trigger of an event has said of it. */
class Scene {
	readonly list: Watched = { rows: customers(350) };

	/** Rows as the trigger knows them. Of new ones, it's open which of their states it saw first. */
	private readonly known = new Map(this.list.rows.map((row) => [row.id, row]));

	private serial = 1_000;

	constructor(
		private readonly random: Random,
		readonly event: string,
	) {}

	/** Changes, adds or removes a row. */
	stir(): void {
		const { random, list } = this;
		const { rows } = list;
		const at = random.int(0, rows.length - 1);
		const n = ++this.serial;
		const what = random.pick(['change', 'change', 'add', 'remove', 'revert']);
		if (what === 'add') rows.splice(random.pick([0, at, rows.length]), 0, customer(n));
		else if (what === 'remove') rows.splice(at, 1);
		else if (what === 'revert') rows[at] = this.known.get(rows[at].id) ?? rows[at];
		else if (random.chance(0.5)) rows[at] = { ...rows[at], email: `person-${n}@example.com` };
		else rows[at] = { ...rows[at], tags: [`tag-${n}`], last_name: `Number ${n}` };
	}

	take(items: IDataObject[] | null): void {
		for (const { id, changed, data } of items ?? []) {
			const before = this.known.get(id) as IDataObject | undefined;
			const now = data as IDataObject;
			this.known.set(id, now);
			if (this.event === 'newCustomer') {
				expect({ id, before }).toEqual({ id, before: undefined });
				continue;
			}
			const names = ['email', 'last_name', 'tags'];
			const differing = names.filter(
				(name) => JSON.stringify(before?.[name]) !== JSON.stringify(now[name]),
			);
			if (before) expect({ id, changed }).toEqual({ id, changed: differing });
			expect(changed).not.toEqual([]);
		}
	}

	/** Rows that the trigger should have told, in their last state. */
	missed(): unknown[] {
		const { known, list, event } = this;
		const isMissed = (row: IDataObject) =>
			event === 'newCustomer'
				? !known.has(row.id)
				: known.has(row.id) && JSON.stringify(row) !== this.textOf(row.id);
		return list.rows.filter(isMissed).map(({ id }) => id);
	}

	private readonly textOf = (id: unknown) => JSON.stringify(this.known.get(id as string));
}

const drawn = ['customerChanged', 'newCustomer'].flatMap((event) =>
	seedsOf(1, 12).map((seed) => [event, seed] as const),
);

test.each(drawn)(
	'%s: while the list is stirred, pages fail and n8n is restarted, none is missed or doubled: %i',
	async (event, seed) => {
		const random = randomFrom(seed);
		const scene = new Scene(random, event);
		const { list } = scene;
		const poller = new Poller(service, { event, simplify: false });
		serve(list);
		expect(await poller.publish()).toBeNull();
		list.takes = random.pick([1, 5_000, 18_000]);
		poller.budget = 36_000;
		list.meanwhile = () => {
			if (random.chance(0.5)) scene.stir();
			return random.chance(0.1) ? 403 : undefined;
		};
		for (let n = 0; n < 25; n++) {
			if (random.chance(0.7)) scene.stir();
			const poll = random.chance(0.15) ? poller.publish() : poller.poll();
			scene.take(await poll.catch(() => null));
		}
		list.meanwhile = undefined;
		for (let n = 0; n < 12; n++) scene.take(await poller.poll());
		expect(scene.missed()).toEqual([]);
		expect(await poller.poll()).toBeNull();
	},
);
