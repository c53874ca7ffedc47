// Whose turn it is to send a request to an API, and how many there are in flight.
import { sleep } from 'n8n-workflow';

import { Bound } from './bound';
import { Growth } from './growth';
import { Line, stays, type Turn, type Waiting } from './line';
import { LONGEST_SPAN, Pace } from './pace';
import { Pause } from './pause';

/** How often, in milliseconds, those who wait are asked whether they still do. */
const SLICE = 200;

/** Requests in flight beyond the bound, for parties that have none: slow answers hold nobody up. */
const RESERVE = 1;

/** Milliseconds in which the others hold back after a person has asked, and after the answer. */
const PROMPT = 1000;

/** What a request has shown of how many the API can take, and what it gave. */
export interface Report<T> {
	/** The API refused or failed, or the connection to it broke. */
	troubled: boolean;
	/** The server or the network failed so that the request may have been applied all the same. */
	failed?: boolean;
	/** The API refused: milliseconds that everybody has to wait, 0 when nobody has. */
	pause?: number;
	/** What it means to the one who asked may end a run, of which nothing more must be sent. */
	ends?: boolean;
	value: T;
}

/** How many requests one party may have in flight. */
export interface Allowance {
	/** At first. */
	parallel: number;
	/** While the API answers quickly; without a difference the number is fixed. */
	ceiling?: number;
	/** Of all parties together, while that brings more answers; without it as `ceiling`. */
	together?: number;
	/** Its requests are writes: it begins with few, whatever is known of the API. */
	writes?: boolean;
	/** A person waits for each answer: meanwhile the others have no more in flight than at first. */
	prompt?: boolean;
}

/** One of those who share a gate, such as an execution of a node. */
export class Party {
	readonly line = new Line();

	/** A pause so long that it is no rate: each party hears of it from the API itself. */
	readonly pause = new Pause();

	/** Requests in flight. */
	running = 0;

	/** The number of its last turn, among those of all parties. */
	served = 0;

	readonly start: number;

	readonly ceiling: number;

	readonly together: number;

	readonly prompt: boolean;

	private readonly growth?: Growth;

	constructor(
		private readonly gate: Gate,
		{ parallel, ceiling = parallel, together = ceiling, writes = false, prompt = false }: Allowance,
	) {
		this.start = parallel;
		this.ceiling = ceiling;
		this.together = together;
		this.prompt = prompt;
		if (writes && ceiling > parallel) this.growth = new Growth(parallel, ceiling);
	}

	/** Requests in flight at most, whatever the gate allows. */
	get most(): number {
		return this.growth?.most ?? this.ceiling;
	}

	/** Runs `request` when it is its turn. */
	async run<T>(turn: Turn, request: () => Promise<Report<T>>): Promise<T> {
		return await this.gate.run(this, turn, request);
	}

	/** What is left of the API's pause. */
	paused(now: number): number {
		return Math.max(this.gate.pace.pause.left(now), this.pause.left(now));
	}

	/** As `Pause.standstill`. */
	standstill(now: number, since: number): number {
		const { pause } = this.gate.pace;
		return Math.max(pause.standstill(now, since), this.pause.standstill(now, since));
	}

	/** A request was answered, or failed. */
	answered({ troubled, failed = false, pause }: Report<unknown>, quick: boolean): void {
		const full = this.running >= this.most;
		this.growth?.answered({
			refused: troubled || pause !== undefined,
			failed,
			quick,
			full,
		});
	}
}

/**
 * What all requests to one API go through, with what is known of it: its pace, and a bound on the
 * requests in flight. No request runs before both allow it.
 *
 * Parties take turns: who has the fewest requests in flight goes first, then who waits the longest, so
 * that a new party's first request goes before the next page of somebody's long list. What was
 * refused goes before all others. Within a party, input items take turns.
 *
 * A number that a user fixed holds for his party: it may have as many in flight as long as all
 * together are not more.
 */
export class Gate {
	/** How many requests may go out in a time, whatever is in flight. */
	readonly pace = new Pace();

	/** When somebody last came, or was answered. */
	used = Date.now();

	private readonly bound = new Bound();

	/** Parties with requests that wait. */
	private readonly waiting = new Set<Party>();

	/** Whether an answer has just come that may end a run. */
	private settling = false;

	/** Whether those who wait will be looked at again without an answer. */
	private looking = false;

	private running = 0;

	private turns = 0;

	/** Until then a person may wait, or soon ask again. */
	private promptUntil = 0;

	/** Somebody who sends requests. */
	party(allowance: Allowance): Party {
		this.used = Date.now();
		this.bound.admit(this.used, allowance.parallel);
		return new Party(this, allowance);
	}

	/** Whether nobody sends or waits. */
	get idle(): boolean {
		return this.running === 0 && this.waiting.size === 0;
	}

