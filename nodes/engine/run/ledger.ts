// The ledger of a run of writes: what the run did with each item. It's kept in n8n's data of the execution, by
// the ID of the node. So it's there again in a loop, after a Wait in another process, with Retry On Fail and with
// n8n's Retry. Texts, limits, hints and retries ask it, and keep nothing of their own.
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { randomBytes } from 'node:crypto';

import type { ApiRequest } from '../base/apiRequest';
import { firstOf, hashOf, sortedJson } from '../base/data';
import { isHarmless, isRepeatable } from '../base/definition';
import { rowName } from '../base/itemName';
import { onAbort } from '../base/pool';
import type { Writes } from '../client/http/transport';
import { takesKey, type Operation } from '../form/operation';
import { leaveWord } from './progress';

/** Logs what was sent, if the execution is cancelled. Returns a function that ends that. */
export function logCancelled(
	context: IExecuteFunctions,
	action: string,
	ledger: Ledger,
): () => void {
	const signal = context.getExecutionCancelSignal();
	if (!signal) return () => {};
	return onAbort(signal, () => {
		const { name } = context.getNode();
		const sent = ledger.text() || 'Nothing was sent.';
		context.logger.warn(`${name}: ${action} was cancelled. ${sent}`);
		leaveWord(context, ledger.cancelledText());
	});
}

/**
 * The fate of an item, in the order in which things can happen:
 * - `counted`: for the Safety Limits, not sent yet.
 * - `skipped`: its Idempotency Key was sent before. `held`: Dry Run held its request back.
 * - `sent`: its requests are under way. Then it's one of those below.
 * - `done`. `refused`: nothing was applied. `lost`: it failed without a response, and is safe to repeat.
 * - `inDoubt`: it failed, but may have gone through.
 */
type State = 'counted' | 'skipped' | 'held' | 'sent' | 'refused' | 'lost' | 'inDoubt' | 'done';

/** Items that a node has sent, or is about to send, in one execution. */
interface Spent {
	items: number;
	total: bigint;
}

/** One item, as plain JSON. */
export interface Entry {
	state: State;
	/** Hash of its request and key. */
	fingerprint?: string;
	/** The same of what it would send now, if that is another: the form was changed for n8n's Retry. */
	wouldSend?: string;
	/** Hash of the Idempotency Key that it was sent with. */
	keyHash?: string;
	/** Its number for the Safety Limits, as text. */
	amount?: string;
	/** The number is 0 for now: n8n's store remembers the item, but not its number. */
	isUnmeasured?: boolean;
	/** IDs in its output. */
	ids?: string[];
	/** JSON of its output, if it's small. */
	rows?: IDataObject[];
	/** Message of its error. */
	why?: string;
	/** The key of a skipped item, if that is in doubt. */
	keyInDoubt?: string;
	/** An earlier try may have sent it, and this one hasn't. For the next try it's in doubt again. */
	wasInDoubt?: boolean;
	/** Of one in doubt: hash of its input item, which an error output may lead back. */
	input?: string;
	/** It's in doubt because a later run of the node may have sent it. That one counts it. */
	isElsewhere?: boolean;
}

/** An item as it's sent. */
interface Sent {
	/** Hash of its request and key. */
	fingerprint: string;
	/** Hash of its Idempotency Key, if it has one. */
	keyHash?: string;
}

/** One run of the node. It's kept until it succeeds. */
export interface Run {
	id: string;
	/** ID of the execution that works on the run. */
	execution: string;
	/** This is n8n's Retry of another execution, which had the run before. */
	isTakenOver?: boolean;
	/** Its number among the runs of the node in this execution, for its mark. A Retry that begins anew gives the same. */
	number?: number;
	/** Mark that this run has left in n8n's store, and may remove at its end. The texts in the store: runMark.ts. */
	mark?: string;
	/** The store remembers its items, too: its text `sent`. */
	remembered?: string;
	/** It goes on with what the store remembered, and no other Retry may: there's a text `claimed`. */
	hasClaim?: boolean;
	items: Record<string, Entry>;
}

