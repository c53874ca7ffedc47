// Where n8n has lost what a run did, as after a cancel or a crash, nothing tells a Retry what was sent. So before its first
// request, a run claims the state that it found in the ledger, and moves the ledger on: a fencing token, as in leases. The
// claim stays in n8n's own store. STATE of the first run is a hash of the node and of the time at which n8n began the
// execution, which its Retries know, too. That of the next run follows from it. So the states of an execution are a chain, and
// a Retry from the beginning walks along the same one.
//
// Texts in the store:
// - `began STATE`: a run goes on from it. With `began STATE MARK`, MARK is the hash of its requests, or of its Idempotency Key.
// - `again STATE`: a Retry's run goes on from it.
// - `done STATE MARK`: such a run has ended, and every item is done.
// - `released STATE`: a person has released it, which is possible once.
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { randomBytes } from 'node:crypto';

import { hashOf } from '../base/data';
import { storeOf } from './idempotency';
import type { KeyStore } from './keyStore';
import type { Book, Ledger } from './ledger';

/** Runs after which the first text is recorded anew, so that it's never among the oldest, which the store drops. */
const ANEW = 50;

/** Claims of a node in one execution, one after the other: an agent may call a tool several times at once. */
const turns = new WeakMap<Book, Promise<unknown>>();

/** A state is its number in the chain, and a hash. */
function nextOf(state: string): string {
	const [number] = state.split('.');
	return `${Number(number) + 1}.${hashOf(state).slice(0, 24)}`;
}

/** The code of a state, for the option Release Key. */
const codeOf = (state: string): string => hashOf(state).slice(0, 12);

/** A person's release of items in doubt. */
interface Release {
	code: string;
	/** Items that go out of doubt. Undefined for the whole run. */
	indexes?: number[];
}

/** Reads the option Release Key of a Retry. Undefined for an Idempotency Key, and for anything else. */
function releaseIn(value: unknown): Release | undefined {
	const [, code, items = ''] =
		/^run-([\da-z_-]{12})((?:[ ,]+\d+)*)$/i.exec(String(value ?? '').trim()) ?? [];
	if (code === undefined) return undefined;
	const indexes = (items.match(/\d+/g) ?? []).map(Number);
	return { code, ...(indexes.length > 0 && { indexes }) };
}

/** Values of the form that a claim goes by. */
interface ClaimForm {
	/**
	 * The Idempotency Key, before its expression is evaluated. Undefined without one. Keys tell what was sent, also where n8n has
	 * lost the run.
	 */
	key: unknown;
	options: IDataObject;
	/** False in a toolkit, whose form has no Release Key. */
	isReleasable: boolean;
}

export class Claim {
	private readonly store: KeyStore;

	private readonly key: unknown;

	private readonly isReleasable: boolean;

	private readonly isRetry: boolean;

	private readonly release?: Release;

