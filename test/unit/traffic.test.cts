// What a waiting request is promised (traffic.ts): scenes of executions that share a key, in simulated time.
import type { ClientRequest } from '../../dist/nodes/engine/client/traffic/traffic.js';
import { Bound } from '../../dist/nodes/engine/client/traffic/bound.js';
import { Traffic } from '../../dist/nodes/engine/client/traffic/traffic.js';
import { trafficOf } from '../../dist/nodes/engine/client/door.js';
import { LimitedServer, random, type Limit } from './rateSimulation.cts';
import {
	atATime,
	CHARGE,
	clientOf,
	EMBED,
	OTP,
	READ,
	refuse,
	replyOf,
	RUN,
	Service,
	UPDATE,
	type Reply,
	type Work,
} from './simulatedService.cts';
import { timers } from '../simulatedTimers.cts';
import { sleep, sleepFor, took, useSimulatedTime } from './simulatedTime.cts';

useSimulatedTime();

const hour = 3_600_000;

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

describe('no request waits for the response to another client’s request', () => {
	test('a charge beside runs of ten minutes', async () => {
		const service = new Service(({ route }) => ({ after: route === RUN ? 600_000 : 100 }));
		const runs = several(service, 6, { route: RUN, items: 1, max: 1 });
		await sleepFor(1000);
		expect(await took(service.execute({ route: CHARGE, items: 1, max: 1 }))).toBe(100);
		await took(runs);
	});

	test('a run beside others that fail one after the other', async () => {
		const service = new Service(() => ({ after: 60_000, status: 504 }));
		const run = { route: RUN, items: 1, max: 1 };
		const others = several(service, 30, run, 2000);
		await sleepFor(71_000);
		expect(await took(service.execute(run))).toBe(60_000);
		await took(others);
	});

	test.each([
		['updates, 20 at once, one 502', UPDATE, 300, 20, [40]],
		['embeddings by default, three 502s', EMBED, 640, 32, [100, 200, 300]],
	])('a read beside %s', async (_what, route, items, max, failing) => {
		const service = new Service((request, index) =>
			request.route === READ
				? { after: 100 }
				: { after: 3000, status: failing.includes(index) ? 502 : 200 },
		);
		const busy = service.execute({ route, items, max });
		await sleepFor(60_000);
		expect(await took(service.execute({ route: READ, items: 1 }))).toBeLessThanOrEqual(101);
		await took(busy);
	});

	test('while one is in flight for ten minutes, a pause of a second is a second', async () => {
		const service = new Service(({ execution }, index) => {
			if (execution === 1) return { after: 600_000 };
			return index === 1 ? refuse(1) : { after: 100 };
		});
		const long = service.execute({ route: READ, items: 1 });
		await sleepFor(10);
		const three = service.execute({ route: READ, items: 3, max: 1 });
		expect(await took(three)).toBeLessThan(2700);
		await took(long);
	});
});

