// What is true of any executions that share a key (traffic.ts): properties over drawn scenes, in simulated time.
import { seedsOf } from '../share.cts';
import { random } from './rateSimulation.cts';
import {
	CHARGE,
	READ,
	refuse,
	RUN,
	Service,
	UPDATE,
	type Reply,
	type Seen,
} from './simulatedService.cts';
import { timers } from '../simulatedTimers.cts';
import { passUntilDone, sleep, useSimulatedTime } from './simulatedTime.cts';

useSimulatedTime();

const hour = 3_600_000;

describe('in any drawn scene', () => {
	/** Routes, speeds, refusals, numbers, cancellations and clock jumps, drawn from a seed. */
	async function scene(seed: number) {
		const chance = random(seed);
		const pick = <T,>(...values: T[]) => values[Math.floor(chance() * values.length)];
		const routes = [READ, UPDATE, CHARGE, RUN];
		const slow = new Map(routes.map((route) => [route, pick(1, 50, 2000, 60_000)]));
		const failing = pick(0, 0, 0.05, 0.3);
		const refusing = pick(0, 0, 0.02, 0.1);
		const longest = pick(1, 5, 30);
		const service = new Service(({ route }): Reply => {
			const after = (slow.get(route) ?? 1) * (0.5 + chance());
			if (chance() < refusing) return { after, ...refuse(pick(undefined, 1, longest)) };
			if (chance() < failing) return { after, ...pick({ status: 502 }, { failure: 'ECONNRESET' }) };
			return { after };
		});
		const executions = Array.from({ length: pick(1, 3, 12) }, async () => {
			await sleep(chance() * 30_000);
			if (chance() < 0.1) timers.setDate(Date.now() + pick(-hour, hour));
			const controller = new AbortController();
			if (chance() < 0.2) void sleep(chance() * 20_000).then(() => controller.abort());
			return await service.execute({
				route: pick(...routes),
				items: pick(1, 10, 40),
				max: pick(1, 5, 32),
				cancel: controller.signal,
				retry: { budget: pick(0, 10_000, 120_000) },
			});
		});
		const ends = await passUntilDone(Promise.all(executions), 20 * hour);
		const requests = new Map<number, Seen[]>();
		for (const each of service.seen) {
			requests.set(each.execution, [...(requests.get(each.execution) ?? []), each]);
		}
		const slowest = Math.max(...slow.values());
		return { ends, executions: [...requests.values()], refusing, longest, slowest };
	}

	/** The longest time in which an execution had nothing in flight, before anything of it failed. */
	function longestGap(requests: Seen[]): number {
		let gap = 0;
		let busyUntil = Infinity;
		for (const { at, ended = Infinity, status } of requests) {
			if (at > busyUntil) gap = Math.max(gap, at - busyUntil);
			// A request that is sent again may also wait for a backoff of its own.
			if (status !== 200) return gap;
			busyUntil = busyUntil === Infinity ? ended : Math.max(busyUntil, ended);
		}
		return gap;
	}

	/** A write that may have been applied was sent again. */
	function repeated(requests: Seen[]): Seen[] {
		const doubtful = new Set<number>();
		return requests.filter(({ route, item, status }) => {
			if (route !== CHARGE && route !== RUN) return false;
			if (doubtful.has(item)) return true;
			if (status !== 429) doubtful.add(item);
			return false;
		});
	}

	test('all ends, nothing waits but for the API, nothing is sent after the end or twice', async () => {
		for (const seed of seedsOf(60, 2_000)) {
			const { ends, executions, refusing, longest, slowest } = await scene(seed);
			expect({ seed, ends }).toEqual({ seed, ends: true });
			// The rate that was shown is one request in the time of a response and a pause, at the least.
			const pauses = refusing === 0 ? 0 : longest * 1000;
			const share = refusing === 0 ? 0 : executions.length * 2 * (pauses + 1.5 * slowest);
			// A service that was overloaded within ten seconds gets nothing beyond the bound.
			const busy = 10_000 + slowest;
			for (const requests of executions) {
				const cancelled = requests.find((each) => each.cancelled)?.ended ?? Infinity;
				expect({ seed, late: requests.filter(({ at }) => at > cancelled) }).toEqual({
					seed,
					late: [],
				});
				expect({ seed, twice: repeated(requests) }).toEqual({ seed, twice: [] });
				const gap = longestGap(requests);
				expect({ seed, gap }).toEqual({ seed, gap: Math.min(gap, pauses + share + busy + 1000) });
			}
		}
	});
});
