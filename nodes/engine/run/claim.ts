// Where n8n has lost what a run did, as after a cancel or a crash, nothing tells a Retry what was sent. So before its first
// request, a run claims the state that it found in the ledger, and moves the ledger on: a fencing token, as in leases. The
// claim stays in n8n's own store. STATE of the first run is a hash of the node and of the time at which n8n began the
// execution, which its Retries know, too. That of the next run follows from it. So the states of an execution are a chain, and
// a Retry from the beginning walks along the same one. Two executions can begin in one millisecond. The second one to come is a
// twin: it leaves a note in the common chain, and goes along one of its own, with the ID of its execution.
//
// Texts in the store:
// - `began STATE`: a run goes on from it. With `began STATE MARK`, MARK is the hash of its requests, or of its Idempotency Key,
//   with the requests if a limit adds them up.
//   `began STATE twin`: so does a twin.
// - `again STATE`: a Retry's run goes on from it, or with it.
// - `done STATE MARK`: such a run has ended, and every item is done.
// How far such a run is: milestones.ts.
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { randomBytes } from 'node:crypto';

import { hashOf } from '../base/data';
import { storeOf } from './idempotency';
import type { KeyStore } from './keyStore';
import type { Book, Ledger, RunClaim, ToSend } from './ledger';
import { GoneOn, Milestones } from './milestones';
import { codeOf, releaseIn, type Release } from './releaseKey';

/** Runs after which the first text is recorded anew, so that it's never among the oldest, which the store drops. */
const ANEW = 50;

/** Claims of a node in one execution, one after the other: an agent may call a tool several times at once. */
const turns = new WeakMap<Book, Promise<unknown>>();

/** A state is its number in the chain, a hash, and the execution of a twin. */
function nextOf(state: string): string {
	const [number, hash, ...twin] = state.split('.');
	const next = hashOf(`${number}.${hash}`).slice(0, 24);
	return [Number(number) + 1, next, ...twin].join('.');
}

/** Values of the form that a claim goes by. */
interface ClaimForm {
	/**
	 * The Idempotency Key, before its expression is evaluated. Undefined without one. Keys tell what was sent, also where n8n has
	 * lost the run.
	 */
	key: unknown;
	/** The credential, host and route to which keys belong. Undefined without a key. */
	keyPlace?: string;
	options: IDataObject;
	/** False in a toolkit, whose form has no Release Key. */
	isReleasable: boolean;
	/** Items that are about to be sent before that is recorded again. */
	slice: number;
	/** The run goes on without what failed. */
	goesOn: boolean;
	/** A limit adds up what the execution sends, so another list must not follow on one of which n8n kept nothing. */
	addsUp: boolean;
	/** Returns the fields that give something else each time. */
	changing: () => string[];
}

/**
 * Result of a claim: all was `done` before. It was done in part, and isn't taken yet (`goOn`). Or a run is let through
 * although only its `keys` tell what was sent.
 */
type Claimed = 'done' | 'part' | 'keys' | undefined;

export class Claim {
	private readonly store: KeyStore;

	private readonly key: unknown;

	private readonly isRetry: boolean;

	private readonly execution: string;

	private readonly release?: Release;

	/**
	 * The state of the first run. Undefined if n8n doesn't tell when the execution began. In the Retry of a sub-workflow's own
	 * execution it tells the time of the Retry (source `retry`), which is of no use.
	 */
	private readonly first?: string;

	/** Records of the progress of the run. Undefined if there are none, as for all that's begun at once. */
	milestones?: Milestones;

	/** Number of items of the run. */
	private size = 0;

	/** The run was refused, with an error that says what a person has to check. */
	private isRefused = false;

