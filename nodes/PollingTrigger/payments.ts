// Renewals of a subscription, told from the two fields that a renewal moves: the last payment status and the next renewal
// date. A service may move both at once, or one after the other, and so in two polls. The list has no record of a payment.
import type { IDataObject } from 'n8n-workflow';

import type { RowState } from './packedState';

/** A subscription as the list shows it, and what its earlier moves have told. Stored as JSON, in this order. */
type Stored = [
	payment: string | null,
	date: string | number | null,
	status: string | null,
	/** Days by which the date moved last. 0 if that isn't known. */
	period?: number,
	/** Time at which the payment moved and the date didn't, in milliseconds. 0 if the last renewal is complete. */
	openSince?: number,
];

const stored = (state: string | null) => JSON.parse(state ?? '[null,null,null]') as Stored;

export function paymentsOf(row: IDataObject): string {
	const { last_payment_status: payment, next_renewal_date: date, status } = row;
	return JSON.stringify([payment ?? null, date ?? null, status ?? null]);
}

export function paymentIn(state: string | null): string | null {
	const [payment] = stored(state);
	return payment === null ? null : String(payment);
}

/** The names are those of the API. */
export function renewalIn(state: string | null): IDataObject {
	const [payment, date] = stored(state);
	return { last_payment_status: payment, next_renewal_date: date };
}

const DAY = 24 * 60 * 60 * 1000;

/** Milliseconds, NaN if the date can't be told. */
const timeOf = (date: string | number | null) =>
	typeof date === 'number' ? date * 1000 : Date.parse(date ?? '');

export interface Renewal {
	state: string;
	/** A payment has an outcome that no poll has told. */
	isOutcome: boolean;
	warning?: string;
}

/** Milliseconds. */
interface Times {
	now: number;
	/** Time at which the subscription was read before. */
	before: number;
	/** A poll in between didn't show it. That can be the first poll after a long time, so `before` may be too late. */
	wasHidden: boolean;
}

/** At least this share of the days by which the date moved lies between two renewals: months have 28 to 31 days. */
const BETWEEN = 0.4;

/** A move of the next renewal date ahead. */
interface Move {
	days: number;
	/** Number of renewals, as far as the last move tells. */
	renewals: number;
	/** So much time has passed between two polls that several renewals may lie between. */
	mayBeSeveral: boolean;
	/** Nothing tells how much time has passed. */
	wasHidden: boolean;
	/** The status of the subscription has changed, too, but not the payment: the date may have moved without a payment. */
	mayBeNone: boolean;
}

/** A date that hasn't moved ahead, or is new, is no renewal. */
function moveOf(before: Stored, after: Stored, times: Times): Move | undefined {
	const [[payment, from, status, period = 0], [, to]] = [before, after];
	const days = (timeOf(to) - timeOf(from)) / DAY;
	// A date that can't be read has moved if it's another one.
	if (from === null || to === null || from === to || days <= 0) return undefined;
	const unread = (times.now - times.before) / DAY;
	return {
		days,
		renewals: period > 0 ? Math.round(days / period) : 1,
		mayBeSeveral: days >= 1 && unread >= days * BETWEEN,
		wasHidden: days >= 1 && times.wasHidden,
		mayBeNone: payment === after[0] && status !== after[2],
	};
}

/**
 * The date moves after the payment did, so both are one renewal. If the payment moved before the date was due, as by a retry,
 * and the date moves when it is due, that is the next renewal. A time zone makes a day's difference.
 */
function isSameRenewal([, date, , , openSince = 0]: Stored, { days }: Move, now: number): boolean {
	if (openSince === 0) return false;
	const due = timeOf(date) - Math.min(DAY, (days * DAY) / 4);
	return !(openSince < due && now >= due);
}

const SEVERAL = 'The list shows the outcome of the last one only.';

function warningOf(before: Stored, after: Stored, move: Move): string | undefined {
	const [, , status, period = 0] = before;
	const days = Math.round(move.days);
	if (move.mayBeNone) {
		return `The status of the subscription changed from ${String(status)} to ${String(after[2])}, too. The renewal date may have moved without a payment.`;
	}
	if (move.renewals > 1) {
		return `The renewal date moved by ${days} days, and by ${period} the time before: about ${move.renewals} renewals since the last poll. ${SEVERAL}`;
	}
	if (period > 0 || !(move.mayBeSeveral || move.wasHidden)) return undefined;
	const why = move.mayBeSeveral ? 'the last poll is long ago' : 'the last poll did not show it';
	return `The renewal date moved by ${days} days, and ${why}: there may have been several renewals. ${SEVERAL}`;
}

/** A date that moves far within a short time has another period from now on. */
function nextPeriod(move: Move | undefined, period: number): number {
	if (!move || move.days < 1 || move.mayBeNone) return period;
	return move.renewals > 1 && move.mayBeSeveral ? period : Math.round(move.days);
}

/** Leaves out what isn't known, so that rows of one state share a group. */
function stateOf([payment, date, status]: Stored, period: number, openSince: number): string {
	const all = [payment, date, status, period, openSince];
	while (all.at(-1) === 0) all.pop();
	return JSON.stringify(all);
}

/** A renewal moves the payment, the date or both. A first payment that is there when a subscription comes is told, too. */
export function renewalOf(now: RowState, earlier: RowState | undefined, times: Times): Renewal {
	const after = stored(now.status);
	if (!earlier) return { state: String(now.status), isOutcome: after[0] !== null };
	const before = stored(earlier.status);
	const [payment, date, , period = 0, openSince = 0] = before;
	const hasPaymentMoved = payment !== after[0];
	const move = moveOf(before, after, times);
	// If the same move has a second renewal, that one wasn't told.
	const isOne = !move?.mayBeSeveral || (period > 0 && move.renewals < 2);
	const isTold =
		!hasPaymentMoved && move !== undefined && isOne && isSameRenewal(before, move, times.now);
	const isOutcome = after[0] !== null && (hasPaymentMoved || (move !== undefined && !isTold));
	const staysOpen = date === after[1] ? openSince : 0;
	const nextOpen = hasPaymentMoved && !move ? times.now : staysOpen;
	return {
		state: stateOf(after, nextPeriod(move, period), nextOpen),
		isOutcome,
		warning: isOutcome && move ? warningOf(before, after, move) : undefined,
	};
}
