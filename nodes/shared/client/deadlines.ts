// Until when requests may wait for their whole answers.

/** Milliseconds in which requests that begin have one end together. */
const SLICE = 200;

/**
 * Signals that abort when a time is over, never before, and at most a fifth of a second after it. A
 * signal for each request would take a tenth of all that is done for it, and stay in memory for as
 * long as an answer may take.
 */
export class Deadlines {
	private newest?: { signal: AbortSignal; until: number };

	/** @param timeout milliseconds for a whole answer */
	constructor(private readonly timeout: number) {}

	/** The signal for a request that begins now. */
	begin(now: number): AbortSignal {
		if (this.newest === undefined || now >= this.newest.until) {
			const signal = AbortSignal.timeout(Math.ceil(this.timeout) + SLICE);
			this.newest = { signal, until: now + SLICE };
		}
		return this.newest.signal;
	}
}
