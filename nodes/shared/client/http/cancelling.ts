// What is to end when an execution is cancelled in n8n.

const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * What is called when a signal is aborted. The signal has one listener for all of them: a loop can send
 * any number of requests in one execution, and each listener costs time.
 */
export function whenAborted(signal: AbortSignal): Set<() => void> {
	const known = waiting.get(signal);
	if (known) return known;
	const ends = new Set<() => void>();
	waiting.set(signal, ends);
	signal.addEventListener('abort', () => {
		for (const end of ends) end();
	});
	return ends;
}
