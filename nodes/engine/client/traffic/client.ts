// A client of the API: an execution of a node, a hook, a poll, a picker or a sub-node.
import type { Route } from '../../base/definition';
import { START } from './bound';
import { MEMORY } from './rateLimit';

/** Requests can take different times to arrive, so they're sent a little slower. */
const MARGIN = 1.1;

/**
 * Max Requests per Second: what users set, because refusals can't show every limit in time. A service may refuse
 * everything for a while after one request too many. All times are milliseconds of a monotonic clock.
 */
export class Pace {
	/** Time at which a client with such a number last asked for a slot. */
	private readonly usedAt = new Map<number, number>();

	private sentAt = -Infinity;

	sent(now: number): void {
		this.sentAt = now;
	}

	/**
	 * Milliseconds until the next request of any client may be sent. The lowest number counts for all clients, until
	 * two minutes after a client with that number asked for a slot.
	 * @param own number that the client has set which asks for a slot now
	 */
	delay(now: number, own?: number): number {
		if (own !== undefined) this.usedAt.set(own, now);
		let lowest = Infinity;
		for (const [perSecond, usedAt] of this.usedAt) {
			if (now - usedAt > MEMORY) this.usedAt.delete(perSecond);
			else lowest = Math.min(lowest, perSecond);
		}
		return Math.max(0, this.sentAt + (1000 * MARGIN) / lowest - now);
	}
}

/** Limits of a client. */
export interface Allowance {
	/** Max requests in flight. */
	max: number;
	/**
	 * The client writes. It begins with few requests in flight, and each that was processed allows one more. One that
	 * failed but may have been applied halves the number, so that fewer can go wrong at once.
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
	/** Retry Time in milliseconds: the max length of a series of refusals. */
	budget: number;
	/** Each ends the waiting with its reason. */
	signals: AbortSignal[];
}

/** The result of an attempt, as far as traffic needs it. */
export interface Report<T> {
	/** The API, or the way to it, has too much to do. */
	overload: boolean;
	/** The API refused the request, and asked for a pause of so many milliseconds, if it gave a number. */
	refused?: { pause?: number };
	/** The API processed the request, successfully or not. */
	accepted: boolean;
	/** The request failed, but may have been applied. */
	inDoubt: boolean;
	/** The result may end the run of its client. Then the client must send nothing more. */
	mayEndRun?: boolean;
	value: T;
}

/** A refusal, after the routes have learned from it. */
export interface Refusal {
	/** End of the pause. */
	until: number;
	/** The pause is only that of the request's record. */
	isOfRecord: boolean;
	/** The request was sent during a pause, to ask if that is over. */
	isAnswer: boolean;
}

/** Refusals of a client's requests to a route or of a record, with no accepted one in between. */
export interface RefusalSeries {
	since: number;
	/** Time of the newest one. */
	newest: number;
	/** End of the newest pause. */
	until: number;
	/** A request that asked if the pause is over was refused, too. A single refusal may be wrong. */
	isConfirmed: boolean;
}

/** The requests of a client to one route. */
export class ClientRoute {
	inFlight = 0;

	/** Time at which the first request failed of those after the newest accepted one, Infinity if none has. */
	failingSince = Infinity;

	/** Refusals that were about the route or the whole key. */
	private refusals?: RefusalSeries;

	/** Refusals that were about one record. */
	private readonly ofRecords = new Map<string | undefined, RefusalSeries>();

	constructor(
		/** Place of its newest request in the order in which requests of all clients were sent. */
		public servedAs: number,
	) {}

	/**
	 * Newest refusals of the route, or of a record. When the pause is over for half of the budget, the next refusal
	 * begins a new series. After the whole budget, it would end the waiting at once, although the request may have
	 * waited for its turn only.
	 */
	series(budget: number, record?: { key?: string }): RefusalSeries | undefined {
		const series = record ? this.ofRecords.get(record.key) : this.refusals;
		return series && 2 * (performance.now() - series.until) <= budget ? series : undefined;
	}

	/** The series that the newest refusal of a request belongs to. */
	newestSeries({
		budget,
		record,
	}: Pick<ClientRequest, 'budget' | 'record'>): RefusalSeries | undefined {
		const ofRoute = this.series(budget);
		const ofRecord = this.series(budget, { key: record });
		return ofRecord && (!ofRoute || ofRecord.newest > ofRoute.newest) ? ofRecord : ofRoute;
	}

	refused({ budget, record }: ClientRequest, { until, isOfRecord, isAnswer }: Refusal): void {
		const now = performance.now();
		const series = this.series(budget, isOfRecord ? { key: record } : undefined);
		const isConfirmed = isAnswer || (series?.isConfirmed ?? false);
		const next = { since: series?.since ?? now, newest: now, until, isConfirmed };
		if (isOfRecord) this.ofRecords.set(record, next);
		else this.refusals = next;
	}

	accepted({ record }: ClientRequest, sentAt: number): void {
		this.failingSince = Infinity;
		if (this.refusals && sentAt > this.refusals.newest) this.refusals = undefined;
		const ofRecord = this.ofRecords.get(record);
		if (ofRecord && sentAt > ofRecord.newest) this.ofRecords.delete(record);
	}
}

export class Client {
	inFlight = 0;

	/** Max requests in flight. */
	max: number;

	readonly perSecond?: number;

	private readonly routes = new Map<Route, ClientRoute>();

	constructor(
		private readonly allowance: Allowance,
		/** Number of requests of all clients so far. A new client counts as just served. */
		private readonly servedBefore: number,
	) {
		const { max, writes = false, perSecond } = allowance;
		this.perSecond = perSecond;
		this.max = writes ? Math.min(START, max) : max;
	}

	/** Learns from the result of its request that was sent at `sentAt`. */
	learn(
		request: ClientRequest,
		sentAt: number,
		{ accepted, inDoubt, overload }: Report<unknown>,
		refusal: Refusal | undefined,
	): void {
		const route = this.at(request.route);
		if (refusal) route.refused(request, refusal);
		else if (accepted) route.accepted(request, sentAt);
		else if (overload) route.failingSince = Math.min(route.failingSince, sentAt);
		if (!this.allowance.writes) return;
		if (inDoubt) this.max = Math.max(1, Math.floor(this.max / 2));
		else if (accepted) this.max = Math.min(this.allowance.max, this.max + 1);
	}

	at(route: Route): ClientRoute {
		const known = this.routes.get(route) ?? new ClientRoute(this.servedBefore);
		this.routes.set(route, known);
		return known;
	}
}
