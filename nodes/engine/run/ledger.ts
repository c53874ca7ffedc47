// The ledger of a node in one execution: what it did with each item, and what may be done with it now. It's kept in n8n's
// data of the execution, by the ID of the node. So it's there again in a loop, after a Wait in another process, with Retry On
// Fail, and with n8n's Retry after an error. Where n8n has lost it: claim.ts.
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	ISupplyDataFunctions,
} from 'n8n-workflow';
import { randomBytes } from 'node:crypto';

import { hashOf } from '../base/data';
import type { ApiDefinition } from '../base/definition';
import type { Writes } from '../client/http/writes';
import { takesKey, type Operation } from '../form/operation';
import {
	hashOfInput,
	NEXT,
	STATES,
	type Book,
	type Entry,
	type Event,
	type Fate,
	type Run,
	type State,
} from './book';
import type { Reach, Settled } from './milestones';

/** Items that a node has sent, or is about to send, in one execution. */
export interface Spent {
	/** Of all operations: the tools of a toolkit share a ledger. */
	items: number;
	/** Sum of what is measured like this run, such as amounts. Undefined if it isn't known. */
	total?: bigint;
}

/** An item as it would be sent. */
export interface ToSend {
	index: number;
	fingerprint: string;
	keyHash?: string;
}

/** Max runs that give out the same item. Without `error`, an item may be another one of a loop, or be led back for ever. */
const GIVEN_OUT = 10;

/** Max length of all outputs and messages that a run keeps, as JSON. IDs are always kept. */
const KEPT = 200_000;

/** Keys of the calls of tools, by their arguments: a retry gets the same object. */
const callKeys = new WeakMap<object, string>();

const CALL = 'call';

/** Key of this run of the node among those of the execution: `$runIndex`, or a random one for a call that an agent makes. */
function runKeyOf(context: IExecuteFunctions): string {
	const args: unknown = context.isToolExecution() ? context.getInputData()[0]?.json : undefined;
	if (typeof args !== 'object' || args === null) {
		return String(context.getWorkflowDataProxy(0).$runIndex);
	}
	const key = callKeys.get(args) ?? `${CALL} ${randomBytes(6).toString('hex')}`;
	callKeys.set(args, key);
	return key;
}

/** True if n8n keeps data for the node. n8n's own Agents (`internal`) give each call a node with a new ID. */
export const isLasting = (context: Pick<IExecuteFunctions, 'getMode' | 'getWorkflow'>): boolean =>
	context.getMode() !== 'internal' && Boolean(context.getWorkflow().id);

/** True if n8n knows which runs belong together. Behind the MCP Server Trigger each call is an execution without an ID. */
export const isKept = (
	context: Pick<IExecuteFunctions, 'getExecutionId' | 'getMode' | 'getWorkflow'>,
): boolean => isLasting(context) && context.getExecutionId() !== undefined;

/** The book of a node, in n8n's data of the execution. A new one each time if n8n keeps none. */
export function bookOf(
	context: IExecuteFunctions | ISupplyDataFunctions,
	{ package: { name } }: ApiDefinition,
): Book {
	// It's there in sub-nodes, too, although their types lack it.
	const kept = isLasting(context) ? (context as IExecuteFunctions).getContext('flow') : {};
	const flow = kept as IDataObject;
	const bookKey = `${name} ${context.getNode().id}`;
	flow[bookKey] ??= { items: 0, totals: {}, runs: {} } satisfies Book;
	return flow[bookKey] as unknown as Book;
}

/** Outputs and errors of this process, which are larger than what an entry keeps. */
const outputs = new WeakMap<Entry, INodeExecutionData[]>();
const errors = new WeakMap<Entry, Error>();

export class Ledger {
	readonly book: Book;

	readonly run: Run;

	readonly place: string;

	private readonly key: string;

	/** A Retry has another operation than the run that it goes on with. Nothing can be said of its items then. */
	readonly isOfOtherOperation: boolean;

	/** Items that an earlier try has sent with other values. */
	readonly changed: number[] = [];

	/** Items that went through in this try. The others that are done did so before. */
	private readonly sentNow = new Set<number>();

	/** Writes of items under way. */
	private readonly live = new Map<number, Writes>();

