// Bounded parallelism: how many requests are in flight, whose turn it is, and how the bound adapts.
import { Pace } from './pace';

/**
 * Calls `work` for 0 to `count` - 1, at most `parallel` at a time. After one that gives `false`, or
 * fails, no more are started; those under way are waited for, then the failure of the lowest index
 * is thrown.
 */
export async function inPool(
	count: number,
	parallel: number,
	work: (index: number) => Promise<unknown>,
): Promise<void> {
	let next = 0;
	let stopped = false;
	const failures: Array<{ index: number; error: unknown }> = [];
	const worker = async () => {
		while (next < count && !stopped) {
			const index = next++;
			const goesOn = await work(index).catch((error: unknown) => {
				failures.push({ index, error });
				return false;
			});
			if (goesOn === false) stopped = true;
		}
	};
	await Promise.all(Array.from({ length: Math.min(count, parallel) }, worker));
	if (failures.length > 0) {
		throw failures.reduce((first, each) => (each.index < first.index ? each : first)).error;
	}
}

/** Answers over which latencies are averaged: single slow or quick ones are no trend. */
const TREND = 16;

/** Milliseconds above twice the usual that are no sign: n8n itself may be as busy as that. */
const SLACK = 50;

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
 * sign of congestion, then one more per round; half as many when a request is in trouble, or when
 * answers take twice as long as they do at the start. The start itself is what the user declared
 * the API able to take: only trouble takes the limit below it, and what answers take there is the
 * measure. (The quickest answer would be no measure: many servers answer now and then at once.)
 */
export class Gate {
	/** How many requests may go out in a time, whatever is in flight. */
	readonly pace = new Pace();

	private readonly lanes = new Map<number, Array<() => void>>();

	private running = 0;

	private limit: number;

	private congested = false;

	/** Times that the limit was halved: what was sent before the last of them tells nothing new. */
	private halvings = 0;

	/** Answers from which `usual` was learned. */
	private learned = 0;

	/** Mean milliseconds of an answer at the start's parallelism, and of the newest answers. */
	private usual = 0;

	private recent = 0;

	constructor(
		private readonly start: number,
		readonly ceiling: number = start,
	) {
		this.limit = start;
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
			if (halvings === this.halvings) this.adapt(Date.now() - started, troubled);
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

	private adapt(latency: number, troubled: boolean): void {
		if (this.ceiling <= this.start) return;
		if (troubled) {
			this.halve(1);
			return;
		}
		if (this.limit <= this.start || this.learned < TREND) {
			this.usual += (latency - this.usual) / Math.min(++this.learned, TREND / 2);
		}
		this.recent += (latency - this.recent) / TREND;
		if (this.limit > this.start && this.recent > 2 * this.usual + SLACK) {
			this.halve(this.start);
		} else if (this.running >= Math.floor(this.limit)) {
			// A limit that is not reached was not tried, so nothing says that it could be higher.
			this.limit = Math.min(this.ceiling, this.limit + (this.congested ? 1 / this.limit : 1));
		}
	}

	private halve(least: number): void {
		this.congested = true;
		this.halvings++;
		this.limit = Math.max(least, this.limit / 2);
		this.recent = this.usual;
	}
}
