// What a waiting request is promised (traffic.ts): scenes of executions that share a key, in simulated time. Their bounds are
// those of docs/contributing/architecture.md, and leave room for another rule that keeps them.
import type { ClientRequest } from '../../dist/nodes/engine/client/traffic/traffic.js';
import { Bound } from '../../dist/nodes/engine/client/traffic/bound.js';
import { Traffic } from '../../dist/nodes/engine/client/traffic/traffic.js';
import { trafficOf } from '../../dist/nodes/engine/client/door.js';
import { LimitedServer, type Limit } from './rateSimulation.cts';
import {
	atATime,
	CHARGE,
	clientOf,
	course,
	EMBED,
	OTP,
	READ,
	refuse,
	replyOf,
	RUN,
	Service,
	UPDATE,
	type Reply,
	type Seen,
	type Work,
} from './simulatedService.cts';
import { timers } from '../simulatedTimers.cts';
import { sleep, sleepFor, took, useSimulatedTime } from './simulatedTime.cts';

useSimulatedTime();

const hour = 3_600_000;

/** Max time as a multiple of what somebody takes who knows the service. */
const SLOWEST = 1.5;

/** A report to the queue. */
const accepted = { overload: false, accepted: true, inDoubt: false, value: 'accepted' };

const refused = (pause: number) => ({
	overload: true,
	accepted: false,
	inDoubt: false,
	throttled: { pause },
	value: 'refused',
});

const respond =
	<T,>(after: number, report: T) =>
	async () => {
		await sleep(after);
		return report;
	};

const request = (route: ClientRequest['route'], budget = 120_000) => ({
	route,
	priority: 0,
	budget,
	signals: [],
});

/** A service with a rate limit. */
const limitedTo = (limit: Limit) => {
	const server = new LimitedServer(limit);
	return new Service(({ at }) => replyOf(server, at));
};

const oneASecond = { counting: 'fixed window', limit: 1, period: 1000 } as const;

/** So many executions; each begins `gap` milliseconds after the one before. */
const several = async (service: Service, count: number, work: Work, gap = 0) =>
	await Promise.all(
		Array.from({ length: count }, async (_each, index) => {
			if (gap > 0) await sleep(index * gap);
			return await service.execute(work);
		}),
	);

const isRead = (outcome: unknown) => (outcome as { status?: number }).status === 200;

const countOf = ({ seen }: Service, is: (each: Seen) => boolean) => seen.filter(is).length;

describe('no request waits for the response to another client’s request', () => {
	test.each<[string, (seen: Seen, index: number) => Reply, Work, Work]>([
		[
			'a charge beside runs of ten minutes',
			({ route }) => ({ after: route === RUN ? 600_000 : 100 }),
			{ route: RUN, items: 6 },
			{ route: CHARGE, items: 1 },
		],
		[
			'a read beside updates of which one fails',
			({ route }, index) =>
				route === READ ? {} : { after: 3000, status: index === 40 ? 502 : 200 },
			{ route: UPDATE, items: 500, max: 20 },
			{ route: READ, items: 1 },
		],
		[
			'a read beside embeddings of which some fail',
			({ route }, index) =>
				route === READ ? {} : { after: 3000, status: index % 100 === 99 ? 502 : 200 },
			{ route: EMBED, items: 640 },
			{ route: READ, items: 1 },
		],
	])('%s', async (_what, reply, others, one) => {
		const service = new Service(reply);
		const busy = service.execute(others);
		await sleepFor(50_000);
		expect(await took(service.execute(one))).toBeLessThanOrEqual(101);
		await took(busy);
	});

	test('a run beside others that fail one after the other', async () => {
		const service = new Service(() => ({ after: 60_000, status: 504 }));
		const run = { route: RUN, items: 1, max: 1 };
		const others = several(service, 30, run, 2000);
		await sleepFor(71_000);
		expect(await took(service.execute(run))).toBe(60_000);
		await took(others);
	});

	test('while one is in flight for ten minutes, a pause of a second is a second', async () => {
		const service = new Service(({ execution }, index) => {
			if (execution === 1) return { after: 600_000 };
			return index === 1 ? refuse(1) : { after: 100 };
		});
		const long = service.execute({ route: READ, items: 1 });
		await sleepFor(10);
		expect(await took(service.execute({ route: READ, items: 3, max: 1 }))).toBeLessThan(2700);
		await took(long);
	});
});

