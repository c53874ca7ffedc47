/** A limit of requests per second over a sliding window. */

export class RateLimit {
	private accepted: number[] = [];

	/** Null: no limit. */
	perSecond: number | null = null;

	/** Seconds to wait before the next try, or null when the request may pass. */
	refuses(now: number): number | null {
		if (this.perSecond === null) return null;
		this.accepted = this.accepted.filter((moment) => moment > now - 1000);
		if (this.accepted.length >= this.perSecond) return 1;
		this.accepted.push(now);
		return null;
	}
}
