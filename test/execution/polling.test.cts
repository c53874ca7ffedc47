// Platform Polling Trigger on n8n-core's own poll context: each change is reported once, whatever
// happens to the list, the service and n8n in between.
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { events } from '../../dist/nodes/PollingTrigger/events.js';
import { getAt, recordsOf } from '../../dist/nodes/engine/base/data.js';
import { request } from 'undici';
import { bothSides, constants } from '../constants.cts';
import { startSandbox } from '../sandbox/index.cts';
import { itemsAt, queryAfter } from '../table/pages.cts';
import {
	addCustomer as addCustomerTo,
	runs,
	serial,
	watchedBy,
	watchedLists,
	type Report,
} from '../table/watched.cts';
import { HostCredentials } from './host/credentials.cts';
import { idsOf, Poller } from './host/poller.cts';
import { byId, credentialOf, run, sandboxFor } from './host/run.cts';
import { TriggerWorkflow } from './host/trigger.cts';

const sandbox = sandboxFor({ customers: 250, latencyMs: 2 });

const payments = () => sandbox().state.subscriptions.subscriptions;
const customers = () => sandbox().state.customers.customers;
const payouts = () => sandbox().state.payouts.payouts;
const newsletters = () => sandbox().state.newsletters.newsletters;
const payoutsOf = (partner: string) => ({
	event: 'payoutStatusChanged',
	partnerId: byId(partner),
});

/** With the rows as they came. */
const named = watchedLists.map(({ event, parameters, path, change, add }) => ({
	event,
	path,
	parameters: { event, ...parameters, simplify: false },
	news: [add, change].filter((each) => each !== undefined),
}));
const addCustomer = () => addCustomerTo(sandbox());

const ends: Array<() => unknown> = [];

/** Also after a test that fails. */
const onTestEnd = (end: () => unknown) => ends.push(end);

afterEach(async () => {
	for (const end of ends.splice(0)) await end();
});

/** The Get Many of the rows that an event reports. */
const readBy: Record<string, [node: string, operation: string]> = {
	customerChanged: ['platformCustomers', 'customer.getAll'],
	newCustomer: ['platformCustomers', 'customer.getAll'],
	newsletterStatusChanged: ['platformNewsletters', 'newsletter.getAll'],
	partnerChanged: ['platformPartners', 'partner.getAll'],
	subscriptionChanged: ['platformRecurringPayments', 'subscription.getAll'],
	subscriptionPayment: ['platformRecurringPayments', 'subscription.getAll'],
	paymentStatusChanged: ['platformRecurringPayments', 'subscription.getAll'],
};

test.each(Object.entries(readBy))('%s has the names of Get Many', async (event, [node, getAll]) => {
	const { items } = await run(sandbox(), node, getAll, { limit: 100 });
	const shown = items.map(({ json }) => json);
	const samples = await new Poller(sandbox(), { event }).poll('manual');
	expect(samples).toHaveLength(5);
	for (const { data } of samples ?? []) expect(shown).toContainEqual(data);
	// Of rows that are gone, only a few values are known.
	const simplified = events.filter(({ simplify, gone }) => simplify && !gone);
	expect(simplified.map(({ value }) => value)).toEqual(Object.keys(readBy));
});

/** The rows of a list, asked for without the package. */
async function rowsOf(path: string): Promise<IDataObject[]> {
	const rows: IDataObject[] = [];
	const size = 100;
	let query: string | undefined = 'page=1';
	for (let page = 1; query !== undefined; page++) {
		const { body } = await request(`${sandbox().baseUrl}/2026-02-01${path}?size=${size}&${query}`, {
			headers: { authorization: `Bearer ${sandbox().key}` },
		});
		const answer = await body.json();
		rows.push(...recordsOf(getAt(answer, itemsAt(path))));
		query = queryAfter(path, answer, { page, size });
	}
	return rows;
}

