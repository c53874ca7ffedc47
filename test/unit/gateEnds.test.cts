// Whatever an API answers, and whoever shares it, each request comes to its end: with an answer, or since
// who asked will wait no longer. Against simulated servers in simulated time.
import { Gate, type Party } from '../../dist/nodes/shared/client/traffic/gate.js';
import { inPool } from '../../dist/nodes/shared/pool.js';
import { LimitedServer, random, type Limit } from './rateSimulation.cts';
import { passUntilDone, sleep, useSimulatedTime } from './simulatedTime.cts';

useSimulatedTime();

/** Milliseconds that a request may wait for the API's pauses, and simulated ones until it hangs. */
const BUDGET = 120_000;
const LONGEST = 60 * 60_000;

/** How a server behaves, and who asks it, drawn from a seed. */
function drawn(seed: number) {
	const chance = random(seed);
	const pick = <T,>(...values: T[]) => values[Math.floor(chance() * values.length)];
	const rule: Limit = {
		counting: pick('fixed window', 'sliding window', 'token bucket'),
		retryAfter: pick('exact', 'constant', 'absent'),
		...pick(
			{ limit: 4, period: 1000 },
			{ limit: 20, period: 1000 },
			{ limit: 12, period: 60_000 },
			{ limit: 60, period: 60_000 },
			{ limit: 10_000, period: 1000 },
		),
		phase: chance(),
	};
	const trouble = pick(0, 0, 0.05, 0.5);
	const longPauses = pick(0, 0.02, 0.05);
	const slow = pick(1, 50, 2000);
	return { chance, pick, rule, trouble, longPauses, slow };
}

/** All that parties ask of a server; gives what became of each request. */
async function sessionOf(seed: number): Promise<string[]> {
	const { chance, pick, rule, trouble, longPauses, slow } = drawn(seed);
	const start = Date.now();
	const server = new LimitedServer(rule);
	const gate = new Gate();

	const ask = async (party: Party, lane: number, isOver: () => boolean): Promise<string> => {
		for (let again = 0; again < 8; again++) {
			const joined = Date.now();
			const stay = () => {
				const isTooLong = party.standstill(Date.now(), joined) > BUDGET;
				return isOver() || isTooLong ? new Error('left') : undefined;
			};
			const wait = await party.run({ lane, again, kind: pick('a', 'b'), stay }, async () => {
				await sleep(chance() * slow);
				if (chance() < longPauses) {
					return { troubled: true, pause: 600_000, value: 0 };
				}
				if (chance() < trouble) return { troubled: true, failed: true, ends: true, value: 500 };
				const { taken, retryAfter } = server.request(Date.now() - start);
				if (taken) return { troubled: false, ends: chance() < 0.5, value: -1 };
				const pause = retryAfter === undefined ? 250 * 2 ** again : retryAfter * 1000;
				// Who has asked often enough does not wait any more, but says so.
				return { troubled: true, pause: again === 7 ? 0 : pause, value: 0 };
			});
			if (wait < 0) return 'answered';
			await sleep(wait);
		}
		return 'gave up';
	};

	const parties = Array.from({ length: pick(1, 2, 4) }, async () => {
		await sleep(chance() * 20_000);
		const parallel = pick(1, 5, 16);
		const ceiling = pick(parallel, 32);
		const party = gate.party({
			parallel,
			ceiling,
			together: ceiling + pick(0, 9),
			writes: chance() < 0.3,
		});
		const over = chance() < 0.3 ? Date.now() + chance() * 30_000 : Infinity;
		const ends: string[] = [];
		await inPool(
			pick(1, 10, 30),
			() => party.most,
			async (lane) => {
				const end = await ask(party, lane, () => Date.now() > over).catch(
					(error: Error) => error.message,
				);
				ends.push(end);
			},
		);
		return ends;
	});
	return (await Promise.all(parties)).flat();
}

/** Whether the session comes to its end in simulated time. */
async function ends(seed: number): Promise<boolean> {
	const session = sessionOf(seed).then((all) => {
		expect(all.filter((end) => !/^(answered|left|gave up)$/.test(end))).toEqual([]);
	});
	const done = await passUntilDone(session, LONGEST);
	if (done) await session;
	return done;
}

test('each request comes to its end', async () => {
	for (let seed = 1; seed <= 130; seed++) {
		expect({ seed, ends: await ends(seed) }).toEqual({ seed, ends: true });
	}
});
