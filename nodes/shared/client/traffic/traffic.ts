// Decides which request is sent next, and when. All clients of a key in this process share it.
// Its guarantees are in docs/contributing/architecture.md.
import { sleep } from 'n8n-workflow';

import { onAbort, untilAborted } from '../../pool';
import { MOST } from './bound';
import {
	Client,
	type Allowance,
	type ClientRequest,
	type ClientRoute,
	type Report,
} from './client';
import { MEMORY, SECOND } from './rateLimit';
import { Routes, type RouteTraffic, type Sent } from './routes';

/** The API asks for a pause that goes beyond the budget of a request. */
export class PausedTooLong extends Error {
	constructor(readonly milliseconds: number) {
		super('The API asks for a pause');
	}
}

/** A request, while it waits for a slot and while it's in flight. */
interface Ticket extends ClientRequest {
	client: Client;
	/** Requests of its client to its route. */
	own: ClientRoute;
	/** Requests of all clients to its route. */
	shared: RouteTraffic;
	/** Time at which it began to wait. */
	joined: number;
	/** Ends the waiting and sends it at once. */
	start: (sent: Sent) => void;
	/** Ends the waiting. It isn't sent. */
	drop: (reason: unknown) => void;
}

export class Traffic {
	/** Time at which the last request ended. */
	endedAt = performance.now();

	private readonly routes = new Routes();

	/** The queue, oldest first. */
	private readonly queue = new Set<Ticket>();

	private inFlight = 0;

	/** Requests sent so far. */
	private served = 0;

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
				shared: this.routes.at(request.route),
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
			if (!pause?.isTold) continue;
			this.queue.delete(ticket);
			ticket.drop(new PausedTooLong(pause.until - now));
		}
	}

	/** Gives free slots to the queue, or to a part of it. */
	private sendNext(tickets: Iterable<Ticket> = this.queue): void {
		const now = performance.now();
		for (let next = this.next(tickets, now); next; next = this.next(tickets, now)) {
			this.start(next, now);
		}
	}

	/** The request that is sent next. If none may be sent now, the queue is looked at again in time. */
	private next(tickets: Iterable<Ticket>, now: number): Ticket | undefined {
		let next: Ticket | undefined;
		let earliest = Infinity;
		for (const ticket of tickets) {
			// A request that is looked at alone may have left the queue.
			if (!this.queue.has(ticket) || !this.hasSlot(ticket)) continue;
			if (next && !goesBefore(ticket, next)) continue;
			const delay = this.delay(ticket, now);
			if (delay > 0) earliest = Math.min(earliest, delay);
			else next = ticket;
		}
		if (!next) this.wakeUpAt(now + earliest);
		return next;
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
		// Only others were asked for so long a pause. If its client has nothing in flight, it asks the API itself.
		if (pause && client.inFlight === 0) {
			return Math.max(0, pause.toldUntil - now, shared.askedAt + SECOND - now);
		}
		return Math.max(this.routes.ofKey.delay(now), shared.rate.delay(now));
	}

	/**
	 * The pause that a request waits for, if it ends after the budget. The budget begins with the client's own first
	 * refusal. Without one it begins when the request joined or others were refused, whichever is later.
	 * `toldUntil` is the end of the pause that the client itself was told. `isTold`: that one is too long as well.
	 */
	private pauseBeyondBudget({ client, shared, route, joined, budget }: Ticket, now: number) {
		const ofKey = this.routes.ofKey.pause;
		const ofRoute = shared.rate.pause;
		const until = Math.max(ofKey.until, ofRoute.until);
		if (until <= now) return undefined;
		const refusingSince = Math.min(ofKey.refusingSince, ofRoute.refusingSince);
		const own = client.refusalSeries(route, budget);
		// An older refusal is over: the API has accepted a request after it.
		const series = own && own.newest >= refusingSince ? own : undefined;
		const budgetEnd = (series?.since ?? Math.max(joined, refusingSince)) + budget;
		if (until <= budgetEnd) return undefined;
		const toldUntil = series?.until ?? -Infinity;
		return { until, toldUntil, isTold: toldUntil > Math.max(now, budgetEnd) };
	}

	private start(ticket: Ticket, at: number): void {
		const { client, own, shared, start } = ticket;
		this.queue.delete(ticket);
		this.inFlight++;
		client.inFlight++;
		own.inFlight++;
		own.servedAs = ++this.served;
		start(this.routes.sent(shared, at));
	}

	private async send<T>(ticket: Ticket, sent: Sent, send: () => Promise<Report<T>>): Promise<T> {
		const { client, shared } = ticket;
		let report: Report<T> | undefined;
		try {
			report = await send();
			this.routes.learn(shared, sent, report);
			// After the routes: a refusal before their `refusingSince` counts as over (see pauseBeyondBudget).
			client.learn(ticket, sent.at, report);
			if (report.refused?.pause !== undefined) this.dropPausedTooLong(this.queue);
			return report.value;
		} finally {
			if (!report?.accepted) this.routes.lost(shared, sent);
			// A response may end the run. The run sees it before the slot is free, so that it sends nothing more.
			const release = () => this.release(ticket, sent);
			if (!report || report.mayEndRun) void sleep(0).then(release);
			else release();
		}
	}

	private release({ client, own, shared }: Ticket, sent: Sent): void {
		this.endedAt = performance.now();
		this.inFlight--;
		client.inFlight--;
		own.inFlight--;
		this.routes.release(shared, sent);
		this.sendNext();
	}

	/** Looks at the queue again at that time, or earlier. */
	private wakeUpAt(time: number): void {
		if (time === Infinity) return;
		// n8n's rules leave the timer of a signal only, which can't be cleared. So none is long.
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

/**
 * True if a ticket goes before one that joined earlier. On each route: the client with the fewest in flight first,
 * then the one that was served longest ago, then by priority.
 */
const goesBefore = (one: Ticket, other: Ticket) =>
	(one.own.inFlight - other.own.inFlight ||
		one.own.servedAs - other.own.servedAs ||
		other.priority - one.priority) < 0;
