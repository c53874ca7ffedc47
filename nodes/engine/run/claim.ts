// A cancel or a crash loses what n8n keeps of a run (ledger.ts), and then nothing tells a Retry what was sent. So before its
// first request, a run claims in n8n's store the state that it found in the ledger, and moves the ledger on, as with the
// fencing token of a lease. The first STATE is a hash of the node and of the time at which n8n began the execution, which its
// Retries know, too. Each further state is a hash of the one before, so a Retry from the beginning walks along the same chain.
// Of two executions that begin in one millisecond, the second is a twin: its states have the ID of its execution.
//
// Texts in the store (how far a run is: milestones.ts):
// - `began STATE`: a run goes on from it. `began STATE twin`: so does a twin.
// - `began STATE MARK`: with a hash of its requests, or of its Idempotency Key, with the requests if a limit adds them up.
// - `again STATE`: a Retry's run goes on from it, or with it.
// - `done STATE MARK`: such a run has ended, and every item is done.
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { randomBytes } from 'node:crypto';

import { hashOf } from '../base/data';
import { storeOf } from './idempotency';
import type { KeyStore } from './keyStore';
import type { Book, RunClaim } from './book';
import type { Ledger, ToSend } from './ledger';
import { GoneOn, Milestones } from './milestones';
import { codeOf, releaseIn, type Release } from './releaseKey';

/** Runs after which the first text is recorded anew, because the store drops its oldest texts. */
const ANEW = 50;

/** The newest claim of each node. Claims wait for each other, because an agent may call a tool several times at once. */
const turns = new WeakMap<Book, Promise<unknown>>();

/** A state is its number in the chain, a hash, and the execution of a twin. */
function nextOf(state: string): string {
	const [number, hash, ...twin] = state.split('.');
	const next = hashOf(`${number}.${hash}`).slice(0, 24);
	return [Number(number) + 1, next, ...twin].join('.');
}

interface ClaimForm {
	/** The Idempotency Key before its expression is evaluated, and the credential, host and route to which keys belong. */
	key: unknown;
	keyPlace?: string;
	options: IDataObject;
	/** False in a toolkit, whose form has no Release Key. */
	isReleasable: boolean;
	/** Items of a slice (milestones.ts), and true if the run goes on without failed items. */
	slice: number;
	goesOn: boolean;
	/** A limit adds up what the execution sends, so another list must not follow where n8n has kept nothing of the first one. */
	addsUp: boolean;
	/** Labels of the fields that give something else each time. */
	changing: () => string[];
}

/** An earlier execution has done all, or a part that `goOn` has yet to take over. Or only the `keys` tell what was sent. */
type Claimed = 'done' | 'part' | 'keys' | undefined;

export class Claim {
	private readonly store: KeyStore;

	private readonly isRetry: boolean;

	private readonly execution: string;

	private readonly release?: Release;

	/** The state of the first run. Undefined if n8n doesn't tell when the execution began. */
	private readonly first?: string;

	/** Progress of the run. Undefined with a key, and if all items begin at once. */
	milestones?: Milestones;

	private size = 0;

	private isRefused = false;

	constructor(
		context: IExecuteFunctions,
		private readonly ledger: Ledger,
		private readonly form: ClaimForm,
	) {
		this.store = storeOf(context, form.options);
		this.isRetry = context.getMode() === 'retry';
		this.execution = context.getExecutionId() ?? '';
		if (this.isRetry) this.release = releaseIn(form.options.releaseKey);
		const { establishedAt, source } = context.getExecutionContext?.() ?? {};
		// In the Retry of a sub-workflow's own execution, `establishedAt` is the time of the Retry.
		if (establishedAt !== undefined && source !== 'retry') {
			this.first = `0.${hashOf(`${context.getNode().id} ${establishedAt}`).slice(0, 24)}`;
		}
	}

	/** The state that the run finds. After the claim, the state that the next run finds. */
	private get state(): string | undefined {
		return this.ledger.book.state ?? this.first;
	}

