// Safety Limits of one execution, checked for all items before the first one is sent.
import { NodeOperationError, type IDataObject, type IExecuteFunctions } from 'n8n-workflow';

import { FieldFault, recordOf, type Operation } from '../operation';
import { amountText, countText, decimalOf, ONE } from './decimal';

/** Items that a node has sent, or is about to send, in one execution. */
interface Spent {
	items: number;
	total: bigint;
}

/** By execution and node, since a loop or an agent runs a node several times. */
const spentIn = new Map<string, Spent>();

/** Max size of `spentIn`. */
const EXECUTIONS = 1_000;

function spentOf(context: IExecuteFunctions): Spent {
	const key = `${context.getExecutionId()} ${context.getNode().id}`;
	const spent = spentIn.get(key) ?? { items: 0, total: 0n };
	spentIn.delete(key);
	spentIn.set(key, spent);
	const [oldest] = spentIn.keys();
	if (spentIn.size > EXECUTIONS) spentIn.delete(oldest);
	return spent;
}

/** Reads a limit; undefined if it isn't set. */
function limitIn(limits: IDataObject, name: string, label: string): bigint | undefined {
	const value = limits[name];
	if (value === undefined) return undefined;
	const limit = decimalOf(value);
	if (limit !== undefined && limit > 0n) return limit;
	throw new FieldFault(`Safety Limits: ${label}`, 'must be a number above 0');
}

export class SafetyLimits {
	private readonly spent: Spent;

	/** Sums by item. */
	private readonly counted = new Map<number, bigint>();

	private constructor(
		private readonly context: IExecuteFunctions,
		private readonly text: (sum: bigint) => string,
		private readonly maxItems: bigint | undefined,
		private readonly maxAmount: bigint | undefined,
		private readonly maxTotal: { label: string; limit: bigint } | undefined,
	) {
		this.spent = spentOf(context);
	}

	/**
	 * Reads the limits, for the first item.
	 * @returns undefined if none is set
	 * @throws FieldFault for an invalid limit
	 */
	static of(context: IExecuteFunctions, operation: Operation): SafetyLimits | undefined {
		if (!operation.sequential) return undefined;
		const limits = recordOf(context.getNodeParameter('safetyLimits', 0, {}));
		const isAmount = operation.measure?.what === 'amount';
		const label = isAmount ? 'Max Total' : 'Max Recipients';
		const items = limitIn(limits, 'maxItems', 'Max Items');
		const amount = limitIn(limits, 'maxAmount', 'Max Amount');
		const total = limitIn(limits, 'maxTotal', label);
		if ((items ?? amount ?? total) === undefined) return undefined;
		const maxTotal = total === undefined ? undefined : { label, limit: total };
		return new SafetyLimits(context, isAmount ? amountText : countText, items, amount, maxTotal);
	}

	/** A limit needs the numbers in the items, not only their count. */
	get measures(): boolean {
		return this.maxAmount !== undefined || this.maxTotal !== undefined;
	}

	/**
	 * Counts items before they are sent.
	 * @param sums by item
	 * @throws NodeOperationError that names the limit and the item that exceeds it
	 */
	count(sums: Map<number, bigint>): void {
		const { spent, maxItems, maxAmount, maxTotal, text } = this;
		const all = [...sums].reduce((total, [, own]) => total + own, spent.total);
		let total = spent.total;
		let items = spent.items;
		for (const [index, own] of sums) {
			total += own;
			items++;
			if (maxAmount !== undefined && own > maxAmount) {
				throw this.over(index, `item ${index} has ${text(own)}`, 'Max Amount', text(maxAmount));
			}
			if (maxItems !== undefined && BigInt(items) * ONE > maxItems) {
				const count = `this execution has ${spent.items + sums.size} items`;
				throw this.over(index, count, 'Max Items', countText(maxItems));
			}
			if (maxTotal && total > maxTotal.limit) {
				const sum = `the total of ${spent.items + sums.size} items is ${text(all)}`;
				throw this.over(index, sum, maxTotal.label, text(maxTotal.limit));
			}
		}
		for (const [index, own] of sums) this.counted.set(index, own);
		spent.items = items;
		spent.total = total;
	}

	/** Takes an item that wasn't sent out of the count. */
	release(index: number): void {
		const own = this.counted.get(index);
		if (own === undefined) return;
		this.counted.delete(index);
		this.spent.items--;
		this.spent.total -= own;
	}

	private over(itemIndex: number, found: string, label: string, limit: string): Error {
		const earlier = this.spent.items > 0 ? ', with those sent earlier in this execution' : '';
		return new NodeOperationError(
			{ ...this.context.getNode(), parameters: {} },
			`Safety Limits: ${found}${earlier}. ${label} is ${limit}, and item ${itemIndex} goes over it. Nothing was sent.`,
			{ itemIndex },
		);
	}
}

/**
 * Adds up the numbers in a request.
 * @throws FieldFault for anything that isn't a number
 */
export function sumOf(numbers: unknown[]): bigint {
	return numbers.reduce((sum: bigint, each) => {
		const own = decimalOf(each);
		if (own === undefined) {
			throw new FieldFault('Safety Limits', `must be a number (got ${JSON.stringify(each)})`);
		}
		return sum + own;
	}, 0n);
}
