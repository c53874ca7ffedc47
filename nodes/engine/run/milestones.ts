// How far a run is, in n8n's store. Its items are taken in order, so two numbers tell it: everything before `settled` is done,
// and nothing from `begun` on was sent. They are recorded before a slice of items is sent, and exactly at each end of the run
// at which its process still runs.
//
// Each record has a number, which only one may take: who goes on from it shuts all others out, such as another Retry, or a
// run that n8n took for ended. The number also gives `begun`, by the size of a slice.
//
// Texts, where RUN is a state and the hash of the requests (claim.ts):
// - `began RUN NUMBER` and `began RUN NUMBER settled INDEX`: a record. That with the number 0 is the claim of the run.
// - `done RUN NUMBER settled INDEX` and `done RUN NUMBER begun INDEX`: the end of a run that isn't wholly done.
import { Unverified, type KeyStore } from './keyStore';

/** Numbers that retries may have taken, beside those of the slices. */
const RETRIES = 100;

/** Slices by which `settled` may be behind. */
const BEHIND = 10;

/** Items of a slice after which the next one is recorded, unless half a slice is less. */
const EARLY = 20;

/** Progress of a run. */
export interface Reach {
	number: number;
	settled: number;
	begun: number;
}

const upTo = (count: number) => Array.from({ length: count }, (_none, index) => index);

export class Milestones {
	/** A record is under way. */
	private recording?: Promise<void>;

	/**
	 * @param run its state, and the hash of its requests
	 * @param slice items of a slice
	 * @param number of the last record
	 */
	constructor(
		private readonly store: KeyStore,
		private readonly run: string,
		private readonly slice: number,
		private number = 0,
	) {}

	/** Nothing from this item on has been sent. */
	private begunAt(number: number): number {
		return this.slice * (number + 1);
	}

	/** The number that who goes on has to take. */
	get next(): number {
		return this.number + 1;
	}

	/**
	 * Looks up how far a run was.
	 * @param size number of items
	 * @returns undefined if that can't be told
	 */
	async find(size: number): Promise<Reach | undefined> {
		const { store, run, slice } = this;
		const numbers = upTo(Math.ceil(size / slice) + RETRIES).slice(1);
		const taken = await store.look(numbers.map((number) => `began ${run} ${number}`));
		const number = numbers.filter((each) => taken.has(`began ${run} ${each}`)).at(-1) ?? 0;
		const most = this.begunAt(number);
		const indexes = upTo(most + 1).slice(-(slice * BEHIND + 1));
		const texts = (kind: string) => indexes.map((index) => `${kind} ${index}`);
		const kinds = [
			`began ${run} ${number} settled`,
			`done ${run} ${number} settled`,
			`done ${run} ${number} begun`,
		];
		const known = await store.look(kinds.flatMap(texts));
		if (taken.isCutOff || known.isCutOff) return undefined;
		const [settled = number === 0 ? 0 : undefined, end, begun] = kinds.map((kind) =>
			indexes.filter((index) => known.has(`${kind} ${index}`)).at(-1),
		);
		if (settled === undefined) return undefined;
		this.number = number;
		if (end !== undefined && begun !== undefined) return { number, settled: end, begun };
		return { number, settled, begun: Math.min(most, size) };
	}

	/**
	 * Takes the next number: its slice is about to be sent.
	 * @throws GoneOn if somebody else has it, or the error of n8n's store
	 */
	async take(settled: number): Promise<void> {
		const { store, next } = this;
		const text = `began ${this.run} ${next}`;
		// The number is taken, too, if the store fails before it's seen to stay.
		const known = await store
			.add([text], [`${text} settled ${settled}`])
			.catch((error: unknown) => {
				if (error instanceof Unverified) return new Set<string>();
				throw error;
			});
		if (known.has(text)) throw new GoneOn();
		this.number = next;
	}

	/**
	 * Waits until it's recorded that an item is about to be sent. The next slice is recorded while items of this one are sent:
	 * earlier in a big one, whose items are sent side by side and so faster than n8n's store records.
	 * @param settled returns the number of items at the beginning that are done
	 */
	async reach(index: number, settled: () => number): Promise<void> {
		const goOn = async () =>
			await (this.recording ??= this.take(settled()).finally(() => (this.recording = undefined)));
		while (index >= this.begunAt(this.number)) await goOn();
		const begin = this.begunAt(this.number) - this.slice;
		// If it fails, it's tried again when the item is there.
		if (index >= begin + Math.min(this.slice / 2, EARLY)) void goOn().catch(() => {});
	}

	/** Waits for a record that is under way. */
	async rest(): Promise<void> {
		await this.recording?.catch(() => {});
	}

	/** Texts about the end of a run that isn't wholly done. */
	ended(settled: number, begun: number): string[] {
		const end = `done ${this.run} ${this.number}`;
		return [`${end} settled ${settled}`, `${end} begun ${begun}`];
	}
}

/** Somebody else goes on with the run. */
export class GoneOn extends Error {}
