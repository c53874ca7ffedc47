// The example that pays partners, over a year.
import { shareOf } from '../../share.cts';
import { overAYear } from './overAYear.cts';
import { addFees, ownPayouts, partners, paysPartners, told } from './payingPartners.cts';
import type { Play, Scene, Seen } from './scenes.cts';

/** Adds the fees of a month, and pays them on a day. */
async function pay({ day, run, world, year }: Play, on: number, month: number): Promise<void> {
	day(on);
	await run(await year.occasion(world, month));
}

/** Fees in payouts that are paid. */
const paidFees = (world: Seen) =>
	ownPayouts(world).flatMap(({ status, fees }) => (status === 'paid' ? fees : []));

const feesOf = (world: Seen, month: number) =>
	partners(world).map((partner) => `fee-m${month}-${partner}`);

/** The service shows fees as open, though they are in a payout. */
function showsAsOpen({ sandbox }: Seen, ids: string[]): void {
	for (const id of ids) sandbox.state.partners.fees.update(id, { status: 'pending' });
}

/** A fault at the first such request of a partner's payout, for one run. */
async function failing(
	play: Play,
	rule: Parameters<Seen['sandbox']['faults']['add']>[0],
	then: () => Promise<void>,
): Promise<void> {
	const fault = play.world.sandbox.faults.add(rule);
	await then();
	expect(fault.hits).toBeGreaterThan(0);
	fault.remove();
}

const REPORT = '/partners/{partnerId}/payouts/{payoutId}/report.pdf';

/** Ways in which a fee of an earlier payout is still open, when new fees come. */
const stillOpen: Record<string, Scene> = {
	'the status of paid fees comes late': async (play) => {
		await pay(play, 0, 0);
		showsAsOpen(play.world, feesOf(play.world, 0));
	},
	'a payout was made, and its report fails': async (play) => {
		const rule = { kind: 'status', status: 503, method: 'GET', path: REPORT } as const;
		await failing(play, rule, async () => await pay(play, 0, 0));
		expect(play.world.runs[0].error).toBeDefined();
	},
	'a payout was refused by a person': async (play) => {
		const rule = { kind: 'status', status: 503, method: 'GET', path: REPORT } as const;
		await failing(play, rule, async () => await pay(play, 0, 0));
		for (const payout of ownPayouts(play.world)) payout.status = 'refused';
		showsAsOpen(play.world, feesOf(play.world, 0));
	},
	'the response to a payout was lost': async (play) => {
		const path = '/partners/payouts.json';
		const rule = { kind: 'reset-after', method: 'POST', path, nth: 2 } as const;
		await failing(play, rule, async () => await pay(play, 0, 0));
	},
};

const withNewFees = (before: Scene, days: number): Scene =>
	async function newFees(play) {
		await before(play);
		await pay(play, days, 1);
		// The new ones are paid, each of them, and the old ones aren't asked for again (`never`).
		expect(paidFees(play.world)).toEqual(expect.arrayContaining(feesOf(play.world, 1)));
		await pay(play, days + 1, 1);
	};

const later = { 'on the same day': 0, 'the next day': 1 };

const scenes = Object.entries(stillOpen).flatMap(([name, before], row) =>
	shareOf(Object.entries(later), 2, row).map(
		([when, days]) => [`${name}, and a new fee ${when}`, withNewFees(before, days)] as const,
	),
);

overAYear([
	{
		file: '07-pay-partners.json',
		occasion: (world, month) => {
			addFees(world, month);
			return { 'Execute workflow': [{}] };
		},
		isDelivered: true,
		...paysPartners,
		own: {
			...Object.fromEntries(scenes),
			'one partner has no new fee on the second run of a day': async (play) => {
				const { world } = play;
				await pay(play, 0, 0);
				const [first, ...others] = partners(world);
				showsAsOpen(world, [`fee-m0-${first}`]);
				addFees(world, 1);
				world.sandbox.state.partners.fees.remove(`fee-m1-${first}`);
				await play.run({ 'Execute workflow': [{}] });
				expect(told(world)).toEqual([first]);
				const paid = others.map((partner) => `fee-m1-${partner}`);
				expect(paidFees(world)).toEqual(expect.arrayContaining(paid));
			},
			'a payout that was refused is paid once it can be': async (play) => {
				const path = '/partners/payouts.json';
				const body = { message: 'Missing scope' };
				const rule = { kind: 'status', status: 403, method: 'POST', path, body } as const;
				await failing(play, rule, async () => await pay(play, 0, 0));
				expect(told(play.world)).toEqual(partners(play.world));
				await pay(play, 1, 1);
				for (const month of [0, 1]) {
					const fees = feesOf(play.world, month);
					expect(paidFees(play.world)).toEqual(expect.arrayContaining(fees));
				}
			},
			'fees whose rows are deleted go into a new payout': async (play) => {
				const { world } = play;
				const { payouts } = world.sandbox.state.payouts;
				await pay(play, 0, 0);
				for (const { id } of [...ownPayouts(world)]) payouts.remove(id);
				showsAsOpen(world, feesOf(world, 0));
				world.example.tables.rows('partner-fees').length = 0;
				world.sandbox.clearRequests();
				await pay(play, 1, 0);
				expect(paidFees(world)).toEqual(expect.arrayContaining(feesOf(world, 0)));
			},
		},
	},
]);