describe('a refusal is believed where it was made', () => {
	test.each<[string, (seen: Seen, index: number) => Reply, Work]>([
		[
			'429 without Retry-After',
			({ route }) => (route === OTP ? refuse() : {}),
			{ route: OTP, items: 10 },
		],
		[
			'503 with Retry-After',
			({ execution }) => (execution === 1 ? { status: 503, headers: { 'retry-after': '5' } } : {}),
			{ route: READ, items: 1 },
		],
		[
			'failures',
			({ route }) => (route === EMBED ? { after: 50, status: 502 } : {}),
			{ route: EMBED, items: 800, max: 8 },
		],
		[
			'a long pause of one route, and a short one of another',
			({ route, execution }, index) =>
				route === CHARGE ? refuse(600) : execution === 2 && index === 1 ? refuse(20) : {},
			{ route: UPDATE, items: 1 },
		],
	])('%s: reads of others go on', async (_what, reply, work) => {
		const service = new Service(reply);
		if (work.route === UPDATE) {
			await took(service.execute({ route: CHARGE, items: 1, retry: { budget: 10_000 } }));
		}
		const others = service.execute(work);
		await sleepFor(200);
		expect(await took(service.execute({ route: READ, items: 30, max: 1 }))).toBeLessThan(3100);
		await took(others);
	});

	test('two routes that are refused without Retry-After hold up no third one', async () => {
		const service = new Service(({ route }) => (route === READ ? {} : refuse()));
		const others = [OTP, CHARGE].map(
			async (route) => await service.execute({ route, items: 10, retry: { budget: 30_000 } }),
		);
		await sleepFor(200);
		expect(await took(service.execute({ route: READ, items: 30, max: 1 }))).toBeLessThan(3100);
		await took(Promise.all(others));
	});

	test('limits that two routes have of their own are not taken for one of the key', async () => {
		const limit = { counting: 'fixed window', limit: 10, period: 1000 } as const;
		const servers = new Map([READ, EMBED].map((route) => [route, new LimitedServer(limit)]));
		const service = new Service(({ route, at }) => {
			const server = servers.get(route);
			return server ? replyOf(server, at) : {};
		});
		const begin = performance.now();
		const both = [READ, EMBED].map(
			async (route) => await service.execute({ route, items: 300, max: 8 }),
		);
		let late = 0;
		for (let each = 0; each < 50; each++) {
			await sleepFor(400);
			late += Number((await took(service.execute({ route: UPDATE, items: 1 }))) > 150);
		}
		expect(late).toBeLessThan(25);
		await took(Promise.all(both));
		expect(performance.now() - begin).toBeLessThan(SLOWEST * 30_000);
	});

	test('if another route was accepted during the pause, only the refused route pauses', async () => {
		const open = ({ route }: Seen) => (route === CHARGE ? {} : undefined);
		let end = 0;
		const service = new Service((seen) => open(seen) ?? refuse(Math.ceil((end - seen.at) / 1000)));
		end = performance.now() + 60_000;
		const retry = { budget: 15_000 };
		await took(service.execute({ route: READ, items: 1, retry }));
		await sleepFor(20_000);
		await took(service.execute({ route: CHARGE, items: 1 }));
		await sleepFor(10_000);
		await took(service.execute({ route: READ, items: 1, retry }));
		await took(service.execute({ route: UPDATE, items: 1, retry }));
		expect(await took(service.execute({ route: CHARGE, items: 1 }))).toBeLessThan(200);
	});

	test('if a second route is refused during the pause, the whole key pauses', async () => {
		let paused = true;
		const service = new Service(() => (paused ? refuse(20) : {}));
		const work = [READ, UPDATE].map(async (route) => await service.execute({ route, items: 1 }));
		await sleepFor(1000);
		paused = false;
		const third = service.execute({ route: CHARGE, items: 1, max: 1 });
		expect(await took(third)).toBeGreaterThan(18_000);
		await took(Promise.all(work));
	});
});

