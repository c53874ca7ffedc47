// Locks by name: who reads, merges and writes a record has it alone, of all executions that share a key.
import { untilAborted } from '../../base/pool';

export class Locks {
	/** Those that wait, the first one first, by the name of a lock that somebody has. */
	private readonly queues = new Map<string, Set<() => void>>();

	/** True if nobody has a lock. */
	get isEmpty(): boolean {
		return this.queues.size === 0;
	}

	/**
	 * Waits for a lock, in the order of the calls. Who has it must not wait for it again.
	 * @returns a function that passes it on
	 * @throws the reason of a signal, which ends the waiting
	 */
	async take(name: string, signals: AbortSignal[]): Promise<() => void> {
		await untilAborted<void>(signals, (end) => {
			const queue = this.queues.get(name) ?? new Set();
			const isFree = !this.queues.has(name);
			this.queues.set(name, queue);
			const begin = () => end();
			if (isFree) begin();
			else queue.add(begin);
			return () => queue.delete(begin);
		});
		return () => this.release(name);
	}

	private release(name: string): void {
		const [next] = this.queues.get(name) ?? [];
		// It leaves the queue, and has the lock.
		if (next) next();
		else this.queues.delete(name);
	}
}