	/** The code to enter in Release Key, to take items out of doubt. It changes once the run goes on. */
	get releaseCode(): string | undefined {
		const { state, form, ledger } = this;
		const { claim } = ledger.run;
		const place = claim?.next === undefined ? state : `${claim.state} ${claim.next}`;
		return place === undefined || !form.isReleasable ? undefined : `run-${codeOf(place)}`;
	}

	/** Takes items out of doubt that a person has released in n8n's Retry. Called before the ledger is asked for anything. */
	applyRelease(): void {
		const { release, ledger, releaseCode } = this;
		if (!release || releaseCode !== `run-${release.code}`) return;
		ledger.release(release.unsent, false);
		ledger.release(release.sent, true);
	}

	/**
	 * Claims the state, before the first request of the run.
	 * @param items that are about to be sent, of `size` items
	 * @param isKeyKnown finds out if the key of the first item was recorded. Undefined without a key
	 * @returns what an earlier execution has sent of these same requests
	 * @throws Error if that isn't known, or n8n's store fails
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

	private async takeTurn(
		items: ToSend[],
		size: number,
		isKeyKnown: (() => Promise<boolean>) | undefined,
	): Promise<Claimed> {
		const { isRetry, form, ledger } = this;
		const { key, keyPlace, addsUp } = form;
		const { claim } = ledger.run;
		this.size = size;
		const isOwn = claim?.execution === this.execution;
		const requests = ledger.requestsHash(items, size);
		const mark =
			key === undefined
				? `${requests} by ${form.slice}${form.goesOn ? ' on' : ''}`
				: `key ${hashOf(JSON.stringify([keyPlace, key, ...(addsUp ? [requests] : [])]))}`;
		// The ledger knows the run, so this is Retry On Fail, or n8n's Retry after an error.
		if (claim?.next !== undefined) {
			this.milestones = this.milestonesOf(claim);
			if (claim.mark === mark) {
				return isOwn ? 'part' : await this.takeAgain(claim.state, mark, items, claim.next);
			}
			// The run has other requests than before, and no Retry may go on with the old ones.
			await this.goOn();
			this.milestones = undefined;
			delete claim.next;
		}
		if (isOwn) return undefined;
		const found = this.state;
		if (!isRetry) return await this.begin(found ?? unknownState(), mark);
		if (found !== undefined) return await this.takeAgain(found, mark, items);
		// Keys are recorded in the order of the items. If the first one isn't known, no item was sent with a key.
		if (!(await isKeyKnown?.())) throw new Refusal(SENT_IS_UNKNOWN);
		return this.claimed(unknownState(), mark, 'keys');
	}

	private readonly refuse = (error: unknown): never => {
		this.isRefused = error instanceof Refusal || error instanceof GoneOn;
		if (error instanceof Refusal) throw error;
		if (error instanceof GoneOn) throw new Refusal(this.refusal(true, true));
		const text = `n8n couldn't record how far this run is, so nothing was sent: ${(error as Error).message}`;
		throw new Error(text);
	};

	/**
	 * A sentence for the errors of a run that ends before it has claimed anything, if an earlier execution may have sent its
	 * items: somebody might bill them again. Empty if none has, or if it's told already.
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
		const { slice } = this.form;
		return new Milestones(this.store, `${state} ${mark}`, { slice, size: this.size }, next - 1);
	}

	private claimed(state: string, mark: string, claimed?: Claimed): Claimed {
		const { book, run } = this.ledger;
		book.state = nextOf(state);
		run.claim = { execution: this.execution, state, mark };
		this.milestones = undefined;
		if (this.form.key !== undefined || claimed === 'done') return claimed;
		run.claim.next = 1;
		if (this.size > this.form.slice) this.milestones = this.milestonesOf(run.claim);
		return claimed;
	}

	/**
	 * Goes on with a run that was done in part, once none of it is in doubt. If that can't be recorded, the book stays at the
	 * claimed state, so that no later run goes on: an error output may lead the items to it.
	 * @throws Error if another Retry goes on with the run
	 */
	async goOn(): Promise<void> {
		const { isRetry, ledger, milestones } = this;
		const { claim } = ledger.run;
		if (!milestones || !claim) return;
		const again = isRetry ? [`again ${claim.state}`] : [];
		const { book } = ledger;
		await milestones.take(ledger.settled, again).catch((error: unknown) => {
			book.state = claim.state;
			return this.refuse(error);
		});
		if (book.state === claim.state) book.state = nextOf(claim.state);
		Object.assign(claim, { execution: this.execution, next: milestones.next });
	}

