// Runs all items of one execution. Collects their output, or their errors if the user chose to continue.
import {
	sleep,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';

import { IN_ONE_GO, inPool, Stopped } from '../base/pool';
import { Cancelled } from '../client/http/transport';
import { takesKey } from '../form/operation';
import type { OutputFields } from '../form/options';
import { heldWrite, runItem } from './item';
import { logCancelled, requestFingerprint, type Ledger } from './ledger';
import {
	apiFor,
	Checked,
	keylessFingerprints,
	measured,
	runError,
	type ItemContext,
	type Prepared,
} from './prepare';
import { Progress } from './progress';
import { LEFT_OUT, releaseText, type Ending } from './runMark';
import type { SendLimits, Session, Writing } from './session';

/** The output item for an error, if the user chose to continue. */
export function errorItem(error: Error, index: number): INodeExecutionData {
	const { httpCode, description } = error as Error & { httpCode?: string; description?: string };
	// The editor needs <br> for line breaks.
	const text = description?.replaceAll('<br>', '');
	const details: IDataObject = { ...(httpCode ? { httpCode } : {}), description: text };
	// n8n recognizes error items by exactly these keys, and sends them to the error output.
	return { json: { error: error.message, details }, pairedItem: { item: index } };
}

export class AllItems {
	private readonly results: INodeExecutionData[][];

	private readonly failed = new Set<number>();

	/** Items that an earlier run of this execution hasn't sent, by the hashes that tell it. */
	private readonly again = new Map<number, string[]>();

	private readonly goesOn: boolean;

	private readonly checked: Checked;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly session: Session,
	) {
		this.results = new Array<INodeExecutionData[]>(session.size);
		this.goesOn = context.continueOnFail();
		this.checked = new Checked(context, session);
	}

	/** @throws the error that stops the run, which also says what was done before it */
	async run(): Promise<INodeExecutionData[]> {
		const { session, results } = this;
		const { writing, output } = session;
		await (writing ? this.write(writing) : this.sendAll()).catch((error: unknown) => {
			if (!this.goesOn || !(error instanceof Cancelled)) throw error;
			this.leaveOut(error);
		});
		// Rows of reads have been cut to the wanted fields already.
		if (!writing || !output) return results.flat();
		return results.flatMap((items, index) =>
			this.failed.has(index)
				? items
				: items.map((item) => ({ ...item, json: this.cut(item.json, output) })),
		);
	}

	/** Sends the items with a ledger. It's closed when n8n can't start them again. */
	private async write({ ledger, mark, keys }: Writing): Promise<void> {
		const { session } = this;
		const unwatch = logCancelled(this.context, session.operation.action, ledger);
		let ending: Ending = 'done';
		try {
			await this.checkAndSend(mark).catch((error: unknown) => {
				// Cancelled, even if this is the error of an item that failed just before.
				ending = this.isCancelled || error instanceof Cancelled ? 'cancelled' : 'failed';
				if (ending === 'failed' && error instanceof Error) ledger.tell(error);
				throw error;
			});
		} finally {
			unwatch();
			// What was only checked doesn't count for the limits.
			ledger.dropUnsent();
			for (const index of this.results.keys()) {
				if (!ledger.isCounted(index)) session.limits?.uncount?.(index);
			}
			await keys?.end();
			await this.endMark(ending, mark);
			if (ending === 'done' && !this.mayBeTriedAgain) ledger.close();
		}
	}

	private async checkAndSend(mark: Writing['mark']): Promise<void> {
		const refused = await this.check();
		// Retry On Fail also starts a run again that was cancelled. `begin` would remove what the cancelled try has left in n8n's
		// store for a Retry.
		if (this.isCancelled) throw new Cancelled();
		// A run that is refused leaves a mark, too: without it, a Retry would take its number for that of a run that never was.
		const notBegun = await this.beginRun(mark);
		const reason = refused ?? notBegun;
		if (reason) return await this.refuseAll(reason);
		await this.sendAll();
	}

	/**
	 * Ends a cancelled run with On Error: Continue: the items that it left out become error items. If a node throws, n8n
	 * takes its input items for its output, and a Retry goes on with them in the next node.
	 */
	private leaveOut(error: Error): void {
		const ledger = this.session.writing?.ledger;
		const { done = [], inDoubt = [] } = ledger?.told() ?? {};
		for (const index of this.results.keys()) {
			if (this.results[index]) continue;
			const mayBeSent = inDoubt.includes(index) ? ' It may have gone through.' : '';
			const text = `${error.message.replace(/\.?$/, '.')}${mayBeSent}`;
			const isDone = ledger && done.includes(index);
			this.results[index] = isDone ? ledger.outputOf(index) : this.fail(new Error(text), index);
		}
	}

	private get isCancelled(): boolean {
		return this.context.getExecutionCancelSignal()?.aborted ?? false;
	}

	/**
	 * @returns the error, if the user chose to continue. Then it isn't thrown: if a node throws, n8n outputs its input items,
	 *   as if they were sent.
	 */
	private async beginRun(mark: Writing['mark']): Promise<Error | undefined> {
		return await mark?.begin().then(
			() => undefined,
			(error: Error) => {
				if (!this.goesOn) throw error;
				if (this.context.getMode() === 'retry') this.session.writing?.ledger.noteUnsure();
				return error;
			},
		);
	}

	/** The run has ended, so an error of the store must not fail it. */
	private async endMark(ending: Ending, mark: Writing['mark']): Promise<void> {
		await mark?.end(ending).catch((error: unknown) => {
			const { logger } = this.context;
			logger.warn(`The mark of this run stays in n8n's store: ${(error as Error).message}`);
		});
	}

	/** n8n's Retry On Fail also starts a run again whose first output item has an error. */
	private get mayBeTriedAgain(): boolean {
		if (this.context.getNode().retryOnFail !== true) return false;
		const first = this.results.find((items) => items.length > 0);
		const error = first?.[0].json.error;
		// As n8n sees it: also an empty text.
		return error !== undefined && error !== null && error !== false;
	}

	private async sendAll(): Promise<void> {
		const { results, session, context } = this;
		const progress = new Progress(context, results.length);
		await inPool(results.length, session.door.parallel, async (index, signal) => {
			results[index] = await this.runOne(index, signal);
			progress.next();
		});
	}

	/** Keeps only the wanted fields. Skipped items and those with a warning stay whole. */
	private cut(json: IDataObject, output: OutputFields): IDataObject {
		const isWarned = this.session.warnings.has(String(json.warning));
		if (isWarned || json.skipped === true) return json;
		const { dryRun } = json;
		return { ...(output.cut(json) as IDataObject), ...(dryRun !== undefined && { dryRun }) };
	}

	/** Items that the run sends: not those that an earlier try has sent, or may have. */
	private get pending(): number[] {
		const { writing } = this.session;
		return [...this.results.keys()].filter((index) => {
			const entry = writing?.ledger.earlierEntry(index);
			return entry === undefined || entry.state === 'lost' || this.isLeftToKeys(index);
		});
	}

	/**
	 * Checks all items of a write before the first one is sent. With On Error: Stop, each of them must be
	 * valid. Together, they must stay within the Safety Limits.
	 * @returns the reason why no item is sent, if the user chose to continue
	 */
	private async check(): Promise<Error | undefined> {
		const { context, session, checked, goesOn } = this;
		const { limits, writing } = session;
		if (!goesOn) this.refuseDoubtful();
		const { pending } = this;
		const items: Prepared[] = [];
		// A single item without limits is checked when it's sent.
		if (limits || this.results.length > 1) await checked.check(pending, (item) => items.push(item));
		if (!goesOn && checked.faults.size > 0) throw checked.error();
		const doubtful = goesOn ? undefined : items.find((item) => this.isInDoubtByOtherKey(item));
		if (doubtful) throw this.doubtOf(doubtful.index);
		if (!limits || !writing) return undefined;
		const counted = items.filter((item) => !this.isDoubted(item));
		return await this.countForLimits(counted, limits, writing).then(
			() => undefined,
			(thrown: unknown) => {
				if (thrown instanceof Cancelled) throw thrown;
				const error = runError(context, session, thrown);
				if (!goesOn) throw error;
				return error;
			},
		);
	}

	/** Counts items for the limits. Those that are skipped because of their key don't count. */
	private async countForLimits(
		items: Prepared[],
		limits: SendLimits,
		{ ledger, keys }: Writing,
	): Promise<void> {
		const { context, session } = this;
		if (limits.totals) {
			await this.measureRestored(ledger).catch((error: unknown) => {
				if (items.length > 0) throw error;
			});
			if (items.length > 0 && ledger.isUnmeasured) throw new Error(UNMEASURED);
		}
		const count = async (wanted: Prepared[]) =>
			limits.count(await measured(context, session, wanted, limits.measures), wanted, ledger);
		// The store is only asked if the limits would refuse.
		await count(items).catch(async (error: unknown) => {
			const sent = await keys?.known(items.flatMap(keyedOf));
			const unsent = items.filter(({ key }) => key === undefined || !sent?.has(key));
			if (unsent.length === items.length) throw error;
			await count(unsent);
		});
	}

	/** Items that n8n's store remembers count, too. */
	private async measureRestored(ledger: Ledger): Promise<void> {
		const { context, session, checked } = this;
		const items = await checked.buildAll(ledger.unmeasured);
		ledger.measure(await measured(context, session, items, true));
	}

	/** No item is sent. Those that an earlier try has sent come out all the same, and those in doubt as such. */
	private async refuseAll(reason: Error): Promise<void> {
		const { writing } = this.session;
		for (const index of this.results.keys()) {
			const state = writing?.ledger.earlierEntry(index)?.state;
			if (writing && state === 'done') {
				this.results[index] = writing.ledger.outputOf(index);
				continue;
			}
			const fault = this.checked.faults.get(index) ?? reason;
			this.results[index] = this.fail(state === 'inDoubt' ? this.doubtOf(index) : fault, index);
		}
		// They may come back without their error.
		if (!writing?.mark) return;
		const indexes = [...this.failed];
		const requests = await keylessFingerprints(this.context, this.session, indexes);
		for (const [at, index] of indexes.entries()) writing.ledger.noteUndone(index, requests[at]);
	}

	/** With On Error: Stop, an item in doubt stops the run before anything is sent. */
	private refuseDoubtful(): void {
		const { writing } = this.session;
		const index = writing?.ledger.doubtful.find((each) => !this.isLeftToKeys(each));
		if (index !== undefined) throw this.doubtOf(index);
	}

	/** An earlier run of this execution left the same request in doubt, and no key can decide about it. */
	private isDoubted({ index, request }: Prepared): boolean {
		const { operation, limits, writing } = this.session;
		// The policy of a toolkit sees each write itself, and tells the model what to do.
		if (!writing?.ledger.hasDoubts || !takesKey(operation) || limits?.leaves) return false;
		return writing.ledger.isDoubted(index, requestFingerprint(request));
	}

	/** In n8n's Retry, the Idempotency Key decides about an item in doubt that was sent with it. */
	private isLeftToKeys(index: number): boolean {
		const { writing } = this.session;
		if (!writing?.keys || !writing.ledger.isTakenOver) return false;
		const entry = writing.ledger.earlierEntry(index);
		return entry?.state === 'inDoubt' && entry.keyHash !== undefined;
	}

	/** An earlier try left the item in doubt without the key that it has now. So that key can't decide about it. */
	private isInDoubtByOtherKey({ index, key }: Prepared): boolean {
		const { ledger, keys } = this.session.writing ?? {};
		const entry = ledger?.earlierEntry(index);
		// Without a key, it isn't left to keys either.
		if (entry?.state !== 'inDoubt' || key === undefined) return false;
		return entry.keyHash !== keys?.hash(key);
	}

	private doubtOf(index: number): Error {
		const { context, session, results } = this;
		const { ledger } = session.writing as Writing;
		const error = ledger.errorOf(index);
		// In Retry On Fail, a try ends with the error of the one before.
		if (!ledger.isTakenOver) return error;
		const advice = this.goesOn ? LEFT_OUT : releaseText(ledger.run.id, index);
		const text = `${error.message.replace(/\.?$/, '.')} ${advice}`;
		const at = { itemIndex: index, items: results.length };
		return runError(context, session, new Error(text), at);
	}

	private async runOne(index: number, signal: AbortSignal): Promise<INodeExecutionData[]> {
		const { session } = this;
		const ledger = session.writing?.ledger;
		const earlier = ledger?.earlierEntry(index)?.state;
		if (index % IN_ONE_GO === IN_ONE_GO - 1) await sleep(0);
		try {
			if (ledger && earlier === 'done') {
				await this.compare(index);
				return ledger.outputOf(index);
			}
			if (ledger && earlier === 'inDoubt' && !this.isLeftToKeys(index)) {
				await this.compare(index);
				throw this.doubtOf(index);
			}
			return await this.send(index, { runSignal: signal, lostResponse: earlier === 'lost' });
		} catch (thrown) {
			const isEnd = thrown instanceof Cancelled || thrown instanceof Stopped;
			const at = { itemIndex: index, items: this.results.length };
			const error = isEnd ? thrown : runError(this.context, session, thrown, at);
			ledger?.failed(index, error);
			await this.withdrawAgain(index);
			if (isEnd) throw error;
			return this.fail(error, index);
		}
	}

	/** An item that an earlier run hasn't sent was refused once more. If that can't be recorded, a Retry takes it for doubt. */
	private async withdrawAgain(index: number): Promise<void> {
		const { ledger, mark } = this.session.writing ?? {};
		const hashes = this.again.get(index);
		if (!hashes || ledger?.stateOf(index) !== 'refused') return;
		await mark?.refusedAgain(ledger.countAgain(hashes, -1)).catch(() => {});
	}

	/** In n8n's Retry, notes whether the item would be sent with other values now. */
	private async compare(index: number): Promise<void> {
		const { writing } = this.session;
		if (!writing?.ledger.isTakenOver) return;
		const item = await this.checked.build(index).catch(() => undefined);
		if (item) writing.ledger.compare(index, item.fingerprint);
	}

	/** Sends an item, unless its Idempotency Key was sent before. */
	private async send(index: number, more: ItemContext): Promise<INodeExecutionData[]> {
		const { context, session, checked } = this;
		const { writing } = session;
		const item = await checked.take(index);
		const api = apiFor(context, session, item, more);
		if (!writing) return await runItem(context, session, api, item);
		const { ledger, keys, mark } = writing;
		if (this.isInDoubtByOtherKey(item)) throw this.doubtOf(index);
		const isInDoubt = ledger.earlierEntry(index)?.state === 'inDoubt';
		const [keyed] = keyedOf(item);
		const keyHash = keyed && keys?.hash(keyed.key);
		const send = async () => {
			ledger.begin(index, { fingerprint: item.fingerprint, keyHash }, api.writes);
			const items = await runItem(context, session, api, item);
			if (api.held.length === 0) ledger.done(index, items);
			else ledger.held(index, await heldWrite(session, api, item));
			return items;
		};
		if (this.isDoubted(item)) throw new Error(DOUBTED);
		if (!keyed || !keys) {
			const undone = ledger.undoneBefore(index, item.fingerprint);
			if (undone.length === 0) return await send();
			ledger.countAgain(undone, 1);
			await mark?.sendsAgain(undone);
			this.again.set(index, undone);
			return await send();
		}
		// Only items that are sent one by one record keys ahead. For those side by side, the store joins the calls.
		const isSerial = session.door.parallel() === 1;
		const next = (count: number) => (isSerial ? checked.after(index, count).flatMap(keyedOf) : []);
		const result = await keys.once({ ...keyed, isInDoubt }, next, send, () => api.writes.outcome);
		if (Array.isArray(result)) return result;
		ledger.skipped(index, result.doubt);
		return [{ json: result.json, pairedItem: { item: index } }];
	}

	/** Stops the run, or returns an error item if the user chose to continue. */
	private fail(error: Error, index: number): INodeExecutionData[] {
		if (!this.goesOn) throw error;
		this.failed.add(index);
		if (this.session.writing?.mark) this.session.writing.ledger.noteUndone(index);
		return [errorItem(error, index)];
	}
}

const DOUBTED = `The same request may have gone through earlier in this execution, so it wasn't sent again. ${LEFT_OUT}`;

const UNMEASURED =
	"Max Total can't count what this execution has sent before, because the number of some items can't be read now. So nothing was sent.";

const keyedOf = ({ key, fingerprint }: Prepared) =>
	key === undefined ? [] : [{ key, fingerprint }];
