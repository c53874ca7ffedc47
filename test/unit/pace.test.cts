// Keeping within a rate limit: against simulated servers in simulated time.
import { Pace } from '../../dist/nodes/shared/client/traffic/pace.js';
import { Pause } from '../../dist/nodes/shared/client/traffic/pause.js';
import {
	ideal,
	LimitedServer,
	random,
	simulate,
	type Limit,
	type Work,
} from './rateSimulation.cts';

/** Moments of a period at which the work may begin. */
const phases = [0, 0.2, 0.4, 0.6, 0.8, 0.98];

const minute = 60_000;

/** Limits as services have them: requests, period. */
const limits: Array<[string, number, number]> = [
	['10 a second', 10, 1000],
	['20 a minute', 20, minute],
	['60 a minute', 60, minute],
	['300 an hour', 300, 60 * minute],
];

/** Writes one at a time; the default; reads at their most. */
const parallels = [1, 5, 32];

/** Sends the work at every phase; gives the worst ratio to the ideal, and the refusals on average. */
function course(rule: Limit, work: Work, others: (phase: number) => number[] = () => []) {
	const runs = phases.map((phase, seed) => {
		const server = () => new LimitedServer({ ...rule, phase, others: others(phase) });
		const { milliseconds, refused, taken } = simulate(new Pace(), server(), { ...work, seed });
		expect(taken).toHaveLength(work.count);
		return { ratio: milliseconds / ideal(server(), work), refused };
	});
	return {
		slowest: Math.max(...runs.map(({ ratio }) => ratio)),
		refused: runs.reduce((sum, { refused }) => sum + refused, 0) / runs.length,
	};
}

/** Everything but a constant Retry-After in a fixed window, which asks for more than is needed. */
const servers: Array<Pick<Limit, 'counting' | 'retryAfter'>> = [
	{ counting: 'fixed window', retryAfter: 'exact' },
	{ counting: 'sliding window', retryAfter: 'exact' },
	{ counting: 'sliding window', retryAfter: 'constant' },
	{ counting: 'token bucket', retryAfter: 'exact' },
	{ counting: 'token bucket', retryAfter: 'constant' },
];

const table = servers.flatMap((server) =>
	limits.flatMap(([name, limit, period]) =>
		parallels.map((parallel) => ({ ...server, name, limit, period, parallel })),
	),
);

describe.each(table)(
	'$counting, Retry-After $retryAfter, $name, $parallel in parallel',
	({ counting, retryAfter, limit, period, parallel }) => {
		const rule = { counting, retryAfter, limit, period };
		const work = { count: period > minute ? 900 : 300, parallel };
		const rounds = work.count / limit;

		test.each([0, 0.8])(
			'a limit of which %d is used at first costs no more than a quarter',
			(part) => {
				const { slowest, refused } = course({ ...rule, used: Math.floor(limit * part) }, work);
				expect(slowest).toBeLessThan(1.25);
				// All in flight twice, until the quota is known; then one for each trial.
				if (counting !== 'token bucket') {
					expect(refused).toBeLessThanOrEqual(2 * parallel + 1 + 0.4 * rounds);
				}
			},
		);
	},
);

describe.each(
	table.filter(({ period, counting }) => period === minute && counting !== 'token bucket'),
)(
	"another client's burst, $counting, Retry-After $retryAfter, $name, $parallel in parallel",
	({ counting, retryAfter, limit, period, parallel }) => {
		const rule = { counting, retryAfter, limit, period };

		test.each<[string, (phase: number) => number[]]>([
			['half of it, evenly', () => every((2 * period) / limit)],
			['nine tenths, evenly', () => every(period / (0.9 * limit))],
			['nine tenths, at the beginning of each minute', (phase) => bulk(0.9 * limit, phase)],
		])('in the first two minutes (%s) is over when it is over', (_burst, others) => {
			expect(course(rule, { count: 300, parallel }, others).slowest).toBeLessThan(1.25);
		});
	},
);

/** Requests of others in the first two minutes, one every so many milliseconds. */
function every(milliseconds: number): number[] {
	return Array.from(
		{ length: (2 * minute) / milliseconds },
		(_each, index) => index * milliseconds,
	);
}

/** So many requests of others at the beginning of each minute of the first two. */
function bulk(count: number, phase: number): number[] {
	return [0, 1, 2]
		.flatMap((each) => new Array<number>(count).fill(Math.max(0, (each - phase) * minute)))
		.filter((moment) => moment < 2 * minute);
}

test('a refusal one second before the end of the window is no measure of the rate', () => {
	const rule: Limit = {
		counting: 'fixed window',
		retryAfter: 'exact',
		limit: 60,
		period: minute,
		phase: 56 / 60,
		used: 10,
	};
	const work = { count: 300, parallel: 1 };
	const { milliseconds, refused } = simulate(new Pace(), new LimitedServer(rule), work);
	// Fifty in the rest of the minute, then 60 in each.
	expect(ideal(new LimitedServer(rule), work)).toBeLessThan(250_000);
	expect(milliseconds).toBeLessThan(250_000);
	expect(refused).toBeLessThanOrEqual(4);
});

