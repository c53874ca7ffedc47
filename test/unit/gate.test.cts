// How many requests are in flight, whose turn it is, and how the bound adapts: against simulated
// servers in simulated time, so that a busy machine changes nothing.
import { Gate, type Allowance, type Party } from '../../dist/nodes/shared/client/traffic/gate.js';
import { inPool } from '../../dist/nodes/shared/pool.js';
import { random } from './rateSimulation.cts';
import { passUntilDone, sleep, useSimulatedTime } from './simulatedTime.cts';

useSimulatedTime();

/** Simulated milliseconds after which work is taken to hang. */
const LONGEST = 200_000;

/** Lets simulated time pass until the work is done; gives its result and how long it took. */
async function simulate<T>(work: Promise<T>): Promise<{ result: T; milliseconds: number }> {
	const start = Date.now();
	if (!(await passUntilDone(work, LONGEST))) throw new Error('The work does not come to its end');
	return { result: await work, milliseconds: Date.now() - start };
}

/** A server that answers after `latency(requests in flight)`: so many a second, and at a time, at most. */
class Server {
	inFlight = 0;

	/** Requests in flight when each one came, itself included. */
	readonly seen: number[] = [];

	refused = 0;

	/** Lanes in the order in which their requests came. */
	readonly lanes: number[] = [];

	private accepted: number[] = [];

	constructor(
		private readonly latency: (inFlight: number) => number,
		private readonly rate = Infinity,
		private readonly way: () => number = () => 0,
		private readonly places = Infinity,
	) {}

	async request(lane = 0): Promise<boolean> {
		this.lanes.push(lane);
		this.seen.push(++this.inFlight);
		const way = this.way();
		if (way > 0) await sleep(way);
		const now = Date.now();
		if (this.inFlight > this.places) {
			this.refused++;
			this.inFlight--;
			return true;
		}
		this.accepted = this.accepted.filter((moment) => moment > now - 1000);
		const refused = this.accepted.length >= this.rate;
		if (refused) this.refused++;
		else this.accepted.push(now);
		await sleep(this.latency(this.inFlight));
		this.inFlight--;
		return refused;
	}

	/** Most requests in flight among those that came last. */
	highest(last = this.seen.length): number {
		return Math.max(...this.seen.slice(-last));
	}
}

const always = (latency: number) => () => latency;

/** The only party of an API. */
const alone = (parallel: number, ceiling?: number) => new Gate().party({ parallel, ceiling });

/** Sends `count` requests of one lane each through a gate, again a second after a refusal. */
async function sendAll(gate: Party, server: Server, count: number): Promise<void> {
	await inPool(count, 2 * gate.ceiling, async (lane: number) => {
		for (let again = 0, refused = true; refused; again++) {
			refused = await gate.run({ lane, again }, async () => {
				const troubled = await server.request(lane);
				return { troubled, pause: troubled ? 1000 : undefined, value: troubled };
			});
		}
	});
}

describe('a fixed bound', () => {
	test.each([1, 2, 5, 20])('%i is kept, and made use of', async (bound) => {
		const server = new Server(always(10));
		const { milliseconds } = await simulate(sendAll(alone(bound), server, 100));
		expect(server.seen).toHaveLength(100);
		expect(server.highest()).toBe(bound);
		expect(milliseconds).toBe((100 / bound) * 10);
	});

	test('stays although the API refuses and slows down', async () => {
		const server = new Server((inFlight) => inFlight * 100, 10);
		await simulate(sendAll(alone(5), server, 60));
		expect(server.highest(5)).toBe(5);
	});
});

