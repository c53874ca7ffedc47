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
//
// An API that counts in a window of its own sees the end of one span and the beginning of the next one
// together. So each request goes out a span after the API counted the one that is a quota before it:
// a span keeps the shape of the one before it, and no such window has more than the quota.

import { Pause } from './pause';

/** What a span is stretched by, since its length is not known exactly. */
const MARGIN = 1.02;

/** How late the API may be taken to count a request, as a part of a span: a slow answer says no more. */
const LATEST = 0.05;

/** A longer span is not kept to, in milliseconds: the API may say itself that it wants that. */
export const LONGEST_SPAN = 120_000;

/** Spans without a trial, at most. */
const LONGEST_REST = 8;

/** The difference between quotas that are the same. */
const SAME = 0.1;

/** Retry-After is in whole seconds, rounded up. */
const SECOND = 1000;

/** A request of a span. */
interface Place {
	sent: number;
	/** How long its answer took, once it was taken. */
	latency?: number;
}

/** What went out in a span. */
class Span {
	/** Requests that have gone out, and how many of them were taken. */
	sent = 0;

	taken = 0;

	/** The requests, in their order, since the length of a span is known. */
	readonly places: Place[] = [];

	private quickest = Infinity;

	/**
	 * @param opened when it began
	 * @param trial how many requests beyond the quota are tried in it
	 */
	constructor(
		readonly opened: number,
		public trial: number,
	) {}

	take(sent: number, latency: number): void {
		this.taken++;
		this.quickest = Math.min(this.quickest, latency);
		// What is in flight stands near the end.
		const place = this.places.findLast((each) => each.sent === sent && each.latency === undefined);
		if (place) place.latency = latency;
	}

	/**
	 * By when the API had counted a request. What its answer took longer than the quickest one can have
	 * been before that or after it, but the way of the next one is no shorter than that of the quickest.
	 * @param index of its place, from the end; before all there are is long past
	 * @param latest milliseconds after it went out
	 */
	counted(index: number, latest: number): number {
		const place = this.places.at(index);
		if (!place) return -Infinity;
		const { sent, latency } = place;
		return sent + (latency === undefined ? latest : Math.min(latest, latency - this.quickest));
	}
}

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

	/** When the request went out that it refused. */
	private shutAt = 0;

	/** Whether the API has refused, and not taken anything since. */
	private unproven = false;

	/** How often the API has begun to take requests again after a refusal. */
	private reopenings = 0;

	private span = new Span(0, 0);

	/** The last span in which anything was taken. */
	private last = new Span(Infinity, 0);

	/** Whether it ended without a refusal. */
	private isFree = false;

	/** Requests in flight. */
	private inFlight = 0;

	/** Requests that the API takes in a span. */
	private quota = Infinity;

	/** The length of a span, 0 when it is not known or not kept to. */
	private length = 0;

	/** Whether the last two refusals showed the same quota. */
	private trusted = false;

	/** Spans until the next trial, and how many they were at first. */
	private rest = 0;

	private resting = 0;

	/**
	 * Time to wait before asking again, Infinity for 'until an answer has come' while any request is
	 * in flight; at 0 the request may go out, and counts until it is answered or refused.
	 */
	hold(now: number): number {
		const paused = this.pause.left(now);
		if (paused > 0) return paused;
		if (this.shut) this.reopen(now);
		const length = this.length > 0 ? this.length * MARGIN : Infinity;
		if (now >= this.end(length)) {
			const { opened, taken } = this.span;
			this.quota = Math.max(this.quota, taken);
			const passed = Math.max(1, Math.floor((now - opened) / length));
			this.begin(now, Math.max(0, this.rest - passed));
			this.isFree = true;
		}
		const turn = this.turn(length);
		if (turn > now && (turn < Infinity || this.inFlight > 0)) return turn - now;
		this.span.sent++;
		if (length < Infinity) this.span.places.push({ sent: now });
		this.inFlight++;
		return 0;
	}

	/** When the span ends that nothing else ends, and the next one may begin. */
	private end(length: number): number {
		const { span, quota } = this;
		return Math.max(span.opened, this.countedBy(span, -quota)) + length;
	}

	/** When the next request of the span may go out: a span after the one that is a quota before it. */
	private turn(length: number): number {
		const { span, last, quota } = this;
		if (span.sent >= quota + span.trial) return this.end(length);
		if (!this.isFree || span.sent >= quota) return 0;
		return this.countedBy(last, span.sent - quota) + length;
	}

	private countedBy(span: Span, index: number): number {
		return span.counted(index, LATEST * this.length);
	}

	/** Whether a refusal of a request is no more than that: it was beyond the quota, or beside one that was. */
	isTrial(sent: number): boolean {
		const { sent: count } = sent >= this.span.opened ? this.span : this.last;
		return count > this.quota;
	}

	/** A request was answered, or failed otherwise than by a refusal. */
	answered(now: number, sent: number): void {
		this.inFlight--;
		this.pause.taken();
		const { span, last } = this;
		if (sent >= span.opened) {
			span.take(sent, now - sent);
			if (this.unproven) this.measure();
			if (span.taken >= this.quota + span.trial) span.trial *= 2;
		} else if (sent >= last.opened) {
			// It was under way when its span ended, and had been taken all the same.
			last.take(sent, now - sent);
			if (last.taken <= this.quota) return;
			this.quota = last.taken;
			if (last.taken === last.sent) span.trial = Math.max(span.trial, 2 * last.trial);
		}
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
			if (sent >= this.span.opened) this.span.sent--;
			return;
		}
		// Others that were under way are refused with it: they tell nothing new.
		if (sent >= this.span.opened && !this.shut) {
			this.shut = true;
			this.shutAt = sent;
			this.shutFor = pause;
		}
		whose.extend(now, pause);
	}

	/** The pause after a refusal is over. */
	private reopen(now: number): void {
		const { span, last, length } = this;
		// None at all: the pause was too short, or others were quicker. That is no quota.
		if (span.taken > 0) {
			// The API may have counted from before the span.
			const since = this.shutAt - length;
			const before = last.places.filter((each) => each.latency !== undefined && each.sent > since);
			const counted = span.taken + (this.isFree ? before.length : 0);
			const taken = Math.max(span.taken, Math.min(this.quota, counted));
			const difference = Math.abs(taken - this.quota);
			this.trusted = length > 0 && difference <= Math.max(1, SAME * this.quota);
			this.resting = this.trusted ? Math.min(LONGEST_REST, Math.max(1, 2 * this.resting)) : 0;
			this.rest = this.resting;
			this.quota = taken;
		}
		this.shut = false;
		this.unproven = true;
		this.begin(now, this.rest);
		this.isFree = false;
	}

	private begin(now: number, rest: number): void {
		if (this.span.taken > 0) this.last = this.span;
		this.rest = rest;
		this.span = new Span(now, rest > 0 ? 0 : 1);
	}

	/** The API takes requests again, for the first time since it refused. */
	private measure(): void {
		this.unproven = false;
		// Before the first refusal others may have sent: when that span began is not known.
		if (this.reopenings++ === 0) return;
		const passed = Math.max(this.shutFor, this.span.opened - this.last.opened - SECOND);
		// A span that a trial ended may have begun late.
		const length = this.trusted ? Math.max(this.length, passed) : passed;
		this.length = length > LONGEST_SPAN ? 0 : length;
		// Without a length nothing else would ever end the rest.
		if (this.length === 0) this.span.trial = 1;
	}
}
