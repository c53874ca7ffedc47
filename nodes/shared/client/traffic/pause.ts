// The newest pause of a route or of the whole key. The API asks for it with Retry-After. All times are
// milliseconds of a monotonic clock.

export class Pause {
	/** Its start, which refusals during the pause don't move. */
	since = Infinity;

	until = -Infinity;

	/** Start of the first of several pauses with nothing accepted in between. */
	refusingSince = Infinity;

	private refusedAt = -Infinity;

	isOn(now: number): boolean {
		return now < this.until;
	}

	/** The API refused a request that was sent at `sentAt`, and asked for a pause. */
	refused(sentAt: number, now: number, pause: number): void {
		if (!this.isOn(now)) this.since = now;
		// It was sent after the last refusal, so its pause is the current one, even if it's shorter.
		const isNewer = sentAt > this.refusedAt;
		this.until = isNewer ? now + pause : Math.max(this.until, now + pause);
		this.refusingSince = Math.min(this.refusingSince, now);
		this.refusedAt = now;
	}

	/** The API processed a request that was sent at `sentAt`. If that was after the refusal, the pause is over. */
	accepted(sentAt: number): void {
		if (sentAt <= this.refusedAt) return;
		// The time of sending, because the next window begins there.
		this.until = Math.min(sentAt, this.until);
		this.refusingSince = Infinity;
	}
}