test.each([
	['fixed window', 20],
	['fixed window', 60],
	['sliding window', 20],
	['sliding window', 60],
] as const)('without Retry-After: %s, %i a minute', (counting, limit) => {
	const rule: Limit = { counting, retryAfter: 'absent', limit, period: minute };
	for (const parallel of [1, 5]) {
		expect(course(rule, { count: 300, parallel }).slowest).toBeLessThan(1.25);
	}
});

test('a limit that is tightened is learned again, and one that is raised is made use of', () => {
	const pace = new Pace();
	const rule: Limit = { counting: 'sliding window', retryAfter: 'exact', limit: 20, period: 1000 };
	const work = { count: 100, parallel: 5 };
	const wide = simulate(pace, new LimitedServer(rule), work);
	const narrow = simulate(pace, new LimitedServer({ ...rule, limit: 2 }), work, wide.milliseconds);
	expect(narrow.refused).toBeLessThanOrEqual(20);
	expect(narrow.milliseconds).toBeLessThan(1.25 * 50_000);
	const begin = wide.milliseconds + narrow.milliseconds;
	const again = simulate(pace, new LimitedServer({ ...rule, limit: 50 }), work, begin);
	// At two a second it would take fifty seconds.
	expect(again.milliseconds).toBeLessThan(12_000);
});

test('what is long past is tried again at once', () => {
	const pace = new Pace();
	const rule: Limit = { counting: 'fixed window', retryAfter: 'exact', limit: 10, period: minute };
	const { milliseconds } = simulate(pace, new LimitedServer(rule), { count: 150, parallel: 1 });
	const later = milliseconds + 60 * minute;
	const free = new LimitedServer({ ...rule, limit: 1000 });
	expect(simulate(pace, free, { count: 300, parallel: 1 }, later).milliseconds).toBeLessThan(
		10_000,
	);
});

test.each([
	['a minute is kept to once it was seen twice', 1, false],
	['an hour is not kept to: the API may ask for that itself', 60, true],
])('a limit over %s', (_what, minutes, sends) => {
	const pace = new Pace();
	let now = 0;
	// In each of three spans one is taken and one refused.
	for (let each = 0; each < 3; each++) {
		expect(pace.hold(now)).toBe(0);
		expect(pace.hold(now)).toBe(0);
		pace.answered(now, now);
		pace.refused(now + 10, now, minutes * minute);
		now += 10 + minutes * minute;
	}
	expect(pace.hold(now)).toBe(0);
	pace.answered(now, now);
	expect(pace.hold(now + 10) === 0).toBe(sends);
});

test('what Retry-After leaves of a span is not its length', () => {
	const pace = new Pace();
	let now = 0;
	// In each minute two are taken, the second one in its middle, where a third is refused.
	for (let each = 0; each < 3; each++) {
		expect(pace.hold(now)).toBe(0);
		pace.answered(now, now);
		for (const taken of [true, false]) {
			const sent = now + minute / 2;
			expect(pace.hold(sent)).toBe(0);
			if (taken) pace.answered(sent, sent);
			else pace.refused(sent, sent, minute / 2);
		}
		now += minute;
	}
	expect(pace.hold(now)).toBe(0);
	expect(pace.hold(now)).toBe(0);
	expect(pace.hold(now)).toBeGreaterThan(minute - 2000);
});

test('a pause too long to be a span, after a quota that was trusted, stops nobody', () => {
	const rule: Limit = { counting: 'fixed window', retryAfter: 'exact', limit: 4, period: 1000 };
	for (let count = 4; count < 80; count++) {
		const pace = new Pace();
		const { milliseconds } = simulate(pace, new LimitedServer(rule), { count, parallel: 1 });
		let now = milliseconds;
		while (pace.hold(now) > 0) now += 10;
		pace.refused(now, now, 600_000, new Pause());
		// One after the other, long after the pause.
		now += 700_000;
		for (let each = 0; each < 50; each++) {
			expect(pace.hold(now)).toBe(0);
			pace.answered(now, now);
		}
		// The quota of then bounds nobody any more.
		for (let each = 0; each < 10; each++) expect(pace.hold(now)).toBe(0);
	}
});

