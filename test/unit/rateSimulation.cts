// Clients that keep to a pace, against servers that limit the rate, in simulated time: events are
// worked off one after the other, nothing waits. All times in milliseconds.

import type { RateLimit, SentRequest } from '../../dist/nodes/engine/client/traffic/limit.js';

/** How a server counts: in windows of the clock, in any such time, or by a bucket that fills up. */
type Counting = 'fixed window' | 'sliding window' | 'token bucket';

export interface Limit {
	counting: Counting;
	/** Requests that are taken in a period. */
	limit: number;
	period: number;
	/** Part of the period that is over when the work begins, from 0 to 1. */
	phase?: number;
	/** Requests that others sent just before. */
	used?: number;
}

/** A server that takes `limit` requests in a period. */
export class LimitedServer {
	/** What was taken, others' requests included, oldest first; those before `past` are over. */
	private readonly taken: number[] = [];

	private past = 0;

	private tokens: number;

	private filled = 0;

	constructor(private readonly rule: Limit) {
		this.tokens = rule.limit;
		for (let each = 0; each < (rule.used ?? 0); each++) this.take(0);
	}

	/** Takes the request, or gives the seconds of Retry-After: the time that is needed. */
	request(now: number): { taken: boolean; retryAfter: number } {
		const needed = this.needed(now);
		if (needed === 0) this.take(now);
		return { taken: needed === 0, retryAfter: Math.ceil(needed / 1000) };
	}

	/** Milliseconds until it takes a request, 0 when it takes one now. */
	needed(now: number): number {
		const { counting, limit, period, phase = 0 } = this.rule;
		if (counting === 'token bucket') {
			this.tokens = Math.min(limit, this.tokens + ((now - this.filled) * limit) / period);
			this.filled = now;
			return this.tokens >= 1 - 1e-9 ? 0 : ((1 - this.tokens) * period) / limit;
		}
		const from =
			counting === 'fixed window'
				? Math.floor((now + phase * period) / period) * period - phase * period
				: now - period;
		const first = from + (counting === 'fixed window' ? 0 : 1e-9);
		while (this.taken[this.past] < first) this.past++;
		if (this.taken.length - this.past < limit) return 0;
		return (counting === 'fixed window' ? from : this.taken[this.past]) + period - now;
	}

	private take(now: number): void {
		this.tokens--;
		this.taken.push(now);
	}
}

/** Numbers from 0 to 1 that look random and are the same each time. */
export function random(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
		return state / 2_147_483_648;
	};
}

/** Mean time of a request to the server, and of the answer back. */
const WAY = 10;

export interface Work {
	count: number;
	parallel: number;
	/** Milliseconds from one request to the next, where they don't all wait from the beginning. */
	every?: number;
	/** Mean milliseconds that n8n works on a request before it goes out, one request after the other. */
	busy?: number;
	seed?: number;
}

export interface Course {
	milliseconds: number;
	refused: number;
	/** When each request was taken, in order. */
	taken: number[];
}

/** Sends `count` requests, refused ones before fresh ones, `parallel` at a time. */
export function simulate(
	pacing: RateLimit,
	server: Pick<LimitedServer, 'request'>,
	work: Work,
	start = 0,
): Course {
	const chance = random(work.seed ?? 1);
	const events: Array<{ at: number; run: () => void }> = [];
	const later = (at: number, run: () => void) => {
		let index = events.length;
		while (index > 0 && events[index - 1].at < at) index--;
		events.splice(index, 0, { at, run });
	};
	let again = 0;
	const taken: number[] = [];
	let fresh = work.every ? 0 : work.count;
	let running = 0;
	let refused = 0;
	let now = start;
	let look = Infinity;
	let free = start;

	const send = (sent: SentRequest) => {
		pacing.sent(sent);
		running++;
		free = Math.max(free, now) + (work.busy ? work.busy * 2 * chance() : 0);
		later(free + WAY * (0.5 + chance()), () => {
			const answer = server.request(now);
			if (answer.taken) taken.push(now);
			else refused++;
			later(now + WAY * (0.5 + chance()), () => {
				running--;
				if (answer.taken) pacing.accepted(sent, now);
				else {
					pacing.throttled(sent, now, answer.retryAfter * 1000);
					again++;
				}
				pump();
			});
		});
	};
	const pump = () => {
		while (running < work.parallel && again + fresh > 0) {
			const delay = pacing.delay(now);
			if (delay > 0) {
				const at = now + delay;
				if (at === Infinity) return;
				if (at < look || look <= now) {
					look = at;
					later(at, pump);
				}
				return;
			}
			if (again > 0) again--;
			else fresh--;
			send({ at: now });
		}
	};
	pump();
	const arrive = () => {
		fresh++;
		pump();
	};
	for (let each = work.every ? work.count : 0; each > 0; each--) {
		later(start + (each - chance() / 5) * Number(work.every), arrive);
	}
	for (let next = events.pop(); next && taken.length < work.count; next = events.pop()) {
		now = next.at;
		next.run();
	}
	return { milliseconds: now - start, refused, taken };
}

/** How long it takes who knows the server, and is refused once before. */
export function ideal(server: LimitedServer, { count, parallel }: Work): number {
	const free = new Array<number>(parallel).fill(0);
	let refusals = 0;
	let clock = 0;
	for (let each = 0; each < count; each++) {
		// Who went out first is free first, since requests go out in order and take the same time.
		const slot = each % parallel;
		let at = Math.max(clock, free[slot] + WAY);
		for (let needed; (needed = server.needed(at)) > 0; at += needed) {
			if (refusals >= 2) continue;
			refusals++;
			needed = server.request(at).retryAfter * 1000;
			for (let other = 0; other < parallel; other++) {
				free[other] = Math.max(free[other], at + needed);
			}
		}
		server.request(at);
		clock = at;
		free[slot] = at + WAY;
	}
	return clock + WAY;
}
