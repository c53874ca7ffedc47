// Until when requests may wait for their whole answers.

/** Milliseconds in which requests that begin have one end together. */
const SLICE = 200;

/**
 * Signals that abort when a time is over, never before, and at most a fifth of a second after it. One
 * for each request would be slower, and stay in memory for as long as an answer may take.
 */
export class Deadlines {
	private newest?: { signal: AbortSignal; begun: number };

	/** @param timeout milliseconds for a whole answer */
	constructor(private readonly timeout: number) {}

	/** The signal for a request that begins now. */
	begin(now: number): AbortSignal {
		// The clock may have been set back.
		if (this.newest === undefined || Math.abs(now - this.newest.begun) >= SLICE) {
			const signal = AbortSignal.timeout(Math.ceil(this.timeout) + SLICE);
			this.newest = { signal, begun: now };
		}
		return this.newest.signal;
	}
}
