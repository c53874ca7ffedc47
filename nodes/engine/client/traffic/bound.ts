// Max requests of a route in flight, as TCP finds it with CUBIC (RFC 9438): quickly back to the limit at which
// congestion came, and slowly beyond it. Congestion shows in 429s and failures, and in the latency, compared with that
// of few requests (as in TCP Vegas; Brakmo and Peterson 1994). Other rules, measured: docs/contributing/architecture.md.

/** The bound of a new route. So few requests cause no congestion: their latency is the baseline. */
export const START = 5;

/** Max requests in flight of all clients together. One of each client may go beyond it. */
export const MAX_IN_FLIGHT = 40;

/** Milliseconds above twice the baseline that are no congestion, because n8n itself may be busy. */
const SLACK = 20;

/** CUBIC's constants: by what congestion multiplies the limit, and how fast it grows again, in requests by s³. */
const DECREASE = 0.7;
const GROWTH = 0.4;

/**
 * Instead of DECREASE where it costs more to be too high: in slow start, and where the API asks for pauses.
 */
const HALF = 0.5;

/**
 * Milliseconds after an overload, in which not even one request of each client goes beyond the bound.
 */
const BUSY = 10_000;

/** Milliseconds in flight after which a request doesn't hold up other clients. */
const SLOW = 5000;

/** A request that was sent. All times are in milliseconds. */
interface Flight {
	readonly at: number;
}

/** The result of a request. */
interface Sample {
	request: Flight;
	now: number;
	/** The API, or the way to it, has too much to do. */
	overload: boolean;
	/** The API asks for a pause. */
	hasPause: boolean;
}

/** When it came, in milliseconds, and the limit before and after it. */
interface Congestion {
	at: number;
	before: number;
	after: number;
	/** The API asked for a pause. */
	hasPause: boolean;
	/** More were in flight than the limit, because each client may have one beyond it. */
	isBeyond: boolean;
}

/** Max requests in flight of one route. It goes up until congestion shows, then down at once. */
export class Bound {
	limit = START;

	/** Requests that have a slot, oldest first. Some keep it for a moment after their response. */
	private readonly flights = new Set<Flight>();

	/** Requests without a response. */
	private readonly pending = new Set<Flight>();

	private overloadedAt = -Infinity;

	/** The newest one. Undefined in slow start. */
	private congestion?: Congestion;

	/** Number of latencies in the two means. */
	private responses = 0;

	/** Mean latency in milliseconds of the first responses, and of all while the limit is at most START. */
	private baseline = 0;

	/** Mean latency of the newest responses. */
	private recent = 0;

	/** True if as many are in flight as the limit says. */
	get isFull(): boolean {
		return this.flights.size >= Math.floor(this.limit);
	}

	/** A request is sent. */
	begin(request: Flight): void {
		this.flights.add(request);
		this.pending.add(request);
	}

	/** A request gives its slot back. */
	end(request: Flight): void {
		this.flights.delete(request);
		this.pending.delete(request);
	}

	/**
	 * Milliseconds until a client without a request in flight may go beyond the bound. A service that was overloaded within BUSY
	 * would throttle or fail it, so it waits for a free slot, but only until the oldest request is SLOW.
	 */
	delayOfFirst(now: number): number {
		if (!this.isFull) return 0;
		const [oldest] = this.flights;
		return Math.max(0, Math.min(this.overloadedAt + BUSY, oldest.at + SLOW) - now);
	}

	/** Raises or lowers the limit by the result of a request. */
	learn({ request, now, overload, hasPause }: Sample): void {
		this.pending.delete(request);
		if (overload) this.overloadedAt = now;
		const { congestion } = this;
		// Requests sent before the newest congestion show nothing new, except how many of those beyond the limit were taken.
		if (congestion && request.at < congestion.at) {
			if (overload && congestion.isBeyond) this.lowerToPending(congestion.at);
			return;
		}
		if (overload) {
			const isBeyond = !hasPause && !congestion && this.flights.size > this.limit;
			if (isBeyond) this.lowerToPending(now);
			else this.lower(now, hasPause);
			return;
		}
		const isSlow = this.addLatency(now - request.at);
		if (isSlow) this.lower(now);
		// Unless all slots are used, it shows nothing about more of them.
		else if (this.isFull) this.raise(now);
	}

	/**
	 * Raises the limit by one for each response until the first congestion (slow start). Then by one for as many responses as
	 * there are slots, but never above CUBIC's curve.
	 */
	private raise(now: number): void {
		if (!this.congestion) {
			this.limit = Math.min(this.limit + 1, MAX_IN_FLIGHT);
			return;
		}
		const raised = Math.min(
			this.limit + 1 / this.limit,
			this.targetAt(now, this.congestion),
			MAX_IN_FLIGHT,
		);
		// By rounding, the curve can begin a little below the limit: below 1 there would be no slot at all.
		this.limit = Math.max(this.limit, raised);
	}

	/**
	 * Limit that CUBIC's curve allows now: C(t - K)³ + W, where C is GROWTH, t the seconds since the congestion, W the limit
	 * before it, and K the seconds until W is reached again. After a pause it goes up by two a second instead, because one
	 * request too many costs another pause.
	 */
	private targetAt(now: number, { at, before, after, hasPause }: Congestion): number {
		const seconds = (now - at) / 1000;
		if (hasPause) return after + 2 * seconds;
		const untilBefore = Math.cbrt((before - after) / GROWTH);
		return before + GROWTH * (seconds - untilBefore) ** 3;
	}

	/**
	 * Adds a latency to the means.
	 * @returns true if the newest latencies show congestion: they're more than twice as long as the baseline. Never while the
	 *   limit is at most START: five requests at a time don't make a service slow.
	 */
	private addLatency(latency: number): boolean {
		const count = ++this.responses;
		// Several, because a single one may be an error that takes no time.
		const isBaseline = this.limit <= START || count <= START;
		if (isBaseline) this.baseline += (latency - this.baseline) / Math.min(count, START);
		// Over two rounds: when n8n is busy for a moment, all requests in flight seem slow.
		this.recent += (latency - this.recent) / Math.min(count, 2 * this.limit);
		return !isBaseline && this.recent > 2 * this.baseline + SLACK;
	}

	/** Multiplies the limit, because congestion came, which ends slow start. */
	private lower(now: number, hasPause = false): void {
		const before = this.limit;
		const factor = hasPause || !this.congestion ? HALF : DECREASE;
		this.limit = Math.max(1, before * factor);
		this.congestion = { at: now, before, after: this.limit, hasPause, isBeyond: false };
		// Otherwise the next response would lower the limit again.
		this.recent = this.baseline;
	}

	/**
	 * More requests were in flight than the limit, and the service refused some. What it has taken is the limit: those that still
	 * wait for their response. So many executions of a few requests find it at once.
	 */
	private lowerToPending(at: number): void {
		this.limit = Math.max(1, Math.min(this.pending.size, MAX_IN_FLIGHT));
		const { limit } = this;
		this.congestion = { at, before: limit, after: limit, hasPause: false, isBeyond: true };
	}
}
