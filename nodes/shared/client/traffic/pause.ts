// For how long the API has asked to be left alone.

/** A pause that the API asked for. All times are in milliseconds. */
export class Pause {
	/** Until then it has asked to wait. */
	private notBefore = 0;

	/** For how long it has asked to wait since it last took a request. */
	private asked = 0;

	/** What is left of the pause, 0 without one. */
	left(now: number): number {
		return Math.max(0, this.notBefore - now);
	}

	/**
	 * For how long the API will have taken nothing when its pause is over, at its own wish; 0 without
	 * a pause.
	 * @param since when the one who asks began to wait
	 */
	standstill(now: number, since: number): number {
		return now < this.notBefore ? Math.min(this.asked, this.notBefore - since) : 0;
	}

	/** The API asks to wait; a shorter pause than the one under way changes nothing. */
	extend(now: number, pause: number): void {
		if (now + pause <= this.notBefore) return;
		this.asked += now + pause - Math.max(now, this.notBefore);
		this.notBefore = now + pause;
	}

	/** The API has taken a request. */
	taken(): void {
		this.asked = 0;
	}
}
