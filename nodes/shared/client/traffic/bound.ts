// Max requests of a route in flight: additive increase, multiplicative decrease (AIMD, as in TCP; Chiu and
// Jain 1989). Congestion shows in the latency, compared with that of few requests (as in TCP Vegas; Brakmo
// and Peterson 1994).

/** The bound of a new route. */
export const START = 5;

/** Max requests in flight of all clients together. Each client may always have one. */
export const MOST = 40;

/** Milliseconds above twice the baseline that are no congestion, because n8n itself may be busy. */
const SLACK = 50;

/** The result of a request. All times are in milliseconds. */
interface Sample {
	sentAt: number;
	now: number;
	/** The API, or the way to it, has too much to do. */
	overload: boolean;
	/** The API asks for a pause. */
	hasPause: boolean;
}

/**
 * Goes up by one for each response until the first congestion (slow start), then by one a round. After a
 * refusal with a pause, by two a second at most. It's halved when the API has too much to do, and when
 * responses take twice as long as the baseline. Slow responses don't lower it below START: few requests
 * aren't the cause.
 */
export class Bound {
	limit = START;

	inFlight = 0;

	private halvedAt = -Infinity;

	/** From here it goes up slowly, because one request too many costs another pause. */
	private slowFrom = Infinity;

	private responses = 0;

	/** Mean latency in milliseconds of the first responses, and of all while the limit is at most START. */
	private baseline = 0;

	/** Mean latency of the newest responses. */
	private recent = 0;

	get isFull(): boolean {
		return this.inFlight >= Math.floor(this.limit);
	}

	learn({ sentAt, now, overload, hasPause }: Sample): void {
		// Requests sent before the last halving show nothing new.
		if (sentAt < this.halvedAt) return;
		if (overload) this.halve(now, 1, hasPause);
		else if (this.isSlowWith(now - sentAt)) this.halve(now, START);
		else if (this.isFull) {
			const step = this.halvedAt === -Infinity ? 1 : 1 / this.limit;
			const ceiling = this.slowFrom + (2 * (now - this.halvedAt)) / 1000;
			this.limit = Math.min(MOST, this.limit + step, Math.max(this.limit, ceiling));
		}
	}

	/** Adds a latency. Returns true if the newest ones show congestion. */
	private isSlowWith(latency: number): boolean {
		const count = ++this.responses;
		// Several, because a single one may be an error that takes no time.
		const isBaseline = this.limit <= START || count <= START;
		if (isBaseline) this.baseline += (latency - this.baseline) / Math.min(count, START);
		// Over two rounds: when n8n is busy for a moment, all requests in flight seem slow.
		this.recent += (latency - this.recent) / Math.min(count, 2 * this.limit);
		return !isBaseline && this.recent > 2 * this.baseline + SLACK;
	}

	private halve(now: number, atLeast: number, hasPause = false): void {
		this.halvedAt = now;
		this.limit = Math.max(atLeast, this.limit / 2);
		this.slowFrom = hasPause ? this.limit : Infinity;
		this.recent = this.baseline;
	}
}
