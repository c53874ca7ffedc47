// Keeping within a rate limit that refusals show (rateLimit.ts): against simulated servers in simulated time.
import { RateLimit } from '../../dist/nodes/shared/client/traffic/rateLimit.js';
import { ideal, LimitedServer, simulate, type Limit, type Work } from './rateSimulation.cts';

const minute = 60_000;

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
			const { slowest, refused } = course(rule, { count: 300, parallel });
			expect(slowest).toBeLessThan(1.35);
			// All in flight twice, until the quota is known; then one for each probe, and some beside it.
			if (counting !== 'token bucket') {
				expect(refused).toBeLessThanOrEqual(2 * parallel + 4 + 0.4 * (300 / limit));
			}
		}
	},
);

test('a limit that is tightened is learned again, and one that is raised is made use of', () => {
	const limit = new RateLimit();
	const rule: Limit = { counting: 'sliding window', limit: 20, period: 1000 };
	const work = { count: 100, parallel: 5 };
	const wide = simulate(limit, new LimitedServer(rule), work);
	const narrow = simulate(limit, new LimitedServer({ ...rule, limit: 2 }), work, wide.milliseconds);
	expect(narrow.refused).toBeLessThanOrEqual(30);
	expect(narrow.milliseconds).toBeLessThan(1.35 * 50_000);
	const begin = wide.milliseconds + narrow.milliseconds;
	const again = simulate(limit, new LimitedServer({ ...rule, limit: 50 }), work, begin);
	// At two a second it would take fifty seconds.
	expect(again.milliseconds).toBeLessThan(15_000);
});

test('nothing is held back while nothing is refused, nor for a window of an hour', () => {
	const limit = new RateLimit();
	for (let each = 0; each < 500; each++) {
		expect(limit.delay(each)).toBe(0);
		limit.accepted(limit.sent(each));
	}
	limit.refused(limit.sent(500), 500, 60 * minute);
	expect(limit.delay(60 * minute)).toBe(500);
	for (let each = 0; each < 500; each++) {
		expect(limit.delay(61 * minute)).toBe(0);
		limit.accepted(limit.sent(61 * minute));
	}
});
