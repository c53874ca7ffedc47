// Who may send a request to an API, and when: shared by all clients of one key in this process.
// What a waiting request is promised: docs/contributing/architecture.md.
import { sleep } from 'n8n-workflow';

import type { Route } from '../../endpoints';
import { onAbort, untilAborted } from '../../pool';
import { Bound } from './bound';
import { Client, type Allowance, type ClientRequest, type Report } from './client';
import { RateLimit, type SentRequest } from './rateLimit';

/** Milliseconds: Node.js ends a longer timer at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The API asks to wait for longer than a request may. */
export class PausedTooLong extends Error {
	constructor(readonly milliseconds: number) {
		super('The API asks for a pause');
	}
}

/** A request that waits for a slot. */
interface Ticket extends ClientRequest {
	client: Client;
	/** When it began to wait. */
	joined: number;
	/** Ends the waiting: it has a slot, as the limits of key and route have noted it. */
	start: (sent: SentRequest[]) => void;
	/** Ends the waiting: it is not sent. */
	drop: (reason: unknown) => void;
}

export class Traffic {
	/** When it was last used. */
	used = performance.now();

	private readonly bound = new Bound();

	private readonly ofKey = new RateLimit();

	private readonly ofRoutes = new Map<Route, RateLimit>();

	/** In order; when one is sent, the others of its item go to the end. */
	private readonly waiting = new Set<Ticket>();

	private inFlight = 0;

	private turns = 0;

	/** When the next look at those who wait is due, and what calls it off. */
	private look?: { at: number; cancel: () => void };

	client(allowance: Allowance): Client {
		// Its first turn comes after those who wait already.
		return new Client(this, allowance, this.turns);
	}

	get idle(): boolean {
		return this.inFlight === 0 && this.waiting.size === 0;
	}

	/** Waits for a slot, sends, and learns from the response: see `Client.run`. */
	async run<T>(client: Client, request: ClientRequest, send: () => Promise<Report<T>>): Promise<T> {
		const { signals } = request;
		const sent = await untilAborted<SentRequest[]>(signals, (start, drop) => {
			const ticket = { ...request, client, joined: performance.now(), start, drop };
			this.waiting.add(ticket);
			this.sendNext();
			return () => this.waiting.delete(ticket);
		});
		let report: Report<T> | undefined;
		try {
			for (const { aborted, reason } of signals) if (aborted) throw reason;
			report = await send();
			return report.value;
		} finally {
			if (report) this.learn(client, request, sent, report);
			// The run sees a response that may end it before its next request is sent.
			if (report?.mayEnd) void sleep(0).then(() => this.release(client));
			else this.release(client);
		}
	}

	private release(client: Client): void {
		this.used = performance.now();
		this.inFlight--;
		client.inFlight--;
		this.sendNext();
	}

	private learn(
		client: Client,
		request: ClientRequest,
		[sentOfKey, sentOfRoute]: SentRequest[],
		report: Report<unknown>,
	): void {
		const now = performance.now();
		const { route } = request;
		const { overload, refused } = report;
		const { ofKey } = this;
		const own = this.ofRoute(route);
		const pause = refused?.pause;
		const isProbe = pause !== undefined && (sentOfKey.isProbe || sentOfRoute.isProbe);
		if (refused) {
			const others = [...this.ofRoutes.values()].filter((each) => each !== own);
			const isShared = sentOfKey.isProbe || [ofKey, ...others].some((each) => each.isPaused(now));
			const isOfKey = pause !== undefined && isShared;
			ofKey.refused(sentOfKey, now, isOfKey ? pause : undefined);
			own.refused(sentOfRoute, now, pause);
			if (isOfKey) for (const each of this.ofRoutes.values()) each.forgive();
		} else if (report.accepted) {
			ofKey.accepted(sentOfKey);
			own.accepted(sentOfRoute);
		}
		client.learn(request, report);
		this.bound.learn({
			route,
			sentAt: sentOfKey.at,
			now,
			// A probe shows the rate, which fewer requests in flight would not make higher.
			overload: overload && !isProbe,
			full: this.inFlight >= Math.floor(this.bound.limit),
		});
	}

	/** Gives free slots to those who wait; looks again when a pause or a window ends. */
	private sendNext(): void {
		const now = performance.now();
		let next: Ticket | undefined;
		do {
			next = undefined;
			let earliest = Infinity;
			for (const ticket of this.waiting) {
				const delay = this.delay(ticket, now);
				if (delay > 0) earliest = Math.min(earliest, delay);
				else if (this.hasSlot(ticket.client) && (!next || isBefore(ticket, next))) next = ticket;
			}
			if (next) this.start(next, now);
			else this.lookAgain(now + earliest);
		} while (next);
	}

	private start(ticket: Ticket, now: number): void {
		const { client, route, itemIndex, start } = ticket;
		this.waiting.delete(ticket);
		this.inFlight++;
		client.inFlight++;
		client.lastTurn = ++this.turns;
		start([this.ofKey.sent(now), this.ofRoute(route).sent(now)]);
		for (const other of [...this.waiting]) {
			if (other.client !== client || other.itemIndex !== itemIndex) continue;
			this.waiting.delete(other);
			this.waiting.add(other);
		}
	}

	private hasSlot({ inFlight, max }: Client): boolean {
		return inFlight < max && (inFlight === 0 || this.inFlight < Math.floor(this.bound.limit));
	}

	/** Milliseconds until a request may go out. Drops one whose client was told of too long a pause. */
	private delay(ticket: Ticket, now: number): number {
		const { client, route, budget } = ticket;
		const pause = this.pauseBeyondBudget(ticket, now);
		if (pause > 0 && client.refusedSince(route, budget) !== undefined) {
			this.waiting.delete(ticket);
			ticket.drop(new PausedTooLong(pause));
			return Infinity;
		}
		// Only other clients were told of it: it asks the API itself.
		if (pause > 0 && client.inFlight === 0) return 0;
		return Math.max(this.ofKey.delay(now), this.ofRoute(route).delay(now));
	}

	/** Milliseconds of a pause that ends after the request's budget, or 0. */
	private pauseBeyondBudget({ client, route, joined, budget }: Ticket, now: number): number {
		const limits = [this.ofKey, this.ofRoute(route)];
		const until = Math.max(...limits.map(({ pausedUntil }) => pausedUntil));
		if (until <= now) return 0;
		const pausedSince = Math.min(...limits.map((each) => each.pausedSince));
		const since = client.refusedSince(route, budget) ?? Math.max(joined, pausedSince);
		return until - since > budget ? until - now : 0;
	}

	private ofRoute(route: Route): RateLimit {
		const known = this.ofRoutes.get(route) ?? new RateLimit();
		this.ofRoutes.set(route, known);
		return known;
	}

	private lookAgain(at: number): void {
		if (at === Infinity || (this.look && this.look.at <= at)) return;
		this.look?.cancel();
		const wait = Math.ceil(at - performance.now());
		const timer = AbortSignal.timeout(Math.min(LONGEST_TIMER, Math.max(0, wait)));
		const cancel = onAbort(timer, () => {
			this.look = undefined;
			this.sendNext();
		});
		this.look = { at, cancel };
	}
}

/** Whether a ticket has its turn before another one, which joined earlier. */
const isBefore = (one: Ticket, other: Ticket) =>
	(one.client.inFlight - other.client.inFlight ||
		one.client.lastTurn - other.client.lastTurn ||
		other.attempts - one.attempts) < 0;
