// Who may send a request to an API, and when: shared by all clients of one key in this process.
//
// What a waiting request is promised:
// 1. A client may always have one request in flight, whatever the others do. No request waits for the
//    response to the request of another client.
// 2. Two things hold it back, and both come from the API: a pause that it asked for, and the rate that
//    its refusals have shown. Within that rate clients take turns: fewest in flight first, then who was
//    served longest ago. So the end of a pause is no stampede.
// 3. A pause and a rate belong to the route that was refused. They belong to the whole key when a second
//    route is refused during the pause, or when a request was refused that probed the rate of the key.
// 4. What a client sends beside its one request is decided by the adaptive bound. A client never has
//    more in flight than its own max.
// 5. Waiting ends at once when the run ends. It also ends when pauses take longer than the Retry Time; a
//    client that only knows of such a pause from others asks the API itself, with one request.
import type { Route } from '../../endpoints';
import { onAbort } from '../../pool';
import { Bound } from './bound';
import { Client, type Allowance, type Report } from './client';
import type { Slot, Ticket } from './queue';
import { RateLimit } from './rateLimit';

/** The API asks to wait for longer than a request may. */
export class PausedTooLong extends Error {
	constructor(readonly milliseconds: number) {
		super('The API asks for a pause');
	}
}

export class Traffic {
	/** When it was last used. */
	used = performance.now();

	private readonly bound = new Bound();

	private readonly ofKey = new RateLimit();

	private readonly ofRoutes = new Map<Route, RateLimit>();

	/** Clients with requests that wait. */
	private readonly waiting = new Set<Client>();

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

	/** A request begins to wait. */
	join(client: Client, ticket: Ticket): void {
		this.used = performance.now();
		client.queue.add(ticket);
		this.waiting.add(client);
		this.dropPaused(client);
		this.sendNext();
	}

	/** A request waits no longer. */
	drop(client: Client, ticket: Ticket, reason: unknown): void {
		this.remove(client, ticket);
		ticket.drop(reason);
		// It may have stood before one that can go.
		this.sendNext();
	}

	/** Sends a request that has got a slot, and learns from the response. */
	async send<T>(
		client: Client,
		route: Route,
		slot: Slot,
		send: () => Promise<Report<T>>,
	): Promise<T> {
		let report: Report<T> | undefined;
		try {
			report = await send();
			return report.value;
		} finally {
			this.used = performance.now();
			if (report) client.responded(route, report, this.learn(route, slot, report));
			this.inFlight--;
			client.inFlight--;
			this.sendNext();
		}
	}

	/** @returns whether the response came as quickly as usual */
	private learn(
		route: Route,
		{ at, sent, halvings }: Slot,
		{ overload, refused }: Report<unknown>,
	): boolean {
		const now = performance.now();
		const [ofKey, ofRoute] = sent;
		if (refused) {
			this.ofKey.withdraw(ofKey);
			this.ofRoute(route).withdraw(ofRoute);
		}
		if (refused?.pause) this.refused(route, sent, now, refused.pause);
		else if (!refused) {
			this.ofKey.took(ofKey);
			this.ofRoute(route).took(ofRoute);
		}
		// A probe shows the rate, which fewer requests in flight would not make higher.
		const isProbe = refused?.pause !== undefined && (ofKey.isProbe || ofRoute.isProbe);
		return this.bound.responded({
			route,
			latency: now - at,
			overload: overload && !isProbe,
			full: this.inFlight >= Math.floor(this.bound.limit),
			halvings,
		});
	}