/** The whole item for a report, with the row as the service shows it. */
async function itemFor(event: string, path: string, report: Report): Promise<IDataObject> {
	const data = (await rowsOf(path)).find(({ id }) => id === report.id);
	expect(data).toBeDefined();
	const fields = (values: unknown): IDataObject => ({
		last_payment_status: values as string,
		next_renewal_date: values === null ? null : expect.any(String),
	});
	const payment = event === 'subscriptionPayment' && {
		from: fields(report.previousStatus),
		to: fields(report.status),
	};
	return {
		event,
		...report,
		...payment,
		detectedAt: expect.any(String),
		data: data as IDataObject,
	};
}

async function published(parameters: INodeParameters): Promise<Poller> {
	const poller = new Poller(sandbox(), parameters);
	expect(await poller.publish()).toBeNull();
	sandbox().clearRequests();
	return poller;
}

describe.each(named)('$event', ({ event, path, parameters, news }) => {
	test('each of its news is reported once, also if it comes while n8n is stopped', async () => {
		const poller = await published(parameters);
		expect(await poller.poll()).toBeNull();
		for (const make of news) {
			const report = make(sandbox());
			const { memory } = poller;
			await poller.poll('manual');
			expect(poller.memory).toBe(memory);
			expect(await poller.poll()).toEqual([await itemFor(event, path, report)]);
			expect(await poller.poll()).toBeNull();
			const whileStopped = make(sandbox());
			expect(await poller.publish()).toEqual([expect.objectContaining(whileStopped)]);
			expect(await poller.publish()).toBeNull();
		}
	});

	test('a manual execution shows rows of the list and remembers nothing', async () => {
		const poller = new Poller(sandbox(), parameters);
		const items = await poller.poll('manual');
		const rows = await rowsOf(path);
		const samples = recordsOf(items?.map(({ data }) => data));
		expect(samples).toHaveLength(Math.min(5, rows.length));
		expect(rows).toEqual(expect.arrayContaining(samples));
		// One of each status first, so that they reach every branch.
		const isOfSubscription = event === 'subscriptionChanged';
		const statuses = (all: IDataObject[]) =>
			new Set(all.map((row) => (isOfSubscription ? null : row.last_payment_status) ?? row.status))
				.size;
		expect(statuses(samples)).toBe(Math.min(5, statuses(rows.slice(0, 100))));
		expect(items?.[0]).toMatchObject({ event, id: rows[0].id });
		expect(poller.memory).toBe('{}');
	});
});

describe('a list of several pages', () => {
	test.each([
		[{ kind: 'status', status: 400, nth: 2 }, /Fault 400/],
		[{ kind: 'html', nth: 3 }, /HTML/],
	] as const)('fails as a whole: %j', async (fault, message) => {
		const poller = await published({ event: 'newCustomer' });
		const { id } = addCustomer();
		const { memory } = poller;
		sandbox().faults.add({ ...fault, path: '/customers.json' });
		await expect(poller.poll()).rejects.toThrow(message);
		expect(poller.memory).toBe(memory);
		sandbox().faults.clear();
		expect(idsOf(await poller.poll())).toEqual([id]);
		expect(await poller.poll()).toBeNull();
	});

	test("a row is forgotten a week after it's gone, not before", async () => {
		const poller = await published({ event: 'newsletterStatusChanged' });
		const [row] = newsletters().rows;
		const full = poller.memory.length;
		newsletters().remove(row.id);
		expect(await poller.poll()).toBeNull();
		newsletters().add(row, 'front');
		expect(await poller.poll()).toBeNull();
		newsletters().remove(row.id);
		const today = Date.now();
		const clock = jest.spyOn(Date, 'now');
		const days = Number(constants.get('PollingTrigger/pollState GONE_DAYS'));
		for (const day of [0, days - 1]) {
			clock.mockReturnValue(today + day * 24 * 3600 * 1000);
			expect(await poller.poll()).toBeNull();
			expect(poller.memory).toContain('goneSince');
		}
		clock.mockReturnValue(today + days * 24 * 3600 * 1000);
		expect(await poller.poll()).toBeNull();
		clock.mockRestore();
		expect(poller.memory).not.toContain('goneSince');
		expect(poller.memory.length).toBeLessThan(full);
		newsletters().add(row, 'front');
		expect(idsOf(await poller.poll())).toEqual([row.id]);
	});
});

