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

/** Weight of the newest answer in the smoothed latency: one slow answer in eight is no trend. */
const WEIGHT = 1 / 8;

/** Growth of the usual latency with each answer, so that one lucky answer does not rule for ever. */
const DRIFT = 1.01;

/** Milliseconds above twice the usual that are no sign: the event loop's own noise. */
const SLACK = 20;

/** What came of a request, as far as it tells how many of them the API can take. */
export interface Answered<T> {
	/** The API refused or failed, or the connection to it broke. */
	troubled: boolean;
	value: T;
}

/**
 * Lets at most `limit` requests run at a time. Requests wait in lanes (one per input item) that
 * take turns, so that one item's thousand pages do not starve the next item's single read.
 *
 * With a ceiling above the start the limit adapts: one more for each quick answer until the first
 * sign of congestion, then one more per round; half as many when a request is in trouble or
 * answers slow down to twice what they took before.
 */
export class Gate {
	private readonly lanes = new Map<number, Array<() => void>>();

	private running = 0;

	private limit: number;

	private readonly adaptive: boolean;

	private congested = false;

	/** Times that the limit was halved: what was sent before the last of them tells nothing new. */
	private halvings = 0;

	/** Milliseconds of an answer when nothing is in its way, and of the newest answers, smoothed. */
	private usual = Infinity;

	private recent = 0;

	constructor(
		start: number,
		readonly ceiling: number = start,
	) {
		this.limit = start;
		this.adaptive = ceiling > start;
	}

	/**
	 * Runs `request` when it is its lane's turn and `ready` has come to its end. The time that
	 * `ready` takes does not count as the API's.
	 */
	async run<T>(
		lane: number,
		ready: () => Promise<void>,
		request: () => Promise<Answered<T>>,
	): Promise<T> {
		await this.turn(lane);
		try {
			await ready();
			const { halvings } = this;
			const started = Date.now();
			const { troubled, value } = await request();
			if (this.adaptive) this.adapt(Date.now() - started, troubled, halvings === this.halvings);
			return value;
		} finally {
			this.running--;
			this.startNext();
		}
	}

	/** Takes a place, at once or in the lane's turn. */
	private async turn(lane: number): Promise<void> {
		if (this.running < Math.floor(this.limit)) {
			this.running++;
			return;
		}
		await new Promise<void>((resolve) => {
			const waiting = this.lanes.get(lane);
			if (waiting) waiting.push(resolve);
			else this.lanes.set(lane, [resolve]);
		});
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

	private adapt(latency: number, troubled: boolean, current: boolean): void {
		if (troubled) {
			if (current) this.halve();
			return;
		}
		this.usual = Math.min(latency, this.usual * DRIFT);
		if (!current) return;
		this.recent += (latency - this.recent) * WEIGHT;
		if (this.recent > 2 * this.usual + SLACK) this.halve();
		// A limit that is not reached was not tried, so nothing says that it could be higher.
		else if (this.running >= Math.floor(this.limit)) {
			this.limit = Math.min(this.ceiling, this.limit + (this.congested ? 1 / this.limit : 1));
		}
	}

	private halve(): void {
		this.congested = true;
		this.halvings++;
		this.limit = Math.max(1, this.limit / 2);
		this.recent = this.usual === Infinity ? 0 : this.usual;
	}
}
