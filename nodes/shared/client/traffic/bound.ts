// How many requests of all clients may be in flight: additive increase, multiplicative decrease (AIMD, as
// TCP; Chiu and Jain 1989), with the latency at few requests as the baseline that shows congestion (as
// TCP Vegas; Brakmo and Peterson 1994).
import type { Route } from '../../endpoints';

/** Requests in flight at first. */
export const START = 5;

/** Requests in flight at most of all clients together, beside the one that each may always have. */
export const MOST = 40;

/** Milliseconds above twice the baseline that are no congestion: n8n itself may be as busy as that. */
const SLACK = 50;

/** What a response, or none, shows. All times in milliseconds. */
interface Sample {
	route: Route;
	sentAt: number;
	now: number;
	/** The API, or the way to it, has too much to do. */
	overload: boolean;
	/** As many requests as allowed were in flight. */
	full: boolean;
}

/** Mean milliseconds of a route's responses: of its first and those while few are in flight, and of the last ones. */
interface Latency {
	responses: number;
	baseline: number;
	recent: number;
}

/**
 * One more for each response until the first sign of congestion (slow start), then one more a round.
 * Half as many when the API has too much to do, and when responses take twice as long as they do with
 * few in flight, though not below those few: slowness at that level is not ours.
 */
export class Bound {
	limit = START;

	private halvedAt = -Infinity;

	private readonly latencies = new Map<Route, Latency>();

	learn({ route, sentAt, now, overload, full }: Sample): void {
		// What was sent before the last halving shows nothing new.
		if (sentAt < this.halvedAt) return;
		if (overload) this.halve(now, 1);
		else if (this.isSlow(route, now - sentAt)) this.halve(now, START);
		else if (full) {
			const step = this.halvedAt === -Infinity ? 1 : 1 / this.limit;
			this.limit = Math.min(MOST, this.limit + step);
		}
	}

	private isSlow(route: Route, latency: number): boolean {
		const known = this.latencies.get(route) ?? { responses: 0, baseline: 0, recent: 0 };
		this.latencies.set(route, known);
		const count = ++known.responses;
		// The first ones too, however many are in flight: a single one may be an error that takes no time.
		const isBaseline = this.limit <= START || count <= START;
		if (isBaseline) known.baseline += (latency - known.baseline) / Math.min(count, START);
		// A round of responses: where n8n is held up for a moment, all that are in flight seem slow.
		known.recent += (latency - known.recent) / Math.min(count, 2 * this.limit);
		return !isBaseline && known.recent > 2 * known.baseline + SLACK;
	}

	private halve(now: number, least: number): void {
		this.halvedAt = now;
		this.limit = Math.max(least, this.limit / 2);
		for (const known of this.latencies.values()) known.recent = known.baseline;
	}
}
