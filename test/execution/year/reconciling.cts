// What the example promises that reconciles payments, and the renewals of a month.
import { noneTwice, type Promises, type Seen } from './scenes.cts';

/** Subscriptions that renew. */
export const renewing = ({ sandbox }: Seen) =>
	sandbox.state.subscriptions.subscriptions.rows.filter(({ status }) => status !== 'dismiss');

/** The next renewal of each subscription before the first month. */
const begins = new WeakMap<object, string>();

/** Renews all subscriptions for a month, once: each is paid, but for one that fails every second month. */
export function renew(seen: Seen, month: number): void {
	for (const [index, subscription] of renewing(seen).entries()) {
		const begin = begins.get(subscription) ?? subscription.renews_on;
		begins.set(subscription, begin);
		const date = new Date(begin);
		date.setUTCMonth(date.getUTCMonth() + month + 1);
		const renewal = date.toISOString().slice(0, 10);
		if (subscription.renews_on === renewal) continue;
		subscription.renews_on = renewal;
		subscription.last_payment_status = index === 0 && month % 2 === 1 ? 'failed' : 'paid';
	}
}

const lines = ({ runs }: Seen) =>
	runs.flatMap(({ newRows }) => [...newRows('Received payment'), ...newRows('Open payment')]);

export const reconciles: Promises = {
	never: {
		'A payment is one line': (world) =>
			noneTwice(lines(world).map(({ subscription, renewal }) => `${subscription} ${renewal}`)),
	},
	holds: {
		'Each payment of each subscription is a line': (world) => {
			expect(lines(world)).toHaveLength(renewing(world).length * world.occasions.length);
			const failed = world.occasions.filter((month) => month % 2 === 1).length;
			expect(lines(world).filter(({ payHere }) => payHere)).toHaveLength(failed);
			for (const line of lines(world)) {
				expect(line).toMatchObject({
					payment: line.payHere ? 'failed' : 'paid',
					before: expect.stringMatching(/^(paid|failed)$/),
					company: expect.any(String),
				});
			}
		},
	},
};
