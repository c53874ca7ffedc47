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

import type { ApiRequest } from '../base/apiRequest';
import { firstOf, hashOf, sentence, sortedJson } from '../base/data';
import type { ApiDefinition } from '../base/definition';
import { rowsText } from '../base/itemName';
import type { Writes } from '../client/http/writes';
import { takesKey, type Operation } from '../form/operation';
import type { Reach, Settled } from './milestones';

/**
 * The fate of an item, in the order in which things can happen:
 * - `counted`: for the Safety Limits, not sent yet. `held`: Dry Run held its request back.
 * - `sent`: its requests are under way. Then it's one of those below.
 * - `done`. `refused`: nothing was applied. `lost`: it failed without a response, and is safe to repeat.
 * - `inDoubt`: it failed, but may have gone through.
 * - `keyed`: an execution of which n8n kept nothing may have sent it. `skipped`: its key was known. Only its key tells.
 */
type State =
	| 'counted'
	| 'held'
	| 'keyed'
	| 'skipped'
	| 'sent'
	| 'refused'
	| 'lost'
	| 'inDoubt'
	| 'done';

/** Numbers that limits count of an item, beside the item itself. */
interface Counts {
	/** Its number, as text. Undefined if it wasn't measured. */
	amount?: string;
}

/** One item, as plain JSON. */
interface Entry {
	state: State;
	/** Hash of its request. */
	fingerprint?: string;
	/** Hash of the Idempotency Key that it was sent with. */
	keyHash?: string;
	/** Counted for the limits. It goes whole from one try to the next. */
	counted?: Counts;
	/** IDs in its output. */
	ids?: string[];
	/** JSON of its output, if it's small. */
	rows?: IDataObject[];
	/** Message of its error. */
	why?: string;
	/** Hash of its input item, if it's in doubt: an error output may lead that back. */
	input?: string;
}

/** The claim of a run (claim.ts). */
export interface RunClaim {
	/** ID of the execution that goes on with it. */
	execution: string;
	/** The state of the book that it has claimed. */
	state: string;
	/** Hash of its requests, or of its key. */
	mark: string;
	/** The number that who goes on has to take (milestones.ts). Undefined if none can. */
	next?: number;
}

/** One run of the node, or one call of it as a tool. It's kept until it succeeds. */
interface Run {
	/** ID of the execution that works on it. */
	execution: string;
	/** Key of its operation. */
	operation: string;
	/** The thing that is added up for the Safety Limits: a noun, `amount` for money, `none` if nothing is. */
	kind: string;
	claim?: RunClaim;
	/** n8n's Retry has it from another execution. */
	isTakenOver?: true;
	/** It has ended. Only Retry On Fail may start it again. */
	isOver?: true;
	items: Record<string, Entry>;
}

/** All that is known of a node in one execution. */
export interface Book {
	/** The state that the next run that writes goes on from. Undefined before the first one. */
	state?: string;
	/** By `$runIndex`, or by call. */
	runs: Record<string, Run>;
	/** Items of the runs that have succeeded, for the Safety Limits. */
	items: number;
	/** Their totals, as text, by what is counted. `?` if one isn't known. */
	totals: Record<string, string>;
	/** Hashes of requests in doubt, and of their input items. An error output may lead them back. False if their key decides. */
	doubts?: Record<string, boolean>;
	/** Runs that gave out an item as an error without sending it, each with the hash of its reason. By the hash of the item. */
	refused?: Record<string, string[]>;
	/** Calls of the tools of a toolkit. */
	calls?: number;
}

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

/**
 * Ways to go on with an item:
 * - `done`: an earlier try has sent it. It comes out as sent.
 * - `ask`: it may have been sent. A person has to look.
 * - `send`: nothing stands against it. If it has an Idempotency Key, that decides.
 */
export type Permit = 'done' | 'ask' | 'send';

/** States that count for the Safety Limits. */
const COUNTED: State[] = ['counted', 'held', 'keyed', 'sent', 'done', 'inDoubt', 'lost'];

/** States that an earlier try leaves to the next one. Of all others, nothing was applied. */
const LEFT: State[] = ['done', 'inDoubt', 'lost', 'keyed', 'skipped'];

/** States of items that were sent, or may have been. */
const BEGUN: State[] = ['sent', 'done', 'inDoubt', 'lost'];

