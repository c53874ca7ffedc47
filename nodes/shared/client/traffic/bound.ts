// How many requests of a route may be in flight: additive increase, multiplicative decrease (AIMD, as
// TCP; Chiu and Jain 1989), with the latency at few requests as the baseline that shows congestion (as
// TCP Vegas; Brakmo and Peterson 1994).

/** Requests of a route in flight at first. */
export const START = 5;

/** Requests in flight at most of all clients together, beside the one that each may always have. */
export const MOST = 40;

/** Milliseconds above twice the baseline that are no congestion: n8n itself may be as busy as that. */
const SLACK = 50;

/** What a response, or none, shows. All times in milliseconds. */
interface Sample {
	sentAt: number;
	now: number;
	/** The API, or the way to it, has too much to do. */
	overload: boolean;
	/** The API asks for a pause. */
	hasPause: boolean;
}

/**
 * One request more for each response until the first sign of congestion (slow start), then one more a
 * round, and at most two a second after a refusal that asks for a pause. Half as many when the API has too
 * much to do, and when responses take twice as long as they do with few in flight, though not below those
 * few: slowness at that level is not ours.
 */
export class Bound {
	limit = START;

	inFlight = 0;

	private halvedAt = -Infinity;

	/** From this limit on two more a second at most: one request too many would cost another pause. */
	private slowFrom = Infinity;

	private responses = 0;

	/** Mean milliseconds of a response: of the first ones and those while few are in flight. */
	private baseline = 0;

	/** Mean milliseconds of the last ones. */
	private recent = 0;

	get isFull(): boolean {
		return this.inFlight >= Math.floor(this.limit);
	}

	learn({ sentAt, now, overload, hasPause }: Sample): void {
		// What was sent before the last halving shows nothing new.
		if (sentAt < this.halvedAt) return;
		if (overload) this.halve(now, 1, hasPause);
		else if (this.isSlowWith(now - sentAt)) this.halve(now, START);
		else if (this.isFull) {
			const step = this.halvedAt === -Infinity ? 1 : 1 / this.limit;
			const most = this.slowFrom + (2 * (now - this.halvedAt)) / 1000;
			this.limit = Math.min(MOST, this.limit + step, Math.max(this.limit, most));
		}
	}

	/** Notes a latency; whether the newest ones show congestion. */
	private isSlowWith(latency: number): boolean {
		const count = ++this.responses;
		// The first ones too, however many are in flight: a single one may be an error that takes no time.
		const isBaseline = this.limit <= START || count <= START;
		if (isBaseline) this.baseline += (latency - this.baseline) / Math.min(count, START);
		// A round of responses: where n8n is held up for a moment, all that are in flight seem slow.
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
