// n8n's Retry starts a failed node again with all its items. After an error n8n still has the ledger of the run.
// After a cancel, a crash or a second Retry of the same execution it has not, and the nodes that were done start again,
// too. So a run that writes what must not be repeated leaves a mark in n8n's own store, and a Retry looks for it before
// anything is sent.
import { NodeOperationError, sleep, type IExecuteFunctions } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import { recordOf } from '../base/data';
import { IN_ONE_GO } from '../base/pool';
import { windowField } from '../form/safety';
import { KeyStore } from './keyStore';
import type { Ledger } from './ledger';

/** Max items of a cancelled run that the store remembers one by one. */
const REMEMBERED = 2_000;

/** The end of a run. */
export type Ending = 'done' | 'failed' | 'cancelled';

/**
 * Leaves texts in n8n's store, and finds those of earlier runs. `hash` is that of the node and the time at which n8n began
 * the execution, which a Retry has from the first one. `items` is the hash of the input items.
 * - `run <hash> N`, the mark: the Nth run of the node began. If it ends with an error, it's removed, unless it's a Retry.
 * - `all <mark> <items>`: the run ended, and all its items are done.
 * - `done <mark> I`, `doubt <mark> I`: items of a run that ended otherwise, or was cancelled. `ledger <mark> <items>`: all
 *   of them are recorded.
 * - `released <mark>`: a person has released a run that was cut off, which is possible once.
 * - `retried ID`: a Retry has gone on with the run that had this ID in its ledger.
 */
export class RunMark {
	private readonly store: KeyStore;

	private readonly isRetry: boolean;

	/** The mark of this run. */
	private mark = '';

	/** Hash of its input items. */
	private items = '';

	/** Mark of the lost run that this one goes on with. It stays, so that no other Retry sends its items. */
	private oldMark?: string;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly ledger: Ledger,
		/** Idempotency Keys tell what was sent, also where n8n has lost the run. */
		private readonly isKeyed: boolean,
	) {
		this.store = new KeyStore(context, windowField.default as number);
		this.isRetry = context.getMode() === 'retry';
	}

	/**
	 * Finds out what an earlier execution did with these items.
	 * @throws NodeOperationError if that can't be known, or if it was retried before. Nothing was sent then.
	 */
	async resume(): Promise<void> {
		const { ledger } = this;
		const { releaseKey } = recordOf(this.context.getNodeParameter('options', 0, {}));
		const released = releasedBy(releaseKey);
		// Each run counts, so that a Retry that begins anew comes to the same numbers.
		if (!this.isKeyed) {
			this.items = await inputFingerprint(this.context);
			// Without the time, only the items tell an execution from others.
			const hash = hashOf(`${this.context.getNode().id} ${this.begunAt ?? this.items}`);
			this.mark = `run ${hash} ${ledger.number}`;
		}
		if (ledger.isForeign) await this.takeOver(released);
		else if (!this.isKeyed && this.isRetry && ledger.isNew)
			await this.findLostRun(codeOf(released));
	}

	/** The first Retry of an execution goes on with its ledger. Another one would not know of the first. */
	private async takeOver(released: Release | undefined): Promise<void> {
		const { ledger } = this;
		const { id, execution } = ledger.run;
		const known = await this.store.add([`retried ${id}`]);
		if (known.size > 0) throw this.errorOf(retriedText(execution));
		if (released?.id === id) ledger.release(released.indexes);
		ledger.takeOver();
	}

	/** n8n has no ledger of this node. A mark shows that it ran all the same. */
	private async findLostRun(released: string | undefined): Promise<void> {
		const { mark } = this;
		// In two steps: if n8n ends meanwhile, the store keeps what was looked for, and this mark alone makes a Retry ask.
		const began = await this.store.look([mark]);
		if (began.size === 0) return;
		this.oldMark = mark;
		const known = await this.store.look(this.textsOf(mark));
		const isTold = [about('all', mark, this.items), about('ledger', mark, this.items)];
		if (isTold.some((text) => known.has(text))) return await this.restore(mark, known);
		const code = mark.slice(4, 16);
		if (released !== code) throw this.errorOf(cutOffText(code));
		const before = await this.store.add([`released ${mark}`]);
		if (before.size > 0) throw this.errorOf(RELEASED);
	}

	/** Leaves the mark, before the first request of the run. */
	async begin(): Promise<void> {
		const { ledger, mark } = this;
		if (this.isKeyed || this.oldMark !== undefined || ledger.run.mark !== undefined) return;
		const known = await this.store.add([], [mark]).catch((error: Error) => {
			throw this.errorOf(
				`n8n couldn't record that this run begins, so nothing was sent: ${error.message}`,
			);
		});
		// Without the time of the execution, it may be that of another one with the same items. Then it stays.
		if (!known.has(mark) || this.begunAt !== undefined) ledger.run.mark = mark;
	}

	/** Records for a later Retry how the run ended, or takes its mark away if none needs it. */
	async end(ending: Ending): Promise<void> {
		await this.settle(ending);
		await this.store.flush();
	}

	private async settle(ending: Ending): Promise<void> {
		if (this.isKeyed) return;
		const { mark } = this.ledger.run;
		// If a later node is cancelled or cut off, a Retry starts this one again. Without the time of the execution, that
		// can't be told from another execution with the same items.
		const mayBeginAnew = ending === 'done' && this.begunAt !== undefined;
		if (ending === 'cancelled' || mayBeginAnew) return await this.remember();
		// n8n keeps the ledger with a failed execution, so no mark is needed. After a failed Retry it is: n8n can also
		// retry the execution before it, which doesn't know of this run.
		const isNeeded = ending === 'failed' && this.isRetry;
		if (mark === undefined || isNeeded) return;
		// A later run may have the same mark, and these texts aren't about that one.
		const remembered = this.ledger.run.isRemembered ? this.textsOf(mark) : [];
		await this.store.remove([mark, ...remembered]);
		delete this.ledger.run.mark;
	}

	/** When n8n began the execution, of the first one in a Retry. Undefined in an n8n that doesn't tell. */
	private get begunAt(): number | undefined {
		return this.context.getExecutionContext?.()?.establishedAt;
	}

	/** n8n may keep nothing of the execution, so the store remembers the items of this run. */
	private async remember(): Promise<void> {
		// A Retry that goes on with a lost run has no mark of its own.
		const mark = this.ledger.run.mark ?? this.oldMark;
		if (mark === undefined) return;
		const { done, inDoubt } = this.ledger.told();
		this.ledger.run.isRemembered = true;
		if (done.length === this.context.getInputData().length) {
			await this.store.add([], [about('all', mark, this.items)]);
			return;
		}
		if (done.length + inDoubt.length > REMEMBERED) return;
		await this.store.add(
			[],
			[
				// The store forgets the oldest texts first. Without this one, a Retry asks.
				about('ledger', mark, this.items),
				...done.map((index) => about('done', mark, index)),
				...inDoubt.map((index) => about('doubt', mark, index)),
			],
		);
	}

	/** All that the store may remember of the run with this mark. */
	private textsOf(mark: string): string[] {
		const indexes = [...this.context.getInputData().keys()];
		return [
			about('all', mark, this.items),
			about('ledger', mark, this.items),
			...indexes.flatMap((index) => [about('done', mark, index), about('doubt', mark, index)]),
		];
	}

	/** Goes on with a lost run. In doubt is also what an earlier look may have left in the store. */
	private async restore(mark: string, known: Set<string>): Promise<void> {
		const indexes = [...this.context.getInputData().keys()];
		const isAllDone = known.has(about('all', mark, this.items));
		const inDoubt = indexes.filter((index) => known.has(about('doubt', mark, index)));
		const done = indexes.filter((index) => isAllDone || known.has(about('done', mark, index)));
		this.ledger.restore(
			done.filter((index) => !inDoubt.includes(index)),
			inDoubt,
		);
		// Another Retry wouldn't know of this one. If all items are done, there's nothing to know.
		if (!isAllDone) await this.store.remove([...known]);
	}

	private errorOf(message: string): Error {
		return new NodeOperationError({ ...this.context.getNode(), parameters: {} }, message);
	}
}