describe('one limit of the whole key', () => {
	test.each(
		(['fixed window', 'sliding window', 'token bucket'] as const).flatMap((counting) =>
			[
				[50, 1000],
				[20, 60_000],
			].flatMap(([limit, period]) =>
				[[READ], [READ, UPDATE, CHARGE, EMBED]].flatMap((routes) =>
					[4, 12].map((count) => ({ counting, limit, period, routes, count })),
				),
			),
		),
	)(
		'$counting, $limit in $period ms, is shared by $count executions of $routes',
		async ({ counting, limit, period, routes, count }) => {
			const service = limitedTo({ counting, limit, period, phase: 0.3 });
			const items = Math.ceil((8 * limit) / count);
			const all = Array.from({ length: count }, async (_each, index) => {
				await sleep(index * 50);
				const route = routes[index % routes.length];
				return await service.execute({ route, items, retry: { budget: hour } });
			});
			const best = ((count * items) / limit) * period;
			expect(await took(Promise.all(all))).toBeLessThan(SLOWEST * best);
			expect((await Promise.all(all)).flat().every(isRead)).toBe(true);
			const refusals = countOf(service, ({ status }) => status === 429);
			expect(refusals).toBeLessThan(count * items);
		},
	);

	// The requests that find out whether it takes more, and are refused, don't lower the number in flight.
	test.each([1, 10])(
		'of 50 a second takes %i executions little more than the best',
		async (count) => {
			const service = limitedTo({ counting: 'fixed window', limit: 50, period: 1000, phase: 0.3 });
			const { ms } = await course(service, count, { route: READ, items: 1000 / count });
			expect(ms).toBeLessThan(1.25 * 20_000);
		},
	);

	test.each([
		['after', 0, 10_000],
		['before', 10, 0],
	])('a small execution that begins %s a large one gets its share', async (_what, late, early) => {
		const service = limitedTo(oneASecond);
		const large = sleep(late).then(async () => await service.execute({ route: READ, items: 60 }));
		await sleepFor(early);
		expect(await took(service.execute({ route: READ, items: 5, max: 1 }))).toBeLessThan(15_000);
		await took(large);
	});

	test('is given to new clients in the order in which they came', async () => {
		const traffic = new Traffic();
		await took(
			traffic.run(clientOf(traffic, { max: 1 }), request(READ), respond(1, refused(1000))),
		);
		const sent: number[] = [];
		const all = [1, 2, 3, 4].map(async (number) => {
			await traffic.run(clientOf(traffic, { max: 1 }), request(READ), async () => {
				sent.push(number);
				return await respond(100, accepted)();
			});
		});
		await took(Promise.all(all));
		expect(sent).toEqual([1, 2, 3, 4]);
	});

	test('a request that failed goes before those that were not sent yet', async () => {
		const limited = new LimitedServer(oneASecond);
		let failed: number | undefined;
		const service = new Service(({ at, item }) => {
			const reply = replyOf(limited, at);
			if (reply.status || at < 20_000 || failed !== undefined) return reply;
			failed = item;
			return { status: 502 };
		});
		await took(service.execute({ route: READ, items: 60 }));
		// Some are throttled in between.
		const processed = service.seen.filter(({ status }) => status !== 429);
		const first = processed.findIndex(({ status }) => status === 502);
		const again = processed.findIndex(({ item }, index) => index > first && item === failed);
		expect(again - first).toBeLessThanOrEqual(3);
	});

	test('is not taken for smaller because of requests that failed or were cancelled', async () => {
		const service = new Service((_request, index) =>
			index === 0 ? refuse(60) : { status: index < 5 ? 502 : 200 },
		);
		const failing = service.execute({ route: READ, items: 1 });
		await sleepFor(60_050);
		const cancel = new AbortController();
		const cancelled = service.execute({ route: READ, items: 1, cancel: cancel.signal });
		await sleepFor(100);
		cancel.abort();
		// Backoffs of up to 3.5 s. Were they counted, a window of a minute would pass.
		expect(await took(Promise.all([failing, cancelled]))).toBeLessThan(5000);
		expect(await failing).toMatchObject([{ status: 200 }]);
		expect(await cancelled).toMatchObject([{ message: 'The execution was canceled' }]);
	});

	test('refuses no request again and again beside other executions', async () => {
		const service = limitedTo({ counting: 'sliding window', limit: 1, period: 1000 });
		const retry = { budget: hour };
		const busy = several(service, 3, { route: READ, items: 60, max: 1, retry });
		await sleepFor(20_000);
		await took(service.execute({ route: READ, items: 40, max: 5, retry }));
		const attempts = new Array<number>(40).fill(0);
		for (const { execution, item } of service.seen) if (execution === 4) attempts[item]++;
		expect(Math.max(...attempts)).toBeLessThanOrEqual(6);
		await took(busy);
	});

	test('has turns for a client beside new ones that come all the time', async () => {
		const service = limitedTo(oneASecond);
		const retry = { budget: hour };
		const others = several(service, 100, { route: READ, items: 1, retry }, 500);
		const work = { route: READ, items: 3, max: 1, retry };
		expect(await took(service.execute(work))).toBeLessThan(60_000);
		await took(others);
	});

	test('has turns for a client that is busy with another route', async () => {
		const limited = new LimitedServer(oneASecond);
		const service = new Service(({ route, at }) => (route === UPDATE ? replyOf(limited, at) : {}));
		const retry = { budget: hour };
		const busy = several(service, 3, { route: UPDATE, items: 20, max: 1, retry });
		await sleepFor(5000);
		const { traffic } = service;
		const client = clientOf(traffic, { max: 2 });
		const send = respond(100, accepted);
		let isServed = false;
		const reads = (async () => {
			while (!isServed) await traffic.run(client, request(READ, hour), send);
		})();
		const update = traffic.run(client, request(UPDATE, hour), send);
		expect(await took(update.finally(() => (isServed = true)))).toBeLessThan(10_000);
		await took(Promise.all([busy, reads]));
	});

	// A pause that is learned from, and one that is too long for that.
	test.each([10_000, 130_000])(
		'200 executions refused together for %i ms are not sent together',
		async (ms) => {
			const limited = new LimitedServer({ counting: 'fixed window', limit: 20, period: 1000 });
			const open = performance.now() + ms;
			const service = new Service(({ at }) =>
				at < open ? refuse(Math.ceil((open - at) / 1000)) : replyOf(limited, at),
			);
			await took(several(service, 200, { route: READ, items: 1, retry: { budget: 600_000 } }));
			const later = service.seen.filter(({ at }) => at >= open);
			const atOnce = later.map(({ at }) =>
				countOf(service, (each) => each.at >= at && each.at < at + 1000),
			);
			expect(Math.max(...atOnce)).toBeLessThanOrEqual(60);
		},
	);
});

