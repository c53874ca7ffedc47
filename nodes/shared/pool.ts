// Work on many things, a few at a time.

/**
 * Calls `work` for 0 to `count` - 1, at most `parallel` at a time. After one that gives `false`, or
 * fails, no more are started; those under way are waited for, then the failure of the lowest index
 * is thrown.
 */
export async function inPool(
	count: number,
	parallel: number,
	work: (index: number) => Promise<unknown>,
): Promise<void> {
	let next = 0;
	let stopped = false;
	const failures: Array<{ index: number; error: unknown }> = [];
	const worker = async () => {
		while (next < count && !stopped) {
			const index = next++;
			const goesOn = await work(index).catch((error: unknown) => {
				failures.push({ index, error });
				return false;
			});
			if (goesOn === false) stopped = true;
		}
	};
	await Promise.all(Array.from({ length: Math.min(count, parallel) }, worker));
	if (failures.length > 0) {
		throw failures.reduce((first, each) => (each.index < first.index ? each : first)).error;
	}
}