	constructor(
		context: IExecuteFunctions,
		private readonly ledger: Ledger,
		private readonly form: ClaimForm,
	) {
		const { key, options } = form;
		this.key = key;
		this.store = storeOf(context, options);
		this.isRetry = context.getMode() === 'retry';
		this.execution = context.getExecutionId() ?? '';
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

	/** The code to enter in Release Key, to take items out of doubt. It's another one once the run goes on. */
	get releaseCode(): string | undefined {
		const { state, form, ledger } = this;
		const { claim } = ledger.run;
		const place = claim?.next === undefined ? state : `${claim.state} ${claim.next}`;
		return place === undefined || !form.isReleasable ? undefined : `run-${codeOf(place)}`;
	}

	/** Takes items out of doubt that a person has released in n8n's Retry. Is called before anything is asked of the ledger. */
	applyRelease(): void {
		const { release, ledger, releaseCode } = this;
		if (!release || releaseCode !== `run-${release.code}`) return;
		ledger.release(release.unsent);
		ledger.release(release.sent, true);
	}

	/**
	 * Claims the state, before the first request of the run.
	 * @param items those that are about to be sent
	 * @param size number of items of the run
	 * @param isKeyKnown finds out if the key of the first item was recorded. Undefined without a key
	 * @returns what an earlier execution has sent of just these requests
	 * @throws Error if that isn't known, or n8n's store fails. Nothing was sent then.
	 */
	async take(items: ToSend[], size: number, isKeyKnown?: () => Promise<boolean>): Promise<Claimed> {
		const { book } = this.ledger;
		const before = turns.get(book);
		const turn = (async () => {
			await before;
			return await this.takeTurn(items, size, isKeyKnown).catch(this.refuse);
		})();
		// A claim that fails doesn't fail the next one.
		turns.set(
			book,
			turn.catch(() => {}),
		);
		return await turn;
	}

	/** Claims the state once its turn has come. Only then the ledger moves on to the next state. */
	private async takeTurn(
		items: ToSend[],
		size: number,
		isKeyKnown: (() => Promise<boolean>) | undefined,
	): Promise<Claimed> {
		const { isRetry, key, form, ledger } = this;
		const { claim } = ledger.run;
		this.size = size;
		const isOwn = claim?.execution === this.execution;
		const requests = ledger.requestsHash(items, size);
		const mark =
			key === undefined
				? `${requests} by ${form.slice}${form.goesOn ? ' on' : ''}`
				: `key ${hashOf(JSON.stringify([form.keyPlace, key, ...(form.addsUp ? [requests] : [])]))}`;
		// The ledger knows the run: Retry On Fail, or n8n's Retry after an error.
		if (claim?.next !== undefined) {
			this.milestones = this.milestonesOf(claim);
			if (claim.mark === mark) return isOwn ? 'part' : await this.catchUp(claim, items);
			// Other requests than before: no Retry goes on with those.
			await this.goOn();
			this.milestones = undefined;
			delete claim.next;
		}
		if (isOwn) return undefined;
		const found = this.state;
		if (!isRetry) return await this.begin(found ?? unknownState(), mark);
		if (found !== undefined) return await this.takeAgain(found, mark, items);
		// Keys are recorded in the order of the items. So if that of the first one isn't known, none was sent with a key.
		if (!(await isKeyKnown?.())) throw new Refusal(SENT_IS_UNKNOWN);
		return this.claimed(unknownState(), mark, 'keys');
	}

	/** @throws the error for one of the store, or for another execution that has come first */
	private readonly refuse = (error: unknown): never => {
		this.isRefused = error instanceof Refusal || error instanceof GoneOn;
		if (error instanceof Refusal) throw error;
		if (error instanceof GoneOn) throw new Refusal(this.refusal(true, true));
		const text = `n8n couldn't record that this run begins, so nothing was sent: ${(error as Error).message}`;
		throw new Error(text);
	};

	/**
	 * Tells of a run that ends before it has claimed anything if an earlier execution may have sent its items. Somebody might
	 * bill them again.
	 * @returns a sentence for its errors. Empty if that's known, or told already
	 */
	async earlierText(): Promise<string> {
		const { isRetry, isRefused, store, ledger, state, execution } = this;
		const { claim } = ledger.run;
		if (!isRetry || isRefused || claim?.execution === execution) return '';
		const texts = [`began ${state}`, `again ${state}`];
		if (claim) texts.push(`began ${claim.state} ${claim.mark} ${claim.next}`);
		const known = await store.look(texts).catch(() => undefined);
		return state !== undefined && known?.size === 0 ? '' : MAY_BE_SENT;
	}

	private milestonesOf({ state, mark, next = 1 }: RunClaim): Milestones {
		return new Milestones(this.store, `${state} ${mark}`, this.form.slice, next - 1);
	}

	/**
	 * Adds to what n8n kept of a run what another Retry has done of it since. If that can't be told, `goOn` refuses the run.
	 */
	private async catchUp(claim: RunClaim, items: ToSend[]): Promise<Claimed> {
		const { store, ledger, form, size, milestones } = this;
		const { state, mark, next } = claim;
		const [done, taken, later] = [
			`done ${state} ${mark}`,
			`began ${state} ${mark} ${next}`,
			`began ${nextOf(state)}`,
		];
		const known = await store.look([done, taken, later]);
		if (known.isCutOff) return 'part';
		if (known.has(done)) {
			claim.execution = this.execution;
			this.milestones = undefined;
			return 'done';
		}
		// A run that has followed may have sent other requests for the same items.
		const isBehind = known.has(taken) && !known.has(later) && form.isReleasable;
		const reach = isBehind ? await milestones?.find(size, form.goesOn) : undefined;
		if (reach) {
			Object.assign(claim, { execution: '', next: milestones?.next });
			ledger.wereSent(items, reach);
			this.applyRelease();
		}
		return 'part';
	}

	/** Moves the ledger on from a state. */
	private claimed(state: string, mark: string, claimed?: Claimed): Claimed {
		const { book, run } = this.ledger;
		book.state = nextOf(state);
		run.claim = { execution: this.execution, state, mark };
		const { slice } = this.form;
		if (this.key !== undefined || claimed === 'done') return claimed;
		run.claim.next = 1;
		if (this.size > slice) this.milestones = this.milestonesOf(run.claim);
		return claimed;
	}

	/**
	 * Goes on with a run that was done in part, once nothing of it is in doubt.
	 * @throws Error if another Retry goes on with it
	 */
	async goOn(): Promise<void> {
		const { isRetry, ledger, milestones } = this;
		const { claim } = ledger.run;
		if (!milestones || !claim) return;
		const again = isRetry ? [`again ${claim.state}`] : [];
		await milestones.take(ledger.settled, again).catch((error: unknown) => {
			this.goBack(claim);
			return this.refuse(error);
		});
		Object.assign(claim, { execution: this.execution, next: milestones.next });
	}

	/** The run isn't gone on with, so no later one is: an error output may lead its items back. */
	private goBack({ state }: RunClaim): void {
		this.ledger.book.state = state;
	}

	/** Waits until it's recorded that an item is about to be sent. */
	async reach(index: number): Promise<void> {
		const { ledger, milestones } = this;
		const { claim } = ledger.run;
		if (!milestones || !claim) return;
		await milestones
			.reach(index, () => ledger.settled)
			.catch((error: unknown) => {
				if (error instanceof GoneOn) {
					this.isRefused = true;
					this.goBack(claim);
					throw new Refusal(GONE_ON);
				}
				const text = `n8n couldn't record how far this run is, so nothing more was sent: ${(error as Error).message}`;
				throw new Error(text);
			});
	}

	/**
	 * Claims the state in the first execution. Only a Retry can have claimed it before, while n8n took the execution for ended.
	 * @throws Refusal if a Retry came first
	 */
	private async begin(state: string, mark: string): Promise<Claimed> {
		const { store, key, form, execution } = this;
		const began = `began ${state}`;
		const [number, hash, twin] = state.split('.');
		const isFirst = this.ledger.book.state === undefined;
		// Another process that writes to the store in the same moment may overwrite the claim. So that of the first run has to be
		// seen to stay, unless a key tells what was sent. Those of later runs are only recorded once more at their end.
		const isVerified = isFirst && key === undefined;
		const more = twin === undefined ? [] : [`began ${number}.${hash} twin`];
		const known = await store.add(isVerified ? [began] : [], [began, `${began} ${mark}`, ...more]);
		if (!known.has(began)) return this.claimed(state, mark);
		const isRetried = (await store.look([`again ${state}`])).size > 0;
		const isSame = key !== undefined && (!form.addsUp || known.has(`${began} ${mark}`));
		if (isRetried && !isSame) throw new Refusal(RETRIED_MEANWHILE);
		const isTwin = isFirst && twin === undefined && !isRetried && execution !== '';
		if (isTwin) return await this.begin(`${state}.${execution}`, mark);
		return this.claimed(state, mark, isRetried ? 'keys' : undefined);
	}

	/**
	 * Claims the state in a Retry, which walks along the chain: what is unclaimed is sent, what was done comes out as sent.
	 * @throws Refusal for what is claimed if it isn't known how far it was done, unless it has the same key
	 */
	private async takeAgain(state: string, mark: string, items: ToSend[]): Promise<Claimed> {
		const { store, key, form, ledger, size } = this;
		const began = `began ${state}`;
		const again = `again ${state}`;
		const own = `${began} ${mark}`;
		const done = `done ${state} ${mark}`;
		const next = `began ${nextOf(state)}`;
		const twin = `${began} twin`;
		const known = await store.look([began, again, own, done, next, twin]);
		// Where n8n has lost the ledger, nothing tells if it's the twin that is retried.
		const isOfTwins = known.has(twin) && ledger.book.state === undefined;
		// What a look may have left proves nothing. It's still enough to refuse the run (`isClaimed`).
		const proves = (text: string) => known.has(text) && known.isCutOff !== true && !isOfTwins;
		if (proves(done)) return this.claimed(state, mark, 'done');
		const isClaimed = isOfTwins || [began, again, next].some((text) => known.has(text));
		const isKeyed = key !== undefined && proves(own);
		if (isClaimed && !isKeyed) {
			// A model can't release what is in doubt.
			const isFound = proves(own) && form.isReleasable;
			const milestones = this.milestonesOf({ execution: '', state, mark });
			const reach = isFound ? await milestones.find(size, form.goesOn) : undefined;
			// Of a run that another one has followed, the ledger knew more, unless all of it is settled.
			if (!reach || (known.has(next) && reach.settled < size))
				throw new Refusal(this.refusal(known.has(again), proves(own)));
			this.claimed(state, mark);
			this.milestones = milestones;
			// It's only this one's once that is recorded (`goOn`).
			Object.assign(ledger.run.claim as RunClaim, { execution: '', next: milestones.next });
			ledger.wereSent(items, reach);
			this.applyRelease();
			return 'part';
		}
		const now = await store.add([began, again], [own]);
		// Another Retry has claimed the state since it was looked up.
		const isTaken = !isClaimed && (now.has(began) || now.has(again));
		if (isTaken && !isKeyed) throw new Refusal(this.refusal(true, true));
		return this.claimed(state, mark, isKeyed && isClaimed ? 'keys' : undefined);
	}

	/** Says why a Retry is refused, and what a person can do. */
	private refusal(isRetried: boolean, isSame: boolean): string {
		if (this.key !== undefined) {
			return `${this.form.addsUp ? LIMITS_ARE_UNKNOWN : KEY_IS_NEW} ${IN_NEW_EXECUTION}`;
		}
		if (!this.form.isReleasable) return TELL_USER;
		const why = `${isRetried ? RETRIED : BEGAN} ${IN_NEW_EXECUTION}`;
		const changing = isSame ? [] : this.form.changing();
		return changing.length > 0 ? `${why} ${changingText(changing)}` : why;
	}

	/**
	 * Records how a run that has claimed its state has ended.
	 * @param isDone every item is done
	 */
	async end(isDone: boolean): Promise<void> {
		const { store, first, ledger, key } = this;
		const { claim } = ledger.run;
		if (claim?.execution !== this.execution || this.isRefused) return;
		const { state, mark } = claim;
		const isRenewed = first !== undefined && Number(state.split('.')[0]) % ANEW === ANEW - 1;
		// Recording it once more wouldn't move it to the newest texts.
		if (isRenewed) await store.removeOnce([`began ${first}`]);
		await this.milestones?.rest();
		const texts = [`began ${state}`, ...(isRenewed ? [`began ${first}`] : [])];
		// Keys tell more.
		if (isDone && key === undefined) texts.push(`done ${state} ${mark}`);
		else if (claim.next !== undefined) {
			const milestones = this.milestones ?? this.milestonesOf(claim);
			texts.push(...milestones.ended(ledger.settled, ledger.begun));
			claim.next = milestones.next;
		}
		await store.add([], texts);
		await store.flush();
	}
}

/** A state that no Retry can find again, where n8n doesn't tell when the execution began. Only keys tell what was sent. */
const unknownState = () => `0.${randomBytes(12).toString('hex')}`;

/** It isn't known what was sent, so nothing must be. Every other error is one of n8n's store. */
class Refusal extends Error {}

const IN_NEW_EXECUTION = 'Run the items that did not go through in a new execution.';

const MAY_BE_SENT = 'An earlier execution may have sent these items. Retry it, or check them.';

const SENT_IS_UNKNOWN = `n8n doesn't tell what an earlier execution has sent, as of a sub-workflow, so nothing was sent. Check what went through. ${IN_NEW_EXECUTION}`;

const BEGAN =
	'An earlier execution has sent items here, and n8n kept nothing of it, so nothing was sent. Make sure that it has ended, and check what went through.';

/** For a model, which can't know more. */
const TELL_USER =
	"An earlier execution has made changes with this tool, and it isn't known which, so nothing was sent. Don't try again. Tell the user to check what went through, and to have the rest done in a new execution.";

const RETRIED =
	'This execution was retried before, so nothing was sent. Retry the execution that came of that. If n8n kept nothing of it, check what went through.';

const KEY_IS_NEW =
	'An earlier execution has sent items here with another Idempotency Key or without one, so nothing was sent. Check what went through. To go on, use the key, the credential and the operation that it had.';

const LIMITS_ARE_UNKNOWN =
	"An earlier execution has sent items here, with another list, Idempotency Key or Safety Limit, so it isn't known if the limits hold, and nothing was sent. Check what went through.";

const GONE_ON = `A Retry of this execution has gone on from here, so nothing more was sent. See what that one did. ${IN_NEW_EXECUTION}`;

const RETRIED_MEANWHILE =
	'A Retry of this execution came here first, so nothing was sent. See what that one did.';

const changingText = (fields: string[]) =>
	`A Retry goes on only with the same requests, and these fields give something else each time: ${fields.join(', ')}.`;
