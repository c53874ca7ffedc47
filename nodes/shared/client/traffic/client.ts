// A client of the API: an execution of a node, a hook, a poll, a picker or a sub-node.
import type { Route } from '../../endpoints';
import { START } from './bound';

/** How many requests one client may have in flight. */
export interface Allowance {
	/** At most. */
	max: number;
	/** Its requests are writes: they begin with few, and the first that fails halves their number. */
	writes?: boolean;
}

/** A request that a client wants to send. */
export interface ClientRequest {
	route: Route;
	/** Index of the input item: items take turns. */
	itemIndex: number;
	/** How often the request was sent already. */
	attempts: number;
	/** Milliseconds that its user lets it spend on refusals. */
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
	mayEnd?: boolean;
	value: T;
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

	/** Per route that refuses without accepting anything: since when, and until when it asked to wait. */
	private readonly refusing = new Map<Route, { since: number; until: number }>();

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
	async run<T>(request: ClientRequest, send: () => Promise<Report<T>>): Promise<T> {
		return await this.sender.run(this, request, send);
	}

	/** One of its requests got a response, or failed. */
	learn({ route, budget }: ClientRequest, { refused, inDoubt }: Report<unknown>): void {
		if (refused) {
			const now = performance.now();
			const since = this.refusedSince(route, budget) ?? now;
			this.refusing.set(route, { since, until: now + (refused.pause ?? 0) });
		} else this.refusing.delete(route);
		if (!this.growing) return;
		this.growing = !inDoubt && !refused;
		if (inDoubt) this.max = Math.max(1, Math.floor(this.max / 2));
		else if (!refused) this.max = Math.min(this.allowance.max, this.max + 1);
	}

	/** Since when it was refused itself, rather than told by other clients. */
	refusedSince(route: Route, budget: number): number | undefined {
		const known = this.refusing.get(route);
		// A refusal that is longer past than the budget belongs to another series.
		return known && performance.now() - known.until <= budget ? known.since : undefined;
	}
}
