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

/** Requests of all clients to one route. */
interface RouteTraffic {
	limit: RateLimit;
	bound: Bound;
	/** Time at which a request in flight asked if a pause is over. The next one may ask a second later. */
	askedAt: number;
}

/** A request, while it waits for a slot and while it's in flight. */
interface Ticket extends ClientRequest {
	client: Client;
	/** Requests of its client to its route. */
	own: ClientRoute;
	/** Requests of all clients to its route. */
	shared: RouteTraffic;
	joined: number;
	/** Ends the waiting and sends it at once. */
	start: (sent: Sent) => void;
	/** Ends the waiting. It isn't sent. */
	drop: (reason: unknown) => void;
}

export class Traffic {
	/** Time at which the last request ended. */
	endedAt = performance.now();

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
			const ticket: Ticket = {
				...request,
				client,
				own: client.at(request.route),
				shared: this.at(request.route),
				joined: performance.now(),
				start: (sent) => end(this.send(ticket, sent, send)),
				drop,
			};
			this.queue.add(ticket);
			// Only this one: the others were looked at before.
			this.dropPausedTooLong([ticket]);
			this.sendNext([ticket]);
			return () => this.queue.delete(ticket);
		});
	}

	/** Drops requests whose own client was asked for a pause beyond their budget. */
	private dropPausedTooLong(tickets: Iterable<Ticket>): void {
		const now = performance.now();
		for (const ticket of tickets) {
			const pause = this.pauseBeyondBudget(ticket, now);
			if (!pause || pause.toldUntil <= Math.max(now, pause.budgetEnd)) continue;
			this.queue.delete(ticket);
			ticket.drop(new PausedTooLong(pause.until - now));
		}
	}

	/** Gives free slots to the queue, or to a part of it. Looks again when a pause or a window ends. */
	private sendNext(tickets: Iterable<Ticket> = this.queue): void {
		const now = performance.now();
		let next: Ticket | undefined;
		do {
			next = undefined;
			let earliest = Infinity;
			for (const ticket of tickets) {
				// A single one may have been dropped or sent meanwhile.
				if (!this.queue.has(ticket) || !this.hasSlot(ticket)) continue;
				if (next && !goesBefore(ticket, next)) continue;
				const delay = this.delay(ticket, now);
				if (delay > 0) earliest = Math.min(earliest, delay);
				else next = ticket;
			}
			if (next) this.start(next, now);
			else this.wakeUpAt(now + earliest);
		} while (next);
	}

	private hasSlot({ client: { inFlight, max }, shared }: Ticket): boolean {
		if (inFlight >= max) return false;
		// A client may always have one request in flight.
		return inFlight === 0 || (this.inFlight < MOST && !shared.bound.isFull);
	}

	/** Milliseconds until a request may be sent. */
	private delay(ticket: Ticket, now: number): number {
		const { client, shared } = ticket;
		const pause = this.pauseBeyondBudget(ticket, now);
		if (!pause || client.inFlight > 0) {
			return Math.max(this.ofKey.delay(now), shared.limit.delay(now));
		}
		// Only other clients were asked for so long a pause, so this one asks the API itself, one after the other.
		return Math.max(0, pause.toldUntil - now, shared.askedAt + SECOND - now);
	}

	/** The pause that a request waits for, if that ends after its budget. */
	private pauseBeyondBudget({ client, shared, route, joined, budget }: Ticket, now: number) {
		const ofKey = this.ofKey.pause;
		const ofRoute = shared.limit.pause;
		const until = Math.max(ofKey.until, ofRoute.until);
		if (until <= now) return undefined;
		const series = client.refusalSeries(route, budget);
		const refusingSince = Math.min(ofKey.refusingSince, ofRoute.refusingSince);
		const budgetEnd = (series?.since ?? Math.max(joined, refusingSince)) + budget;
		if (until <= budgetEnd) return undefined;
		return { until, budgetEnd, toldUntil: series?.until ?? -Infinity };
	}

	private start(ticket: Ticket, at: number): void {
		const { client, own, shared, start } = ticket;
		this.queue.delete(ticket);
		this.inFlight++;
		client.inFlight++;
		own.inFlight++;
		shared.bound.inFlight++;
		own.servedAs = ++this.served;
		const sent = {
			at,
			duringPause: [this.ofKey, shared.limit].some(({ pause }) => pause.isOn(at)),
		};
		if (sent.duringPause) shared.askedAt = at;
		for (const limit of [this.ofKey, shared.limit]) limit.sent(sent);
		start(sent);
	}

	private async send<T>(ticket: Ticket, sent: Sent, send: () => Promise<Report<T>>): Promise<T> {
		let report: Report<T> | undefined;
		try {
			report = await send();
			this.learn(ticket, sent, report);
			return report.value;
		} finally {
			if (!report?.accepted)
				for (const limit of [this.ofKey, ticket.shared.limit]) limit.lost(sent);
			// The run sees a response that may end it before its next request is sent.
			const release = () => this.release(ticket, sent);
			if (!report || report.mayEndRun) void sleep(0).then(release);
			else release();
		}
	}

	private release({ client, own, shared }: Ticket, { duringPause }: Sent): void {
		this.endedAt = performance.now();
		this.inFlight--;
		client.inFlight--;
		own.inFlight--;
		shared.bound.inFlight--;
		if (duringPause) shared.askedAt = -Infinity;
		this.sendNext();
	}

	private learn(ticket: Ticket, sent: Sent, report: Report<unknown>): void {
		const { client, shared } = ticket;
		const now = performance.now();
		// A pause of no time is no pause.
		const pause = report.refused?.pause || undefined;
		const limits = [this.ofKey, shared.limit];
		// Before the limits learn, which changes that.
		const isProbe = sent.duringPause || limits.some((limit) => limit.isProbe(sent));
		if (pause !== undefined) this.learnPause(shared.limit, sent, pause, now);
		else if (report.accepted) {
			this.acceptedAt = Math.max(this.acceptedAt, sent.at);
			for (const limit of limits) limit.accepted(sent);
		}
		client.learn(ticket, sent.at, report);
		shared.bound.learn({
			sentAt: sent.at,
			now,
			// A refused probe shows the rate, which fewer requests in flight wouldn't change.
			overload: report.overload && !(isProbe && pause !== undefined),
			hasPause: pause !== undefined,
		});
		if (pause !== undefined) this.dropPausedTooLong(this.queue);
	}

	/**
	 * A pause belongs to its route. It's about the whole key if one of another route or of the key ends with it,
	 * as far as whole seconds show, and nothing was accepted in between.
	 */
	private learnPause(ofRoute: RateLimit, sent: Sent, pause: number, now: number): void {
		const isSame = ({ pause: { since, until } }: RateLimit) =>
			until > now && since > this.acceptedAt && Math.abs(until - (now + pause)) <= 2 * SECOND;
		const limits = [...this.routes.values()].map(({ limit }) => limit);
		const same = limits.filter((limit) => limit !== ofRoute && isSame(limit));
		const isOfKey = same.length > 0 || isSame(this.ofKey);
		ofRoute.refused(sent, now, pause);
		if (!isOfKey) return;
		this.ofKey.refused(sent, now, pause);
		for (const limit of [ofRoute, ...same]) limit.forgetRefusal();
	}

	/** Looks at the queue again then, or earlier. */
	private wakeUpAt(time: number): void {
		if (time === Infinity) return;
		// n8n's rules allow no other timer than a signal, which can't be cleared, so none is long.
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

	private at(route: Route): RouteTraffic {
		const known = this.routes.get(route) ?? {
			limit: new RateLimit(),
			bound: new Bound(),
			askedAt: -Infinity,
		};
		this.routes.set(route, known);
		return known;
	}
}

/**
 * True if a ticket goes before one that joined earlier: the fewest in flight first, then who was served longest
 * ago, then by priority.
 */
const goesBefore = (one: Ticket, other: Ticket) =>
	(one.own.inFlight - other.own.inFlight ||
		one.own.servedAs - other.own.servedAs ||
		other.priority - one.priority) < 0;
