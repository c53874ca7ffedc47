// The keys that a node remembers: in n8n's own store, which all processes share and which outlives them.
//
// Each call of that store reads and writes the whole record of a node, and isn't atomic. So all calls of
// a process for one node go through one queue; keys that wait are recorded in one call. Another process
// can still write at the same moment, and then the one that wrote last has the key. It finds a mark of its
// own beside the key a moment later. The other process finds a mark that is not its own, or none.
import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { Cancelled } from '../client/http/transport';
import { untilAborted } from '../pool';

/** How often a call of the store is tried: two that create a record at once fail. */
const ATTEMPTS = 5;

const PAUSE = 20;

/** How often a record is written that another process has overwritten. */
const WRITES = 200;

/** What another process may have overwritten: the next calls do it once more. */
const RECENT = 20;

interface Job {
	kind: 'add' | 'remove';
	/** The first of those to add is the key, which the others are about. */
	texts: string[];
	/** Done before, and done again. */
	again: () => string[];
	/** Texts that are kept; the oldest go. */
	window: number;
	done: (known: Set<string>) => void;
	failed: (error: unknown) => void;
}

/** What waits for the record of one node, and the keys that are in use. */
interface Queue {
	waiting: Job[];
	isRunning: boolean;
	inUse: Map<string, Promise<void>>;
	/** Marks that have served, and go with the next removal. */
	marks: string[];
}

/** By workflow and node, as the store has them. */
const queues = new Map<string, Queue>();

type Helpers = Pick<IExecuteFunctions['helpers'], 'checkProcessedAndRecord' | 'removeProcessed'>;

/** The record of a node, as one execution uses it. */
export class KeyStore {
	private readonly place: string;

	private readonly helpers: Helpers;

	/** The last texts that were recorded and are still to be there. */
	private recorded: string[] = [];

	/** The last texts that were removed for good. */
	private removed: string[] = [];

	/** @param window how many texts are kept */
	constructor(
		context: IExecuteFunctions,
		private readonly window: number,
	) {
		this.place = `${context.getWorkflow().id} ${context.getNode().id}`;
		this.helpers = context.helpers;
	}

	/**
	 * Records a key, and texts about it.
	 * @returns those that were recorded before
	 */
	async add(key: string, ...about: string[]): Promise<Set<string>> {
		const known = await this.queued('add', [key, ...about], () => this.recorded);
		if (!known.has(key)) this.recorded = [...this.recorded, key, ...about].slice(-this.recent);
		return known;
	}

	/** Forgets texts for good. */
	async remove(texts: string[]): Promise<void> {
		this.recorded = this.recorded.filter((text) => !texts.includes(text));
		await this.queued('remove', texts, () => this.removed);
		this.removed = [...this.removed, ...texts].slice(-this.recent);
	}

	/** Forgets texts that may be recorded again. */
	async release(texts: string[]): Promise<void> {
		this.recorded = this.recorded.filter((text) => !texts.includes(text));
		await this.queued('remove', texts);
	}

	/**
	 * Waits until no other item of this process uses the text.
	 * @returns what ends the use of it
	 * @throws Cancelled
	 */
	async use(text: string, signal: AbortSignal | undefined): Promise<() => void> {
		const user = () => this.queue().inUse.get(text);
		for (let other = user(); other; other = user()) await waitFor(other, signal);
		const { inUse } = this.queue();
		let free = () => {};
		const use = new Promise<void>((resolve) => (free = resolve));
		inUse.set(text, use);
		return () => {
			inUse.delete(text);
			free();
			this.tidy();
		};
	}

	private get recent(): number {
		return Math.ceil(Math.min(RECENT, this.window / 2));
	}

	private queue(): Queue {
		const known = queues.get(this.place);
		if (known) return known;
		const queue: Queue = { waiting: [], isRunning: false, inUse: new Map(), marks: [] };
		queues.set(this.place, queue);
		return queue;
	}

	/** Forgets a queue that has nothing to do. */
	private tidy(): void {
		const { waiting, isRunning, inUse, marks } = this.queue();
		if (isRunning || waiting.length > 0 || inUse.size > 0) return;
		if (marks.length === 0) queues.delete(this.place);
		else this.queued('remove', []).catch(() => {});
	}