	/**
	 * The state of the first run. Undefined if n8n doesn't tell when the execution began. In the Retry of a sub-workflow's own
	 * execution it tells the time of the Retry (source `retry`), which is of no use.
	 */
	private readonly first?: string;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly ledger: Ledger,
		{ key, options, isReleasable }: ClaimForm,
	) {
		this.key = key;
		this.isReleasable = isReleasable;
		this.store = storeOf(context, options);
		this.isRetry = context.getMode() === 'retry';
		if (this.isRetry) this.release = releaseIn(options.releaseKey);
		const { establishedAt, source } = context.getExecutionContext?.() ?? {};
		if (establishedAt !== undefined && source !== 'retry') {
			this.first = `0.${hashOf(`${context.getNode().id} ${establishedAt}`).slice(0, 24)}`;
		}
	}

	/** The state that the run finds, and claims. Once it has, that of the next run. Undefined if none is known. */
	private get state(): string | undefined {
		return this.ledger.book.state ?? this.first;
	}

	/** The text to enter in Release Key, to send an item in doubt. Undefined if no state is known. */
	releaseCode(index: number): string | undefined {
		const { state } = this;
		return state === undefined ? undefined : `run-${codeOf(state)} ${index}`;
	}

	/** Takes items out of doubt that a person has released in n8n's Retry. Is called before anything is asked of the ledger. */
	applyRelease(): void {
		const { state, release } = this;
		if (release && state !== undefined && release.code === codeOf(state)) {
			this.ledger.release(release.indexes);
		}
	}

	/**
	 * Claims the state, before the first request of the run.
	 * @param requests hash of the requests of all items, in order
	 * @returns true if an earlier execution has sent just these, and all are done. Then nothing must be sent.
	 * @throws Error if it isn't known what an earlier execution has sent, or n8n's store fails. Nothing was sent then.
	 */
	async take(requests: string): Promise<boolean> {
		const { book, run } = this.ledger;
		// Retry On Fail goes on with a run that has claimed its state.
		if (run.from !== undefined) return false;
		const turn = this.takeAfter(turns.get(book), requests);
		// A claim that fails doesn't fail the next one.
		turns.set(
			book,
			turn.catch(() => {}),
		);
		return await turn;
	}

	/**
	 * Claims the state once its turn has come. Only then the ledger moves on to the next state.
	 * @param before the claim that goes before it
	 */
	private async takeAfter(
		before: Promise<unknown> | undefined,
		requests: string,
	): Promise<boolean> {
		await before;
		const { book, run } = this.ledger;
		const { isRetry, key } = this;
		const found = this.state;
		if (isRetry && found === undefined && key === undefined) throw new Error(SENT_IS_UNKNOWN);
		// Where n8n doesn't tell when the execution began, no Retry can find the state again if n8n has lost the ledger: only keys
		// tell what was sent.
		const state = found ?? `0.${randomBytes(12).toString('hex')}`;
		const mark = key === undefined ? requests : `key ${hashOf(JSON.stringify(key))}`;
		const claim = isRetry ? this.takeAgain(state, mark) : this.begin(state, mark);
		const isDone = await claim.catch((error: unknown) => {
			if (error instanceof Refusal) throw error;
			throw new Error(
				`n8n couldn't record that this run begins, so nothing was sent: ${(error as Error).message}`,
			);
		});
		book.state = nextOf(state);
		run.from = state;
		return isDone;
	}

	/**
	 * Claims the state in the first execution. Only a Retry can have claimed it before, while n8n took the execution for ended.
	 * @returns false, since no earlier execution has sent anything
	 * @throws Refusal if a Retry came first
	 */
	private async begin(state: string, mark: string): Promise<boolean> {
		const { store, key } = this;
		const began = `began ${state}`;
		// Another process that writes to the store in the same moment may overwrite the claim. So that of the first run has to be
		// seen to stay, unless a key tells what was sent. Those of later runs are only recorded once more at their end.
		const isVerified = this.ledger.book.state === undefined && key === undefined;
		const known = await store.add(isVerified ? [began] : [], [began, `${began} ${mark}`]);
		// Without `again`, it's the claim of another execution of the same millisecond.
		const isRetried = known.has(began) && (await store.look([`again ${state}`])).size > 0;
		if (isRetried && key === undefined) throw new Refusal(RETRIED_MEANWHILE);
		return false;
	}

	/**
	 * Claims the state in a Retry, which walks along the chain: what is unclaimed is sent, what was wholly done comes out as sent.
	 * @returns true if it was wholly done
	 * @throws Refusal for what is claimed but not wholly done, unless it has the same key or a person has released it
	 */
	private async takeAgain(state: string, mark: string): Promise<boolean> {
		const { store, key, release } = this;
		const began = `began ${state}`;
		const again = `again ${state}`;
		const own = `${began} ${mark}`;
		const done = `done ${state} ${mark}`;
		const next = `began ${nextOf(state)}`;
		const known = await store.look([began, again, own, done, next]);
		// A look that n8n's end has cut off may have left its texts, so what is known then proves nothing. It's still enough to
		// refuse the run (`isClaimed`).
		const proves = (text: string) => known.has(text) && known.isCutOff !== true;
		if (proves(done)) return true;
		const isClaimed = known.has(began) || known.has(again);
		const isReleased = release?.code === codeOf(state) && release.indexes === undefined;
		const isKeyed = key !== undefined && proves(own);
		if (isClaimed && !isKeyed && !isReleased) {
			// A code is only offered if a person who has looked knows what it sends again: the node ran only once, or these are the
			// requests of the claimed run.
			const isOnce = state.startsWith('0.') && !known.has(next);
			const code = isOnce || proves(own) ? codeOf(state) : undefined;
			throw new Refusal(this.refusal(known.has(again), code));
		}
		// A code that stays in the form must not release another Retry.
		const released = isReleased ? [`released ${state}`] : [];
		const now = await store.add([began, again, ...released], [own]);
		if (isReleased && now.has(released[0])) throw new Refusal(RELEASED);
		// Another Retry has claimed the state since it was looked up.
		const isTaken = !isClaimed && (now.has(began) || now.has(again));
		if (isTaken && !isKeyed) throw new Refusal(this.refusal(true));
		return false;
	}

	/**
	 * Says why a Retry is refused, and what a person can do.
	 * @param code of the run, if it can be released
	 */
	private refusal(isRetried: boolean, code?: string): string {
		if (this.key !== undefined) return `${KEY_IS_NEW} ${IN_NEW_EXECUTION}`;
		if (!this.isReleasable) return TELL_USER;
		// With Continue the Retry ends as a success, and n8n allows no other one.
		const isOffered = code !== undefined && !this.context.continueOnFail();
		return [
			isRetried ? RETRIED : BEGAN,
			isOffered
				? `If none of the items that it sent went through, enter run-${code} in the option Release Key and use "Retry with currently saved workflow". Otherwise run the other items in a new execution.`
				: IN_NEW_EXECUTION,
		].join(' ');
	}

	/**
	 * Records how a run that has claimed its state has ended.
	 * @param requests hash of the requests of all items, if every item is done. It's only recorded without a key: keys tell more
	 */
	async end(requests: string | undefined): Promise<void> {
		const { store, first } = this;
		const { from } = this.ledger.run;
		if (from === undefined) return;
		const isRenewed = first !== undefined && Number(from.split('.')[0]) % ANEW === ANEW - 1;
		// Recording it once more wouldn't move it to the newest texts.
		if (isRenewed) await store.removeOnce([`began ${first}`]);
		await store.add(
			[],
			[
				`began ${from}`,
				...(isRenewed ? [`began ${first}`] : []),
				...(requests !== undefined && this.key === undefined ? [`done ${from} ${requests}`] : []),
			],
		);
		await store.flush();
	}
}

