// The rate limit and the bound of each route, and the rate limit of the whole key, as responses have shown them.
// Whatever one client learns holds for all.
import type { Route } from '../../endpoints';
import { Bound } from './bound';
import type { Report } from './client';
import { RateLimit, SECOND, type SentRequest } from './rateLimit';

export interface RouteTraffic {
	rate: RateLimit;
	bound: Bound;
	/** Time at which a request in flight asked if a pause is over. The next one may ask a second later. */
	askedAt: number;
}

export interface Sent extends SentRequest {
	/** It was sent during a pause, to ask if that is over. */
	duringPause: boolean;
}

/** All times are milliseconds of a monotonic clock. */
export class Routes {
	readonly ofKey = new RateLimit();

	private readonly routes = new Map<Route, RouteTraffic>();

	/** Time at which the newest accepted request was sent. */
	private newestAccepted = -Infinity;

	at(route: Route): RouteTraffic {
		const known = this.routes.get(route) ?? {
			rate: new RateLimit(),
			bound: new Bound(),
			askedAt: -Infinity,
		};
		this.routes.set(route, known);
		return known;
	}

	sent(route: RouteTraffic, at: number): Sent {
		const rates = [this.ofKey, route.rate];
		const sent = { at, duringPause: rates.some(({ pause }) => pause.isOn(at)) };
		if (sent.duringPause) route.askedAt = at;
		for (const rate of rates) rate.sent(sent);
		route.bound.inFlight++;
		return sent;
	}

	/** A request was refused, failed or threw. */
	lost(route: RouteTraffic, sent: Sent): void {
		for (const rate of [this.ofKey, route.rate]) rate.lost(sent);
	}

	learn({ rate, bound }: RouteTraffic, sent: Sent, report: Report<unknown>): void {
		const now = performance.now();
		const pause = report.refused?.pause;
		const rates = [this.ofKey, rate];
		const isTrial = sent.duringPause || rates.some((each) => each.isProbe(sent));
		if (pause !== undefined) this.learnPause(rate, sent, pause, now);
		else if (report.accepted) {
			this.newestAccepted = Math.max(this.newestAccepted, sent.at);
			for (const each of rates) each.accepted(sent, now);
		}
		bound.learn({
			sentAt: sent.at,
			now,
			// A refused trial shows a rate or a pause, which fewer requests in flight wouldn't change.
			overload: report.overload && !(isTrial && pause !== undefined),
			hasPause: pause !== undefined,
		});
	}

	/**
	 * A pause belongs to its route. It's about the whole key if one of another route or of the key ends at the same
	 * time, give or take two seconds, and nothing was accepted that was sent since that one began.
	 */
	private learnPause(ofRoute: RateLimit, sent: Sent, pause: number, now: number): void {
		const isSame = ({ pause: { since, until } }: RateLimit) =>
			until > now && since > this.newestAccepted && Math.abs(until - (now + pause)) <= 2 * SECOND;
		const others = [...this.routes.values()].filter(({ rate }) => rate !== ofRoute && isSame(rate));
		const isOfKey = others.length > 0 || isSame(this.ofKey);
		ofRoute.refused(sent, now, pause);
		if (!isOfKey) return;
		this.ofKey.refused(sent, now, pause);
		// Their refusals were about the limit of the key.
		for (const rate of [ofRoute, ...others.map((each) => each.rate)]) rate.forgetRefusal();
	}

	/** A request isn't in flight anymore. */
	release(route: RouteTraffic, { at }: Sent): void {
		route.bound.inFlight--;
		if (route.askedAt === at) route.askedAt = -Infinity;
	}
}