	/** Items that were skipped because of their Idempotency Key, with the key of those in doubt. */
	readonly skips: Array<string | undefined> = [];

	/** Items that came back, and weren't given out again (`noteRefused`). */
	ledBack = 0;

	/** Length of what is kept (`KEPT`). */
	private kept = 0;

	/** Failed items that the run goes on without. */
	private readonly passed = new Set<number>();

	/** Items at the beginning whose fate is known. */
	private readonly lead: Settled = { settled: 0, failed: [] };

	/** @param isTool each run is a call of its own */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
		isTool = false,
	) {
		const { endpoint, value, measure } = operation;
		this.book = bookOf(context, endpoint.api);
		this.place = `${context.getWorkflow().id} ${context.getNode().id}`;
		this.key = runKeyOf(context);
		const execution = context.getExecutionId() ?? '';
		const operationKey = `${endpoint.route} ${value}`;
		// What isn't measured must not make a total unknown.
		const kind = measure ? (measure.noun ?? 'amount') : 'none';
		const run = this.takeUpRun(this.key, execution, isTool);
		this.run = run ?? { execution, operation: operationKey, kind, items: {} };
		this.book.runs[this.key] = this.run;
		// A check of a person holds only at its time, so n8n's Retry repeats it.
		if (this.run.isTakenOver && endpoint.checksPerson) this.run.items = {};
		for (const index of Object.keys(this.run.items).map(Number)) {
			if (endpoint.isRepeatable || endpoint.tests) this.move(index, 'lose');
			this.move(index, 'takeUp');
		}
		// Nothing is left of the run that a Retry goes on with.
		const isEmpty = Object.keys(this.run.items).length === 0;
		if (isEmpty) Object.assign(this.run, { operation: operationKey, kind });
		this.isOfOtherOperation = this.run.operation !== operationKey;
	}

	/**
	 * Takes up the run that an earlier try has left: of Retry On Fail in this execution, or of n8n's Retry, which begins with the
	 * run that failed, whatever its index is now. All other runs are over: a loop has gone on, or n8n's Retry starts the agent
	 * anew. Only other calls of a tool in this execution may still be under way.
	 */
	private takeUpRun(key: string, execution: string, isTool: boolean): Run | undefined {
		let found: Run | undefined;
		for (const [runKey, run] of Object.entries(this.book.runs)) {
			const isForeign = run.execution !== execution;
			const isCall = runKey.startsWith(CALL);
			if (runKey === key && !isForeign) found = run;
			else if (isForeign && !isCall && !isTool && !run.isOver && !found) {
				found = run;
				run.execution = execution;
				run.isTakenOver = true;
				delete this.book.runs[runKey];
			} else if (isForeign || !isCall) this.retire(runKey);
		}
		return found;
	}

	/** Moves an item on by an event. Returns its entry, unless its state stays, or nothing of it is kept. */
	private move(index: number, event: Event, more: Partial<Entry> = {}): Entry | undefined {
		const { items } = this.run;
		const state = NEXT.get(`${event} ${this.stateOf(index)}`);
		if (state === 'unsent') delete items[index];
		if (state === undefined || state === 'unsent') return undefined;
		return (items[index] = { ...items[index], ...more, state });
	}

	stateOf(index: number): State {
		return this.run.items[index]?.state ?? 'unsent';
	}

	/** Says how to go on with an item. Its key decides if it's the same, and what earlier runs have left in doubt counts. */
	fateOf(index: number, item?: ToSend): Fate {
		const { fate }: { fate: Fate } = STATES[this.stateOf(index)];
		if (!item || fate === 'done') return fate;
		if (fate === 'unsent') return this.isEarlierDoubt(index, item) ? 'inDoubt' : 'unsent';
		const { state, keyHash } = this.run.items[index];
		const hasSameKey = keyHash !== undefined && keyHash === item.keyHash;
		// In n8n's Retry, the key also decides about an item in doubt, which a person may have released since.
		const decides = state !== 'inDoubt' || this.run.isTakenOver === true;
		return hasSameKey && decides ? 'unsent' : 'inDoubt';
	}

	/** True if an earlier run left the item in doubt: an error output leads it back with `error`, or its request comes again. */
	private isEarlierDoubt(index: number, { fingerprint }: ToSend): boolean {
		const { doubts } = this.book;
		if (!doubts || !takesKey(this.operation)) return false;
		const { json } = this.context.getInputData()[index];
		if (json.error !== undefined && doubts[hashOfInput(json)] === true) return true;
		return doubts[fingerprint] === true;
	}

	/** The fate that a person is told. An item under way may have gone through once a write has left. */
	private toldFate(index: number): Fate {
		const { told }: { told: Fate } = STATES[this.stateOf(index)];
		const writes = this.live.get(index);
		return told === 'inDoubt' && writes?.mayHaveWritten === false ? 'unsent' : told;
	}

	/** True if this run, or an execution or a run before it, may have sent the item. */
	mayBeSent(index: number): boolean {
		if ([this.fateOf(index), this.toldFate(index)].includes('inDoubt')) return true;
		const { json } = this.context.getInputData()[index];
		return this.book.doubts?.[hashOfInput(json)] !== undefined;
	}

	/** The error of an item that a person has to look at. */
	doubtOf(index: number): Error {
		const entry = this.run.items[index];
		if (!entry) return new Error(DOUBT_OF_EARLIER_RUN);
		const text = entry.state === 'skipped' ? SKIPPED : DOUBT_OF_EARLIER_EXECUTION;
		return errors.get(entry) ?? new Error(entry.why ?? text);
	}

	/** Takes items out of doubt that a person has looked at. Those that didn't go through are sent again. */
	release(indexes: number[], wentThrough: boolean): void {
		for (const index of indexes) {
			if (this.fateOf(index) === 'inDoubt') this.move(index, wentThrough ? 'end' : 'release');
		}
	}

	/** Leaves items to their keys, which alone tell if an execution of which n8n kept nothing has sent them. */
	leaveToKeys(items: ToSend[]): void {
		for (const { index, fingerprint, keyHash } of items)
			this.move(index, 'leave', { fingerprint, keyHash });
	}

	/** Notes items that an earlier execution, of which n8n kept nothing, has sent or may have sent (claim.ts). */
	wereSent(items: ToSend[], { settled, failed, begun }: Reach): void {
		// So that the hints name them.
		this.run.isTakenOver = true;
		for (const index of failed) this.passed.add(index);
		for (const { index, fingerprint } of items) {
			const hasFailed = this.passed.has(index);
			const why = hasFailed ? { why: FAILED_BEFORE } : {};
			if (index < settled && !hasFailed) this.move(index, 'end', { fingerprint });
			else if (index < begun)
				this.move(index, 'doubt', { fingerprint, input: this.inputHash(index), ...why });
		}
	}

	/** The run goes on without an item that has failed. */
	passOver(index: number): void {
		this.passed.add(index);
	}

	/** The items at the beginning that are done, or that the run goes on without. */
	get settled(): Settled {
		const { lead, passed } = this;
		const { items } = this.run;
		for (; items[lead.settled]?.state === 'done' || passed.has(lead.settled); lead.settled++) {
			if (passed.has(lead.settled)) lead.failed.push(lead.settled);
		}
		return lead;
	}

	/** Nothing from this item on was sent. */
	get begun(): number {
		const { items } = this.run;
		const sent = Object.keys(items).filter((index) => items[index].state !== 'unsent');
		return sent.reduce((most, index) => Math.max(most, Number(index) + 1), this.settled.settled);
	}

	/** The output of an item that is done. Another process only has what the ledger has kept of it. */
	outputOf(index: number): INodeExecutionData[] {
		const entry = this.run.items[index];
		const whole = outputs.get(entry);
		if (whole) return whole;
		const { rows, ids = [] } = entry;
		const id: IDataObject = ids.length > 0 ? { id: ids[0] } : {};
		const json = rows ?? [{ ...id, skipped: true, reason: NOT_KEPT }];
		return json.map((each) => ({ json: each, pairedItem: { item: index } }));
	}

	/** Items that an earlier try has sent. They come out as it left them. */
	get doneBefore(): number[] {
		const indexes = Object.keys(this.run.items).map(Number);
		return indexes.filter((index) => this.stateOf(index) === 'done' && !this.sentNow.has(index));
	}

	/** Notes for the hints if a done item differs from what would be sent now. True if only now it has a key. */
	compare({ index, fingerprint, keyHash }: ToSend): boolean {
		const entry = this.run.items[index];
		if (entry.fingerprint !== fingerprint) this.changed.push(index);
		return keyHash !== undefined && entry.keyHash === undefined;
	}

	/** Items that this execution has sent or is about to send. This run sends those in `except` again, and counts them anew. */
	spent(except: { has(index: number): boolean }): Spent {
		const { runs, totals } = this.book;
		const { kind } = this.run;
		let { items } = this.book;
		const ofSameKind: Entry[] = [];
		for (const run of Object.values(runs)) {
			for (const [index, entry] of Object.entries(run.items)) {
				const isCountedAnew = run === this.run && except.has(Number(index));
				if (isCountedAnew || entry.state === 'skipped') continue;
				items++;
				if (run.kind === kind) ofSameKind.push(entry);
			}
		}
		return { items, total: added(totals[kind], ofSameKind) };
	}

	/** Counts items before they are sent. What an earlier try did with them stays known. Without `isMeasured`, no sum counts. */
	count(sums: Map<number, bigint>, isMeasured: boolean): void {
		for (const [index, sum] of sums) {
			const entry: Entry = this.run.items[index] ?? { state: 'unsent' };
			if (isMeasured) entry.counted = { amount: String(sum) };
			this.run.items[index] = entry;
		}
	}

	/** Called before the first request of an item leaves. In a dry run (`isDry`), none does. */
	begin({ index, fingerprint, keyHash }: ToSend, writes: Writes, isDry?: boolean): void {
		this.live.set(index, writes);
		if (isDry) return;
		// Only what was counted stays of an earlier try.
		this.move(index, 'send', { fingerprint, keyHash, why: undefined, input: undefined });
	}

	/** The key of an item was sent before, so it's no longer counted for the limits. `doubt` is the key, if that is in doubt. */
	skipped({ index, fingerprint, keyHash }: ToSend, doubt: string | undefined): void {
		this.skips.push(doubt);
		this.move(index, 'skip', { fingerprint, keyHash, counted: undefined });
	}

	heldBack(index: number): void {
		this.move(index, 'hold');
		this.live.delete(index);
	}

	/** Marks an item as done. Its IDs are always kept, its output only as far as there is room. */
	done(index: number, items: INodeExecutionData[]): void {
		const ids = items.flatMap(({ json: { id } }) =>
			id === undefined || id === null ? [] : [String(id)],
		);
		const rows = items.map(({ json }) => json);
		const entry = this.move(index, 'end', {
			...(ids.length > 0 && { ids }),
			...(this.takeRoom(rows) && { rows }),
		});
		if (entry) outputs.set(entry, items);
		this.live.delete(index);
		this.sentNow.add(index);
	}

	isUnderWay(index: number): boolean {
		return this.live.has(index);
	}

	/** Marks an item under way as failed. One that wasn't sent stays what it was. */
	failed(index: number, error: Error): void {
		const writes = this.live.get(index);
		if (!writes) return;
		this.live.delete(index);
		const entry = this.move(index, failureOf(writes, this.operation.endpoint.tests === true));
		if (!entry) return;
		errors.set(entry, error);
		if (this.takeRoom(error.message)) entry.why = error.message;
		if (entry.state === 'inDoubt') entry.input = this.inputHash(index);
	}

	/** Hash by which an item is known if it comes back. Undefined for an item with nothing but the error of another node. */
	private inputHash(index: number): string | undefined {
		const { json } = this.context.getInputData()[index];
		const hasNoField = Object.keys(json).every((name) => name === 'error' || name === 'details');
		// All such items would have the same hash.
		if (hasNoField && json.error !== undefined) return undefined;
		return hashOfInput(json);
	}

	/**
	 * Notes an item that a run gives out as an error without having sent it. True if an error output would lead it back for ever:
	 * it comes back with its error and for the same reason, or has come out of very many runs.
	 */
	noteRefused(index: number, reason: Error): boolean {
		const { json } = this.context.getInputData()[index];
		const refused = (this.book.refused ??= {});
		const given = (refused[hashOfInput(json)] ??= []);
		const why = hashOf(reason.message).slice(0, 8);
		const before = given.filter((each) => !each.startsWith(`${this.key} `));
		const isBack = json.error !== undefined && before.some((each) => each.endsWith(` ${why}`));
		if (isBack || before.length >= GIVEN_OUT) {
			this.ledBack++;
			return true;
		}
		const own = `${this.key} ${why}`;
		if (!given.includes(own)) given.push(own);
		return false;
	}

	/** Hash of all requests in order, by which a claim knows them again. `items` are those that the ledger doesn't know yet. */
	requestsHash(items: ToSend[], size: number): string {
		const { items: known } = this.run;
		const fingerprints = Array.from({ length: size }, (_none, at) => known[at]?.fingerprint);
		for (const { index, fingerprint } of items) fingerprints[index] = fingerprint;
		return hashOf(fingerprints.join()).slice(0, 16);
	}

	/** Drops what was counted and never sent. True if all `indexes` are done: a run that was taken over may have had more. */
	endItems(indexes: number[]): boolean {
		const { items } = this.run;
		for (const [index, { state }] of Object.entries(items)) {
			if (state === 'unsent') delete items[index];
		}
		return indexes.every((index) => items[index]?.state === 'done');
	}

	/** Ends a run that has succeeded. Retry On Fail may start it again all the same. */
	end(mayBeTriedAgain: boolean): void {
		this.run.isOver = true;
		if (!mayBeTriedAgain) this.retire(this.key);
	}

	/** Drops a run, but not its sums and doubts, which later runs of the execution need. */
	private retire(key: string): void {
		const { book } = this;
		const { items, kind } = book.runs[key];
		const counted: Entry[] = [];
		for (const entry of Object.values(items)) {
			const { state, keyHash, fingerprint, input } = entry;
			if (state !== 'skipped') counted.push(entry);
			if (STATES[state].told !== 'inDoubt') continue;
			const doubts = (book.doubts ??= {});
			for (const hash of [fingerprint, input]) {
				if (hash !== undefined) doubts[hash] ||= keyHash === undefined;
			}
		}
		book.items += counted.length;
		book.totals[kind] = String(added(book.totals[kind], counted) ?? '?');
		delete book.runs[key];
	}

	/** The number of an item, as it was counted for the limits. */
	amountOf(index: number): bigint | undefined {
		const { amount } = this.run.items[index]?.counted ?? {};
		return amount === undefined ? undefined : BigInt(amount);
	}

	/** Items of this run that were done, and those that may have been, without these. */
	told(except: number[] = []): { done: number[]; inDoubt: number[] } {
		const indexes = Object.keys(this.run.items).map(Number);
		const [done, inDoubt] = (['done', 'inDoubt'] as const).map((fate) =>
			indexes.filter((index) => this.toldFate(index) === fate),
		);
		return { done, inDoubt: inDoubt.filter((index) => !except.includes(index)) };
	}

	/** Takes room for a value that an entry keeps. False if there isn't enough, and then for all later values, too. */
	private takeRoom(value: unknown): boolean {
		if (this.kept > KEPT) return false;
		this.kept += JSON.stringify(value)?.length ?? 0;
		return this.kept <= KEPT;
	}
}

