// The keys that a node remembers: in n8n's own store, which all processes share and which outlives them.
//
// Each call of that store reads and writes the whole record of a node, and isn't atomic. So all calls of
// a process for one node go through one queue, and a key counts once it was read back. Keys that wait
// are recorded in one call.
import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { Cancelled } from '../client/http/transport';

/** Calls of the store for one record: two that create it at once fail, and a record can get lost. */
const ATTEMPTS = 5;

const PAUSE = 20;

interface Job {
	kind: 'add' | 'remove';
	texts: string[];
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
}

/** By workflow and node, as the store has them. */
const queues = new Map<string, Queue>();

type Helpers = Pick<IExecuteFunctions['helpers'], 'checkProcessedAndRecord' | 'removeProcessed'>;

/** The record of a node, as one execution uses it. */
export class KeyStore {
	private readonly place: string;

	private readonly helpers: Helpers;

	/** @param window how many texts are kept */
	constructor(
		context: IExecuteFunctions,
		private readonly window: number,
	) {
		this.place = `${context.getWorkflow().id} ${context.getNode().id}`;
		this.helpers = context.helpers;
	}

	/**
	 * Records texts.
	 * @returns those that were recorded before
	 */
	async add(texts: string[]): Promise<Set<string>> {
		return await this.queued('add', texts);
	}

	/** Forgets texts. */
	async remove(texts: string[]): Promise<void> {
		await this.queued('remove', texts);
	}

	/**
	 * Waits until no other item of this process uses the text.
	 * @returns what ends the use of it
	 * @throws Cancelled
	 */
	async use(text: string, signal: AbortSignal | undefined): Promise<() => void> {
		const queue = this.queue();
		for (let other = queue.inUse.get(text); other; other = queue.inUse.get(text)) {
			await untilAborted(other, signal);
		}
		let free = () => {};
		const use = new Promise<void>((resolve) => (free = resolve));
		queue.inUse.set(text, use);
		return () => {
			queue.inUse.delete(text);
			free();
			this.tidy();
		};
	}

	private queue(): Queue {
		const known = queues.get(this.place);
		if (known) return known;
		const queue: Queue = { waiting: [], isRunning: false, inUse: new Map() };
		queues.set(this.place, queue);
		return queue;
	}

	/** Forgets a queue that has nothing to do. */
	private tidy(): void {
		const { waiting, isRunning, inUse } = this.queue();
		if (!isRunning && waiting.length === 0 && inUse.size === 0) queues.delete(this.place);
	}

	private async queued(kind: Job['kind'], texts: string[]): Promise<Set<string>> {
		const queue = this.queue();
		const { window } = this;
		return await new Promise((done, failed) => {
			queue.waiting.push({ kind, texts, window, done, failed });
			if (!queue.isRunning) void this.work(queue);
		});
	}

	private async work(queue: Queue): Promise<void> {
		queue.isRunning = true;
		while (queue.waiting.length > 0) {
			const jobs = queue.waiting.splice(0);
			await this.removeAll(jobs.filter(({ kind }) => kind === 'remove'));
			await this.addAll(jobs.filter(({ kind }) => kind === 'add'));
		}
		queue.isRunning = false;
		this.tidy();
	}

	private async removeAll(jobs: Job[]): Promise<void> {
		const texts = jobs.flatMap((job) => job.texts);
		if (texts.length === 0) return;
		await repeated(async () => await this.helpers.removeProcessed(texts, 'node', MODE)).then(
			() => jobs.forEach(({ done }) => done(new Set())),
			(error: unknown) => jobs.forEach(({ failed }) => failed(error)),
		);
	}

	private async addAll(jobs: Job[]): Promise<void> {
		const texts = [...new Set(jobs.flatMap((job) => job.texts))];
		if (texts.length === 0) return;
		const window = Math.max(...jobs.map((job) => job.window)) + texts.length;
		await this.record(texts, window).then(
			(known) => {
				for (const { texts: own, done } of jobs) {
					done(new Set(own.filter((text) => known.has(text))));
					// Of those who wait for one text, the first one has it.
					for (const text of own) known.add(text);
				}
			},
			(error: unknown) => jobs.forEach(({ failed }) => failed(error)),
		);
	}

	/** Records texts and reads them back. */
	private async record(texts: string[], maxEntries: number): Promise<Set<string>> {
		const check = async (each: string[]) =>
			await repeated(
				async () =>
					await this.helpers.checkProcessedAndRecord(each, 'node', { ...MODE, maxEntries }),
			);
		const { new: added, processed } = await check(texts);
		let open = added;
		for (let attempt = 0; open.length > 0; attempt++) {
			if (attempt === ATTEMPTS) throw new Error('n8n lost the key each time that it was recorded');
			({ new: open } = await check(open.map(String)));
		}
		return new Set(processed.map(String));
	}
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

/** Waits for something, or fails when the execution is cancelled. */
async function untilAborted(done: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
	if (!signal) return await done;
	let abort = () => {};
	const aborted = new Promise<never>((_resolve, reject) => {
		abort = () => reject(new Cancelled());
	});
	if (signal.aborted) abort();
	signal.addEventListener('abort', abort);
	await Promise.race([done, aborted]).finally(() => signal.removeEventListener('abort', abort));
}