	async reach(index: number): Promise<void> {
		const { ledger, milestones } = this;
		const { claim } = ledger.run;
		if (!milestones || !claim) return;
		await milestones
			.reach(index, () => ledger.settled)
			.catch((error: unknown) => {
				if (error instanceof GoneOn) ledger.book.state = claim.state;
				return this.refuse(error);
			});
	}

	/** Claims the state in a first execution. Throws Refusal if a Retry came first, when n8n took this execution for ended. */
	private async begin(state: string, mark: string): Promise<Claimed> {
		const { store, form, execution } = this;
		const { key } = form;
		const began = `began ${state}`;
		const [number, hash, twin] = state.split('.');
		const isFirst = this.ledger.book.state === undefined;
		// Another process that writes to the store in the same moment may overwrite the claim. So the first run has to see that its
		// claim stays, unless a key tells what was sent. Claims of later runs are only recorded once more at their end.
		const isVerified = isFirst && key === undefined;
		const more = twin === undefined ? [] : [`began ${number}.${hash} twin`];
		const known = await store.add(isVerified ? [began] : [], [began, `${began} ${mark}`, ...more]);
		if (!known.has(began)) return this.claimed(state, mark);
		const isRetried = (await store.look([`again ${state}`])).size > 0;
		const isSame = key !== undefined && (!form.addsUp || known.has(`${began} ${mark}`));
		if (isRetried && !isSame) throw new Refusal(this.refusal(true, true));
		const isTwin = isFirst && twin === undefined && !isRetried && execution !== '';
		if (isTwin) return await this.begin(`${state}.${execution}`, mark);
		return this.claimed(state, mark, isRetried ? 'keys' : undefined);
	}

	/**
	 * Claims the state in a Retry, which walks along the chain: what is unclaimed is sent, what was done comes out as sent.
	 * @param since number of the milestone that the ledger knows. Another Retry may have gone on since.
	 * @throws Refusal for a claimed state if nothing tells how far its run came, unless it has the same key
	 */
	private async takeAgain(
		state: string,
		mark: string,
		items: ToSend[],
		since?: number,
	): Promise<Claimed> {
		const { store, form, ledger } = this;
		const { key } = form;
		const began = `began ${state}`;
		const again = `again ${state}`;
		const own = `${began} ${mark}`;
		const done = `done ${state} ${mark}`;
		const next = `began ${nextOf(state)}`;
		const twin = `${began} twin`;
		const taken = since === undefined ? [] : [`${own} ${since}`];
		const known = await store.look([began, again, own, done, next, twin, ...taken]);
		// If no Retry has gone on since, the ledger knows more than the store. If that can't be told, `goOn` finds out.
		const hasGoneOn = [done, ...taken].some((text) => known.has(text));
		if (since !== undefined && (known.isCutOff || !hasGoneOn)) return 'part';
		// Once n8n has lost the ledger, nothing tells which of the twins is retried.
		const isOfTwins = known.has(twin) && ledger.book.state === undefined;
		// A text that a look may have left proves nothing. It's still enough to refuse the run (`isClaimed`).
		const proves = (text: string) => known.has(text) && known.isCutOff !== true && !isOfTwins;
		if (proves(done)) return this.claimed(state, mark, 'done');
		const isClaimed = isOfTwins || [began, again, next].some((text) => known.has(text));
		const isKeyed = key !== undefined && proves(own);
		if (isClaimed && !isKeyed) {
			// A model can't release what is in doubt.
			const isFound = proves(own) && form.isReleasable;
			const part = isFound && (await this.findPart(state, mark, items, known.has(next)));
			if (part) return 'part';
			throw new Refusal(this.refusal(known.has(again), proves(own)));
		}
		const now = await store.add([began, again], [own]);
		// Another Retry has claimed the state since it was looked up.
		const isTaken = !isClaimed && (now.has(began) || now.has(again));
		if (isTaken && !isKeyed) throw new Refusal(this.refusal(true, true));
		return this.claimed(state, mark, isKeyed && isClaimed ? 'keys' : undefined);
	}