describe('the number in flight', () => {
	const inFlightOf = ({ seen }: Service): number[] => seen.map(({ inFlight }) => inFlight);

	// So many at a time, what else it responds, executions, requests of each, milliseconds of a response.
	test.each<[number, Reply, number, number, number]>([
		[20, { status: 503 }, 1, 1000, 100],
		[2, { status: 503 }, 1, 1000, 100],
		[10, { status: 503 }, 5, 400, 100],
		[10, refuse(), 5, 400, 100],
		[40, { status: 503 }, 50, 20, 750],
		[40, refuse(), 50, 20, 750],
		[10, { status: 503 }, 50, 20, 100],
		[10, refuse(), 50, 20, 100],
		[20, { ...refuse(1), after: 3 }, 1, 1600, 25],
	])(
		'is what a service takes: %i at a time, else %j, for %i executions of %i requests',
		async (most, otherwise, count, items, after) => {
			const service = atATime(most, otherwise, after);
			const work = { route: READ, items, max: 40, retry: { budget: hour } };
			const { ms, failed } = await course(service, count, work);
			expect(failed).toBe(0);
			// A pause of a second is more than the best takes.
			const pauses = otherwise.after === undefined ? 0 : 6000;
			expect(ms).toBeLessThan(2 * ((count * items) / most) * after + pauses);
			expect(service.seen.length).toBeLessThan((most < 5 ? 1.7 : 1.2) * count * items);
		},
	);

	test('is 40 for all routes together', async () => {
		const service = new Service(() => ({}));
		const both = [READ, UPDATE].map(
			async (route) => await service.execute({ route, items: 400, max: 32 }),
		);
		await took(Promise.all(both));
		expect(Math.max(...inFlightOf(service))).toBe(40);
	});

	test('follows a service that gets slower', async () => {
		const service = new Service(({ inFlight }) => ({ after: 100 * Math.ceil(inFlight / 5) }));
		const ms = await took(service.execute({ route: READ, items: 1000 }));
		expect(ms).toBeLessThan(1.25 * (1000 / 5) * 100);
		// From 13 on, responses take more than twice as long; the first ones show it with a delay.
		expect(Math.max(...inFlightOf(service).slice(500))).toBeLessThanOrEqual(20);
	});

	test.each<[string, (seen: Seen, index: number) => number, number]>([
		['milliseconds, in which n8n itself is busy', ({ inFlight }) => (inFlight > 5 ? 15 : 3), 30],
		['a first response that is quick', (_seen, index) => (index === 0 ? 1 : 300), 30],
		['one moment in which all are late', (_seen, index) => (index % 400 < 32 ? 300 : 100), 30],
		['a service that is slow for good', (_seen, index) => (index < 500 ? 100 : 300), 20],
	])('is not made smaller by %s', async (_what, after, least) => {
		const service = new Service((seen, index) => ({ after: after(seen, index) }));
		await took(service.execute({ route: READ, items: 1500 }));
		expect(Math.max(...inFlightOf(service).slice(1000))).toBeGreaterThanOrEqual(least);
	});

	test('of writes begins with five, is halved by each doubt, and grows again', async () => {
		let fails = Infinity;
		const service = new Service(({ at }) => ({
			status: at >= fails && at < fails + 500 ? 500 : 200,
		}));
		// The bound of the route is high from now on.
		await took(service.execute({ route: CHARGE, items: 400 }));
		const begin = performance.now();
		fails = begin + 850;
		expect(await took(service.execute({ route: CHARGE, items: 600 }))).toBeLessThan(3500);
		expect(countOf(service, ({ at }) => at >= begin && at < begin + 100)).toBe(5);
		// Those that were in flight, and few more.
		expect(countOf(service, ({ status }) => status === 500)).toBeLessThan(45);
		expect(service.seen).toHaveLength(1000);
	});

	test('is not made smaller by those who ask whether a pause is over', async () => {
		let end = 0;
		const service = new Service(({ at }) => (at < end ? refuse(Math.ceil((end - at) / 1000)) : {}));
		await took(service.execute({ route: READ, items: 400 }));
		end = performance.now() + 60_000;
		const large = service.execute({ route: READ, items: 200 });
		for (let each = 0; each < 8; each++) {
			await sleepFor(5000);
			await took(service.execute({ route: READ, items: 1, retry: { budget: 10_000 } }));
		}
		await took(large);
		const soon = inFlightOf(service).filter((_each, index) => {
			const after = service.seen[index].at - end;
			return after >= 0 && after < 1000;
		});
		expect(Math.max(...soon)).toBeGreaterThanOrEqual(14);
	});
});

