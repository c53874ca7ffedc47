// The rate limit and the bound of each route, and the rate limit of the whole key and of single records, as
// responses have shown them. Whatever one client learns holds for all.
import type { Route } from '../../base/definition';
import { Bound } from './bound';
import type { Report } from './client';
import { MEMORY, RateLimit, SECOND, type SentRequest } from './rateLimit';

/**
 * Tells if a limit has the same pause as a new 429.
 * @param newestAccepted time at which the newest accepted request was sent: on the route, to find out if it's the route's
 *   pause, or on all routes, to find out if it's the key's
 */
type IsSame = (limit: RateLimit, newestAccepted: number) => boolean;

/**
 * A pause is the same if it's still on, nothing that was sent since it began was accepted, and both end within two seconds of
 * each other, since each Retry-After is rounded. Pauses without Retry-After have no known end, so they're all the same.
 */
const sameAs =
	(now: number, retryAfter?: number): IsSame =>
	({ pause: { since, until, hasRetryAfter } }, newestAccepted) => {
		if (until <= now || since <= newestAccepted) return false;
		if (hasRetryAfter !== (retryAfter !== undefined)) return false;
		return retryAfter === undefined || Math.abs(until - (now + retryAfter)) <= 2 * SECOND;
	};

export interface Sent extends SentRequest {
	/** Key of the record that it's about, if any. */
	readonly record?: string;
	/** It was sent during a pause, to find out if that is over, as a half-open circuit breaker does. */
	readonly isProbe: boolean;
}

/** A route, as responses have shown it. */
export class RouteTraffic {
	readonly rate = new RateLimit();

	readonly bound = new Bound();

	/** Limits of records with throttled requests, that with the newest one last. Requests about no record have none. */
	readonly recordLimits = new Map<string | undefined, RateLimit>();

	/** Time at which the newest accepted request was sent. */
	newestAccepted = -Infinity;

	/** Records with the same pause as a new 429, and their limits. */
	recordsWith(isSame: IsSame, newestAccepted: number): Array<[string | undefined, RateLimit]> {
		return [...this.recordLimits].filter(([, limit]) => isSame(limit, newestAccepted));
	}

	/**
	 * The pauses of these records were about a wider limit, that of this route or of the key. So the pause of the route began
	 * with the first of them.
	 */
	dateBack(records: Array<[string | undefined, RateLimit]>): void {
		const { pause } = this.rate;
		pause.since = Math.min(pause.since, ...records.map(([, limit]) => limit.pause.since));
	}

	/** The limit of a record that is throttled now. Forgets records that weren't throttled for a while. */
	throttledRecord(key: string, now: number): RateLimit {
		const limit = this.recordLimits.get(key) ?? new RateLimit();
		this.recordLimits.delete(key);
		for (const [old, { pause }] of this.recordLimits) {
			if (now - pause.until < MEMORY) break;
			this.recordLimits.delete(old);
		}
		this.recordLimits.set(key, limit);
		return limit;
	}
}

/** All times are milliseconds of a monotonic clock. */
export class Routes {
	readonly ofKey = new RateLimit();

	private readonly routes = new Map<Route, RouteTraffic>();

	/** Time at which the newest accepted request was sent, to any route. */
	private newestAccepted = -Infinity;

	/** All that is known of a route. Begins with nothing for a new one. */
	routeTraffic(route: Route): RouteTraffic {
		const traffic = this.routes.get(route) ?? new RouteTraffic();
		this.routes.set(route, traffic);
		return traffic;
	}

	/** The limits that a request has to keep to. */
	limitsOf(route: RouteTraffic, record: string | undefined): RateLimit[] {
		const ofRecord = route.recordLimits.get(record);
		return ofRecord ? [this.ofKey, route.rate, ofRecord] : [this.ofKey, route.rate];
	}

	/** A request was throttled, failed or threw. It counts for no limit, not even for those that its 429 isn't about. */
	forget(route: RouteTraffic, sent: Sent): void {
		for (const limit of this.limitsOf(route, sent.record)) limit.forget(sent);
	}

	/** Tells the limits and the bound the result of a request. */
	learn(route: RouteTraffic, sent: Sent, report: Report<unknown>): void {
		const now = performance.now();
		const { throttled, accepted, overload } = report;
		const limits = this.limitsOf(route, sent.record);
		// It was sent although a pause or a quota was against it, to find out if that still holds.
		const isThrottledTrial =
			throttled !== undefined && (sent.isProbe || limits.some((each) => each.isOverQuota(sent)));
		if (throttled) this.throttle(route, sent, throttled.pause, now);
		if (accepted) {
			this.newestAccepted = Math.max(this.newestAccepted, sent.at);
			route.newestAccepted = Math.max(route.newestAccepted, sent.at);
			for (const each of limits) each.accepted(sent, now);
		}
		route.bound.learn({
			request: sent,
			now,
			// A throttled trial shows a rate or a pause, which fewer requests in flight wouldn't change.
			overload: overload && !isThrottledTrial,
			hasPause: throttled?.pause !== undefined,
		});
	}

	/**
	 * Decides if a pause is about the record that was throttled, its whole route, or the whole key. It's about the key if the key
	 * or another route has the same pause, but never without Retry-After. The limits learn of it.
	 */
	private throttle(
		route: RouteTraffic,
		sent: Sent,
		retryAfter: number | undefined,
		now: number,
	): void {
		const { record } = sent;
		const isSame = sameAs(now, retryAfter);
		const others = retryAfter === undefined ? [] : this.othersWith(route, isSame);
		const isOfKey =
			others.length > 0 || (retryAfter !== undefined && isSame(this.ofKey, this.newestAccepted));
		const records = route.recordsWith(isSame, route.newestAccepted);
		const isOfRoute =
			record === undefined ||
			isOfKey ||
			// It was sent over the route's quota.
			route.rate.isOverQuota(sent) ||
			// The route or another record has the same pause already.
			isSame(route.rate, route.newestAccepted) ||
			records.some(([key]) => key !== record);
		const limit = isOfRoute ? route.rate : route.throttledRecord(record, now);
		limit.throttled(sent, now, retryAfter);
		if (isOfRoute) route.dateBack(records);
		if (isOfKey) {
			this.ofKey.throttled(sent, now, retryAfter);
			// The routes keep their pauses, but only the key learns its rate from them.
			for (const { rate } of [route, ...others]) rate.skipLearning();
		}
	}

	/** Other routes with the same pause, also if it's only that of one of their records. */
	private othersWith(route: RouteTraffic, isSame: IsSame): RouteTraffic[] {
		return [...this.routes.values()].filter(
			(each) =>
				each !== route &&
				(isSame(each.rate, this.newestAccepted) ||
					each.recordsWith(isSame, this.newestAccepted).length > 0),
		);
	}
}
