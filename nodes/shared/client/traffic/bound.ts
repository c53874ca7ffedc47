// How many requests of all clients may be in flight: additive increase, multiplicative decrease (AIMD, as
// TCP; Chiu and Jain 1989), with the latency at few requests as the baseline that shows congestion (as
// TCP Vegas; Brakmo and Peterson 1994).

/** Requests in flight at first. */
export const START = 5;

/** Requests in flight at most of all clients together, beside the one that each may always have. */
export const MOST = 50;

/** Milliseconds above twice the baseline that are no congestion: n8n itself may be as busy as that. */
const SLACK = 50;

/** Latencies of one route, which take about the same time. */
interface Latency {
	/** Mean milliseconds of a response while few are in flight. */
	baseline: number;
	recent: number;
}

/** What a response, or none, shows. */
interface Sample {
	route: string;
	latency: number;
	overload: boolean;
	/** As many requests as allowed were in flight. */
	full: boolean;
	/** How often the bound had been halved when the request was sent. */
	halvings: number;
}

/**
 * One more for each response until the first sign of congestion (slow start), then one more a round.
 * Half as many when the API has too much to do, and when responses take twice as long as they do with
 * few in flight, though not below those few: slowness at that level is not ours.
 */
export class Bound {
	limit = START;

	/** What was sent before the last halving shows nothing new. */
	halvings = 0;

	private congested = false;

	private readonly latencies = new Map<string, Latency>();

	/** @returns whether the response came as quickly as usual */
	responded({ route, latency, overload, full, halvings }: Sample): boolean {
		if (halvings !== this.halvings) return false;
		if (overload) {
			this.halve(1);
			return false;
		}
		const isSlow = this.isSlow(route, latency);
		if (isSlow && this.limit > START) this.halve(START);
		else if (full) {
			this.limit = Math.min(MOST, this.limit + (this.congested ? 1 / this.limit : 1));
		}
		return !isSlow;
	}

	private isSlow(route: string, latency: number): boolean {
		const known = this.latencies.get(route) ?? { baseline: latency, recent: latency };
		this.latencies.set(route, known);
		if (this.limit <= START) known.baseline += (latency - known.baseline) / START;
		// A round of responses: where n8n is held up for a moment, all that are in flight seem slow.
		known.recent += (latency - known.recent) / (2 * this.limit);
		return known.recent > 2 * known.baseline + SLACK;
	}

	private halve(least: number): void {
		this.congested = true;
		this.halvings++;
		this.limit = Math.max(least, this.limit / 2);
		for (const known of this.latencies.values()) known.recent = known.baseline;
	}
}
