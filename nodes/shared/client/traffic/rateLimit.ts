// The rate limit of a route or of the whole key, learned from its refusals: a sliding window log
// whose quota and length they show.
//
// Retry-After of the first refusal is a first guess at the window's length. The quota begins with one
// and is probed: one more request may go, then two, four and so on while they are accepted (slow start).
// Each further refusal shows how many were accepted in the window. Other users of the limit make the
// quota look smaller than it is, so the probing goes on, after a rest that doubles while refusals show
// the same. Retry-After itself is not the length, but what was left of it, rounded up to a second.

/** Milliseconds for which the past counts: no longer window is kept to. */
export const MEMORY = 120_000;

/** Windows without a probe at most, after refusals that showed the same quota, or for want of a good moment. */
const LONGEST_REST = 8;

/** Requests take different times on their way, so a window is kept to with a margin. */
const MARGIN = 1.02;

/** Milliseconds: Retry-After is in whole seconds, rounded up. */
export const SECOND = 1000;

/** A request that went out. */
export interface SentRequest {
	readonly at: number;
	/** It was sent beyond the quota. */
	readonly isProbe: boolean;
}

/**
 * All times are milliseconds of a clock that only goes forward. Ask `delay` before each request, tell it
 * with `sent`, and what came of it with `accepted`, `refused` or `lost`.
 */
export class RateLimit {
	/** The newest pause that the API asked for. */
	pausedSince = Infinity;

	pausedUntil = -Infinity;

	/** Since when the API has refused requests and accepted none. */
	refusingSince = Infinity;

	/** When the newest refusal came. */
	refusedAt = -Infinity;

	/** Requests that the API accepts in a window. */
	private quota = Infinity;

	private windowMs = 0;

	/** When these were measured. */
	private measuredAt = 0;

	/** Requests beyond the quota that a probe sends, and how many of them are still to be accepted. */
	private probeSize = 1;

	private probesLeft = 1;

	private nextProbe = 0;

	private restWindows = 0;

	/**
	 * Once there is a quota: the requests that were accepted or have no response yet, oldest first. It goes
	 * on over refusals: a window can be much longer than the pause that ends it.
	 */
	private log: SentRequest[] = [];

	/** The pause of a refusal that is measured when it is over: what is in flight counts too. */
	private unmeasured?: number;

	isPaused(now: number): boolean {
		return now < this.pausedUntil;
	}

	/** Milliseconds until the next request may go out. */
	delay(now: number): number {
		if (this.isPaused(now)) return this.pausedUntil - now;
		if (this.unmeasured) this.measure(this.unmeasured, Math.min(now, this.pausedUntil));
		const untilQuota = this.untilExpired(this.quota, now);
		// A probe late in a window would fall into the server's next one, and show nothing. Where requests
		// are spread evenly, no better moment comes.
		const isEarly = untilQuota > this.windowMs / 8;
		const isOverdue = now - this.nextProbe > LONGEST_REST * this.windowMs;
		const mayProbe = now >= this.nextProbe && (isEarly || isOverdue);
		return mayProbe ? this.untilExpired(this.quota + this.probesLeft, now) : untilQuota;
	}

	/** Milliseconds until fewer than `count` requests are in the window. */
	private untilExpired(count: number, now: number): number {
		const oldest = this.log.at(-count);
		return oldest ? Math.max(0, oldest.at + this.windowMs * MARGIN - now) : 0;
	}

	/** A request goes out. One that is sent into a pause asks whether it is over, and is no probe. */
	sent(now: number, intoPause = false): SentRequest {
		const isProbe = !intoPause && this.untilExpired(this.quota, now) > 0;
		const request = { at: now, isProbe };
		if (this.quota === Infinity) return request;
		this.log.push(request);
		if (this.log[0].at < now - 2 * MEMORY) this.log = this.since(now - MEMORY);
		return request;
	}

	/** The API processed a request. */
	accepted({ at, isProbe }: SentRequest): void {
		// Sent after the refusal: the API accepts requests again, whatever it asked for.
		if (at > this.refusedAt) {
			this.pausedUntil = Math.min(at, this.pausedUntil);
			this.refusingSince = Infinity;
		}
		if (!isProbe) return;
		this.quota++;
		if (--this.probesLeft > 0) return;
		this.probeSize *= 2;
		this.probesLeft = this.probeSize;
	}

	/** The API refused a request, and asked to wait for `pause` milliseconds, if this limit was meant. */
	refused(request: SentRequest, now: number, pause?: number): void {
		this.remove(request);
		if (!pause) return;
		// Others on their way are refused with it, and show nothing new.
		if (!this.isPaused(now)) {
			this.unmeasured ??= pause;
			this.pausedSince = now;
		}
		// What the API says to a request that was sent after its last refusal replaces that.
		const isNewer = request.at > this.refusedAt;
		this.pausedUntil = isNewer ? now + pause : Math.max(this.pausedUntil, now + pause);
		this.refusingSince = Math.min(this.refusingSince, now);
		this.refusedAt = now;
	}

	/** It isn't known what became of a request. It may count, but another probe can be sent for it. */
	lost(request: SentRequest): void {
		if (request.isProbe) this.remove(request);
	}

	private remove(request: SentRequest): void {
		const index = this.log.lastIndexOf(request);
		if (index >= 0) this.log.splice(index, 1);
	}

	/** Learns nothing from a refusal that was about a limit of the whole key; its pause stays. */
	forgetRefusal(): void {
		this.unmeasured = undefined;
	}

	/**
	 * What a refusal showed: the requests that were accepted before it are the quota.
	 * @param end of its pause, when another window began
	 */
	private measure(pause: number, end: number): void {
		this.unmeasured = undefined;
		let accepted = this.since(end - this.windowMs - SECOND);
		// None in a window of that length: it is longer if the pause is, or if none was accepted since the
		// refusal before. Else this one is about others' requests.
		const isLonger = pause > this.windowMs || (this.log.at(-1)?.at ?? 0) < this.measuredAt;
		if (accepted.length === 0 && isLonger) accepted = this.since(end - MEMORY);
		this.measuredAt = end;
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
		this.restWindows = isSame ? Math.min(LONGEST_REST, Math.max(1, 2 * this.restWindows)) : 0;
		this.nextProbe = end + this.restWindows * this.windowMs;
		this.probeSize = 1;
		this.probesLeft = 1;
		if (this.windowMs <= MEMORY) return;
		this.quota = Infinity;
		this.windowMs = 0;
		this.log = [];
	}

	/** Those that were sent after a moment. */
	private since(moment: number): SentRequest[] {
		return this.log.filter(({ at }) => at > moment);
	}
}
