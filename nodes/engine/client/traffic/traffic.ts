// Decides which request is sent next, and when. All clients of a key in this process share it.
// Its guarantees are in docs/contributing/architecture.md.
import { sleep } from 'n8n-workflow';

import type { Route } from '../../base/definition';
import { onAbort, untilAborted } from '../../base/pool';
import { Locks } from '../../base/locks';
import { MAX_IN_FLIGHT, START } from './bound';
import { Pace, PausedTooLong, Routes, type Report, type RouteTraffic, type Sent } from './limit';

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

interface Waiting {
	/** The requests of its client to its route, which wait in a line of their own. */
	clientRoute: object;
	/**
	 * The request with the highest priority goes first in its line. Of several, the one that has waited longest.
	 */
	priority: number;
}

/** The waiting requests of a client to a route. */
interface Line<T> {
	tickets: Set<T>;
	/** The request that goes first, undefined if it has to be looked for. */
	head?: T;
}

/** The request with the highest priority. Of several, the one that was added first. */
function firstOf<T extends Waiting>(tickets: Iterable<T>): T | undefined {
	let first: T | undefined;
	for (const each of tickets) if (!first || each.priority > first.priority) first = each;
	return first;
}

/**
 * Requests that wait for a slot. One request of each client and route stands for the others, so most looks at the queue
 * are short.
 */
class Queue<T extends Waiting> {
	readonly lines = new Map<object, Line<T>>();

	/** Puts a request at the end of its line. */
	add(ticket: T): void {
		const line = this.lines.get(ticket.clientRoute) ?? { tickets: new Set() };
		this.lines.set(ticket.clientRoute, line);
		line.tickets.add(ticket);
		if (line.head && ticket.priority > line.head.priority) line.head = ticket;
	}

	/** Takes a request out of its line, if it's still there. */
	delete(ticket: T): void {
		const line = this.lines.get(ticket.clientRoute);
		if (!line?.tickets.delete(ticket)) return;
		if (line.head === ticket) line.head = undefined;
		if (line.tickets.size === 0) this.lines.delete(ticket.clientRoute);
	}

	/**
	 * The first of each line.
	 * @param stepsAside true if a request can't go, but others of its line may. Then the first of those takes its place.
	 */
	*heads(stepsAside: (ticket: T) => boolean): Generator<T> {
		for (const line of this.lines.values()) {
			line.head ??= firstOf(line.tickets);
			if (!line.head) continue;
			if (!stepsAside(line.head)) yield line.head;
			else {
				const other = firstOf([...line.tickets].filter((each) => !stepsAside(each)));
				if (other) yield other;
			}
		}
	}
}

/** A request, while it waits for a slot and while it's in flight. */
interface Ticket extends ClientRequest, Waiting {
	client: Client;
	clientRoute: ClientRoute;
	/** Limits of its route, as the requests of all clients have shown them. */
	routeTraffic: RouteTraffic;
	/** Ends the waiting, and sends it at once. */
	endWait: (sent: Sent) => void;
	/** Ends the waiting. It isn't sent. */
	drop: (reason: unknown) => void;
}

export class Traffic {
	/** Time at which the last request ended. */
	endedAt = performance.now();

	readonly locks = new Locks();

	private readonly routes = new Routes();

	private readonly queue = new Queue<Ticket>();

	private readonly pace = new Pace();

	private inFlight = 0;

	/** Number of requests sent so far. */
	sentCount = 0;

	/** The timer that looks at the queue again. */
	private wakeUp?: { at: number; cancel: () => void };

	/** True if nothing waits, is in flight or has a lock. */
	get idle(): boolean {
		return this.inFlight === 0 && this.queue.lines.size === 0 && this.locks.isEmpty;
	}

	/** True if the API has processed a request to a route that was sent after that time. */
	hasAccepted(route: ClientRequest['route'], since: number): boolean {
		return this.routes.routeTraffic(route).newestAccepted > since;
	}

	/**
	 * Sends a request at once if it may go, or lets it wait for a slot. Learns from the report, and returns its value. It
	 * overtakes no request that waits: the queue is looked at whenever a slot becomes free, and when the timer says that a
	 * request may go. So those that still wait couldn't go now.
	 * @throws PausedTooLong if the API asks for a pause that goes beyond the budget; the reason of a signal
	 */
	run<T>(client: Client, request: ClientRequest, attempt: () => Promise<Report<T>>): Promise<T> {
		return untilAborted<T>(request.signals, (end, drop) => {
			const now = performance.now();
			const ticket: Ticket = {
				...request,
				client,
				clientRoute: client.clientRoute(request.route),
				routeTraffic: this.routes.routeTraffic(request.route),
				endWait: (sent) => end(this.send(ticket, sent, attempt)),
				drop,
			};
			const delay = this.delay(ticket, now);
			if (delay instanceof PausedTooLong) drop(delay);
			else if (delay === 0) this.start(ticket, now);
			else {
				this.queue.add(ticket);
				this.wakeUpAt(now + delay);
			}
			// For a signal that ends the waiting. A ticket that was sent or dropped isn't in the queue.
			return () => this.queue.delete(ticket);
		});
	}

	/** Gives free slots to the queue. */
	private sendNext(): void {
		const now = performance.now();
		for (let next = this.findNext(now); next; next = this.findNext(now)) {
			this.queue.delete(next);
			this.start(next, now);
		}
	}

