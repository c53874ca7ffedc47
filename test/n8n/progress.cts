// Lines of progress for work that takes a while.

export type Log = (line: string) => void;

const REPORT_EVERY_MS = 15_000;

/** Tells the beginning of the work, that it still goes on every 15 s, and how long it took. */
export async function withProgress<T>(title: string, log: Log, work: () => Promise<T>): Promise<T> {
	const begin = Date.now();
	const elapsed = () => `${Math.round((Date.now() - begin) / 1000)} s`;
	log(`${title} ...`);
	const timer = setInterval(() => log(`  still at it, ${elapsed()}`), REPORT_EVERY_MS);
	try {
		const result = await work();
		log(`  done in ${elapsed()}`);
		return result;
	} finally {
		clearInterval(timer);
	}
}
