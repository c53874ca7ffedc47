// The policy of a toolkit: what its tools may do in one execution. The ledger of the node, which n8n keeps with the execution,
// has what they did, so it holds across calls, retries of the agent and a wait for approval.
//
// Whatever words a model finds, a limit that is set must hold. A limit that can't be read, or can't hold here, is refused. That
// no change is made twice: engine/run/changes.ts.
import { FieldFault } from '../engine/base/apiRequest';
import { recordOf } from '../engine/base/data';
import { labelOf } from '../engine/form/fields';
import { isOfAmounts } from '../engine/form/operation';
import type { Limit } from '../engine/form/safety';
import { Budget, textOf, type Excess } from '../engine/run/budget';
import { decimalOf } from '../engine/run/decimal';
import { bookOf, isKept } from '../engine/run/ledger';
import type { Context, Offer } from './catalog';

type LimitName = 'maxAmount' | 'maxCalls' | 'maxChanges' | 'maxRecipients' | 'maxTotal';

/** A limit on changes. `of`: what it's about, such as recipients. Undefined for all. */
type ToolLimit = Limit & { name: LimitName; of?: string };

const limit = (
	name: LimitName,
	scope: Limit['scope'],
	counts: Limit['counts'],
	of?: string,
): ToolLimit => ({ name, label: labelOf(name), scope, counts, of });

const limits = [
	limit('maxAmount', 'item', 'numbers', 'amount'),
	limit('maxChanges', 'execution', 'items'),
	limit('maxRecipients', 'execution', 'numbers', 'recipients'),
	limit('maxTotal', 'execution', 'numbers', 'amount'),
];

/** Limits that need what n8n keeps with an execution. */
const PER_EXECUTION: LimitName[] = [
	'maxCalls',
	...limits.filter(({ scope }) => scope === 'execution').map(({ name }) => name),
];

/** Max rows of one read, if the form sets none. */
const MAX_ROWS = 100;

export type Policy = Partial<Record<LimitName, number>> & { maxRows: number; onceOnly: boolean };

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

const overLimit = (name: LimitName, policy: Policy, found: string): Held =>
	new Held(
		`${labelOf(name)} of this tool is ${policy[name]}, and ${found}. Nothing was sent. Don't try again, tell the user.`,
	);

/** @throws FieldFault if a rule can't hold where n8n keeps nothing: better no call than one without its limit */
function checkPlace(context: Context, policy: Policy, changes: boolean): void {
	// Of these limits, only Max Calls is about reads, too.
	const applies = (name: LimitName) =>
		policy[name] !== undefined && (changes || name === 'maxCalls');
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

/** Counts a call in the book of the node, if n8n keeps one, even a wrong call. Throws Held, or FieldFault (`checkPlace`). */
export function countCall(context: Context, policy: Policy, { changes, operation }: Offer): void {
	if (!isKept(context)) return checkPlace(context, policy, changes);
	const book = bookOf(context, operation.endpoint.api);
	const { calls = 0 } = book;
	if (calls >= (policy.maxCalls ?? Infinity)) {
		throw overLimit('maxCalls', policy, 'all calls are used up');
	}
	book.calls = calls + 1;
}

/** The limits of a change, which the tools of a node share. */
export class Guard extends Budget {
	/** The Same Change Only Once is on. */
	readonly onceOnly: boolean;

	private readonly maxima: Record<string, bigint | undefined>;

	constructor(
		context: Context,
		private readonly policy: Policy,
		{ operation }: Offer,
	) {
		const { measure } = operation;
		const kind = isOfAmounts(measure) ? 'amount' : measure?.noun;
		// Where n8n keeps nothing, `countCall` has refused limits of an execution.
		const holds = ({ name, scope, of }: ToolLimit) =>
			policy[name] !== undefined &&
			(of === undefined || of === kind) &&
			(scope === 'item' || isKept(context));
		super(measure, limits.filter(holds));
		this.onceOnly = policy.onceOnly;
		this.maxima = Object.fromEntries(limits.map(({ name }) => [name, decimalOf(policy[name])]));
	}

	protected maximaFor(): Record<string, bigint | undefined> {
		return this.maxima;
	}

	protected over({ limit, own, before }: Excess): Error {
		const { measure } = this;
		if (limit.counts === 'items') return this.held(limit, 'that many changes were made');
		const after = limit.scope === 'item' ? '' : ` after ${textOf(limit, measure, before)}`;
		return this.held(limit, `this call has ${textOf(limit, measure, own)}${after}`);
	}

	protected unknown(limit: Limit): Error {
		return this.held(limit, "it isn't known how much this execution has sent before");
	}

	private held({ name }: Limit, found: string): Error {
		return overLimit(name as LimitName, this.policy, found);
	}
}