test('a bound that goes up from one never falls below it, whatever the curve gives by rounding', () => {
	for (let seed = 0; seed < 600; seed++) {
		const bound = new Bound();
		for (let n = 0, now = 1000; n < 40; n++) {
			const request = { at: now };
			bound.begin(request);
			const took = n % 3 === 0 ? 0 : (seed * 7 + n) % 50;
			const overload = ((seed >> (n % 11)) & 1) === 1;
			bound.learn({ request, now: now + took, overload, hasPause: false });
			bound.end(request);
			now += took;
		}
		expect({ seed, isFull: bound.isFull }).toEqual({ seed, isFull: false });
	}
});

describe('waiting ends', () => {
	test.each<[string, (seen: Seen, index: number) => Reply, Work, number]>([
		['pauses of a second', () => refuse(1), { route: READ, items: 300 }, 1],
		['pauses of half a minute', () => refuse(30), { route: READ, items: 300 }, 1],
		['429 without Retry-After', () => refuse(), { route: READ, items: 300 }, 1],
		['pauses of a minute for many executions', () => refuse(60), { route: READ, items: 1 }, 100],
		[
			'requests that first fail and then are refused',
			(_seen, index) => (index < 3 ? { after: 50_000, status: 502 } : refuse()),
			{ route: READ, items: 1 },
			1,
		],
	])('soon after Retry Time: %s', async (_what, reply, work, count) => {
		const executions = several(new Service(reply), count, work, 100);
		expect(await took(executions)).toBeLessThan(240_000);
		expect((await executions).flat().filter((each) => each instanceof Error)).toEqual([]);
	});

	test('with the run, for a write that never reached the API', async () => {
		const service = new Service(({ item }) =>
			item === 0 ? { failure: 'ECONNREFUSED', after: 50 } : { status: 400, after: 200 },
		);
		await took(service.execute({ route: UPDATE, items: 2, stops: true }));
		expect(service.seen.map(({ item }) => item)).toEqual([0, 1]);
	});

	test.each<[string, (index: number) => Reply, number]>([
		// One asks, and the others go when it was accepted.
		['a pause that was a mistake', (index) => (index === 0 ? refuse(600) : {}), 31],
		['a pause that goes on', () => refuse(600), 4],
	])('after one has asked: %s that others were told of', async (_what, reply, most) => {
		const service = new Service((_request, index) => reply(index));
		await took(service.execute({ route: READ, items: 1 }));
		expect(await took(service.execute({ route: READ, items: 30 }))).toBeLessThan(1500);
		expect(service.seen.length).toBeLessThanOrEqual(most);
	});

	test.each([1000, 2000, 5000])(
		'not because of the rate alone: 200 executions of one request, one per %i ms',
		async (period) => {
			const executions = several(limitedTo({ ...oneASecond, period }), 200, {
				route: READ,
				items: 1,
			});
			await took(executions);
			expect((await executions).flat().every(isRead)).toBe(true);
		},
	);

	test('after a few requests, where many wait and the API begins to ask for an hour', async () => {
		const limited = new LimitedServer(oneASecond);
		const begin = performance.now();
		const service = new Service(({ at }) => {
			if (at > begin + 30_500) return refuse(3600);
			return replyOf(limited, at);
		});
		const work = { route: READ, items: 1, retry: { budget: 300_000 } };
		expect(await took(several(service, 200, work))).toBeLessThan(60_000);
		expect(countOf(service, ({ at }) => at > begin + 30_500)).toBeLessThan(10);
	});

	test('of an hour that ends early, soon after that: a request asks every ten seconds', async () => {
		const service = new Service(({ at }) => (at < open ? refuse(3600) : {}));
		const open = performance.now() + 15_000;
		const reads = several(service, 60, { route: READ, items: 1 }, 1000);
		await took(reads);
		const done = (await reads).map(([each]) => isRead(each));
		expect(done.indexOf(true)).toBeLessThanOrEqual(26);
		expect(done.slice(26)).not.toContain(false);
		expect(countOf(service, ({ status }) => status === 429)).toBeLessThanOrEqual(5);
	});

	test.each(['throws', 'may end it'])('for the rest of a run, when a request %s', async (what) => {
		const traffic = new Traffic();
		const client = clientOf(traffic, { max: 1 });
		const run = new AbortController();
		const sent: number[] = [];
		const send = (index: number) => async () => {
			sent.push(index);
			await sleep(100);
			if (what === 'throws') throw new Error('Broken');
			return { ...accepted, mayEndRun: true };
		};
		const work = [1, 2].map(async (index) => {
			const about = { ...request(READ, hour), signals: [run.signal] };
			await traffic.run(client, about, send(index)).catch(() => undefined);
			run.abort();
		});
		await took(Promise.all(work));
		expect(sent).toEqual([1]);
	});

	test('not by one of others only, however long it had no slot', async () => {
		const traffic = new Traffic();
		const busy = clientOf(traffic, { max: 1 });
		const update = traffic.run(busy, request(UPDATE), respond(130_000, accepted));
		const waiting = traffic.run(busy, request(READ), respond(100, accepted));
		await sleepFor(125_000);
		const other = clientOf(traffic, { max: 1 });
		await took(traffic.run(other, request(READ), respond(100, refused(600_000))));
		await took(Promise.all([update, waiting]));
		expect(await waiting).toBe('accepted');
	});

	test('at the end of Retry Time, when a pause of its route becomes one of the key', async () => {
		const begin = performance.now();
		const traffic = new Traffic();
		const pauses = [
			[READ, 100],
			[READ, 50_000],
			[UPDATE, 50_100],
			[UPDATE, 100_000],
			[CHARGE, 100_100],
			[UPDATE, 150_000],
			[CHARGE, 150_100],
		] as const;
		const others = pauses.map(async ([route, after]) => {
			const client = clientOf(traffic, { max: 1 });
			await traffic.run(client, request(route, hour), respond(after, refused(60_000)));
		});
		await sleepFor(1000);
		let sent = Infinity;
		const client = clientOf(traffic, { max: 1 });
		const asks = traffic.run(client, request(READ), async () => {
			sent = performance.now() - begin;
			return await Promise.resolve(accepted);
		});
		await took(Promise.all([asks, ...others]));
		expect(sent).toBeLessThan(121_500);
	});

	test('with a request that asks, however slow the response to another one that asked is', async () => {
		const service = new Service(({ execution }) =>
			execution === 1 ? refuse(600) : execution === 2 ? { after: 500_000 } : {},
		);
		await took(service.execute({ route: READ, items: 1 }));
		const slow = service.execute({ route: READ, items: 1 });
		await sleepFor(100);
		const next = service.execute({ route: READ, items: 1, retry: { budget: 10_000 } });
		expect(await took(next)).toBeLessThan(2000);
		await took(slow);
	});

	// The pauses that the first and the second of two executions are told of; the one that is looked at reads all the same.
	test.each<[string, (seen: Seen, index: number) => Reply, number]>([
		[
			'not because of what the API says to others',
			({ execution }, index) => (execution === 2 ? refuse(3600) : index === 0 ? refuse(1) : {}),
			0,
		],
		[
			'as soon as the API asks for a shorter pause than before',
			(_seen, index) => (index < 2 ? refuse(index === 0 ? 600 : 2) : {}),
			1,
		],
	])('%s', async (_what, reply, which) => {
		const executions = several(new Service(reply), 2, { route: READ, items: 1 }, 50);
		expect(await took(executions)).toBeLessThan(which === 0 ? 12_000 : 3000);
		expect(isRead((await executions)[which][0])).toBe(true);
	});

	test('soon after Retry Time for an item that is refused while others fail', async () => {
		const service = new Service(({ item }) => (item === 0 ? refuse(1) : { status: 502 }));
		await took(service.execute({ route: READ, items: 60, max: 2, retry: { budget: 20_000 } }));
		const attempts = service.seen.filter(({ item }) => item === 0).map(({ at }) => at);
		// It waits for its turn, too: what failed goes first.
		expect(Math.max(...attempts) - attempts[0]).toBeLessThan(40_000);
	});

	test('a refusal that is longer past than Retry Time does not count for a later one', async () => {
		const service: Service = new Service(({ item }, index) => {
			if (item === 0) return refuse();
			const isFirst = countOf(service, (each) => each.item === 1) === 1;
			return isFirst ? { after: 200_000, ...refuse() } : { after: index };
		});
		const work = service.execute({ route: READ, items: 2, max: 1 });
		await took(work);
		expect(await work).toMatchObject([{ status: 429 }, { status: 200 }]);
	});

	test.each([0, 10_000])(
		'for good, at once and unsent with a Retry Time of %i ms',
		async (budget) => {
			const traffic = new Traffic();
			const client = clientOf(traffic, { max: 1 });
			const send = async () => await Promise.resolve(refused(50_000));
			for (const _each of [1, 2]) await traffic.run(client, request(READ, budget), send);
			await sleepFor(1000);
			const next = traffic.run(client, request(READ, budget), send);
			await expect(next).rejects.toThrow('The API asks for a pause');
			await sleepFor(200_000);
			expect(traffic.idle).toBe(true);
		},
	);

	test.each<[string, Reply]>([
		['EPROTO', { failure: 'EPROTO' }],
		['ENOTFOUND', { failure: 'ENOTFOUND' }],
		['a budget that is used up', { status: 429, body: { error: 'Monthly budget exceeded' } }],
	])('not because of %s: the pause goes on', async (_what, reply) => {
		const service = new Service((_request, index) =>
			index === 0 ? refuse(20) : index === 1 ? reply : {},
		);
		const first = service.execute({ route: READ, items: 1 });
		await sleepFor(1000);
		const impatient = service.execute({ route: READ, items: 1, retry: { budget: 1000 } });
		await took(Promise.all([first, impatient]));
		expect(service.seen[2].at - service.seen[0].at).toBeGreaterThan(19_000);
	});

	test.each(['pause', 'backoff'])('a %s goes on when the clock is set back', async (what) => {
		const service = new Service((_request, index) =>
			index === 0 ? refuse(what === 'pause' ? 20 : undefined) : {},
		);
		const work = service.execute({ route: READ, items: 1 });
		await sleepFor(300);
		timers.setDate(Date.now() - hour);
		expect(await took(work)).toBeLessThan(20_200);
	});

	test('Retry-After as a date is read by the service’s own clock', async () => {
		const ahead = (ms: number) => new Date(Date.now() + hour + ms).toUTCString();
		const service = new Service((_request, index) =>
			index > 3 ? {} : { status: 429, headers: { date: ahead(0), 'retry-after': ahead(5000) } },
		);
		const { ms, failed } = await course(service, 1, { route: READ, items: 100 });
		expect(failed).toBe(0);
		expect(ms).toBeLessThan(40_000);
	});
});

