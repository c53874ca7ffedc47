// Tasks side by side: which failure ends them.
import { inPool, Stopped } from '../../dist/nodes/engine/base/pool.js';

const aborted = async (signal: AbortSignal) =>
	await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

test('a task that is stopped because another one failed is no failure', async () => {
	const work = async (index: number, signal: AbortSignal) => {
		if (index === 1) throw new Error('of the second task');
		await aborted(signal);
		throw signal.reason;
	};
	await expect(inPool(2, 2, work)).rejects.toThrow('of the second task');
});

test('of two failures, that of the first task is thrown', async () => {
	const work = async (index: number, signal: AbortSignal) => {
		if (index === 0) await aborted(signal);
		throw new Error(`of task ${index}`);
	};
	await expect(inPool(2, 2, work)).rejects.toThrow('of task 0');
	await expect(inPool(1, 1, async () => await Promise.reject(new Stopped()))).rejects.toThrow(
		Stopped,
	);
});
