// A client of the API: an execution of a node, a hook, a poll, a picker or a sub-node.
import type { Route } from '../../endpoints';
import { START } from './bound';

/** How many requests one client may have in flight. */
export interface Allowance {
	/** At most. */
	max: number;
	/**
	 * Its requests are writes: they begin with few, and one more for each that was processed. The first
	 * that is refused or fails ends that; one that fails also halves their number.
	 */
	writes?: boolean;
}

/** A request that a client wants to send. */
export interface ClientRequest {
	route: Route;
	/** How often it failed already. */
	failures: number;
	/** Milliseconds that its user lets a client spend on one series of refusals of the route. */
	budget: number;
	/** Each ends the waiting with its reason. */
	signals: AbortSignal[];
}

/** What a response, or none, shows of the API. */
export interface Report<T> {
	/** The API, or the way to it, has too much to do. */
	overload: boolean;
	/** The API refused the request: it asked to wait for so many milliseconds, if it said any number. */
	refused?: { pause?: number };
	/** The API processed the request, whatever it says to it. */
	accepted: boolean;
	/** The request failed so that it may have been applied all the same. */
	inDoubt: boolean;
	/** It may end the run of the client, of which nothing more must be sent then. */
	mayEndRun?: boolean;
	value: T;
}

/** A series of refusals: a route refuses the requests of a client, and accepts none. */
export interface RefusalSeries {
	/** When it began to. */
	since: number;
	/** Until when it asked to wait. */
	until: number;
}

/** Sends the requests of clients when it is their turn (traffic.ts). */
interface Sender {
	run<T>(client: Client, request: ClientRequest, send: () => Promise<Report<T>>): Promise<T>;
}

export class Client {
	inFlight = 0;

	/** Requests in flight at most. */
	max: number;

	/** Writes: one more may be in flight for each that was processed, until one is refused or fails. */
	private growing: boolean;

	/** By route: an accepted request that was sent later ends a series. */
	private readonly refusals = new Map<Route, RefusalSeries>();

	constructor(
		private readonly sender: Sender,
		private readonly allowance: Allowance,
		/** The number of its last turn, among those of all clients. */
		public lastTurn: number,
	) {
		const { max, writes = false } = allowance;
		this.growing = writes;
		this.max = writes ? Math.min(START, max) : max;
	}

	/**
	 * Waits for a slot, sends, and gives the value of the report.
	 * @throws PausedTooLong when the API asks to wait for longer than the budget; the reason of a signal
	 */
	run<T>(request: ClientRequest, send: () => Promise<Report<T>>): Promise<T> {
		return this.sender.run(this, request, send);
	}

	/** One of its requests, sent at `sentAt`, got a response, or failed. */
	learn({ route, budget }: ClientRequest, sentAt: number, report: Report<unknown>): void {
		const { refused, accepted, inDoubt } = report;
		if (refused) {
			const now = performance.now();
			const since = this.refusalSeries(route, budget)?.since ?? now;
			this.refusals.set(route, { since, until: now + (refused.pause ?? 0) });
		} else if (accepted && sentAt > (this.refusals.get(route)?.since ?? Infinity)) {
			this.refusals.delete(route);
		}
		if (!this.growing) return;
		this.growing = !inDoubt && !refused;
		if (inDoubt) this.max = Math.max(1, Math.floor(this.max / 2));
		else if (accepted) this.max = Math.min(this.allowance.max, this.max + 1);
	}

	/** How a route refuses its own requests: what other clients were told doesn't count. */
	refusalSeries(route: Route, budget: number): RefusalSeries | undefined {
		const known = this.refusals.get(route);
		// One whose last pause ended longer ago than the budget is over: the next refusal begins another.
		return known && performance.now() - known.until <= budget ? known : undefined;
	}
}
