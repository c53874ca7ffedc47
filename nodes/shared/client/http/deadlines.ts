// Until when requests may wait for their whole responses.

/** Milliseconds in which requests that begin share one timer: one for each would be slower. */
const SLICE = 200;

export class Deadlines {
	private newest?: { begun: number; signal: AbortSignal };

	/** @param timeout milliseconds for a whole response */
	constructor(private readonly timeout: number) {}

	/** Ends a request that begins now: never before its time is over, and at most `SLICE` after. */
	begin(): AbortSignal {
		const now = performance.now();
		if (this.newest === undefined || now - this.newest.begun >= SLICE) {
			const signal = AbortSignal.timeout(Math.ceil(this.timeout) + SLICE);
			this.newest = { begun: now, signal };
		}
		return this.newest.signal;
	}
}
