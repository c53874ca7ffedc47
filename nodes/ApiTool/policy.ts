// The policy of a toolkit: what its tools may do in one execution. n8n keeps it with the data of the execution, so it
// holds across calls, retries of the agent and a wait for approval.
import type { IExecuteFunctions } from 'n8n-workflow';

import { FieldFault } from '../engine/base/apiRequest';
import { hashOf, recordOf, sortedJson } from '../engine/base/data';
import { labelOf } from '../engine/form/fields';
import { isOfAmounts } from '../engine/form/operation';
import {
	amountText,
	countText,
	decimalOf,
	isLasting,
	type SendLimits,
} from '../engine/node/execute';
import type { Context, Offer } from './catalog';

/** A record of what the tools of a node did in one execution, as plain JSON. Sums are exact, so they're texts. */
export interface Book {
	calls: number;
	changes: number;
	total: string;
	recipients: string;
	/** Changes that were sent, by a hash of tool and arguments. The result is an ID. */
	done: Record<string, { inDoubt?: true; result?: string } | undefined>;
}

type Limit = 'maxAmount' | 'maxCalls' | 'maxChanges' | 'maxRecipients' | 'maxTotal';

/** Limits that need what n8n keeps with an execution. */
const PER_EXECUTION: Limit[] = ['maxCalls', 'maxChanges', 'maxRecipients', 'maxTotal'];

export type Policy = Partial<Record<Limit, number>> & { maxRows: number; onceOnly: boolean };

/** @throws FieldFault for a limit that isn't a number */
export function policyOf(context: Context): Policy {
	const limits = recordOf(context.getNodeParameter('limits', 0, {}));
	const wrong = Object.keys(limits).find((name) => !(Number(limits[name] ?? NaN) >= 0));
	if (wrong !== undefined) throw new FieldFault(`Limits: ${labelOf(wrong)}`, 'must be a number');
	const onceOnly = context.getNodeParameter('onceOnly', 0, true) !== false;
	return { ...limits, maxRows: Number(limits.maxRows ?? 10), onceOnly };
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
export class Held extends Error {}

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

/** One call under the policy: counted before it's sent, settled by its outcome. */
export class Guard implements SendLimits {
	private readonly book: Book | undefined;

	private readonly key: string;

	private readonly isMoney: boolean;

	/** Sum of this call. Undefined while nothing was sent. */
	private counted: bigint | undefined;

	/** @throws Held or FieldFault for a call that must not begin */
	constructor(
		context: Context,
		private readonly policy: Policy,
		{ name, changes, operation }: Offer,
		values: Record<string, unknown>,
	) {
		this.isMoney = isOfAmounts(operation.measure);
		const text = sortedJson([name, values]);
		this.key = changes ? hashOf(text) : '';
		if (!sharesCalls(context)) {
			checkPlace(context, policy, changes);
			return;
		}
		this.book = bookOf(context);
		if (this.book.calls >= (policy.maxCalls ?? Infinity)) {
			throw overLimit('maxCalls', policy, 'all calls are used up');
		}
		this.book.calls++;
		this.checkOnce();
	}

	/** @throws Held if this change was made before, or may have been */
	private checkOnce(): void {
		const { inDoubt, result } = this.book?.done[this.key] ?? {};
		// The same change in doubt is never sent again, even where it may be made twice.
		if (result === undefined ? !inDoubt : !this.policy.onceOnly) return;
		throw new Held(
			inDoubt
				? 'The same change was sent before and may have gone through, so it was not sent again. Look up whether it did, or ask the user.'
				: `This was done already${result ? `: ${result}` : ''}. It was not sent again. To do it a second time, ask the user.`,
		);
	}

	get measures(): boolean {
		const { maxAmount, maxRecipients, maxTotal } = this.policy;
		return (this.isMoney ? (maxTotal ?? maxAmount) : maxRecipients) !== undefined;
	}

	/** @param sums of the request that is about to be sent */
	count(sums: Map<number, bigint>): void {
		const { book, policy, isMoney, key } = this;
		const [own = 0n] = sums.values();
		const isOver = (name: Limit, sum: bigint) => sum > (decimalOf(policy[name]) ?? sum);
		if (isMoney && isOver('maxAmount', own)) {
			throw overLimit('maxAmount', policy, `this call has ${amountText(own)}`);
		}
		if (!book) return;
		// Another call of the same step may have been faster.
		this.checkOnce();
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
		book.done[key] = { inDoubt: true };
		this.counted = own;
	}

	/** Takes the call out of the book, since nothing was sent. */
	uncount(): void {
		const { book, counted, isMoney, key } = this;
		if (!book || counted === undefined) return;
		const place = isMoney ? 'total' : 'recipients';
		book.changes--;
		book[place] = String(BigInt(book[place]) - counted);
		delete book.done[key];
		this.counted = undefined;
	}

	/** Notes that the change went through. A dry run may be repeated. */
	settle(result: string, isDry: boolean): void {
		if (!this.book || this.counted === undefined) return;
		if (isDry) delete this.book.done[this.key];
		else this.book.done[this.key] = { result };
	}
}
