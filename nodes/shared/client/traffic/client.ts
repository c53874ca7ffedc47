// A client of the API: an execution of a node, a hook, a poll, a picker or a sub-node.
import type { Route } from '../../endpoints';
import { START } from './bound';

/** Limits of a client. */
export interface Allowance {
	/** Max requests in flight. */
	max: number;
	/**
	 * The client writes. It begins with few requests in flight, and each that was processed allows one more, until one
	 * is refused, or failed but may have been applied. The second case also halves the number, so that fewer can go
	 * wrong at once.
	 */
	writes?: boolean;
}

/** A request that waits for its slot. */
export interface ClientRequest {
	route: Route;
	/** Of the requests of its client to the same route, that with the highest goes first. */
	priority: number;
	/** Retry Time in milliseconds: the max length of a series of refusals. */
	budget: number;
	/** Each ends the waiting with its reason. */
	signals: AbortSignal[];
}

/** The result of an attempt, as far as traffic needs it. */
export interface Report<T> {
	/** The API, or the way to it, has too much to do. */
	overload: boolean;
	/** The API refused the request, and asked for a pause of so many milliseconds, if it gave a number. */
	refused?: { pause?: number };
	/** The API processed the request, successfully or not. */
	accepted: boolean;
	/** The request failed, but may have been applied. */
	inDoubt: boolean;
	/** The result may end the run of its client. Then the client must send nothing more. */
	mayEndRun?: boolean;
	value: T;
}

/** Refusals of a client's requests to a route, with no accepted one in between. */
export interface RefusalSeries {
	since: number;
	/** Time of the newest one. */
	newest: number;
	/** End of the newest pause, or the time of a refusal without one. */
	until: number;
}

/** Traffic, as far as a client needs it: files don't import each other in a circle. */
interface Sender {
	run<T>(client: Client, request: ClientRequest, send: () => Promise<Report<T>>): Promise<T>;
}

/** The requests of a client to one route. */
export interface ClientRoute {
	inFlight: number;
	/** Place of its newest request in the order in which requests of all clients were sent. */
	servedAs: number;
	refusals?: RefusalSeries;
}

export class Client {
	inFlight = 0;

	/** Max requests in flight. */
	max: number;

	/** Writes only: `max` goes up with each request that is processed. */
	private growing: boolean;

	private readonly routes = new Map<Route, ClientRoute>();

	constructor(
		private readonly sender: Sender,
		private readonly allowance: Allowance,
		/** Number of requests of all clients so far. A new client counts as just served. */
		private readonly servedBefore: number,
	) {
		const { max, writes = false } = allowance;
		this.growing = writes;
		this.max = writes ? Math.min(START, max) : max;
	}

	/**
	 * Waits for a slot, sends, and returns the value of the report.
	 * @throws PausedTooLong if the API asks for a pause that goes beyond the budget; the reason of a signal
	 */
	run<T>(request: ClientRequest, send: () => Promise<Report<T>>): Promise<T> {
		return this.sender.run(this, request, send);
	}

	/** Learns from the result of its request that was sent at `sentAt`. */
	learn({ route, budget }: ClientRequest, sentAt: number, report: Report<unknown>): void {
		const { refused, accepted } = report;
		const now = performance.now();
		const series = this.refusalSeries(route, budget);
		if (refused) {
			const until = now + (refused.pause ?? 0);
			this.at(route).refusals = { since: series?.since ?? now, newest: now, until };
		} else if (accepted && series && sentAt > series.newest) this.at(route).refusals = undefined;
		if (this.growing) this.learnMax(report);
	}

	private learnMax({ refused, accepted, inDoubt }: Report<unknown>): void {
		this.growing = !refused && !inDoubt;
		if (inDoubt) this.max = Math.max(1, Math.floor(this.max / 2));
		else if (accepted) this.max = Math.min(this.allowance.max, this.max + 1);
	}

	at(route: Route): ClientRoute {
		const known = this.routes.get(route) ?? { inFlight: 0, servedAs: this.servedBefore };
		this.routes.set(route, known);
		return known;
	}

	/**
	 * Refusals of its own requests to a route. After half of the budget since the newest pause, the next refusal begins
	 * a new series: it would else end the waiting at once. Only half, because the next turn may come late.
	 */
	refusalSeries(route: Route, budget: number): RefusalSeries | undefined {
		const series = this.routes.get(route)?.refusals;
		return series && 2 * (performance.now() - series.until) <= budget ? series : undefined;
	}
}
