// Max requests of a route in flight, found as TCP's CUBIC does (RFC 9438): quickly back to the limit at which congestion came,
// slowly beyond it. Congestion shows in 429s, failures, and latency, compared with the latency of few requests (as in TCP
// Vegas; Brakmo and Peterson 1994). Why CUBIC: docs/contributing/architecture.md. Times are milliseconds of a monotonic clock.

/** The bound of a new route. So few requests cause no congestion, so their latency is the baseline. */
export const START = 5;

/** Max requests in flight of all clients together. Each client may have one beyond the max. */
export const MAX_IN_FLIGHT = 40;

/** A latency above twice the baseline by less isn't congestion, because n8n itself may be busy. */
const SLACK = 20;

/** CUBIC's constants: by what congestion multiplies the limit, and how fast the limit grows again, in requests by s³. */
const DECREASE = 0.7;
const GROWTH = 0.4;

/** Instead of DECREASE in slow start and where the API asks for pauses, because a limit that is too high costs more there. */
const HALF = 0.5;

/** Time after an overload in which not even one request of each client goes beyond the bound. */
const BUSY = 10_000;

/** Time in flight after which a request doesn't hold up other clients. */
const SLOW = 5000;

interface Flight {
	readonly at: number;
}

interface Sample {
	request: Flight;
	now: number;
	overload: boolean;
	hasPause: boolean;
}

interface Congestion {
	at: number;
	before: number;
	after: number;
	hasPause: boolean;
	/** Each client may have one request beyond the limit, so more than the limit were in flight. */
	isBeyond: boolean;
}

export class Bound {
	limit = START;

	/** Requests that have a slot, oldest first. Some keep the slot for a moment after their response. */
	private readonly flights = new Set<Flight>();

	/** Requests without a response. */
	private readonly pending = new Set<Flight>();

	private overloadedAt = -Infinity;

	/** The newest congestion, undefined in slow start. */
	private congestion?: Congestion;

	private responses = 0;

	/** Mean latency of the first responses, and of all responses while the limit is at most START. */
	private baseline = 0;

	private recent = 0;

	get isFull(): boolean {
		return this.flights.size >= Math.floor(this.limit);
	}

	begin(request: Flight): void {
		this.flights.add(request);
		this.pending.add(request);
	}

	end(request: Flight): void {
		this.flights.delete(request);
		this.pending.delete(request);
	}

	/** Milliseconds that a client without a request in flight waits, because an overloaded service would refuse the request. */
	delayOfFirst(now: number): number {
		if (!this.isFull) return 0;
		const [oldest] = this.flights;
		return Math.max(0, Math.min(this.overloadedAt + BUSY, oldest.at + SLOW) - now);
	}

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
		// While slots are free, a response shows nothing about a higher limit.
		else if (this.isFull) this.raise(now);
	}

	/** One for each response until the first congestion (slow start), then one for each round, never above CUBIC's curve. */
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
		// By rounding, the curve can begin a little below the limit, and below 1 there would be no slot at all.
		this.limit = Math.max(this.limit, raised);
	}

	/**
	 * CUBIC's curve C(t - K)³ + W, where C is GROWTH, t the seconds since the congestion, W the limit before the congestion, and
	 * K the seconds until W is reached again. After a pause the limit goes up by two a second instead, because one request too
	 * many costs another pause.
	 */
	private targetAt(now: number, { at, before, after, hasPause }: Congestion): number {
		const seconds = (now - at) / 1000;
		if (hasPause) return after + 2 * seconds;
		const untilBefore = Math.cbrt((before - after) / GROWTH);
		return before + GROWTH * (seconds - untilBefore) ** 3;
	}

	/** @returns true if latency shows congestion. Never up to START, because five requests at a time don't make a service slow. */
	private addLatency(latency: number): boolean {
		const count = ++this.responses;
		// The mean of several responses, because a single one may be an error that takes no time.
		const isBaseline = this.limit <= START || count <= START;
		if (isBaseline) this.baseline += (latency - this.baseline) / Math.min(count, START);
		// The mean of two rounds, because all requests in flight seem slow when n8n is busy for a moment.
		this.recent += (latency - this.recent) / Math.min(count, 2 * this.limit);
		return !isBaseline && this.recent > 2 * this.baseline + SLACK;
	}

	private lower(now: number, hasPause = false): void {
		const before = this.limit;
		const factor = hasPause || !this.congestion ? HALF : DECREASE;
		this.limit = Math.max(1, before * factor);
		this.congestion = { at: now, before, after: this.limit, hasPause, isBeyond: false };
		// Otherwise the next response would lower the limit again.
		this.recent = this.baseline;
	}

	/** Requests that weren't refused were taken, so their number is the limit, which many short executions find at once. */
	private lowerToPending(at: number): void {
		this.limit = Math.max(1, Math.min(this.pending.size, MAX_IN_FLIGHT));
		const { limit } = this;
		this.congestion = { at, before: limit, after: limit, hasPause: false, isBeyond: true };
	}
}
