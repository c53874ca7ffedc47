// What the example promises that pays partners, and the fees of a month.
import { noneTwice, type Promises, type Seen } from './scenes.cts';

/** Partners whom the example pays: it reads ten. */
export const partners = ({ sandbox }: Seen) =>
	sandbox.state.partners.partners.rows.slice(0, 3).map(({ id }) => id);

/** A fee of each partner and month. Those of the seeds would only take n8n time. */
export function addFees(world: Seen, month: number): void {
	const { fees } = world.sandbox.state.partners;
	for (const { id } of fees.rows.filter((fee) => !fee.id.startsWith('fee-m'))) fees.remove(id);
	for (const partner_id of partners(world)) {
		const id = `fee-m${month}-${partner_id}`;
		if (fees.get(id)) continue;
		fees.add({ id, partner_id, source_charge: `chg-${month}`, fee_value: 12.5, status: 'pending' });
	}
}

/** Fees in payouts, as they were asked for: also those that the service has refused because they were in one already. */
const askedFor = ({ sandbox }: Seen) =>
	sandbox.requests
		.filter(
			({ method, path, status }) =>
				method === 'POST' && path.endsWith('/partners/payouts.json') && isProcessed(status),
		)
		.flatMap(({ body }) => (body as { payout: { transactions: string[] } }).payout.transactions);

const isProcessed = (status: number | null) =>
	status === null || status < 300 || status === 409 || status === 400;

/** Partners whom the last run names for a person to look at. */
export const told = ({ runs }: Seen) =>
	['Not paid', 'Please check'].flatMap(
		(node) =>
			runs
				.at(-1)
				?.rows(node)
				.map(({ partner }) => String(partner)) ?? [],
	);

/** Payouts of fees that `addFees` has added. */
export const ownPayouts = ({ sandbox }: Seen) =>
	sandbox.state.payouts.payouts.rows.filter(({ fees }) =>
		fees.some((id) => id.startsWith('fee-m')),
	);

export const paysPartners: Promises = {
	never: {
		'A fee is in one payout, and no second one is asked for': (world) => noneTwice(askedFor(world)),
		'A payout is mailed once': ({ mails }) => noneTwice(mails.map(({ subject }) => subject)),
		'What is paid was mailed before': (world) => {
			const mailed = world.mails.map(({ subject }) => subject.split(' ').at(-1));
			const paid = ownPayouts(world).filter(({ status }) => status === 'paid');
			expect(paid.map(({ id }) => id).filter((id) => !mailed.includes(id))).toEqual([]);
		},
	},
	holds: {
		'Each fee is paid, or its partner is named for a person to look at': (world) => {
			const named = told(world);
			const paid = ownPayouts(world).filter(({ status }) => status === 'paid');
			const settled = paid.flatMap(({ fees }) => fees);
			const open = world.occasions.flatMap((month) =>
				partners(world).map((id) => ({ fee: `fee-m${month}-${id}`, id })),
			);
			expect(open.filter(({ fee, id }) => !settled.includes(fee) && !named.includes(id))).toEqual(
				[],
			);
		},
	},
};
