// The newest pause of a route or of the whole key. The API asks for it with Retry-After. All times are
// milliseconds of a monotonic clock.

/** Milliseconds of the first pause and of the longest one, if the API doesn't say how long to wait. */
const FIRST_GUESS = 500;
export const LONGEST_GUESS = 16_000;

export class Pause {
	/** Its start, which refusals during the pause don't move. */
	since = Infinity;

	until = -Infinity;

	/** Start of the first of several pauses with nothing accepted in between. */
	refusingSince = Infinity;

	/** The API gave a number. */
	isAsked = true;

	private refusedAt = -Infinity;

	/** The next pause, if the API doesn't say how long to wait. */
	private guess = FIRST_GUESS;

	isOn(now: number): boolean {
		return now < this.until;
	}

	/** It turned out to be the same pause as other ones, so it began with the first of them. */
	joins(others: Pause[]): void {
		this.since = Math.min(this.since, ...others.map(({ since }) => since));
		this.refusingSince = Math.min(this.refusingSince, ...others.map((each) => each.refusingSince));
	}

	/** True if it's on, and has been since before a request was sent. */
	wasOn(sentAt: number, now: number): boolean {
		return this.isOn(now) && this.since <= sentAt;
	}

	/** The API refused a request that was sent at `sentAt`, and asked for a pause. */
	refused(sentAt: number, now: number, pause: number): void {
		if (!this.isOn(now)) this.since = now;
		this.isAsked = true;
		// It was sent after the last refusal, so its pause is the current one, even if it's shorter.
		const isNewer = sentAt > this.refusedAt;
		this.until = isNewer ? now + pause : Math.max(this.until, now + pause);
		this.refusingSince = Math.min(this.refusingSince, now);
		this.refusedAt = now;
	}

	/**
	 * The API refused a request, and didn't say for how long. The pause doubles with each request that is sent after it
	 * and refused.
	 * @returns the pause in milliseconds
	 */
	refusedForUnknownTime(sentAt: number, now: number): number {
		const isFirst = sentAt > this.refusedAt;
		// What was refused a while ago says nothing about now.
		if (now - this.until > LONGEST_GUESS) this.guess = FIRST_GUESS;
		const pause = isFirst ? this.guess : Math.max(0, this.until - now);
		if (isFirst) this.guess = Math.min(LONGEST_GUESS, 2 * this.guess);
		this.refused(sentAt, now, pause);
		this.isAsked = false;
		return pause;
	}

	/**
	 * The API processed a request that was sent at `sentAt`. If that was after the refusal, the pause is over. One
	 * without a number is over anyway: an API that goes on processing requests may only take fewer at a time.
	 */
	accepted(sentAt: number, now: number): void {
		if (sentAt <= this.refusedAt) {
			if (this.guess > FIRST_GUESS) this.until = Math.min(now, this.until);
			return;
		}
		// The time of sending, because the next window begins there.
		this.until = Math.min(sentAt, this.until);
		this.refusingSince = Infinity;
		this.guess = FIRST_GUESS;
	}
}
