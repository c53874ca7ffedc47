// The policy of a toolkit: what its tools may do in one execution. It's kept in n8n's data of the execution, so
// it holds across calls, retries of the agent and a wait for approval.
import { createHash } from 'node:crypto';
import type { IExecuteFunctions, ISupplyDataFunctions } from 'n8n-workflow';

import { amountText, decimalOf, type SendLimits } from '../shared/execute';
import { FieldFault } from '../shared/operation';
import type { Offer } from './catalog';

export type Context = IExecuteFunctions | ISupplyDataFunctions;

/** A change that was sent. It's in doubt until its response is known. */
interface Done {
	inDoubt?: true;
	/** What the response says of it, such as the ID of the record. */
	result?: string;
}

/** What the tools of a node did in one execution, as plain JSON. Sums are texts, since they are exact. */
export interface Book {
	calls: number;
	changes: number;
	total: string;
	recipients: string;
	/** Changes by a hash of tool and arguments. */
	done: Record<string, Done | undefined>;
}

export interface Policy {
	maxRows: number;
	maxCalls?: number;
	maxChanges?: number;
	maxAmount?: number;
	maxTotal?: number;
	maxRecipients?: number;
	onceOnly: boolean;
}

/** Labels of the fields, for what a model is told. */
const labels = {
	maxAmount: 'Max Amount',
	maxCalls: 'Max Calls',
	maxChanges: 'Max Changes',
	maxRecipients: 'Max Recipients',
	maxTotal: 'Max Total',
} as const;

/** Books of executions whose data n8n doesn't keep, by execution and node. */
const books = new Map<string, Book>();

/** Max size of `books`. */
const EXECUTIONS = 1_000;

const emptyBook = (): Book => ({ calls: 0, changes: 0, total: '0', recipients: '0', done: {} });

/** True if n8n knows which calls belong together: not for an MCP client, and not in n8n's own Agents. */
export const isLasting = (context: Context): boolean =>
	context.getMode() !== 'internal' &&
	Boolean(context.getExecutionId()) &&
	Boolean(context.getWorkflow().id);

/** The data that n8n keeps with the execution; a map of this process if it keeps none. */
function dataOf(context: Context): { book?: Book } {
	try {
		return (context as Pick<IExecuteFunctions, 'getContext'>).getContext('node');
	} catch {
		const key = `${context.getExecutionId()} ${context.getNode().id}`;
		const book = books.get(key) ?? emptyBook();
		books.set(key, book);
		const [oldest] = books.keys();
		if (books.size > EXECUTIONS) books.delete(oldest);
		return { book };
	}
}

/** The book of this node in this execution. */
export function bookOf(context: Context): Book {
	const data = dataOf(context);
	data.book ??= emptyBook();
	return data.book;
}

/** A call that the policy doesn't let through. The message is for the model. */
export class Held extends Error {}

const overLimit = (label: keyof typeof labels, limit: unknown, found: string): Held =>
	new Held(
		`${labels[label]} of this tool is ${limit}, and ${found}. Nothing was sent. Don't try again, tell the user.`,
	);

/** @throws FieldFault if a rule can't hold here: better no call than one without its limit */
function checkPlace(context: Context, policy: Policy, changes: boolean): void {
	if (isLasting(context)) return;
	const rules = (['maxCalls', 'maxChanges', 'maxRecipients', 'maxTotal'] as const).filter(
		(name) => policy[name] !== undefined && (changes || name === 'maxCalls'),
	);
	const unkept = [
		...rules.map((name) => labels[name]),
		...(policy.onceOnly && changes ? ['The Same Change Only Once'] : []),
	];
	if (unkept.length === 0) return;
	const where =
		context.getMode() === 'internal' ? "in n8n's own Agents" : 'behind the MCP Server Trigger';
	throw new FieldFault(
		unkept.join(', '),
		`can't hold ${where}, since each call is an execution of its own. The owner of the workflow can turn it off and use Max Amount and an approval instead. Nothing was sent`,
	);
}

