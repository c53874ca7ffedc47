// The timers of the process, simulated. Node's own work (sockets, promises, ticks) goes on by itself.
import { install, type Clock } from '@sinonjs/fake-timers';

let clock: Clock | undefined;

const now = () => {
	if (!clock) throw new Error('Time is not simulated');
	return clock;
};

export const timers = {
	install(): void {
		clock = install({
			now: Date.now(),
			// No intervals: nobody waits for one, and n8n's tidying up each minute would let years pass while a file is read.
			toFake: ['Date', 'clearTimeout', 'hrtime', 'performance', 'setTimeout'],
			ignoreMissingTimers: true,
			// Connections of other files of this worker end meanwhile, and what they clear must not fire.
			shouldClearNativeTimers: true,
		});
	},
	uninstall(): void {
		clock?.uninstall();
		clock = undefined;
	},
	/** Number of those that wait. */
	count: (): number => now().countTimers(),
	/** Goes on to the next one, and those of the same moment. */
	async next(): Promise<void> {
		await now().nextAsync();
		await now().tickAsync(0);
	},
	/** Lets so many milliseconds pass. */
	pass: async (milliseconds: number): Promise<void> => void (await now().tickAsync(milliseconds)),
	/** Sets the calendar, and leaves the monotonic clock. */
	setDate: (milliseconds: number): void => now().setSystemTime(milliseconds),
};
