// What responses have shown of the API: pauses and rate limits of a record, a route and the key, and the bound of each route.
// Whatever one client learns holds for all. Times are milliseconds of a monotonic clock.
import type { Route } from '../../base/definition';
import { Bound } from './bound';

/** The result of an attempt, as far as traffic needs it. */
export interface Report<T> {
	/** The API, or the way to it, has too much to do. A throttled request has this, too. */
	overload: boolean;
	/** The API throttled the request (429), and asked for a pause of so many milliseconds, if it gave a number. */
	throttled?: { pause?: number };
	/** The API processed the request, successfully or not. */
	accepted: boolean;
	/** The request failed, but may have been applied. */
	inDoubt: boolean;
	/** The result may end the run of its client. Then the client must send nothing more. */
	mayEndRun?: boolean;
	value: T;
}

// The rate limit of a route or of the whole key, learned from throttled requests (429): a sliding window log.
//
// - The API documents no limit, so nothing is held back before the first 429. Then the window is as long as its pause
//   (Retry-After), and the quota is one request.
// - Requests over the quota find out if the API accepts more. One is allowed at first. Each that is accepted raises the quota
//   by one, and allows one more over it (slow start).
// - The next 429 shows the quota: the requests accepted in the window that ends with its pause.
// - Others may use the same key, which makes the quota look smaller. So it's a guess, and requests go over it again, at once.
//   If the next window shows the same number, that is confirmed, and they rest.

/** Milliseconds for which the past counts. Longer windows aren't learned. */
export const MEMORY = 120_000;

/**
 * Windows of rest, until requests go over the quota again. As many more, if the quota always has room soon.
 */
const REST = 10;

/** Part of a window: room within it comes soon. */
const SOON = 1 / 8;

/** The server's clock and ours differ a little, so windows are kept a little longer. */
const WINDOW_MARGIN = 1.02;

/** In milliseconds: Retry-After is in whole seconds, rounded up, so times differ by up to one. */
const SECOND = 1000;

/** A request that was sent. */
export interface SentRequest {
	readonly at: number;
	/** Time of its response, if the API processed it. */
	acceptedAt?: number;
}

/**
 * True if two quotas are nearly the same. They may differ by a twentieth: the edges of a window aren't known to the second.
 */
const isNear = (quota: number, other: number) => Math.abs(quota - other) <= Math.max(1, quota / 20);

/** All times are milliseconds of a monotonic clock. */
export class RateLimit {
	readonly pause = new Pause();

	/** The longest pause that hasn't been learned from yet, 0 if there's none. */
	private unlearned = 0;

	/** Requests that the API accepts in a window. Infinity before the first 429. */
	private quota = Infinity;

	private windowMs = 0;

	/** Requests that were accepted or are in flight, oldest first, once there is a quota. */
	private log: SentRequest[] = [];

	/** Requests that were sent over the quota, since it was learned. */
	private overQuota = new WeakSet<SentRequest>();

	/** Number of them that were accepted. Each has raised the quota by one. */
	private acceptedOver = 0;

	/** The quota that the last window has shown, NaN if none has. It's a guess, since others may have used the key. */
	private shown = NaN;

	/** Two windows in a row have shown the quota. */
	private isConfirmed = false;

	/** Time from which requests may go over the quota. */
	private overFrom = 0;

	/** Milliseconds until the next request may be sent. First learns from a pause that is over. */
	delay(now: number): number {
		if (this.pause.until > now) return this.pause.until - now;
		// Only now: requests that were in flight at the 429 may have been accepted since.
		if (this.unlearned > 0) this.learn();
		if (this.quota === Infinity) return 0;
		const untilQuota = this.untilFewerThan(this.quota, now);
		if (!this.mayGoOver(now, untilQuota)) return untilQuota;
		// Each that was accepted has made room for two: one in the quota, and one over it.
		const allowedOver = this.acceptedOver + 1;
		return this.untilFewerThan(this.quota + allowedOver, now);
	}

	/**
	 * True if a request may go over the quota now. Such a request only shows something if the quota won't have room soon: shortly
	 * before, the server may count it in its next window already. With an even load there's always room soon, so after ten
	 * windows (REST) it goes all the same.
	 */
	private mayGoOver(now: number, untilQuota: number): boolean {
		const hasRoomSoon = untilQuota <= this.windowMs * SOON;
		return now >= this.overFrom + (hasRoomSoon ? REST * this.windowMs : 0);
	}

	/** Milliseconds until there are fewer than `count` requests in the window. */
	private untilFewerThan(count: number, now: number): number {
		// The oldest of the newest `count` requests: when it leaves the window, fewer are in it.
		const oldest = this.log.at(-count);
		return oldest ? Math.max(0, this.arrivedBy(oldest) + this.windowMs * WINDOW_MARGIN - now) : 0;
	}

