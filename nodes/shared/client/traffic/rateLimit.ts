// The rate limit of a route or of the whole key, learned from refusals: a sliding window log, whose length
// and quota they show.
//
// The first guess is one request in the time of Retry-After. Beyond the quota more may go: one, and twice as
// many each time that they are accepted (slow start). A refusal then shows how many are accepted in a window.
// Other clients' traffic makes the quota look smaller, so probing begins again after a rest. The rest doubles
// while refusals show the same quota (exponential backoff). Retry-After isn't the length of the window but
// the rest of it, rounded up to a second.

/** Milliseconds for which the past counts. Longer windows aren't learned. */
export const MEMORY = 120_000;

/** Max windows of rest, until probing begins again. */
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
	/** The newest pause. Refusals during it don't move its start. */
	pausedSince = Infinity;

	pausedUntil = -Infinity;

	/** Start of the refusals since the last accepted request. */
	refusingSince = Infinity;

	private refusedAt = -Infinity;

	/** Requests that the API accepts in a window, and how many the last refusal showed. */
	private quota = Infinity;

	private measuredQuota = 0;

	private windowMs = 0;

	private nextProbe = 0;

	private restWindows = 0;

	/** Once there is a quota: requests that were accepted or are in flight, oldest first. Refusals don't clear it. */
	private log: SentRequest[] = [];

	/** Pause of a refusal that isn't measured yet. It's measured when the pause is over, as requests in flight count. */
	private unmeasured?: number;

	isPaused(now: number): boolean {
		return now < this.pausedUntil;
	}

	/** Learns from the last refusal, then returns the milliseconds until the next request may be sent. */
	delay(now: number): number {
		if (this.isPaused(now)) return this.pausedUntil - now;
		if (this.unmeasured) this.measure(this.unmeasured, this.pausedUntil);
		if (this.quota === Infinity) return 0;
		const untilQuota = this.untilFewerThan(this.quota, now);
		// Late in a window, a probe would fall into the server's next one and show nothing. With an even load
		// there is no better moment.
		const isEarly = untilQuota > this.windowMs / 8;
		const isOverdue = now - this.nextProbe > LONGEST_REST * this.windowMs;
		if (now < this.nextProbe || !(isEarly || isOverdue)) return untilQuota;
		const proven = this.quota - this.measuredQuota;
		return this.untilFewerThan(this.quota + proven + 1, now);
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
		// The API accepts requests again, so its pause is over.
		if (request.at <= this.refusedAt) return;
		this.pausedUntil = Math.min(request.at, this.pausedUntil);
		this.refusingSince = Infinity;
	}

	/** The API refused a request. If this limit is meant, it asked for a pause. */
	refused(request: SentRequest, now: number, pause?: number): void {
		this.lost(request);
		if (!pause) return;
		// Requests that were in flight are refused as well, and show nothing new.
		if (!this.isPaused(now)) {
			this.unmeasured ??= pause;
			this.pausedSince = now;
		}
		// The newest request has the newest pause.
		const isNewer = request.at > this.refusedAt;
		this.pausedUntil = isNewer ? now + pause : Math.max(this.pausedUntil, now + pause);
		this.refusingSince = Math.min(this.refusingSince, now);
		this.refusedAt = now;
	}

	/** A request failed. The API may have counted it, but that isn't sure. */
	lost(request: SentRequest): void {
		const index = this.log.lastIndexOf(request);
		if (index >= 0) this.log.splice(index, 1);
	}

	/** Doesn't learn from the last refusal, which was about another limit. Its pause stays. */
	forgetRefusal(): void {
		this.unmeasured = undefined;
	}

	/**
	 * Learns from a refusal: the requests accepted in the window before it are the quota.
	 * @param end of its pause, when the next window began
	 */
	private measure(pause: number, end: number): void {
		this.unmeasured = undefined;
		let accepted = this.since(end - this.windowMs - SECOND);
		// A longer pause shows a longer window. Else, with none in it, others' requests were refused.
		if (accepted.length === 0 && pause > this.windowMs) accepted = this.since(end - MEMORY);
		const quota = accepted.length;
		const isSame = quota > 0 && Math.abs(quota - this.quota) <= Math.max(1, this.quota / 10);
		if (quota > 0) {
			const passed = Math.max(pause, end - accepted[0].at - SECOND);
			this.windowMs = isSame ? Math.max(this.windowMs, passed) : passed;
			this.quota = quota;
		} else if (this.quota === Infinity) {
			this.windowMs = pause;
			this.quota = 1;
		}
		this.measuredQuota = this.quota;
		this.restWindows = isSame ? Math.min(LONGEST_REST, Math.max(1, 2 * this.restWindows)) : 0;
		this.nextProbe = end + this.restWindows * this.windowMs;
		if (this.windowMs > MEMORY) this.restart();
	}

	/** After a pause that is too long to be learned, requests begin with one a second, not all at once. */
	private restart(): void {
		this.quota = 1;
		this.measuredQuota = 1;
		this.windowMs = SECOND;
		this.nextProbe = 0;
		this.log = [];
	}

	private since(moment: number): SentRequest[] {
		return this.log.filter(({ at }) => at > moment);
	}
}
