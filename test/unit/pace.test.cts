// Keeping within a rate limit: against simulated servers in simulated time.
import { Pace } from '../../dist/nodes/shared/pace.js';

// Twenty simulated minutes, millisecond by millisecond, take a busy machine a while.
jest.setTimeout(120_000);

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
});

const sleep = async (milliseconds: number) =>
	await new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** Lets through `rate` requests in any `period`, and asks all others to wait as long. */
class Server {
	readonly accepted: number[] = [];

	readonly refused: number[] = [];

	constructor(
		readonly rate: number,
		readonly period = 1000,
		private readonly latency = 3,
	) {}

	/** Milliseconds to wait, when it refuses. */
	async request(): Promise<number | undefined> {
		// Not every request takes the same way.
		await sleep(Math.random() * 10);
		const now = Date.now();
		const recent = this.accepted.filter((moment) => moment > now - this.period).length;
		if (recent >= this.rate) {
			this.refused.push(now);
			return this.period;
		}
		this.accepted.push(now);
		await sleep(this.latency);
		return undefined;
	}
}

/** Sends `count` requests, `parallel` at a time, until each has passed; gives the milliseconds. */
async function sendAll(pace: Pace, server: Server, count: number, parallel = 5): Promise<number> {
	const start = Date.now();
	let left = count;
	const worker = async () => {
		while (left > 0) {
			left--;
			for (let passed = false; !passed;) {
				for (let hold; (hold = pace.hold(Date.now())) > 0;) await sleep(hold);
				const pause = await server.request();
				if (pause === undefined) {
					pace.answered(Date.now());
					passed = true;
				} else {
					pace.refused(Date.now(), pause);
					await sleep(pause);
				}
			}
		}
	};
	let running = parallel;
	for (let each = 0; each < parallel; each++) void worker().finally(() => running--);
	while (running > 0) await jest.advanceTimersByTimeAsync(1);
	return Date.now() - start;
}

test('nobody is held back while nothing is refused', async () => {
	const server = new Server(Infinity, 1000, 10);
	expect(await sendAll(new Pace(), server, 500)).toBeLessThan((500 / 5) * 21);
});

test('one refusal pauses everybody for as long as the API asks', () => {
	const pace = new Pace();
	expect(pace.hold(0)).toBe(0);
	pace.refused(100, 7000);
	pace.refused(150, 2000);
	expect(pace.hold(600)).toBe(6500);
	expect(pace.hold(7100)).toBe(0);
});

test('after the first refusal everything goes on as before', () => {
	const pace = new Pace();
	for (let each = 0; each < 4; each++) expect(pace.hold(0)).toBe(0);
	for (let each = 0; each < 3; each++) pace.answered(10);
	pace.refused(10, 1000);
	// Three had passed before, but others may have sent as well: that is no rate.
	for (let each = 0; each < 20; each++) expect(pace.hold(1010)).toBe(0);
});

test.each([
	[5, 1000],
	[10, 1000],
	[60, 60_000],
])('%i requests in %i ms: few are refused, and little time is lost', async (rate, period) => {
	const server = new Server(rate, period);
	const periods = 20;
	const time = await sendAll(new Pace(), server, rate * periods);
	expect(server.accepted).toHaveLength(rate * periods);
	// Two lots of those in flight until the rate is known, then one request for each trial.
	expect(server.refused.length).toBeLessThanOrEqual(2 * 5 + periods / 2);
	expect(time / (periods * period)).toBeLessThan(1.15);
});

test('a rate that was learned beside others grows when they stop', async () => {
	const server = new Server(4);
	const pace = new Pace();
	await sendAll(pace, server, 30);
	const alone = new Server(12);
	// At four a second it would take fifty.
	expect(await sendAll(pace, alone, 200)).toBeLessThan(40_000);
});

test('a limit that is tightened is learned again', async () => {
	const pace = new Pace();
	await sendAll(pace, new Server(20), 100);
	const tight = new Server(2);
	await sendAll(pace, tight, 40);
	expect(tight.refused.length).toBeLessThanOrEqual(20);
});

test('a refusal without a time to wait teaches nothing', () => {
	const pace = new Pace();
	for (let each = 0; each < 3; each++) {
		expect(pace.hold(0)).toBe(0);
		expect(pace.hold(0)).toBe(0);
		pace.answered(1);
		pace.refused(1, 0);
	}
	for (let each = 0; each < 20; each++) expect(pace.hold(2)).toBe(0);
});

test('when all are refused, others have used up the limit: that is no rate', () => {
	const pace = new Pace();
	for (let now = 0; now < 5000; now += 1000) {
		expect(pace.hold(now)).toBe(0);
		expect(pace.hold(now)).toBe(0);
		pace.refused(now, 1000);
		pace.refused(now, 1000);
	}
	for (let each = 0; each < 20; each++) expect(pace.hold(5000)).toBe(0);
});

test('what is taken although another one is refused counts for the rate', () => {
	const pace = new Pace();
	pace.hold(0);
	pace.refused(0, 1000);
	for (let each = 0; each < 5; each++) expect(pace.hold(1000)).toBe(0);
	pace.answered(1010);
	pace.refused(1010, 1000);
	for (let each = 0; each < 3; each++) pace.answered(1020);
	// Four of five.
	for (let each = 0; each < 4; each++) expect(pace.hold(2010)).toBe(0);
	expect(pace.hold(2010)).toBeGreaterThan(1000);
	expect(pace.hold(3100)).toBe(0);
});

test('the rate is known also when refusals come before the answers', async () => {
	const server = new Server(10, 1000, 100);
	await sendAll(new Pace(), server, 200, 20);
	expect(server.refused.length).toBeLessThanOrEqual(2 * 20 + 10);
});
