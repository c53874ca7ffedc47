// What responses have shown of the API: pauses and rate limits of a record, a route and the key, and the bound of each route.
// What one client learns holds for all. All times are milliseconds of a monotonic clock.
import type { Route } from '../../base/definition';
import { Bound } from './bound';

export interface Report<T> {
	/** The API, or the way to the API, has too much to do. True for a throttled request, too. */
	overload: boolean;
	/** A 429, with the milliseconds of its Retry-After, if the API gave a number. */
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
// - The API documents no limit, so nothing is held back before the first 429. Then the window is as long as its pause
//   (Retry-After), and the quota is one request.
// - One request over the quota finds out if the API accepts more. If accepted, it raises the quota by one, and allows one more
//   over the quota (slow start).
// - The next 429 shows the quota: the requests accepted in the window that ends with its pause.
// - Others who use the same key make the quota look smaller, so requests go over it again at once. If the next window shows
//   the same number, the quota is confirmed, and none goes over it for a while (REST).

/** The past counts for so long. Longer windows aren't learned. */
export const MEMORY = 120_000;

/** Windows until requests go over a confirmed quota again. Twice as many, if the quota always has room soon. */
const REST = 10;

/** Part of a window. Room within it comes soon. */
const SOON = 1 / 8;

/** The server's clock and ours differ a little, so windows are kept a little longer. */
const WINDOW_MARGIN = 1.02;

/** Retry-After is in whole seconds, rounded up, so times differ by up to one second. */
const SECOND = 1000;

export interface SentRequest {
	readonly at: number;
	/** Time of the response, if the API processed the request. */
	acceptedAt?: number;
}

/** Two quotas are nearly the same if they differ by a twentieth, because the edges of a window aren't known to the second. */
const isNear = (quota: number, other: number) => Math.abs(quota - other) <= Math.max(1, quota / 20);

export class RateLimit {
	readonly pause = new Pause();

	/** The longest pause that nothing was learned from yet, 0 if there's none. */
	private unlearned = 0;

	/** Requests that the API accepts in a window. Infinity before the first 429. */
	private quota = Infinity;

	private windowMs = 0;

	/** Requests that were accepted or are in flight, oldest first, once there is a quota. */
	private log: SentRequest[] = [];

	private overQuota = new WeakSet<SentRequest>();

	/** Each accepted request over the quota has raised the quota by one. */
	private acceptedOver = 0;

	/** The quota that the last window has shown, NaN if none has. Others may have used the key, so it's a guess. */
	private shown = NaN;

	/** Two windows in a row have shown the quota. */
	private isConfirmed = false;

	private overFrom = 0;

	delay(now: number): number {
		if (this.pause.until > now) return this.pause.until - now;
		// Learns only when the pause is over, because requests that were in flight at the 429 may have been accepted since.
		if (this.unlearned > 0) this.learn();
		if (this.quota === Infinity) return 0;
		const untilQuota = this.untilFewerThan(this.quota, now);
		if (!this.mayGoOver(now, untilQuota)) return untilQuota;
		// Each accepted request has made room for two: one in the quota, and one over the quota.
		const allowedOver = this.acceptedOver + 1;
		return this.untilFewerThan(this.quota + allowedOver, now);
	}

	/** Shortly before the quota has room, the server may count a request in its next window, so the request shows nothing. */
	private mayGoOver(now: number, untilQuota: number): boolean {
		const hasRoomSoon = untilQuota <= this.windowMs * SOON;
		return now >= this.overFrom + (hasRoomSoon ? REST * this.windowMs : 0);
	}

	/** Milliseconds until there are fewer than `count` requests in the window. */
	private untilFewerThan(count: number, now: number): number {
		// When the oldest of the newest `count` requests leaves the window, fewer are in it.
		const oldest = this.log.at(-count);
		return oldest ? Math.max(0, this.arrivedBy(oldest) + this.windowMs * WINDOW_MARGIN - now) : 0;
	}

	/**
	 * The latest time at which a request arrived at the server, where its window begins. While n8n is busy, a request leaves long
	 * after `at`. A response may be slow, too, so no more than a sixteenth of a window is added.
	 */
	private arrivedBy({ at, acceptedAt = Infinity }: SentRequest): number {
		return Math.min(acceptedAt, at + this.windowMs / 16);
	}

	sent(request: SentRequest): void {
		if (this.quota === Infinity) return;
		if (this.untilFewerThan(this.quota, request.at) > 0) this.overQuota.add(request);
		this.log.push(request);
		// Rarely, because it copies the log.
		if (this.log[0].at < request.at - 2 * MEMORY) this.log = this.logged(request.at - MEMORY);
	}