test('a poll that starts while another is under way leaves the list to it', async () => {
	const poller = await published({ event: 'newCustomer' });
	const { id } = addCustomer();
	sandbox().faults.add({ kind: 'delay', ms: 100, nth: 1 });
	const [one, ...others] = await Promise.all([poller.poll(), poller.poll(), poller.pollApart()]);
	expect(idsOf(one)).toEqual([id]);
	expect(others).toEqual([null, null]);
	expect(poller.warnings).toHaveLength(2);
	expect(poller.warnings[0]).toMatch(/skipped a poll, because the one that began 0 s ago/);
	expect(sandbox().requests).toHaveLength(Math.ceil(customers().size / 100));
	expect(await poller.poll()).toBeNull();
});

describe('a list that takes longer than n8n gives a poll', () => {
	const large = sandboxFor({ customers: 900, check: false });

	const isMidway = ({ memory }: Poller) => memory.includes('"sweep"');

	/** Polls until the list was read to its end; what each of them gave. */
	async function sweep(poller: Poller, between: () => void = () => undefined) {
		const given: Array<IDataObject[] | null> = [];
		do {
			given.push(await poller.poll());
			between();
		} while (isMidway(poller) && given.length < 60);
		expect(isMidway(poller)).toBe(false);
		return given;
	}

	const slow = (budget = 200) => {
		large().faults.add({ kind: 'delay', ms: 80, path: '/customers.json' });
		const poller = new Poller(large(), { event: 'newCustomer' });
		poller.budget = budget;
		return poller;
	};
	const book = () => large().state.customers.customers;
	const remove = (rows: number) => {
		for (const { id } of book().rows.slice(0, rows)) book().remove(id);
	};

	test('the first state is read in several polls, each goes on where the last one stopped', async () => {
		const poller = slow();
		// Rows that go meanwhile move the others to pages that were read.
		const given = await sweep(poller, () => remove(20));
		expect(given.length).toBeGreaterThan(1);
		// n8n saves what was learned with the last of them, so that a restart forgets nothing.
		expect(given.pop()).toEqual([]);
		expect(given.every((each) => each === null)).toBe(true);
		large().faults.clear();
		poller.budget = undefined;
		const { id } = addCustomerTo(large());
		expect(idsOf(await poller.publish())).toEqual([id]);
		expect(await poller.poll()).toBeNull();
	});

	test('is read on from what the last poll left, also if n8n has not saved that yet', async () => {
		const poller = slow();
		const memories = ['{}', '{}'];
		do {
			await poller.poll();
			memories.push(poller.memory);
			poller.forget(memories.at(-2)!);
		} while (memories.at(-1)?.includes('"sweep"') && memories.length < 60);
		expect(memories.length).toBeGreaterThan(3);
		expect(large().requests.filter(({ path }) => path === '/company.json')).toHaveLength(1);
		const first = large().requests.filter(({ path }) => /[?&]page=1$/.test(path));
		expect(first).toHaveLength(1);
		const { id } = addCustomerTo(large());
		poller.forget(memories.at(-1)!);
		expect((await sweep(poller)).flatMap((items) => idsOf(items) ?? [])).toEqual([id]);
	});

	test('keeps what it read before the API asked it to wait, and then fails with the cause', async () => {
		const poller = new Poller(large(), { event: 'newCustomer' });
		const refusal = { kind: 'status', status: 429, retryAfter: 600 } as const;
		large().faults.add({ ...refusal, path: '/customers.json', nth: { from: 8 } });
		expect(await poller.poll()).toBeNull();
		expect(isMidway(poller)).toBe(true);
		const failure = { cause: 'rate-limited', retryAfterMs: expect.closeTo(600_000, -5) };
		await expect(poller.poll()).rejects.toMatchObject({ failure });
	});

	test('is left to the next poll where n8n itself takes all of the time', async () => {
		const poller = slow(20);
		const { getDecrypted } = HostCredentials.prototype;
		const busy = jest.spyOn(HostCredentials.prototype, 'getDecrypted');
		busy.mockImplementationOnce(async function (this: HostCredentials) {
			await new Promise((resolve) => setTimeout(resolve, 100));
			return await getDecrypted.call(this);
		});
		expect(await poller.poll()).toBeNull();
		busy.mockRestore();
		expect(poller.warnings).toEqual([expect.stringContaining('n8n had no time for it')]);
		expect(large().requests).toEqual([]);
	});
});

