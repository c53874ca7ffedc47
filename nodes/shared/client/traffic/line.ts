// The requests of one execution that wait for their turn.

/** A request that waits for its turn. */
export interface Turn {
	/** Index of the input item, so that items take turns. */
	lane: number;
	/** How often it has had its turn before: who had more goes out before who had fewer. */
	again?: number;
	/** What it asks: answers to the same take about the same time. */
	kind?: string;
	/** What `run` fails with when it will not wait any longer; undefined while it does. */
	stay?: () => Error | undefined;
}

/** A turn, and what ends its waiting. */
export interface Waiting extends Turn {
	start: () => void;
	leave: (reason: Error) => void;
}

/** Whether it goes on waiting; if not, it is told. */
export function stays({ stay, leave }: Waiting): boolean {
	const reason = stay?.();
	if (reason !== undefined) leave(reason);
	return reason === undefined;
}

/**
 * Those that were refused go first. The others wait in lanes (one per input item) that take turns, so
 * that one item's thousand pages do not starve the next item's single read.
 */
export class Line {
	private again: Waiting[] = [];

	private readonly lanes = new Map<number, Waiting[]>();

	/** Who is next. */
	get first(): Waiting | undefined {
		if (this.again.length > 0) return this.again[0];
		for (const [first] of this.lanes.values()) return first;
		return undefined;
	}

	join(waiting: Waiting): void {
		const { lane, again = 0 } = waiting;
		if (again > 0) {
			const place = this.again.findIndex((other) => (other.again ?? 0) < again);
			this.again.splice(place < 0 ? this.again.length : place, 0, waiting);
			return;
		}
		const others = this.lanes.get(lane);
		if (others) others.push(waiting);
		else this.lanes.set(lane, [waiting]);
	}

	/** Takes the first out; a lane that was served goes to the end. */
	shift(): Waiting | undefined {
		const again = this.again.shift();
		if (again) return again;
		for (const [lane, waiting] of this.lanes) {
			this.lanes.delete(lane);
			const first = waiting.shift();
			if (waiting.length > 0) this.lanes.set(lane, waiting);
			return first;
		}
		return undefined;
	}

	/** Lets go who will wait no longer. */
	dismiss(): void {
		this.again = this.again.filter(stays);
		for (const [lane, waiting] of this.lanes) {
			const left = waiting.filter(stays);
			if (left.length > 0) this.lanes.set(lane, left);
			else this.lanes.delete(lane);
		}
	}
}
