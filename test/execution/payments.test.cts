// Subscription Payment: each outcome that the list shows is told once, whether a service moves the payment and the date at once or
// one after the other, and whatever happens to the list, the service and n8n in between.
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { constants } from '../constants.cts';
import { randomFrom } from '../sandbox/random.cts';
import { seedsOf, tries } from '../share.cts';
import { serveWatched, type Watched } from './host/listService.cts';
import { Poller } from './host/poller.cts';
import { DAY, row, Year, type Subscription, type Ways } from './host/renewals.cts';
import { Service } from './host/service.cts';

const service = new Service().inFile();

/** A day in 2026, in the form that the reference shows. */
const day = (text: string) => `2026-${text}T00:00:00+00:00`;

afterEach(() => jest.restoreAllMocks());

/** From now on it's this time. */
const at = (time: string) => jest.spyOn(Date, 'now').mockReturnValue(Date.parse(time));

async function published(list: Watched, parameters: INodeParameters = {}) {
	const poller = new Poller(service, { event: 'subscriptionPayment', ...parameters });
	serveWatched(service, list);
	expect(await poller.publish()).toBeNull();
	return poller;
}

/** A state of the row: time of the poll, payment, renewal date, and status of the subscription. Times and dates are those of 2026. */
type State = string | [time: string, payment: unknown, date: unknown];

/** Polls after each state of the row. What each poll told: outcomes, the word warning after one that has one. */
async function told(states: State[], parameters: INodeParameters = {}): Promise<string[]> {
	const list: Watched = { rows: [] };
	let poller: Poller | undefined;
	const all: string[] = [];
	for (const state of states) {
		const [time, payment, date, status = 'active'] =
			typeof state === 'string' ? state.split(' ') : state;
		at(`2026-${String(time)}Z`);
		const shown = typeof state === 'string' ? day(String(date)) : date;
		list.rows = [row(payment, shown, { status: String(status) })];
		if (!poller) {
			poller = await published(list, parameters);
			continue;
		}
		const items = (await poller.poll()) ?? [];
		all.push(
			items
				.map(({ status: outcome, warning }) =>
					[outcome, warning && 'warning'].filter(Boolean).join(' '),
				)
				.join(),
		);
		expect((await poller.poll()) ?? []).toEqual([]);
	}
	return all;
}

test('an item has both fields, from and to, with the names of the output', async () => {
	at('2026-03-31T12:00Z');
	const list: Watched = { rows: [row('failed', day('04-01'))] };
	const poller = await published(list);
	at('2026-04-01T12:00Z');
	list.rows = [row('paid', day('05-01'))];
	expect(await poller.poll()).toEqual([
		{
			event: 'subscriptionPayment',
			id: 'rec-1',
			detectedAt: expect.any(String),
			status: 'paid',
			previousStatus: 'failed',
			from: { last_payment_status: 'failed', next_renew: day('04-01') },
			to: { last_payment_status: 'paid', next_renew: day('05-01') },
			data: expect.objectContaining({ customer_id: 'cus-1', next_renew: day('05-01') }),
		},
	]);
	poller.parameters = { ...poller.parameters, simplify: false };
	list.rows = [row('paid', day('06-01')), row('failed', null, { id: 'rec-2' })];
	const from = { last_payment_status: 'paid', next_renewal_date: day('05-01') };
	expect(await poller.publish()).toEqual([
		expect.objectContaining({ from, to: { ...from, next_renewal_date: day('06-01') } }),
		expect.objectContaining({
			id: 'rec-2',
			status: 'failed',
			previousStatus: null,
			from: { last_payment_status: null, next_renewal_date: null },
		}),
	]);
});

const months = ['01', '02', '03', '04', '05', '06', '07', '08', '09', '10', '11', '12'];

