// When the next request may go out: after the pause that the API asked for, and within the rate that
// its refusals have shown.

/** What a period is stretched by, since requests do not all take the same time to arrive. */
const MARGIN = 1.02;

/**
 * Full periods without a refusal after which one more request per period is tried: the limit may be
 * shared with others who have stopped.
 */
const PERIODS_PER_TRIAL = 4;

/**
 * Keeps requests within the API's rate limit. The first refusal only pauses everybody, since nobody
 * knows what others had sent before. From then on it is known how many requests the API took in the
 * time that it asks to wait before it refused again, and no more are sent in such a time. (A bound
 * on requests in flight cannot do this: quick answers let any bound run into the limit again after
 * each pause.)
 *
 * All times are in milliseconds.
 */
export class Pace {
	/** Until then the API has asked everybody to wait. */
	private notBefore = 0;

	/** The time that the API asks to wait, a little stretched; 0 until it has asked. */
	private period = 0;

	/** Requests in any period, at most. */
	private quota = Infinity;

	/** How many the API took in the period before it refused; what is not known stays so. */
	private taken = 0;

	/** When the requests of the newest period went out, oldest first. */
	private sent: number[] = [];

	private underWay = 0;

	/** Time to wait before asking again; at 0 the request may go out, and counts. */
	hold(now: number): number {
		if (now < this.notBefore) return this.notBefore - now;
		if (this.period > 0) {
			// None at all: others have used up the limit.
			if (this.taken > 0) this.quota = this.taken;
			this.taken = 0;
			this.forget(now);
			if (this.sent.length >= Math.floor(this.quota)) return this.sent[0] + this.period - now;
			this.sent.push(now);
		}
		this.underWay++;
		return 0;
	}

	/** A request was answered, or failed otherwise than by a refusal. */
	answered(now: number): void {
		this.underWay--;
		// What was under way when another one was refused had been taken all the same.
		if (now < this.notBefore) this.taken++;
		else this.quota += 1 / (PERIODS_PER_TRIAL * this.quota);
	}

	/**
	 * A request was refused.
	 * @param pause how long the API asks everybody to wait; 0 when nobody will
	 */
	refused(now: number, pause: number): void {
		this.underWay--;
		if (pause <= 0) return;
		// Others that were under way are refused with it: they tell nothing new.
		if (now >= this.notBefore) {
			this.forget(now);
			this.taken = this.period > 0 ? this.sent.length - 1 - this.underWay : -Infinity;
			this.sent = [];
			this.period = pause * MARGIN;
		}
		this.notBefore = Math.max(this.notBefore, now + pause);
	}

	private forget(now: number): void {
		while (this.sent.length > 0 && this.sent[0] <= now - this.period) this.sent.shift();
	}
}