/** The state of a node in one execution. */
interface Book {
	/** Sums of the runs that have succeeded, for the Safety Limits. */
	items: number;
	total: string;
	runs: Record<string, Run>;
	/** Number of runs that have begun, of operations that must not be sent twice. */
	began?: number;
	/** The newest run that was refused before it began, while others go on. */
	refused?: { key: string; number: number };
	/** Hashes of requests without a key, and of their input items, that were in doubt when their run ended. */
	doubts?: Record<string, true>;
	/** Hashes of items that weren't sent with On Error: Continue, and the run: an error output may lead them back. */
	undone?: Record<string, string>;
	/** Items that were sent under a hash in `undone`. */
	again?: Record<string, number>;
	/** The same as `undone`, of a Retry's run that failed before it was known what the first execution did with its items. */
	unsure?: Record<string, string>;
	/** The sums lack items whose number isn't known. */
	isUnmeasured?: true;
	/** A run of this Retry was refused, so the runs that follow may not be those of the first execution. */
	isAstray?: true;
}

/** Items as an earlier run left them. */
export type States = Map<number, { state: 'done' | 'inDoubt'; fingerprint?: string; why?: string }>;

/** States that count for the Safety Limits. */
const COUNTED: State[] = ['counted', 'held', 'sent', 'done', 'inDoubt', 'lost'];

const isCounted = ({ state, isElsewhere }: Entry) => COUNTED.includes(state) && !isElsewhere;

/** Max length of all outputs and messages that a run keeps, as JSON. IDs are always kept. */
const KEPT = 200_000;

/** Max items that a message names. */
const IN_MESSAGE = 20;

/** Max items that a description names. */
const IN_DESCRIPTION = 1000;

/** Hash of a request and its key. The order of the fields of an object makes no difference. */
export function requestFingerprint({ endpoint, path, query, body }: ApiRequest, key = ''): string {
	const text = sortedJson([endpoint.route, path, query, body, key]);
	return hashOf(text).slice(0, 16);
}

/** Hash of an input item, without what n8n adds to it at an error output. */
function hashOfInput(json: IDataObject): string {
	const own = Object.entries(json).filter(([name]) => name !== 'error' && name !== 'details');
	return `i${hashOf(sortedJson(Object.fromEntries(own))).slice(0, 12)}`;
}

const newRunId = (): string => randomBytes(6).toString('hex');

/** Calls of tools, which share n8n's data of the execution, by their arguments: a retry gets the same object. */
const calls = new WeakMap<object, string>();

/** Tells this run of the node from the others of the execution. */
function runKeyOf(context: IExecuteFunctions): string {
	const call: unknown = context.isToolExecution() ? context.getInputData()[0]?.json : undefined;
	if (typeof call !== 'object' || call === null) {
		return String(context.getWorkflowDataProxy(0).$runIndex);
	}
	const known = calls.get(call) ?? `call ${newRunId()}`;
	calls.set(call, known);
	return known;
}

/** True if n8n keeps data for the node. Its own Agents give a node with a new ID to each call. */
export const isLasting = (context: Pick<IExecuteFunctions, 'getMode' | 'getWorkflow'>): boolean =>
	context.getMode() !== 'internal' && Boolean(context.getWorkflow().id);

/** Outputs and errors of this process, which are larger than what an entry keeps. */
const outputs = new WeakMap<Entry, INodeExecutionData[]>();

const errors = new WeakMap<Entry, Error>();

type StopError = Error & { description?: string | null; context?: { itemIndex?: number } };

/** Original texts of errors: a retry may end with the same error object again. */
const plain = new WeakMap<Error, Pick<StopError, 'message' | 'description'>>();

export class Ledger {
	private readonly flow: IDataObject;

	private readonly place: string;

	private readonly key: string;

	private readonly book: Book;

	/** The run, with the items of its earlier tries. */
	run: Run;

	/** The run has nothing of an earlier try. */
	readonly isNew: boolean;

	/** Items that an earlier try has sent, or may have, with the state that it left. */
	private readonly earlier = new Map<number, State>();

	/** Items that an earlier try has sent with other values. */
	private readonly changed: number[] = [];

	/** Writes of items under way. */
	private readonly live = new Map<number, Writes>();

	/** Sums of the writes that Dry Run held back. Undefined if one can't be known. */
	private readonly heldSums: Array<bigint | undefined> = [];