/** States of items that a person has to look at, unless their key decides. */
const DOUBTFUL: Array<State | undefined> = ['inDoubt', 'keyed', 'skipped'];

/** Max runs that give out the same item. Without `error` it may be another one of a loop, or be led back for ever. */
const GIVEN_OUT = 10;

/** Max length of all outputs and messages that a run keeps, as JSON. IDs are always kept. */
const KEPT = 200_000;

/** Max items that a message and a description name. */
const IN_MESSAGE = 20;
const IN_DESCRIPTION = 1000;

/**
 * Hash of a change, for the ledger, keys and tools alike. The order of the fields of an object makes no difference.
 * @param operation whose form made the request. If it sends several, its settings decide on the others, so they count, too
 */
export function requestFingerprint(
	{ endpoint, path, query, body, settings }: ApiRequest,
	operation?: Operation,
): string {
	const more = operation?.run && settings ? [settings] : [];
	return hashOf(sortedJson([endpoint.route, path, query, body, ...more])).slice(0, 16);
}

/** Hash of an input item, without what n8n adds to it at an error output. `i` tells it from the hash of a request. */
function hashOfInput(json: IDataObject): string {
	const fields = Object.entries(json).filter(([name]) => name !== 'error' && name !== 'details');
	return `i${hashOf(sortedJson(Object.fromEntries(fields))).slice(0, 12)}`;
}

/** Keys of the calls of tools, which share n8n's data of the execution, by their arguments: a retry gets the same object. */
const callKeys = new WeakMap<object, string>();

/** The key of a call begins with it. */
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

type StopError = Error & { description?: string | null; context?: { itemIndex?: number } };

/** Texts of errors before `tell` adds to them: a retry may end with the same error object again. */
const originals = new WeakMap<Error, Pick<StopError, 'message' | 'description'>>();

export class Ledger {
	readonly book: Book;

	readonly run: Run;

	/** The node and its workflow. */
	readonly place: string;

	private readonly key: string;

	/** Items that an earlier try has sent, or may have, with the state that it left: done, in doubt, or lost. */
	readonly earlier = new Map<number, State>();

	/** A Retry has another operation than the run that it goes on with. Nothing can be said of its items then. */
	readonly isOfOtherOperation: boolean;

	/** Items that an earlier try has sent with other values. */
	private readonly changed: number[] = [];

	/** Writes of items under way. */
	private readonly live = new Map<number, Writes>();

	/** Sums of the writes that Dry Run held back. Undefined if one can't be known. */
	private readonly heldSums: Array<bigint | undefined> = [];

	/** Items that were skipped because of their Idempotency Key, with the key of those in doubt. */
	private readonly skips: Array<string | undefined> = [];

	/** Items that came back, and weren't given out again (`noteRefused`). */
	private ledBack = 0;

	/** Length of what is kept (`KEPT`). */
	private kept = 0;

