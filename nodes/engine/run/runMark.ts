// n8n's Retry starts a failed node again with all its items. After an error n8n still has the ledger of the run.
// After a cancel, a crash or a second Retry of the same execution it has not, and the nodes that were done start again,
// too. So a run that writes what must not be repeated leaves a mark in n8n's own store, and a Retry looks for it before
// anything is sent.
import { NodeOperationError, sleep, type IExecuteFunctions } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import { hashOf, recordOf } from '../base/data';
import { IN_ONE_GO, onAbort } from '../base/pool';
import { withoutParameters } from '../client/http/errorContext';
import { windowField } from '../form/safety';
import { TEXTS, windowOf } from './idempotency';
import { KeyStore } from './keyStore';
import type { Ledger, States } from './ledger';

/** Max items of a run that the store remembers one by one. Few of a run that has ended: there are many of these. */
const REMEMBERED = { cancelled: 5_000, done: 100 };

/** Later runs whose marks a Retry looks for, if it doesn't find that of its own run. */
const LATER = 64;

/** Runs after which the text `ran` is recorded anew, so that it's never among the oldest, which the store drops. */
const ANEW = 50;

/** Milliseconds in which another process may have read the store before the mark was left, and write it after. */
const MOMENT = 500;

/** The items of a run. */
export interface Items {
	/** Idempotency Keys tell what was sent, also where n8n has lost the run. */
	isKeyed: boolean;
	/** Number of items (`Session.size`). */
	size: number;
	/** Hashes of the requests that items would send now, without a key: runs with one leave no mark. */
	fingerprints: (indexes: number[]) => Promise<string[]>;
}

/** The end of a run. */
export type Ending = 'done' | 'failed' | 'cancelled';

/**
 * Leaves texts in n8n's store, and finds those of earlier runs. `hash` is that of the node and the time at which n8n began
 * the execution, which a Retry has from the first one. `items` is the hash of the input items.
 * - `run <hash> N`, the mark: the Nth run of the node began.
 * - `ran <hash>`: many runs of the node began. It stays when the store has dropped the first marks.
 * - `again <hash> H`: a run has sent an item that an earlier one hasn't, as where an error output leads back. H is the hash of
 *   its request or its input.
 * - `most <mark> <items>`: it ended, and most items are done, all but those of `rest <mark> <items> I` and
 *   `doubt <mark> <items> I`.
 * - `few <mark> <items>`: it ended, and few items are done: those of `done <mark> <items> I`. Others may have
 *   `doubt <mark> <items> I`.
 * - `sent <mark> <hash>`: these were the requests of the items that are done or in doubt. A form may take its values from
 *   other nodes, so equal items may be other ones.
 * - `claimed <mark>`: a Retry goes on with what these texts say, until it leaves new ones.
 * - `released <mark>`: a person has released a run that was cut off, which is possible once.
 * - `retry <mark>`: a Retry has left the mark. n8n may take an execution for ended that is still on its way to the node. When
 *   it comes there, it finds this text and sends nothing.
 * - `retried ID`: a Retry has gone on with the run that had this ID in its ledger.
 */
export class RunMark {
	private readonly store: KeyStore;

	private readonly isRetry: boolean;

	/** The mark that this run leaves. Then it's in `ledger.run.mark`, too. */
	private markText = '';

	/** `run <hash>`, and its number. */
	private markStart = '';

	private number = 0;

	/** Hash of its input items. */
	private itemsHash = '';

	/** It goes on with a run that n8n has lost, whose mark is there already. */
	private goesOnWithLostRun = false;