/** A text about the run with a mark, or about one of its items. */
const about = (kind: 'all' | 'ledger' | 'done' | 'doubt', mark: string, what: string | number) =>
	`${kind} ${mark} ${what}`;

/** A run, and its items to send again. All that are in doubt without `indexes`. */
interface Release {
	/** ID of the run in its ledger. If n8n has lost the ledger, it's the beginning of the hash of its items. */
	id: string;
	indexes?: number[];
}

/** A lost run is released as a whole. */
const codeOf = (released: Release | undefined): string | undefined =>
	released?.indexes === undefined ? released?.id : undefined;

/** Reads the option Release Key. */
function releasedBy(value: unknown): Release | undefined {
	const [, id, items] =
		/^run-([\da-z_-]{12})((?:[ ,]+\d+)*)$/i.exec(String(value ?? '').trim()) ?? [];
	if (id === undefined) return undefined;
	const indexes = (items.match(/\d+/g) ?? []).map(Number);
	return { id, indexes: indexes.length > 0 ? indexes : undefined };
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 24);

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
	`Execution ${execution} was retried before, so nothing was sent. Retry the execution that came of it, which knows what was sent.`;

const cutOffText = (code: string) =>
	`An earlier run of this node was cut off, or had other items, and n8n kept nothing of it. So nothing was sent. Check what went through. n8n's log may name it. If none did, enter run-${code} in the option Release Key and use "Retry with currently saved workflow". Otherwise run the other items in a new execution.`;

const RELEASED =
	'This run was released once already, so nothing was sent. Check what went through, then run the other items in a new execution.';

/** Advice for an item in doubt. */
export const releaseText = (id: string, index: number) =>
	`Check it. If it didn't go through, enter run-${id} ${index} in the option Release Key and use "Retry with currently saved workflow". If it did, set On Error to Continue: the item is left out then.`;