describe('turns', () => {
	test('a long lane does not hold up what comes later', async () => {
		const gate = alone(2);
		const server = new Server(always(10));
		const send = async (lane: number) =>
			await gate.run({ lane }, async () => ({
				troubled: await server.request(lane),
				value: undefined,
			}));
		const work = [...Array<number>(50).fill(0), 1, 2, 3, 3].map(send);
		await simulate(Promise.all(work));
		// The first two run before the others come; then each lane has its turn.
		expect(server.lanes.slice(0, 8)).toEqual([0, 0, 0, 1, 2, 3, 0, 3]);
		expect(server.lanes).toHaveLength(54);
	});

	test.each([
		['at once', 0, 0],
		['soon after', 1000, 1200],
	])('who will not wait leaves %s, although all places are taken', async (_when, from, until) => {
		const gate = alone(1);
		const busy = gate.run({ lane: 0 }, async () => {
			await sleep(60_000);
			return { troubled: false, value: undefined };
		});
		const begin = Date.now();
		const stay = () => (Date.now() - begin >= from ? new Error('left') : undefined);
		const other = gate.run({ lane: 1, stay }, async () => ({ troubled: false, value: undefined }));
		const left = other.catch((error: Error) => [error.message, Date.now() - begin] as const);
		const { result } = await simulate(left);
		expect(result).toEqual(['left', expect.any(Number)]);
		expect((result as readonly [string, number])[1]).toBeLessThanOrEqual(until);
		await simulate(busy);
	});

	test('equal lanes are served equally, at any time', async () => {
		const gate = alone(4, 8);
		const server = new Server(always(10));
		const work = [0, 1, 2].flatMap((lane) =>
			Array.from(
				{ length: 100 },
				async () =>
					await gate.run({ lane }, async () => ({
						troubled: await server.request(lane),
						value: undefined,
					})),
			),
		);
		await simulate(Promise.all(work));
		const after = server.lanes.slice(4, 154);
		const counts = [0, 1, 2].map((lane) => after.filter((each) => each === lane).length);
		expect(counts).toEqual([50, 50, 50]);
	});

	test('a request that fails gives its place away', async () => {
		const gate = alone(1);
		const fails = gate.run({ lane: 0 }, async () => {
			throw new Error('broken');
		});
		const follows = gate.run({ lane: 1 }, async () => ({ troubled: false, value: 'came through' }));
		await expect(fails).rejects.toThrow('broken');
		expect(await follows).toBe('came through');
	});

	/** Notes who is sent, and holds its place for ten milliseconds. */
	const noting = (sent: string[], name: string, pause?: number) => async () => {
		sent.push(name);
		await sleep(10);
		return { troubled: false, pause, value: name };
	};

	test('who has had a turn before goes before all who have not', async () => {
		const gate = alone(1);
		const sent: string[] = [];
		const work = [
			gate.run({ lane: 0 }, noting(sent, 'first')),
			gate.run({ lane: 1 }, noting(sent, 'fresh')),
			gate.run({ lane: 2 }, noting(sent, 'fresh')),
			gate.run({ lane: 3, again: 1 }, noting(sent, 'again 3')),
			gate.run({ lane: 2, again: 1 }, noting(sent, 'again 2')),
			gate.run({ lane: 4, again: 2 }, noting(sent, 'twice')),
		];
		await simulate(Promise.all(work));
		expect(sent).toEqual(['first', 'twice', 'again 3', 'again 2', 'fresh', 'fresh']);
	});

	test('a pause holds all who wait, and is over for all', async () => {
		const gate = alone(5);
		const sent: string[] = [];
		await simulate(gate.run({ lane: 0 }, noting(sent, 'refused', 3000)));
		const work = [
			gate.run({ lane: 1 }, noting(sent, 'fresh')),
			gate.run({ lane: 0, again: 1 }, noting(sent, 'again')),
		];
		const { milliseconds } = await simulate(Promise.all(work));
		expect(sent).toEqual(['refused', 'again', 'fresh']);
		expect(milliseconds).toBeGreaterThanOrEqual(3000);
		expect(milliseconds).toBeLessThan(3300);
	});

	test('who will wait no longer leaves the line, within a fifth of a second, and is not sent', async () => {
		const gate = alone(1);
		const sent: string[] = [];
		await simulate(gate.run({ lane: 0 }, noting(sent, 'refused', 10_000)));
		let patient = true;
		const stay = () => (patient ? undefined : new Error('cancelled'));
		const start = Date.now();
		const left = gate.run({ lane: 1, stay }, noting(sent, 'left')).catch((error: Error) => ({
			message: error.message,
			after: Date.now() - start,
		}));
		const stays = gate.run({ lane: 2 }, noting(sent, 'stays'));
		setTimeout(() => (patient = false), 500);
		const { result } = await simulate(left);
		expect(result).toEqual({ message: 'cancelled', after: expect.any(Number) });
		expect((result as { after: number }).after).toBeLessThanOrEqual(701);
		expect((await simulate(stays)).result).toBe('stays');
		expect(sent).toEqual(['refused', 'stays']);
	});

	test('who will not wait at all is told before it joins the line', async () => {
		const gate = alone(1);
		const stay = () => new Error('not for me');
		const sent: string[] = [];
		await expect(gate.run({ lane: 0, stay }, noting(sent, 'sent'))).rejects.toThrow('not for me');
		expect(await simulate(gate.run({ lane: 0 }, noting(sent, 'next')))).toMatchObject({
			result: 'next',
		});
		expect(sent).toEqual(['next']);
	});

	test('a long pause is told at once to who will not wait for it', async () => {
		const gate = alone(2);
		const sent: string[] = [];
		const stay = () =>
			gate.standstill(Date.now(), Date.now()) > 1000 ? new Error('too long') : undefined;
		const work = [
			gate.run({ lane: 0 }, noting(sent, 'refused', 600_000)),
			gate.run({ lane: 1 }, noting(sent, 'in flight')),
			gate.run({ lane: 2, stay }, noting(sent, 'waiting')),
		];
		const { result, milliseconds } = await simulate(Promise.allSettled(work));
		expect(result.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
		expect(milliseconds).toBeLessThan(20);
	});

	test('the pace counts what was taken, and what fails without an answer', async () => {
		const gate = alone(3);
		await simulate(gate.run({ lane: 0 }, noting([], 'taken')));
		await simulate(gate.run({ lane: 0 }, noting([], 'refused', 1000)));
		const sent: number[] = [];
		const work = [0, 1, 2].map(
			async (lane) =>
				await gate.run({ lane }, async () => {
					sent.push(Date.now());
					await sleep(10);
					if (lane === 0) throw new Error('broken');
					return { troubled: false, value: undefined };
				}),
		);
		await simulate(Promise.allSettled(work));
		// One was taken before the refusal and one more is tried: the third waits for their end.
		expect(sent.map((moment) => moment - sent[0])).toEqual([0, 0, 10]);
	});
});

describe('an adaptive bound', () => {
	test('begins at the start and reaches the ceiling, not more, while answers stay quick', async () => {
		const server = new Server(always(100));
		await simulate(sendAll(alone(5, 20), server, 200));
		expect(server.highest(200)).toBe(20);
		expect(Math.max(...server.seen.slice(0, 5))).toBe(5);
		// Twice as many with each round: 5, 10, 20.
		expect(Math.max(...server.seen.slice(0, 15))).toBeLessThanOrEqual(10);
		expect(Math.max(...server.seen.slice(0, 35))).toBe(20);
	});

	test('does not grow while it is not made use of', async () => {
		const gate = alone(5, 20);
		const server = new Server(always(10));
		const one = async () =>
			await gate.run({ lane: 0 }, async () => ({
				troubled: await server.request(),
				value: undefined,
			}));
		await simulate(
			(async () => {
				for (let index = 0; index < 50; index++) await one();
			})(),
		);
		await simulate(Promise.all(Array.from({ length: 30 }, one)));
		// A grown limit would let the first ten in at once.
		expect(Math.max(...server.seen.slice(50, 60))).toBeLessThanOrEqual(7);
	});

	test('is halved once for all refusals of one burst, and never below one', async () => {
		const gate = alone(16, 17);
		let highest = 0;
		let running = 0;
		const burst = async (troubled: boolean, size: number) => {
			highest = 0;
			await simulate(
				inPool(size, size, async (lane: number) => {
					await gate.run({ lane }, async () => {
						highest = Math.max(highest, ++running);
						await sleep(10);
						running--;
						return { troubled, value: undefined };
					});
				}),
			);
			return highest;
		};
		expect(await burst(true, 16)).toBe(16);
		expect(await burst(true, 8)).toBe(8);
		expect(await burst(true, 4)).toBe(4);
		expect(await burst(true, 2)).toBe(2);
		expect(await burst(true, 1)).toBe(1);
		expect(await burst(true, 10)).toBe(1);
	});

	test('grows by one a round after trouble', async () => {
		const gate = alone(16, 32);
		const server = new Server(always(100));
		const trouble = async () =>
			await gate.run({ lane: 0 }, async () => {
				await sleep(10);
				return { troubled: true, value: undefined };
			});
		await simulate(trouble());
		await simulate(sendAll(gate, server, 8 + 9 + 10 + 11));
		expect(server.highest(38)).toBeGreaterThanOrEqual(10);
		expect(server.highest(38)).toBeLessThanOrEqual(12);
	});

	test('falls when answers slow down, to about what the server can take', async () => {
		// Ten at a time take 100 ms; more queue up.
		const server = new Server((inFlight) => 100 * Math.max(1, inFlight / 10));
		await simulate(sendAll(alone(5, 50), server, 1000));
		expect(server.highest(600)).toBeLessThanOrEqual(30);
		expect(Math.min(...server.seen.slice(-300, -50))).toBeGreaterThanOrEqual(10);
	});

	test.each<[string, (number: number) => number]>([
		['now and then a slow one', (number) => (number % 20 === 0 ? 500 : 100)],
		['now and then a quick one', (number) => (number % 20 === 0 ? 2 : 100)],
		['quick ones at the beginning', (number) => (number < 4 ? 30 : 100)],
		['all in flight at one moment', (number) => (number >= 200 && number < 220 ? 400 : 100)],
		['any between a half and the double', (number) => 50 + ((number * 37) % 150)],
	])('takes no sign from answers that differ: %s', async (_name, latency) => {
		let number = 0;
		const server = new Server(() => latency(++number));
		await simulate(sendAll(alone(5, 20), server, 400));
		expect(server.highest(50)).toBe(20);
		expect(Math.min(...server.seen.slice(100, -50))).toBeGreaterThanOrEqual(19);
	});

	test('does not try again soon what was refused: each time that it does costs a pause', async () => {
		const server = new Server(always(100), Infinity, undefined, 20);
		const { milliseconds } = await simulate(sendAll(alone(5, 32), server, 6000));
		// 20 at a time, for ever, would be 30 s.
		expect(milliseconds).toBeLessThan(60_000);
		expect(server.refused).toBeLessThan(30);
		// It does try again: once others have left, there may be room for more.
		expect(server.seen.slice(-3000).filter((seen) => seen > 20).length).toBeGreaterThan(0);
	});

	test('no slowness takes it below the start, trouble does', async () => {
		let answers = 0;
		const slowing = new Server(() => 10 * ++answers);
		await simulate(sendAll(alone(5, 20), slowing, 100));
		expect(Math.min(...slowing.seen.slice(5))).toBeGreaterThanOrEqual(5);
		const limiting = new Server(always(10), 2);
		await simulate(sendAll(alone(5, 20), limiting, 20));
		expect(Math.max(...limiting.seen.slice(-10))).toBeLessThan(5);
	});

	test('a pause before the request is no slowness of the API', async () => {
		const gate = alone(5, 20);
		const server = new Server(always(10));
		await simulate(sendAll(gate, server, 100));
		// Refused, but no sign of congestion, so that only the waiting could be one.
		await gate.run({ lane: 0 }, async () => ({ troubled: false, pause: 5000, value: undefined }));
		await simulate(sendAll(gate, server, 100));
		expect(server.highest(60)).toBeGreaterThanOrEqual(15);
	});

	test('beats every fixed bound over a fast, a slow and a limiting server', async () => {
		const total = async (gate: () => Party) => {
			const servers: Array<[Server, number]> = [
				// A fast one that works on four at a time: more of them only wait longer.
				[new Server((inFlight) => 5 * Math.max(1, inFlight / 4)), 300],
				[new Server(always(100)), 300],
				[new Server(always(5), 10), 60],
			];
			let milliseconds = 0;
			for (const [server, count] of servers) {
				milliseconds += (await simulate(sendAll(gate(), server, count))).milliseconds;
			}
			return { milliseconds, refused: servers[2][0].refused };
		};
		const adaptive = await total(() => alone(5, 32));
		for (const bound of [1, 2, 5, 10, 20]) {
			const fixed = await total(() => alone(bound));
			expect(adaptive.milliseconds).toBeLessThan(fixed.milliseconds);
		}
		const widest = await total(() => alone(20));
		expect(adaptive.refused).toBeLessThan(widest.refused);
	});
});

describe('parties', () => {
	/** Sends `count` requests of a party, as many at a time as it may; notes whose each one was. */
	const send = async (party: Party, server: Server, name: number, count: number) =>
		await inPool(
			count,
			() => party.most,
			async (lane: number) => {
				await party.run({ lane }, async () => {
					const troubled = await server.request(name);
					return { troubled, value: undefined };
				});
			},
		);

	const share = (names: number[], name: number) =>
		names.filter((each) => each === name).length / names.length;

	test('share one bound, and what is known: the second one begins where the first one is', async () => {
		const gate = new Gate();
		const server = new Server(always(100));
		const party = () => gate.party({ parallel: 5, ceiling: 20 });
		await simulate(send(party(), server, 0, 200));
		const before = server.seen.length;
		await simulate(Promise.all([1, 2, 3].map((name) => send(party(), server, name, 100))));
		// And one place for who has none.
		expect(Math.max(...server.seen)).toBeLessThanOrEqual(21);
		expect(Math.max(...server.seen.slice(before, before + 20))).toBe(20);
	});

	test('of another gate know nothing of it', async () => {
		const server = new Server(always(100));
		await simulate(send(alone(5, 20), server, 0, 200));
		const before = server.seen.length;
		await simulate(send(alone(5, 20), server, 1, 100));
		expect(Math.max(...server.seen.slice(before, before + 5))).toBe(5);
	});

	test('have their turns one after the other, whatever each one wants', async () => {
		const gate = new Gate();
		const server = new Server(always(100));
		const work = [1, 2, 3, 4].map((name) =>
			send(gate.party({ parallel: 5, ceiling: 20 }), server, name, name === 1 ? 1000 : 200),
		);
		await simulate(Promise.all(work));
		const together = server.lanes.slice(100, 700);
		for (const name of [1, 2, 3, 4]) expect(share(together, name)).toBeCloseTo(1 / 4, 1);
	});

	test.each([
		['at first', 0],
		['among many', 20],
	])(
		'a new one has its first answer before the next page of a long list: %s',
		async (_when, others) => {
			const gate = new Gate();
			const server = new Server(always(1000));
			const party = () => gate.party({ parallel: 5, ceiling: 10 });
			const long = [...Array<number>(others).keys(), -1].map((name) =>
				send(party(), server, name, 100),
			);
			const short = (async () => {
				await sleep(5500);
				const before = server.lanes.length;
				const start = Date.now();
				await send(party(), server, 99, 1);
				return { sent: server.lanes.indexOf(99) - before, milliseconds: Date.now() - start };
			})();
			const { result } = await simulate(short);
			expect(result.sent).toBe(0);
			// It waits for no more than the answer of one of the others.
			expect(result.milliseconds).toBeLessThanOrEqual(2000);
			await simulate(Promise.all(long));
		},
	);

	test('with none in flight share one place beyond the bound', async () => {
		const gate = new Gate();
		const server = new Server(always(1000));
		const party = () => gate.party({ parallel: 5, ceiling: 5 });
		const work = [
			send(party(), server, 0, 20),
			...[1, 2, 3].map((n) => send(party(), server, n, 1)),
		];
		await simulate(Promise.all(work));
		expect(Math.max(...server.seen)).toBe(6);
	});

	test('hold back while a person waits for the answer of one of them, and for a second', async () => {
		const gate = new Gate();
		const server = new Server(always(100));
		const list = send(gate.party({ parallel: 5, ceiling: 20 }), server, 0, 1000);
		const person = (async () => {
			await sleep(1950);
			await send(gate.party({ parallel: 5, prompt: true }), server, 1, 1);
			return server.seen.length;
		})();
		const { result: answered } = await simulate(person);
		await simulate(list);
		expect(Math.max(...server.seen.slice(0, answered))).toBeGreaterThanOrEqual(20);
		// Nine rounds of five, and no more for a second.
		expect(Math.max(...server.seen.slice(answered + 5, answered + 45))).toBe(5);
		expect(server.highest(200)).toBe(20);
	});

	test('keep the number that was fixed for one of them', async () => {
		const gate = new Gate();
		const server = new Server(always(100));
		const inFlight = new Map<number, number>();
		const highest = new Map<number, number>();
		const sendCounted = async (party: Party, name: number, count: number) =>
			await inPool(count, 50, async (lane: number) => {
				await party.run({ lane }, async () => {
					const now = (inFlight.get(name) ?? 0) + 1;
					inFlight.set(name, now);
					highest.set(name, Math.max(now, highest.get(name) ?? 0));
					const troubled = await server.request(name);
					inFlight.set(name, (inFlight.get(name) ?? 0) - 1);
					return { troubled, value: undefined };
				});
			});
		await simulate(
			Promise.all([
				sendCounted(gate.party({ parallel: 1 }), 1, 50),
				sendCounted(gate.party({ parallel: 3 }), 3, 100),
				sendCounted(gate.party({ parallel: 5, ceiling: 20 }), 5, 500),
			]),
		);
		expect(highest.get(1)).toBe(1);
		expect(highest.get(3)).toBe(3);
		expect(highest.get(5)).toBeGreaterThan(10);
	});

	test('a number that was fixed is reached although others had trouble', async () => {
		const gate = new Gate();
		const troubled = gate.party({ parallel: 2, ceiling: 4 });
		await simulate(troubled.run({ lane: 0 }, async () => ({ troubled: true, value: undefined })));
		const server = new Server(always(100));
		await simulate(send(gate.party({ parallel: 8 }), server, 0, 80));
		expect(server.highest(40)).toBe(8);
	});

	test('what was refused goes first, whoever it is of, and more often refused still earlier', async () => {
		const gate = new Gate();
		const sent: string[] = [];
		const [one, other] = [gate.party({ parallel: 9 }), gate.party({ parallel: 9 })];
		const note = (party: Party, name: string, again = 0, pause?: number) =>
			party.run({ lane: 0, again }, async () => {
				sent.push(name);
				await sleep(name === 'long' ? 2000 : 10);
				return { troubled: false, pause, value: undefined };
			});
		// The one has more in flight than the other when the pause is over.
		const long = note(one, 'long');
		await simulate(note(one, 'refused', 0, 1000));
		await simulate(
			Promise.all([
				long,
				note(other, 'fresh'),
				note(one, 'once', 1),
				note(one, 'twice', 2),
				note(one, 'fresh'),
			]),
		);
		expect(sent).toEqual(['long', 'refused', 'twice', 'once', 'fresh', 'fresh']);
	});

	const chance = random(3);
	/** APIs, what they take for an answer, and how much more than the best fixed bound is right. */
	const SERVERS: Array<[string, (inFlight: number) => number, number]> = [
		['slows down above 40 in flight', (inFlight) => 50 * Math.max(1, (inFlight / 40) ** 2), 1.1],
		['takes any number', always(200), 1.1],
		['takes any number, in times that differ', () => 200 * (0.5 + chance()), 1.2],
		['becomes slower with each request', (inFlight) => 20 + 2 * inFlight, 1.1],
		['works on ten at a time', (inFlight) => 50 * Math.max(1, inFlight / 10), 1.1],
	];

	/** The time of 3,000 requests by ten executions, and the most in flight. */
	const ten = async (latency: (inFlight: number) => number, allowance: Allowance) => {
		const gate = new Gate();
		const server = new Server(latency);
		const parties = Array.from({ length: 10 }, () => gate.party(allowance));
		const work = parties.map(async (party, name) => await send(party, server, name, 300));
		const { milliseconds } = await simulate(Promise.all(work));
		return { milliseconds, highest: server.highest() };
	};

	test.each(SERVERS)(
		'together are about as fast as with the best fixed bound, where the API %s',
		async (_api, latency, most) => {
			const adaptive = await ten(latency, { parallel: 5, ceiling: 32, together: 50 });
			const fixed = [];
			for (const parallel of [10, 20, 32, 40, 50]) {
				fixed.push((await ten(latency, { parallel })).milliseconds);
			}
			expect(adaptive.milliseconds / Math.min(...fixed)).toBeLessThanOrEqual(most);
		},
	);

	test('go beyond the ceiling of each only if they may, and not after a sign of congestion', async () => {
		expect((await ten(always(100), { parallel: 5, ceiling: 32 })).highest).toBe(32);
		expect((await ten(always(100), { parallel: 5, ceiling: 32, together: 50 })).highest).toBe(50);
		const gate = new Gate();
		const [one, other] = [0, 1].map(() => gate.party({ parallel: 5, ceiling: 8, together: 16 }));
		await simulate(one.run({ lane: 0 }, async () => ({ troubled: true, value: undefined })));
		const server = new Server(always(10));
		await simulate(Promise.all([send(one, server, 0, 500), send(other, server, 1, 500)]));
		expect(server.highest()).toBe(8);
	});

	test('wait together when the API asks for it, and are not refused one by one', async () => {
		const gate = new Gate();
		const server = new Server(always(10), 20);
		const parties = [1, 2, 3, 4, 5].map(() => gate.party({ parallel: 5, ceiling: 20 }));
		await simulate(Promise.all(parties.map((party) => sendAll(party, server, 60))));
		const together = server.refused;
		const single = new Server(always(10), 20);
		await simulate(sendAll(alone(5, 20), single, 300));
		expect(together).toBeLessThanOrEqual(1.5 * single.refused);
	});

	test.each([
		['10 ms', 10, 1.045],
		['50 ms', 50, 1.1],
		['200 ms', 200, 1.25],
	])('keep to a rate: answers in about %s', async (_name, latency, most) => {
		const chance = random(7);
		const way = () => (latency / 2) * (0.7 + 0.6 * chance());
		const gate = new Gate();
		const server = new Server(way, 50, way);
		const parties = Array.from({ length: 10 }, () => gate.party({ parallel: 5, ceiling: 32 }));
		const { milliseconds } = await simulate(
			Promise.all(parties.map((party) => sendAll(party, server, 200))),
		);
		expect(milliseconds / ((2000 / 50 - 1) * 1000)).toBeLessThan(most);
		// All in flight once, and then one now and then.
		expect(server.refused).toBeLessThan(45);
	});

	test('hear of a pause of more than two minutes from the API itself', async () => {
		const gate = new Gate();
		const [told, other] = [gate.party({ parallel: 5 }), gate.party({ parallel: 5 })];
		await simulate(
			told.run({ lane: 0 }, async () => ({ troubled: true, pause: 600_000, value: undefined })),
		);
		expect(told.standstill(Date.now(), Date.now())).toBeGreaterThan(599_000);
		expect(other.standstill(Date.now(), Date.now())).toBe(0);
		const { milliseconds } = await simulate(
			other.run({ lane: 0 }, async () => ({ troubled: false, value: undefined })),
		);
		expect(milliseconds).toBeLessThan(10);
	});

	test('those of a cancelled execution are not sent, also when it is their turn at once', async () => {
		const gate = new Gate();
		const [cancelled, other] = [gate.party({ parallel: 1 }), gate.party({ parallel: 1 })];
		const sent: string[] = [];
		let isCancelled = false;
		const stay = () => (isCancelled ? new Error('cancelled') : undefined);
		const note = (party: Party, name: string) =>
			party.run({ lane: 0, stay: party === cancelled ? stay : undefined }, async () => {
				sent.push(name);
				await sleep(10);
				isCancelled = true;
				return { troubled: false, value: undefined };
			});
		const work = [
			note(cancelled, 'in flight'),
			note(cancelled, 'left'),
			note(cancelled, 'left'),
			note(other, 'stays'),
		];
		const { result } = await simulate(Promise.allSettled(work));
		expect(result.map(({ status }) => status)).toEqual([
			'fulfilled',
			'rejected',
			'rejected',
			'fulfilled',
		]);
		expect(sent).toEqual(['in flight', 'stays']);
	});

	test('trouble that is a minute past does not make a new one begin with fewer', async () => {
		const gate = new Gate();
		const burst = gate.party({ parallel: 8, ceiling: 20 });
		for (let each = 0; each < 4; each++) {
			await simulate(burst.run({ lane: 0 }, async () => ({ troubled: true, value: undefined })));
		}
		const highest = async () => {
			const server = new Server(always(100));
			await simulate(send(gate.party({ parallel: 5, ceiling: 20 }), server, 0, 8));
			return server.seen[4];
		};
		expect(await highest()).toBeLessThan(5);
		await simulate(sleep(61_000));
		expect(await highest()).toBe(5);
	});
});

describe('writes', () => {
	/** Sends `count` writes, the `nth` with that fate; gives how many were in flight as each came. */
	const write = async (count: number, nth = Infinity, fate: object = {}, gate = new Gate()) => {
		const party = gate.party({ parallel: 5, ceiling: 20, writes: true });
		const server = new Server(always(100));
		let number = 0;
		await simulate(
			inPool(
				count,
				() => party.most,
				async (lane: number) => {
					const mine = ++number;
					await party.run({ lane }, async () => {
						await server.request();
						return { troubled: false, value: undefined, ...(mine === nth ? fate : {}) };
					});
				},
			),
		);
		return server.seen;
	};

	test('begin with few, also where more are known to be possible, and become more', async () => {
		const gate = new Gate();
		const known = new Server(always(100));
		await simulate(sendAll(gate.party({ parallel: 5, ceiling: 20 }), known, 200));
		const seen = await write(200, Infinity, {}, gate);
		expect(Math.max(...seen.slice(0, 5))).toBe(5);
		expect(Math.max(...seen.slice(0, 15))).toBeLessThanOrEqual(10);
		expect(Math.max(...seen)).toBe(20);
	});

	test.each([
		['a fault of one place', { failed: true }],
		['an overload', { failed: true, troubled: true }],
	])('are halved by the first failure, and never more again: %s', async (_what, fate) => {
		const seen = await write(300, 15, fate);
		const most = Math.max(...seen.slice(0, 50));
		expect(most).toBeGreaterThanOrEqual(10);
		expect(most).toBeLessThan(20);
		expect(Math.max(...seen.slice(60))).toBeLessThanOrEqual(most / 2);
	});

	test('become no more after a refusal', async () => {
		const seen = await write(300, 15, { troubled: true, pause: 0 });
		const most = Math.max(...seen.slice(0, 50));
		expect(most).toBeLessThan(20);
		expect(Math.max(...seen.slice(60))).toBeLessThanOrEqual(most);
	});

	test('of a number that was fixed stay as many', async () => {
		const party = new Gate().party({ parallel: 3, writes: true });
		const server = new Server(always(100));
		await simulate(sendAll(party, server, 60));
		expect(server.highest()).toBe(3);
	});

	test('that slow the API down are no more than it takes', async () => {
		const party = new Gate().party({ parallel: 5, ceiling: 50, writes: true });
		const server = new Server((inFlight) => 100 * Math.max(1, inFlight / 10));
		await simulate(sendAll(party, server, 1000));
		expect(server.highest(600)).toBeLessThanOrEqual(30);
	});
});

describe('a pool', () => {
	test('after a failure starts no more, and gives the failure of the lowest index', async () => {
		const started: number[] = [];
		const work = inPool(20, 4, async (index: number) => {
			started.push(index);
			await sleep(index === 2 ? 10 : 20);
			if (index >= 1) throw new Error(`failure ${index}`);
		});
		await expect(simulate(work)).rejects.toThrow('failure 1');
		expect(started).toEqual([0, 1, 2, 3]);
	});

	test('works on as many as it may at the moment', async () => {
		let most = 1;
		let running = 0;
		const seen: number[] = [];
		const work = inPool(
			30,
			() => most,
			async (index: number) => {
				seen.push(++running);
				await sleep(10);
				running--;
				if (index === 4) most = 5;
				if (index === 19) most = 2;
			},
		);
		await simulate(work);
		expect(Math.max(...seen.slice(0, 5))).toBe(1);
		expect(Math.max(...seen.slice(0, 20))).toBe(5);
		expect(Math.max(...seen.slice(-5))).toBe(2);
		expect(seen).toHaveLength(30);
	});

	test('does nothing for nothing', async () => {
		const work = jest.fn();
		await inPool(0, 5, work);
		expect(work).not.toHaveBeenCalled();
	});
});