/** It isn't known what was sent, so nothing must be. Every other error is one of n8n's store. */
class Refusal extends Error {}

const IN_NEW_EXECUTION = 'Run the items that did not go through in a new execution.';

const SENT_IS_UNKNOWN = `n8n doesn't tell what an earlier execution has sent, as of a sub-workflow, so nothing was sent. Check what went through. ${IN_NEW_EXECUTION} With an Idempotency Key, a Retry goes on by itself.`;

const BEGAN =
	'An earlier execution has sent items here, and n8n kept nothing of it, so nothing was sent. Make sure that it has ended, and check what went through.';

/** For a model, which can't know more. */
const TELL_USER =
	"An earlier execution has made changes with this tool, and it isn't known which, so nothing was sent. Don't try again. Tell the user to check what went through, and to have the rest done in a new execution.";

const RETRIED =
	'This execution was retried before, so nothing was sent. Retry the execution that came of that. If n8n kept nothing of it, check what went through.';

const KEY_IS_NEW =
	'An earlier execution has sent items here with another Idempotency Key or without one, so nothing was sent. Check what went through. To go on, use the key that it had.';

const RETRIED_MEANWHILE =
	'A Retry of this execution came here first, so nothing was sent. See what that one did.';

const RELEASED = `This run was released once already, so nothing was sent. Check what went through. ${IN_NEW_EXECUTION}`;

/** Advice for an item in doubt, if the run stops because of it. */
export const releaseText = (code: string) =>
	`Check it. If it didn't go through, enter ${code} in the option Release Key and use "Retry with currently saved workflow". If it did, set On Error to Continue: the item is left out then.`;

/** The same if the run goes on without it, so that n8n can't retry it. */
export const LEFT_OUT = "Check it. If it didn't go through, run it in a new execution.";