const sorted = (value: unknown): unknown => {
	if (Array.isArray(value)) return value.map(sorted);
	if (typeof value !== 'object' || value === null) return value;
	const entries = Object.entries(value).filter(([, each]) => each !== undefined);
	return Object.fromEntries(entries.sort().map(([name, each]) => [name, sorted(each)]));
};

/** One call under the policy: counted before it's sent, settled by its outcome. */
export class Guard implements SendLimits {
	private readonly book: Book | undefined;

	private readonly key: string;

	/** What was counted for this call. Undefined while nothing was sent. */
	private counted: bigint | undefined;

	/** @throws Held or FieldFault for a call that must not begin */
	constructor(
		context: Context,
		private readonly policy: Policy,
		private readonly offer: Offer,
		values: Record<string, unknown>,
	) {
		checkPlace(context, policy, offer.changes);
		const text = JSON.stringify([offer.name, sorted(values)]);
		this.key = createHash('sha256').update(text).digest('base64url');
		if (!isLasting(context)) return;
		this.book = bookOf(context);
		const { book } = this;
		if (policy.maxCalls !== undefined && book.calls >= policy.maxCalls) {
			throw overLimit('maxCalls', policy.maxCalls, 'all calls are used up');
		}
		book.calls++;
		this.checkOnce();
	}

	/** @throws Held if this change was made before, or may have been */
	private checkOnce(): void {
		const { book, key, policy, offer } = this;
		const before = policy.onceOnly && offer.changes ? book?.done[key] : undefined;
		if (!before) return;
		throw new Held(
			before.inDoubt
				? 'The same change was sent before and may have gone through, so it was not sent again. Look up whether it did, or ask the user.'
				: `This was done already${before.result ? `: ${before.result}` : ''}. It was not sent again. To do it a second time, ask the user.`,
		);
	}

	private get isMoney(): boolean {
		return this.offer.operation.measure?.what === 'amount';
	}

	private get limit(): 'maxTotal' | 'maxRecipients' {
		return this.isMoney ? 'maxTotal' : 'maxRecipients';
	}

	get measures(): boolean {
		const { policy, limit, isMoney } = this;
		return policy[limit] !== undefined || (isMoney && policy.maxAmount !== undefined);
	}

	/** Called with the sum of the request before it's sent. */
	count(sums: Map<number, bigint>): void {
		const { book, policy, limit, isMoney, key } = this;
		const [own = 0n] = sums.values();
		const most = (name: keyof typeof labels) => decimalOf(policy[name] ?? Infinity);
		const amount = most('maxAmount');
		if (isMoney && amount !== undefined && own > amount) {
			throw overLimit('maxAmount', policy.maxAmount, `this call has ${amountText(own)}`);
		}
		if (!book) return;
		// Another call of the same step may have been faster.
		this.checkOnce();
		if (policy.maxChanges !== undefined && book.changes >= policy.maxChanges) {
			throw overLimit('maxChanges', policy.maxChanges, 'that many changes were made');
		}
		const place = isMoney ? 'total' : 'recipients';
		const sum = BigInt(book[place]) + own;
		const total = most(limit);
		if (total !== undefined && sum > total) {
			const before = amountText(BigInt(book[place]));
			const found = `this call has ${amountText(own)} after ${before}`;
			throw overLimit(limit, policy[limit], found);
		}
		book.changes++;
		book[place] = String(sum);
		book.done[key] = { inDoubt: true };
		this.counted = own;
	}

	/** Called if it turns out that nothing was sent. */
	release(): void {
		const { book, counted, isMoney, key } = this;
		if (!book || counted === undefined) return;
		const place = isMoney ? 'total' : 'recipients';
		book.changes--;
		book[place] = String(BigInt(book[place]) - counted);
		delete book.done[key];
		this.counted = undefined;
	}

	/** Called when the change went through. A dry run may be repeated. */
	settle(result: string, isDry: boolean): void {
		const { book, counted, key } = this;
		if (!book || counted === undefined) return;
		if (isDry) delete book.done[key];
		else book.done[key] = { result };
	}
}