// Nothing again while n8n still saves what was given, and all of it if n8n does not.
bothSides('PollingTrigger/latestState SAVING', async (milliseconds, _isWithin, limit) => {
	const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
	onTestEnd(() => clock.mockRestore());
	const poller = await published({ event: 'newCustomer' });
	const { id } = addCustomer();
	const before = poller.memory;
	expect(idsOf(await poller.poll())).toEqual([id]);
	poller.forget(before);
	clock.mockReturnValue(Date.now() + milliseconds);
	expect(idsOf(await poller.poll())).toEqual(milliseconds < limit ? undefined : [id]);
});

test('the same key at another host is another account: what that has is not new', async () => {
	const poller = await published({ event: 'newCustomer' });
	const other = await startSandbox({ customers: 1, key: sandbox().key });
	onTestEnd(async () => await other.close());
	addCustomerTo(other);
	poller.sandbox = other;
	expect(idsOf(await poller.poll()) ?? []).toEqual([]);
	const { id } = addCustomerTo(other);
	expect(idsOf(await poller.poll())).toEqual([id]);
});

test('nothing is given again if n8n has saved it and then replaced it by older data, and saves it again', async () => {
	const poller = await published({ event: 'newCustomer' });
	const older = poller.memory;
	const { id } = addCustomer();
	expect(idsOf(await poller.poll())).toEqual([id]);
	expect(await poller.poll()).toBeNull();
	poller.forget(older);
	const { id: another } = addCustomer();
	expect(idsOf(await poller.poll())).toEqual([another]);
	poller.forget(older);
	expect(await poller.poll()).toBeNull();
	const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 61_000);
	expect(idsOf(await poller.poll())).toEqual([another]);
	expect(await poller.poll()).toBeNull();
	poller.forget(older);
	expect(await poller.poll()).toEqual([]);
	expect(await poller.poll()).toBeNull();
	clock.mockRestore();
	expect(await poller.publish()).toBeNull();
});

describe('the cause of a failed poll, for n8n', () => {
	test.each([
		[
			{ status: 429, retryAfter: 600 },
			{ cause: 'rate-limited', retryAfterMs: 600_000 },
		],
		[{ status: 429, body: { error: 'Monthly quota exceeded' } }, { cause: 'quota-exhausted' }],
		[{ status: 401 }, { cause: 'credential-invalid' }],
		[{ status: 403 }, { cause: 'configuration-invalid' }],
		[{ status: 404 }, { cause: 'configuration-invalid' }],
		[{ status: 500 }, { cause: 'temporarily-unavailable' }],
		[{ status: 400 }, undefined],
	])('%j: %j', async (fault, failure) => {
		const poller = new Poller({ ...sandbox(), key: sandbox().addKey() }, { event: 'newCustomer' });
		sandbox().faults.add({ kind: 'status', path: '/customers.json', ...fault });
		const error = await poller.poll().catch((each: unknown) => each);
		expect((error as { failure?: object }).failure).toEqual(failure);
	});
});

test('rows that are there already are reported once where that is asked for', async () => {
	const parameters = { event: 'newsletterStatusChanged', includeExisting: true };
	const poller = new Poller(sandbox(), parameters);
	const ids = newsletters().rows.map(({ id }) => id);
	expect(idsOf(await poller.publish())).toEqual(ids);
	expect(await poller.poll()).toBeNull();
	expect(await poller.publish()).toBeNull();
	// Another company, for all that can be told, is none to report as a whole.
	poller.sandbox = { ...sandbox(), key: sandbox().addKey({ scopes: ['newsletters:read'] }) };
	expect(await poller.publish()).toEqual([]);
});

