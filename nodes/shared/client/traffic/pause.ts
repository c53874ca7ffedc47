// The newest pause of a route or of the whole key. The API asks for it with Retry-After. All times are
// milliseconds of a monotonic clock.

export class Pause {
	/** Refusals during a pause don't move its start. */
	since = Infinity;

	until = -Infinity;

	/** The time that the API asked for when it began. */
	asked = 0;

	/** Start of the refusals since the last accepted request. */
	refusingSince = Infinity;

	private refusedAt = -Infinity;

	isOn(now: number): boolean {
		return now < this.until;
	}

	/** The API refused a request that was sent at `sentAt`, and asked for a pause. */
	refused(sentAt: number, now: number, pause: number): void {
		if (!this.isOn(now)) {
			this.since = now;
			this.asked = pause;
		}
		// The newest request has the newest pause.
		const isNewer = sentAt > this.refusedAt;
		this.until = isNewer ? now + pause : Math.max(this.until, now + pause);
		this.refusingSince = Math.min(this.refusingSince, now);
		this.refusedAt = now;
	}

	/** The API processed a request that was sent at `sentAt`. If that was after the refusal, the pause is over. */
	accepted(sentAt: number): void {
		if (sentAt <= this.refusedAt) return;
		this.until = Math.min(sentAt, this.until);
		this.refusingSince = Infinity;
	}
}
