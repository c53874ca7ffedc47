// Limits the time that a request may take until its response is complete.

/**
 * Milliseconds. Requests that start within a slice share one timer: it can't be cleared, so one each would stay
 * in memory until the timeout.
 */
const SHARED_FOR = 200;

/** Timers that limit how long requests wait for their complete responses. */
export class Deadlines {
	private newest?: { begun: number; signal: AbortSignal };

	/**
	 * Signal for a request that starts now. It's aborted after the timeout, at most `SHARED_FOR` late.
	 * @param timeout milliseconds for a complete response, the same for all requests
	 */
	begin(timeout: number): AbortSignal {
		const now = performance.now();
		if (this.newest === undefined || now - this.newest.begun >= SHARED_FOR) {
			const signal = AbortSignal.timeout(Math.ceil(timeout) + SHARED_FOR);
			this.newest = { begun: now, signal };
		}
		return this.newest.signal;
	}
}
