// Decides which request is sent next, and when. All clients of a key in this process share it.
// Its guarantees are in docs/contributing/architecture.md.
import { sleep } from 'n8n-workflow';

import type { Route } from '../../endpoints';
import { onAbort, untilAborted } from '../../pool';
import { Bound, MOST } from './bound';
import {
	Client,
	type Allowance,
	type ClientRequest,
	type ClientRoute,
	type Report,
} from './client';
import { MEMORY, RateLimit, SECOND, type SentRequest } from './rateLimit';

/** The API asks for a pause that goes beyond the budget of a request. */
export class PausedTooLong extends Error {
	constructor(readonly milliseconds: number) {
		super('The API asks for a pause');
	}
}

interface Sent extends SentRequest {
	/** It was sent during a pause, to ask if that is over. */
	duringPause: boolean;
}

/** A request that waits for a slot. */
interface Ticket extends ClientRequest {
	client: Client;
	/** The requests of its client to the same route. */
	own: ClientRoute;
	joined: number;
	/** Ends the waiting and sends it at once. */
	start: (sent: Sent) => void;
	/** Ends the waiting. It isn't sent. */
	drop: (reason: unknown) => void;
}

interface RouteTraffic {
	limit: RateLimit;
	bound: Bound;
	/** A request in flight was sent during a pause. The others wait for what it learns. */
	isAsking?: boolean;
}

export class Traffic {
	/** Time of its last use. */
	used = performance.now();

	private readonly ofKey = new RateLimit();

	private readonly routes = new Map<Route, RouteTraffic>();

	/** The queue, oldest first. */
	private readonly queue = new Set<Ticket>();

	private inFlight = 0;

	/** Requests sent so far. */
	private served = 0;

	/** Time at which the newest accepted request was sent. */
	private acceptedAt = -Infinity;

	/** The timer that looks at the queue again. */
	private wakeUp?: { at: number; cancel: () => void };

	client(allowance: Allowance): Client {
		// Clients that wait already go first.
		return new Client(this, allowance, this.served);
	}

	get idle(): boolean {
		return this.inFlight === 0 && this.queue.size === 0;
	}

	/** Waits for a slot, sends, and learns from the result: see `Client.run`. */
	run<T>(client: Client, request: ClientRequest, send: () => Promise<Report<T>>): Promise<T> {
		return untilAborted<T>(request.signals, (end, drop) => {
			const start = (sent: Sent) => end(this.send(client, request, sent, send));
			const now = performance.now();
			const own = client.at(request.route);
			const ticket = { ...request, client, own, joined: now, start, drop };
			this.queue.add(ticket);
			// Only this one: a request that joins is no reason to look at the others.
			this.sendNext([ticket]);
			return () => this.queue.delete(ticket);
		});
	}

	private async send<T>(
		client: Client,
		request: ClientRequest,
		sent: Sent,
		send: () => Promise<Report<T>>,
	): Promise<T> {
		let report: Report<T> | undefined;
		try {
			report = await send();
			this.learn(client, request, sent, report);
			return report.value;
		} finally {
			if (!report?.accepted && !report?.refused) {
				this.ofKey.lost(sent);
				this.at(request.route).limit.lost(sent);
			}
			// The run sees a response that may end it before its next request is sent.
			const release = () => this.release(client, request, sent);
			if (!report || report.mayEndRun) void sleep(0).then(release);
			else release();
		}
	}

	private release(client: Client, { route }: ClientRequest, { duringPause }: Sent): void {
		const ofRoute = this.at(route);
		this.used = performance.now();
		this.inFlight--;
		client.inFlight--;
		client.at(route).inFlight--;
		ofRoute.bound.inFlight--;
		if (duringPause) ofRoute.isAsking = false;
		this.sendNext();
	}

	private learn(client: Client, request: ClientRequest, sent: Sent, report: Report<unknown>): void {
		const { ofKey } = this;
		const { limit, bound } = this.at(request.route);
		const now = performance.now();
		const { refused, accepted } = report;
		// A pause of no time is no pause.
		const pause = refused?.pause || undefined;
		const isProbe = sent.duringPause || ofKey.isProbe(sent) || limit.isProbe(sent);
		if (refused) {
			const isOfKey = pause !== undefined && this.seemsOfKey(limit, now + pause, now);
			ofKey.refused(sent, now, isOfKey ? pause : undefined);
			limit.refused(sent, now, pause);
			if (isOfKey) for (const each of this.routes.values()) each.limit.forgetRefusal();
		} else if (accepted) {
			this.acceptedAt = Math.max(this.acceptedAt, sent.at);
			ofKey.accepted(sent);
			limit.accepted(sent);
		}
		client.learn(request, sent.at, report);
		bound.learn({
			sentAt: sent.at,
			now,
			// A refused probe shows the rate, which fewer requests in flight wouldn't change.
			overload: report.overload && !(isProbe && pause !== undefined),
			hasPause: pause !== undefined,
		});
		if (pause === undefined) return;
		for (const ticket of this.queue) if (ticket.client === client) this.delayOrDrop(ticket, now);
	}