	/** Items that have failed, and that the run goes on without. */
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
		const mustNotRepeat = !endpoint.isRepeatable && !endpoint.tests;
		for (const [index, entry] of Object.entries(this.run.items)) {
			// It was under way when its process ended.
			if (entry.state === 'sent') entry.state = mustNotRepeat ? 'inDoubt' : 'lost';
			if (LEFT.includes(entry.state)) this.earlier.set(Number(index), entry.state);
			else delete this.run.items[index];
		}
		// Nothing is left of what a Retry goes on with.
		if (this.earlier.size === 0) Object.assign(this.run, { operation: operationKey, kind });
		this.isOfOtherOperation = this.run.operation !== operationKey;
	}

	/**
	 * Takes up the run that an earlier try has left: of Retry On Fail in this execution, or of n8n's Retry, which begins with
	 * the run that failed, whatever its index is now. All others are over, and are retired: a loop has gone on, or n8n's Retry
	 * starts the agent anew, whose first call needn't be the one that failed. Only other calls of a tool in this execution may
	 * still be under way.
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

	/**
	 * Says how to go on with an item, for nodes and tools alike.
	 * @param item undefined if its request can't be built
	 */
	permit(index: number, item?: ToSend): Permit {
		const state = this.earlier.get(index);
		if (state === 'done') return 'done';
		if (DOUBTFUL.includes(state)) {
			// The key decides if it's still the same: in n8n's Retry also on one in doubt, which a person may have released since.
			const { keyHash } = this.run.items[index];
			const hasSameKey = keyHash !== undefined && keyHash === item?.keyHash;
			return hasSameKey && (state !== 'inDoubt' || this.run.isTakenOver) ? 'send' : 'ask';
		}
		const { doubts } = this.book;
		return doubts && item && this.isEarlierDoubt(index, item, doubts) ? 'ask' : 'send';
	}

	/**
	 * True if a run of this execution that is over has left the item in doubt: an error output leads it back, with an `error`,
	 * or the same request is made again.
	 */
	private isEarlierDoubt(
		index: number,
		{ fingerprint }: ToSend,
		doubts: Record<string, boolean>,
	): boolean {
		if (!takesKey(this.operation)) return false;
		const { json } = this.context.getInputData()[index];
		const isLedBack = json.error !== undefined && doubts[hashOfInput(json)] === true;
		return isLedBack || doubts[fingerprint] === true;
	}

	/** An earlier try may have sent the item. */
	isInDoubt(index: number): boolean {
		return this.earlier.get(index) === 'inDoubt';
	}

	/** A person may have to look at the item. If not, one that is asked for is in doubt since an earlier run (`isEarlierDoubt`). */
	isDoubtful(index: number): boolean {
		return DOUBTFUL.includes(this.earlier.get(index));
	}

	/** An execution or a run before this one may have sent the item. */
	mayBeSent(index: number): boolean {
		if (this.isDoubtful(index) || this.fateOf(index) === 'inDoubt') return true;
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

	/**
	 * Takes items out of doubt, since a person has looked.
	 * @param wentThrough undefined if they didn't, so they go out again
	 */
	release(indexes: number[], wentThrough?: true): void {
		for (const index of indexes) {
			if (!this.isDoubtful(index)) continue;
			if (wentThrough) {
				this.run.items[index].state = 'done';
				this.earlier.set(index, 'done');
			} else {
				delete this.run.items[index];
				this.earlier.delete(index);
			}
		}
	}

	/** Only their keys tell if an execution of which n8n kept nothing has sent these items. That holds if the key is removed, too. */
	leaveToKeys(items: ToSend[]): void {
		for (const { index, fingerprint, keyHash } of items) {
			if (this.isInDoubt(index)) continue;
			this.run.items[index] = { ...this.run.items[index], state: 'keyed', fingerprint, keyHash };
		}
	}

	/** An earlier execution, of which n8n kept nothing, has sent these items, or may have (claim.ts). */
	wereSent(items: ToSend[], { settled, failed, begun }: Reach): void {
		// So that the hints name them.
		this.run.isTakenOver = true;
		for (const index of failed) this.passed.add(index);
		for (const { index, fingerprint } of items) {
			if (index >= begun) continue;
			const hasFailed = this.passed.has(index);
			const state = index < settled && !hasFailed ? 'done' : 'inDoubt';
			const entry: Entry = { ...this.run.items[index], state, fingerprint };
			if (hasFailed) entry.why = FAILED_BEFORE;
			if (state === 'inDoubt') entry.input = this.inputHash(index);
			this.run.items[index] = entry;
			this.earlier.set(index, state);
		}
	}

	/** The run goes on without an item that has failed. */
	passOver(index: number): void {
		this.passed.add(index);
	}

	/** The items at the beginning whose fate is known: they are done, or the run goes on without them. */
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
		const sent = Object.entries(this.run.items).filter(([, { state }]) => BEGUN.includes(state));
		return sent.reduce((most, [index]) => Math.max(most, Number(index) + 1), this.settled.settled);
	}

	/** The output of an item that is done. In another process than that which sent it, only what the ledger has kept of it. */
	outputOf(index: number): INodeExecutionData[] {
		const entry = this.run.items[index];
		const whole = outputs.get(entry);
		if (whole) return whole;
		const { rows, ids = [] } = entry;
		const id: IDataObject = ids.length > 0 ? { id: ids[0] } : {};
		const json = rows ?? [{ ...id, skipped: true, reason: NOT_KEPT }];
		return json.map((each) => ({ json: each, pairedItem: { item: index } }));
	}

	/** Items that an earlier try has sent, and that come out as it left them. */
	get doneBefore(): number[] {
		return [...this.earlier].flatMap(([index, state]) => (state === 'done' ? [index] : []));
	}

	/**
	 * Compares an item that is done with what would be sent now. Notes a difference for the hints.
	 * @returns true if it has a key now, and was sent without one
	 */
	compare({ index, fingerprint, keyHash }: ToSend): boolean {
		const entry = this.run.items[index];
		if (entry.fingerprint !== fingerprint) this.changed.push(index);
		return keyHash !== undefined && entry.keyHash === undefined;
	}

	/**
	 * Items that this execution has sent, or is about to send.
	 * @param except items of this run that are sent again, and counted anew
	 */
	spent(except: { has(index: number): boolean }): Spent {
		const { runs, totals } = this.book;
		const { kind } = this.run;
		let { items } = this.book;
		const ofSameKind: Entry[] = [];
		for (const run of Object.values(runs)) {
			for (const [index, entry] of Object.entries(run.items)) {
				const isCountedAnew = run === this.run && except.has(Number(index));
				if (isCountedAnew || !COUNTED.includes(entry.state)) continue;
				items++;
				if (run.kind === kind) ofSameKind.push(entry);
			}
		}
		return { items, total: added(totals[kind], ofSameKind) };
	}

	/**
	 * Counts items before they are sent. What an earlier try did with them stays known.
	 * @param isMeasured the sums are the numbers in the items. Otherwise only the items count.
	 */
	count(sums: Map<number, bigint>, isMeasured: boolean): void {
		for (const [index, sum] of sums) {
			const entry: Entry = this.run.items[index] ?? { state: 'counted' };
			if (isMeasured) entry.counted = { amount: String(sum) };
			this.run.items[index] = entry;
		}
	}

	/** Is called before the first request of an item leaves. */
	begin({ index, fingerprint, keyHash }: ToSend, writes: Writes): void {
		// Of the entry of an earlier try, only what was counted stays.
		const { counted } = this.run.items[index] ?? {};
		this.run.items[index] = {
			state: 'sent',
			fingerprint,
			...(keyHash !== undefined && { keyHash }),
			...(counted && { counted }),
		};
		this.live.set(index, writes);
	}

	/**
	 * The Idempotency Key of an item was sent before. What an earlier try did with the item stays known. Else it's no longer
	 * counted for the limits, and without this key, a person has to look.
	 * @param doubt the key, if that is in doubt
	 */
	skipped({ index, fingerprint, keyHash }: ToSend, doubt: string | undefined): void {
		this.skips.push(doubt);
		if (this.earlier.has(index) || this.run.items[index]?.state === 'keyed') return;
		this.run.items[index] = { state: 'skipped', fingerprint, keyHash };
	}

	/**
	 * Dry Run held the request of an item back. One in doubt stays so.
	 * @param write undefined if it was only a read
	 */
	heldBack(index: number, write: { sum?: bigint } | undefined): void {
		this.run.items[index].state = this.isInDoubt(index) ? 'inDoubt' : 'held';
		this.live.delete(index);
		if (write) this.heldSums.push(write.sum);
	}

	/** Marks an item as done. Its IDs are always kept, its output only as far as there is room. */
	done(index: number, items: INodeExecutionData[]): void {
		const entry = this.run.items[index];
		entry.state = 'done';
		this.live.delete(index);
		outputs.set(entry, items);
		const rows: IDataObject[] = [];
		const ids: string[] = [];
		for (const { json } of items) {
			rows.push(json);
			if (json.id !== undefined && json.id !== null) ids.push(String(json.id));
		}
		if (ids.length > 0) entry.ids = ids;
		if (this.takeRoom(rows)) entry.rows = rows;
	}

	/** Its requests are being sent. */
	isUnderWay(index: number): boolean {
		return this.live.has(index);
	}

	/** Marks an item as failed, or as not sent because the run ended. */
	failed(index: number, error: Error): void {
		const writes = this.live.get(index);
		this.live.delete(index);
		const entry = this.run.items[index];
		// In doubt since an earlier try, or left to its key: this one has sent nothing.
		if (!entry || DOUBTFUL.includes(entry.state)) return;
		const { endpoint } = this.operation;
		const state = stateAfter(writes, endpoint.tests === true);
		// That this attempt was refused says nothing of one whose response was lost.
		entry.state = state === 'refused' && this.earlier.get(index) === 'lost' ? 'lost' : state;
		if (entry.state === 'refused') return;
		errors.set(entry, error);
		if (this.takeRoom(error.message)) entry.why = error.message;
		if (entry.state === 'inDoubt') entry.input = this.inputHash(index);
	}

	/** Hash by which an item is known if it comes back. Undefined for one that has nothing but the error of another node. */
	private inputHash(index: number): string | undefined {
		const { json } = this.context.getInputData()[index];
		const hasNoField = Object.keys(json).every((name) => name === 'error' || name === 'details');
		// All such items would have the same hash.
		if (hasNoField && json.error !== undefined) return undefined;
		return hashOfInput(json);
	}

	/**
	 * Notes an item that a run gives out as an error without having sent it.
	 * @returns true if it must not come out again, since an error output would lead it back for ever: it comes back with its
	 *   error and for the same reason, or has come out of very many runs. A hint tells it
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

	/**
	 * Hash of the requests of all items, in order, by which a claim knows them again.
	 * @param items those that are about to be sent, whose requests the ledger doesn't know yet
	 * @param size number of items of the run
	 */
	requestsHash(items: ToSend[], size: number): string {
		const fingerprints: Array<string | undefined> = [];
		for (let index = 0; index < size; index++) {
			fingerprints.push(this.run.items[index]?.fingerprint);
		}
		for (const { index, fingerprint } of items) fingerprints[index] = fingerprint;
		return hashOf(fingerprints.join()).slice(0, 16);
	}

	/**
	 * Drops what was counted for the limits and never sent, since nothing more is sent.
	 * @param indexes items of the run. The run that n8n's Retry has taken over may have had more.
	 * @returns true if every item is done
	 */
	endItems(indexes: number[]): boolean {
		const { items } = this.run;
		for (const [index, { state }] of Object.entries(items)) {
			if (state === 'counted') delete items[index];
		}
		return indexes.every((index) => items[index]?.state === 'done');
	}

	/**
	 * Ends a run that has succeeded. Only its sums stay, for the Safety Limits.
	 * @param mayBeTriedAgain Retry On Fail may start it again all the same
	 */
	end(mayBeTriedAgain: boolean): void {
		this.run.isOver = true;
		if (mayBeTriedAgain) return;
		this.retire(this.key);
	}

	/** Drops a run. Its sums and doubts go to the book, because later runs of the execution need them. */
	private retire(key: string): void {
		const { book } = this;
		const { items, kind } = book.runs[key];
		const counted: Entry[] = [];
		for (const entry of Object.values(items)) {
			const { state, keyHash, fingerprint, input } = entry;
			if (COUNTED.includes(state)) counted.push(entry);
			// What is still `sent` was under way when its process ended.
			const mayHaveGoneThrough = state === 'inDoubt' || state === 'sent';
			if (!mayHaveGoneThrough) continue;
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

	/** The items whose writes Dry Run held back. Their sum is undefined if it can't be known. */
	get dryRun(): { items: number; sum?: bigint } {
		const sums = this.heldSums;
		const known = sums.filter((sum) => sum !== undefined);
		const sum = known.reduce((total, each) => total + each, 0n);
		return { items: sums.length, ...(known.length === sums.length && { sum }) };
	}

	/**
	 * Names the items that were done and those that may have been. Empty if there are none.
	 * @param except items that the error names to which this text is added. If they are in doubt, they aren't named again.
	 */
	text(most = IN_DESCRIPTION, except: number[] = []): string {
		const { done, inDoubt } = this.told(except);
		const texts: string[] = [];
		if (done.length > 0) {
			const named = rowsText(done, most, (index) => {
				const { ids = [] } = this.run.items[index];
				return ids.length > 0 ? ` (ID ${ids.join(', ')})` : '';
			});
			texts.push(`Already done, but not in the output: ${named}.`);
		}
		if (inDoubt.length > 0) {
			texts.push(`May have gone through: ${rowsText(inDoubt, most)}.`);
		}
		return texts.join(' ');
	}

	/**
	 * Adds the items that were done, or may have been, to the error that stops the run. n8n shows nothing else of the run.
	 * @param named items that it names
	 */
	tell(error: StopError, named: number[] = []): void {
		const { message, description } = originals.get(error) ?? error;
		originals.set(error, { message, description });
		const { itemIndex = -1 } = error.context ?? {};
		const except = [itemIndex, ...named];
		const { done, inDoubt } = this.told(except);
		if (done.length + inDoubt.length === 0) return;
		const begin = message.replace(/(n|N)othing was sent/g, '$1othing more was sent');
		error.message = `${sentence(begin)} ${this.text(IN_MESSAGE, except)} ${LEAVE}`;
		const namesAll = Math.max(done.length, inDoubt.length) <= IN_MESSAGE;
		if (namesAll) return;
		const all = `${this.text(IN_DESCRIPTION, except)} ${LEAVE}`;
		error.description = [description, all].filter(Boolean).join('. ');
	}

	/** Hints about items that an earlier execution has sent, and about skipped ones. */
	hints(): string[] {
		const done = this.run.isTakenOver ? this.doneBefore : [];
		const hints: string[] = [];
		if (done.length > 0) {
			const count = done.length === 1 ? '1 item was' : `${done.length} items were`;
			const { changed } = this;
			const other =
				changed.length > 0 ? ` Sent with other values than these: ${rowsText(changed)}.` : '';
			hints.push(`${count} sent in the execution before, so not again: ${rowsText(done)}.${other}`);
		}
		const { skips, ledBack } = this;
		if (ledBack > 0) {
			const items = ledBack === 1 ? '1 item' : `${ledBack} items`;
			hints.push(
				`${items} came back and can't be sent, so not put out again. See the error in an earlier run of this node.`,
			);
		}
		if (skips.length === 0) return hints;
		const items = skips.length === 1 ? '1 item was' : `${skips.length} items were`;
		const doubtful = skips.filter((key) => key !== undefined);
		const check = doubtful.length > 0 ? ` In doubt, so check them: ${firstOf(doubtful)}.` : '';
		hints.push(`${items} skipped, because the Idempotency Key was sent before.${check}`);
		return hints;
	}

	/**
	 * Items of this run that were done, and those that may have been (`fateOf`).
	 * @param except items that are left out if they are in doubt
	 */
	told(except: number[] = []): { done: number[]; inDoubt: number[] } {
		const done: number[] = [];
		const inDoubt: number[] = [];
		for (const index of Object.keys(this.run.items).map(Number)) {
			const fate = this.fateOf(index);
			if (fate === 'done') done.push(index);
			if (fate === 'inDoubt' && !except.includes(index)) inDoubt.push(index);
		}
		return { done, inDoubt };
	}

	/** Says if an item was done, or may have been: a person has to know that. One that's under way or left to its key may have. */
	fateOf(index: number): 'done' | 'inDoubt' | undefined {
		const { state } = this.run.items[index] ?? {};
		if (state === 'done' || state === 'inDoubt') return state;
		if (state === 'keyed') return 'inDoubt';
		return state === 'sent' && this.live.get(index)?.mayHaveWritten ? 'inDoubt' : undefined;
	}

	/** Takes room for a value that an entry keeps. Returns false if there isn't enough. No later value gets any then. */
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

/** The state of an item that failed, by its writes. What was applied before a later step failed is in doubt, too. */
function stateAfter(writes: Writes | undefined, isTest: boolean): State {
	// What only tests something does no harm a second time.
	if (writes && writes.outcome !== 'notApplied') return isTest ? 'lost' : 'inDoubt';
	// The outcome leaves out writes that are safe to repeat. Without a response, such a write is lost.
	return writes?.hasDoubtfulAttempt ? 'lost' : 'refused';
}

const NOT_KEPT = 'Sent in the execution before this one, which kept no more of it.';

const DOUBT_OF_EARLIER_EXECUTION =
	'It may have gone through in the execution before this one. Make sure that it has ended.';

const FAILED_BEFORE = 'It failed in the execution before this one, and may have gone through.';

const SKIPPED =
	'It was skipped in the execution before this one, because its Idempotency Key was sent before.';

const DOUBT_OF_EARLIER_RUN =
	'The same request may have gone through earlier in this execution, so it was not sent again.';

const LEAVE = "n8n's Retry leaves them out. In a new run, leave them out yourself.";