	/**
	 * The time at which a request is taken to have arrived at the server, where its window begins. While n8n is busy, that may be
	 * long after it was sent. Its response shows the latest time, but may be slow, so no more than a sixteenth of a window is
	 * added.
	 */
	private arrivedBy({ at, acceptedAt = Infinity }: SentRequest): number {
		return Math.min(acceptedAt, at + this.windowMs / 16);
	}

	/** Logs a request, and whether it goes over the quota, once there is one. */
	sent(request: SentRequest): void {
		if (this.quota === Infinity) return;
		if (this.untilFewerThan(this.quota, request.at) > 0) this.overQuota.add(request);
		this.log.push(request);
		// Rarely, because it copies the log.
		if (this.log[0].at < request.at - 2 * MEMORY) this.log = this.logged(request.at - MEMORY);
	}

	/** True if a request was sent over the quota. */
	isOverQuota(request: SentRequest): boolean {
		return this.overQuota.has(request);
	}

	/** The API processed a request. One that was sent over the quota raises it. */
	accepted(request: SentRequest, now: number): void {
		request.acceptedAt = now;
		if (this.overQuota.has(request)) {
			this.quota++;
			this.acceptedOver++;
		}
		this.pause.accepted(request.at, now);
	}

	/** The API throttled a request. Without Retry-After there's nothing to learn from. */
	throttled(request: SentRequest, now: number, retryAfter?: number): void {
		this.forget(request);
		if (retryAfter === undefined) return this.pause.throttledForUnknownTime(request.at, now);
		this.unlearned = Math.max(this.unlearned, retryAfter);
		this.pause.throttled(request.at, now, retryAfter);
	}

	/**
	 * Takes a request out of the log. A throttled one doesn't count. A failed one may, but that isn't sure.
	 */
	forget(request: SentRequest): void {
		const index = this.log.lastIndexOf(request);
		if (index >= 0) this.log.splice(index, 1);
	}

	/**
	 * The newest pause is about the limit of the whole key, so this limit doesn't learn from it. It stays a pause.
	 */
	skipLearning(): void {
		this.unlearned = 0;
	}

	/**
	 * Learns the quota and the window when the pauses are over, from the longest one.
	 * 1. The first one: the quota is one request, and the window is as long as the pause.
	 * 2. A later one: count the requests in the known window before its end. If there are none, and the window may be longer,
	 *    count those of two minutes.
	 * 3. None: quota and window stay, but aren't confirmed anymore.
	 * 4. Nearly the known quota: the longer window stays. If the window before has shown it, too, it's confirmed.
	 * 5. Another number: that is the new quota, and the window is as long as the pause or these requests show.
	 */
	private learn(): void {
		const pauseMs = this.unlearned;
		const { until } = this.pause;
		this.unlearned = 0;
		// Too long to be learned. Requests begin with one a second, not all at once.
		if (pauseMs > MEMORY) return this.beginWith(1, SECOND);
		if (this.quota === Infinity) return this.beginWith(1, pauseMs);
		// The server's window may end up to a second before the pause, because Retry-After is rounded up.
		let counted = this.logged(until - this.windowMs - SECOND, until);
		// The first pause was only the rest of the server's window, so the window may be longer than that.
		const mayBeLonger = pauseMs > this.windowMs && !this.isConfirmed;
		if (counted.length === 0 && mayBeLonger) counted = this.logged(until - MEMORY, until);
		const newQuota = counted.length;
		// An outage, or others have used the key. That says nothing about the quota.
		if (newQuota === 0) return this.beginWith(this.quota, this.windowMs);
		const isSame = isNear(newQuota, this.quota);
		const isConfirmed = isSame && isNear(newQuota, this.shown);
		this.shown = newQuota;
		// The pause is only the rest of the window, which began with the first counted request or earlier.
		const windowMs = Math.max(pauseMs, until - this.arrivedBy(counted[0]) - SECOND);
		// The first counted request may have come late in the server's window, so the longer one stays.
		this.beginWith(newQuota, isSame ? Math.max(this.windowMs, windowMs) : windowMs, isConfirmed);
	}

	/** Begins with a quota and a window. None has gone over it yet. If the quota is confirmed, none does before a rest (REST). */
	private beginWith(quota: number, windowMs: number, isConfirmed = false): void {
		this.quota = quota;
		this.overQuota = new WeakSet();
		this.acceptedOver = 0;
		this.windowMs = windowMs;
		this.isConfirmed = isConfirmed;
		this.overFrom = this.pause.until + (isConfirmed ? REST * windowMs : 0);
	}

	/**
	 * The logged requests that arrived after `begin` and were sent before `end`.
	 * @param end end of a pause: the request that ended it was sent then, and doesn't count
	 */
	private logged(begin: number, end = Infinity): SentRequest[] {
		return this.log.filter((request) => this.arrivedBy(request) > begin && request.at < end);
	}
}

/**
 * Milliseconds of the first pause and of the longest one, if the API doesn't say how long to wait.
 */
const FIRST_GUESS = 500;
const LONGEST_GUESS = 16_000;