	/**
	 * True if a pause seems to be about the whole key: one of another route or of the key ends with it, as far as
	 * whole seconds show, and nothing was accepted in between.
	 */
	private seemsOfKey(own: RateLimit, until: number, now: number): boolean {
		const limits = [...this.routes.values()].map(({ limit }) => limit);
		return [this.ofKey, ...limits].some(
			(each) =>
				each !== own &&
				each.isPaused(now) &&
				each.pausedSince > this.acceptedAt &&
				Math.abs(each.pausedUntil - until) <= 2 * SECOND,
		);
	}

	/** Gives free slots to the queue, or to a part of it. Looks again when a pause or a window ends. */
	private sendNext(tickets: Iterable<Ticket> = this.queue): void {
		const now = performance.now();
		let next: Ticket | undefined;
		do {
			next = undefined;
			let earliest = Infinity;
			for (const ticket of tickets) {
				if (!this.queue.has(ticket) || !this.hasSlot(ticket)) continue;
				const delay = this.delayOrDrop(ticket, now);
				if (delay > 0) earliest = Math.min(earliest, delay);
				else if (!next || goesBefore(ticket, next)) next = ticket;
			}
			if (next) this.start(next, now);
			else this.wakeUpAt(now + earliest);
		} while (next);
	}

	private start(ticket: Ticket, at: number): void {
		const { client, own, route, start } = ticket;
		const ofRoute = this.at(route);
		const { limit, bound } = ofRoute;
		this.queue.delete(ticket);
		this.inFlight++;
		client.inFlight++;
		own.inFlight++;
		bound.inFlight++;
		own.servedAt = ++this.served;
		const sent = { at, duringPause: this.ofKey.isPaused(at) || limit.isPaused(at) };
		ofRoute.isAsking ||= sent.duringPause;
		this.ofKey.sent(sent);
		limit.sent(sent);
		start(sent);
	}

	private hasSlot({ client: { inFlight, max }, route }: Ticket): boolean {
		if (inFlight === 0 || inFlight >= max) return inFlight < max;
		return this.inFlight < MOST && !this.at(route).bound.isFull;
	}

	/** Milliseconds until a request may be sent. Drops it if its client was asked for a pause beyond its budget. */
	private delayOrDrop(ticket: Ticket, now: number): number {
		const { client, route, joined, budget } = ticket;
		const { limit: ofRoute, isAsking } = this.at(route);
		const limits = [this.ofKey, ofRoute];
		const delay = Math.max(...limits.map((limit) => limit.delay(now)));
		const pausedUntil = Math.max(...limits.map((limit) => limit.pausedUntil));
		if (pausedUntil <= now) return delay;
		const series = client.refusalSeries(route, budget);
		const refusing = Math.min(...limits.map((limit) => limit.refusingSince));
		const end = (series?.since ?? Math.max(joined, refusing)) + budget;
		if (pausedUntil <= end) return delay;
		if (series && series.until > Math.max(now, end)) {
			this.queue.delete(ticket);
			ticket.drop(new PausedTooLong(pausedUntil - now));
			return Infinity;
		}
		// Only other clients were asked for so long a pause, so this one asks the API itself, one after the other.
		const mayAsk = client.inFlight === 0 && !isAsking;
		return mayAsk ? Math.max(0, (series?.until ?? now) - now) : delay;
	}

	private at(route: Route): RouteTraffic {
		const known = this.routes.get(route) ?? { limit: new RateLimit(), bound: new Bound() };
		this.routes.set(route, known);
		return known;
	}

	private wakeUpAt(time: number): void {
		if (time === Infinity) return;
		// A timer can't be cleared, so none is long.
		const now = performance.now();
		const at = Math.min(time, now + MEMORY);
		if (this.wakeUp && this.wakeUp.at <= at) return;
		this.wakeUp?.cancel();
		const timer = AbortSignal.timeout(Math.max(0, Math.ceil(at - now)));
		const cancel = onAbort(timer, () => {
			this.wakeUp = undefined;
			this.sendNext();
		});
		this.wakeUp = { at, cancel };
	}
}

/** True if a ticket goes before one that joined earlier. */
const goesBefore = (one: Ticket, other: Ticket) =>
	(one.own.inFlight - other.own.inFlight ||
		one.own.servedAt - other.own.servedAt ||
		other.priority - one.priority) < 0;
