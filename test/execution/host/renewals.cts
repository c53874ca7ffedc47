// A year of subscriptions at a service: renewals that are paid or fail, retries, pauses, cancellations and new ones.
import type { IDataObject } from 'n8n-workflow';
import type { Random } from '../../sandbox/random.cts';

const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** A row of the list. */
export const row = (payment: unknown, date: unknown, more: IDataObject = {}): IDataObject => ({
	id: 'rec-1',
	customerId: 'cus-1',
	subscription_reference: 'sub-1',
	status: 'active',
	next_renewal_date: date as string,
	last_payment_status: payment as string,
	...more,
});

/** How a service moves the two fields. */
export interface Ways {
	/** Hours between the payment and the date. 0 for at once. */
	apart: number;
	/** The date also moves if the payment fails. */
	movesFailed: boolean;
}

export interface Subscription {
	row: IDataObject;
	due: number;
	/** Number of outcomes, and that of renewals, which have changed what the list shows. */
	shown: number;
	renewals: number;
	nextAt: number;
	retries: number;
	isHidden?: boolean;
	isPaused?: boolean;
	/** Number of pauses whose end has moved its date, which tells nothing of its period. */
	pauses: number;
}

const isoOf = (time: number) => new Date(time).toISOString().replace('.000Z', '+00:00');

/** A year of subscriptions at a service. */
export class Year {
	now = Date.parse('2026-01-01T00:00Z');

	readonly all: Subscription[] = [];

	/** What shall happen, by time. */
	private pending: Array<{ time: number; run: () => void }> = [];

	constructor(
		private readonly random: Random,
		private readonly ways: Ways,
		count: number,
	) {
		for (let n = 0; n < count; n++) this.add(random.pick(['paid', 'paid', 'failed']));
	}

	private add(payment: string): void {
		const { random } = this;
		const due = Math.floor(this.now / DAY) * DAY + random.int(1, 30) * DAY;
		const id = `rec-${this.all.length}`;
		const added = { row: row(payment, isoOf(due), { id }), due, shown: 0, renewals: 0, pauses: 0 };
		this.all.push({ ...added, nextAt: this.chargeAt(due), retries: 0 });
	}

	/** A service charges in its own time zone, and not all at once. */
	private readonly chargeAt = (due: number) => due + this.random.int(-10, 10) * HOUR;

	private readonly monthAfter = (due: number) => due + this.random.int(28, 31) * DAY;

	private later(hours: number, run: () => void): void {
		if (hours === 0) run();
		else this.pending.push({ time: this.now + hours * HOUR, run });
	}

	/** One try to take a payment. */
	private charge(one: Subscription): void {
		const { random, ways } = this;
		const isRetry = one.retries > 0;
		const isPaid = random.chance(isRetry ? 0.6 : 0.8);
		const outcome = isPaid ? 'paid' : 'failed';
		const moves = isRetry ? isPaid && !ways.movesFailed : isPaid || ways.movesFailed;
		const isShown = one.row.last_payment_status !== outcome;
		const date = this.monthAfter(one.due);
		const renew = () => {
			one.row = { ...one.row, next_renewal_date: isoOf(date) };
			one.renewals++;
			if (!isShown) one.shown++;
		};
		one.row = { ...one.row, last_payment_status: outcome };
		if (isShown) one.shown++;
		const hours = isShown ? random.int(0, ways.apart) : 0;
		if (moves) {
			one.due = date;
			this.later(hours, renew);
		}
		one.retries = isPaid ? 0 : one.retries + 1;
		const isLeft = one.retries > 2 && ways.movesFailed;
		const retryAt = this.now + 3 * DAY;
		one.nextAt =
			isPaid || isLeft ? Math.max(this.chargeAt(one.due), this.now + 31 * HOUR) : retryAt;
		if (isLeft) one.retries = 0;
	}

	/** A pause, its end, a cancellation, a new subscription. */
	private stir(): void {
		const { random } = this;
		const one = random.pick(this.all);
		if (random.chance(0.2)) this.add('pending');
		else if (one.row.status === 'dismiss' || one.retries > 0) return;
		else if (random.chance(0.3)) {
			one.row = { ...one.row, status: 'dismiss', next_renewal_date: null };
			one.nextAt = Infinity;
		} else if (!one.isPaused) {
			Object.assign(one, { isPaused: true, nextAt: Infinity });
			one.row = { ...one.row, status: 'paused' };
		} else {
			one.due = Math.max(one.due, Math.floor(this.now / DAY) * DAY) + random.int(2, 20) * DAY;
			one.pauses++;
			Object.assign(one, { isPaused: false, nextAt: this.chargeAt(one.due) });
			one.row = { ...one.row, status: 'active', next_renewal_date: isoOf(one.due) };
		}
	}

	pass(hours: number): void {
		for (let hour = 0; hour < hours; hour++) {
			this.now += HOUR;
			const due = this.pending.filter(({ time }) => time <= this.now);
			this.pending = this.pending.filter(({ time }) => time > this.now);
			for (const { run } of due) run();
			for (const one of this.all) if (one.nextAt <= this.now) this.charge(one);
			// Nothing stirs while a renewal is half done.
			if (this.pending.length === 0 && this.random.chance(0.02)) this.stir();
		}
	}
}