/** A total with the amounts of items. Undefined if one isn't known. */
function added(total = '0', entries: Entry[]): bigint | undefined {
	if (total === '?') return undefined;
	let sum = BigInt(total);
	for (const { counted } of entries) {
		if (counted?.amount === undefined) return undefined;
		sum += BigInt(counted.amount);
	}
	return sum;
}

/** The event of a failed item, by its writes. What was applied before a later step failed is in doubt, too. */
function failureOf(writes: Writes, isTest: boolean): Event {
	// A test does no harm a second time.
	if (writes.mayBeApplied) return isTest ? 'lose' : 'doubt';
	// `mayBeApplied` leaves out writes that are safe to repeat. Without a response, such a write is lost.
	return writes.hasDoubtfulAttempt ? 'lose' : 'refuse';
}

const NOT_KEPT = 'Sent in the execution before this one, which kept no more of it.';

const DOUBT_OF_EARLIER_EXECUTION =
	'It may have gone through in the execution before this one. Make sure that it has ended.';

const FAILED_BEFORE = 'It failed in the execution before this one, and may have gone through.';

const SKIPPED =
	'It was skipped in the execution before this one, because its Idempotency Key was sent before.';

const DOUBT_OF_EARLIER_RUN =
	'The same request may have gone through earlier in this execution, so it was not sent again.';
