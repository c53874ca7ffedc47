// Runs all items of one execution, from the form to the output. A write is checked, asked for in the ledger, counted and
// claimed before its first request leaves. Collects the output, or the errors if the user chose to continue.
import {
	sleep,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';

import { sentence } from '../base/data';
import { IN_ONE_GO, inPool, Stopped } from '../base/pool';
import { CHECK } from '../client/http/errors';
import { Cancelled } from '../client/http/transport';
import type { OutputFields } from '../form/options';
import { watchCancel } from './cancelled';
import { LEFT_OUT, releaseText } from './claim';
import { heldWrite, runItem } from './item';
import type { Ledger } from './ledger';
import { apiFor, Checked, measured, runError, type ItemContext, type Prepared } from './prepare';
import { Progress } from './progress';
import type { Session, Writing } from './session';

/** The output item for an error, if the user chose to continue. */
export function errorItem(error: Error, index: number): INodeExecutionData {
	const { httpCode, description } = error as Error & { httpCode?: string; description?: string };
	// The editor needs <br> for line breaks.
	const text = description?.replaceAll('<br>', '');
	const details: IDataObject = { ...(httpCode ? { httpCode } : {}), description: text };
	// n8n recognizes error items by exactly these keys, and sends them to the error output.
	return { json: { error: error.message, details }, pairedItem: { item: index } };
}

/** The error of an earlier try, with what a person can do now. */
const withAdvice = (text: string, advice: string): Error =>
	new Error(`${sentence(text).replace(` ${CHECK}`, '')} ${advice}`);

/**
 * Output of an item that a run leaves out, if the user chose to continue. If a node throws, n8n takes its input for its
 * output. What an earlier try has sent comes out all the same.
 * @param reason why the run sends nothing more
 */
export function leftOut(
	ledger: Ledger | undefined,
	index: number,
	reason: Error,
): INodeExecutionData[] {
	if (!ledger) return [errorItem(reason, index)];
	const fate = ledger.fateOf(index);
	if (fate === 'done') return ledger.outputOf(index);
	const isBefore = ledger.isInDoubt(index);
	if (isBefore) return [errorItem(withAdvice(ledger.doubtOf(index).message, LEFT_OUT), index)];
	if (fate === 'inDoubt')
		return [errorItem(withAdvice(reason.message, 'It may have gone through.'), index)];
	// An error output that leads it back would do so for ever.
	return ledger.refusedBefore(index) ? [] : [errorItem(reason, index)];
}

export class AllItems {
	private readonly results: INodeExecutionData[][];

	private readonly failed = new Set<number>();

	/** Items that aren't sent: those that are done, and those that a person has to look at. */
	private readonly notSent = new Map<number, 'done' | 'ask'>();

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
		if (writing) await this.write(writing);
		else await this.sendAll().catch(this.leaveOut);
		// Rows of reads have been cut to the wanted fields already.
		if (!writing || !output) return results.flat();
		return results.flatMap((items, index) =>
			this.failed.has(index)
				? items
				: items.map((item) => ({ ...item, json: this.cut(item.json, output) })),
		);
	}

	private async write(writing: Writing): Promise<void> {
		const { context, session, results } = this;
		const { ledger, claim } = writing;
		const unwatch = watchCancel(context, session.operation.action, ledger);
		let isOver = false;
		try {
			// Each form becomes a request, and is checked.
			const items = await this.check(writing);
			// May it be sent?
			const toSend = items.filter((item) => this.mayBeSent(item, ledger));
			await this.count(toSend, writing);
			if (this.isCancelled) throw new Cancelled();
			// From now on, no Retry sends it again by itself.
			if (claim && toSend.length > 0) {
				const wereDone = await claim.take(ledger.requests(toSend, results.length));
				if (wereDone) for (const { index } of toSend) this.notSent.set(index, 'done');
				if (wereDone) ledger.wasDone(toSend);
			}
			// Sent, a few at a time, and put out.
			await this.sendAll();
			isOver = true;
		} catch (thrown) {
			const error = this.isCancelled ? (thrown as Error) : runError(context, session, thrown);
			// The error that stops the run says what was done. n8n shows none of a cancelled one.
			if (!this.goesOn && !this.isCancelled) ledger.tell(error);
			this.leaveOut(error);
			isOver = true;
		} finally {
			unwatch();
			await this.record(writing);
			if (isOver) ledger.end(this.mayBeTriedAgain);
		}
	}

	/** Records what came of the run. */
	private async record({ ledger, claim, keys, changes }: Writing): Promise<void> {
		const { results } = this;
		// What was only checked doesn't count for the limits.
		ledger.dropUnsent();
		await keys?.end();
		if (changes) {
			const { done, inDoubt } = ledger.told();
			if (done.length > 0) changes.sent(results[0]?.[0]?.json ?? {});
			else if (inDoubt.length === 0) await changes.notSent();
		}
		const isDone = ledger.isDone(results.length);
		await claim?.end(isDone ? ledger.requests([], results.length) : undefined).catch(this.warn);
	}

	/** The run has ended, so an error of the store must not fail it. */
	private readonly warn = (error: unknown): void => {
		const { logger } = this.context;
		logger.warn(`n8n's store didn't record how this run ended: ${(error as Error).message}`);
	};

	/** Ends the run early. If the user chose to continue, what is left becomes error items. */
	private readonly leaveOut = (thrown: unknown): void => {
		if (!this.goesOn) throw thrown;
		const { context, session, results, checked } = this;
		const error = runError(context, session, thrown);
		for (const index of results.keys()) {
			if (results[index]) continue;
			const fault = checked.faults.get(index);
			const reason = fault ? this.errorOf(fault, index) : error;
			results[index] = leftOut(session.writing?.ledger, index, reason);
			if (results[index][0]?.json.error !== undefined) this.failed.add(index);
		}
	};

	private get isCancelled(): boolean {
		return this.context.getExecutionCancelSignal()?.aborted ?? false;
	}

	/** n8n's Retry On Fail also starts a run again whose first output item has an error. */
	private get mayBeTriedAgain(): boolean {
		if (this.context.getNode().retryOnFail !== true) return false;
		const first = this.results.find((items) => items !== undefined && items.length > 0);
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
		return { ...(dryRun !== undefined && { dryRun }), ...(output.cut(json) as IDataObject) };
	}

	/**
	 * Checks all items that aren't done. With On Error: Stop, each must be valid, and none in doubt.
	 * @returns those that can be sent
	 */
	private async check({ ledger, changes }: Writing): Promise<Prepared[]> {
		const { checked, results } = this;
		const indexes = [...results.keys()];
		for (const index of indexes)
			if (ledger.verdict(index) === 'done') this.notSent.set(index, 'done');
		await this.lookBack(ledger);
		const items = await checked.check(indexes.filter((index) => !this.notSent.has(index)));
		for (const { index, request } of items)
			if (!ledger.isInDoubt(index)) await changes?.check(request);
		// One in doubt that can't be built is asked for, too.
		const ask = [...checked.faults.keys()].filter((index) => ledger.verdict(index) === 'ask');
		for (const index of ask) this.notSent.set(index, 'ask');
		if (this.goesOn) return items;
		const doubtful =
			items.find((item) => ledger.verdict(item.index, item) === 'ask')?.index ?? ask[0];
		if (doubtful !== undefined) throw this.doubtOf(doubtful);
		if (checked.faults.size > 0) throw checked.error();
		return items;
	}

	private mayBeSent(item: Prepared, ledger: Ledger): boolean {
		const verdict = ledger.verdict(item.index, item);
		if (verdict !== 'send') this.notSent.set(item.index, verdict);
		return verdict === 'send';
	}

	/** In n8n's Retry, compares what was done with what would be sent now. If keys are new, they're recorded. */
	private async lookBack(ledger: Ledger): Promise<void> {
		const { checked, session } = this;
		const items = await checked.buildAgain(ledger.toCompare);
		const unkeyed = items.filter((item) => ledger.compare(item));
		await session.writing?.keys?.addSent(unkeyed.flatMap(keyedOf));
	}

	/** Counts items for the Safety Limits. Those that are skipped because of their key don't count. */
	private async count(items: Prepared[], { ledger, keys }: Writing): Promise<void> {
		const { context, session } = this;
		const { limits } = session;
		if (!limits) return;
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

	private errorOf(thrown: unknown, index: number): Error {
		const { context, session, results } = this;
		return runError(context, session, thrown, { itemIndex: index, items: results.length });
	}

	/** The error of an item that may have been sent, with what a person can do. */
	private doubtOf(index: number): Error {
		const { ledger, claim } = this.session.writing as Writing;
		const error = ledger.doubtOf(index);
		// In Retry On Fail, a try ends with the error of the one before.
		if (ledger.isInDoubt(index) && !ledger.run.isTakenOver) return error;
		const code = this.goesOn || !ledger.isInDoubt(index) ? undefined : claim?.releaseCode(index);
		const advice = code === undefined ? LEFT_OUT : releaseText(code);
		return this.errorOf(withAdvice(error.message, advice), index);
	}

	private async runOne(index: number, signal: AbortSignal): Promise<INodeExecutionData[]> {
		const ledger = this.session.writing?.ledger;
		if (index % IN_ONE_GO === IN_ONE_GO - 1) await sleep(0);
		try {
			const verdict = this.notSent.get(index);
			if (ledger && verdict === 'done') return ledger.outputOf(index);
			// An error output would lead it back for ever. It was told when it came back first.
			if (verdict === 'ask' && this.goesOn && ledger?.refusedBefore(index)) return [];
			if (verdict === 'ask') throw this.doubtOf(index);
			return await this.sendOnce(index, { runSignal: signal, lostResponse: ledger?.isLost(index) });
		} catch (thrown) {
			const isEnd = thrown instanceof Cancelled || thrown instanceof Stopped;
			const error = isEnd ? thrown : this.errorOf(thrown, index);
			ledger?.failed(index, error);
			if (isEnd || !this.goesOn) throw error;
			this.failed.add(index);
			return [errorItem(error, index)];
		}
	}

	/** Sends an item, unless its Idempotency Key was sent before. */
	private async sendOnce(index: number, more: ItemContext): Promise<INodeExecutionData[]> {
		const { context, session, checked } = this;
		const item = await checked.take(index);
		const api = apiFor(context, session, item, more);
		if (!session.writing) return await runItem(context, session, api, item);
		const { ledger, keys } = session.writing;
		const send = async () => {
			ledger.begin(item, api.writes);
			const items = await runItem(context, session, api, item);
			if (api.writes.held.length === 0) ledger.done(index, items);
			else ledger.heldBack(index, heldWrite(api));
			return items;
		};
		const [keyed] = keyedOf(item);
		if (!keyed || !keys) return await send();
		// Only items that are sent one by one record keys ahead. For those side by side, the store joins the calls.
		const isSerial = session.door.parallel() === 1;
		const next = (count: number) => (isSerial ? checked.after(index, count).flatMap(keyedOf) : []);
		const isInDoubt = ledger.isInDoubt(index);
		const result = await keys.once({ ...keyed, isInDoubt }, next, send, () => api.writes.outcome);
		if (Array.isArray(result)) return result;
		ledger.skipped(index, result.doubt);
		return [{ json: result.json, pairedItem: { item: index } }];
	}
}

const keyedOf = ({ key, fingerprint }: Prepared) =>
	key === undefined ? [] : [{ key, fingerprint }];