test.each(['paid', 'failed'])(
	'eleven renewals in a row that are %s are eleven items',
	async (outcome) => {
		const states = months.map((month) => `${month}-01T06:00 ${outcome} ${month}-28`);
		// Of the first one, after a month without a poll, no earlier move tells.
		expect(await told(states)).toEqual([
			`${outcome} warning`,
			...Array.from({ length: 10 }, () => outcome),
		]);
	},
);

const [april, may, june] = [day('04-01'), day('05-01'), day('06-01')];
const [before, due] = ['2026-03-30T12:00', '2026-04-01T00:10'];

// The plain ones are in the drawn year below.
test.each<[string, State[], string[]]>([
	[
		'the payment moves first, and n8n polls once a day',
		['03-30T12:00 failed 04-01', '03-31T18:00 paid 04-01', '04-01T18:00 paid 05-01'],
		['paid', ''],
	],
	[
		'a payment is open in between',
		['03-30T12:00 paid 04-01', '04-01T00:10 pending 04-01', '04-01T00:15 paid 05-01'],
		['pending', 'paid'],
	],
	[
		'it is cancelled, moved back, or gets a first date',
		[
			'03-30T12:00 paid 04-01',
			['03-30T12:00', 'paid', null],
			'03-30T12:00 paid 05-01',
			'03-30T12:00 paid 04-01',
		],
		['', '', ''],
	],
	[
		'the same time in another form, and no payment',
		[
			'03-30T12:00 paid 04-01',
			['04-01T00:10', 'paid', '2026-04-01T00:00:00Z'],
			['04-01T00:10', null, may],
		],
		['', ''],
	],
	[
		'a pause ends, and its date moves with it',
		['03-30T12:00 paid 04-01 paused', '06-10T12:00 paid 07-01 active'],
		['paid warning'],
	],
	[
		'two renewals lie between two polls, as the last move tells',
		[
			'02-27T12:00 paid 03-01',
			'03-01T12:00 paid 04-01',
			'03-30T12:00 paid 04-01',
			'05-02T12:00 failed 06-01',
		],
		['paid', '', 'failed warning'],
	],
	[
		'several may lie between two polls, and no move was seen before',
		['03-30T12:00 paid 04-01', '05-20T12:00 paid 06-01'],
		['paid warning'],
	],
	[
		'a second one lies behind one that was told',
		[
			'03-01T12:00 paid 03-01',
			'03-02T12:00 paid 04-01',
			'04-01T00:10 failed 04-01',
			'05-02T12:00 failed 06-01',
		],
		['paid', 'failed', 'failed warning'],
	],
	[
		'dates that are no dates',
		[
			['03-30T12:00', 'paid', 'April'],
			['04-01T00:10', 'paid', 'May'],
		],
		['paid'],
	],
	[
		'dates in Unix seconds',
		[
			['03-30T12:00', 'paid', Date.parse(april) / 1000],
			['04-01T00:10', 'paid', Date.parse(may) / 1000],
		],
		['paid'],
	],
])('%s', async (_what, states, expected) => {
	expect(await told(states)).toEqual(expected);
});

test('the warning says how many renewals lie between, and how many outcomes are known', async () => {
	at('2026-02-27T12:00Z');
	const list: Watched = { rows: [row('paid', day('03-01'))] };
	const poller = await published(list);
	list.rows = [row('paid', april)];
	await poller.poll();
	list.rows = [row('failed', june)];
	expect((await poller.poll())?.[0].warning).toBe(
		'The renewal date moved by 61 days, and by 31 the time before: about 2 renewals since the last poll. The list shows the outcome of the last one only.',
	);
});

test.each([-1, 1])(
	'a time without polls that is long enough for two renewals, and %d ms',
	async (more) => {
		const between = Number(constants.get('PollingTrigger/payments BETWEEN'));
		const end = Date.parse(`${before}Z`) + between * (Date.parse(june) - Date.parse(april)) + more;
		const later = new Date(end).toISOString().slice('2026-'.length, -1);
		const expected = more < 0 ? 'paid' : 'paid warning';
		expect(await told(['03-30T12:00 paid 04-01', `${later} paid 06-01`])).toEqual([expected]);
	},
);

