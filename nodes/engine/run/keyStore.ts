// Texts that a node remembers, in n8n's own store: all processes share it, and it survives restarts. Each call reads and writes
// the whole record of a node, and isn't atomic. So the calls of a process for one node go through one queue, and share calls.
import { sleep, type DeduplicationScope, type IExecuteFunctions } from 'n8n-workflow';

import { untilAborted } from '../base/pool';
import { Cancelled } from '../client/http/transport';

/** Max tries of a call of the store, because two calls that create a record at the same time fail. */
const ATTEMPTS = 5;

/** Milliseconds between two tries. */
const PAUSE = 20;

/** Max writes of a record that other processes keep overwriting. */
const WRITES = 200;

const MODE = { mode: 'entries' as const };

/** Max recent texts that each call records or removes again, because another process may have overwritten them. */
const RECENT = 20;

/** Max texts that are looked up in one call. */
const SLICE = 500;

/** Max texts that are removed in one call, because n8n goes through the record for each of them. */
const REMOVED = 500;

interface Job {
	kind: 'add' | 'look' | 'remove';
	texts: string[];
	/** Texts that must be seen to stay (`addTexts`). Without any, all texts are recorded once. */
	verified: string[];
	/** Recent texts to record or remove again, as they are when the turn of the job comes. */
	again: () => string[];
	/** Max texts in the record, of which n8n drops the oldest. */
	window: number;
	done: (known: KnownTexts) => void;
	failed: (error: unknown) => void;
}

/** New texts were recorded, but the store failed before they were seen to stay. */
export class Unverified extends Error {}

/** The texts of a job that were recorded before it. */
export class KnownTexts extends Set<string> {
	/** A response of the store was lost, so the texts may be those of this job. An Idempotency Key is then found in doubt. */
	isUnsure?: boolean;

	/** Texts that a look may have left (`lookUp`). */
	readonly cutOff = new Set<string>();

	get isCutOff(): boolean {
		return this.cutOff.size > 0;
	}
}

/** A text beside each text of a look, which nothing else records. */
const markOf = (text: string) => `look ${text}`;

interface Queue {
	waiting: Job[];
	isRunning: boolean;
	inUse: Map<string, Promise<void>>;
	/** Keys in use, once for each item that waits for them. */
	wanted: string[];
	/** Texts that were only recorded to see if a record stays (`addTexts`). The next removal deletes them. */
	witnesses: string[];
}

/** By workflow and node ID, like the records of the store. */
const queues = new Map<string, Queue>();

export class KeyStore {
	private readonly place: string;

	/** The newest texts that were recorded and not removed since, and the newest ones that `remove` has removed. */
	private recorded: string[] = [];
	private removed: string[] = [];

	/** Max texts of each. */
	private readonly recent: number;