	/** Ends the timer that records the mark once more. */
	private endTimer = () => {};

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly ledger: Ledger,
		private readonly items: Items,
	) {
		// Marks and keys share a record. It's not smaller than usual where the user has set Keys to Remember low.
		this.store = new KeyStore(
			context,
			TEXTS * Math.max(windowOf(context), Number(windowField.default)),
		);
		this.isRetry = context.getMode() === 'retry';
	}

	/**
	 * Finds out what an earlier execution did with these items.
	 * @throws NodeOperationError if that can't be known, or if it was retried before. Nothing was sent then.
	 */
	async resume(): Promise<void> {
		const { ledger, isRetry } = this;
		const { isKeyed } = this.items;
		const { releaseKey } = recordOf(this.context.getNodeParameter('options', 0, {}));
		const released = releasedBy(releaseKey);
		// Runs with a key leave no mark. In a Retry they are numbered all the same: the first try may have had no key, and
		// left marks under these numbers.
		if (!isKeyed || isRetry) {
			this.itemsHash = await inputFingerprint(this.context);
			// Without the time, only the items tell an execution from others.
			const hash = hashOf(`${this.context.getNode().id} ${this.begunAt ?? this.itemsHash}`);
			this.number = ledger.numbered();
			this.markStart = `run ${hash.slice(0, 24)}`;
			this.markText = ledger.run.mark ?? this.markOf(this.number);
		}
		if (ledger.isForeign) return await this.takeOver(released);
		if (!isRetry || !ledger.isNew) return;
		// A Retry usually has the time of the first execution, whose mode is `source`. If that is "retry", as in a Retry of a
		// sub-workflow's own execution, the time is that of the Retry, so no mark can be found. Keys tell what was sent all the same.
		const { source } = this.context.getExecutionContext?.() ?? {};
		if (source === 'retry' && !isKeyed) throw this.errorOf(UNKNOWN);
		await this.goOn(released, CUT_OFF, true);
	}

	/** The first Retry of an execution goes on with its ledger. A second one gets the same ledger, without what the first did. */
	private async takeOver(released: Release | undefined): Promise<void> {
		const { ledger } = this;
		const { id, execution } = ledger.run;
		const isFirst = (await this.store.add([`retried ${id}`])).size === 0;
		// The ledger's run never left a mark (with the time, one that was left stays, see `settle`). So a mark in the store is that
		// of a Retry, and none proves that no Retry has sent anything.
		const isProof = ledger.run.mark === undefined && this.begunAt !== undefined;
		if (!isFirst) await this.goOn(released, retriedText(execution), isProof);
		else {
			if (released?.id === id) ledger.release(released.indexes);
			// A Retry of another execution that began with the same one may have left the mark.
			if (isProof) await this.goOn(released, CUT_OFF, true);
		}
		ledger.takeOver();
	}

	/**
	 * Goes on with a run that the ledger knows nothing of, or not all. A mark shows that there is one.
	 * @param refusal what the error says first, if the store doesn't remember what it did
	 * @param isProof if the store doesn't have the mark, there's no such run
	 */
	private async goOn(
		released: Release | undefined,
		refusal: string,
		isProof: boolean,
	): Promise<void> {
		const { markText } = this;
		const began = await this.store.look([markText, ...(isProof ? this.counterProofs : [])]);
		this.goesOnWithLostRun = began.has(markText);
		if (!this.goesOnWithLostRun && isProof) {
			// Keys tell what was sent.
			if (this.items.isKeyed) return;
			const isAstray = this.ledger.isAstray || this.ledger.isUnsure || began.size > 0;
			if (isAstray) throw this.errorOf(`${ASTRAY} ${IN_NEW_EXECUTION}`);
			return;
		}
		if (!(await this.restore())) await this.checkRelease(released, refusal);
		// Without the time, it may be that of another execution. It isn't noted as this run's own, so it stays.
		if (this.begunAt !== undefined) this.ledger.run.mark = this.markText;
	}

	private markOf(number: number): string {
		return `${this.markStart} ${number}`;
	}

	private get ran(): string {
		return this.markStart.replace('run', 'ran');
	}

	/**
	 * Texts which show that the run may have been there, though its mark isn't: the store has failed or has dropped it.
	 * Without the time, each run has its own hash.
	 */
	private get counterProofs(): string[] {
		if (this.begunAt === undefined || this.items.isKeyed) return [];
		const later = [...new Array(LATER).keys()].map((n) => this.markOf(this.number + 1 + n));
		return this.number === 1 ? [this.ran, ...later] : later;
	}

	/** A person may release a run that nothing is known of, once, and only as a whole. */
	private async checkRelease(released: Release | undefined, refusal: string): Promise<void> {
		const { markText } = this;
		const isReleased = released?.id === codeOf(markText) && released.indexes === undefined;
		if (!isReleased) throw this.errorOf(`${refusal} ${this.wayOut}`);
		const before = await this.store.add([`released ${markText}`]);
		if (before.size > 0) throw this.errorOf(RELEASED);
	}

	/**
	 * Leaves the mark, before the first request of the run.
	 * @throws NodeOperationError if n8n's store fails, or another Retry of the same execution has begun
	 */
	async begin(): Promise<void> {
		if (this.items.isKeyed) return;
		const isFirst = await this.leaveMark().catch((error: Error) => {
			throw this.errorOf(
				`n8n couldn't record that this run begins, so nothing was sent: ${error.message}`,
			);
		});
		const isAstray = this.ledger.isAstray && !this.isRetry;
		if (!isFirst || isAstray) {
			if (this.context.continueOnFail()) this.ledger.stray();
			throw this.errorOf(`${CUT_OFF} ${this.wayOut}`);
		}
		if (!this.isRetry) this.recordMarkAgain();
	}

	/** Notes that the run sends an item that an earlier one hasn't, before it's sent. `hashes`: Ledger.undoneBefore. */
	async sendsAgain(hashes: string[]): Promise<void> {
		if (this.isAgainKept) await this.store.add([], hashes.map(this.againText));
	}

	/** The API has refused it once more. */
	async refusedAgain(hashes: string[]): Promise<void> {
		if (this.isAgainKept) await this.store.removeOnce(hashes.map(this.againText));
	}

	private get isAgainKept(): boolean {
		return !this.items.isKeyed && this.begunAt !== undefined;
	}

	private readonly againText = (hash: string): string =>
		`${this.markStart.replace('run', 'again')} ${hash}`;

	/**
	 * Another process that writes to the store in the same moment may overwrite the mark. A Retry waits to see that it stays,
	 * a first run records it once more meanwhile.
	 */
	private recordMarkAgain(): void {
		// If that fails, the mark is as safe as before.
		const record = () => void this.store.add([this.markText]).catch(() => {});
		this.endTimer = onAbort(AbortSignal.timeout(MOMENT), record);
	}

	/** @returns false if another Retry has left the same mark */
	private async leaveMark(): Promise<boolean> {
		const { ledger, markText, isRetry, begunAt } = this;
		if (ledger.run.remembered !== undefined) {
			// An earlier try has ended and left texts about its items. They are older than this one (Retry On Fail), so they are
			// removed. In a Retry, another one may have gone on with them since: `takeBack` makes sure that none has, and
			// removes them. The ledger has these states already.
			if (!isRetry) await this.store.remove(this.textsOf(ledger.run.remembered));
			else if (!(await this.takeBack(ledger.run.remembered))) return false;
			delete ledger.run.remembered;
		}
		if (this.goesOnWithLostRun || ledger.run.mark !== undefined) return true;
		// Retries of one execution have the same mark. The first one to leave it gets it, so it makes sure that it stays.
		const ofRetry = `retry ${markText}`;
		const known = await (isRetry
			? this.store.add([markText], begunAt === undefined ? [] : [ofRetry])
			: this.store.add([], [markText]));
		const isOfOther = known.has(markText);
		if (isOfOther && begunAt !== undefined) {
			// A first run is only refused if a Retry has left the mark. Else it's that of an execution of the same millisecond.
			if (isRetry || (await this.store.look([ofRetry])).size > 0) return false;
		}
		// Without the time, it may be that of another execution with the same items. Then it isn't noted, so it stays.
		if (!isOfOther || begunAt !== undefined) ledger.run.mark = markText;
		await this.recordRan();
		return true;
	}

	private async recordRan(): Promise<void> {
		if (this.begunAt === undefined || this.number % ANEW !== 0) return;
		// Recording it once more wouldn't move it to the newest texts.
		await this.store.removeOnce([this.ran]);
		await this.store.add([], [this.ran]);
	}

	/**
	 * Claims and removes what an earlier try of this run has left.
	 * @param sent its text about the requests
	 * @returns false if another Retry goes on with it
	 */
	private async takeBack(sent: string): Promise<boolean> {
		const { store, claim } = this;
		if ((await store.add([claim])).size > 0) return false;
		if ((await store.look([sent])).size === 0) {
			await store.removeOnce([claim]);
			// Another Retry has gone on with it, and may have left texts of its own.
			return await this.restore();
		}
		await store.remove(this.textsOf(sent));
		this.ledger.run.hasClaim = true;
		return true;
	}

	/** Records for a later Retry how the run ended. */
	async end(ending: Ending): Promise<void> {
		this.endTimer();
		await this.settle(ending);
		await this.store.flush();
	}

	private async settle(ending: Ending): Promise<void> {
		// With a key that is new in the Retry, what was claimed is remembered again.
		if (this.items.isKeyed) {
			if (this.ledger.run.hasClaim) await this.remember('done');
			return;
		}
		const { mark } = this.ledger.run;
		// If a later node is cancelled or cut off, a Retry starts this one again. Without the time of the execution, that
		// can't be told from another execution with the same items.
		const mayBeginAnew = ending === 'done' && this.begunAt !== undefined;
		if (ending === 'cancelled' || mayBeginAnew) return await this.remember(ending);
		// n8n keeps the ledger with a failed execution. All the same, the mark of a Retry stays, for a second Retry of the same
		// execution. So does one with the time, since no other execution has it.
		const stays = ending === 'failed' && (this.isRetry || this.begunAt !== undefined);
		if (mark === undefined || stays) return;
		await this.store.remove([mark]);
		delete this.ledger.run.mark;
	}

	private get begunAt(): number | undefined {
		return begunAtOf(this.context);
	}

	/** The advice of a refusal. With Continue the Retry ends as a success, and n8n allows no other one. */
	private get wayOut(): string {
		if (this.context.continueOnFail()) return IN_NEW_EXECUTION;
		return `If none went through, enter run-${codeOf(this.markText)} in the option Release Key and use "Retry with currently saved workflow". Otherwise run the other items in a new execution.`;
	}

	/** n8n may keep nothing of the execution, so the store remembers the items of this run. */
	private async remember(ending: keyof typeof REMEMBERED): Promise<void> {
		if (!this.goesOnWithLostRun && this.ledger.run.mark === undefined) return;
		// `leaveMark` hasn't deleted it, so this try never began. Another Retry may have gone on with what the store remembers.
		if (this.ledger.run.remembered !== undefined) return;
		const { done, inDoubt } = this.ledger.told();
		const told = new Set([...done, ...inDoubt]);
		const rest = this.indexes.filter((index) => !told.has(index));
		const isMostlyDone = rest.length <= done.length;
		const named = isMostlyDone ? rest : done;
		if (named.length + inDoubt.length > REMEMBERED[ending]) return;
		const sentItems = this.indexes.filter((index) => told.has(index));
		const shown = shownBy(sentItems, this.indexes);
		const isKnown = shown === sentItems && !this.items.isKeyed;
		const fingerprints = isKnown
			? shown.map((index) => this.ledger.fingerprintOf(index))
			: await this.items.fingerprints(shown);
		const sent = this.sentText(shown, fingerprints);
		this.ledger.run.remembered = sent;
		await this.store.add(
			[],
			[
				sent,
				this.text(isMostlyDone ? 'most' : 'few'),
				...named.map((index) => this.text(isMostlyDone ? 'rest' : 'done', index)),
				...inDoubt.map((index) => this.text('doubt', index)),
			],
		);
		if (!this.ledger.run.hasClaim) return;
		delete this.ledger.run.hasClaim;
		await this.store.removeOnce([this.claim]);
	}

	private get claim(): string {
		return `claimed ${this.markText}`;
	}

	private get indexes(): number[] {
		return [...new Array(this.items.size).keys()];
	}

	/**
	 * All that the store may remember of the items.
	 * @param sent the text about the requests
	 */
	private textsOf(sent: string): string[] {
		const ofItem = (index: number) => [
			this.text('done', index),
			this.text('rest', index),
			this.text('doubt', index),
		];
		return [sent, this.text('most'), this.text('few'), ...this.indexes.flatMap(ofItem)];
	}

	/**
	 * Goes on with what the store remembers of a lost run with these items.
	 * @returns false if it remembers none, or another Retry goes on with it
	 */
	private async restore(): Promise<boolean> {
		const { store, claim } = this;
		// Claim first. To look texts up, the store has to record them. If n8n ends during that, they stay, and only the claim
		// tells a later Retry not to believe them.
		if ((await store.add([claim])).size > 0) return false;
		const found = await this.remembered();
		if (!found) {
			await store.removeOnce([claim]);
			return false;
		}
		const { states, texts } = found;
		// If all items are done, they stay so, and this Retry sends nothing.
		const isDone = [...states.values()].every(({ state }) => state === 'done');
		const isOver = isDone && states.size === this.items.size;
		await (isOver ? store.removeOnce([claim]) : store.remove(texts));
		if (!isOver) this.ledger.run.hasClaim = true;
		this.ledger.restore(states);
		return true;
	}

	/** Finds what the store remembers of a run that sent these items. Undefined if it remembers none. */
	private async remembered(): Promise<{ states: States; texts: string[] } | undefined> {
		const { store, indexes, items } = this;
		const ended = await store.look([this.text('most'), this.text('few')]);
		// None, or both: `look` records what it looks for, and finds that after a lost response.
		if (ended.size !== 1) return undefined;
		const isMostlyDone = ended.has(this.text('most'));
		const kinds = [isMostlyDone ? 'rest' : 'done', 'doubt'] as const;
		const ofItems = await store.look(
			indexes.flatMap((index) => kinds.map((kind) => this.text(kind, index))),
		);
		const isSo = (kind: About, index: number) => ofItems.has(this.text(kind, index));
		const isDone = (index: number) => (isMostlyDone ? !isSo('rest', index) : isSo('done', index));
		const told = indexes.filter((index) => isSo('doubt', index) || isDone(index));
		const shown = shownBy(told, indexes);
		const fingerprints = await items.fingerprints(shown);
		const sent = this.sentText(shown, fingerprints);
		// A form that was wrong for all items may be right now.
		const others = told.length === 0 ? [this.sentText([], [])] : [];
		const known = await store.look([sent, ...others]);
		if (known.size === 0) return undefined;
		const states: States = new Map(
			told.map((index, at) => {
				const state = isSo('doubt', index) ? 'inDoubt' : 'done';
				// With a key that is new in the Retry, what it would send is another request.
				return [index, { state, fingerprint: items.isKeyed ? undefined : fingerprints[at] }];
			}),
		);
		const untold = indexes.filter((index) => !states.has(index));
		for (const index of await this.sentLater(untold)) {
			states.set(index, { state: 'inDoubt', why: SENT_LATER });
		}
		return { states, texts: [...ended, ...ofItems, ...known] };
	}

	/** Returns the items that a later run of the first execution has sent. */
	private async sentLater(indexes: number[]): Promise<number[]> {
		if (indexes.length === 0 || this.begunAt === undefined) return [];
		const fingerprints = await this.items.fingerprints(indexes);
		const textsOf = (at: number) =>
			[fingerprints[at], this.ledger.inputHash(indexes[at])].flatMap((hash) =>
				hash ? [this.againText(hash)] : [],
			);
		const known = await this.store.look(indexes.flatMap((_index, at) => textsOf(at)));
		return indexes.filter((_index, at) => textsOf(at).some((text) => known.has(text)));
	}

	/** A text about the run, or about one of its items. */
	private text(kind: About, index?: number): string {
		const text = `${kind} ${this.markText} ${this.itemsHash}`;
		return index === undefined ? text : `${text} ${index}`;
	}

	/**
	 * The text about the requests of a run.
	 * @param items those that show which run it is (`shownBy`)
	 * @param fingerprints of these items
	 */
	private sentText(items: number[], fingerprints: Array<string | undefined>): string {
		// Items that couldn't be sent at all show nothing.
		const shown = fingerprints.some((each) => each !== '') ? items : [];
		const sent = shown.map((index, at) => [index, fingerprints[at]]);
		return `sent ${this.markText} ${hashOf(JSON.stringify(sent)).slice(0, 16)}`;
	}

	private errorOf(message: string): Error {
		return new NodeOperationError(withoutParameters(this.context.getNode()), message);
	}
}

