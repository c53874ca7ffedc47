// Simulated time: what waits goes on at once, in the order of its moments.

/** Simulates the time of each test of a file. */
export function useSimulatedTime(): void {
	beforeEach(() => {
		jest.useFakeTimers();
	});
	afterEach(() => {
		jest.useRealTimers();
	});
}

export const sleep = async (milliseconds: number) =>
	await new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/**
 * Lets simulated time pass until work is done, or for so many milliseconds.
 * @returns whether it is done; a failure is the caller's to see
 */
export async function passUntilDone(work: Promise<unknown>, longest: number): Promise<boolean> {
	const start = Date.now();
	let done = false;
	const end = () => {
		done = true;
	};
	work.then(end, end);
	while (!done && Date.now() - start <= longest) {
		if (jest.getTimerCount() > 0) await jest.advanceTimersToNextTimerAsync();
		else await jest.advanceTimersByTimeAsync(1);
	}
	return done;
}