	private kept = 0;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
	) {
		const execution = context.getExecutionId() ?? '';
		this.flow = isLasting(context) ? (context.getContext('flow') as IDataObject) : {};
		this.place = `${operation.endpoint.api.package.name} ${context.getNode().id}`;
		this.key = runKeyOf(context);
		this.flow[this.place] ??= { items: 0, total: '0', runs: {} };
		this.book = this.flow[this.place] as unknown as Book;
		this.retireOthers();
		const known = this.book.runs[this.key];
		this.isNew = known === undefined;
		this.run = known ?? { id: newRunId(), execution, items: {} };
		this.book.runs[this.key] = this.run;
		this.readEarlier();
	}

	/** Gives the run its number among those of the node in this execution, if it has none. */
	numbered(): number {
		const { began = 0, refused } = this.book;
		const next = refused?.key === this.key ? refused.number : began + 1;
		this.run.number ??= next;
		this.book.began = Math.max(began, this.run.number);
		return this.run.number;
	}

	/**
	 * The run is refused before it begins. Another try of it gets the same number.
	 * @param hasNext other runs may follow, because the user chose to continue
	 */
	withdraw(hasNext: boolean): void {
		const { number } = this.run;
		if (number !== undefined) {
			// The others get the next numbers, so this one is kept for Retry On Fail.
			if (hasNext) this.book.refused = { key: this.key, number };
			// The next run is another try, in Retry On Fail or n8n's Retry.
			else this.book.began = number - 1;
		}
		this.close();
	}

	/** Notes that a run is refused because of its mark, while others may follow. */
	stray(): void {
		this.book.isAstray = true;
	}

	/** In n8n's Retry, notes that it isn't known what the first execution did with the items of this run. */
	noteUnsure(): void {
		const { book, key } = this;
		book.unsure ??= {};
		for (const index of this.context.getInputData().keys()) {
			book.unsure[this.inputHash(index) ?? ''] = key;
		}
	}

	/** The items are, or may be, those of another run that were noted as unsure. */
	get isUnsure(): boolean {
		const { unsure } = this.book;
		if (!unsure) return false;
		return [...this.context.getInputData().keys()].some((index) => {
			const run = unsure[this.inputHash(index) ?? ''];
			return run !== undefined && run !== this.key;
		});
	}

	/** It's known what the first execution did with the items of this run. */
	forgetUnsure(): void {
		const { unsure = {} } = this.book;
		for (const [hash, run] of Object.entries(unsure)) if (run === this.key) delete unsure[hash];
	}

	/**
	 * With On Error: Continue, notes that an item wasn't sent.
	 * @param request hash of its request, if it hasn't left
	 */
	noteUndone(index: number, request?: string): void {
		const { book, key, run } = this;
		const { state, fingerprint = request } = run.items[index] ?? {};
		if (state === 'done' || state === 'inDoubt' || state === 'lost') return;
		book.undone ??= {};
		// One that has an error already was noted when it first came, or has that of another node.
		const { json } = this.context.getInputData()[index];
		const input = json.error === undefined ? this.inputHash(index) : undefined;
		for (const hash of [fingerprint || undefined, input]) {
			if (hash !== undefined) book.undone[hash] = key;
		}
	}

	/** Hashes by which an earlier run of this execution has noted an item that it hasn't sent. */
	undoneBefore(index: number, fingerprint: string): string[] {
		const { undone } = this.book;
		if (!undone) return [];
		const isOther = (hash: string) => undone[hash] !== undefined && undone[hash] !== this.key;
		return [fingerprint, this.hashOfReturned(index)].filter(
			(hash): hash is string => hash !== undefined && isOther(hash),
		);
	}

	/**
	 * Counts items that were sent under these hashes, after an earlier run hasn't sent them.
	 * @returns the hashes under which none was sent
	 */
	countAgain(hashes: string[], by: 1 | -1): string[] {
		const counts = (this.book.again ??= {});
		for (const hash of hashes) counts[hash] = (counts[hash] ?? 0) + by;
		return hashes.filter((hash) => counts[hash] === 0);
	}

	/** The state of an item in this run. */
	stateOf(index: number): State | undefined {
		return this.run.items[index]?.state;
	}

	get isAstray(): boolean {
		return this.book.isAstray ?? false;
	}

	get isTakenOver(): boolean {
		return this.run.isTakenOver === true;
	}

	/** The run is of another execution, and this one hasn't taken it over yet. */
	get isForeign(): boolean {
		return this.run.execution !== (this.context.getExecutionId() ?? '');
	}

	/**
	 * Makes it a run of this execution. It gets a new ID, since the store allows one Retry of each ID.
	 * @param keepsId this execution sends nothing, or only what is safe to repeat, so a later Retry still is the first
	 */
	takeOver({ keepsId = false } = {}): void {
		if (!keepsId) this.run.id = newRunId();
		this.run.execution = this.context.getExecutionId() ?? '';
		this.run.isTakenOver = true;
	}

	/** Forgets all items. A check of a person (`checksPerson`) holds only at its time, so n8n's Retry repeats it. */
	forget(): void {
		this.run.items = {};
		this.earlier.clear();
	}

	/**
	 * The entry of an item that an earlier try has sent, or may have. To be read before `begin`, which replaces it.
	 */
	earlierEntry(index: number): Entry | undefined {
		return this.earlier.has(index) ? this.run.items[index] : undefined;
	}

	/** Items that an earlier try may have sent, and that must not be sent again by themselves. */
	get doubtful(): number[] {
		return [...this.earlier.keys()].filter((index) => this.run.items[index].state === 'inDoubt');
	}

	/** The output of an item that is done: as far as it was kept, all of it in the same process. */
	outputOf(index: number): INodeExecutionData[] {
		const entry = this.run.items[index];
		const pairedItem = { item: index };
		const known = outputs.get(entry);
		if (known) return known;
		const { rows, ids = [] } = entry;
		const json = rows ?? [{ ...(ids.length > 0 && { id: ids[0] }), skipped: true, reason: BEFORE }];
		return json.map((each) => ({ json: each, pairedItem }));
	}

	/** The error of an item in doubt. */
	errorOf(index: number): Error {
		const entry = this.run.items[index];
		return errors.get(entry) ?? new Error(entry.why ?? DOUBT);
	}

	/** Takes over what is known of a run whose execution kept nothing. */
	restore(states: States): void {
		this.run.isTakenOver = true;
		for (const [index, { state, fingerprint, why }] of states) {
			this.earlier.set(index, state);
			if (this.run.items[index]?.state === state) continue;
			const elsewhere = why !== undefined && { why, isElsewhere: true };
			const doubt = state === 'inDoubt' && { input: this.inputHash(index), ...elsewhere };
			this.run.items[index] = { state, fingerprint, amount: '0', isUnmeasured: true, ...doubt };
		}
	}

	/**
	 * Items that count for the Safety Limits, although their number isn't known: only n8n's store remembers them, or they
	 * were sent without limits.
	 */
	get unmeasured(): number[] {
		return [...this.earlier.keys()].filter((index) => {
			const { isUnmeasured, amount, isElsewhere = false } = this.run.items[index];
			return !isElsewhere && (isUnmeasured ?? amount === undefined);
		});
	}

	/** Earlier runs have sent items whose number isn't known. */
	get isUnmeasured(): boolean {
		return this.book.isUnmeasured ?? false;
	}

	/** Takes the numbers of items that were unmeasured. */
	measure(sums: Map<number, bigint>): void {
		for (const [index, sum] of sums) {
			this.run.items[index].amount = String(sum);
			delete this.run.items[index].isUnmeasured;
		}
	}

	/** The hash of the request and key of an item that was sent, as the form makes it now. */
	fingerprintOf(index: number): string | undefined {
		const { fingerprint, wouldSend = fingerprint } = this.run.items[index] ?? {};
		return wouldSend;
	}

	/** An earlier run of this execution left requests in doubt. */
	get hasDoubts(): boolean {
		return this.book.doubts !== undefined;
	}

	/** An earlier run of this execution left the same request in doubt, or the item that comes back with its error. */
	isDoubted(index: number, fingerprint: string): boolean {
		const { doubts = {} } = this.book;
		const input = this.hashOfReturned(index);
		return (input !== undefined && doubts[input]) || (doubts[fingerprint] ?? false);
	}

	/**
	 * Forgets items in doubt that a person has checked, so that this run sends them.
	 * @param indexes undefined for all that are in doubt
	 */
	release(indexes: number[] | undefined): void {
		for (const index of indexes ?? this.doubtful) {
			if (this.run.items[index]?.state !== 'inDoubt') continue;
			delete this.run.items[index];
			this.earlier.delete(index);
		}
	}

	/**
	 * Items that this execution has sent, or is about to send.
	 * @param except items of this run that are sent again, and counted anew
	 */
	spent(except: { has(index: number): boolean }): Spent {
		const { items, total } = this.book;
		const spent = { items, total: BigInt(total) };
		for (const run of Object.values(this.book.runs)) {
			for (const [index, entry] of Object.entries(run.items)) {
				const isAgain = run === this.run && except.has(Number(index));
				if (isAgain || !isCounted(entry)) continue;
				spent.items++;
				spent.total += BigInt(entry.amount ?? 0);
			}
		}
		return spent;
	}

	/**
	 * Counts items before they are sent. What an earlier try did with them stays known.
	 * @param isMeasured the sums are the numbers in the items. Otherwise only the items count.
	 */
	count(sums: Map<number, bigint>, isMeasured = true): void {
		for (const [index, sum] of sums) {
			const entry = this.earlierEntry(index) ?? { state: 'counted' };
			const unmeasured = !isMeasured && { isUnmeasured: true };
			this.run.items[index] = Object.assign(entry, { amount: String(sum), ...unmeasured });
		}
	}

	/** Before the first request of an item leaves. */
	begin(index: number, { fingerprint, keyHash }: Sent, writes: Writes): void {
		const { amount, isUnmeasured } = this.run.items[index] ?? {};
		const keyed = keyHash !== undefined && { keyHash };
		const counted = amount !== undefined && { amount, ...(isUnmeasured && { isUnmeasured }) };
		this.run.items[index] = { state: 'sent', fingerprint, ...keyed, ...counted };
		this.live.set(index, writes);
	}

	skipped(index: number, doubt: string | undefined): void {
		const wasInDoubt = this.earlier.get(index) === 'inDoubt';
		this.run.items[index] = {
			...(wasInDoubt && { ...this.run.items[index], wasInDoubt }),
			...(doubt !== undefined && { keyInDoubt: doubt }),
			state: 'skipped',
		};
	}

	/**
	 * Dry Run held its request back.
	 * @param write undefined if it was only a read
	 */
	held(index: number, write: { sum?: bigint } | undefined): void {
		const entry = this.run.items[index];
		entry.state = 'held';
		if (this.earlier.get(index) === 'inDoubt') entry.wasInDoubt = true;
		this.live.delete(index);
		if (write) this.heldSums.push(write.sum);
	}

	done(index: number, items: INodeExecutionData[]): void {
		const entry = this.run.items[index];
		entry.state = 'done';
		this.live.delete(index);
		outputs.set(entry, items);
		const ids = items.flatMap(({ json: { id } }) => (id === undefined || id === null ? [] : [id]));
		if (ids.length > 0) entry.ids = ids.map(String);
		const rows = items.map(({ json }) => json);
		if (this.mayKeep(rows)) entry.rows = rows;
	}

	/** An item failed, or wasn't sent because the run ended. */
	failed(index: number, error: Error): void {
		const writes = this.live.get(index);
		this.live.delete(index);
		const entry = this.run.items[index];
		// In doubt since an earlier try: this one has sent nothing.
		if (!entry || entry.state === 'inDoubt') return;
		const { endpoint } = this.operation;
		const state = stateAfter(writes, isHarmless(endpoint));
		// That this attempt was refused says nothing of one whose response was lost.
		entry.state = state === 'refused' && this.earlier.get(index) === 'lost' ? 'lost' : state;
		if (entry.state === 'refused') return;
		if (entry.state === 'inDoubt') entry.input = this.inputHash(index);
		errors.set(entry, error);
		if (this.mayKeep(error.message)) entry.why = error.message;
	}

	/** The items whose writes Dry Run held back. Their sum is undefined if it can't be known. */
	get dryRun(): { items: number; sum?: bigint } {
		const sums = this.heldSums;
		const known = sums.filter((sum) => sum !== undefined);
		const sum = known.reduce((total, own) => total + own, 0n);
		return { items: sums.length, ...(known.length === sums.length && { sum }) };
	}

	/** Compares an item that is done or in doubt with what it would send now. */
	compare(index: number, fingerprint: string): void {
		const entry = this.run.items[index];
		if (entry.fingerprint === undefined || entry.fingerprint === fingerprint) return;
		entry.wouldSend = fingerprint;
		if (entry.state === 'done') this.changed.push(index);
	}

	/**
	 * Names the items that were done and those that may have been. Empty if there are none.
	 * @param except the item of the error that gets this text. If it's in doubt, it isn't named again.
	 */
	text(most = IN_DESCRIPTION, except?: number): string {
		const { done, inDoubt } = this.told(except);
		const texts: string[] = [];
		if (done.length > 0) {
			const named = done.map((index) => {
				const { ids = [] } = this.run.items[index];
				return ids.length > 0 ? `${index} (ID ${ids.join(', ')})` : String(index);
			});
			texts.push(`Already done, but not in the output: item ${firstOf(named, most)}.`);
		}
		if (inDoubt.length > 0) {
			texts.push(`May have gone through: item ${firstOf(inDoubt.map(String), most)}.`);
		}
		return texts.join(' ');
	}

	/** Counts for the data of a cancelled execution: `787 of 2000 done, 1 in doubt: row 788 (item 787)`. */
	cancelledText(): string {
		const { done, inDoubt } = this.told();
		const size = this.context.getInputData().length;
		const doubt = `, ${inDoubt.length} in doubt: ${firstOf(inDoubt.map(rowName))}`;
		return `${done.length} of ${size} done${inDoubt.length > 0 ? doubt : ''}`;
	}

	/**
	 * Adds the items that were done, or may have been, to the error that stops the run. n8n shows nothing else of
	 * it.
	 */
	tell(error: StopError): void {
		const { message, description } = plain.get(error) ?? error;
		plain.set(error, { message, description });
		const own = error.context?.itemIndex;
		if (this.text(1, own) === '') return;
		const begin = message.replace(/(n|N)othing was sent/g, '$1othing more was sent');
		error.message = `${begin.replace(/\.?$/, '.')} ${this.text(IN_MESSAGE, own)} ${LEAVE}`;
		const { done, inDoubt } = this.told(own);
		if (Math.max(done.length, inDoubt.length) > IN_MESSAGE) {
			const all = `${this.text(IN_DESCRIPTION, own)} ${LEAVE}`;
			error.description = [description, all].filter(Boolean).join('. ');
		}
	}

	/** Hints about items that an earlier execution has sent, and about skipped ones. */
	hints(): string[] {
		const done = [...this.earlier].flatMap(([index, state]) => (state === 'done' ? [index] : []));
		const hints: string[] = [];
		if (this.isTakenOver && done.length > 0) {
			const count = done.length === 1 ? '1 item was' : `${done.length} items were`;
			const first = firstOf(done.map(String));
			const other = firstOf(this.changed.map(String));
			const changed = other === '' ? '' : ` Sent with other values than these: item ${other}.`;
			hints.push(`${count} sent in the execution before, so not again: item ${first}.${changed}`);
		}
		const skipped = Object.values(this.run.items).filter(({ state }) => state === 'skipped');
		if (skipped.length === 0) return hints;
		const items = skipped.length === 1 ? '1 item was' : `${skipped.length} items were`;
		const hint = `${items} skipped, because the Idempotency Key was sent before.`;
		const doubtful = skipped.flatMap(({ keyInDoubt }) => keyInDoubt ?? []);
		const check = ` In doubt, so check them: ${firstOf(doubtful)}.`;
		return [...hints, doubtful.length > 0 ? hint + check : hint];
	}

	/**
	 * Items of this run by what a person has to know of them.
	 * @param except an item that isn't named if it's in doubt
	 */
	told(except?: number): { done: number[]; inDoubt: number[] } {
		const done: number[] = [];
		const inDoubt: number[] = [];
		for (const [name, { state }] of Object.entries(this.run.items)) {
			const index = Number(name);
			if (state === 'done') done.push(index);
			const isLive = state === 'sent' && this.live.get(index)?.mayHaveWritten;
			if ((state === 'inDoubt' || isLive) && index !== except) inDoubt.push(index);
		}
		return { done, inDoubt };
	}

	/** Deletes the run. Only its sums stay, for the Safety Limits. */
	close(): void {
		this.retire(this.key);
		const { items, runs, began = 0, doubts, isAstray = false } = this.book;
		const isUsed = doubts !== undefined || isAstray;
		if (!isUsed && items + began + Object.keys(runs).length === 0) delete this.flow[this.place];
	}

	/** The number of an item, as it was counted for the limits. */
	amountOf(index: number): bigint | undefined {
		const { amount } = this.run.items[index] ?? {};
		return amount === undefined ? undefined : BigInt(amount);
	}

	/** The item counts for the limits of this execution. */
	isCounted(index: number): boolean {
		const entry = this.run.items[index];
		return entry !== undefined && isCounted(entry);
	}

	/** Drops what was counted and never sent. */
	dropUnsent(): void {
		for (const [index, { state }] of Object.entries(this.run.items)) {
			if (state === 'counted') delete this.run.items[index];
		}
	}

	/** Hash of an item that comes back with its error. Others may be equal by chance. */
	private hashOfReturned(index: number): string | undefined {
		const { json } = this.context.getInputData()[index];
		return json.error === undefined ? undefined : hashOfInput(json);
	}

	/** Hash by which an item is known that comes back. Undefined for one that has the error of another node only. */
	inputHash(index: number): string | undefined {
		const { json } = this.context.getInputData()[index];
		const isError = Object.keys(json).every((name) => name === 'error' || name === 'details');
		return isError && json.error !== undefined ? undefined : hashOfInput(json);
	}

	private mayKeep(value: unknown): boolean {
		if (this.kept > KEPT) return false;
		this.kept += JSON.stringify(value)?.length ?? 0;
		return this.kept <= KEPT;
	}

	/** A loop has gone on to its next run, so n8n can't start the ones before again. */
	private retireOthers(): void {
		for (const key of Object.keys(this.book.runs)) {
			if (key !== this.key && !key.startsWith('call')) this.retire(key);
		}
	}

	private retire(key: string): void {
		const { book } = this;
		const entries = Object.values(book.runs[key].items);
		if (takesKey(this.operation)) for (const entry of entries) this.noteDoubt(entry);
		const isUncounted = (entry: Entry) =>
			isCounted(entry) && (entry.isUnmeasured ?? entry.amount === undefined);
		if (takesKey(this.operation) && entries.some(isUncounted)) book.isUnmeasured = true;
		// Without Safety Limits no entry has an amount, and nothing has to stay.
		const limited = entries.filter((entry) => entry.amount !== undefined && isCounted(entry));
		book.items += limited.length;
		const sum = limited.reduce((total, { amount }) => total + BigInt(amount ?? 0), 0n);
		book.total = String(BigInt(book.total) + sum);
		delete book.runs[key];
	}

	/** Notes an item without a key that is in doubt, because an error output may lead it back. */
	private noteDoubt({ state, keyHash, fingerprint, wouldSend, input }: Entry): void {
		if (keyHash !== undefined || state !== 'inDoubt') return;
		const doubts = (this.book.doubts ??= {});
		for (const hash of [fingerprint, wouldSend, input]) if (hash !== undefined) doubts[hash] = true;
	}

	private readEarlier(): void {
		const { endpoint } = this.operation;
		const mustNotRepeat = !isRepeatable(endpoint) && !isHarmless(endpoint);
		for (const [index, entry] of Object.entries(this.run.items)) {
			// It was under way when its process ended.
			if (entry.state === 'sent') entry.state = mustNotRepeat ? 'inDoubt' : 'lost';
			if (entry.wasInDoubt) entry.state = 'inDoubt';
			delete entry.wasInDoubt;
			const { state } = entry;
			if (['done', 'inDoubt', 'lost'].includes(state)) this.earlier.set(Number(index), state);
			else delete this.run.items[index];
		}
	}
}

/** The state of an item that failed, by its writes. What was applied before a later step failed is in doubt, too. */
function stateAfter(writes: Writes | undefined, isHarmless: boolean): State {
	if (writes && writes.outcome !== 'notApplied') return isHarmless ? 'lost' : 'inDoubt';
	// The outcome leaves out writes that are safe to repeat. Without a response, such a write is lost.
	return writes?.isLost ? 'lost' : 'refused';
}

const BEFORE = 'Sent in the execution before this one, which kept no more of it.';

const DOUBT = 'It may have gone through in the execution before this one.';

const LEAVE = "n8n's Retry leaves them out. In a new run, leave them out yourself.";