/** The items by whose requests a run is known: those that are done or in doubt. If there are none, all. */
const shownBy = (told: number[], all: number[]) => (told.length > 0 ? told : all);

type About = 'most' | 'few' | 'done' | 'rest' | 'doubt';

/** When n8n began the execution, of the first one in a Retry. Undefined in an n8n that doesn't tell. */
export const begunAtOf = (
	context: Partial<Pick<IExecuteFunctions, 'getExecutionContext'>>,
): number | undefined => context.getExecutionContext?.()?.establishedAt;

/** A run, and its items to send again. */
interface Release {
	/** ID of the run in its ledger. If n8n has lost the ledger, it's a hash of its mark. */
	id: string;
	/** Undefined for all that are in doubt. */
	indexes?: number[];
}

/** Reads the option Release Key. */
function releasedBy(value: unknown): Release | undefined {
	const [, id, items] =
		/^run-([\da-z_-]{12})((?:[ ,]+\d+)*)$/i.exec(String(value ?? '').trim()) ?? [];
	if (id === undefined) return undefined;
	const indexes = (items.match(/\d+/g) ?? []).map(Number);
	return { id, indexes: indexes.length > 0 ? indexes : undefined };
}

/** The code of a run that n8n has lost. */
const codeOf = (mark: string): string => hashOf(mark).slice(0, 12);

