// Keeping within a rate limit that refusals show (limit.ts): against simulated servers in simulated time.
import { RateLimit, type SentRequest } from '../../dist/nodes/engine/client/traffic/limit.js';
import { ideal, LimitedServer, simulate, type Limit, type Work } from './rateSimulation.cts';

const minute = 60_000;

// What is promised of each limit that the API keeps to, whatever learns it: no request is lost, all take at most so many times as
// long as for somebody who knows the limit, and few are refused.
const SLOWEST = 1.5;
const REFUSED = 0.1;

/** A request that goes out. */
function sent(limit: RateLimit, at: number): SentRequest {
	const request = { at };
	limit.sent(request);
	return request;
}

/** Moments of a period at which the work may begin. */
const phases = [0, 0.2, 0.4, 0.6, 0.8, 0.98];

/** Sends the work at every phase; gives the worst ratio to the ideal, and the refusals on average. */
function course(rule: Limit, work: Work) {
	const runs = phases.map((phase, seed) => {
		const server = () => new LimitedServer({ ...rule, phase });
		const { milliseconds, refused, taken } = simulate(new RateLimit(), server(), { ...work, seed });
		expect(taken).toHaveLength(work.count);
		return { ratio: milliseconds / ideal(server(), work), refused };
	});
	return {
		slowest: Math.max(...runs.map(({ ratio }) => ratio)),
		refused: runs.reduce((sum, { refused }) => sum + refused, 0) / runs.length,
	};
}

const table = (['fixed window', 'sliding window', 'token bucket'] as const).flatMap((counting) =>
	[
		['10 a second', 10, 1000],
		['4 a second', 4, 1000],
		['20 a minute', 20, minute],
		['60 a minute', 60, minute],
		['5 a minute', 5, minute],
	].flatMap(([name, limit, period]) =>
		[1, 5, 32].map((parallel) => ({
			counting,
			name,
			limit: Number(limit),
			period: Number(period),
			parallel,
		})),
	),
);

test.each(table)(
	'$counting, $name, $parallel in parallel',
	({ counting, limit, period, parallel }) => {
		for (const used of [0, Math.floor(0.8 * limit)]) {
			const rule: Limit = { counting, limit, period, used };
			expect(course(rule, { count: 300, parallel }).slowest).toBeLessThan(SLOWEST);
		}
	},
);

test('few are refused on average, beside those in flight at the first refusal', () => {
	for (const counting of ['fixed window', 'sliding window']) {
		const scenes = table.filter((each) => each.counting === counting);
		const later = scenes.map(({ parallel, ...rule }) => {
			const { refused } = course(rule, { count: 300, parallel });
			return (refused - parallel) / 300;
		});
		expect(later.reduce((sum, each) => sum + each, 0) / later.length).toBeLessThan(REFUSED);
	}
});

test('requests that go out late, while n8n is busy, are not refused', () => {
	for (const seed of phases.keys()) {
		const server = () => new LimitedServer({ counting: 'sliding window', limit: 50, period: 1000 });
		const work = { count: 1500, parallel: 40, busy: 3, seed };
		const { refused, milliseconds } = simulate(new RateLimit(), server(), work);
		expect(milliseconds / ideal(server(), work)).toBeLessThan(SLOWEST);
		expect(refused).toBeLessThan(REFUSED * work.count);
	}
});

describe.each([['fixed window'], ['sliding window']] as const)(
	'%s, requests that come one by one, more than it takes',
	(counting) => {
		test.each([
			['5 a minute', 5, minute],
			['20 a minute', 20, minute],
			['60 a minute', 60, minute],
			['10 a second', 10, 1000],
		])('%s', (_name, limit, period) => {
			for (const share of [1.05, 1.2, 2]) {
				const server = new LimitedServer({ counting, limit, period });
				const work = { count: 300, parallel: 32, every: period / limit / share };
				const { refused, milliseconds } = simulate(new RateLimit(), server, work);
				expect(refused).toBeLessThanOrEqual(work.count / 2);
				expect(milliseconds).toBeLessThan(2 * (work.count / limit) * period);
			}
		});
	},
);

test('a limit that is tightened is learned again, and one that is raised is made use of', () => {
	const limit = new RateLimit();
	const rule: Limit = { counting: 'sliding window', limit: 20, period: 1000 };
	const work = { count: 100, parallel: 5 };
	const wide = simulate(limit, new LimitedServer(rule), work);
	const narrow = simulate(limit, new LimitedServer({ ...rule, limit: 2 }), work, wide.milliseconds);
	expect(narrow.refused).toBeLessThanOrEqual(work.count / 2);
	expect(narrow.milliseconds).toBeLessThan(SLOWEST * 50_000);
	const begin = wide.milliseconds + narrow.milliseconds;
	const again = simulate(limit, new LimitedServer({ ...rule, limit: 50 }), work, begin);
	// At two a second it would take fifty seconds.
	expect(again.milliseconds).toBeLessThan(15_000);
});