	/**
	 * The request that is sent next. Drops those that can't wait for the end of a pause. If none may go now, sets the timer to the
	 * time at which one may.
	 */
	private findNext(now: number): Ticket | undefined {
		let next: Ticket | undefined;
		let hasDropped = false;
		let shortest = Infinity;
		// Also notes the shortest delay of those that may not.
		const mayGo = (ticket: Ticket) => {
			const delay = this.delay(ticket, now);
			if (delay === 0) return true;
			if (delay instanceof PausedTooLong) {
				this.queue.delete(ticket);
				ticket.drop(delay);
				hasDropped = true;
			} else shortest = Math.min(shortest, delay);
			return false;
		};
		// Whatever holds it up, requests about other records are looked at in its place.
		const stepsAside = (ticket: Ticket) => hasRecordLimit(ticket) && !mayGo(ticket);
		for (const ticket of this.queue.heads(stepsAside)) {
			if ((!next || goesBefore(ticket, next)) && mayGo(ticket)) next = ticket;
		}
		// Others have taken the places of those that were dropped.
		if (!next && hasDropped) return this.findNext(now);
		if (!next) this.wakeUpAt(now + shortest);
		return next;
	}

	/**
	 * Milliseconds until a request may be sent, Infinity if there's no slot for it until another one ends. Or its error, if a pause
	 * ends after its Retry Time. That begins with the first of its client's requests to the route, or with the first 429 since the
	 * API has accepted a request, if that is later. So it's one for all items of a run.
	 */
	private delay(ticket: Ticket, now: number): number | PausedTooLong {
		const { client, clientRoute, routeTraffic, record, budget } = ticket;
		const limits = this.routes.limitsOf(routeTraffic, record);
		let throttledSince = Infinity;
		for (const { pause } of limits) {
			throttledSince = Math.min(throttledSince, pause.throttledSince);
		}
		const budgetEnd = Math.max(clientRoute.begunAt, throttledSince) + budget;
		let ofLimits = 0;
		for (const limit of limits) {
			const { pause } = limit;
			// A request that can't wait for the end of a pause probes it, unless another one just did.
			const isProbe = pause.until > Math.max(now, budgetEnd);
			const delay = isProbe ? pause.delayOfProbe(now) : limit.delay(now);
			if (isProbe && delay > 0 && pause.isConfirmed) {
				return new PausedTooLong(pause.hasRetryAfter ? pause.until - now : undefined);
			}
			ofLimits = Math.max(ofLimits, delay);
		}
		if (client.inFlight >= client.max) return Infinity;
		const { bound } = routeTraffic;
		const { isFull } = bound;
		if (client.inFlight > 0 && (this.inFlight >= MAX_IN_FLIGHT || isFull)) return Infinity;
		// A client may always have one request in flight.
		const ofSlot = isFull ? bound.delayOfFirst(now) : 0;
		return Math.max(ofLimits, ofSlot, this.pace.delay(now, client.perSecond));
	}

	/** Gives a request its slot, counts it for its limits, and ends its waiting, which sends it. */
	private start({ client, clientRoute, routeTraffic, record, endWait }: Ticket, at: number): void {
		this.inFlight++;
		client.inFlight++;
		clientRoute.inFlight++;
		clientRoute.lastSent = ++this.sentCount;
		this.pace.sentAt = at;
		const limits = this.routes.limitsOf(routeTraffic, record);
		const during = limits.filter(({ pause }) => pause.until > at);
		for (const { pause } of during) pause.probedAt = at;
		const sent = { at, record, isProbe: during.length > 0 };
		for (const limit of limits) limit.sent(sent);
		routeTraffic.bound.begin(sent);
		endWait(sent);
	}

	/** Sends a request that has its slot, lets routes and client learn from the report, and frees the slot. */
	private async send<T>(ticket: Ticket, sent: Sent, attempt: () => Promise<Report<T>>): Promise<T> {
		const { client, clientRoute, routeTraffic } = ticket;
		let report: Report<T> | undefined;
		try {
			report = await attempt();
			this.routes.learn(routeTraffic, sent, report);
			client.learn(clientRoute, sent.at, report);
			return report.value;
		} finally {
			// If the API didn't process it, it counts for no rate or quota.
			if (!report?.accepted) this.routes.forget(routeTraffic, sent);
			const release = () => {
				this.endedAt = performance.now();
				this.inFlight--;
				client.inFlight--;
				clientRoute.inFlight--;
				routeTraffic.bound.end(sent);
				if (this.queue.lines.size > 0) this.sendNext();
			};
			// A response or an error may end the run. The run sees it before the slot is free, so that it sends nothing more.
			if (!report || report.mayEndRun) void sleep(0).then(release);
			else release();
		}
	}

	/** Looks at the queue again at that time, or earlier if the timer is already set so. */
	private wakeUpAt(at: number): void {
		if (at === Infinity) return;
		if (this.wakeUp && this.wakeUp.at <= at) return;
		this.wakeUp?.cancel();
		// n8n's lint rules forbid setTimeout.
		const timer = AbortSignal.timeout(Math.max(0, Math.ceil(at - performance.now())));
		const cancel = onAbort(timer, () => {
			this.wakeUp = undefined;
			this.sendNext();
		});
		this.wakeUp = { at, cancel };
	}
}

/** True if the API has throttled requests about the record of a ticket. Others of its line may go then. */
const hasRecordLimit = ({ routeTraffic, record }: Ticket) => routeTraffic.recordLimits.has(record);

/**
 * True if a ticket goes before another one, of the same route or not: the one whose client has fewer requests in flight on its
 * route, then the one whose client last sent one there longer ago.
 */
const goesBefore = (one: Ticket, other: Ticket) =>
	(one.clientRoute.inFlight - other.clientRoute.inFlight ||
		one.clientRoute.lastSent - other.clientRoute.lastSent) < 0;