	isOverQuota(request: SentRequest): boolean {
		return this.overQuota.has(request);
	}

	accepted(request: SentRequest, now: number): void {
		request.acceptedAt = now;
		if (this.overQuota.has(request)) {
			this.quota++;
			this.acceptedOver++;
		}
		this.pause.accepted(request.at, now);
	}

	/** Nothing is learned from a 429 without Retry-After. */
	throttled(request: SentRequest, now: number, retryAfter?: number): void {
		this.forget(request);
		if (retryAfter === undefined) return this.pause.throttledForUnknownTime(request.at, now);
		this.unlearned = Math.max(this.unlearned, retryAfter);
		this.pause.throttled(request.at, now, retryAfter);
	}

	/** Takes a request out of the log: a throttled one doesn't count, and of a failed one it isn't sure. */
	forget(request: SentRequest): void {
		const index = this.log.lastIndexOf(request);
		if (index >= 0) this.log.splice(index, 1);
	}

	/** The newest pause is about the limit of the whole key. It stays a pause, but this limit doesn't learn from it. */
	skipLearning(): void {
		this.unlearned = 0;
	}

	private learn(): void {
		const pauseMs = this.unlearned;
		const { until } = this.pause;
		this.unlearned = 0;
		// A longer pause can't be learned. Requests begin with one a second, not all at once.
		if (pauseMs > MEMORY) return this.beginWith(1, SECOND);
		if (this.quota === Infinity) return this.beginWith(1, pauseMs);
		// The server's window may end up to a second before the pause, because Retry-After is rounded up.
		let counted = this.logged(until - this.windowMs - SECOND, until);
		// The first pause was only the rest of the server's window, so the window may be longer than that.
		const mayBeLonger = pauseMs > this.windowMs && !this.isConfirmed;
		if (counted.length === 0 && mayBeLonger) counted = this.logged(until - MEMORY, until);
		const newQuota = counted.length;
		// An outage, or others have used the key, which says nothing about the quota.
		if (newQuota === 0) return this.beginWith(this.quota, this.windowMs);
		const isSame = isNear(newQuota, this.quota);
		const isConfirmed = isSame && isNear(newQuota, this.shown);
		this.shown = newQuota;
		// The pause is only the rest of the window, which began with the first counted request or earlier.
		const windowMs = Math.max(pauseMs, until - this.arrivedBy(counted[0]) - SECOND);
		// The first counted request may have come late in the server's window, so the longer window stays.
		this.beginWith(newQuota, isSame ? Math.max(this.windowMs, windowMs) : windowMs, isConfirmed);
	}

	private beginWith(quota: number, windowMs: number, isConfirmed = false): void {
		this.quota = quota;
		this.overQuota = new WeakSet();
		this.acceptedOver = 0;
		this.windowMs = windowMs;
		this.isConfirmed = isConfirmed;
		this.overFrom = this.pause.until + (isConfirmed ? REST * windowMs : 0);
	}

	/** @param end of a pause. The request that ended the pause was sent then, and doesn't count. */
	private logged(begin: number, end = Infinity): SentRequest[] {
		return this.log.filter((request) => this.arrivedBy(request) > begin && request.at < end);
	}
}

/** Milliseconds of the first pause and of the longest one, if the API doesn't say how long to wait. */
const FIRST_GUESS = 500;
const LONGEST_GUESS = 16_000;

/** A request isn't sent, because the API asks for a pause that ends after its Retry Time. */
export class PausedTooLong extends Error {
	/** @param milliseconds of the pause, if the API gave a number */
	constructor(readonly milliseconds?: number) {
		super('The API asks for a pause');
	}
}

/** Time between two probes of a pause. A pause that was a mistake, or that ended early, is over soon by a probe. */
const PROBED_EVERY = 10_000;

/** A pause that throttled requests have shown, of a record, a route or the whole key. */
class Pause {
	/** Start of the pause, which throttled requests during the pause don't move. */
	since = Infinity;

	until = -Infinity;

	/** Time of the first 429 since the API accepted a request, otherwise Infinity. Retry Time counts from here. */
	throttledSince = Infinity;

	hasRetryAfter = true;

	/** A request that was sent during the pause was throttled, too. A single 429 may be a mistake. */
	isConfirmed = false;

	private throttledAt = -Infinity;

	probedAt = -Infinity;

	/** The length of the next pause, if the API doesn't say how long to wait. */
	private guess = FIRST_GUESS;

	/** Milliseconds until a request may be sent during the pause, to find out if the pause is over. */
	delayOfProbe(now: number): number {
		return Math.max(0, this.probedAt + PROBED_EVERY - now);
	}

