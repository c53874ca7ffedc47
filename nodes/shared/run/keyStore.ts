// The keys that a node remembers, in n8n's own store: all processes share it, and it survives restarts.
// Each call of the store reads and writes the whole record of a node, and isn't atomic. So the calls of a
// process for one node go through one queue, and keys that wait are recorded in one call.
import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { Cancelled } from '../client/http/transport';
import { untilAborted } from '../pool';

/** Max tries of a call of the store: two that create a record at the same time fail. */
const ATTEMPTS = 5;

/** Milliseconds between two tries. */
const PAUSE = 20;

/** Max writes of a record that other processes keep overwriting. */
const WRITES = 200;

const MODE = { mode: 'entries' as const };

/** Max recent texts that each call records or removes again: another process may have overwritten them. */
const RECENT = 20;

interface Job {
	kind: 'add' | 'remove';
	/** For `add`, the first one is the key, and the others are about it. */
	texts: string[];
	/** Recent texts to record or remove again. */
	again: () => string[];
	/** Max texts in the record. The oldest ones are dropped. */
	window: number;
	done: (known: Set<string>) => void;
	failed: (error: unknown) => void;
}

/** Calls that wait for the record of one node, and keys in use. */
interface Queue {
	waiting: Job[];
	isRunning: boolean;
	inUse: Map<string, Promise<void>>;
	/** Marks that the next removal deletes. */
	marks: string[];
}

/** By workflow and node ID, like the records of the store. */
const queues = new Map<string, Queue>();

/** The record of a node, as one execution uses it. */
export class KeyStore {
	private readonly place: string;

	/** The last texts that were recorded and not removed since. */
	private recorded: string[] = [];

	/** The last texts that were removed for good. */
	private removed: string[] = [];

	/** @param window max texts in the record */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly window: number,
	) {
		this.place = `${context.getWorkflow().id} ${context.getNode().id}`;
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

	/** Removes texts for good. */
	async remove(texts: string[]): Promise<void> {
		this.recorded = this.recorded.filter((text) => !texts.includes(text));
		await this.queued('remove', texts, () => this.removed);
		this.removed = [...this.removed, ...texts].slice(-this.recent);
	}

	/** Removes texts that may be recorded again. */
	async release(texts: string[]): Promise<void> {
		this.recorded = this.recorded.filter((text) => !texts.includes(text));
		await this.queued('remove', texts);
	}

	/**
	 * Waits until no other item of this process uses the text.
	 * @returns ends the use
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

	/** Drops an idle queue, once its marks are removed. */
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
		// Lets jobs that are queued right now join the same call.
		await Promise.resolve();
		while (queue.waiting.length > 0) {
			const jobs = queue.waiting.splice(0);
			const removals = jobs.filter(({ kind }) => kind === 'remove');
			const additions = jobs.filter(({ kind }) => kind === 'add');
			await this.removeAll(removals, queue).catch(failAll(removals));
			await this.addAll(additions, queue).catch(failAll(additions));
		}
		queue.isRunning = false;
		this.tidy();
	}

	private async removeAll(jobs: Job[], { marks }: Queue): Promise<void> {
		if (jobs.length === 0) return;
		const texts = [...jobs.flatMap((job) => [...job.texts, ...job.again()]), ...marks.splice(0)];
		await repeated(async () => await this.context.helpers.removeProcessed(texts, 'node', MODE));
		for (const { done } of jobs) done(new Set());
	}

	private async addAll(jobs: Job[], queue: Queue): Promise<void> {
		if (jobs.length === 0) return;
		const known = await this.record(jobs, queue);
		for (const { texts, done } of jobs) {
			done(new Set(texts.filter((text) => known.has(text))));
			// If several jobs add the same text, the first one gets it.
			for (const text of texts) known.add(text);
		}
	}

	/**
	 * Records texts until they stay, unless another process has recorded them. If two processes write at the
	 * same moment, the last one wins: only that one finds its own mark in the record a moment later.
	 */
	private async record(jobs: Job[], { marks }: Queue): Promise<Set<string>> {
		const { helpers } = this.context;
		const mark = `mark ${Math.random()}`;
		const own = [...new Set(jobs.flatMap((job) => job.texts)), mark];
		const texts = [...new Set([...jobs.flatMap(({ again }) => again()), ...own])];
		const widest = jobs.reduce((most, { window }) => Math.max(most, window), 0);
		const options = { ...MODE, maxEntries: widest + own.length };
		const known = new Set<string>();
		marks.push(mark);
		for (let write = 0; write < WRITES; write++) {
			const began = performance.now();
			const { processed } = await repeated(
				async () => await helpers.checkProcessedAndRecord(texts, 'node', options),
			);
			if (processed.includes(mark)) return known;
			for (const text of processed) known.add(String(text));
			if (jobs.every(({ texts: [key] }) => known.has(key))) return known;
			await sleep(raceTime(performance.now() - began, write));
		}
		throw new Error('n8n lost the key each time that it was recorded');
	}
}

const failAll = (jobs: Job[]) => (error: unknown) => {
	for (const { failed } of jobs) failed(error);
};

/**
 * Milliseconds to wait, longer than another process takes from reading the record to writing it.
 * @param took how long that took here
 * @param write earlier writes that another process has overwritten: a random time gets out of step with it
 */
function raceTime(took: number, write: number): number {
	const time = Math.min(100, Math.max(10, 4 * took));
	return write === 0 ? time : time * (1 + Math.random());
}

async function repeated<T>(call: () => Promise<T>, attempts = ATTEMPTS): Promise<T> {
	return await call().catch(async (error: unknown) => {
		if (attempts === 1) throw error;
		await sleep(PAUSE);
		return await repeated(call, attempts - 1);
	});
}

/**
 * Waits for a promise that never rejects.
 * @throws Cancelled when the execution is cancelled
 */
async function waitFor(done: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
	await untilAborted<void>(signal ? [signal] : [], (end) => {
		void done.then(end);
		return () => {};
	}).catch(() => {
		throw new Cancelled();
	});
}
