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

/**
 * Beyond a party's ceiling, the part of what is added that may go into longer answers: more in flight
 * are only worth it if they bring more answers.
 */
const WORTH = 1 / 4;

/** By how much averages differ by chance. */
const CHANCE = 1.03;

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
	/** As `recent`, when the limit was a party's ceiling: the least since. */
	atCeiling: number;
}

/** Requests in flight: at first, of one party at most, and of all parties together at most. */
export interface Limits {
	start: number;
	ceiling: number;
	together: number;
}

/**
 * The bound adapts: one more for each quick answer until the first sign of congestion, then one more
 * per round; half as many when a request is in trouble, or when answers take twice as long as they do
 * at the start. The start itself is what the user declared the API able to take: only trouble takes
 * the bound below it, and what answers take there is the measure. (The quickest answer would be no
 * measure: many servers answer now and then at once.)
 *
 * Several parties together go beyond the ceiling of each: one more per round as long as that brings
 * more answers, else one less. After a sign of congestion they don't.
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
	 * @returns whether answers come as quickly as usual
	 */
	answered(now: number, sign: Sign, limits: Limits): boolean {
		const { troubled, full, latency, pause } = sign;
		const { start, ceiling } = limits;
		if (troubled) {
			if (pause) this.refused(now, pause);
			this.halve(now, 1);
			return false;
		}
		if (ceiling <= start) return true;
		const known = this.latencyOf(sign.kind);
		const isSlow = this.isSlow(known, latency, start);
		if (isSlow && this.limit > start) {
			this.halve(now, start);
		} else if (full && !this.isResting(now)) {
			// A limit that is not reached was not tried, so nothing says that it could be higher.
			this.grow(known, limits);
		}
		return !isSlow;
	}

	private grow(known: Latency, { ceiling, together }: Limits): void {
		if (this.limit < ceiling) {
			this.limit = Math.min(ceiling, this.limit + (this.congested ? 1 / this.limit : 1));
		} else if (!this.congested && this.limit <= together) {
			const next = this.limit + (this.isWorth(known, ceiling) ? 1 : -1) / this.limit;
			this.limit = Math.max(ceiling, Math.min(together, next));
		}
	}

	/** Whether what is in flight beyond a party's ceiling brings more answers. */
	private isWorth(known: Latency, ceiling: number): boolean {
		const most = this.limit <= ceiling ? Infinity : known.atCeiling;
		known.atCeiling = Math.min(most, known.recent);
		return known.recent <= known.atCeiling * (CHANCE + WORTH * (this.limit / ceiling - 1));
	}

	private latencyOf(kind: string): Latency {
		const known = this.latencies.get(kind) ?? {
			learned: 0,
			usual: 0,
			recent: 0,
			atCeiling: Infinity,
		};
		this.latencies.set(kind, known);
		return known;
	}

	private isSlow(known: Latency, latency: number, start: number): boolean {
		if (this.limit <= start || known.learned < TREND) {
			known.usual += (latency - known.usual) / Math.min(++known.learned, TREND / 2);
		}
		// Where n8n itself is held up for a moment, all that are in flight seem slow, once.
		if (known.learned < TREND) known.recent = known.usual;
		else known.recent += (latency - known.recent) / Math.max(TREND, 2 * this.limit);
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
