// Simulated time outside of jest: timers fire at once, in the order of their moments.
import { setImmediate as turn } from 'node:timers/promises';

/** Runs work in simulated time; gives what it gives. */
export async function inSimulatedTime<T>(work: () => Promise<T>): Promise<T> {
	const { setTimeout: ownTimeout } = globalThis;
	const { timeout: ownSignal } = AbortSignal;
	const ownNow = performance.now.bind(performance);
	const timers: Array<{ at: number; run: () => void }> = [];
	let now = 0;
	const later = (run: () => void, milliseconds = 0) => {
		const at = now + Math.max(0, milliseconds);
		let index = timers.length;
		while (index > 0 && timers[index - 1].at <= at) index--;
		timers.splice(index, 0, { at, run });
	};
	globalThis.setTimeout = later as typeof setTimeout;
	performance.now = () => now;
	AbortSignal.timeout = (milliseconds) => {
		const controller = new AbortController();
		later(() => controller.abort(new DOMException('Over', 'TimeoutError')), milliseconds);
		return controller.signal;
	};
	try {
		let isOver = false;
		const result = work().finally(() => (isOver = true));
		for (;;) {
			await turn();
			if (isOver) return await result;
			const next = timers.pop();
			if (!next) throw new Error('The work waits for nothing');
			now = Math.max(now, next.at);
			next.run();
		}
	} finally {
		globalThis.setTimeout = ownTimeout;
		AbortSignal.timeout = ownSignal;
		performance.now = ownNow;
	}
}