test.each<[string, (list: Watched, poller: Poller) => Promise<unknown>]>([
	['a restart', async (_list, poller) => await poller.publish()],
	[
		'a failed poll',
		async (list, poller) => {
			list.meanwhile = () => 403;
			await expect(poller.poll()).rejects.toThrow('refused');
			list.meanwhile = undefined;
		},
	],
	[
		'a poll in which the row is hidden, and a restart',
		async (list, poller) => {
			const { rows } = list;
			list.rows = [];
			await poller.poll();
			list.rows = rows;
			await poller.publish();
		},
	],
])('payment and date with %s between them are one', async (_what, between) => {
	at(`${before}Z`);
	const list: Watched = { rows: [row('failed', april)] };
	const poller = await published(list);
	at(`${due}Z`);
	list.rows = [row('paid', april)];
	expect(await poller.poll()).toHaveLength(1);
	await between(list, poller);
	at('2026-04-01T01:00Z');
	list.rows = [row('paid', may)];
	// Without items, so that n8n saves it.
	expect(await poller.poll()).toEqual([]);
	at('2026-05-01T00:10Z');
	list.rows = [row('paid', june)];
	expect(await poller.publish()).toHaveLength(1);
});

test('after a long time, and a first poll that hides the subscription, several renewals may lie between', async () => {
	at(`${before}Z`);
	const list: Watched = { rows: [row('paid', april)] };
	const poller = await published(list);
	at('2026-05-31T12:00Z');
	list.rows = [];
	await poller.poll();
	at('2026-06-01T12:00Z');
	list.rows = [row('paid', june)];
	expect((await poller.poll())?.[0].warning).toBe(
		'The renewal date moved by 61 days, and the last poll did not show it: there may have been several renewals. The list shows the outcome of the last one only.',
	);
});

test('Filter by Status takes the outcome, in any case of letters', async () => {
	const states = [
		'03-30T12:00 paid 04-01',
		'04-01T00:10 pending 04-01',
		'04-01T00:15 paid 05-01',
		'05-01T00:10 failed 06-01',
	];
	expect(await told(states, { statuses: 'Paid' })).toEqual(['', 'paid', '']);
});

const ways: Ways[] = [
	{ apart: 0, movesFailed: true },
	{ apart: 0, movesFailed: false },
	{ apart: 30, movesFailed: true },
	{ apart: 30, movesFailed: false },
];

/** A subscription as the last poll could see it. */
type Known = Pick<Subscription, 'row' | 'shown' | 'renewals' | 'pauses' | 'due'> & {
	/** When it was seen. */
	at: number;
	/** That was between a payment and the move of its date. */
	isHalf?: boolean;
	/** It was the first time, or the first after a long time. */
	isLate?: boolean;
};

const LONG = 10 * DAY;

const isHalf = ({ due, row: { next_renewal_date: date } }: Subscription) =>
	typeof date === 'string' && Date.parse(date) !== due;

const renewalsSince = (one: Subscription, known?: Known) =>
	known ? one.renewals - known.renewals : 0;

const isSameRow = ({ row: now }: Subscription, { row: before }: Known) =>
	now.last_payment_status === before.last_payment_status &&
	now.next_renewal_date === before.next_renewal_date;

/** The list shows an outcome that the last poll couldn't see. */
function isNewOutcome(one: Subscription, known?: Known): boolean {
	if (!known) return true;
	// One that failed and was paid between two polls may leave the row as it was.
	if (one.shown === known.shown || isSameRow(one, known)) return false;
	const { last_payment_status, next_renewal_date } = one.row;
	// Where it was cancelled since, the list shows no renewal before.
	return next_renewal_date !== null || known.row.last_payment_status !== last_payment_status;
}