	throttled(sentAt: number, now: number, pause: number, hasRetryAfter = true): void {
		if (this.until <= now) {
			this.since = now;
			this.isConfirmed = false;
			// A refusal that is long past says nothing about now.
			if (now - this.until > MEMORY) this.throttledSince = now;
		} else if (sentAt >= this.since) this.isConfirmed = true;
		// A request sent after the newest 429 shows the current pause, even if it's shorter. Of other pauses the longest counts.
		if (sentAt > this.throttledAt || now + pause > this.until) {
			this.until = now + pause;
			this.hasRetryAfter = hasRetryAfter;
		}
		this.throttledSince = Math.min(this.throttledSince, now);
		this.throttledAt = now;
	}

	/** Doubles the next pause, unless the request was in flight at the newest 429: then it shows nothing new. */
	throttledForUnknownTime(sentAt: number, now: number): void {
		const isNews = sentAt > this.throttledAt;
		// A pause that ended a while ago says nothing about now.
		if (now - this.until > LONGEST_GUESS) this.guess = FIRST_GUESS;
		// With 0, a pause that is on stays as it is, and only the time of the newest 429 is noted.
		this.throttled(sentAt, now, isNews ? this.guess : 0, false);
		if (isNews) this.guess = Math.min(LONGEST_GUESS, 2 * this.guess);
	}

	/** The API processed a request that was sent at `sentAt`. If that was after the newest 429, the pause is over. */
	accepted(sentAt: number, now: number): void {
		// A probe may be sent in the moment of the 429.
		if (sentAt <= this.throttledAt && sentAt !== this.probedAt) {
			// An API that goes on processing requests may only take fewer at a time.
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

/** Requests take different times to arrive, so they're sent a little slower. */
const PACE_MARGIN = 1.1;

/** Max Requests per Second. Users set it, because a service may refuse everything for a while after one request too many. */
export class Pace {
	/** Times at which a client last asked for a slot, by Max Requests per Second. */
	private readonly usedAt = new Map<number, number>();

	sentAt = -Infinity;

	/** The lowest number counts for all clients, until two minutes after a client with that number asked for a slot. */
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

/** Tells if a limit has the same pause as a new 429, by when the newest accepted request of the route or the key was sent. */
type IsSame = (limit: RateLimit, newestAccepted: number) => boolean;

/**
 * A pause is the same if it's still on, nothing that was sent since its begin was accepted, and both end within two seconds of
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
	readonly record?: string;
	/** It was sent during a pause, to find out if the pause is over, as a half-open circuit breaker does. */
	readonly isProbe: boolean;
}

export class RouteTraffic {
	readonly rate = new RateLimit();

	readonly bound = new Bound();

	/** Limits of records with throttled requests, the newest throttled last. Requests about no record have none. */
	readonly recordLimits = new Map<string | undefined, RateLimit>();

	/** Time at which the newest accepted request was sent. */
	newestAccepted = -Infinity;

	recordsWith(isSame: IsSame, newestAccepted: number): Array<[string | undefined, RateLimit]> {
		return [...this.recordLimits].filter(([, limit]) => isSame(limit, newestAccepted));
	}

	/** The pauses of these records were about a wider limit, so the pause of the route began with the first of them. */
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

export class Routes {
	readonly ofKey = new RateLimit();

	private readonly routes = new Map<Route, RouteTraffic>();

	private newestAccepted = -Infinity;

	routeTraffic(route: Route): RouteTraffic {
		const traffic = this.routes.get(route) ?? new RouteTraffic();
		this.routes.set(route, traffic);
		return traffic;
	}

	limitsOf(route: RouteTraffic, record: string | undefined): RateLimit[] {
		const ofRecord = route.recordLimits.get(record);
		return ofRecord ? [this.ofKey, route.rate, ofRecord] : [this.ofKey, route.rate];
	}

	/** A request that was throttled, failed or threw counts for no limit, not even for those that its 429 isn't about. */
	forget(route: RouteTraffic, sent: Sent): void {
		for (const limit of this.limitsOf(route, sent.record)) limit.forget(sent);
	}

	learn(route: RouteTraffic, sent: Sent, report: Report<unknown>): void {
		const now = performance.now();
		const { throttled, accepted, overload } = report;
		const limits = this.limitsOf(route, sent.record);
		// A trial was sent although a pause or a quota was against it, to find out if that still holds.
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

	/** The pause is about the key if the key or another route has the same pause, but never without Retry-After. */
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

	private othersWith(route: RouteTraffic, isSame: IsSame): RouteTraffic[] {
		return [...this.routes.values()].filter(
			(each) =>
				each !== route &&
				(isSame(each.rate, this.newestAccepted) ||
					each.recordsWith(isSame, this.newestAccepted).length > 0),
		);
	}
}
