// A pause that ends after the budget (Retry Time) of a request. Such a request doesn't wait for its end.
//
// Say, Retry Time is 120 s, and at 10 s the API asks a client for a pause of 600 s.
// - The client's next request is a probe: it's sent during the pause, because a single 429 may be wrong.
// - If that is throttled for as long, the pause is confirmed. From now on, requests of this client end unsent.
// - Another client sends a probe of its own, whatever the API said to the first one.
// - If the API asks that one for 20 s only, it probes again after 20 s.
// A request that the API accepts ends all of it.
// Scenes: "for good, at once and unsent", "%s once by mistake, for an hour, fails one item".
import type { ClientRequest, ThrottleSeries } from './client';
import type { Pause } from './rateLimit';

/** The API asks for a pause that goes beyond the budget of a request, or throttles requests for as long. */
export class PausedTooLong extends Error {
	/** @param milliseconds of the pause, if the API gave a number */
	constructor(readonly milliseconds?: number) {
		super('The API asks for a pause');
	}
}

export interface LongPause {
	until: number;
	/** Its end comes from the API. */
	hasRetryAfter: boolean;
	/**
	 * The API asked this client for a pause beyond its budget, and throttled one of its probes. A single 429 is enough if it's
	 * that of a probe: where another client was asked for the pause before, the first request of this one is a probe.
	 */
	isConfirmed: boolean;
	/** Time from which a probe may be sent. */
	probeFrom: number;
}

/**
 * The longest of these pauses, if it ends after the budget of a request. The budget begins with the first throttled request of
 * the client (scene: "soon after Retry Time, however many items there are"). Without one it begins when the request was queued
 * or others were throttled, whichever is later.
 * @param pauses of the route and the key, or of the record. All are on.
 * @param series of the client, on the route or for the record
 */
export function longPause(
	{ queuedAt, budget }: { queuedAt: number } & Pick<ClientRequest, 'budget'>,
	pauses: Pause[],
	series: ThrottleSeries | undefined,
	now: number,
): LongPause | undefined {
	const { until, hasRetryAfter } = pauses.reduce((one, other) =>
		other.until > one.until ? other : one,
	);
	// The first 429 of these pauses. If the newest one of the client came before it, its series is about an earlier pause: the
	// API has accepted a request since (scene: "not by what it was told before the API accepted a request").
	const throttledSince = Math.min(...pauses.map((each) => each.throttledSince));
	const ofClient = series && series.newest >= throttledSince ? series : undefined;
	const budgetEnd = (ofClient?.since ?? Math.max(queuedAt, throttledSince)) + budget;
	if (until <= budgetEnd) return undefined;
	// The API has only asked other clients for the pause, so this one probes.
	if (!ofClient) return { until, hasRetryAfter, isConfirmed: false, probeFrom: now };
	// The longest pause is that of another client. This one probes at the end of its own.
	const isOver = ofClient.until <= now;
	const isShort = ofClient.until <= budgetEnd;
	if (isOver || isShort) {
		return { until, hasRetryAfter, isConfirmed: false, probeFrom: ofClient.until };
	}
	// Once it's confirmed, requests are dropped, and there's no probe any more.
	return { until, hasRetryAfter, isConfirmed: ofClient.isConfirmed, probeFrom: now };
}
