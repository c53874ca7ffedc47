// The rate limit and the bound of each route, and the rate limit of the whole key and of single records, as
// responses have shown them. Whatever one client learns holds for all.
import type { Route } from '../../base/definition';
import { Bound } from './bound';
import type { Refusal, Report } from './client';
import { LONGEST_GUESS, MEMORY, RateLimit, SECOND, type SentRequest } from './rateLimit';

type IsSame = (limit: RateLimit, newestAccepted: number) => boolean;

/**
 * Finds pauses that are on and end at the same time as a new one, give or take two seconds, and with nothing accepted
 * that was sent since they began. Those without a number from the API have no such end.
 */
const sameAs =
	(now: number, pause?: number): IsSame =>
	({ pause: { since, until } }, newestAccepted) => {
		if (until <= now || since <= newestAccepted) return false;
		return pause === undefined
			? until - now <= LONGEST_GUESS
			: Math.abs(until - (now + pause)) <= 2 * SECOND;
	};

export interface Sent extends SentRequest {
	/** Key of the record that it's about, if any. */
	readonly record?: string;
	/** It was sent during a pause, to ask if that is over. */
	readonly duringPause: boolean;
}

/** A route, as responses have shown it. */
export class RouteTraffic {
	readonly rate = new RateLimit();

	readonly bound = new Bound();

	/** Limits of records that were refused, that with the newest refusal last. */
	readonly records = new Map<string, RateLimit>();

	/** Time at which a request in flight asked if a pause is over. The next one may ask a second later. */
	askedAt = -Infinity;

	/** Time at which the newest accepted request was sent. */
	newestAccepted = -Infinity;

	recordAt(key: string | undefined): RateLimit | undefined {
		return key === undefined ? undefined : this.records.get(key);
	}

	/** Records with such a pause. */
	recordsWith(isSame: IsSame, newestAccepted = this.newestAccepted): Array<[string, RateLimit]> {
		return [...this.records].filter(([, limit]) => isSame(limit, newestAccepted));
	}

	/** The refusals of these records were about the limit of the route. */
	takeFrom(records: Array<[string, RateLimit]>): void {
		for (const [key] of records) this.records.delete(key);
		this.rate.pause.joins(records.map(([, { pause }]) => pause));
	}

	/** The limit of a record that is refused now. Forgets records that weren't refused for a while. */
	refusedRecord(key: string, now: number): RateLimit {
		const known = this.records.get(key) ?? new RateLimit();
		this.records.delete(key);
		for (const [old, { pause }] of this.records) {
			if (now - pause.until < MEMORY) break;
			this.records.delete(old);
		}
		this.records.set(key, known);
		return known;
	}
}

/** All times are milliseconds of a monotonic clock. */
export class Routes {
	readonly ofKey = new RateLimit();

	private readonly routes = new Map<Route, RouteTraffic>();

	/** Time at which the newest accepted request was sent. */
	private newestAccepted = -Infinity;

	at(route: Route): RouteTraffic {
		const known = this.routes.get(route) ?? new RouteTraffic();
		this.routes.set(route, known);
		return known;
	}

	/** The limits that a request has to keep to. */
	limitsOf(route: RouteTraffic, record: string | undefined): RateLimit[] {
		const ofRecord = route.recordAt(record);
		return ofRecord ? [this.ofKey, route.rate, ofRecord] : [this.ofKey, route.rate];
	}

	sent(route: RouteTraffic, record: string | undefined, at: number): Sent {
		const limits = this.limitsOf(route, record);
		const sent = { at, record, duringPause: limits.some(({ pause }) => pause.isOn(at)) };
		if (sent.duringPause) route.askedAt = at;
		for (const limit of limits) limit.sent(sent);
		route.bound.begin(sent);
		return sent;
	}

	/** A request was refused, failed or threw. */
	lost(route: RouteTraffic, sent: Sent): void {
		for (const limit of this.limitsOf(route, sent.record)) limit.lost(sent);
	}

	learn(route: RouteTraffic, sent: Sent, report: Report<unknown>): Refusal | undefined {
		const now = performance.now();
		const { refused, accepted, overload } = report;
		const limits = this.limitsOf(route, sent.record);
		const isTrial = sent.duringPause || limits.some((each) => each.isProbe(sent));
		const refusal = refused && this.refusal(route, sent, refused.pause, now);
		if (accepted) {
			this.newestAccepted = Math.max(this.newestAccepted, sent.at);
			route.newestAccepted = Math.max(route.newestAccepted, sent.at);
			for (const each of limits) each.accepted(sent, now);
		}
		route.bound.learn({
			sentAt: sent.at,
			now,
			// A refused trial shows a rate or a pause, which fewer requests in flight wouldn't change.
			overload: overload && !(isTrial && refused !== undefined),
			hasPause: refused?.pause !== undefined,
		});
		return refusal;
	}

	/**
	 * A pause belongs to the record that was refused. It's about the whole route if one of another record or of the
	 * route is the same, and about the whole key if one of another route or of the key is. A refused probe of the
	 * route's rate is about the route.
	 */
	private refusal(route: RouteTraffic, sent: Sent, pause: number | undefined, now: number) {
		const { record } = sent;
		const isSame = sameAs(now, pause);
		const others = pause === undefined ? [] : this.othersWith(route, isSame);
		const isOfKey =
			others.length > 0 || (pause !== undefined && isSame(this.ofKey, this.newestAccepted));
		const same = route.recordsWith(isSame);
		const isOfRoute =
			record === undefined ||
			isOfKey ||
			route.rate.isProbe(sent) ||
			route.rate.pause.wasOn(sent.at, now) ||
			isSame(route.rate, route.newestAccepted) ||
			same.some(([key]) => key !== record);
		const limit = isOfRoute ? route.rate : route.refusedRecord(record, now);
		const until = now + limit.refused(sent, now, pause);
		if (isOfRoute) route.takeFrom(same);
		if (isOfKey) {
			this.ofKey.refused(sent, now, pause);
			// Their refusals were about the limit of the key.
			for (const { rate } of [route, ...others]) rate.forgetRefusal();
			for (const each of others) each.takeFrom(each.recordsWith(isSame));
		}
		return { until, isOfRecord: !isOfRoute, isAnswer: sent.duringPause };
	}

	/** Other routes with the same pause, also if it's only that of one of their records. */
	private othersWith(own: RouteTraffic, isSame: IsSame): RouteTraffic[] {
		return [...this.routes.values()].filter(
			(each) =>
				each !== own &&
				(isSame(each.rate, this.newestAccepted) ||
					each.recordsWith(isSame, this.newestAccepted).length > 0),
		);
	}

	/** A request isn't in flight anymore. */
	release(route: RouteTraffic, sent: Sent): void {
		route.bound.end(sent);
		if (route.askedAt === sent.at) route.askedAt = -Infinity;
	}
}