	/** `window` is the max number of texts in the record. `scope` tells if all nodes of the workflow share the record. */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly window: number,
		private readonly scope: DeduplicationScope = 'node',
	) {
		const ofNode = scope === 'node' ? ` ${context.getNode().id}` : '';
		this.place = `${context.getWorkflow().id}${ofNode}`;
		this.recent = Math.ceil(Math.min(RECENT, window / 2));
	}

	/** Records texts, and returns those that were recorded before. The `verified` ones, such as keys, must be seen to stay. */
	async add(verified: string[], about: string[] = []): Promise<KnownTexts> {
		const texts = [...new Set([...verified, ...about])];
		const known = await this.queued('add', texts, verified, () => this.recorded);
		const added = known.size === 0 ? texts : texts.filter((text) => !known.has(text));
		this.recorded = [...this.recorded, ...added].slice(-this.recent);
		return known;
	}

	/** Returns the texts that are recorded. The others are recorded for a moment (`lookUp`). */
	async look(texts: string[]): Promise<KnownTexts> {
		return await this.queued('look', texts, texts);
	}

	/** Removes texts. Later calls of it remove them again, in case another process has written them back. */
	async remove(texts: string[]): Promise<void> {
		this.recorded = this.recorded.filter((text) => !texts.includes(text));
		await this.queued('remove', texts, [], () => this.removed);
		this.removed = [...this.removed, ...texts].slice(-this.recent);
	}

	/** Removes texts, but not again with later calls, because they may be recorded again. */
	async removeOnce(texts: string[]): Promise<void> {
		this.recorded = this.recorded.filter((text) => !texts.includes(text));
		await this.queued('remove', texts);
	}

	/** Removes texts, and what a look that was cut off has left of them. */
	async clear(texts: string[]): Promise<void> {
		await this.removeOnce(texts.flatMap((text) => [text, markOf(text)]));
	}

	/** Removes what earlier calls have left to the next removal. */
	async flush(): Promise<void> {
		const queue = queues.get(this.place);
		if (!queue) return;
		if (queue.witnesses.length > 0) await this.queued('remove', []);
		else this.tidy(queue);
	}

	/** Waits until no other item of this process uses the text. Returns the function that ends the use. Throws Cancelled. */
	async use(text: string, signal: AbortSignal | undefined): Promise<() => void> {
		const currentUse = () => this.queue().inUse.get(text);
		for (let other = currentUse(); other; other = currentUse()) {
			const { wanted } = this.queue();
			wanted.push(text);
			await waitFor(other, signal).finally(() => wanted.splice(wanted.indexOf(text), 1));
		}
		return this.begin(text);
	}

	isWanted(text: string): boolean {
		return this.queue().wanted.includes(text);
	}

	isInUse(text: string): boolean {
		return this.queue().inUse.has(text);
	}

	/** Uses a text that no other item uses. Returns the function that ends the use. */
	begin(text: string): () => void {
		const { inUse } = this.queue();
		let free = () => {};
		const use = new Promise<void>((resolve) => (free = resolve));
		inUse.set(text, use);
		return () => {
			inUse.delete(text);
			free();
			this.tidy(this.queue());
		};
	}

	private queue(): Queue {
		const known = queues.get(this.place);
		if (known) return known;
		const queue: Queue = {
			waiting: [],
			isRunning: false,
			inUse: new Map(),
			wanted: [],
			witnesses: [],
		};
		queues.set(this.place, queue);
		return queue;
	}

	private tidy({ waiting, isRunning, inUse, wanted, witnesses }: Queue): void {
		const count = waiting.length + inUse.size + wanted.length + witnesses.length;
		if (!isRunning && count === 0) queues.delete(this.place);
	}

	private async queued(
		kind: Job['kind'],
		texts: string[],
		verified: string[] = [],
		again: Job['again'] = () => [],
	): Promise<KnownTexts> {
		const queue = this.queue();
		const { window } = this;
		return await new Promise((done, failed) => {
			queue.waiting.push({ kind, texts, verified, again, window, done, failed });
			if (!queue.isRunning) void this.work(queue);
		});
	}

	/** Runs jobs until none waits. Jobs that add share a call, and so do jobs that remove. */
	private async work(queue: Queue): Promise<void> {
		queue.isRunning = true;
		// Lets jobs that are queued right now join the same call.
		await Promise.resolve();
		while (queue.waiting.length > 0) {
			const jobs = queue.waiting.splice(0);
			const [add, look, remove] = (['add', 'look', 'remove'] as const).map((kind) =>
				jobs.filter((job) => job.kind === kind),
			);
			await this.addAll(add, queue).catch(failing(add));
			for (const job of look) await this.lookUp(job, queue).catch(job.failed);
			await this.removeAll(remove, queue).catch(failing(remove));
		}
		queue.isRunning = false;
		this.tidy(queue);
	}

	/**
	 * To look a text up, the store has to record it. If n8n ends meanwhile, the texts stay, and push older ones out, so they're
	 * looked up in slices, each with a mark that only a look records. A text with a mark may be that of a look that was cut off,
	 * of one in another process, or of this one if a response was lost. So it proves nothing (`isCutOff`), and stays.
	 */
	private async lookUp(job: Job, queue: Queue): Promise<void> {
		const known = new KnownTexts();
		for (let start = 0; start < job.texts.length; start += SLICE) {
			const slice = job.texts.slice(start, start + SLICE);
			const texts = slice.flatMap((text) => [text, markOf(text)]);
			// Verified, so that texts are looked up again if another process has overwritten the record, maybe with one of them.
			const found = await this.addTexts([{ ...job, texts, verified: texts }], queue);
			const added = texts.filter((text) => !found.has(text));
			await this.removeTexts(added, queue);
			for (const text of slice) {
				if (found.has(text)) known.add(text);
				if (found.has(markOf(text))) known.cutOff.add(text);
			}
		}
		job.done(known);
	}

	private async addAll(jobs: Job[], queue: Queue): Promise<void> {
		if (jobs.length === 0) return;
		const known = await this.addTexts(jobs, queue);
		for (const { texts, done } of jobs) {
			const knownOfJob = new KnownTexts();
			knownOfJob.isUnsure = known.isUnsure;
			for (const text of texts) {
				if (known.has(text)) knownOfJob.add(text);
				// If several jobs add the same text, the first one gets it.
				else known.add(text);
			}
			done(knownOfJob);
		}
	}

	private async removeAll(jobs: Job[], queue: Queue): Promise<void> {
		const texts = jobs.flatMap((job) => [...job.texts, ...job.again()]);
		if (jobs.length > 0) await this.removeTexts(texts, queue);
		for (const { done } of jobs) done(new KnownTexts());
	}

	/** Removes texts, and the witnesses of earlier calls, which a failure leaves for the next. Throws after the last try. */
	private async removeTexts(texts: string[], queue: Queue): Promise<void> {
		const witnesses = queue.witnesses.splice(0);
		const all = [...texts, ...witnesses];
		let failures = 0;
		for (let start = 0; start < all.length;) {
			const slice = all.slice(start, start + REMOVED);
			const call = this.context.helpers.removeProcessed(slice, this.scope, MODE);
			const failure = await call.catch((error: unknown) => {
				failures++;
				if (failures < ATTEMPTS) return error;
				queue.witnesses.unshift(...witnesses);
				throw error;
			});
			if (failure === undefined) {
				start += REMOVED;
				failures = 0;
			} else await sleep(PAUSE);
		}
	}

	/**
	 * Records texts, and makes sure that they stay: if two processes write in the same moment, the last one wins.
	 * 1. Record the texts with a new witness. n8n returns those that it knew before.
	 * 2. If n8n knew all that must be seen to stay, or there are none, that's enough.
	 * 3. Else wait longer than another process takes for its write, and record all again. If n8n knows the witness now, the texts
	 * have stayed. If it doesn't, another process has overwritten them: go on with 2.
	 * A call that failed may have recorded the texts all the same. So the next call has a new witness, and all that it finds
	 * counts as known before.
	 */
	private async addTexts(jobs: Job[], { witnesses }: Queue): Promise<KnownTexts> {
		const all = new Set<string>();
		const verified: string[] = [];
		let widest = 0;
		for (const job of jobs) {
			for (const text of [...job.again(), ...job.texts]) all.add(text);
			verified.push(...job.verified);
			widest = Math.max(widest, job.window);
		}
		const texts = [...all];
		const isVerified = verified.length > 0;
		const known = new KnownTexts();
		let witness: string | undefined;
		let failures = 0;
		let isRecorded = false;
		for (let write = 0; write < WRITES; write++) {
			if (isVerified && witness === undefined) {
				witness = `witness ${Math.random()}`;
				witnesses.push(witness);
			}
			const began = performance.now();
			// The texts of this call, and witnesses that are still to be removed, come on top of the window.
			const options = { ...MODE, maxEntries: widest + texts.length + witnesses.length };
			const call = this.context.helpers.checkProcessedAndRecord(
				witness === undefined ? texts : [...texts, witness],
				this.scope,
				options,
			);
			const { processed } = await call.catch((error: unknown) => {
				failures++;
				if (failures < ATTEMPTS) return { processed: undefined };
				throw isRecorded ? new Unverified((error as Error).message) : error;
			});
			if (!processed) {
				known.isUnsure = true;
				witness = undefined;
				await sleep(PAUSE);
				continue;
			}
			// From the second write on (3.), a known witness means that the other texts in `processed` are those of this call.
			if (witness !== undefined && processed.includes(witness)) return known;
			for (const text of processed) known.add(String(text));
			if (verified.every((text) => known.has(text))) return known;
			isRecorded = known.isUnsure !== true && !verified.some((text) => known.has(text));
			// Longer than another process takes from reading the record to writing it, and out of step with it after a lost race.
			const time = Math.min(400, Math.max(40, 4 * (performance.now() - began)));
			await sleep(write === 0 ? time : time * (1 + Math.random()));
		}
		throw new Error('n8n lost the key each time that it was recorded');
	}
}

const failing = (jobs: Job[]) => (error: unknown) => {
	for (const { failed } of jobs) failed(error);
};

/** Waits for a promise that never rejects. Throws Cancelled when the execution is cancelled. */
async function waitFor(done: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
	await untilAborted<void>(signal ? [signal] : [], (end) => {
		void done.then(end);
		return () => {};
	}).catch(() => {
		throw new Cancelled();
	});
}
