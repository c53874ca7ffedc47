// Locks by name: who reads, merges and writes a record has it alone, of all executions that share a key.
import { untilAborted } from '../../base/pool';

/** A task with a lock. It can ask whether no other one with the same lock has ended since a moment. */
export type Locked<T> = (isFirstSince: (moment: number) => boolean) => Promise<T>;

/**
 * Max locks whose last end is remembered by name.
 * Scene: "a lock tells who has it if another one had it since a moment".
 */
const REMEMBERED = 1_000;

export class Locks {
	/** Number of locks that were passed on or released so far: a moment, for `isFirstSince`. */
	moment = 0;

	/** The moments at which locks ended last, by their names. Older ones ended no later than `forgotten`. */
	private readonly ends = new Map<string, number>();

	private forgotten = 0;

	/** Tasks that wait, the first one first, by the name of a lock that another one has. */
	private readonly queues = new Map<string, Set<() => void>>();

	/** True if all locks are free. */
	get isEmpty(): boolean {
		return this.queues.size === 0;
	}

	/**
	 * Waits for a lock, in the order of the calls. Who has it must not wait for it again.
	 * Scene: "a lock is passed on in order".
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

	/** True if no other task has had the lock since a moment. The one that asks has it now. */
	isFirstSince(name: string, moment: number): boolean {
		return (this.ends.get(name) ?? this.forgotten) <= moment;
	}

	/** Passes a lock on to the task that has waited longest, or frees it. */
	private release(name: string): void {
		this.ends.delete(name);
		this.ends.set(name, ++this.moment);
		if (this.ends.size > REMEMBERED) {
			const [[oldest, end]] = this.ends;
			this.ends.delete(oldest);
			this.forgotten = end;
		}
		const [next] = this.queues.get(name) ?? [];
		// It leaves the queue, and has the lock.
		if (next) next();
		else this.queues.delete(name);
	}
}
