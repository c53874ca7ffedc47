// The plainest way to keep a number of requests in flight, for the ways that have no better one.

/** Calls `work` for 0 to `count` - 1, at most `parallel` at a time. */
export async function pool(
	count: number,
	parallel: number,
	work: (index: number) => Promise<void>,
): Promise<void> {
	let next = 0;
	const worker = async () => {
		while (next < count) await work(next++);
	};
	await Promise.all(Array.from({ length: Math.min(count, parallel) }, worker));
}