/** Hash of the input items. */
async function inputFingerprint(context: IExecuteFunctions): Promise<string> {
	const hash = createHash('sha256');
	for (const [index, { json }] of context.getInputData().entries()) {
		if (index % IN_ONE_GO === IN_ONE_GO - 1) await sleep(0);
		hash.update(JSON.stringify(json));
	}
	return hash.digest('base64url').slice(0, 24);
}

const retriedText = (execution: string) =>
	`Execution ${execution} was retried before, so nothing was sent. Retry the execution that came of it, which knows what was sent. If n8n ended during that one, check what went through.`;

const IN_NEW_EXECUTION = 'Run the items that did not go through in a new execution.';

const UNKNOWN =
	"n8n doesn't tell which items an earlier try has sent, as of a sub-workflow, so nothing was sent. Check what went through, and run the other items in a new execution. With an Idempotency Key, a Retry goes on by itself.";

const CUT_OFF =
	"An earlier run of this node was cut off, or had other items, and n8n kept nothing of it. So nothing was sent. Make sure that it has ended, and check what went through. n8n's log may name it. If another Retry came of it, retry that one.";

const ASTRAY =
	"n8n's store doesn't tell whether an earlier execution has sent these items: other runs of this node came first then, or one was refused now. So nothing was sent. Check what went through.";

const SENT_LATER = 'It was refused in this run of the node, but a later run may have sent it.';

const RELEASED =
	'This run was released once already, so nothing was sent. Check what went through, then run the other items in a new execution.';

/** Advice for an item in doubt, if the run stops because of it. */
export const releaseText = (id: string, index: number) =>
	`Check it. If it didn't go through, enter run-${id} ${index} in the option Release Key and use "Retry with currently saved workflow". If it did, set On Error to Continue: the item is left out then.`;

/** The same if the run goes on without it, so that n8n can't retry it. */
export const LEFT_OUT = "Check it. If it didn't go through, run it in a new execution.";
