// Limits the time that a request may take until its response is complete.

/** Requests that start within so many milliseconds share one timer: it can't be cleared, so one each would stay in memory. */
const SHARED_FOR = 200;

export class Deadlines {
	private newest?: { begun: number; signal: AbortSignal };

	/** A signal that is aborted after `timeout` milliseconds, at most `SHARED_FOR` late. All requests have the same timeout. */
	begin(timeout: number): AbortSignal {
		const now = performance.now();
		if (this.newest === undefined || now - this.newest.begun >= SHARED_FOR) {
			const signal = AbortSignal.timeout(Math.ceil(timeout) + SHARED_FOR);
			this.newest = { begun: now, signal };
		}
		return this.newest.signal;
	}
}