/** What is wrong with the item of a subscription, or with none. */
function faultsOf(one: Subscription, known?: Known, item?: IDataObject): string[] {
	const { status, last_payment_status, next_renewal_date } = one.row;
	const isNew = isNewOutcome(one, known);
	// A date that moves at the end of a pause can't be told from a renewal. If a poll has seen the pause, there's a warning.
	const isWarned = known?.row.status === status || item?.warning !== undefined;
	const mayBe = known?.pauses !== one.pauses && isWarned;
	// The page says that these two can't be told (Subscription payments).
	const isToldTwice = known?.isLate === true;
	const isOneOfTwo = known?.isHalf === true && renewalsSince(one, known) > 1;
	const isUntold = isNew ? isOneOfTwo : isToldTwice;
	if (isNew !== (item !== undefined) && !mayBe && !isUntold)
		return [isNew ? 'not told' : 'told again'];
	if (!item) return [];
	const isCounted = one.pauses === 0 && next_renewal_date !== null;
	const isUnwarned = isCounted && !item.warning && renewalsSince(one, known) > 1;
	return [
		...(item.status === last_payment_status ? [] : ['another outcome']),
		...(isUnwarned ? ['several renewals, and no warning'] : []),
	];
}

const COUNT = tries(30, 100);

test.each(seedsOf(4, 40))(
	'a year of many subscriptions: each outcome that the lists showed is told once: %i',
	async (seed) => {
		const random = randomFrom(seed);
		const year = new Year(random, ways[seed % ways.length], COUNT);
		const clock = jest.spyOn(Date, 'now').mockImplementation(() => year.now);
		const list: Watched = { rows: [] };
		/** Per subscription, the last outcome and renewal that a poll could see. */
		const seen = new Map<IDataObject['id'], Known>();
		const counts = { outcomes: 0, warned: 0, between: 0 };
		const faults: string[] = [];

		/** Holds what a poll gave against what the list showed. */
		const take = (items: IDataObject[] | null) => {
			const byId = new Map((items ?? []).map((item) => [item.id, item]));
			if ((items ?? []).length !== byId.size) faults.push('a subscription came twice in a poll');
			for (const one of year.all.filter(({ isHidden }) => !isHidden)) {
				const { id } = one.row;
				const [known, item] = [seen.get(id), byId.get(id)];
				byId.delete(id);
				const at = year.now;
				const isLate = isHalf(one) && (known === undefined || at - known.at > LONG);
				const isSame = known !== undefined && isSameRow(one, known);
				const now = isSame ? { ...known, row: one.row } : { ...one, isHalf: isHalf(one), isLate };
				seen.set(id, { ...now, at });
				faults.push(...faultsOf(one, known, item).map((fault) => `${String(id)}: ${fault}`));
				counts.outcomes += Number(item !== undefined);
				counts.warned += Number(item?.warning !== undefined);
				counts.between += Number(item !== undefined && renewalsSince(one, known) > 1);
			}
			if (byId.size > 0) faults.push('an unknown subscription');
		};

		const shown = () => year.all.filter((one) => !one.isHidden).map((one) => one.row);
		list.rows = shown();
		const poller = await published(list);
		for (const one of year.all) seen.set(one.row.id, { ...one, at: year.now });
		const end = year.now + 365 * DAY;
		let isDown = false;
		while (year.now < end) {
			// Once a year, n8n is down for two months.
			const isLong: boolean = !isDown && year.now > end - 150 * DAY;
			isDown = isDown || isLong;
			year.pass(isLong ? 62 * 24 : random.int(6, 60));
			for (const one of year.all) one.isHidden = random.chance(0.01);
			list.rows = shown();
			list.meanwhile = random.chance(0.05) ? () => 403 : undefined;
			const poll = isLong || random.chance(0.1) ? poller.publish() : poller.poll();
			const items = await poll.catch(() => undefined);
			if (items !== undefined) take(items);
		}
		clock.mockRestore();
		expect(faults).toEqual([]);
		expect(counts.outcomes).toBeGreaterThan(8 * COUNT);
		expect(counts.between).toBeGreaterThan(COUNT / 5);
		expect(counts.warned).toBeGreaterThan(0);
	},
);
