// A wait by the timers of the process, which a test may simulate (those of node:timers/promises it can't).

/** Resolves after so many milliseconds, and fails when a signal ends it before. */
export async function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
	signal?.throwIfAborted();
	await new Promise<void>((resolve, reject) => {
		const end = () => {
			clearTimeout(timer);
			reject(signal?.reason as Error);
		};
		const timer = setTimeout(() => {
			signal?.removeEventListener('abort', end);
			resolve();
		}, milliseconds);
		signal?.addEventListener('abort', end, { once: true });
	});
}
