// Decides which request is sent next, and when. All clients of a key in this process share it.
// Its guarantees are in docs/contributing/architecture.md.
import { sleep } from 'n8n-workflow';

import type { Route } from '../../endpoints';
import { onAbort, untilAborted } from '../../pool';
import { Bound, MOST } from './bound';
import { Client, type Allowance, type ClientRequest, type Report } from './client';
import { RateLimit, SECOND, type SentRequest } from './rateLimit';

/** Milliseconds. Node.js fires a longer timer at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

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
	joined: number;
	/** Ends the waiting and sends it at once. */
	start: (sent: Sent) => void;
	/** Ends the waiting. It isn't sent. */
	drop: (reason: unknown) => void;
}

export class Traffic {
	/** Time of its last use. */
	used = performance.now();

	private readonly ofKey = new RateLimit();

	private readonly routes = new Map<Route, { limit: RateLimit; bound: Bound }>();

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
			const ticket = { ...request, client, joined: performance.now(), start, drop };
			this.queue.add(ticket);
			this.sendNext();
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
			if (report?.mayEndRun) void sleep(0).then(() => this.release(client, request));
			else this.release(client, request);
		}
	}

	private release(client: Client, { route }: ClientRequest): void {
		this.used = performance.now();
		this.inFlight--;
		client.inFlight--;
		this.at(route).bound.inFlight--;
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

	/** Gives free slots to the queue. Looks again when a pause or a window ends. */
	private sendNext(): void {
		const now = performance.now();
		let next: Ticket | undefined;
		do {
			next = undefined;
			let earliest = Infinity;
			for (const ticket of this.queue) {
				if (!this.hasSlot(ticket)) continue;
				const delay = this.delayOrDrop(ticket, now);
				if (delay > 0) earliest = Math.min(earliest, delay);
				else if (!next || goesBefore(ticket, next)) next = ticket;
			}
			if (next) this.start(next, now);
			else this.wakeUpAt(now + earliest);
		} while (next);
	}

	private start(ticket: Ticket, at: number): void {
		const { client, route, start } = ticket;
		const { limit, bound } = this.at(route);
		this.queue.delete(ticket);
		this.inFlight++;
		client.inFlight++;
		bound.inFlight++;
		client.servedAt = ++this.served;
		const sent = { at, duringPause: this.ofKey.isPaused(at) || limit.isPaused(at) };
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
		const limits = [this.ofKey, this.at(route).limit];
		const delay = Math.max(...limits.map((limit) => limit.delay(now)));
		const pausedUntil = Math.max(...limits.map((limit) => limit.pausedUntil));
		if (pausedUntil <= now) return delay;
		const own = client.refusalSeries(route, budget);
		const refusing = Math.min(...limits.map((limit) => limit.refusingSince));
		const end = (own?.since ?? Math.max(joined, refusing)) + budget;
		if (pausedUntil <= end) return delay;
		if (own && own.until > Math.max(now, end)) {
			this.queue.delete(ticket);
			ticket.drop(new PausedTooLong(pausedUntil - now));
			return Infinity;
		}
		// Only other clients were asked for so long a pause, so this one asks the API itself.
		return client.inFlight === 0 ? Math.max(0, (own?.until ?? now) - now) : delay;
	}

	private at(route: Route) {
		const known = this.routes.get(route) ?? { limit: new RateLimit(), bound: new Bound() };
		this.routes.set(route, known);
		return known;
	}

	private wakeUpAt(at: number): void {
		if (at === Infinity || (this.wakeUp && this.wakeUp.at <= at)) return;
		this.wakeUp?.cancel();
		const wait = Math.ceil(at - performance.now());
		const timer = AbortSignal.timeout(Math.min(LONGEST_TIMER, Math.max(0, wait)));
		const cancel = onAbort(timer, () => {
			this.wakeUp = undefined;
			this.sendNext();
		});
		this.wakeUp = { at, cancel };
	}
}

/** True if a ticket goes before one that joined earlier. */
const goesBefore = (one: Ticket, other: Ticket) =>
	(one.client.inFlight - other.client.inFlight ||
		one.client.servedAt - other.client.servedAt ||
		other.failures - one.failures) < 0;
