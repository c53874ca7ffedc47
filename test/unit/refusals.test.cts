// Whom a refusal or a failure holds up, and for how long (traffic.ts, retry.ts): scenes in simulated time, of services
// with limits of records, outages, limits that they don't tell, and mistakes.
import { LimitedServer, random } from './rateSimulation.cts';
import {
	course,
	EMBED,
	OTP,
	READ,
	refuse,
	replyOf,
	Service,
	UPDATE,
	type Seen,
} from './simulatedService.cts';
import { sleep, sleepFor, took, useSimulatedTime } from './simulatedTime.cts';

useSimulatedTime();

const hour = 3_600_000;

describe('the limit of one record', () => {
	const isLocked = ({ record }: Seen) => (record === 'user 3' ? refuse(60) : {});
	const recordOf = (item: number) => `user ${item % 20}`;

	test('fails the items of that record only', async () => {
		const work = { route: OTP, items: 100, recordOf };
		expect(await course(new Service(isLocked), 1, work)).toMatchObject({ failed: 5 });
	});

	test('holds up no execution for another record', async () => {
		const service = new Service(isLocked);
		const waits: number[] = [];
		const all = Array.from({ length: 100 }, async (_each, index) => {
			await sleep(index * 500);
			const begin = performance.now();
			await service.execute({ route: OTP, items: 1, recordOf: () => recordOf(index) });
			if (index % 20 !== 3) waits.push(performance.now() - begin);
		});
		await took(Promise.all(all));
		expect(Math.max(...waits)).toBeLessThanOrEqual(200);
	});

	test('is kept to as its rate, beside others at full speed', async () => {
		const limited = new LimitedServer({ counting: 'fixed window', limit: 5, period: 60_000 });
		const service = new Service(({ record, at }) =>
			record === 'slow' ? replyOf(limited, at) : {},
		);
		const work = { route: EMBED, items: 30, retry: { budget: hour } };
		const slow = course(service, 1, { ...work, recordOf: () => 'slow' });
		await sleepFor(2000);
		const fast = await course(service, 1, { ...work, items: 200, recordOf: () => 'fast' });
		expect(fast.ms).toBeLessThan(2500);
		await took(slow);
		// Its own time: of two that let time pass, one may pass the end of the other.
		const { ms, refused } = await slow;
		expect(ms).toBeLessThan(6.2 * 60_000);
		expect(refused).toBeLessThan(60);
	});

	test('is not asked about during a pause of its route', async () => {
		let end = Infinity;
		const service = new Service(({ record, at }) => {
			if (record === 'locked') return refuse(600);
			return at < end ? refuse(20) : {};
		});
		const locked = { route: READ, items: 1, recordOf: () => 'locked' };
		await took(service.execute(locked));
		end = performance.now() + 20_000;
		const others = service.execute({ route: READ, items: 2 });
		await sleepFor(1000);
		await took(service.execute(locked));
		expect(service.seen.findLast(({ record }) => record === 'locked')?.at).toBeGreaterThan(end);
		await took(others);
	});

	const about = (record: string) => ({ route: READ, items: 1, recordOf: () => record });

	test('stays when another one is throttled without Retry-After', async () => {
		const service = new Service(({ record }, index) =>
			index > 1 ? {} : refuse(record === 'long' ? 10 : undefined),
		);
		const long = service.execute(about('long'));
		await sleepFor(200);
		const other = service.execute(about('other'));
		expect(await took(long)).toBeGreaterThan(9000);
		await took(other);
	});

	test('throttled without Retry-After never holds up the whole key', async () => {
		const service = new Service(({ route }, index) =>
			index > 1 ? {} : refuse(route === UPDATE ? 2 : undefined),
		);
		const all = [service.execute(about('one'))];
		await sleepFor(100);
		all.push(service.execute({ ...about('two'), route: UPDATE }));
		await sleepFor(150);
		expect(await took(service.execute({ ...about('three'), route: EMBED }))).toBeLessThan(500);
		await took(Promise.all(all));
	});

	// Much longer than Retry Time.
	test.each(['fixed window', 'sliding window', 'token bucket'] as const)(
		'a route that takes five a minute, by a %s, fails no item',
		async (counting) => {
			const limited = new LimitedServer({ counting, limit: 5, period: 60_000, phase: 0.3 });
			const service = new Service(({ at }) => replyOf(limited, at));
			const { failed, refused } = await course(service, 1, { route: READ, items: 200 });
			expect(failed).toBe(0);
			expect(refused).toBeLessThan(40);
		},
	);
});

