// Locks by name. A task that reads, merges and writes a record has it alone, of all executions that share a key.
import { untilAborted } from './pool';

/** `isFirstSince` is true if no other task had the lock since a moment, so that what was read then still holds. */
export type Locked<T> = (isFirstSince: (moment: number) => boolean) => Promise<T>;

const REMEMBERED = 1_000;

export class Locks {
	moment = 0;

	private readonly ends = new Map<string, number>();

	/** All locks that aren't in `ends` ended at this moment or earlier. */
	private forgotten = 0;

	/** Tasks that wait for each lock that is taken, the first one first. */
	private readonly queues = new Map<string, Set<() => void>>();

	get isEmpty(): boolean {
		return this.queues.size === 0;
	}

	/**
	 * Waits for a lock, in the order of the calls. A task that has the lock must not wait for it again.
	 * @returns a function that passes the lock on
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

	/** Only a task that has the lock may ask. False if the last end of the lock is forgotten. */
	isFirstSince(name: string, moment: number): boolean {
		return (this.ends.get(name) ?? this.forgotten) <= moment;
	}

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
