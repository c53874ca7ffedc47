// Simulated time: what waits goes on at once, in the order of its moments.
import { timers } from '../simulatedTimers.cts';

/** Simulates the time of each test of a file. */
export function useSimulatedTime(): void {
	beforeEach(() => timers.install());
	afterEach(() => timers.uninstall());
}

export const sleep = async (milliseconds: number) =>
	await new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/**
 * Lets simulated time pass until work is done, or for so many milliseconds.
 * @returns whether it is done; a failure is the caller's to see
 */
export async function passUntilDone(work: Promise<unknown>, longest: number): Promise<boolean> {
	const start = performance.now();
	let done = false;
	const end = () => {
		done = true;
	};
	work.then(end, end);
	while (!done && performance.now() - start <= longest) {
		if (timers.count() > 0) await timers.next();
		else await timers.pass(1);
	}
	return done;
}

/** Lets simulated time pass until the work is done; gives the milliseconds that it took. */
export async function took(work: Promise<unknown>, longest = 3_600_000): Promise<number> {
	const start = performance.now();
	if (!(await passUntilDone(work, longest))) throw new Error('The work does not come to its end');
	await work;
	return performance.now() - start;
}

/** Lets simulated time pass. */
export async function sleepFor(milliseconds: number): Promise<void> {
	await passUntilDone(sleep(milliseconds), milliseconds + 1);
}
