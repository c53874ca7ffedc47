// Until when requests may wait for their whole answers.

/** Milliseconds in which requests that begin have one end together. */
const SLICE = 200;

/** An end that several requests have together. */
class Deadline {
	/** Whether the time is over. */
	isOver = false;

	/** What ends the requests that still wait. */
	readonly waiting = new Set<() => void>();

	constructor(
		readonly begun: number,
		milliseconds: number,
	) {
		// Node.js warns when a signal has many listeners, so it has this one.
		AbortSignal.timeout(milliseconds).addEventListener('abort', () => {
			this.isOver = true;
			for (const end of this.waiting) end();
		});
	}
}

/**
 * Ends for requests, never before their time is over, and at most a fifth of a second after it. A
 * timer for each request would be slower, and stay in memory for as long as an answer may take.
 */
export class Deadlines {
	private newest?: Deadline;

	/** @param timeout milliseconds for a whole answer */
	constructor(private readonly timeout: number) {}

	/** The end of a request that begins now. */
	begin(now: number): Deadline {
		// The clock may have been set back.
		if (this.newest === undefined || Math.abs(now - this.newest.begun) >= SLICE) {
			this.newest = new Deadline(now, Math.ceil(this.timeout) + SLICE);
		}
		return this.newest;
	}
}
