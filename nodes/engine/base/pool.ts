// Runs many tasks, a few at a time, and listens to abort signals.

/** Ends work after another part of its run failed. It's not a failure itself. */
export class Stopped extends Error {}

/** The max number of tasks may change while they run. */
export type Parallel = number | { readonly max: number };

/** Items that are processed before the event loop gets a turn, so that many items don't hold up the rest of n8n. */
export const IN_ONE_GO = 200;

type Listener = (reason: unknown) => void;

const listeners = new WeakMap<AbortSignal, Set<Listener>>();

/**
 * The callbacks of a signal share one listener, because Node.js warns of many. The listener lives as long as the signal, so
 * it's created where it can't reference a callback.
 */
function callbacksOf(signal: AbortSignal): Set<Listener> {
	const known = listeners.get(signal);
	if (known) return known;
	const callbacks = new Set<Listener>();
	listeners.set(signal, callbacks);
	const callAll = () => {
		for (const each of [...callbacks]) each(signal.reason);
	};
	signal.addEventListener('abort', callAll, { once: true });
	return callbacks;
}

/**
 * Calls back unless the signal was aborted before. Without `AbortSignal.any`, whose signals stay in memory on Node.js 20 as
 * long as their sources.
 * @returns a function that removes the callback
 */
export function onAbort(signal: AbortSignal, callback: Listener): () => void {
	const callbacks = callbacksOf(signal);
	callbacks.add(callback);
	return () => callbacks.delete(callback);
}

/**
 * Waits until `begin` calls `end` or `fail`, or until a signal is aborted.
 * @param begin starts the work and returns its clean-up, which is called at the end unless the end comes within `begin`
 * @throws the reason of the signal, or of `fail`
 */
export async function untilAborted<T>(
	signals: AbortSignal[],
	begin: (end: (value: T | Promise<T>) => void, fail: (reason: unknown) => void) => () => unknown,
): Promise<T> {
	for (const each of signals) if (each.aborted) throw each.reason;
	return await new Promise<T>((resolve, reject) => {
		const cleanups: Array<() => unknown> = [];
		let isOver = false;
		// At once, not in a later microtask: until the clean-up, a request that is aborted may still be sent.
		const cleanUp = () => {
			isOver = true;
			for (const each of cleanups) each();
		};
		const end = (value: T | Promise<T>) => {
			cleanUp();
			resolve(value);
		};
		const fail = (reason: unknown) => {
			cleanUp();
			reject(reason);
		};
		cleanups.push(begin(end, fail));
		// For speed: most work ends at once, so it needs no listeners.
		if (!isOver) cleanups.push(...signals.map((each) => onAbort(each, fail)));
	});
}

/**
 * Calls `work` for 0 to `count` - 1. After a call that returns `false` or fails, no more are started.
 * @param work its signal is aborted with `Stopped` when another call fails
 * @throws the failure with the lowest index, after all running calls have ended
 */
export async function inPool(
	count: number,
	parallel: Parallel,
	work: (index: number, signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
	const bound = typeof parallel === 'number' ? { max: parallel } : parallel;
	const run = new AbortController();
	let next = 0;
	let running = 0;
	let isOver = false;
	const failures = new Map<number, unknown>();
	await new Promise<void>((resolve) => {
		const start = async (index: number) => {
			running++;
			const goesOn = await work(index, run.signal).catch((error: unknown) => {
				if (failures.size === 0 || !(error instanceof Stopped)) failures.set(index, error);
				run.abort(new Stopped());
				return false;
			});
			running--;
			if (goesOn === false) isOver = true;
			fill();
		};
		const fill = () => {
			while (next < count && !isOver && running < bound.max) void start(next++);
			if (running === 0) resolve();
		};
		fill();
	});
	if (failures.size > 0) throw failures.get(Math.min(...failures.keys()));
}
