// The policy of a toolkit: what its tools may do in one execution. n8n keeps it with the data of the execution, so it
// holds across calls, retries of the agent and a wait for approval.
//
// What must never happen, whatever words a model finds for it:
// - A request of a change leaves a second time while The Same Change Only Once is on.
// - A request that may have gone through leaves again, even while it's off.
// - A limit is set and doesn't hold. One that can't be read, or can't hold here, is refused.
// So a change is known by its request and not by its arguments, and each write is looked up right before it leaves.
import type { IExecuteFunctions } from 'n8n-workflow';

import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { recordOf, sortedJson } from '../engine/base/data';
import { labelOf } from '../engine/form/fields';
import { isOfAmounts, type Operation } from '../engine/form/operation';
import {
	amountText,
	countText,
	decimalOf,
	isLasting,
	requestFingerprint,
	type Counted,
	type SendLimits,
} from '../engine/node/execute';
import type { Context, Offer } from './catalog';

/** A record of what the tools of a node did in one execution, as plain JSON. Sums are exact, so they're texts. */
export interface Book {
	calls: number;
	changes: number;
	total: string;
	recipients: string;
	/** Changes that were sent, by a hash of the request. The result is an ID. */
	done: Record<string, Done | undefined>;
}

interface Done {
	inDoubt?: true;
	result?: string;
}

type Limit = 'maxAmount' | 'maxCalls' | 'maxChanges' | 'maxRecipients' | 'maxTotal';

/** Limits that need what n8n keeps with an execution. */
const PER_EXECUTION: Limit[] = ['maxCalls', 'maxChanges', 'maxRecipients', 'maxTotal'];

/** Max rows of one read, if the form sets none. */
const MAX_ROWS = 100;

export type Policy = Partial<Record<Limit, number>> & { maxRows: number; onceOnly: boolean };

/** @returns what is wrong with a limit. It's read as the sums are that it's compared with. */
function faultOf(name: string, value: unknown): string | undefined {
	const limit = decimalOf(value);
	if (limit === undefined || limit < 0n) return 'must be a number';
	const isRows = name === 'maxRows';
	const isCount = Number.isInteger(Number(value)) && limit > 0n;
	return isRows && !isCount ? 'must be a whole number of 1 or more' : undefined;
}

/** @throws FieldFault for a limit that can't be read: it would be none */
export function policyOf(context: Context): Policy {
	const limits = recordOf(context.getNodeParameter('limits', 0, {}));
	for (const [name, value] of Object.entries(limits)) {
		const fault = faultOf(name, value);
		if (fault) throw new FieldFault(`Limits: ${labelOf(name)}`, fault);
	}
	const onceOnly = context.getNodeParameter('onceOnly', 0, true) !== false;
	return { ...limits, maxRows: Number(limits.maxRows ?? MAX_ROWS), onceOnly };
}

export const isOwnAgent = (context: Context): boolean => context.getMode() === 'internal';

/** True if n8n knows which calls belong together: not for an MCP client, and not in n8n's own Agents. */
export const sharesCalls = (context: Context): boolean =>
	isLasting(context) && Boolean(context.getExecutionId());

/** The book of this node in this execution. */
function bookOf(context: Context): Book {
	const data: { book?: Book } = (context as IExecuteFunctions).getContext('node');
	data.book ??= { calls: 0, changes: 0, total: '0', recipients: '0', done: {} };
	return data.book;
}

/** A call that the policy doesn't let through. The message is for the model. */
class Held extends Error {}

const overLimit = (name: Limit, policy: Policy, found: string): Held =>
	new Held(
		`${labelOf(name)} of this tool is ${policy[name]}, and ${found}. Nothing was sent. Don't try again, tell the user.`,
	);

/** @throws FieldFault if a rule can't hold here: better no call than one without its limit */
function checkPlace(context: Context, policy: Policy, changes: boolean): void {
	const isSet = (name: Limit) => policy[name] !== undefined && (changes || name === 'maxCalls');
	const rules = PER_EXECUTION.filter(isSet).map(labelOf);
	if (policy.onceOnly && changes) rules.push('The Same Change Only Once');
	if (rules.length === 0) return;
	const where = isOwnAgent(context) ? "in n8n's own Agents" : 'behind the MCP Server Trigger';
	throw new FieldFault(
		rules.join(', '),
		`can't hold ${where}, since each call is an execution of its own. Nothing was sent. Tell the user to turn it off in Platform Tools, and to use Max Amount and an approval`,
	);
}

/**
 * Two changes are the same if they send the same request. An operation with several requests only knows them as it goes, so
 * it's compared by the request that its form makes, and by the settings that aren't their default.
 */
