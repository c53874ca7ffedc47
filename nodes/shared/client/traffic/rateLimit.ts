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

/** The server's clock and ours differ a little, so windows are kept a little longer. */
const MARGIN = 1.02;

/** Milliseconds. Retry-After is in whole seconds, rounded up. */
export const SECOND = 1000;

/** A request that was sent. */
export interface SentRequest {
	readonly at: number;
	/** Time of its response, if the API processed it. */
	acceptedAt?: number;
}

/** All times are milliseconds of a monotonic clock. */
export class RateLimit {
	readonly pause = new Pause();

	/** The longest pause that hasn't been learned from yet, 0 if there's none. */
	private unlearned = 0;

	/** Requests that the API accepts in a window. Infinity before the first refusal. */
	private quota = Infinity;

	private windowMs = 0;

	/** Requests that were accepted or are in flight, oldest first, once there is a quota. */
	private log: SentRequest[] = [];

	/** The quota when the newest probes began. Each one that is accepted raises `quota` by one. */
	private probedFrom = 0;

	/** Requests of the log that were sent beyond the quota. */
	private readonly probes = new WeakSet<SentRequest>();

	private restWindows = 0;

	private nextProbe = 0;

	/** Milliseconds until the next request may be sent. First learns from a pause that is over. */
	delay(now: number): number {
		if (this.pause.isOn(now)) return this.pause.until - now;
		// Not before its end, because requests in flight count as well.
		if (this.unlearned > 0) this.learn(this.unlearned, this.pause.until);
		if (this.quota === Infinity) return 0;
		const untilQuota = this.untilFewerThan(this.quota, now);
		if (!this.mayProbe(now, untilQuota)) return untilQuota;
		const acceptedProbes = this.quota - this.probedFrom;
		return this.untilFewerThan(this.quota + acceptedProbes + 1, now);
	}

	/**
	 * A probe shows something only early in a window. Late in it, the server may count it in its next window.
	 * With an even load it's always late, so after a long time without a refusal it may be sent anyway.
	 */
	private mayProbe(now: number, untilQuota: number): boolean {
		if (untilQuota > this.windowMs / 8) return now >= this.nextProbe;
		return now > this.nextProbe + LONGEST_REST * this.windowMs;
	}

	/** Milliseconds until there are fewer than `count` requests in the window. */
	private untilFewerThan(count: number, now: number): number {
		const oldest = this.log.at(-count);
		return oldest ? Math.max(0, this.arrivedBy(oldest) + this.windowMs * MARGIN - now) : 0;
	}

	/**
	 * Time by which a request arrived, so its window begins there. While n8n is busy, some are on their way for long.
	 * But the response to a slow one comes late, so it's a small part of a window at most.
	 */
	private arrivedBy({ at, acceptedAt = Infinity }: SentRequest): number {
		return Math.min(acceptedAt, at + this.windowMs / 16);
	}

	sent(request: SentRequest): void {
		if (this.quota === Infinity) return;
		if (this.untilFewerThan(this.quota, request.at) > 0) this.probes.add(request);
		this.log.push(request);
		if (this.log[0].at < request.at - 2 * MEMORY) this.log = this.since(request.at - MEMORY);
	}

	/** True if a request goes beyond the quota of the window before it. */
	isProbe(request: SentRequest): boolean {
		return this.probes.has(request);
	}

	/** The API processed a request. */
	accepted(request: SentRequest, now: number): void {
		request.acceptedAt = now;
		if (this.isProbe(request)) this.quota++;
		this.pause.accepted(request.at);
	}

	/** The API refused a request, and asked for a pause. */
	refused(request: SentRequest, now: number, pause: number): void {
		this.lost(request);
		// Requests that were in flight are refused as well, and show nothing new.
		if (!this.pause.isOn(now)) this.unlearned = Math.max(this.unlearned, pause);
		this.pause.refused(request.at, now, pause);
	}

	/** A request was refused or failed. If it failed, the API may have counted it, but that isn't sure. */
	lost(request: SentRequest): void {
		const index = this.log.lastIndexOf(request);
		if (index >= 0) this.log.splice(index, 1);
	}

	/** Doesn't learn from the newest pause, which was about another limit. The pause itself stays. */
	forgetRefusal(): void {
		this.unlearned = 0;
	}

	/** Learns the quota and the window from the newest pause, when it's over. */
	private learn(asked: number, until: number): void {
		this.unlearned = 0;
		// A window that long isn't learned. Requests begin with one a second, not all at once.
		if (asked > MEMORY) return this.set(1, SECOND, 0);
		if (this.quota === Infinity) return this.set(1, asked, 0);
		// The window may have begun up to a second earlier, because Retry-After is rounded up.
		let accepted = this.since(until - this.windowMs - SECOND);
		// A longer pause than the window shows that the window is too short, unless refusals have confirmed it.
		const isConfirmed = this.restWindows > 0;
		const isTooShort = asked > this.windowMs && !isConfirmed;
		if (accepted.length === 0 && isTooShort) accepted = this.since(until - MEMORY);
		// Nothing was accepted, so the refusal shows an outage or the traffic of other clients.
		if (accepted.length === 0) return this.set(this.quota, this.windowMs, 0);
		const quota = accepted.length;
		// From the first request of the window to the end of the pause. Retry-After is only the rest of it.
		const windowMs = Math.max(asked, until - this.arrivedBy(accepted[0]) - SECOND);
		const isSame = Math.abs(quota - this.quota) <= Math.max(1, quota / 10);
		if (!isSame) return this.set(quota, windowMs, 0);
		const rest = Math.min(LONGEST_REST, Math.max(1, 2 * this.restWindows));
		// A refusal that comes early in a window shows only a part of its length.
		this.set(quota, Math.max(this.windowMs, windowMs), rest);
	}

	/** Probes begin again after the rest. */
	private set(quota: number, windowMs: number, restWindows: number): void {
		this.quota = quota;
		this.probedFrom = quota;
		this.windowMs = windowMs;
		this.restWindows = restWindows;
		this.nextProbe = this.pause.until + restWindows * windowMs;
	}

	private since(moment: number): SentRequest[] {
		return this.log.filter((request) => this.arrivedBy(request) > moment);
	}
}
