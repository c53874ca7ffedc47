// A client of the API: an execution of a node, a hook, a poll, a picker or a sub-node.
import { sleep } from 'n8n-workflow';

import type { Route } from '../../endpoints';
import { onAbort } from '../../pool';
import { START } from './bound';
import { Queue, type Slot, type Ticket } from './queue';

/** How many requests one client may have in flight. */
export interface Allowance {
	/** At most. */
	max: number;
	/** Its requests are writes: they begin with few, and the first that fails halves their number. */
	writes?: boolean;
}

/** What a response, or none, shows of the API. */
export interface Report<T> {
	/** The API, or the way to it, has too much to do. */
	overload: boolean;
	/** The API refused the request, and asked to wait for so many milliseconds, if it said any number. */
	refused?: { pause?: number };
	/** The request failed so that it may have been applied all the same. */
	failed?: boolean;
	/** It may end the run of the client, of which nothing more must be sent then. */
	mayEnd?: boolean;
	value: T;
}

/** What a client asks to send. */
export interface Wanted extends Omit<Ticket, 'send' | 'drop' | 'joined'> {
	/** Each ends the waiting with its reason. */
	signals: AbortSignal[];
}

/** What its slots come from. */
interface Slots {
	join(client: Client, ticket: Ticket): void;
	drop(client: Client, ticket: Ticket, reason: unknown): void;
	send<T>(client: Client, route: Route, slot: Slot, send: () => Promise<Report<T>>): Promise<T>;
	sendNext(): void;
}

export class Client {
	readonly queue = new Queue();

	inFlight = 0;

	/** A response may have ended its run: nothing is sent until that is known. */
	settling = false;

	/** Requests in flight at most. */
	max: number;

	/** Writes: the number still grows. */
	private growing: boolean;

	/** Per route that refuses without accepting anything: since when, and the last refusal. */
	private readonly refusing = new Map<Route, { since: number; last: number }>();

	constructor(
		private readonly traffic: Slots,
		private readonly allowance: Allowance,
		/** The number of its last turn, among those of all clients. */
		public served: number,
	) {
		this.growing = allowance.writes === true;
		this.max = this.growing ? Math.min(START, allowance.max) : allowance.max;
	}

	/**
	 * Waits for a slot, sends, and tells what the response showed.
	 * @throws PausedTooLong when the API asks to wait for longer than the budget; the reason of a signal
	 */
	async run<T>(wanted: Wanted, send: () => Promise<Report<T>>): Promise<T> {
		const { signals } = wanted;
		for (const { aborted, reason } of signals) if (aborted) throw reason;
		let unlisten: Array<() => void> = [];
		const waiting = new Promise<Slot>((start, drop) => {
			const ticket: Ticket = { ...wanted, joined: performance.now(), send: start, drop };
			const dropTicket = (reason: unknown) => this.traffic.drop(this, ticket, reason);
			unlisten = signals.map((signal) => onAbort(signal, dropTicket));
			this.traffic.join(this, ticket);
		});
		const slot = await waiting.finally(() => {
			for (const each of unlisten) each();
		});
		return await this.traffic.send(this, wanted.route, slot, async () => {
			for (const { aborted, reason } of signals) if (aborted) throw reason;
			return await send();
		});
	}

	/**
	 * A request was refused. To be called before its report, so that those who wait know.
	 * @param failing since when it fails otherwise
	 * @returns since when its route refuses this client without accepting anything
	 */
	refused(route: Route, budget: number, failing = performance.now()): number {
		const since = this.refusedSince(route, budget) ?? failing;
		this.refusing.set(route, { since, last: performance.now() });
		return since;
	}

	/** Since when it was refused itself, rather than told by other clients. */
	refusedSince(route: Route, budget: number): number | undefined {
		const known = this.refusing.get(route);
		// A refusal that is longer past than the budget belongs to another series.
		return known && performance.now() - known.last <= budget ? known.since : undefined;
	}

	/** A request of it got a response, or failed. */
	responded(route: Route, report: Report<unknown>, quick: boolean): void {
		const { refused, failed = false, overload, mayEnd = false } = report;
		if (!refused) this.refusing.delete(route);
		if (this.growing && quick && this.inFlight >= this.max) {
			this.max = Math.min(this.allowance.max, this.max + 1);
		}
		if (this.growing && failed) this.max = Math.max(1, Math.floor(this.max / 2));
		if (failed || refused || overload) this.growing = false;
		if (mayEnd) this.settle();
	}

	/** Lets the run see a response before its next request is sent. */
	private settle(): void {
		if (this.settling || (this.queue.isEmpty && this.inFlight <= 1)) return;
		this.settling = true;
		void sleep(0).then(() => {
			this.settling = false;
			this.traffic.sendNext();
		});
	}
}