describe('a new beginning', () => {
	/** The same host has another company, whose customers have other IDs. */
	let other: Awaited<ReturnType<typeof startSandbox>>;
	beforeAll(async () => {
		other = await startSandbox({ customers: 30, seed: 7 });
	});
	afterAll(async () => await other.close());

	const partners = () => [...new Set(payouts().rows.map(({ partner_id }) => partner_id))];

	test.each<[string, () => INodeParameters, () => INodeParameters]>([
		[
			'another workflow',
			() => ({ event: 'workflowRunFinished', ...runs }),
			() => ({ event: 'workflowRunFinished', workflowId: byId('wfl-2') }),
		],
		['one partner', () => ({ event: 'payoutStatusChanged' }), () => payoutsOf(partners()[0])],
	])('%s: nothing is reported', async (_title, before, after) => {
		const poller = await published(before());
		poller.parameters = after();
		expect(await poller.publish()).toBeNull();
		expect(await poller.poll()).toBeNull();
	});

	const customersOnly = ['customers:read'];

	test.each<[string, () => { baseUrl: string; key: string }]>([
		['another company', () => other],
		[
			'a key that may not tell its company',
			() => ({ ...sandbox(), key: sandbox().addKey({ scopes: customersOnly }) }),
		],
	])('%s: nothing is reported, and that is told', async (_title, service) => {
		const poller = await published({ event: 'newCustomer' });
		addCustomer();
		poller.sandbox = service();
		// Without items, so that n8n saves the new start.
		expect(await poller.publish()).toEqual([]);
		expect(poller.warnings).toEqual([expect.stringContaining('starts over')]);
		expect(await poller.poll()).toBeNull();
		expect(poller.warnings).toHaveLength(1);
	});

	test.each(['poll', 'pollApart'] as const)(
		'after a report: it starts over once, which is saved, and then reports again (%s)',
		async (how) => {
			const keyed = () => ({ ...sandbox(), key: sandbox().addKey({ scopes: customersOnly }) });
			const poller = new Poller(keyed(), { event: 'newCustomer' });
			await poller.publish();
			addCustomer();
			expect(await poller[how]()).toHaveLength(1);
			poller.sandbox = keyed();
			expect(await poller[how]()).toEqual([]);
			expect(await poller[how]()).toBeNull();
			for (const next of [how, how, 'publish'] as const) {
				const { id } = addCustomer();
				expect(idsOf(await poller[next]())).toEqual([id]);
			}
			expect(poller.warnings).toEqual([expect.stringContaining('starts over')]);
		},
	);

	test('but not for a renewed key of the company: what changed before is reported', async () => {
		const poller = await published({ event: 'newCustomer' });
		const { id } = addCustomer();
		poller.sandbox = { ...sandbox(), key: sandbox().addKey() };
		expect(idsOf(await poller.publish())).toEqual([id]);
		expect(poller.warnings).toEqual([]);
		expect(poller.memory).not.toContain(poller.sandbox.key);
	});

	test('but not for other statuses: what changed before is reported', async () => {
		const poller = await published({ event: 'paymentStatusChanged', statuses: 'nothing' });
		const report = watchedBy('paymentStatusChanged').change!(sandbox());
		poller.parameters = { event: 'paymentStatusChanged', statuses: report.status as string };
		expect(await poller.publish()).toEqual([expect.objectContaining(report)]);
	});
});

test('payouts of one partner are read from its own list', async () => {
	const [{ id, partner_id }] = payouts().rows;
	const poller = await published(payoutsOf(partner_id));
	const other = payouts().rows.find((row) => row.partner_id !== partner_id);
	payouts().update(other?.id as string, { status: 'refused' });
	payouts().update(id, { status: 'refused' });
	expect(idsOf(await poller.poll())).toEqual([id]);
	expect(sandbox().requests[0].path).toMatch(`/partners/${partner_id}/payouts.json?`);
});