test('a limit that is raised is made use of, however evenly requests came before', () => {
	const limit = new RateLimit();
	limit.throttled(sent(limit, 0), 0, minute);
	let now = 0;
	for (let next = minute; next < 10 * minute; next += 5000) {
		now = Math.max(now, next);
		now += limit.delay(now);
		limit.accepted(sent(limit, now), now);
	}
	const server = new LimitedServer({ counting: 'sliding window', limit: 100, period: minute });
	const { milliseconds } = simulate(limit, server, { count: 1000, parallel: 5 }, now);
	expect(milliseconds).toBeLessThan(SLOWEST * 10 * minute);
});

test('a refusal that others caused does not make a window longer', () => {
	const limit = new RateLimit();
	const rule: Limit = { counting: 'sliding window', limit: 5, period: 10_000 };
	const work = { count: 50, parallel: 5 };
	const { milliseconds } = simulate(limit, new LimitedServer(rule), work);
	const later = milliseconds + minute;
	limit.throttled(sent(limit, later), later, 5000);
	const again = simulate(limit, new LimitedServer(rule), work, later + 5000);
	expect(again.milliseconds).toBeLessThan(SLOWEST * 90_000);
});

test.each([
	['first', [undefined, 30_000]],
	['then', [30_000, undefined]],
])('a pause with a number, %s one without, is not ended by what was in flight', (_what, pauses) => {
	const limit = new RateLimit();
	const [first, second, third] = [0, 0, 0].map((at) => sent(limit, at));
	limit.throttled(first, 100, pauses[0]);
	limit.throttled(second, 100, pauses[1]);
	limit.accepted(third, 200);
	expect(limit.delay(300)).toBe(29_800);
});

test('after a pause of a day that ended early, a rate is learned again', () => {
	const limit = new RateLimit();
	const rule: Limit = { counting: 'sliding window', limit: 10, period: 10_000 };
	const work = { count: 100, parallel: 5 };
	const before = simulate(limit, new LimitedServer(rule), work);
	let now = before.milliseconds;
	limit.throttled(sent(limit, now), now, 24 * 60 * minute);
	now += minute;
	limit.accepted(sent(limit, now), now);
	const after = simulate(limit, new LimitedServer(rule), work, now + 1000);
	expect(after.refused).toBeLessThanOrEqual(before.refused + 5);
});

test('nothing is held back while nothing is refused, nor for a window of an hour', () => {
	const limit = new RateLimit();
	for (let each = 0; each < 500; each++) {
		expect(limit.delay(each)).toBe(0);
		limit.accepted(sent(limit, each), each);
	}
	limit.throttled(sent(limit, 500), 500, 60 * minute);
	expect(limit.delay(60 * minute)).toBe(500);
	expect(limit.delay(61 * minute)).toBe(0);
	limit.accepted(sent(limit, 61 * minute), 61 * minute);
	limit.throttled(sent(limit, 61 * minute), 61 * minute, 60 * minute);
	for (let each = 0; each < 500; each++) {
		expect(limit.delay(121 * minute)).toBe(0);
		limit.accepted(sent(limit, 121 * minute), 121 * minute);
	}
});

test('a limit that is known for a day remembers minutes', () => {
	const limit = new RateLimit();
	limit.throttled(sent(limit, 0), 0, 1000);
	limit.delay(1000);
	let log: SentRequest[] = [];
	for (let now = 1000; now < 24 * 60 * minute; now += 1000) {
		limit.accepted(sent(limit, now), now);
		log = (limit as unknown as { log: SentRequest[] }).log;
	}
	expect(log.length).toBeLessThan(500);
});

test('one burst of another client is forgotten in the next window', () => {
	for (const counting of ['fixed window', 'sliding window'] as const) {
		const server = new LimitedServer({ counting, limit: 60, period: minute });
		let own = 0;
		const shared = {
			request(now: number) {
				const { taken, retryAfter } = server.request(now);
				// Of the second minute, the other client takes all but three.
				if (taken && ++own === 63) while (server.request(now).taken);
				return { taken, retryAfter };
			},
		};
		const { milliseconds } = simulate(new RateLimit(), shared, { count: 361, parallel: 5 });
		expect(milliseconds).toBeLessThan(8 * minute);
	}
});