function changeOf({ run, fields = [] }: Operation, request: ApiRequest): string {
	if (!run) return requestFingerprint(request);
	const all = fields.flatMap((field) => (field.type === 'collection' ? field.options : [field]));
	const isStandard = ([name, value]: [string, unknown]) =>
		all.some((field) => field.name === name && field.default === value);
	const choices = Object.entries(request.settings ?? {}).filter((each) => !isStandard(each));
	return requestFingerprint(request, sortedJson(['form', Object.fromEntries(choices)]));
}

/** One call under the policy: counted before it's sent, settled by its outcome. */
export class Guard implements SendLimits {
	private readonly book: Book | undefined;

	private readonly isMoney: boolean;

	/** Sum of this call. Undefined while nothing was sent. */
	private counted: bigint | undefined;

	/** Changes that this call has put into the book, and what stood there before. */
	private readonly noted = new Map<string, Done | undefined>();

	/** @throws Held or FieldFault for a call that must not begin */
	constructor(
		context: Context,
		private readonly policy: Policy,
		private readonly offer: Offer,
	) {
		this.isMoney = isOfAmounts(offer.operation.measure);
		if (!sharesCalls(context)) {
			checkPlace(context, policy, offer.changes);
			return;
		}
		this.book = bookOf(context);
		if (this.book.calls >= (policy.maxCalls ?? Infinity)) {
			throw overLimit('maxCalls', policy, 'all calls are used up');
		}
		this.book.calls++;
	}

	/** @throws Held if this change was made before, or may have been */
	private checkOnce(change: string): void {
		const { inDoubt, result } = this.book?.done[change] ?? {};
		// The same change in doubt is never sent again, even where it may be made twice.
		if (result === undefined ? !inDoubt : !this.policy.onceOnly) return;
		throw new Held(
			inDoubt
				? 'The same change was sent before and may have gone through, so it was not sent again. Look up whether it did, or ask the user.'
				: `This was done already${result ? `: ${result}` : ''}. It was not sent again. To do it a second time, ask the user.`,
		);
	}

	/** Puts a change into the book, in doubt until its outcome is known. */
	private note(change: string): void {
		const { book, noted } = this;
		if (!book || noted.has(change)) return;
		this.checkOnce(change);
		noted.set(change, book.done[change]);
		book.done[change] = { inDoubt: true };
	}

	get measures(): boolean {
		const { maxAmount, maxRecipients, maxTotal } = this.policy;
		return (this.isMoney ? (maxTotal ?? maxAmount) : maxRecipients) !== undefined;
	}

	/**
	 * @param sums of the request that is about to be sent
	 * @param items without any if an earlier try has sent it
	 */
	count(sums: Map<number, bigint>, items: Counted[]): void {
		const { book, policy, isMoney } = this;
		const item = items.at(0);
		const [own = 0n] = sums.values();
		const isOver = (name: Limit, sum: bigint) => sum > (decimalOf(policy[name]) ?? sum);
		if (isMoney && isOver('maxAmount', own)) {
			throw overLimit('maxAmount', policy, `this call has ${amountText(own)}`);
		}
		if (!book || !item) return;
		const change = changeOf(this.offer.operation, item.request);
		this.checkOnce(change);
		if (book.changes >= (policy.maxChanges ?? Infinity)) {
			throw overLimit('maxChanges', policy, 'that many changes were made');
		}
		const place = isMoney ? 'total' : 'recipients';
		const limit = isMoney ? 'maxTotal' : 'maxRecipients';
		const before = BigInt(book[place]);
		if (isOver(limit, before + own)) {
			const text = isMoney ? amountText : countText;
			throw overLimit(limit, policy, `this call has ${text(own)} after ${text(before)}`);
		}
		book.changes++;
		book[place] = String(before + own);
		this.note(change);
		this.counted = own;
	}

	/** The request of an operation with several steps is only known now, so another call may have sent the same. */
	leaves(write: ApiRequest): void {
		this.note(requestFingerprint(write));
	}

	/** Takes the call out of the book, since nothing was sent. */
	uncount(): void {
		const { book, counted, isMoney } = this;
		if (!book || counted === undefined) return;
		const place = isMoney ? 'total' : 'recipients';
		book.changes--;
		book[place] = String(BigInt(book[place]) - counted);
		this.settleAs(undefined);
		this.counted = undefined;
	}

	/** Notes that the change went through. A dry run may be repeated. */
	settle(result: string, isDry: boolean): void {
		if (this.counted === undefined) return;
		this.settleAs(isDry ? undefined : { result });
	}

	/** @param outcome undefined for what stood there before */
	private settleAs(outcome: Done | undefined): void {
		const { book, noted } = this;
		if (!book) return;
		for (const [change, before] of noted) {
			const done = outcome ?? before;
			if (done) book.done[change] = done;
			else delete book.done[change];
		}
	}
}