describe('only chosen statuses', () => {
	const set = (index: number, status: string) => {
		const { id, recurringId } = payments().rows[index];
		payments().update(id, { last_payment_status: status });
		return recurringId;
	};

	test('of payouts are chosen from the documented ones', async () => {
		const { id } = payouts().add({ ...payouts().rows[0], id: serial(), status: 'pending' });
		const poller = await published({ event: 'payoutStatusChanged', payoutStatuses: ['paid'] });
		payouts().update(id, { status: 'refused' });
		expect(await poller.poll()).toBeNull();
		payouts().update(id, { status: 'paid' });
		expect(await poller.poll()).toEqual([
			expect.objectContaining({ id, previousStatus: 'refused' }),
		]);
	});

	test('one that is left and reached again while n8n is stopped is reported again', async () => {
		set(7, 'paid');
		const poller = await published({ event: 'paymentStatusChanged', statuses: 'failed' });
		const id = set(7, 'failed');
		expect(idsOf(await poller.poll())).toEqual([id]);
		set(7, 'paid');
		// Without items, so that n8n saves what was seen.
		expect(await poller.poll()).toEqual([]);
		set(7, 'failed');
		expect(idsOf(await poller.publish())).toEqual([id]);
	});

	test('a manual execution shows these, and says when there are none', async () => {
		const id = set(8, 'special');
		const statuses = 'special';
		const shown = new Poller(sandbox(), { event: 'paymentStatusChanged', statuses });
		expect(idsOf(await shown.poll('manual'))).toEqual([id]);
		const empty = new Poller(sandbox(), { event: 'paymentStatusChanged', statuses: 'none' });
		await expect(empty.poll('manual')).rejects.toThrow(/No sample found/);
	});
});

test.each([
	[{ event: 'workflowRunFinished', workflowId: byId('..') }, /"Workflow" must be an ID/],
	[
		{ event: 'workflowRunFinished', workflowId: byId('wfl-0') },
		/Nothing found for "wfl-0"\. Check the Workflow field/,
	],
])('a wrong form is told, as a failure that the user can fix: %j', async (parameters, message) => {
	await expect(new Poller(sandbox(), parameters).publish()).rejects.toMatchObject({
		message: expect.stringMatching(message),
		failure: { cause: 'configuration-invalid' },
	});
});

describe('registeredWebhookMissing', () => {
	const book = () => sandbox().state.webhooks.webhooks;
	const base = 'https://n8n.example.com/webhook';
	const parameters = { event: 'registeredWebhookMissing', urlStart: `${base}/` };
	const own = () => book().rows.filter(({ url }) => url.startsWith(base));
	let workflow: TriggerWorkflow;

	beforeEach(async () => {
		workflow = new TriggerWorkflow(credentialOf(sandbox()), {}, base);
		await workflow.create();
	});

	afterEach(async () => {
		await workflow.delete();
		expect(own()).toEqual([]);
	});

	const missing = ({ id, name, url, events }: ReturnType<typeof own>[number]) =>
		expect.objectContaining({
			event: 'registeredWebhookMissing',
			id,
			// Without the query, which has the secret.
			data: expect.objectContaining({ id, name, url: url.split('?')[0], events }),
		});

	test.each<[string, (id: string) => void]>([
		['that is gone', (id) => book().remove(id)],
		['with other events', (id) => book().update(id, { events: ['Other.event'] })],
		['with another URL', (id) => book().update(id, { url: 'https://other.example.com/' })],
	])(
		'one %s is reported once, and publishing leaves exactly one for each event',
		async (_what, change) => {
			const poller = await published(parameters);
			const [lost, other] = own().map((row) => ({ ...row }));
			change(lost.id);
			expect(await poller.poll()).toEqual([missing(lost)]);
			expect(await poller.poll()).toBeNull();
			await workflow.delete();
			await workflow.publish();
			expect(own().map((row) => row.events)).toEqual(
				expect.arrayContaining([lost.events, other.events]),
			);
			expect(own()).toHaveLength(2);
		},
	);

	test('webhooks that publishing replaces are not missed', async () => {
		const poller = await published(parameters);
		workflow.parameters = { settings: { name: 'Renamed' } };
		const before = own().map(({ id }) => id);
		await workflow.publish();
		expect(own().map(({ id }) => id)).not.toEqual(expect.arrayContaining(before));
		expect((await poller.poll()) ?? []).toEqual([]);
	});

	test('a manual execution shows what would be reported', async () => {
		const items = await new Poller(sandbox(), parameters).poll('manual');
		expect(items).toEqual(own().map(missing));
		expect(items?.[0].data).not.toHaveProperty('token');
	});
});
