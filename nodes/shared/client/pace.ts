// When the next request may go out: after the pause that the API asked for, and within the rate that
// its refusals have shown.
//
// The model. A span is the time in which the API takes a quota of requests. A refusal ends a span,
// the first request after the pause begins the next one, and both together teach:
// - What the API took in the span is the quota: at so many it refuses.
// - How long it was from the beginning of that span to the beginning of the next one is its length.
//   (Retry-After is not the length: it is what was left of it when the refusal came.)
// What others use of the same limit makes the quota look smaller than it is, and nothing tells so.
// So the quota is only trusted when two refusals have shown the same. Until then it makes careful:
// beyond it one more request is tried, then twice as many each time that all of them were taken. So
// little time is lost, and one request is refused, not all that are in flight. Once it is trusted,
// no more than the quota goes out in a span, and the next trial is after one span, then two, four
// and eight as long as trials show the same: what others leave is found soon where they came
// lately, and few requests are refused where nothing changes. A trial that shows something else
// begins anew. Spans that nobody uses count too, so what is long past is tried again at once.

import { Pause } from './pause';

/** What a span is stretched by, since requests do not all take the same time to arrive. */
const MARGIN = 1.02;

/** The same for short spans, in milliseconds. */
const SLACK = 30;

/** A longer span is not kept to, in milliseconds: the API may say itself that it wants that. */
export const LONGEST_SPAN = 120_000;

/** Spans without a trial, at most. */
const LONGEST_REST = 8;

/** The difference between quotas that are the same. */
const SAME = 0.1;

/** Retry-After is in whole seconds, rounded up. */
const SECOND = 1000;

/**
 * Keeps requests within the API's rate limit. (A bound on requests in flight cannot do this: quick
 * answers let any bound run into the limit again after each pause.)
 *
 * All times are in milliseconds; a request is known by the time that it went out at.
 */
export class Pace {
	/** What the API has asked everybody to wait. */
	readonly pause = new Pause();

	/** Whether the API has refused since the span began, and for how long it then asked to wait. */
	private shut = false;

	private shutFor = 0;

	/** Whether the API has refused, and not taken anything since. */
	private unproven = false;

	/** How often the API has begun to take requests again after a refusal. */
	private reopenings = 0;

	/** When the span began, the requests that have gone out since, and those that were taken. */
	private opened = 0;

	private sent = 0;

	private taken = 0;

	/** Requests in flight. */
	private inFlight = 0;

	/** When the last span began in which anything was taken. */
	private before = 0;

	/** When the span began whose end showed the quota. */
	private measured = Infinity;

	/** Requests that the API takes in a span. */
	private quota = Infinity;

	/** The length of a span, 0 when it is not known or not kept to. */
	private span = 0;

	/** Whether the last two refusals showed the same quota. */
	private trusted = false;

	/** Spans until the next trial, and how many they were at first. */
	private rest = 0;

	private resting = 0;

	/** How many requests beyond the quota are tried in this span. */
	private trial = 0;

	/**
	 * Time to wait before asking again, Infinity for 'until an answer has come' while any request is
	 * in flight; at 0 the request may go out, and counts until it is answered or refused.
	 */
	hold(now: number): number {
		const paused = this.pause.left(now);
		if (paused > 0) return paused;
		if (this.shut) this.reopen(now);
		const length = this.span > 0 ? this.span * MARGIN + SLACK : Infinity;
		if (now >= this.opened + length) {
			this.quota = Math.max(this.quota, this.taken);
			this.measured = Infinity;
			const passed = Math.max(1, Math.floor((now - this.opened) / length));
			this.begin(now, Math.max(0, this.rest - passed));
		}
		const full = this.sent >= this.quota + this.trial;
		if (full && (length < Infinity || this.inFlight > 0)) return this.opened + length - now;
		this.sent++;
		this.inFlight++;
		return 0;
	}

	/** A request was answered, or failed otherwise than by a refusal. */
	answered(sent: number): void {
		this.inFlight--;
		this.pause.taken();
		if (sent < this.opened) {
			// It was under way when another one was refused, and had been taken all the same.
			if (sent >= this.measured) this.quota++;
			return;
		}
		this.taken++;
		if (this.unproven) this.measure();
		if (this.taken >= this.quota + this.trial) this.trial *= 2;
	}

	/**
	 * A request was refused.
	 * @param pause how long the API asks to wait; 0 when nobody will
	 * @param whose who waits, everybody unless said otherwise
	 */
	refused(now: number, sent: number, pause: number, whose = this.pause): void {
		this.inFlight--;
		if (pause <= 0) {
			// It tells nothing, so another one may go out in its place.
			if (sent >= this.opened) this.sent--;
			return;
		}
		// Others that were under way are refused with it: they tell nothing new.
		if (sent >= this.opened && !this.shut) {
			this.shut = true;
			this.shutFor = pause;
		}
		whose.extend(now, pause);
	}

	/** The pause after a refusal is over. */
	private reopen(now: number): void {
		// None at all: the pause was too short, or others were quicker. That is no quota.
		if (this.taken > 0) {
			const difference = Math.abs(this.taken - this.quota);
			this.trusted = this.span > 0 && difference <= Math.max(1, SAME * this.quota);
			this.resting = this.trusted ? Math.min(LONGEST_REST, Math.max(1, 2 * this.resting)) : 0;
			this.rest = this.resting;
			this.quota = this.taken;
			this.measured = this.opened;
		}
		this.shut = false;
		this.unproven = true;
		this.begin(now, this.rest);
	}

	private begin(now: number, rest: number): void {
		if (this.taken > 0) this.before = this.opened;
		this.opened = now;
		this.sent = 0;
		this.taken = 0;
		this.rest = rest;
		this.trial = rest > 0 ? 0 : 1;
	}

	/** The API takes requests again, for the first time since it refused. */
	private measure(): void {
		this.unproven = false;
		// Before the first refusal others may have sent: when that span began is not known.
		if (this.reopenings++ === 0) return;
		const passed = Math.max(this.shutFor, this.opened - this.before - SECOND);
		// A span that a trial ended may have begun late.
		const span = this.trusted ? Math.max(this.span, passed) : passed;
		this.span = span > LONGEST_SPAN ? 0 : span;
		// Without a span nothing else would ever end the rest.
		if (this.span === 0) this.trial = 1;
	}
}