test('a lock is passed on in order: not to who was cancelled, and none holds up another', async () => {
	const { locks } = new Traffic();
	const begun: string[] = [];
	const cancel = new AbortController();
	const hold = async (name: string, who: string, ms = 100) => {
		const release = await locks.take(name, who === 'cancelled' ? [cancel.signal] : []);
		begun.push(who);
		await sleep(ms);
		release();
	};
	const begin = performance.now();
	const slow = hold('slow', 'first', 600_000);
	const second = hold('slow', 'second');
	const leaves = hold('slow', 'cancelled').catch(() => performance.now() - begin);
	const third = hold('slow', 'third');
	expect(await took(hold('other', 'other'))).toBe(100);
	cancel.abort();
	await took(Promise.all([slow, second, third]));
	expect(await leaves).toBe(100);
	expect(begun).toEqual(['first', 'other', 'second', 'third']);
	expect(locks.isEmpty).toBe(true);
});

test('a lock tells who has it if another one had it since a moment, also when that is long ago', async () => {
	const { locks } = new Traffic();
	const take = async (name: string) => (await locks.take(name, []))();
	const before = locks.moment;
	await take('one');
	const after = locks.moment;
	const seen = () => [before, after].map((moment) => locks.isFirstSince('one', moment));
	expect(seen()).toEqual([false, true]);
	for (let n = 0; n < 2000; n++) await take(`other ${n}`);
	// In doubt, it's none.
	expect(seen()).toEqual([false, false]);
	expect(locks.isFirstSince('one', locks.moment)).toBe(true);
	expect(locks.isFirstSince('other 1999', locks.moment - 1)).toBe(false);
});

test('what is known of an API is one for all that hold it, and forgotten when nobody uses it', async () => {
	const api = { url: 'https://api.example.com', secrets: ['key'] };
	const traffic = trafficOf(api);
	expect(trafficOf(api)).toBe(traffic);
	expect(trafficOf({ ...api, secrets: ['other'] })).not.toBe(traffic);
	await sleepFor(hour);
	// A sub-node that was opened an hour ago still holds it.
	expect(trafficOf(api)).toBe(traffic);
	expect(traffic).toBeInstanceOf(Traffic);
});
