// n8n's Retry starts a failed node again with all its items. After an error n8n still has the ledger of the run.
// After a cancel, a crash or a second Retry of the same execution it has not. So a run that writes what must not
// be repeated leaves a mark in n8n's own store, and a Retry looks for it before anything is sent.
import { NodeOperationError, sleep, type IExecuteFunctions } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import { recordOf } from '../base/data';
import { IN_ONE_GO } from '../base/pool';
import { windowField } from '../form/safety';
import { KeyStore } from './keyStore';
import type { Ledger } from './ledger';

/** Runs of the same items that can be under way at the same time. */
const MARKS = 4;

/** Max items of a cancelled run that the store remembers one by one. */
const REMEMBERED = 2_000;

/** The end of a run. */
export type Ending = 'done' | 'failed' | 'cancelled';

export class RunMark {
	private readonly store: KeyStore;

	private readonly isRetry: boolean;

	/** Hash of the node and its input items. */
	private fingerprint = '';

	/** A run before this one has left its mark. It stays, so that no other Retry sends its items. */
	private hasOldMark = false;

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
		if (!this.isKeyed) this.fingerprint = await inputFingerprint(this.context);
		if (ledger.isForeign) await this.takeOver(released);
		else if (!this.isKeyed && this.isRetry && ledger.isNew) await this.findLostRun(released?.id);
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
		// 'ledger' says that `remember` has recorded all items of a cancelled run.
		const marks = await this.store.look([...this.marks, this.text('ledger')]);
		const isRemembered = marks.delete(this.text('ledger'));
		if (marks.size === 0) return;
		this.hasOldMark = true;
		if (isRemembered) return await this.restore();
		const code = this.fingerprint.slice(0, 12);
		if (released !== code) throw this.errorOf(cutOffText(code));
		const before = await this.store.add([this.text('released')]);
		if (before.size > 0) throw this.errorOf(RELEASED);
	}

	/** Leaves the mark, before the first request of the run. */
	async begin(): Promise<void> {
		const { run } = this.ledger;
		if (this.isKeyed || this.hasOldMark || run.mark !== undefined) return;
		for (const mark of this.marks) {
			const known = await this.store.add([], [mark]).catch((error: Error) => {
				throw this.errorOf(
					`n8n couldn't record that this run begins, so nothing was sent: ${error.message}`,
				);
			});
			if (known.has(mark)) continue;
			run.mark = mark;
			return;
		}
	}

	/** Takes the mark away, unless a later Retry needs it. */
	async end(ending: Ending): Promise<void> {
		await this.takeAway(ending);
		await this.store.flush();
	}

	private async takeAway(ending: Ending): Promise<void> {
		if (this.isKeyed) return;
		const { mark } = this.ledger.run;
		if (ending === 'cancelled') return await this.remember();
		// n8n keeps the ledger with the failed execution. But its Retry can also start from the one before.
		const isNeeded = ending === 'failed' && this.isRetry;
		if (mark === undefined || this.hasOldMark || isNeeded) return;
		await this.store.remove([mark]);
		delete this.ledger.run.mark;
	}

	private get marks(): string[] {
		return Array.from({ length: MARKS }, (_none, index) => this.text('run', index + 1));
	}

	private text(kind: string, index?: number): string {
		return [kind, this.fingerprint, index].filter((each) => each !== undefined).join(' ');
	}

	/** n8n keeps no data of a cancelled execution, so the store remembers its items. */
	private async remember(): Promise<void> {
		const { done, inDoubt } = this.ledger.told();
		if (done.length + inDoubt.length > REMEMBERED) return;
		await this.store.add(
			[],
			[
				...done.map((index) => this.text('done', index)),
				...inDoubt.map((index) => this.text('doubt', index)),
				this.text('ledger'),
			],
		);
	}

	private async restore(): Promise<void> {
		const indexes = [...this.context.getInputData().keys()];
		const all = indexes.flatMap((index) => [this.text('done', index), this.text('doubt', index)]);
		const known = await this.store.look(all);
		const of = (kind: string) => indexes.filter((index) => known.has(this.text(kind, index)));
		this.ledger.restore(of('done'), of('doubt'));
		await this.store.remove([this.text('ledger'), ...known]);
	}

	private errorOf(message: string): Error {
		return new NodeOperationError({ ...this.context.getNode(), parameters: {} }, message);
	}
}

/** The code of a run, and the items to send again. All that are in doubt without `indexes`. */
interface Release {
	id: string;
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

/** Hash of the node and its input items. */
async function inputFingerprint(context: IExecuteFunctions): Promise<string> {
	const hash = createHash('sha256').update(context.getNode().id);
	for (const [index, { json }] of context.getInputData().entries()) {
		if (index % IN_ONE_GO === IN_ONE_GO - 1) await sleep(0);
		hash.update(JSON.stringify(json));
	}
	return hash.digest('base64url').slice(0, 24);
}

const retriedText = (execution: string) =>
	`Execution ${execution} was retried before, so nothing was sent. Retry the execution that came of it, which knows what was sent.`;

const cutOffText = (code: string) =>
	`An earlier run of these items was cut off, and n8n kept nothing of it, so nothing was sent. Check what went through. n8n's log may name it. If none did, enter run-${code} in the option Release Key and use "Retry with currently saved workflow". Otherwise run the other items in a new execution.`;

const RELEASED =
	'This run was released once already, so nothing was sent. Check what went through, then run the other items in a new execution.';

/** Advice for an item in doubt. */
export const releaseText = (id: string, index: number) =>
	`Check it. If it didn't go through, enter run-${id} ${index} in the option Release Key and use "Retry with currently saved workflow". If it did, set On Error to Continue: the item is left out then.`;
