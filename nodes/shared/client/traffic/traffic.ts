// Who may send a request to an API, and when: shared by all clients of one key in this process.
// What a waiting request is promised: docs/contributing/architecture.md.
import { sleep } from 'n8n-workflow';

import type { Route } from '../../endpoints';
import { onAbort, untilAborted } from '../../pool';
import { Bound, MOST } from './bound';
import { Client, type Allowance, type ClientRequest, type Report } from './client';
import { RateLimit, SECOND, type SentRequest } from './rateLimit';

/** Milliseconds: Node.js ends a longer timer at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The API asks to wait for longer than a request may. */
export class PausedTooLong extends Error {
	constructor(readonly milliseconds: number) {
		super('The API asks for a pause');
	}
}

/** A request that goes out, as the limits of its key and its route have noted it. */
interface Sent {
	ofKey: SentRequest;
	ofRoute: SentRequest;
	/** It asks whether a pause is over. */
	intoPause: boolean;
}

/** A request that waits for a slot. */
interface Ticket extends ClientRequest {
	client: Client;
	/** When it began to wait. */
	joined: number;
	/** Ends the waiting: it has a slot, and is sent at once. */
	start: (sent: Sent) => void;
	/** Ends the waiting: it is not sent. */
	drop: (reason: unknown) => void;
}

export class Traffic {
	/** When it was last used. */
	used = performance.now();

	private readonly ofKey = new RateLimit();

	private readonly routes = new Map<Route, { limit: RateLimit; bound: Bound }>();

	/** In the order in which they joined. */
	private readonly waiting = new Set<Ticket>();

	private inFlight = 0;

	private turns = 0;

	/** When the newest request was sent that the API has accepted. */
	private acceptedAt = -Infinity;

	/** When those who wait are looked at next, and what calls that off. */
	private wakeUp?: { at: number; cancel: () => void };

	client(allowance: Allowance): Client {
		// As if it had just been served: who waits already goes first.
		return new Client(this, allowance, this.turns);
	}

	get idle(): boolean {
		return this.inFlight === 0 && this.waiting.size === 0;
	}

	/** Waits for a slot, sends, and learns from the response: see `Client.run`. */
	run<T>(client: Client, request: ClientRequest, send: () => Promise<Report<T>>): Promise<T> {
		return untilAborted<T>(request.signals, (end, drop) => {
			const start = (sent: Sent) => end(this.send(client, request, sent, send));
			const ticket = { ...request, client, joined: performance.now(), start, drop };
			this.waiting.add(ticket);
			this.sendNext();
			return () => this.waiting.delete(ticket);
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
				this.ofKey.lost(sent.ofKey);
				this.at(request.route).limit.lost(sent.ofRoute);
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
		const now = performance.now();
		const { route } = request;
		const { overload, refused } = report;
		// An API that asks to wait for no time at all asks for no pause.
		const pause = refused?.pause || undefined;
		const { limit: own, bound } = this.at(route);
		if (refused) {
			const isOfKey = pause !== undefined && this.seemsOfKey(own, now, pause);
			this.ofKey.refused(sent.ofKey, now, isOfKey ? pause : undefined);
			own.refused(sent.ofRoute, now, pause);
			if (isOfKey) for (const { limit } of this.routes.values()) limit.forgetRefusal();
		} else if (report.accepted) {
			this.acceptedAt = Math.max(this.acceptedAt, sent.ofKey.at);
			this.ofKey.accepted(sent.ofKey);
			own.accepted(sent.ofRoute);
		}
		const sentAt = sent.ofKey.at;
		client.learn(request, sentAt, report);
		if (pause !== undefined) {
			for (const ticket of this.waiting)
				if (ticket.client === client) this.delayOrDrop(ticket, now);
		}
		const hasPause = pause !== undefined;
		const isProbe = sent.intoPause || sent.ofKey.isProbe || sent.ofRoute.isProbe;
		bound.learn({
			sentAt,
			now,
			// A probe shows the rate, which fewer requests in flight would not make higher.
			overload: overload && !(isProbe && hasPause),
			hasPause,
		});
	}

	/**
	 * Whether one limit seems to have asked for a pause and for that of another route, or of the key: they
	 * end together, as far as whole seconds tell, and nothing was accepted in between.
	 */
	private seemsOfKey(own: RateLimit, now: number, pause: number): boolean {
		const limits = [...this.routes.values()].map(({ limit }) => limit);
		return [this.ofKey, ...limits].some(
			(each) =>
				each !== own &&
				each.isPaused(now) &&
				each.pausedSince > this.acceptedAt &&
				Math.abs(each.pausedUntil - now - pause) <= 2 * SECOND,
		);
	}

	/** Gives free slots to those who wait; looks again when a pause or a window ends. */
	private sendNext(): void {
		const now = performance.now();
		let next: Ticket | undefined;
		do {
			next = undefined;
			let earliest = Infinity;
			for (const ticket of this.waiting) {
				if (!this.hasSlot(ticket)) continue;
				const delay = this.delayOrDrop(ticket, now);
				if (delay > 0) earliest = Math.min(earliest, delay);
				else if (!next || isBefore(ticket, next)) next = ticket;
			}
			if (next) this.start(next, now);
			else this.wakeUpAt(now + earliest);
		} while (next);
	}

	private start(ticket: Ticket, now: number): void {
		const { client, route, start } = ticket;
		this.waiting.delete(ticket);
		this.inFlight++;
		client.inFlight++;
		client.lastTurn = ++this.turns;
		const { ofKey } = this;
		const { limit: ofRoute, bound } = this.at(route);
		bound.inFlight++;
		const intoPause = ofKey.isPaused(now) || ofRoute.isPaused(now);
		start({
			ofKey: ofKey.sent(now, intoPause),
			ofRoute: ofRoute.sent(now, intoPause),
			intoPause,
		});
	}

	private hasSlot({ client: { inFlight, max }, route }: Ticket): boolean {
		if (inFlight === 0 || inFlight >= max) return inFlight < max;
		return this.inFlight < MOST && !this.at(route).bound.isFull;
	}

	/** Milliseconds until a request may go out. Drops one whose client was asked to wait for too long. */
	private delayOrDrop(ticket: Ticket, now: number): number {
		const { client, route, joined, budget } = ticket;
		const limits = [this.ofKey, this.at(route).limit];
		const pausedUntil = Math.max(...limits.map((each) => each.pausedUntil));
		const own = client.refusalSeries(route, budget);
		if (own && Math.min(own.until, pausedUntil) > Math.max(now, own.since + budget)) {
			this.waiting.delete(ticket);
			ticket.drop(new PausedTooLong(pausedUntil - now));
			return Infinity;
		}
		const delays = limits.map((limit) => {
			const delay = limit.delay(now);
			if (!limit.isPaused(now)) return delay;
			const since = own?.since ?? Math.max(joined, limit.refusingSince);
			const isTooLong = limit.pausedUntil - since > budget;
			// What it was told itself is over, or only others were told: it asks the API itself.
			return isTooLong && client.inFlight === 0 ? (own?.until ?? now) - now : delay;
		});
		return Math.max(0, ...delays);
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

/** Whether a ticket has its turn before another one, which joined earlier. */
const isBefore = (one: Ticket, other: Ticket) =>
	(one.client.inFlight - other.client.inFlight ||
		one.client.lastTurn - other.client.lastTurn ||
		other.failures - one.failures) < 0;
