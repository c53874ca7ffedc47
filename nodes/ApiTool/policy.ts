// The policy of a toolkit: what its tools may do in one execution. What they did is in the ledger of the node, which n8n keeps
// with the data of the execution. So it holds across calls, retries of the agent and a wait for approval.
//
// What must never happen, whatever words a model finds for it: a limit is set and doesn't hold. One that can't be read, or
// can't hold here, is refused. That no change is made twice: engine/run/changes.ts.
import { FieldFault } from '../engine/base/apiRequest';
import { recordOf } from '../engine/base/data';
import { labelOf } from '../engine/form/fields';
import { isOfAmounts } from '../engine/form/operation';
import {
	amountText,
	bookOf,
	countText,
	decimalOf,
	isKept,
	type Counted,
	type Ledger,
	type SendLimits,
} from '../engine/node/execute';
import type { Context, Offer } from './catalog';

type Limit = 'maxAmount' | 'maxCalls' | 'maxChanges' | 'maxRecipients' | 'maxTotal';

/** Limits that need what n8n keeps with an execution. */
const PER_EXECUTION: Limit[] = ['maxCalls', 'maxChanges', 'maxRecipients', 'maxTotal'];

/** Max rows of one read, if the form sets none. */
const MAX_ROWS = 100;

export type Policy = Partial<Record<Limit, number>> & { maxRows: number; onceOnly: boolean };

/** Returns what is wrong with a limit. It's read with `decimalOf`, as `Guard` reads it. */
function faultOf(name: string, value: unknown): string | undefined {
	const limit = decimalOf(value);
	if (limit === undefined || limit < 0n) return 'must be a number';
	if (name !== 'maxRows') return undefined;
	const isCount = Number.isInteger(Number(value)) && limit > 0n;
	return isCount ? undefined : 'must be a whole number of 1 or more';
}

/** @throws FieldFault for a limit that can't be read: it wouldn't hold */
export function policyOf(context: Context): Policy {
	const limits = recordOf(context.getNodeParameter('limits', 0, {}));
	for (const [name, value] of Object.entries(limits)) {
		const fault = faultOf(name, value);
		if (fault) throw new FieldFault(`Limits: ${labelOf(name)}`, fault);
	}
	const onceOnly = context.getNodeParameter('onceOnly', 0, true) !== false;
	return { ...limits, maxRows: Number(limits.maxRows ?? MAX_ROWS), onceOnly };
}

/** True in n8n's own Agents, which keep nothing, and take no toolkit. */
export const isOwnAgent = (context: Context): boolean => context.getMode() === 'internal';

/** A call that the policy doesn't let through. The message is for the model. */
class Held extends Error {}

const overLimit = (name: Limit, policy: Policy, found: string): Held =>
	new Held(
		`${labelOf(name)} of this tool is ${policy[name]}, and ${found}. Nothing was sent. Don't try again, tell the user.`,
	);

const UNKNOWN = "it isn't known how much this execution has sent before";

/** @throws FieldFault if a rule can't hold where n8n keeps nothing: better no call than one without its limit */
function checkPlace(context: Context, policy: Policy, changes: boolean): void {
	// Of these limits, only Max Calls is about reads, too.
	const applies = (name: Limit) => policy[name] !== undefined && (changes || name === 'maxCalls');
	const rules = PER_EXECUTION.filter(applies).map(labelOf);
	// Behind the MCP Server Trigger n8n's store knows the calls of some minutes.
	if (policy.onceOnly && changes && isOwnAgent(context)) rules.push('The Same Change Only Once');
	if (rules.length === 0) return;
	const where = isOwnAgent(context) ? "in n8n's own Agents" : 'behind the MCP Server Trigger';
	throw new FieldFault(
		rules.join(', '),
		`can't hold ${where}, since each call is an execution of its own. Nothing was sent. Tell the user to turn it off in Platform Tools, and to use Max Amount and an approval`,
	);
}

/**
 * Counts a call in the book of the node, also one with wrong arguments. Where n8n keeps no book, it's only checked.
 * @throws Held if all calls are used up, FieldFault if a rule can't hold here
 */
export function countCall(context: Context, policy: Policy, { changes, operation }: Offer): void {
	if (!isKept(context)) return checkPlace(context, policy, changes);
	const book = bookOf(context, operation.endpoint.api);
	const { calls = 0 } = book;
	if (calls >= (policy.maxCalls ?? Infinity)) {
		throw overLimit('maxCalls', policy, 'all calls are used up');
	}
	book.calls = calls + 1;
}

/** The limits of a change. */
export class Guard implements SendLimits {
	private readonly isMoney: boolean;

	/** It counts things that no limit of a toolkit is about. */
	private readonly isOther: boolean;

	constructor(
		private readonly context: Context,
		private readonly policy: Policy,
		{ operation }: Offer,
	) {
		this.isMoney = isOfAmounts(operation.measure);
		const { noun = 'recipients' } = operation.measure ?? {};
		this.isOther = noun !== 'recipients';
	}

	get onceOnly(): boolean {
		return this.policy.onceOnly;
	}

	get measures(): boolean {
		const { maxAmount, maxRecipients, maxTotal } = this.policy;
		if (this.isOther) return false;
		return (this.isMoney ? (maxTotal ?? maxAmount) : maxRecipients) !== undefined;
	}

	/**
	 * Counts the request that is about to be sent.
	 * @param sums its amount or recipients
	 * @param items without any if an earlier try has sent it: then it's counted already
	 * @throws Held for a call that goes over a limit
	 */
	count(sums: Map<number, bigint>, items: Counted[], ledger: Ledger): void {
		const { policy, isMoney, measures } = this;
		const [own = 0n] = sums.values();
		const isOver = (name: Limit, sum: bigint) => {
			const limit = decimalOf(policy[name]);
			return limit !== undefined && sum > limit;
		};
		if (isMoney && isOver('maxAmount', own)) {
			throw overLimit('maxAmount', policy, `this call has ${amountText(own)}`);
		}
		// Where n8n keeps nothing, `countCall` has refused limits of an execution.
		if (items.length === 0 || !isKept(this.context)) return;
		const { items: changes, total: before } = ledger.spent(sums);
		if (changes >= (policy.maxChanges ?? Infinity)) {
			throw overLimit('maxChanges', policy, 'that many changes were made');
		}
		// A change that has neither amount nor recipients has the sum 0.
		const limit = isMoney ? 'maxTotal' : 'maxRecipients';
		if (this.isOther) return ledger.count(sums, measures);
		if (before === undefined) {
			// The limit is new in n8n's Retry, and what was sent before wasn't measured.
			if (policy[limit] !== undefined) throw overLimit(limit, policy, UNKNOWN);
		} else if (isOver(limit, before + own)) {
			const text = isMoney ? amountText : countText;
			throw overLimit(limit, policy, `this call has ${text(own)} after ${text(before)}`);
		}
		ledger.count(sums, measures);
	}
}
