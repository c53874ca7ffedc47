// Bounded parallelism: how many requests are in flight, whose turn it is, and how the bound adapts.
import { sleep } from 'n8n-workflow';

import { Pace } from './pace';

/** Answers over which latencies are averaged: single slow or quick ones are no trend. */
const TREND = 16;

/** Whether it goes on waiting; if not, it is told. */
function stays({ stay, leave }: Waiting): boolean {
	const reason = stay?.();
	if (reason !== undefined) leave(reason);
	return reason === undefined;
}

/** Milliseconds above twice the usual that are no sign: n8n itself may be as busy as that. */
const SLACK = 50;

/** How often, in milliseconds, those who wait are asked whether they still do. */
const SLICE = 200;

/** What a request has shown of how many the API can take, and what it gave. */
export interface Report<T> {
	/** The API refused or failed, or the connection to it broke. */
	troubled: boolean;
	/** The API refused: milliseconds that everybody has to wait, 0 when nobody has. */
	pause?: number;
	value: T;
}

/** A request that waits for its turn. */
export interface Turn {
	/** Index of the input item, so that items take turns. */
	lane: number;
	/** How often it has had its turn before: who had more goes out before who had fewer. */
	again?: number;
	/** What `run` fails with when it will not wait any longer; undefined while it does. */
	stay?: () => Error | undefined;
}

/** A turn, and what ends its waiting. */
interface Waiting extends Turn {
	start: () => void;
	leave: (reason: Error) => void;
}

/**
 * Lets a bounded number of requests run at a time, and none before the pace allows it. Those that were
 * refused go first. The others wait in lanes (one per input item) that take turns, so that one
 * item's thousand pages do not starve the next item's single read.
 *
 * With a ceiling above the start the bound adapts: one more for each quick answer until the first
 * sign of congestion, then one more per round; half as many when a request is in trouble, or when
 * answers take twice as long as they do at the start. The start itself is what the user declared
 * the API able to take: only trouble takes the bound below it, and what answers take there is the
 * measure. (The quickest answer would be no measure: many servers answer now and then at once.)
 */
export class Gate {
	/** How many requests may go out in a time, whatever is in flight. */
	readonly pace = new Pace();

	private again: Waiting[] = [];

	private readonly lanes = new Map<number, Waiting[]>();

	/** Whether those who wait will be looked at again without an answer. */
	private looking = false;

	private running = 0;

	private bound: number;

	private congested = false;

	/** Times that the bound was halved: what was sent before the last of them tells nothing new. */
	private halvings = 0;

	/** Answers from which `usual` was learned. */
	private learned = 0;

	/** Mean milliseconds of an answer at the start's parallelism, and of the newest answers. */
	private usual = 0;

	private recent = 0;

	constructor(
		private readonly start: number,
		readonly ceiling: number = start,
	) {
		this.bound = start;
	}

	/** Runs `request` when it is its turn. */
	async run<T>(turn: Turn, request: () => Promise<Report<T>>): Promise<T> {
		await this.wait(turn);
		const { halvings } = this;
		const sent = Date.now();
		let pause: number | undefined;
		try {
			const answer = await request();
			pause = answer.pause;
			if (halvings === this.halvings) this.adapt(Date.now() - sent, answer.troubled);
			return answer.value;
		} finally {
			this.running--;
			if (pause === undefined) {
				this.pace.answered(sent);
			} else {
				this.pace.refused(Date.now(), sent, pause);
				// It may be longer than some of them will wait.
				this.dismiss();
			}
			this.startNext();
		}
	}

	/** Joins the line, and comes to its end. */
	private async wait(turn: Turn): Promise<void> {
		const reason = turn.stay?.();
		if (reason !== undefined) throw reason;
		await new Promise<void>((start, leave) => {
			this.join({ ...turn, start, leave });
			this.startNext();
		});
	}

	private join(waiting: Waiting): void {
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

	/** Hands free places to the first in line while the pace allows it; if any are left, looks again. */
	private startNext(): void {
		let hold = SLICE;
		while (this.isWaitedFor() && this.running < Math.floor(this.bound)) {
			hold = this.pace.hold(Date.now());
			if (hold > 0) break;
			this.running++;
			this.next().start();
		}
		if (this.looking || !this.isWaitedFor()) return;
		this.looking = true;
		void sleep(Math.min(hold || SLICE, SLICE)).then(() => {
			this.looking = false;
			this.dismiss();
			this.startNext();
		});
	}

	private isWaitedFor(): boolean {
		return this.again.length > 0 || this.lanes.size > 0;
	}

	/** Lets go who will wait no longer. */
	private dismiss(): void {
		this.again = this.again.filter(stays);
		for (const [lane, waiting] of this.lanes) {
			const left = waiting.filter(stays);
			if (left.length > 0) this.lanes.set(lane, left);
			else this.lanes.delete(lane);
		}
	}

	/** The first in line; a lane that was served goes to its end. */
	private next(): Waiting {
		const again = this.again.shift();
		if (again) return again;
		const [[lane, waiting]] = this.lanes;
		const first = waiting.shift() as Waiting;
		this.lanes.delete(lane);
		if (waiting.length > 0) this.lanes.set(lane, waiting);
		return first;
	}

	private adapt(latency: number, troubled: boolean): void {
		if (this.ceiling <= this.start) return;
		if (troubled) {
			this.halve(1);
			return;
		}
		if (this.bound <= this.start || this.learned < TREND) {
			this.usual += (latency - this.usual) / Math.min(++this.learned, TREND / 2);
		}
		this.recent += (latency - this.recent) / TREND;
		if (this.bound > this.start && this.recent > 2 * this.usual + SLACK) {
			this.halve(this.start);
		} else if (this.running >= Math.floor(this.bound)) {
			// A bound that is not reached was not tried, so nothing says that it could be higher.
			this.bound = Math.min(this.ceiling, this.bound + (this.congested ? 1 / this.bound : 1));
		}
	}

	private halve(least: number): void {
		this.congested = true;
		this.halvings++;
		this.bound = Math.max(least, this.bound / 2);
		this.recent = this.usual;
	}
}