	/** Gives free slots to those who wait; looks again when a pause or a window ends. */
	sendNext(): void {
		const now = performance.now();
		for (;;) {
			let earliest = Infinity;
			let next: { client: Client; ticket: Ticket } | undefined;
			for (const client of this.waiting) {
				if (!this.hasSlot(client) || (next && !isBefore(client, next.client))) continue;
				for (const ticket of client.queue.heads()) {
					const hold = this.hold(client, ticket, now);
					if (hold <= 0) {
						next = { client, ticket };
						break;
					}
					earliest = Math.min(earliest, hold);
				}
			}
			if (!next) {
				this.lookAgain(now + earliest);
				return;
			}
			const { client, ticket } = next;
			this.remove(client, ticket);
			this.inFlight++;
			client.inFlight++;
			client.served = ++this.turns;
			const { route } = ticket;
			const sent: Slot['sent'] = [this.ofKey.sent(now), this.ofRoute(route).sent(now)];
			ticket.send({ at: now, sent, halvings: this.bound.halvings });
		}
	}

	private refused(route: Route, [ofKey, ofRoute]: Slot['sent'], now: number, pause: number): void {
		const own = this.ofRoute(route);
		const others = [...this.ofRoutes.values()].filter(
			(limit) => limit !== own && limit.pausedUntil > now,
		);
		if (others.length > 0 || ofKey.isProbe || this.ofKey.pausedUntil > now) {
			this.ofKey.refused(ofKey, now, pause);
			for (const limit of [own, ...others]) limit.forgive();
		} else own.refused(ofRoute, now, pause);
		for (const client of [...this.waiting]) this.dropPaused(client);
	}

	/** Drops requests that would wait too long for a pause of which the API told their client. */
	private dropPaused(client: Client): void {
		const now = performance.now();
		for (const ticket of client.queue.all()) {
			const isTold = client.refusedSince(ticket.route, ticket.budget) !== undefined;
			if (isTold && this.isPausedTooLong(client, ticket, now)) {
				this.drop(client, ticket, new PausedTooLong(this.pausedUntil(ticket.route) - now));
			}
		}
	}

	private remove(client: Client, ticket: Ticket): void {
		client.queue.remove(ticket);
		if (client.queue.isEmpty) this.waiting.delete(client);
	}

	private hasSlot({ inFlight, max, settling }: Client): boolean {
		if (settling || inFlight >= max) return false;
		return inFlight === 0 || this.inFlight < Math.floor(this.bound.limit);
	}

	/** Milliseconds until a request may go out. */
	private hold(client: Client, ticket: Ticket, now: number): number {
		const { route } = ticket;
		// It would be dropped for a pause that others were told of, so it asks the API itself.
		if (client.inFlight === 0 && this.isPausedTooLong(client, ticket, now)) return 0;
		return Math.max(this.ofKey.hold(now), this.ofRoute(route).hold(now));
	}

	/** Whether pauses take longer than a request may wait, since it joined or its client was refused. */
	private isPausedTooLong(client: Client, ticket: Ticket, now: number): boolean {
		const { route, joined, budget } = ticket;
		const until = this.pausedUntil(route);
		if (until <= now) return false;
		const pausedSince = Math.min(this.ofKey.pausedSince, this.ofRoute(route).pausedSince);
		const since = client.refusedSince(route, budget) ?? Math.max(joined, pausedSince);
		return until - since > budget;
	}

	private pausedUntil(route: Route): number {
		return Math.max(this.ofKey.pausedUntil, this.ofRoute(route).pausedUntil);
	}

	private ofRoute(route: Route): RateLimit {
		const known = this.ofRoutes.get(route) ?? new RateLimit();
		this.ofRoutes.set(route, known);
		return known;
	}

	private lookAgain(at: number): void {
		if (at === Infinity || (this.look && this.look.at <= at)) return;
		this.look?.cancel();
		const timer = AbortSignal.timeout(Math.max(0, Math.ceil(at - performance.now())));
		const cancel = onAbort(timer, () => {
			this.look = undefined;
			this.sendNext();
		});
		this.look = { at, cancel };
	}
}

/** Whether a client has its turn before another one. */
const isBefore = (one: Client, other: Client) =>
	(one.inFlight - other.inFlight || one.served - other.served) < 0;
