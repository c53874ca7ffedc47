// The rate limit of a route or of the whole key, learned from refusals: a sliding window log.
//
// - The API documents no limit, so nothing is held back before the first refusal. That one shows a window as
//   long as Retry-After, and the quota begins with one request.
// - Beyond the quota, probes find out if the API accepts more: one, and twice as many each time that they are
//   accepted (slow start).
// - The next refusal shows the quota: the requests that were accepted in the window before it.
// - Other clients' traffic makes the quota look smaller, so probes begin again after a rest, which doubles
//   while refusals show the same quota (exponential backoff).
import { Pause } from './pause';

/** Milliseconds for which the past counts. Longer windows aren't learned. */
export const MEMORY = 120_000;

/** Max windows of rest, until probes begin again. */
const LONGEST_REST = 8;

/** Requests take different times to arrive, so windows are kept a little longer. */
const MARGIN = 1.02;

/** Milliseconds. Retry-After is in whole seconds, rounded up. */
export const SECOND = 1000;

/** A request that was sent. */
export interface SentRequest {
	readonly at: number;
}

/** All times are milliseconds of a monotonic clock. */
export class RateLimit {
	readonly pause = new Pause();

	/** The newest pause has been learned from, or was about another limit. */
	private isLearned = true;

	/** Requests that the API accepts in a window. Infinity before the first refusal. */
	private quota = Infinity;

	private windowMs = 0;

	/** Requests that were accepted or are in flight, oldest first, once there is a quota. */
	private log: SentRequest[] = [];

	/** The quota that the last refusal showed. Since then, each accepted probe has raised `quota` by one. */
	private refusedQuota = 0;

	private restWindows = 0;

	private nextProbe = 0;

	/** Milliseconds until the next request may be sent. */
	delay(now: number): number {
		if (this.pause.isOn(now)) return this.pause.until - now;
		// Not before its end, because requests in flight count as well.
		if (!this.isLearned) this.learn();
		const untilQuota = this.untilFewerThan(this.quota, now);
		// Late in a window, a probe would fall into the server's next one and show nothing. With an even load
		// there is no better moment.
		const isEarly = untilQuota > this.windowMs / 8;
		const isOverdue = now > this.nextProbe + LONGEST_REST * this.windowMs;
		if (now < this.nextProbe || !(isEarly || isOverdue)) return untilQuota;
		const acceptedProbes = this.quota - this.refusedQuota;
		return this.untilFewerThan(this.quota + acceptedProbes + 1, now);
	}

	/** Milliseconds until there are fewer than `count` requests in the window. */
	private untilFewerThan(count: number, now: number): number {
		const oldest = this.log.at(-count);
		return oldest ? Math.max(0, oldest.at + this.windowMs * MARGIN - now) : 0;
	}

	sent(request: SentRequest): void {
		if (this.quota === Infinity) return;
		this.log.push(request);
		if (this.log[0].at < request.at - 2 * MEMORY) this.log = this.since(request.at - MEMORY);
	}

	/** True if a request goes beyond the quota of the window before it. */
	isProbe(request: SentRequest): boolean {
		const first = this.log[this.log.lastIndexOf(request) - this.quota];
		return first?.at > request.at - this.windowMs * MARGIN;
	}

	/** The API processed a request. */
	accepted(request: SentRequest): void {
		if (this.isProbe(request)) this.quota++;
		this.pause.accepted(request.at);
	}

	/** The API refused a request, and asked for a pause. */
	refused(request: SentRequest, now: number, pause: number): void {
		this.lost(request);
		// Requests that were in flight are refused as well, and show nothing new.
		if (!this.pause.isOn(now)) this.isLearned = false;
		this.pause.refused(request.at, now, pause);
	}

	/** A request was refused or failed. If it failed, the API may have counted it, but that isn't sure. */
	lost(request: SentRequest): void {
		const index = this.log.lastIndexOf(request);
		if (index >= 0) this.log.splice(index, 1);
	}

	/** Doesn't learn from the newest pause, which was about another limit. The pause itself stays. */
	forgetRefusal(): void {
		this.isLearned = true;
	}

	/** Learns the quota and the window from the newest pause, when it's over. */
	private learn(): void {
		this.isLearned = true;
		const { asked, until } = this.pause;
		// A window that long isn't learned. Requests begin with one a second, not all at once.
		if (asked > MEMORY) return this.set(1, SECOND, 0);
		if (this.quota === Infinity) return this.set(1, asked, 0);
		let accepted = this.since(until - this.windowMs - SECOND);
		if (accepted.length === 0 && asked > this.windowMs) accepted = this.since(until - MEMORY);
		// Nothing was accepted, so the refusal shows the traffic of other clients.
		if (accepted.length === 0) return this.set(this.quota, this.windowMs, 0);
		const quota = accepted.length;
		// Retry-After is only the rest of the window.
		const windowMs = Math.max(asked, until - accepted[0].at - SECOND);
		const isSame = Math.abs(quota - this.quota) <= Math.max(1, quota / 10);
		if (!isSame) return this.set(quota, windowMs, 0);
		const rest = Math.min(LONGEST_REST, Math.max(1, 2 * this.restWindows));
		this.set(quota, Math.max(this.windowMs, windowMs), rest);
	}

	private set(quota: number, windowMs: number, restWindows: number): void {
		this.quota = quota;
		this.refusedQuota = quota;
		this.windowMs = windowMs;
		this.restWindows = restWindows;
		this.nextProbe = this.pause.until + restWindows * windowMs;
	}

	private since(moment: number): SentRequest[] {
		return this.log.filter(({ at }) => at > moment);
	}
}