	/** Runs a party's `request` when it is its turn. */
	async run<T>(party: Party, turn: Turn, request: () => Promise<Report<T>>): Promise<T> {
		if (party.prompt) this.promptUntil = Date.now() + PROMPT;
		await this.wait(party, turn);
		const { halvings } = this.bound;
		const sent = Date.now();
		let pause: number | undefined;
		let ends: boolean | undefined;
		try {
			const answer = await request();
			({ pause, ends } = answer);
			const isNews = halvings === this.bound.halvings;
			const quick = isNews && this.learn(party, turn, answer, sent);
			party.answered(answer, quick);
			return answer.value;
		} finally {
			this.running--;
			party.running--;
			this.used = Date.now();
			if (party.prompt) this.promptUntil = this.used + PROMPT;
			if (pause === undefined) {
				this.pace.answered(this.used, sent);
				party.pause.taken();
			} else {
				const own = pause > LONGEST_SPAN ? party.pause : undefined;
				this.pace.refused(this.used, sent, pause, own);
				// It may be longer than some of them will wait.
				this.dismiss();
			}
			if (ends) this.settle();
			this.startNext();
		}
	}

	/** Lets nobody have his turn until those who asked have seen what the answer means to them. */
	private settle(): void {
		if (this.settling || this.waiting.size === 0) return;
		this.settling = true;
		void sleep(0).then(() => {
			this.settling = false;
			this.startNext();
		});
	}

	/** Learns from an answer how many the API can take; tells whether it came as quickly as usual. */
	private learn(
		party: Party,
		{ kind = '' }: Turn,
		{ troubled, pause }: Report<unknown>,
		sent: number,
	): boolean {
		const now = Date.now();
		// The rate has its own way: fewer in flight would make it no higher.
		if (pause && this.pace.isTrial(sent)) return false;
		const full = this.running >= Math.floor(this.bound.limit);
		const sign = { kind, latency: now - sent, troubled, full, pause };
		return this.bound.answered(now, sign, party);
	}

	/** Joins the line, and comes to its end. */
	private async wait(party: Party, turn: Turn): Promise<void> {
		const reason = turn.stay?.();
		if (reason !== undefined) throw reason;
		this.used = Date.now();
		if (party.running === 0 && party.line.first === undefined) {
			this.bound.admit(this.used, party.start);
		}
		await new Promise<void>((start, leave) => {
			party.line.join({ ...turn, start, leave });
			this.waiting.add(party);
			this.startNext();
		});
	}

	/** Hands free places to the first in line while the pace allows it; if any are left, looks again. */
	private startNext(): void {
		if (this.settling) return;
		let hold = SLICE;
		for (let party = this.next(); party; party = this.next()) {
			hold = this.pace.hold(Date.now());
			if (hold > 0) break;
			this.running++;
			party.running++;
			party.served = ++this.turns;
			this.take(party)?.start();
		}
		if (this.looking || this.waiting.size === 0) return;
		this.looking = true;
		void sleep(Math.min(hold || SLICE, SLICE)).then(() => {
			this.looking = false;
			this.dismiss();
			this.startNext();
		});
	}

	/** Whose turn it is. Who will wait no longer leaves the line when it would have been his. */
	private next(): Party | undefined {
		for (;;) {
			const now = Date.now();
			let next: Party | undefined;
			for (const party of this.waiting) {
				if (this.hasRoom(party, now) && (!next || isBefore(party, next))) next = party;
			}
			if (next?.line.first === undefined || stays(next.line.first)) return next;
			this.take(next);
		}
	}

	private hasRoom(party: Party, now: number): boolean {
		if (party.running >= party.most || party.pause.left(now) > 0) return false;
		// What n8n has to do for many answers at once would hold up the one that a person waits for.
		if (!party.prompt && now < this.promptUntil && party.running >= party.start) return false;
		const fixed = party.ceiling > party.start ? 0 : party.start;
		const bound = Math.max(Math.floor(this.bound.limit), fixed);
		return this.running < bound + (party.running === 0 ? RESERVE : 0);
	}

	/** Takes a party's first request out of its line. */
	private take(party: Party): Waiting | undefined {
		const first = party.line.shift();
		if (party.line.first === undefined) this.waiting.delete(party);
		return first;
	}

	/** Lets go who will wait no longer. */
	private dismiss(): void {
		for (const party of this.waiting) {
			party.line.dismiss();
			if (party.line.first === undefined) this.waiting.delete(party);
		}
	}
}

/** Whether a party has its turn before another one. */
function isBefore(one: Party, other: Party): boolean {
	const again = (other.line.first?.again ?? 0) - (one.line.first?.again ?? 0);
	return (again || one.running - other.running || one.served - other.served) < 0;
}
