// Runs all items of one execution, from the form to the output. A write is checked, allowed by the ledger, counted for the
// limits and claimed before its first request leaves. Collects the output, or the errors if the user chose to continue.
//
// Before this, node/execute.ts has opened the session: ledger, claim, keys and limits. Afterwards it adds the hints. prepare.ts
// makes a request of a form, and item.ts sends it and makes the output items. A read is only built at its turn.
import {
	sleep,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';

import { FieldFault } from '../base/apiRequest';
import { sentence } from '../base/data';
import { rowName } from '../base/itemName';
import { pathNames } from '../base/path';
import { IN_ONE_GO, inPool, Stopped } from '../base/pool';
import type { Api } from '../client/api';
import { Cancelled } from '../client/http/transport';
import type { OutputFields } from '../form/options';
import { watchCancel } from './cancelled';
import type { Claim } from './claim';
import { LEFT_OUT, releaseText } from './releaseKey';
import type { Budget } from './budget';
import { totalText } from './decimal';
import { amountOf, keysInDoubt, nameOfWrite } from './doubt';
import { heldWrite } from './dryItems';
import { runItem } from './item';
import type { Idempotency, Skip } from './idempotency';
import type { Fate } from './book';
import type { Ledger } from './ledger';
import { errorItem, leftOut, unsentItem, withAdvice } from './leftOut';
import { apiFor, Checked, measured, runError, type Prepared } from './prepare';
import { Progress } from './progress';
import { factsOf, isSimplified, unsentRow } from './rowForm';
import { tableRow } from './tableRow';
import { tell } from './told';
import type { Session, Writing } from './session';

/** Max items in doubt that an error names. The code in the error stands for all. */
const NAMED = 25;

export class AllItems {
	/** Output by item, with empty places for items that haven't ended. */
	private readonly results: INodeExecutionData[][];

	/** Items whose output is an error. */
	private readonly failed = new Set<number>();

	/** Items with a right form that aren't sent, because they're done, or because a person has to look at them. */
	private readonly notSent = new Map<number, Fate>();

	/** The first item of this run with each key. */
	private readonly byKey = new Map<string, number>();

	/** Amounts of what was sent, if there are several items. An unknown amount is undefined. */
	private readonly amounts: Array<bigint | undefined> = [];

	private skips = 0;

	/** Names of items whose keys are in doubt, if these items end the run with an error. */
	private readonly keysInDoubt: string[] = [];

	/** Items in doubt that are named by the error which stops the run. */
	private asked: number[] = [];

	/** A sentence for items with a wrong form, if an earlier execution may have sent them. */
	private earlierText = '';

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
		else await this.putOutAll().catch(this.leaveOut);
		// Rows of reads have been cut to the wanted fields already.
		if (!writing || !output) return results.flat();
		return results.flatMap((items, index) =>
			this.failed.has(index)
				? items
				: items.map((item) => ({ ...item, json: this.cut(item.json, output) })),
		);
	}

	/** Runs the items of a write. This run changes nothing in the API before `putOutAll`. Throws the error that stops it. */
	private async write(writing: Writing): Promise<void> {
		const { context, session } = this;
		const { ledger, claim } = writing;
		const signal = context.getExecutionCancelSignal();
		const unwatch = watchCancel(context, session, ledger);
		let isOver = false;
		try {
			// Each form becomes a request, and is checked. The ledger says which may be sent.
			const ready = await this.itemsToSend(writing);
			this.lookAhead(ready);
			if (claim && this.checked.faults.size > 0) this.earlierText = await claim.earlierText();
			const { limits } = session;
			const overLimit = limits && (await this.countForLimits(ready, limits, writing));
			const toSend = ready.filter(({ index }) => !this.checked.faults.has(index));
			// From now on, no Retry sends these items again by itself.
			if (claim && toSend.length > 0) await this.claimAll(toSend, writing, claim, overLimit);
			await this.putOutAll();
			if (this.keysInDoubt.length > 0 && !this.goesOn) throw keysInDoubt(this.keysInDoubt);
			isOver = true;
		} catch (thrown) {
			const isCancelled = signal?.aborted === true;
			const error = isCancelled ? (thrown as Error) : runError(context, session, thrown);
			const isAsked = this.asked.length > 0;
			if (claim && !isCancelled && !isAsked) addText(error, await claim.earlierText());
			// The error that stops the run says what was done. n8n shows no error of a cancelled run.
			if (!this.goesOn && !isCancelled) tell(ledger, error, this.asked);
			// Throws unless the user chose to continue. A run that throws isn't over: Retry On Fail and n8n's Retry go on with it.
			this.leaveOut(error);
			isOver = true;
		} finally {
			unwatch();
			await this.recordEnd(writing);
			// Retry On Fail also starts a run again whose first output item has an error.
			const mayBeTriedAgain = context.getNode().retryOnFail === true && this.beginsWithError;
			if (isOver) ledger.end(mayBeTriedAgain);
		}
	}

	/**
	 * Claims the run. `overLimit` is the error of a limit that the items only keep to without those whose keys are known. If this
	 * same execution has sent those, they count.
	 */
	private async claimAll(
		toSend: Prepared[],
		{ ledger, keys }: Writing,
		claim: Claim,
		overLimit: Error | undefined,
	): Promise<void> {
		const isKeyKnown = keys && (async () => await keys.isRecorded(keyedOf(toSend[0])[0]));
		const size = this.results.length;
		const claimed = await claim.take(toSend, size, isKeyKnown);
		if (claimed === 'done') ledger.wereSent(toSend, { settled: size, failed: [], begun: size });
		if (claimed === 'done' || claimed === 'part') {
			for (const item of toSend) {
				const fate = ledger.fateOf(item.index, item);
				if (fate !== 'unsent') this.notSent.set(item.index, fate);
			}
			this.askForDoubts(toSend);
			await claim.goOn();
		}
		if (claimed !== 'keys') return;
		ledger.leaveToKeys(toSend);
		if (overLimit) throw overLimit;
	}

	/**
	 * Builds and checks all items that aren't done, and asks the ledger for each. With On Error: Stop, each must be valid, and
	 * none in doubt. Returns those that may be sent. The others come out as done, or as an error that asks a person (`notSent`).
	 */
	private async itemsToSend({ ledger, changes, keys }: Writing): Promise<Prepared[]> {
		const { checked, notSent } = this;
		const { indexes } = this.session;
		for (const index of indexes) {
			if (ledger.fateOf(index) === 'done') notSent.set(index, 'done');
		}
		// Before the others are checked, because items that were sent own the values that only one item may have.
		if (ledger.run.isTakenOver) await this.lookBack(ledger, keys);
		const items = await checked.check(indexes.filter((index) => !notSent.has(index)));
		const toSend: Prepared[] = [];
		for (const item of items) {
			const { index, request } = item;
			// About an item that is in doubt since an earlier try, the ledger alone decides.
			if (changes && ledger.stateOf(index) !== 'inDoubt') await changes.check(request);
			const fate = ledger.fateOf(index, item);
			if (fate === 'unsent') toSend.push(item);
			else notSent.set(index, fate);
		}
		// A person is also asked for an item in doubt that isn't valid now.
		for (const index of checked.faults.keys()) {
			if (ledger.fateOf(index) === 'inDoubt') notSent.set(index, 'inDoubt');
		}
		if (this.goesOn) return toSend;
		if (notSent.size > 0) this.askForDoubts(items);
		if (checked.faults.size > 0) throw checked.error();
		return toSend;
	}

	/** @throws the error that names all items that may have been sent, unless the run goes on without them */
	private askForDoubts(items: Prepared[]): void {
		if (this.goesOn) return;
		this.asked = [...this.notSent].flatMap(([index, fate]) => (fate === 'inDoubt' ? [index] : []));
		if (this.asked.length > 0) throw this.doubtsOf(this.asked, items);
	}

	/** Tells the door which records the items are about, so that it can read them in a list. */
	private lookAhead(items: Prepared[]): void {
		const { door, operation } = this.session;
		const keys = items.flatMap(({ request }) => operation.listedKey?.(request) ?? []);
		if (keys.length > 0) door.lookAhead(keys);
	}

	/** In n8n's Retry, compares what was done with what would be sent now. New keys are recorded as sent. */
	private async lookBack(ledger: Ledger, keys: Idempotency | undefined): Promise<void> {
		const items = await this.checked.check(ledger.doneBefore, true);
		const unkeyed = items.filter((item) => ledger.compare(item));
		await keys?.addSent(unkeyed.flatMap(keyedOf));
	}

	/**
	 * Counts items for the Safety Limits. An item that can't be measured isn't sent, but the others are if the user chose to
	 * continue.
	 * @returns the error of a limit that the items only keep to without those that will be skipped because of their key
	 * @throws the error of a limit that the items exceed
	 */
	private async countForLimits(
		items: Prepared[],
		limits: Budget,
		{ ledger, keys }: Writing,
	): Promise<Error | undefined> {
		const { context, session, goesOn, checked } = this;
		const countAll = async (wanted: Prepared[]) => {
			const how = { measures: limits.measures, faults: goesOn ? checked.faults : undefined };
			const sums = await measured(context, session, wanted, how);
			const known = wanted.filter(({ index }) => sums.has(index));
			limits.count(sums, known, ledger);
		};
		const overLimit = await countAll(items).then(
			() => undefined,
			(error: Error) => error,
		);
		if (overLimit === undefined) return undefined;
		// The store is only asked if a limit would refuse the run.
		const sent = await keys?.known(items.flatMap(keyedOf));
		const unsent = items.filter(({ key }) => key === undefined || !sent?.has(key));
		if (unsent.length === items.length) throw overLimit;
		await countAll(unsent);
		return overLimit;
	}

	private async putOutAll(): Promise<void> {
		const { results, session, context } = this;
		const isByHand = context.getMode() === 'manual';
		const { indexes } = session;
		const progress = isByHand ? new Progress(context, indexes.length) : undefined;
		await inPool(indexes.length, session.door.parallel, async (turn, signal) => {
			const index = indexes[turn];
			results[index] = await this.putOut(index, signal);
			progress?.next();
		});
	}

	/** Sends an item if it may be sent, and returns its output. Throws its error unless the run goes on, Cancelled, Stopped. */
	private async putOut(index: number, runSignal: AbortSignal): Promise<INodeExecutionData[]> {
		const { context, session, checked } = this;
		const { ledger, keys } = session.writing ?? {};
		if (index % IN_ONE_GO === IN_ONE_GO - 1) await sleep(0);
		try {
			const fate = this.notSent.get(index);
			if (ledger && fate !== undefined) {
				if (fate === 'done') return ledger.outputOf(index);
				throw this.doubtOf(index, ledger);
			}
			const item = await checked.take(index);
			const lostResponse = ledger?.run.items[index]?.state === 'lost';
			const api = apiFor(context, session, item, { runSignal, lostResponse });
			if (!ledger) return await runItem(context, session, api, item);
			return await (keys ? this.sendOnce(item, api, keys) : this.send(item, api));
		} catch (thrown) {
			const isEnd = thrown instanceof Cancelled || thrown instanceof Stopped;
			const error = isEnd ? thrown : this.itemError(thrown, index);
			const isUnsent = ledger?.isUnderWay(index) === false;
			ledger?.failed(index, error);
			if (isEnd || !this.goesOn) throw error;
			this.failed.add(index);
			ledger?.passOver(index);
			return ledger && isUnsent ? unsentItem(ledger, index, error) : [errorItem(error, index)];
		}
	}

	private async send(item: Prepared, api: Api): Promise<INodeExecutionData[]> {
		const { ledger, claim, held } = this.session.writing as Writing;
		if (claim?.milestones) await claim.reach(item.index);
		ledger.begin(item, api.writes, this.session.door.connection.isDry);
		const rows = await runItem(this.context, this.session, api, item);
		const items = this.session.isForTable ? this.forTable(rows, item, api) : rows;
		if (api.writes.held.length === 0) {
			ledger.done(item.index, items);
			if (this.results.length > 1) this.amounts.push(amountOf(this.session, item));
			return items;
		}
		ledger.heldBack(item.index);
		const write = heldWrite(api);
		if (write) held.push(write.sum);
		return items;
	}

	/** Rows as a table shows them. Without Simplify, the rows are the response alone. */
	private forTable(items: INodeExecutionData[], item: Prepared, api: Api): INodeExecutionData[] {
		if (!isSimplified(item.parameter)) return items;
		const facts = factsOf(this.session, item, api);
		const about = pathNames(item.request);
		return items.map((each) => ({ ...each, json: tableRow(each.json, facts, about) }));
	}

	private async sendOnce(
		item: Prepared,
		api: Api,
		keys: Idempotency,
	): Promise<INodeExecutionData[]> {
		const { session, checked } = this;
		const { ledger } = session.writing as Writing;
		const { index } = item;
		const [keyed] = keyedOf(item);
		// Only items that are sent one by one record keys ahead. For items side by side, the store joins the calls.
		const isSerial = session.door.parallel.max === 1;
		const next = (count: number) => (isSerial ? checked.after(index, count).flatMap(keyedOf) : []);
		const isInDoubt = ledger.stateOf(index) === 'inDoubt';
		if (!this.byKey.has(keyed.key)) this.byKey.set(keyed.key, index);
		const send = async () => await this.send(item, api);
		const result = await keys.once(
			{ ...keyed, isInDoubt },
			next,
			send,
			() => api.writes.mayBeApplied,
		);
		if (Array.isArray(result)) return result;
		ledger.skipped(item, result.doubt);
		this.skips++;
		if (result.doubt !== undefined && session.failsInDoubt) return this.putOutInDoubt(item);
		return [{ json: this.skipped(result, item, api), pairedItem: { item: index } }];
	}

	/** The row of an item whose key was sent before. If this run did that, it says with which item, and what came of it. */
	private skipped({ json, isDone }: Skip, item: Prepared, api: Api): IDataObject {
		const { key = '', index, request } = item;
		const owner = this.byKey.get(key);
		const first = owner === undefined || owner === index ? undefined : owner;
		const reason =
			first === undefined
				? json.reason
				: String(json.reason).replace('This key was sent before', `Same key as ${rowName(first)}`);
		if (!this.session.isForTable) return { ...json, reason };
		const id = first === undefined ? undefined : this.results[first]?.[0]?.json.id;
		// Few enough words for a line.
		const brief = first === undefined ? 'Sent before' : `Same key as row ${first + 1}`;
		const row = {
			...(id !== undefined && { id }),
			...json,
			reason: isDone ? brief : reason,
		};
		return tableRow(row, unsentRow(this.session, item, api), pathNames(request));
	}

	/** An item whose key is in doubt fails the run at its end, or comes out as an error if the user chose to continue. */
	private putOutInDoubt(item: Prepared): INodeExecutionData[] {
		const { session } = this;
		const name = nameOfWrite(session, item, session.indexes.length);
		if (this.goesOn) throw keysInDoubt([name]);
		this.keysInDoubt.push(name);
		return [];
	}

	/** Tells in one line what a run of several items did. Empty if nothing was sent. */
	get summary(): string {
		const { amounts, failed, skips } = this;
		const { writing, tally, operation, door } = this.session;
		const { ledger } = writing as Writing;
		// A dry run has a hint of its own, and may find that nothing has to be sent.
		if (amounts.length === 0 || door.connection.isDry) return '';
		const inDoubt = [...failed].filter((index) => ledger.fateOf(index) === 'inDoubt').length;
		const others = [
			skips > 0 && `${skips} skipped`,
			failed.size > inDoubt && `${failed.size - inDoubt} refused`,
			inDoubt > 0 && `${inDoubt} in doubt`,
		].filter(Boolean);
		const rest = others.length > 0 ? ` ${others.join(', ')}.` : '';
		if (!tally.isEmpty) return `"${operation.action}": ${tally.text(false)}.${rest}`;
		return `Sent: "${operation.action}" for ${totalText(amounts)}.${rest}`;
	}

	private async recordEnd({ ledger, claim, keys, changes }: Writing): Promise<void> {
		const { results } = this;
		// Items that were counted for the limits but not sent no longer count.
		const { indexes } = this.session;
		const isDone = ledger.endItems(indexes);
		await keys?.end();
		// A call of a tool has one item.
		if (changes) {
			const { done, inDoubt } = ledger.told();
			if (done.length > 0) changes.sent(results[0]?.[0]?.json ?? {});
			else if (inDoubt.length === 0) await changes.notSent();
		}
		await claim?.end(isDone).catch(this.warn);
	}

	/** Ends the run early: makes error items of what is left if the user chose to continue, else throws. */
	private readonly leaveOut = (thrown: unknown): void => {
		if (!this.goesOn) throw thrown;
		const { context, session, results, checked } = this;
		const error = runError(context, session, thrown);
		for (const index of session.indexes) {
			if (results[index]) continue;
			const fault = checked.faults.get(index);
			const reason = fault ? this.itemError(fault, index) : error;
			results[index] = leftOut(session.writing?.ledger, index, reason);
			if (results[index][0]?.json.error !== undefined) this.failed.add(index);
		}
	};

	/** Keeps only the wanted fields, and the note of Dry Run. Skipped items and those with a warning stay whole. */
	private cut(json: IDataObject, output: OutputFields): IDataObject {
		const isWarned = this.session.warnings.has(String(json.warning));
		if (isWarned || json.skipped === true) return json;
		const { dryRun } = json;
		const note = { ...(dryRun !== undefined && { dryRun }) };
		const wanted = output.cut(json) as IDataObject;
		return this.session.isForTable ? { ...wanted, ...note } : { ...note, ...wanted };
	}

	/** n8n also takes an empty text in the first output item for an error. */
	private get beginsWithError(): boolean {
		const first = this.results.find((items) => items !== undefined && items.length > 0);
		const error = first?.[0].json.error;
		return error !== undefined && error !== null && error !== false;
	}

	/** The error of an item that may have been sent, if the run goes on. In Retry On Fail, the error of the try before stays. */
	private doubtOf(index: number, ledger: Ledger): Error {
		const error = ledger.doubtOf(index);
		const isOfTryBefore = ledger.fateOf(index) === 'inDoubt' && !ledger.run.isTakenOver;
		return isOfTryBefore ? error : withAdvice(error.message, LEFT_OUT);
	}

	/** The error that stops the run because of items that may have been sent. It says what a person can do. */
	private doubtsOf(indexes: number[], items: Prepared[]): Error {
		const { context, session, results } = this;
		const { ledger, claim } = session.writing as Writing;
		const [first, ...others] = indexes;
		if (ledger.fateOf(first) === 'inDoubt' && !ledger.run.isTakenOver) return ledger.doubtOf(first);
		const byIndex = new Map(items.map((item) => [item.index, item]));
		const names = indexes.slice(0, NAMED).map((index) => {
			const item = byIndex.get(index);
			return item ? nameOfWrite(session, item, results.length) : rowName(index);
		});
		if (indexes.length > NAMED) names.push(`and ${indexes.length - NAMED} others`);
		// A code can't release what an earlier run of this execution left in doubt.
		const isReleasable = indexes.every((index) => ledger.fateOf(index) === 'inDoubt');
		const code = isReleasable ? claim?.releaseCode : undefined;
		const advice = code === undefined ? LEFT_OUT : releaseText(code, indexes);
		const what =
			others.length === 0
				? ledger.doubtOf(first).message
				: `${indexes.length} items may have gone through in an execution before this one, so nothing was sent. Make sure that it has ended.`;
		const error = withAdvice(what, `In doubt: ${names.join('; ')}. ${advice}`);
		return others.length === 0 ? this.errorOf(error, first) : runError(context, session, error);
	}

	/** The error of an item that failed or isn't sent. It says so if an execution before this one may have sent the item. */
	private itemError(thrown: unknown, index: number): Error {
		const isSentBefore = this.session.writing?.ledger.mayBeSent(index) === true;
		// The fault may be a key that can't be recorded again.
		if (thrown instanceof FieldFault && isSentBefore) thrown.isAfterWrite = true;
		const error = this.errorOf(thrown, index);
		if (this.checked.faults.has(index)) addText(error, this.earlierText);
		return error;
	}

	private errorOf(thrown: unknown, index: number): Error {
		const { context, session } = this;
		return runError(context, session, thrown, { itemIndex: index, items: session.indexes.length });
	}

	/** The run has ended, so an error of the store must not fail it. */
	private readonly warn = (error: unknown): void => {
		const { logger } = this.context;
		logger.warn(`n8n's store didn't record how this run ended: ${(error as Error).message}`);
	};
}

function addText(error: Error, text: string): void {
	if (text !== '') error.message = `${sentence(error.message)} ${text}`;
}

/** The key of an item in a list, which is empty if the item has none. */
const keyedOf = ({ key, fingerprint }: Prepared) =>
	key === undefined ? [] : [{ key, fingerprint }];
