// Bounded parallelism: how many requests are in flight, whose turn it is, and how the bound adapts.

/**
 * Calls `work` for 0 to `count` - 1, at most `parallel` at a time. After a failure no more are
 * started; those under way are waited for, then the failure of the lowest index is thrown.
 */
export async function inPool(
	count: number,
	parallel: number,
	work: (index: number) => Promise<void>,
): Promise<void> {
	let next = 0;
	const failures: Array<{ index: number; error: unknown }> = [];
	const worker = async () => {
		while (next < count && failures.length === 0) {
			const index = next++;
			await work(index).catch((error: unknown) => failures.push({ index, error }));
		}
	};
	await Promise.all(Array.from({ length: Math.min(count, parallel) }, worker));
	if (failures.length > 0) {
		throw failures.reduce((first, each) => (each.index < first.index ? each : first)).error;
	}
}

/** How many latencies the baseline remembers, so that one lucky answer does not rule for ever. */
const WINDOW = 50;

/**
 * Lets at most `limit` requests run at a time. Requests wait in lanes (one per input item) that
 * take turns, so that one item's thousand pages do not starve the next item's single read.
 *
 * With a ceiling above the start the limit adapts: one more for each quick answer until the first
 * sign of congestion, then one more per round; half as many when the API refuses (429, 503) or
 * answers slow down to twice what they took before.
 */
export class Gate {
	private readonly lanes = new Map<number, Array<() => void>>();

	private running = 0;

	private limit: number;

	private congested = false;

	private latencies: number[] = [];

	/** Answers still to come that were sent before the limit was last halved; they tell nothing. */
	private stale = 0;

	constructor(
		start: number,
		readonly ceiling: number = start,
	) {
		this.limit = Math.min(start, ceiling);
	}

	/** Runs `request` when it is its lane's turn. `request` reports whether the API refused it. */
	async run<T>(lane: number, request: () => Promise<{ refused: boolean; value: T }>): Promise<T> {
		if (this.running >= Math.floor(this.limit)) {
			await new Promise<void>((resolve) => {
				const waiting = this.lanes.get(lane);
				if (waiting) waiting.push(resolve);
				else this.lanes.set(lane, [resolve]);
			});
		} else {
			this.running++;
		}
		const started = Date.now();
		let refused = false;
		try {
			const answer = await request();
			refused = answer.refused;
			return answer.value;
		} finally {
			this.adapt(Date.now() - started, refused);
			this.running--;
			this.startNext();
		}
	}

	/** Hands free places to the lanes in turn; a lane that was served goes to the end of the line. */
	private startNext(): void {
		while (this.running < Math.floor(this.limit)) {
			const next = this.lanes.entries().next();
			if (next.done) return;
			const [lane, waiting] = next.value;
			const start = waiting.shift() as () => void;
			this.lanes.delete(lane);
			if (waiting.length > 0) this.lanes.set(lane, waiting);
			this.running++;
			start();
		}
	}

	private adapt(latency: number, refused: boolean): void {
		if (this.stale > 0) {
			this.stale--;
			return;
		}
		const usual = Math.min(...this.latencies, latency);
		// 10 ms of slack: on a fast network the noise of the event loop exceeds any ratio.
		const slow = latency > 2 * usual + 10;
		this.latencies = [...this.latencies.slice(1 - WINDOW), latency];
		if (refused || slow) {
			this.congested = true;
			this.limit = Math.max(1, this.limit / 2);
			this.stale = this.running - 1;
		} else {
			this.limit = Math.min(this.ceiling, this.limit + (this.congested ? 1 / this.limit : 1));
		}
	}
}
