// Decides which request is sent next, and when. All clients of a key in this process share it.
// Its guarantees are in docs/contributing/architecture.md.
import { sleep } from 'n8n-workflow';

import { onAbort, untilAborted } from '../../base/pool';
import { MOST } from './bound';
import {
	Client,
	Pace,
	type Allowance,
	type ClientRequest,
	type ClientRoute,
	type RefusalSeries,
	type Report,
} from './client';
import { MEMORY, SECOND, type Pause } from './rateLimit';
import { Routes, type RouteTraffic, type Sent } from './routes';

interface Waiting {
	/** The requests of its client to its route. */
	own: object;
	/** Of these, that with the highest goes first, and of several the one that joined first. */
	priority: number;
}

interface Line<T> {
	tickets: Set<T>;
	/** The one that goes first, undefined if it has to be looked for. */
	head?: T;
}

function firstOf<T extends Waiting>(tickets: Iterable<T>): T | undefined {
	let first: T | undefined;
	for (const each of tickets) if (!first || each.priority > first.priority) first = each;
	return first;
}

/** Requests that wait. Of each client and route only one is looked at, so that many waiting ones cost no time. */
class Queue<T extends Waiting> {
	private readonly lines = new Map<object, Line<T>>();

	get isEmpty(): boolean {
		return this.lines.size === 0;
	}

	add(ticket: T): void {
		const line = this.lines.get(ticket.own) ?? { tickets: new Set() };
		this.lines.set(ticket.own, line);
		line.tickets.add(ticket);
		if (line.head && ticket.priority > line.head.priority) line.head = ticket;
	}

	has(ticket: T): boolean {
		return this.lines.get(ticket.own)?.tickets.has(ticket) === true;
	}

	delete(ticket: T): boolean {
		const line = this.lines.get(ticket.own);
		if (!line?.tickets.delete(ticket)) return false;
		if (line.head === ticket) line.head = undefined;
		if (line.tickets.size === 0) this.lines.delete(ticket.own);
		return true;
	}

	all(): T[] {
		return [...this.lines.values()].flatMap(({ tickets }) => [...tickets]);
	}

	/**
	 * The first of each line. One that is held back lets others of its line go first.
	 * @param isHeld called for all of a line whose first is held back
	 */
	*heads(isHeld: (ticket: T) => boolean): Generator<T> {
		for (const line of this.lines.values()) {
			line.head ??= firstOf(line.tickets);
			if (!line.head) continue;
			if (!isHeld(line.head)) yield line.head;
			else {
				const other = firstOf([...line.tickets].filter((each) => !isHeld(each)));
				if (other) yield other;
			}
		}
	}
}

/** The API asks for a pause that goes beyond the budget of a request, or refuses requests for as long. */
export class PausedTooLong extends Error {
	/** @param milliseconds of the pause, if the API gave a number */
	constructor(readonly milliseconds?: number) {
		super('The API asks for a pause');
	}
}

/** A request, while it waits for a slot and while it's in flight. */
interface Ticket extends ClientRequest, Waiting {
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

	private readonly queue = new Queue<Ticket>();

	private readonly pace = new Pace();

	private inFlight = 0;

	/** Requests sent so far. */
	private served = 0;

	/** The timer that looks at the queue again. */
	private wakeUp?: { at: number; cancel: () => void };

	client(allowance: Allowance): Client {
		// Clients that wait already go first.
		return new Client(allowance, this.served);
	}

	get idle(): boolean {
		return this.inFlight === 0 && this.queue.isEmpty;
	}

	/** True if the API has processed a request to a route that was sent after that time. */
	hasAccepted(route: ClientRequest['route'], since: number): boolean {
		return this.routes.at(route).newestAccepted > since;
	}

