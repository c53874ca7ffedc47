// Work on many things, a few at a time.

/**
 * Calls `work` for 0 to `count` - 1, at most `parallel` at a time, a number that may change
 * meanwhile. After one that gives `false`, or fails, no more are started; those under way are waited
 * for, then the failure of the lowest index is thrown.
 */
export async function inPool(
	count: number,
	parallel: number | (() => number),
	work: (index: number) => Promise<unknown>,
): Promise<void> {
	const most = typeof parallel === 'number' ? () => parallel : parallel;
	let next = 0;
	let running = 0;
	let stopped = false;
	const failures: Array<{ index: number; error: unknown }> = [];
	await new Promise<void>((end) => {
		const startOne = async (index: number) => {
			running++;
			const goesOn = await work(index).catch((error: unknown) => {
				failures.push({ index, error });
				return false;
			});
			running--;
			if (goesOn === false) stopped = true;
			fill();
		};
		const fill = () => {
			while (running < most() && next < count && !stopped) void startOne(next++);
			if (running === 0) end();
		};
		fill();
	});
	if (failures.length > 0) {
		throw failures.reduce((first, each) => (each.index < first.index ? each : first)).error;
	}
}
