// Timers that limit how long requests wait for their complete responses.

/**
 * Milliseconds. Requests that start within a slice share one timer: it can't be cleared, so one each would stay
 * in memory until the timeout.
 */
const SLICE = 200;

export class Deadlines {
	private newest?: { begun: number; signal: AbortSignal };

	/** @param timeout milliseconds for a complete response */
	constructor(private readonly timeout: number) {}

	/** Signal for a request that starts now. It's aborted after the timeout, at most `SLICE` late. */
	begin(): AbortSignal {
		const now = performance.now();
		if (this.newest === undefined || now - this.newest.begun >= SLICE) {
			const signal = AbortSignal.timeout(Math.ceil(this.timeout) + SLICE);
			this.newest = { begun: now, signal };
		}
		return this.newest.signal;
	}
}