test('who waits for an answer always waits for a request that is in flight', () => {
	const stuck: number[] = [];
	for (let seed = 1; seed <= 300; seed++) {
		const chance = random(seed);
		const pick = <T,>(...values: T[]) => values[Math.floor(chance() * values.length)];
		const pace = new Pace();
		const inFlight: number[] = [];
		let now = 0;
		for (let each = 0; each < 400; each++) {
			// A clock that is set back now and then, too.
			now += pick(0, 1, 20, 400, 70_000, -50);
			const hold = pace.hold(now);
			if (hold === 0) inFlight.push(now);
			if (hold === Infinity && inFlight.length === 0) stuck.push(seed);
			while (inFlight.length > 0 && chance() < 0.6) {
				const sent = inFlight.shift() as number;
				if (chance() < 0.7) pace.answered(now, sent);
				else {
					const pause = pick(0, 1000, 2000, 60_000, 600_000);
					pace.refused(now, sent, pause, pause > 120_000 ? new Pause() : undefined);
				}
			}
		}
	}
	expect(stuck).toEqual([]);
});

test('nobody is held back while nothing is refused', () => {
	const pace = new Pace();
	for (let each = 0; each < 500; each++) expect(pace.hold(each)).toBe(0);
});

describe('a pause', () => {
	test('holds everybody for as long as the API asks', () => {
		const pace = new Pace();
		expect(pace.hold(0)).toBe(0);
		expect(pace.hold(0)).toBe(0);
		pace.refused(100, 0, 7000);
		pace.refused(150, 0, 2000);
		expect(pace.hold(600)).toBe(6500);
		expect(pace.hold(7100)).toBe(0);
	});

	test('after which one more than before is tried, then twice as many', () => {
		const pace = new Pace();
		for (let each = 0; each < 4; each++) expect(pace.hold(0)).toBe(0);
		for (let each = 0; each < 3; each++) pace.answered(0, 0);
		pace.refused(10, 0, 1000);
		for (let each = 0; each < 4; each++) expect(pace.hold(1010)).toBe(0);
		expect(pace.hold(1010)).toBe(Infinity);
		for (let each = 0; each < 4; each++) pace.answered(1010, 1010);
		expect(pace.hold(1020)).toBe(0);
		expect(pace.hold(1020)).toBe(Infinity);
	});

	test('of nobody teaches nothing', () => {
		const pace = new Pace();
		for (let each = 0; each < 3; each++) {
			expect(pace.hold(0)).toBe(0);
			pace.refused(1, 0, 0);
		}
		for (let each = 0; each < 20; each++) expect(pace.hold(2)).toBe(0);
	});

	test('of nobody does not hold up the others', () => {
		const pace = new Pace();
		expect(pace.hold(0)).toBe(0);
		expect(pace.hold(0)).toBe(0);
		pace.answered(0, 0);
		pace.refused(10, 0, 1000);
		for (let each = 0; each < 2; each++) expect(pace.hold(1010)).toBe(0);
		expect(pace.hold(1010)).toBe(Infinity);
		for (let each = 0; each < 2; each++) pace.refused(1020, 1010, 0);
		// As many may go out in their place.
		for (let each = 0; each < 2; each++) expect(pace.hold(1020)).toBe(0);
	});

	test('in which nothing was taken before is no rate', () => {
		const pace = new Pace();
		for (let each = 0; each < 5; each++) expect(pace.hold(0)).toBe(0);
		for (let each = 0; each < 4; each++) pace.answered(0, 0);
		pace.refused(10, 0, 1000);
		for (let now = 1010; now < 5000; now += 1000) {
			expect(pace.hold(now)).toBe(0);
			pace.refused(now, now, 1000);
		}
		for (let each = 0; each < 5; each++) expect(pace.hold(5010)).toBe(0);
	});

	test('does not end what was under way: it counts for the quota when it is taken', () => {
		const pace = new Pace();
		for (let each = 0; each < 5; each++) expect(pace.hold(0)).toBe(0);
		pace.answered(0, 0);
		pace.refused(10, 0, 1000);
		// Only the pause is over when the answers come.
		expect(pace.hold(1010)).toBe(0);
		for (let each = 0; each < 3; each++) pace.answered(0, 0);
		for (let each = 0; each < 4; each++) expect(pace.hold(1020)).toBe(0);
		expect(pace.hold(1020)).toBe(Infinity);
	});

	test('tells for how long the API has taken nothing, at its own wish', () => {
		const pace = new Pace();
		expect(pace.pause.standstill(0, 0)).toBe(0);
		pace.hold(0);
		pace.hold(0);
		pace.refused(100, 0, 1000);
		pace.refused(150, 0, 1000);
		expect(pace.pause.standstill(200, 100)).toBe(1050);
		// For who came later it is shorter.
		expect(pace.pause.standstill(700, 700)).toBe(450);
		pace.hold(1150);
		pace.refused(1200, 1150, 1000);
		expect(pace.pause.standstill(1200, 100)).toBe(2050);
		pace.hold(2200);
		expect(pace.pause.standstill(2200, 100)).toBe(0);
		pace.hold(2200);
		pace.answered(2200, 2200);
		pace.refused(2300, 2200, 500);
		expect(pace.pause.standstill(2300, 100)).toBe(500);
	});
});