describe('a refusal is believed where it was made', () => {
	/** 30 reads one after the other beside something that the API refuses. */
	async function readsBeside(service: Service, beside: Promise<unknown>): Promise<number> {
		await sleepFor(200);
		const reads = await took(service.execute({ route: READ, items: 30, max: 1 }));
		await took(beside);
		return reads;
	}

	test('429 without Retry-After holds up nothing else', async () => {
		const service = new Service(({ route }) => (route === OTP ? refuse() : {}));
		const codes = service.execute({ route: OTP, items: 10 });
		expect(await readsBeside(service, codes)).toBeLessThan(3100);
	});

	test('503 with Retry-After holds up its own request only', async () => {
		const service = new Service(({ execution }) =>
			execution === 1 ? { status: 503, headers: { 'retry-after': '5' } } : {},
		);
		const page = service.execute({ route: READ, items: 1 });
		expect(await readsBeside(service, page)).toBeLessThan(3100);
	});

	test('the failures of one route hold up no other', async () => {
		const service = new Service(({ route }) =>
			route === EMBED ? { after: 500, status: 502 } : {},
		);
		const failing = service.execute({ route: EMBED, items: 800, max: 8 });
		await sleepFor(20_000);
		expect(await took(service.execute({ route: READ, items: 1000 }))).toBeLessThan(5000);
		await took(failing);
	});

	test('limits that two routes have of their own are not taken for one of the key', async () => {
		const servers = new Map(
			[READ, EMBED].map((route) => [
				route,
				new LimitedServer({ counting: 'fixed window', limit: 10, period: 1000 }),
			]),
		);
		const service = new Service(({ route, at }) => {
			const server = servers.get(route);
			return server ? replyOf(server, at) : {};
		});
		const begin = performance.now();
		const both = [READ, EMBED].map(
			async (route) => await service.execute({ route, items: 300, max: 8 }),
		);
		const waits: number[] = [];
		for (let each = 0; each < 50; each++) {
			await sleepFor(400);
			waits.push(await took(service.execute({ route: UPDATE, items: 1, max: 1 })));
		}
		expect(waits.filter((ms) => ms > 150).length).toBeLessThanOrEqual(15);
		await took(Promise.all(both));
		expect(performance.now() - begin).toBeLessThan(1.2 * 30_000);
	});

	test('if another route was accepted during the pause, only the refused route pauses', async () => {
		let end = 0;
		const service = new Service(({ route, at }) =>
			route === CHARGE ? {} : refuse(Math.ceil((end - at) / 1000)),
		);
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

	test("a short pause during the long pause of another route doesn't pause the whole key", async () => {
		const service = new Service(({ route, execution }, index) =>
			route === CHARGE ? refuse(600) : execution === 2 && index === 1 ? refuse(20) : {},
		);
		await took(service.execute({ route: CHARGE, items: 1, retry: { budget: 10_000 } }));
		const update = service.execute({ route: UPDATE, items: 1 });
		expect(await readsBeside(service, update)).toBeLessThan(3100);
	});
});

describe('one limit of the whole key', () => {
	test('is shared by executions of one route and of four', async () => {
		const counts = ['sliding window', 'token bucket'] as const;
		const limits = [
			[50, 1000],
			[10, 1000],
			[20, 60_000],
		];
		const scenes = counts.flatMap((counting) =>
			limits.flatMap(([limit, period]) =>
				[[READ], [READ, UPDATE, CHARGE, EMBED]].flatMap((routes) =>
					[4, 12].map((executions) => ({ counting, limit, period, routes, executions })),
				),
			),
		);
		let ratios = 0;
		let refusals = 0;
		for (const { counting, limit, period, routes, executions } of scenes) {
			const begin = performance.now();
			const server = new LimitedServer({ counting, limit, period, phase: 0.3 });
			const service = new Service(({ at }) => replyOf(server, at - begin));
			const items = Math.ceil((8 * limit) / executions);
			const all = Array.from({ length: executions }, async (_each, index) => {
				await sleep(index * 50);
				const route = routes[index % routes.length];
				await service.execute({ route, items, retry: { budget: hour } });
			});
			const ratio = (await took(Promise.all(all))) / (((executions * items) / limit) * period);
			expect(ratio).toBeLessThan(1.37);
			ratios += ratio / scenes.length;
			const refused = service.seen.filter(({ status }) => status === 429).length;
			refusals += refused / (executions * items) / scenes.length;
		}
		expect(ratios).toBeLessThan(1.03);
		expect(refusals).toBeLessThan(0.32);
	});

	test('is still known after an outage of 20 or 60 seconds', async () => {
		for (const outage of [20_000, 60_000]) {
			const begin = performance.now();
			const limited = new LimitedServer({ counting: 'fixed window', limit: 10, period: 1000 });
			const service = new Service(({ at }) => {
				const left = begin + 11_000 + outage - at;
				if (left > 0 && left <= outage) return refuse(Math.ceil(left / 1000));
				return replyOf(limited, at - begin);
			});
			const work = service.execute({ route: READ, items: 600, retry: { budget: hour } });
			expect(await took(work)).toBeLessThan(outage + 1.12 * 60_000);
		}
	});

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

	test.each([
		['no Retry-After', undefined],
		['Retry-After 0', 0],
	])('is still kept to after another route is refused with %s', async (_what, retryAfter) => {
		let open = 0;
		const service = new Service(({ route, at }) => {
			if (route === UPDATE) return at < open ? { after: 200, ...refuse(retryAfter) } : {};
			return at < open ? refuse(5) : {};
		});
		open = performance.now() + 5000;
		const other = service.execute({ route: UPDATE, items: 1 });
		const reads = several(service, 20, { route: READ, items: 1 });
		await took(Promise.all([other, reads]));
		const first = service.seen.filter(({ route, at }) => route === READ && at >= open);
		expect(first.filter(({ at }) => at < first[0].at + 50).length).toBeLessThanOrEqual(3);
	});

	test('is not the pause of a route, which each execution asks about once', async () => {
		const limited = new LimitedServer({ counting: 'sliding window', limit: 1, period: 2000 });
		const service = new Service(({ route, at }) => {
			if (route === CHARGE) return refuse(3600);
			return replyOf(limited, at);
		});
		const busy = [READ, UPDATE].map(
			async (route) => await service.execute({ route, items: 20, retry: { budget: 2 * hour } }),
		);
		await sleepFor(20_000);
		const charge = { route: CHARGE, items: 1, retry: { budget: 10_000 } };
		const charges = several(service, 20, charge, 700);
		expect(await took(Promise.all(busy))).toBeLessThan(120_000);
		await took(charges);
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

	test.each([3, 5])('refuses no request again and again beside %i executions', async (others) => {
		const service = limitedTo({ counting: 'sliding window', limit: 1, period: 1000 });
		const retry = { budget: hour };
		const busy = several(service, others, { route: READ, items: 60, max: 1, retry });
		await sleepFor(20_000);
		await took(service.execute({ route: READ, items: 40, max: 5, retry }));
		const attempts = new Map<number, number>();
		for (const { execution, item } of service.seen) {
			if (execution === others + 1) attempts.set(item, (attempts.get(item) ?? 0) + 1);
		}
		expect(Math.max(...attempts.values())).toBeLessThanOrEqual(6);
		await took(busy);
	});

	test('does not take what is known from a route with a pause of its own', async () => {
		const minute = 60_000;
		const begin = performance.now();
		let until = 0;
		const service = new Service(({ route, at }) => {
			const end = route === CHARGE ? begin + minute : until;
			return at < end ? refuse(Math.ceil((end - at) / 1000)) : {};
		});
		const charges = several(service, 6, { route: CHARGE, items: 1, retry: { budget: hour } });
		await sleepFor(10_000);
		until = performance.now() + 5000;
		const others = [READ, UPDATE].map(async (route) => await service.execute({ route, items: 1 }));
		await took(Promise.all([charges, ...others]));
		const after = service.seen.filter(({ route, at }) => route === CHARGE && at >= begin + minute);
		// The first one and a probe.
		expect(after.filter(({ at }) => at < after[0].at + 50).length).toBeLessThanOrEqual(2);
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
		const waited = await took(update.finally(() => (isServed = true)));
		expect(waited).toBeLessThan(10_000);
		await took(Promise.all([busy, reads]));
	});

	test.each([
		['10', 10_000],
		['130', 130_000],
	])('200 executions refused together for %s s are not sent together', async (_what, pause) => {
		let open = 0;
		const limited = new LimitedServer({ counting: 'fixed window', limit: 20, period: 1000 });
		const service = new Service(({ at }) => {
			if (at < open) return refuse(Math.ceil((open - at) / 1000));
			return replyOf(limited, at);
		});
		open = performance.now() + pause;
		await took(several(service, 200, { route: READ, items: 1, retry: { budget: 600_000 } }));
		const seconds = new Map<number, number>();
		for (const { at } of service.seen.filter((each) => each.at >= open)) {
			seconds.set(Math.floor(at / 1000), (seconds.get(Math.floor(at / 1000)) ?? 0) + 1);
		}
		expect(Math.max(...seconds.values())).toBeLessThanOrEqual(50);
	});
});

describe('the number in flight', () => {
	/** How many were in flight when each request was sent. */
	const inFlightOf = ({ seen }: Service): number[] =>
		seen.map(({ at }) => seen.filter((each) => each.at <= at && Number(each.ended) > at).length);

	test.each([
		[20, 1.2],
		[2, 1.7],
	])('follows a service that takes %i at a time', async (capacity, share) => {
		const items = 1000;
		const service = atATime(capacity, { status: 503 });
		const work = service.execute({ route: READ, items, retry: { budget: hour } });
		const ms = await took(work);
		expect(ms).toBeLessThan(2 * (items / capacity) * 100);
		expect(service.seen.length).toBeLessThan(share * items);
	});

	test.each([
		['503', { status: 503 }],
		['a 429 without Retry-After', refuse(undefined)],
	])(
		'of five executions is nearly what a service takes at a time that else responds with %s',
		async (_what, otherwise) => {
			const service = atATime(10, otherwise);
			const work = { route: READ, items: 400, retry: { budget: hour } };
			expect(await took(several(service, 5, work))).toBeLessThan(1.15 * (2000 / 10) * 100);
			expect(service.seen.length).toBeLessThan(1.07 * 2000);
		},
	);

	test.each<[string, Reply]>([
		['503', { status: 503 }],
		['429', refuse()],
	])(
		'of 50 executions is at once what a service takes at a time that else responds with %s',
		async (_what, reply) => {
			const chance = random(7);
			const service: Service = new Service(() => {
				const inFlight = service.seen.filter(({ ended }) => ended === undefined).length;
				return inFlight > 40 ? { after: 5, ...reply } : { after: 500 + 500 * chance() };
			});
			const work = { route: READ, items: 20, retry: { budget: hour } };
			expect(await took(several(service, 50, work))).toBeLessThan(1.15 * (1000 / 40) * 750);
			expect(service.seen.length - 1000).toBeLessThanOrEqual(80);
		},
	);

	test.each([
		[20, 8000],
		[10, 15_000],
	])('follows a service that takes %i at a time and asks for pauses', async (capacity, ms) => {
		const service = atATime(capacity, { ...refuse(1), after: 3 }, 25);
		expect(await took(service.execute({ route: READ, items: 1600, max: 40 }))).toBeLessThan(ms);
		expect(service.seen.length).toBeLessThan(1.04 * 1600);
	});

	test('is 40 for all routes together', async () => {
		const service = new Service(() => ({}));
		const both = [READ, UPDATE].map(
			async (route) => await service.execute({ route, items: 400, max: 32 }),
		);
		await took(Promise.all(both));
		expect(Math.max(...inFlightOf(service))).toBe(40);
	});

	test('follows a service that gets slower', async () => {
		const service: Service = new Service(() => {
			const inFlight = service.seen.filter(({ ended }) => ended === undefined).length;
			return { after: 100 * Math.ceil(inFlight / 5) };
		});
		const ms = await took(service.execute({ route: READ, items: 1000 }));
		expect(ms).toBeLessThan(1.25 * (1000 / 5) * 100);
		// From 13 on, responses take more than twice as long; the first ones show it with a delay.
		expect(Math.max(...inFlightOf(service).slice(500))).toBeLessThanOrEqual(20);
	});

	test('is not made smaller by milliseconds, in which n8n itself is busy', async () => {
		const service: Service = new Service(() => {
			const inFlight = service.seen.filter(({ ended }) => ended === undefined).length;
			return { after: inFlight > 5 ? 15 : 3 };
		});
		await took(service.execute({ route: READ, items: 500 }));
		expect(Math.max(...inFlightOf(service).slice(300))).toBe(32);
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
		const first = service.seen.filter(({ at }) => at >= begin && at < begin + 100);
		expect(first).toHaveLength(5);
		// Those that were in flight, and few more.
		expect(service.seen.filter(({ status }) => status === 500).length).toBeLessThan(45);
		expect(service.seen).toHaveLength(1000);
	});

	test('is not made smaller by those who ask whether a pause is over', async () => {
		let end = 0;
		const service = new Service(({ at, route }) =>
			route === READ && at < end ? refuse(Math.ceil((end - at) / 1000)) : {},
		);
		await took(service.execute({ route: READ, items: 400 }));
		end = performance.now() + 60_000;
		const large = service.execute({ route: READ, items: 200 });
		for (let each = 0; each < 8; each++) {
			await sleepFor(5000);
			await took(service.execute({ route: READ, items: 1, retry: { budget: 10_000 } }));
		}
		await took(large);
		const first = service.seen.find(({ at }) => at >= end)?.at ?? 0;
		const soon = inFlightOf(service).filter((_each, index) => {
			const after = service.seen[index].at - first;
			return after >= 0 && after < 800;
		});
		expect(Math.max(...soon)).toBeGreaterThanOrEqual(14);
	});

	test('is not made smaller by one moment in which all responses are late', async () => {
		const service = new Service(({ at }) => ({ after: at >= late && at < late + 100 ? 300 : 100 }));
		const late = performance.now() + 3000;
		await took(service.execute({ route: READ, items: 1500 }));
		expect(Math.min(...inFlightOf(service).slice(500, 1400))).toBeGreaterThan(30);
	});

	test('becomes high again where a service is slow for good', async () => {
		const service = new Service((_request, index) => ({ after: index < 500 ? 100 : 300 }));
		const ms = await took(service.execute({ route: READ, items: 1500 }));
		expect(Math.max(...inFlightOf(service).slice(1000))).toBeGreaterThan(20);
		// With only CUBIC's decrease from slow start's limit, it stays too high longer.
		expect(ms).toBeLessThan(20_700);
	});

	test('is not learned from the first response of a route', async () => {
		const service = new Service(({ execution }) => ({ after: execution === 1 ? 1 : 300 }));
		await took(service.execute({ route: UPDATE, items: 1 }));
		await took(service.execute({ route: UPDATE, items: 400 }));
		expect(Math.max(...inFlightOf(service))).toBe(32);
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
	test('soon after Retry Time, however many items there are and whatever the API says', async () => {
		for (const retryAfter of [1, 30, undefined]) {
			const service = new Service(() => refuse(retryAfter));
			const work = service.execute({ route: READ, items: 300 });
			expect(await took(work)).toBeLessThan(180_000);
			expect((await work).every((each) => !(each instanceof Error))).toBe(true);
			const pauses = (await work).map((each) => 'pause' in each && each.pause);
			if (retryAfter === undefined) expect(pauses.filter(Boolean)).toEqual([]);
		}
	});

	test('with the run, for a write that never reached the API', async () => {
		const service = new Service(({ item }) =>
			item === 0 ? { failure: 'ECONNREFUSED', after: 50 } : { status: 400, after: 200 },
		);
		await took(service.execute({ route: UPDATE, items: 2, stops: true }));
		expect(service.seen.map(({ item }) => item)).toEqual([0, 1]);
	});

	test('soon after Retry Time for each of many executions', async () => {
		const service = new Service(() => refuse(60));
		const executions = several(service, 100, { route: READ, items: 1 }, 100);
		expect(await took(executions)).toBeLessThan(240_000);
	});

	test('a pause that others were told of is asked about once, not believed', async () => {
		const service = new Service((_request, index) => (index === 0 ? refuse(600) : {}));
		await took(service.execute({ route: READ, items: 1 }));
		// One asks, and the others go when it was accepted.
		expect(await took(service.execute({ route: READ, items: 30 }))).toBeLessThan(1500);
	});

	test.each([1000, 2000, 5000])(
		'not because of the rate alone: 200 executions of one request, one per %i ms',
		async (period) => {
			const service = limitedTo({ ...oneASecond, period });
			const executions = several(service, 200, { route: READ, items: 1 });
			await took(executions);
			const outcomes = (await executions).flat();
			expect(outcomes.filter((each) => !('status' in each) || each.status !== 200)).toEqual([]);
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
		expect(service.seen.filter(({ at }) => at > begin + 30_500).length).toBeLessThan(10);
	});

	test('of an hour that ends early, soon after that: a request asks every ten seconds', async () => {
		const service = new Service(({ at }) => (at < open ? refuse(3600) : {}));
		const open = performance.now() + 15_000;
		const reads = several(service, 60, { route: READ, items: 1 }, 1000);
		await took(reads);
		const isRead = (await reads).map(([each]) => 'status' in each && each.status === 200);
		expect(isRead.indexOf(true)).toBeLessThanOrEqual(26);
		expect(isRead.slice(26)).not.toContain(false);
		expect(service.seen.filter(({ status }) => status === 429).length).toBeLessThanOrEqual(5);
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

	test('not because of what the API says to others: who was asked to wait shortly asks again', async () => {
		const service = new Service(({ execution }, index) =>
			execution === 2 ? refuse(3600) : index === 0 ? refuse(1) : {},
		);
		const first = service.execute({ route: READ, items: 1 });
		await sleepFor(50);
		await took(service.execute({ route: READ, items: 1 }));
		await took(first);
		expect(await first).toMatchObject([{ status: 200 }]);
	});

	test('soon after Retry Time for an item that is refused while others fail', async () => {
		const service = new Service(({ item }) => (item === 0 ? refuse(1) : { status: 502 }));
		await took(service.execute({ route: READ, items: 60, max: 2, retry: { budget: 20_000 } }));
		const attempts = service.seen.filter(({ item }) => item === 0).map(({ at }) => at);
		// It waits for its turn, too: what failed goes first.
		expect(Math.max(...attempts) - attempts[0]).toBeLessThan(40_000);
	});

	test('after a few requests for all items of an execution that only others were told to wait', async () => {
		const service = new Service(() => refuse(600));
		await took(service.execute({ route: READ, items: 1 }));
		expect(await took(service.execute({ route: READ, items: 30 }))).toBeLessThan(1500);
		expect(service.seen.filter(({ execution }) => execution === 2).length).toBeLessThanOrEqual(3);
	});

	test('as soon as the API asks for a shorter pause than before', async () => {
		const service = new Service((_request, index) =>
			index < 2 ? refuse(index === 0 ? 600 : 2) : {},
		);
		await took(service.execute({ route: READ, items: 1 }));
		await sleepFor(1000);
		const next = service.execute({ route: READ, items: 1 });
		expect(await took(next)).toBeLessThan(3000);
		expect(await next).toMatchObject([{ status: 200 }]);
	});

	test('within Retry Time for a request that first fails and then is refused', async () => {
		const service = new Service((_request, index) =>
			index < 3 ? { after: 50_000, status: 502 } : refuse(),
		);
		expect(await took(service.execute({ route: READ, items: 1 }))).toBeLessThan(170_000);
	});

	test('a refusal that is longer past than Retry Time does not count for a later one', async () => {
		const service: Service = new Service(({ item }, index) => {
			if (item === 0) return refuse();
			const isFirst = service.seen.filter((each) => each.item === 1).length === 1;
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
		const service = new Service((_request, index) => {
			const ahead = Date.now() + hour;
			return index > 3
				? {}
				: {
						status: 429,
						headers: {
							date: new Date(ahead).toUTCString(),
							'retry-after': new Date(ahead + 5000).toUTCString(),
						},
					};
		});
		const work = service.execute({ route: READ, items: 100 });
		expect(await took(work)).toBeLessThan(40_000);
		expect((await work).map((each) => 'status' in each && each.status)).toEqual(
			new Array(100).fill(200),
		);
	});
});

test('a lock is passed on in order: not to who was cancelled, and none holds up another', async () => {
	const { locks } = new Traffic();
	const begun: string[] = [];
	const signals = new Map<string, AbortController>();
	const hold = async (name: string, who: string, ms = 100) => {
		const cancel = new AbortController();
		signals.set(who, cancel);
		const release = await locks.take(name, [cancel.signal]);
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
	signals.get('cancelled')?.abort();
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
