// Locks by name: who reads, merges and writes a record has it alone, of all executions that share a key.
import { untilAborted } from './pool';

/**
 * A task with a lock. It can ask whether no other one with the same lock has ended since a moment: then what it read at that
 * moment still holds.
 */
export type Locked<T> = (isFirstSince: (moment: number) => boolean) => Promise<T>;

/** Max locks whose last end is remembered by name. */
const REMEMBERED = 1_000;

export class Locks {
	/** Number of locks that were passed on or released so far: a moment, for `isFirstSince`. */
	moment = 0;

	/** By names of locks, the moments at which they ended last. */
	private readonly ends = new Map<string, number>();

	/** All locks that aren't in `ends` ended at this moment or earlier. */
	private forgotten = 0;

	/** By the name of each lock that is taken, the tasks that wait for it, the first one first. Free locks aren't in it. */
	private readonly queues = new Map<string, Set<() => void>>();

	/** True if all locks are free. */
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

	/** True if no other task has ended with the lock since a moment. The task that asks has it now. False if it's forgotten. */
	isFirstSince(name: string, moment: number): boolean {
		return (this.ends.get(name) ?? this.forgotten) <= moment;
	}

	/** Passes a lock on to the task that has waited longest, or frees it. */
	private release(name: string): void {
		if (this.ends.size >= REMEMBERED) {
			this.ends.clear();
			this.forgotten = this.moment;
		}
		this.ends.set(name, ++this.moment);
		const [next] = this.queues.get(name) ?? [];
		// `next` ends the waiting in `take`, which takes it out of the queue.
		if (next) next();
		else this.queues.delete(name);
	}
}
