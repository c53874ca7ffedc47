// Work on many things, a few at a time.

/** Ends work whose pool has failed before it has done anything: this is no failure of its own. */
export class Stopped extends Error {}

/**
 * Calls `work` for 0 to `count` - 1, at most `parallel` at a time, a number that may change
 * meanwhile. After one that gives `false`, or fails, no more are started; those under way are waited
 * for, then the failure of the lowest index is thrown.
 * @param work `isOver` tells whether another one has failed: it throws `Stopped` if it has done nothing yet
 */
export async function inPool(
	count: number,
	parallel: number | (() => number),
	work: (index: number, isOver: () => boolean) => Promise<unknown>,
): Promise<void> {
	const most = typeof parallel === 'number' ? () => parallel : parallel;
	let next = 0;
	let running = 0;
	let ended = false;
	const failures: Array<{ index: number; error: unknown }> = [];
	const isOver = () => failures.length > 0;
	await new Promise<void>((end) => {
		const startOne = async (index: number) => {
			running++;
			const goesOn = await work(index, isOver).catch((error: unknown) => {
				if (!(isOver() && error instanceof Stopped)) failures.push({ index, error });
				return false;
			});
			running--;
			if (goesOn === false) ended = true;
			fill();
		};
		const fill = () => {
			while (running < most() && next < count && !ended) void startOne(next++);
			if (running === 0) end();
		};
		fill();
	});
	if (failures.length > 0) {
		throw failures.reduce((first, each) => (each.index < first.index ? each : first)).error;
	}
}