describe('an API that fails or refuses', () => {
	test.each([
		[10, 1000, 160],
		[60, 1500, 360],
	])('for %i s fails no read', async (seconds, items, wasted) => {
		const begin = performance.now();
		const service = new Service(({ at }) => {
			const time = at - begin;
			return time > 1000 && time < 1000 * (1 + seconds) ? { status: 503 } : {};
		});
		expect(await course(service, 1, { route: READ, items })).toMatchObject({ failed: 0 });
		expect(service.seen.length - items).toBeLessThan(wasted);
	});

	test('twice in an execution fails no read', async () => {
		const begin = performance.now();
		const isDown = (at: number) =>
			at - begin < 100 || (at - begin > 200_000 && at - begin < 260_000);
		const service = new Service(({ at }) => ({ after: 1000, status: isDown(at) ? 503 : 200 }));
		const work = { route: READ, items: 300, max: 1 };
		expect(await course(service, 1, work)).toMatchObject({ failed: 0 });
	});

	test('for one record, or for longer than Retry Time, is asked five times', async () => {
		const one = new Service(({ item }) => (item === 7 ? { status: 502 } : {}));
		await took(one.execute({ route: READ, items: 100 }));
		expect(one.seen.filter(({ item }) => item === 7)).toHaveLength(5);
		const all = new Service(() => ({ status: 502 }));
		expect((await course(all, 1, { route: READ, items: 300 })).ms).toBeLessThan(260_000);
		const items = all.seen.map(({ item }) => item);
		expect(items.filter((item) => item === 299)).toHaveLength(5);
	});

	test('without Retry-After holds up others no longer than it needs to', async () => {
		const limited = new LimitedServer({ counting: 'token bucket', limit: 3, period: 1000 });
		const service = new Service(({ at }) => (limited.request(at).taken ? {} : refuse()));
		const busy = course(service, 5, { route: READ, items: 60 });
		await sleepFor(2000);
		expect(await took(service.execute({ route: READ, items: 1 }))).toBeLessThan(4000);
		await took(busy);
		expect((await busy).ms).toBeLessThan(1.1 * 100_000);
		expect((await busy).refused).toBeLessThan(100);
	});

	test('without Retry-After is asked ever less often, and a minute later soon again', async () => {
		let refusedUntil = Infinity;
		const service = new Service((_request, index) => (index < refusedUntil ? refuse() : {}));
		const work = { route: READ, items: 20, max: 1, recordOf: () => undefined };
		expect((await course(service, 1, work)).failed).toBe(20);
		// Retry Time is two minutes: five times until the pauses are 16 s long, then seven times.
		expect(service.seen.length).toBeLessThan(15);
		await sleepFor(60_000);
		refusedUntil = service.seen.length + 1;
		expect(await took(service.execute({ ...work, items: 1 }))).toBeLessThan(1000);
	});

	test.each([READ, 'GET /customers.json' as const])(
		'%s once by mistake, for an hour, fails one item',
		async (route) => {
			const service = new Service((_request, index) => (index === 1680 ? refuse(3600) : {}));
			const recordOf = route === READ ? undefined : () => undefined;
			const { failed, ms } = await course(service, 1, { route, items: 2000, recordOf });
			expect(failed).toBe(1);
			expect(ms).toBeLessThan(9_000);
		},
	);

	test('everything for 30 s after one too many gets as many as Max Requests per Second', async () => {
		const taken: number[] = [];
		let open = 0;
		const chance = random(3);
		const service = new Service(({ at: sentAt }) => {
			const at = sentAt + 50 * chance();
			if (at < open) return refuse(Math.ceil((open - at) / 1000));
			if (taken.filter((each) => each > at - 1000).length < 5) taken.push(at);
			else open = at + 30_000;
			return at < open ? refuse(30) : {};
		});
		// Those that haven't set it keep to it as well. Requests take different times to arrive.
		const others = service.execute({ route: UPDATE, items: 100 });
		const { ms, refused } = await course(service, 2, { route: READ, items: 100, perSecond: 5 });
		expect(refused).toBeLessThanOrEqual(5);
		expect(ms).toBeLessThan(105_000);
		await took(others);
	});

	test('Max Requests per Second counts while its client waits, and two minutes longer', async () => {
		const service = new Service(() => ({}));
		const slow = await course(service, 1, { route: READ, items: 20, perSecond: 0.1 });
		expect(slow.ms).toBeGreaterThan(19 * 10_000);
		await sleepFor(121_000);
		expect((await course(service, 1, { route: READ, items: 20 })).ms).toBeLessThan(1000);
	});
});

// If each looked at all who wait, twenty times as many would take twenty times as long. What others take from a processor, or the
// collection of garbage, lengthens one play, so the shortest of three counts.
test('processor time does not grow with those who wait', async () => {
	const shortest = async (count: number) => {
		const costs: number[] = [];
		for (let play = 0; play < 3; play++) {
			const begin = process.cpuUsage();
			await course(new Service(() => ({})), count, { route: READ, items: 2000 / count, max: 20 });
			const { user, system } = process.cpuUsage(begin);
			costs.push(user + system);
		}
		return Math.min(...costs);
	};
	expect((await shortest(200)) / (await shortest(10))).toBeLessThan(8);
});