	/**
	 * Finds out how far an earlier execution came with these same requests. The run is only taken over once that is recorded
	 * (`goOn`).
	 * @returns false if that can't be told. The lost ledger of a run that was followed knew more, unless all is settled.
	 */
	private async findPart(
		state: string,
		mark: string,
		items: ToSend[],
		isFollowed: boolean,
	): Promise<boolean> {
		const { form, ledger, size } = this;
		const milestones = this.milestonesOf({ execution: '', state, mark });
		const reach = await milestones.find(form.goesOn);
		if (!reach || (isFollowed && reach.settled < size)) return false;
		this.claimed(state, mark);
		this.milestones = milestones;
		Object.assign(ledger.run.claim as RunClaim, { execution: '', next: milestones.next });
		ledger.wereSent(items, reach);
		this.applyRelease();
		return true;
	}

	private refusal(isRetried: boolean, isSame: boolean): string {
		const { key, addsUp, isReleasable, changing } = this.form;
		if (key !== undefined) {
			return `${addsUp ? LIMITS_ARE_UNKNOWN : KEY_IS_NEW} ${IN_NEW_EXECUTION}`;
		}
		if (!isReleasable) return TELL_USER;
		const why = `${isRetried ? RETRIED : BEGAN} ${IN_NEW_EXECUTION}`;
		const fields = isSame ? [] : changing();
		if (fields.length === 0) return why;
		return `${why} A Retry goes on only with the same requests, and these fields give something else each time: ${fields.join(', ')}.`;
	}

	/** Records how a run that has claimed its state has ended. `isDone` is true if every item is done. */
	async end(isDone: boolean): Promise<void> {
		const { store, first, ledger, form } = this;
		const { claim } = ledger.run;
		if (claim?.execution !== this.execution || this.isRefused) return;
		const { state, mark } = claim;
		const isRenewed = first !== undefined && Number(state.split('.')[0]) % ANEW === ANEW - 1;
		// A known text doesn't move to the newest ones when it's recorded, so it's removed first.
		if (isRenewed) await store.removeOnce([`began ${first}`]);
		await this.milestones?.rest();
		const texts = [`began ${state}`, ...(isRenewed ? [`began ${first}`] : [])];
		// Keys tell more than milestones.
		if (isDone && form.key === undefined) texts.push(`done ${state} ${mark}`);
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

/** Nothing tells what was sent, so nothing must be. All other errors are those of n8n's store. */
class Refusal extends Error {}

const IN_NEW_EXECUTION = 'Run the items that did not go through in a new execution.';

const MAY_BE_SENT = 'An earlier execution may have sent these items. Retry it, or check them.';

const SENT_IS_UNKNOWN = `n8n doesn't tell what an earlier execution has sent, as of a sub-workflow, so nothing was sent. Check what went through. ${IN_NEW_EXECUTION}`;

const BEGAN =
	'An earlier execution has sent items here, and n8n kept nothing of it, so nothing was sent. Make sure that it has ended, and check what went through.';

const TELL_USER =
	"An earlier execution has made changes with this tool, and it isn't known which, so nothing was sent. Don't try again. Tell the user to check what went through, and to have the rest done in a new execution.";

const RETRIED =
	'This execution was retried before, so nothing was sent. Retry the execution that came of that. If n8n kept nothing of it, check what went through.';

const KEY_IS_NEW =
	'An earlier execution has sent items here with another Idempotency Key or without one, so nothing was sent. Check what went through. To go on, use the key, the credential and the operation that it had.';

const LIMITS_ARE_UNKNOWN =
	"An earlier execution has sent items here, with another list, Idempotency Key or Safety Limit, so it isn't known if the limits hold, and nothing was sent. Check what went through.";
