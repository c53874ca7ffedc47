// Decides which request is sent next, and when. All clients of a key in this process share it.
// Its guarantees are in docs/contributing/architecture.md.
import { sleep } from 'n8n-workflow';

import type { Route } from '../../base/definition';
import { onAbort, untilAborted } from '../../base/pool';
import { Locks } from '../../base/locks';
import { MAX_IN_FLIGHT, START } from './bound';
import { Pace, PausedTooLong, Routes, type Report, type RouteTraffic, type Sent } from './limit';

export interface Allowance {
	max: number;
	/** Begins with few in flight. Each processed request allows one more, and one that may have been applied halves them. */
	writes?: boolean;
	/** Max Requests per Second, for all clients of the key. */
	perSecond?: number;
}

export interface ClientRequest {
	route: Route;
	record?: string;
	/** The request with the highest priority goes first among those of its client to the same route. */
	priority: number;
	/** Retry Time in milliseconds. The request isn't sent if a pause ends later. */
	budget: number;
	/** Each signal ends the waiting with its reason. */
	signals: AbortSignal[];
}

export class ClientRoute {
	inFlight = 0;

	/** Time of the first request that failed since one was accepted, otherwise Infinity. Retries count from here (retry.ts). */
	failingSince = Infinity;

	/** Retry Time of throttled requests begins here at the earliest. */
	readonly begunAt = performance.now();

	constructor(
		/** Number of its newest request, in the order in which the requests of all clients were sent. */
		public lastSent: number,
	) {}
}

export class Client {
	inFlight = 0;

	/** Max requests in flight now. A client that writes begins low (`Allowance.writes`). */
	max: number;

	readonly perSecond?: number;

	private readonly routes = new Map<Route, ClientRoute>();

	constructor(
		private readonly allowance: Allowance,
		/** Requests sent so far, the first value of `lastSent` on each route. So a new client goes after all that wait already. */
		private readonly sentBefore: number,
	) {
		const { max, writes = false, perSecond } = allowance;
		this.perSecond = perSecond;
		this.max = writes ? Math.min(START, max) : max;
	}

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

	clientRoute(route: Route): ClientRoute {
		const clientRoute = this.routes.get(route) ?? new ClientRoute(this.sentBefore);
		this.routes.set(route, clientRoute);
		return clientRoute;
	}
}

interface Waiting {
	/** The requests of one client to one route wait in a line of their own. */
	clientRoute: object;
	/** The highest goes first in its line. Of several requests, the one that has waited longest. */
	priority: number;
}

interface Line<T> {
	tickets: Set<T>;
	/** The request that goes first, undefined if it has to be looked for. */
	head?: T;
}

function firstOf<T extends Waiting>(tickets: Iterable<T>): T | undefined {
	let first: T | undefined;
	for (const each of tickets) if (!first || each.priority > first.priority) first = each;
	return first;
}

/** One waiting request of each client and route stands for the others, so most looks at the queue are short. */
class Queue<T extends Waiting> {
	readonly lines = new Map<object, Line<T>>();

	add(ticket: T): void {
		const line = this.lines.get(ticket.clientRoute) ?? { tickets: new Set() };
		this.lines.set(ticket.clientRoute, line);
		line.tickets.add(ticket);
		if (line.head && ticket.priority > line.head.priority) line.head = ticket;
	}

	delete(ticket: T): void {
		const line = this.lines.get(ticket.clientRoute);
		if (!line?.tickets.delete(ticket)) return;
		if (line.head === ticket) line.head = undefined;
		if (line.tickets.size === 0) this.lines.delete(ticket.clientRoute);
	}

	/** @param stepsAside true if a request can't go, but others of its line may. Then the first of those takes its place. */
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

interface Ticket extends ClientRequest, Waiting {
	client: Client;
	clientRoute: ClientRoute;
	routeTraffic: RouteTraffic;
	endWait: (sent: Sent) => void;
	drop: (reason: unknown) => void;
}

export class Traffic {
	endedAt = performance.now();

	readonly locks = new Locks();

	private readonly routes = new Routes();

	private readonly queue = new Queue<Ticket>();

	private readonly pace = new Pace();

	private inFlight = 0;

	sentCount = 0;

	private wakeUp?: { at: number; cancel: () => void };

	get idle(): boolean {
		return this.inFlight === 0 && this.queue.lines.size === 0 && this.locks.isEmpty;
	}

	hasAccepted(route: ClientRequest['route'], since: number): boolean {
		return this.routes.routeTraffic(route).newestAccepted > since;
	}

	/**
	 * Sends a request now, or when there is a slot. It overtakes no waiting request: one that may go was sent when a slot became
	 * free, or when the timer said so.
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

	private sendNext(): void {
		const now = performance.now();
		for (let next = this.findNext(now); next; next = this.findNext(now)) {
			this.queue.delete(next);
			this.start(next, now);
		}
	}

	/** Drops requests that can't wait for the end of a pause. If none may go now, sets the timer. */
	private findNext(now: number): Ticket | undefined {
		let next: Ticket | undefined;
		let hasDropped = false;
		let shortest = Infinity;
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
		// While a record holds up a request, requests about other records of the line may go.
		const stepsAside = (ticket: Ticket) => hasRecordLimit(ticket) && !mayGo(ticket);
		for (const ticket of this.queue.heads(stepsAside)) {
			if ((!next || goesBefore(ticket, next)) && mayGo(ticket)) next = ticket;
		}
		// Other requests have taken the places of those that were dropped.
		if (!next && hasDropped) return this.findNext(now);
		if (!next) this.wakeUpAt(now + shortest);
		return next;
	}

	/**
	 * Milliseconds until a request may be sent, Infinity if there's no slot until another request ends, or its error, if a pause
	 * ends after its Retry Time. Retry Time begins with the client's first request to the route, or with the first 429 since the
	 * API has accepted a request, whichever is later. So it's one Retry Time for all items of a run.
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
			// A request that can't wait for the end of a pause probes the pause, unless another request just did.
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

	private async send<T>(ticket: Ticket, sent: Sent, attempt: () => Promise<Report<T>>): Promise<T> {
		const { client, clientRoute, routeTraffic } = ticket;
		let report: Report<T> | undefined;
		try {
			report = await attempt();
			this.routes.learn(routeTraffic, sent, report);
			client.learn(clientRoute, sent.at, report);
			return report.value;
		} finally {
			// A request that the API didn't process counts for no rate or quota.
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

/** Requests about other records in the line of this ticket may go. */
const hasRecordLimit = ({ routeTraffic, record }: Ticket) => routeTraffic.recordLimits.has(record);

/** Clients take turns on each route: fewest requests in flight first, then the one that sent a request there longest ago. */
const goesBefore = (one: Ticket, other: Ticket) =>
	(one.clientRoute.inFlight - other.clientRoute.inFlight ||
		one.clientRoute.lastSent - other.clientRoute.lastSent) < 0;