/** A request isn't sent, because the API asks for a pause that ends after its Retry Time. */
export class PausedTooLong extends Error {
	/** @param milliseconds of the pause, if the API gave a number */
	constructor(readonly milliseconds?: number) {
		super('The API asks for a pause');
	}
}

/**
 * Milliseconds from one probe of a pause to the next one. Requests that can't wait for its end aren't sent meanwhile, and a
 * pause that was a mistake, or that ended early, is over soon.
 */
const PROBED_EVERY = 10_000;

/** A pause that throttled requests have shown, of a record, a route or the whole key. */
class Pause {
	/** Its start, which throttled requests during the pause don't move. */
	since = Infinity;

	/** Its end. It's on until then. */
	until = -Infinity;

	/**
	 * Time of the first 429 since the API accepted a request, Infinity if it has accepted one since the newest 429. Retry Time
	 * counts from it.
	 */
	throttledSince = Infinity;

	/** Its end comes from the API. */
	hasRetryAfter = true;

	/** A request that was sent during the pause was throttled, too. A single 429 may be a mistake. */
	isConfirmed = false;

	/** Time of the newest 429. */
	private throttledAt = -Infinity;

	/** Time at which the newest probe was sent. */
	probedAt = -Infinity;

	/** The next pause, if the API doesn't say how long to wait. */
	private guess = FIRST_GUESS;

	/** Milliseconds until a request may be sent during the pause, to find out if it's over. */
	delayOfProbe(now: number): number {
		return Math.max(0, this.probedAt + PROBED_EVERY - now);
	}

	/**
	 * The API throttled a request that was sent at `sentAt`. Begins a pause, or changes the end of one that is on.
	 * @param pause its milliseconds from now
	 */
	throttled(sentAt: number, now: number, pause: number, hasRetryAfter = true): void {
		if (this.until <= now) {
			this.since = now;
			this.isConfirmed = false;
			// A refusal that is long past says nothing about now.
			if (now - this.until > MEMORY) this.throttledSince = now;
		} else if (sentAt >= this.since) this.isConfirmed = true;
		// A request that was sent after the newest 429 shows the current pause, even if it's shorter. Of the others the longest
		// counts.
		if (sentAt > this.throttledAt || now + pause > this.until) {
			this.until = now + pause;
			this.hasRetryAfter = hasRetryAfter;
		}
		this.throttledSince = Math.min(this.throttledSince, now);
		this.throttledAt = now;
	}

	/**
	 * The API throttled a request, and didn't say for how long. If the request was sent after the newest 429, the next
	 * pause is twice as long. If it was in flight by then, it shows nothing new.
	 */
	throttledForUnknownTime(sentAt: number, now: number): void {
		const isNews = sentAt > this.throttledAt;
		// A pause that ended a while ago says nothing about now.
		if (now - this.until > LONGEST_GUESS) this.guess = FIRST_GUESS;
		// With 0, a pause that is on stays as it is. Only the time of the newest 429 is noted.
		this.throttled(sentAt, now, isNews ? this.guess : 0, false);
		if (isNews) this.guess = Math.min(LONGEST_GUESS, 2 * this.guess);
	}

	/**
	 * The API processed a request that was sent at `sentAt`. If that was after the newest 429, the pause is over. One
	 * without Retry-After is over anyway: an API that goes on processing requests may only take fewer at a time.
	 */
	accepted(sentAt: number, now: number): void {
		// A probe may be sent in the moment of the 429.
		if (sentAt <= this.throttledAt && sentAt !== this.probedAt) {
			if (!this.hasRetryAfter) this.until = Math.min(now, this.until);
			if (sentAt > this.throttledSince) this.throttledSince = now;
			return;
		}
		// The time of sending, because the next window begins there.
		this.until = Math.min(sentAt, this.until);
		this.throttledSince = Infinity;
		this.guess = FIRST_GUESS;
	}
}

/**
 * Requests can take different times to arrive, so they're sent a little slower.
 */
const PACE_MARGIN = 1.1;

/**
 * Max Requests per Second: what users set, because responses can't show every limit in time. A service may refuse
 * everything for a while after one request too many. All times are milliseconds of a monotonic clock.
 */
export class Pace {
	/** By Max Requests per Second: when a client that has this number last asked for a slot. */
	private readonly usedAt = new Map<number, number>();

	/** Time at which the newest request of any client was sent. */
	sentAt = -Infinity;

	/**
	 * Milliseconds until the next request of any client may be sent. The lowest number counts for all clients, until
	 * two minutes after a client with that number asked for a slot. The call itself counts as asking.
	 * @param perSecond Max Requests per Second of the client that asks for a slot now
	 */
	delay(now: number, perSecond?: number): number {
		if (perSecond !== undefined) this.usedAt.set(perSecond, now);
		let lowest = Infinity;
		for (const [each, usedAt] of this.usedAt) {
			if (now - usedAt > MEMORY) this.usedAt.delete(each);
			else lowest = Math.min(lowest, each);
		}
		return Math.max(0, this.sentAt + (1000 * PACE_MARGIN) / lowest - now);
	}
}

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
