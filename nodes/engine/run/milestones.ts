// How far a run is, in n8n's store. Its items are taken in order, so two numbers tell it: everything before `settled` is done,
// and nothing from `begun` on was sent. They are recorded before a slice of items is sent, and exactly at each end of the run
// at which its process still runs. Each record has a number that only one execution may take. It shuts all others out, such as
// another Retry, or a run that n8n took for ended. `begun` follows from the number.
//
// With On Error: Continue, some items before `settled` have failed. They are recorded in the same call, and the text of the
// number has a hash of their list: it's only believed with all of them. No Retry sends them again, so the list only grows.
//
// Texts, where RUN is a state and the hash of the requests (claim.ts):
// - `began RUN NUMBER` and `began RUN NUMBER settled INDEX`: a record. The record with the number 0 is the claim of the run.
// - `done RUN NUMBER settled INDEX` and `done RUN NUMBER begun INDEX`: the end of a run that isn't wholly done.
// - `done RUN failed INDEX`: an item that has failed. Then it's `settled INDEX HASH`.
import { hashOf } from '../base/data';
import { Unverified, type KeyStore } from './keyStore';

/** Numbers that Retries may have taken, beside those of the slices. */
const RETRIES = 100;

/** Slices by which the recorded `settled` may be behind. */
const BEHIND = 10;

/** Items of a slice after which the next slice is recorded, unless half a slice is less. */
const EARLY = 20;

/** Max failed items of a run that a Retry goes on with. */
const FAILED = 500;

/** Items at the beginning whose fate is known. */
export interface Settled {
	settled: number;
	/** Indexes of failed ones, in order. */
	failed: number[];
}

export interface Reach extends Settled {
	/** Nothing from this item on was sent. */
	begun: number;
}

const upTo = (count: number) => Array.from({ length: count }, (_none, index) => index);

function settledText(kind: string, settled: number, failed: number[]): string {
	const before = failed.filter((index) => index < settled);
	const hash = before.length === 0 ? '' : ` ${hashOf(before.join()).slice(0, 16)}`;
	return `${kind} settled ${settled}${hash}`;
}

export class Milestones {
	private recording?: Promise<void>;

	/** Failed items before this one are recorded already. */
	private recorded = 0;

	/** `run` is its state and the hash of its requests, `items` of a slice and of the run, `number` that of the last record. */
	constructor(
		private readonly store: KeyStore,
		private readonly run: string,
		private readonly items: { slice: number; size: number },
		private number = 0,
	) {}

	/** Nothing from this item on has been sent. */
	private begunAt(number: number): number {
		return this.items.slice * (number + 1);
	}

	/** The number that an execution has to take to go on. */
	get next(): number {
		return this.number + 1;
	}

	private failedText(index: number): string {
		return `done ${this.run} failed ${index}`;
	}

	/** Texts for settled items, with the items that have failed since the last record. None if those are too many. */
	private textsOf(kind: string, { settled, failed }: Settled): string[] {
		if (failed.length > FAILED) return [];
		const added = failed.filter((index) => index >= this.recorded);
		return [settledText(kind, settled, failed), ...added.map((index) => this.failedText(index))];
	}

	/** Looks up how far a run was. Undefined if that can't be told. `mayFail` is true if items can have failed. */
	async find(mayFail: boolean): Promise<Reach | undefined> {
		const { store, run } = this;
		const { slice, size } = this.items;
		const numbers = upTo(Math.ceil(size / slice) + RETRIES).slice(1);
		const taken = await store.look(numbers.map((number) => `began ${run} ${number}`));
		const number = numbers.filter((each) => taken.has(`began ${run} ${each}`)).at(-1) ?? 0;
		const most = this.begunAt(number);
		const indexes = upTo(most + 1).slice(-(slice * BEHIND + 1));
		const couldFail = mayFail ? upTo(Math.min(most, size)) : [];
		const failures = await store.look(couldFail.map((index) => this.failedText(index)));
		const failed = couldFail.filter((index) => failures.has(this.failedText(index)));
		const [began, done] = ['began', 'done'].map((kind) => `${kind} ${run} ${number}`);
		const kinds = [
			(index: number) => settledText(began, index, failed),
			(index: number) => settledText(done, index, failed),
			(index: number) => `${done} begun ${index}`,
		];
		const texts = kinds.map((text) => indexes.map(text));
		const known = await store.look(texts.flat());
		if (taken.isCutOff || failures.isCutOff || known.isCutOff) return undefined;
		const [last = number === 0 ? 0 : undefined, end, begun] = texts.map((own) =>
			indexes.filter((_index, at) => known.has(own[at])).at(-1),
		);
		if (last === undefined) return undefined;
		this.number = number;
		const hasEnded = end !== undefined && begun !== undefined;
		const settled = hasEnded ? end : last;
		this.recorded = settled;
		return {
			settled,
			failed: failed.filter((index) => index < settled),
			begun: hasEnded ? begun : Math.min(most, size),
		};
	}

	/**
	 * Takes the next number, since its slice is about to be sent.
	 * @param more texts to record with it
	 * @throws GoneOn if another execution has it, or the error of n8n's store
	 */
	async take(reach: Settled, more: string[] = []): Promise<void> {
		const { store, next } = this;
		const { settled } = reach;
		const text = `began ${this.run} ${next}`;
		// If the store fails before the number is seen to stay, it's taken all the same.
		const known = await store
			.add([text], [...this.textsOf(text, reach), ...more])
			.catch((error: unknown) => {
				if (error instanceof Unverified) return new Set<string>();
				throw error;
			});
		if (known.has(text)) throw new GoneOn();
		this.number = next;
		this.recorded = settled;
	}

	/**
	 * Waits until it's recorded that an item is about to be sent. The next slice is recorded while items of this one are sent:
	 * early in a big one, whose items are sent side by side and so faster than n8n's store records.
	 */
	async reach(index: number, settled: () => Settled): Promise<void> {
		const goOn = async () =>
			await (this.recording ??= this.take(settled()).finally(() => (this.recording = undefined)));
		while (index >= this.begunAt(this.number)) await goOn();
		const { slice, size } = this.items;
		const end = this.begunAt(this.number);
		// If it fails, it's tried again when the item is there.
		const isTime = end < size && index >= end - slice + Math.min(slice / 2, EARLY);
		if (isTime) void goOn().catch(() => {});
	}

	async rest(): Promise<void> {
		await this.recording?.catch(() => {});
	}

	/** Texts about the end of a run that isn't wholly done. */
	ended(settled: Settled, begun: number): string[] {
		const end = `done ${this.run} ${this.number}`;
		return [...this.textsOf(end, settled), `${end} begun ${begun}`];
	}
}

/** Another execution goes on with the run. */
export class GoneOn extends Error {}
