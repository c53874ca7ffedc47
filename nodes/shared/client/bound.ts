// How many requests may be in flight at an API: what its answers say.

/** Answers over which latencies are averaged, at least: single slow or quick ones are no trend. */
const TREND = 16;

/** Milliseconds above twice the usual that are no sign: n8n itself may be as busy as that. */
const SLACK = 50;

/** Trouble that is so long past, in milliseconds, says nothing of now. */
const PAST = 60_000;

/** The part of a bound at which the API refused that is taken to be close to it. */
const CLOSE = 0.8;

/** Pauses for which the bound stays that close, at most. */
const LONGEST_REST = 8;

/** What an answer tells of the API. */
export interface Sign {
	/** What was asked: answers to the same take about the same time. */
	kind: string;
	/** Milliseconds until it came. */
	latency: number;
	/** The API refused or failed, or the connection to it broke. */
	troubled: boolean;
	/** As many requests as allowed were in flight. */
	full: boolean;
	/** Milliseconds that the API asks to wait, if it refused. */
	pause?: number;
}

/** How long answers of one kind take. */
interface Latency {
	/** Answers from which `usual` was learned. */
	learned: number;
	/** Mean milliseconds of an answer at the start's parallelism, and of the newest answers. */
	usual: number;
	recent: number;
}

/**
 * The bound adapts: one more for each quick answer until the first sign of congestion, then one more
 * per round; half as many when a request is in trouble, or when answers take twice as long as they do
 * at the start. The start itself is what the user declared the API able to take: only trouble takes
 * the bound below it, and what answers take there is the measure. (The quickest answer would be no
 * measure: many servers answer now and then at once.)
 *
 * Each refusal costs a pause, so a bound that was refused is not tried again soon: it grows to close
 * below that one, and stays there for as long as the pause was. If the next one is refused there too,
 * it stays twice as long.
 */
export class Bound {
	/** Requests in flight at most. */
	limit = 0;

	/** Times that it was halved: what was sent before the last of them tells nothing new. */
	halvings = 0;

	private halved = -Infinity;

	private congested = false;

	/** The bound at which the API refused. */
	private refusedAt = Infinity;

	/** Until when it stays close below that, and for how many pauses it does. */
	private restsUntil = 0;

	private rest = 1;

	private readonly latencies = new Map<string, Latency>();

	/** Somebody comes who holds the API able to take `start` requests. */
	admit(now: number, start: number): void {
		if (now - this.halved < PAST) return;
		this.congested = false;
		this.refusedAt = Infinity;
		this.limit = Math.max(this.limit, start);
	}

	/**
	 * A request was answered, or failed.
	 * @param start requests in flight at first, and at most: the bound adapts if there is a difference
	 * @returns whether answers come as quickly as usual
	 */
	answered(now: number, sign: Sign, start: number, ceiling: number): boolean {
		const { troubled, full, latency, pause } = sign;
		if (troubled) {
			if (pause) this.refused(now, pause);
			this.halve(now, 1);
			return false;
		}
		if (ceiling <= start) return true;
		const isSlow = this.isSlow(this.latencyOf(sign.kind), latency, start);
		if (isSlow && this.limit > start) {
			this.halve(now, start);
		} else if (full && this.limit < ceiling && !this.isResting(now)) {
			// A limit that is not reached was not tried, so nothing says that it could be higher.
			this.limit = Math.min(ceiling, this.limit + (this.congested ? 1 / this.limit : 1));
		}
		return !isSlow;
	}

	private latencyOf(kind: string): Latency {
		const known = this.latencies.get(kind) ?? { learned: 0, usual: 0, recent: 0 };
		this.latencies.set(kind, known);
		return known;
	}

	private isSlow(known: Latency, latency: number, start: number): boolean {
		if (this.limit <= start || known.learned < TREND) {
			known.usual += (latency - known.usual) / Math.min(++known.learned, TREND / 2);
		}
		// Where n8n itself is held up for a moment, all that are in flight seem slow, once.
		known.recent += (latency - known.recent) / Math.max(TREND, 2 * this.limit);
		return known.recent > 2 * known.usual + SLACK;
	}

	/** Whether it is close to the bound at which the API refused. */
	private get isClose(): boolean {
		return this.limit >= CLOSE * this.refusedAt;
	}

	private refused(now: number, pause: number): void {
		this.rest = this.isClose ? Math.min(LONGEST_REST, 2 * this.rest) : 1;
		this.refusedAt = this.limit;
		this.restsUntil = now + pause + this.rest * pause;
	}

	private isResting(now: number): boolean {
		return now < this.restsUntil && this.isClose;
	}

	private halve(now: number, least: number): void {
		this.congested = true;
		this.halvings++;
		this.halved = now;
		this.limit = Math.max(least, this.limit / 2);
		for (const known of this.latencies.values()) known.recent = known.usual;
	}
}
