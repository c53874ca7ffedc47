// A client of the API: an execution of a node, a hook, a poll, a picker or a sub-node.
import type { Route } from '../../base/definition';
import { START } from './bound';

/** Limits of a client. */
export interface Allowance {
	/** Max requests in flight. */
	max: number;
	/**
	 * The client writes. It begins with few requests in flight, and each that was processed allows one more. One that failed but
	 * may have been applied halves the number, so that fewer can go wrong at once.
	 */
	writes?: boolean;
	/** Max Requests per Second, for all clients of the key. */
	perSecond?: number;
}

/** A request that waits for its slot. */
export interface ClientRequest {
	route: Route;
	/** Key of the record that it's about, if any. */
	record?: string;
	/** Of the requests of its client to the same route, that with the highest goes first. */
	priority: number;
	/** Retry Time in milliseconds: it isn't sent if a pause ends later. */
	budget: number;
	/** Each ends the waiting with its reason. */
	signals: AbortSignal[];
}

/** The result of an attempt, as far as traffic needs it. */
export interface Report<T> {
	/** The API, or the way to it, has too much to do. A throttled request has this, too. */
	overload: boolean;
	/** The API throttled the request (429), and asked for a pause of so many milliseconds, if it gave a number. */
	throttled?: { pause?: number };
	/** The API processed the request, successfully or not. */
	accepted: boolean;
	/** The request failed, but may have been applied. */
	inDoubt: boolean;
	/** The result may end the run of its client. Then the client must send nothing more. */
	mayEndRun?: boolean;
	value: T;
}

/** The requests of a client to one route. */
export class ClientRoute {
	inFlight = 0;

	/**
	 * Time of sending of the first request that failed since one was accepted, Infinity if none has failed. The time for retries
	 * of a request counts from it (retry.ts).
	 */
	failingSince = Infinity;

	/** Time of its first request to the route. Retry Time of throttled requests begins then at the earliest. */
	readonly begunAt = performance.now();

	constructor(
		/** Number of its newest request, in the order in which those of all clients were sent. */
		public lastSent: number,
	) {}
}

export class Client {
	inFlight = 0;

	/** Max requests in flight now. Of a client that writes it goes up and down (`Allowance.writes`). */
	max: number;

	readonly perSecond?: number;

	private readonly routes = new Map<Route, ClientRoute>();

	constructor(
		private readonly allowance: Allowance,
		/**
		 * Requests sent so far, the first value of `lastSent` on each route: a new client goes after all that wait already.
		 */
		private readonly sentBefore: number,
	) {
		const { max, writes = false, perSecond } = allowance;
		this.perSecond = perSecond;
		this.max = writes ? Math.min(START, max) : max;
	}

	/**
	 * Learns from the result of its request that was sent at `sentAt`: since when the route has failed, and how many writes may be
	 * in flight.
	 */
	learn(
		clientRoute: ClientRoute,
		sentAt: number,
		{ accepted, inDoubt, overload, throttled }: Report<unknown>,
	): void {
		if (accepted) clientRoute.failingSince = Infinity;
		else if (overload && !throttled) {
			clientRoute.failingSince = Math.min(clientRoute.failingSince, sentAt);
		}
		if (!this.allowance.writes) return;
		if (inDoubt) this.max = Math.max(1, Math.floor(this.max / 2));
		else if (accepted) this.max = Math.min(this.allowance.max, this.max + 1);
	}

	/** Its requests to a route. Begins to count those of a new one. */
	clientRoute(route: Route): ClientRoute {
		const clientRoute = this.routes.get(route) ?? new ClientRoute(this.sentBefore);
		this.routes.set(route, clientRoute);
		return clientRoute;
	}
}