	/**
	 * Waits for a slot, sends, learns from the report, and returns its value.
	 * @throws PausedTooLong if the API asks for a pause that goes beyond the budget; the reason of a signal
	 */
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
			this.dropIfPausedTooLong(ticket);
			this.sendIfFree(ticket);
			return () => this.queue.delete(ticket);
		});
	}

	/** Drops a request whose own client was asked for a pause beyond its budget, and asked again. */
	private dropIfPausedTooLong(ticket: Ticket): void {
		const now = performance.now();
		const pause = this.pauseBeyondBudget(ticket, now);
		if (!pause?.isTold || !this.queue.delete(ticket)) return;
		ticket.drop(new PausedTooLong(pause.hasRetryAfter ? pause.until - now : undefined));
	}

	/** Sends a request that joins, if it may be sent now. The others were looked at before. */
	private sendIfFree(ticket: Ticket): void {
		if (!this.queue.has(ticket)) return;
		const now = performance.now();
		const delay = this.delay(ticket, now);
		if (delay > 0) this.wakeUpAt(now + delay);
		else this.start(ticket, now);
	}

	/** Gives free slots to the queue. */
	private sendNext(): void {
		const now = performance.now();
		for (let next = this.next(now); next; next = this.next(now)) this.start(next, now);
	}

	/** The request that is sent next. If none may be sent now, the queue is looked at again in time. */
	private next(now: number): Ticket | undefined {
		let next: Ticket | undefined;
		let earliest = Infinity;
		const mayGo = (ticket: Ticket) => {
			const delay = this.delay(ticket, now);
			earliest = Math.min(earliest, delay || Infinity);
			return delay === 0;
		};
		// Only a limit of its record holds back one request of a line and not the others.
		const isHeld = (ticket: Ticket) => hasOwnLimit(ticket) && !mayGo(ticket);
		for (const ticket of this.queue.heads(isHeld)) {
			if (next && !goesBefore(ticket, next)) continue;
			if (hasOwnLimit(ticket) || mayGo(ticket)) next = ticket;
		}
		if (!next) this.wakeUpAt(now + earliest);
		return next;
	}

	/** Milliseconds until a request may be sent, Infinity if there's no slot for it until another one ends. */
	private delay(ticket: Ticket, now: number): number {
		const { client, shared, record } = ticket;
		const { inFlight, max } = client;
		const { ofKey } = this.routes;
		if (inFlight >= max) return Infinity;
		const pause = this.pauseBeyondBudget(ticket, now);
		// Its client wasn't asked twice for so long a pause, so it asks the API itself.
		if (pause) {
			const ofAsking = Math.max(pause.askFrom, shared.askedAt + SECOND) - now;
			return Math.max(ofAsking, this.pace.delay(now, client.perSecond));
		}
		if (inFlight > 0 && (this.inFlight >= MOST || shared.bound.isFull)) return Infinity;
		// A client may always have one request in flight.
		const ofSlot = inFlight === 0 ? shared.bound.delayOfFirst(now) : 0;
		const ofRecord = shared.recordAt(record)?.delay(now) ?? 0;
		const ofRate = Math.max(ofRecord, shared.rate.delay(now), ofKey.delay(now));
		return Math.max(ofSlot, ofRate, this.pace.delay(now, client.perSecond));
	}

	/** The pause of its record, its route or the key that a request waits for, if it ends after the budget. */
	private pauseBeyondBudget(ticket: Ticket, now: number): LongPause | undefined {
		const { own, shared, record, budget } = ticket;
		const ofRecord = shared.recordAt(record)?.pause;
		const shares = [this.routes.ofKey.pause, shared.rate.pause].filter((each) => each.isOn(now));
		const ofShares =
			shares.length > 0 ? longPause(ticket, shares, own.series(budget), now) : undefined;
		if (!ofRecord?.isOn(now)) return ofShares;
		const pause = longPause(ticket, [ofRecord], own.series(budget, { key: record }), now);
		if (!pause || ofShares) return pause ?? ofShares;
		// A shorter pause of the route or the key holds up the request that asks, too.
		const askFrom = Math.max(pause.askFrom, ...shares.map(({ until }) => until));
		return { ...pause, askFrom };
	}

	private start(ticket: Ticket, at: number): void {
		const { client, own, shared, record, start } = ticket;
		this.queue.delete(ticket);
		this.inFlight++;
		client.inFlight++;
		own.inFlight++;
		own.servedAs = ++this.served;
		this.pace.sent(at);
		start(this.routes.sent(shared, record, at));
	}

	private async send<T>(ticket: Ticket, sent: Sent, send: () => Promise<Report<T>>): Promise<T> {
		const { client, shared } = ticket;
		let report: Report<T> | undefined;
		try {
			report = await send();
			const refusal = this.routes.learn(shared, sent, report);
			// After the routes: a refusal before their `refusingSince` counts as over (see longPause).
			client.learn(ticket, sent.at, report, refusal);
			if (refusal?.isAnswer) for (const each of this.queue.all()) this.dropIfPausedTooLong(each);
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

/** A pause that ends after the budget of a request. */
interface LongPause {
	until: number;
	/** The API gave a number. */
	hasRetryAfter: boolean;
	/** Its client was asked for it, and again by a request that was sent during the pause. */
	isTold: boolean;
	/** Time from which a request may ask if it's over. */
	askFrom: number;
}

/**
 * The longest of these pauses, which is on, if it ends after the budget. The budget begins with the client's own first refusal.
 * Without one it begins when the request joined or others were refused, whichever is later.
 */
function longPause(
	{ joined, budget }: Ticket,
	pauses: Pause[],
	refusals: RefusalSeries | undefined,
	now: number,
): LongPause | undefined {
	const { until, hasRetryAfter } = pauses.reduce((one, other) => (other.until > one.until ? other : one));
	const refusingSince = Math.min(...pauses.map((each) => each.refusingSince));
	// An older refusal is over: the API has accepted a request after it.
	const series = refusals && refusals.newest >= refusingSince ? refusals : undefined;
	const budgetEnd = (series?.since ?? Math.max(joined, refusingSince)) + budget;
	if (until <= budgetEnd) return undefined;
	const ownUntil = series?.until ?? now;
	const isOwnTooLong = ownUntil > Math.max(now, budgetEnd);
	// Others were asked for a longer pause than this client, which waits for the end of its own.
	const askFrom = isOwnTooLong ? now : ownUntil;
	return { until, hasRetryAfter, isTold: isOwnTooLong && series?.isConfirmed === true, askFrom };
}

/** True if the API has refused requests about the record of this one. */
const hasOwnLimit = ({ shared, record }: Ticket) => shared.recordAt(record) !== undefined;

/**
 * True if a ticket goes before another one. On each route: the client with the fewest in flight first, then the one
 * that was served longest ago, then by priority.
 */
const goesBefore = (one: Ticket, other: Ticket) =>
	(one.own.inFlight - other.own.inFlight ||
		one.own.servedAs - other.own.servedAs ||
		other.priority - one.priority) < 0;
