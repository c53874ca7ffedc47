// Time that leaps: it stands still while anything is under way, and goes on to the next timer when all
// wait for one. What takes minutes by the clock takes moments, and no slow machine is late.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { timers } from '../../simulatedTimers.cts';

/** How long the wires must be still in real time when not all that was sent has visibly come. */
const STILL_MS = 40;

/** Turns of the event loop in which nothing may happen: a chain of callbacks needs one for each link. */
const TURNS = 20;

const real = { now: performance.now.bind(performance), setImmediate };

/** Requests and responses between two sockets of this process. */
const wire = { underWay: 0, lastSign: 0 };

const counting = (change: 1 | -1) => () => {
	wire.underWay += change;
	wire.lastSign = real.now();
};

/** Channels are the process's, and so outlive a file of tests: what it subscribes, it takes away again. */
const counts = [
	['http.client.request.start', counting(1)],
	['http.server.request.start', counting(-1)],
	['http.server.response.finish', counting(1)],
	['http.client.response.finish', counting(-1)],
] as const;

/** Whether nothing is on a wire. What a broken connection has lost is given up after a while. */
function isStill(): boolean {
	if (wire.underWay === 0) return true;
	if (real.now() - wire.lastSign < STILL_MS) return false;
	wire.underWay = 0;
	return true;
}

async function leap(running: { on: boolean }): Promise<void> {
	while (running.on) {
		const { lastSign } = wire;
		for (let turn = 0; turn < TURNS; turn++) {
			await new Promise<void>((resolve) => real.setImmediate(resolve));
		}
		if (running.on && lastSign === wire.lastSign && isStill() && timers.count() > 0) {
			await timers.next();
		}
	}
}

/** How many services of a file let time leap. */
let users = 0;

/** Lets time leap in a file. It is one time for all its tests, as what is known of an API is kept between them. */
export function useLeapingTime(): void {
	const running = { on: true };
	let leaps: Promise<void> | undefined;
	beforeAll(() => {
		if (users++ > 0) return;
		for (const [name, count] of counts) subscribe(name, count);
		timers.install();
		leaps = leap(running);
	});
	afterAll(async () => {
		users--;
		if (!leaps) return;
		running.on = false;
		await leaps;
		for (const [name, count] of counts) unsubscribe(name, count);
		timers.uninstall();
	});
}