	private async queued(
		kind: Job['kind'],
		texts: string[],
		again: Job['again'] = () => [],
	): Promise<Set<string>> {
		const queue = this.queue();
		const { window } = this;
		return await new Promise((done, failed) => {
			queue.waiting.push({ kind, texts, again, window, done, failed });
			if (!queue.isRunning) void this.work(queue);
		});
	}

	private async work(queue: Queue): Promise<void> {
		queue.isRunning = true;
		// Those that are about to come go in the same call.
		await Promise.resolve();
		while (queue.waiting.length > 0) {
			const jobs = queue.waiting.splice(0);
			const ofKind = (wanted: Job['kind']) => jobs.filter(({ kind }) => kind === wanted);
			await this.removeAll(ofKind('remove'), queue);
			await this.addAll(ofKind('add'), queue);
		}
		queue.isRunning = false;
		this.tidy();
	}

	private async removeAll(jobs: Job[], { marks }: Queue): Promise<void> {
		if (jobs.length === 0) return;
		const texts = [...jobs.flatMap((job) => [...job.texts, ...job.again()]), ...marks.splice(0)];
		await repeated(async () => await this.helpers.removeProcessed(texts, 'node', MODE)).then(
			() => jobs.forEach(({ done }) => done(new Set())),
			(error: unknown) => jobs.forEach(({ failed }) => failed(error)),
		);
	}

	private async addAll(jobs: Job[], queue: Queue): Promise<void> {
		if (jobs.length === 0) return;
		await this.record(jobs, queue).then(
			(known) => {
				for (const { texts, done } of jobs) {
					done(new Set(texts.filter((text) => known.has(text))));
					// Of those who wait for one text, the first one has it.
					for (const text of texts) known.add(text);
				}
			},
			(error: unknown) => jobs.forEach(({ failed }) => failed(error)),
		);
	}

	/** Records texts until they stay, unless another process has recorded them. */
	private async record(jobs: Job[], { marks }: Queue): Promise<Set<string>> {
		const mark = `mark ${Math.random()}`;
		const own = [...new Set(jobs.flatMap((job) => job.texts)), mark];
		const texts = [...new Set([...jobs.flatMap(({ again }) => again()), ...own])];
		const widest = jobs.reduce((most, { window }) => Math.max(most, window), 0);
		const maxEntries = widest + own.length;
		const known = new Set<string>();
		marks.push(mark);
		for (let write = 0; write < WRITES; write++) {
			const began = performance.now();
			const { processed } = await repeated(
				async () =>
					await this.helpers.checkProcessedAndRecord(texts, 'node', { ...MODE, maxEntries }),
			);
			if (processed.includes(mark)) return known;
			for (const text of processed) known.add(String(text));
			if (jobs.every(({ texts: [key] }) => known.has(key))) return known;
			await sleep(raceTime(performance.now() - began, write));
		}
		throw new Error('n8n lost the key each time that it was recorded');
	}
}

/**
 * Milliseconds that are longer than another process takes from reading the record to writing it.
 * @param took how long that took here
 * @param write how often it was written before, each time at the same moment as somebody else
 */
function raceTime(took: number, write: number): number {
	const time = Math.min(100, Math.max(10, 4 * took));
	return write === 0 ? time : time * (1 + Math.random());
}

const MODE = { mode: 'entries' as const };

/** Tries a call of the store again that failed: nothing was sent yet. */
async function repeated<T>(call: () => Promise<T>, attempts = ATTEMPTS): Promise<T> {
	return await call().catch(async (error: unknown) => {
		if (attempts === 1) throw error;
		await sleep(PAUSE);
		return await repeated(call, attempts - 1);
	});
}

/** Waits for something that never fails, or until the execution is cancelled. */
async function waitFor(done: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
	await untilAborted<void>(signal ? [signal] : [], (end) => {
		void done.then(end);
		return () => {};
	}).catch(() => {
		throw new Cancelled();
	});
}
