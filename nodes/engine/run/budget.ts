// What a node may send, by rows: the Safety Limits of a form and the limits of a toolkit are the same check.
import { FieldFault, type ApiRequest } from '../base/apiRequest';
import { isOfAmounts, type Measure } from '../form/operation';
import type { Limit } from '../form/safety';
import { amountText, countText, decimalOf, ONE } from './decimal';
import type { Ledger } from './ledger';
import type { Parameter } from './parameters';

export interface Counted {
	index: number;
	parameter: Parameter;
	request: ApiRequest;
}

/** Sums of items, and of the numbers in them (`Measure`). */
type Sums = Record<Limit['counts'], bigint>;

/** A limit that doesn't hold, scaled as `decimalOf` does. */
export interface Excess {
	limit: Limit;
	max: bigint;
	/** The item that goes beyond the limit. */
	index: number;
	/** The sum of this item. */
	own: bigint;
	/** The sum of what was sent earlier in the execution. */
	before: bigint;
	/** The sum of what was sent earlier and of all items of this run. */
	all: bigint;
	/** Number of items, with those sent earlier. */
	count: number;
	hasEarlier: boolean;
}

/** Formats what a limit counts: `18,430.00` of money, else `1,200`. */
export const textOf = ({ counts }: Limit, measure: Measure | undefined, sum: bigint): string =>
	counts === 'numbers' && isOfAmounts(measure) ? amountText(sum) : countText(sum);

/** Limits that a write has to pass before it's sent. */
export abstract class Budget {
	/** Of a toolkit: The Same Change Only Once is on. */
	readonly onceOnly?: boolean;

	/** @param limits those that are set. Of several that don't hold for an item, the first one is told */
	protected constructor(
		protected readonly measure: Measure | undefined,
		private readonly limits: Limit[],
	) {}

	/** True if a limit needs the numbers in the items, not only their count. */
	get measures(): boolean {
		return this.limits.some(({ counts }) => counts === 'numbers');
	}

	/** True if a limit adds up what the whole execution sends. */
	get addsUp(): boolean {
		return this.limits.some(({ scope }) => scope === 'execution');
	}

	/** The maximum for an item, by the name of the limit, scaled. */
	protected abstract maximaFor(item: Counted): Record<string, bigint | undefined>;

	protected abstract over(excess: Excess): Error;

	/** The error of a limit that is new in a Retry, so that what was sent before wasn't measured. */
	protected abstract unknown(limit: Limit): Error;

	/**
	 * Counts items in the ledger before they are sent.
	 * @param sums by item, scaled
	 * @param items none if an earlier try has sent them, since they're counted already
	 * @throws the error of a limit that doesn't hold
	 */
	count(sums: Map<number, bigint>, items: Counted[], ledger: Ledger): void {
		const spent = ledger.spent(sums);
		const sumsUp = this.limits.find(
			({ scope, counts }) => scope === 'execution' && counts === 'numbers',
		);
		if (sumsUp && spent.total === undefined && items.length > 0) throw this.unknown(sumsUp);
		const before: Sums = { items: BigInt(spent.items) * ONE, numbers: spent.total ?? 0n };
		const numbers = [...sums.values()].reduce((total, own) => total + own, before.numbers);
		const count = spent.items + sums.size;
		const all: Sums = { items: BigInt(count) * ONE, numbers };
		const total = { ...before };
		for (const item of items) {
			const own: Sums = { items: ONE, numbers: sums.get(item.index) ?? 0n };
			total.items += own.items;
			total.numbers += own.numbers;
			const maxima = this.maximaFor(item);
			// The first item beyond a limit decides which one the error names. The numbers in it are of all items.
			for (const limit of this.limits) {
				const { name, scope, counts } = limit;
				const max = maxima[name];
				if (max === undefined || (scope === 'item' ? own : total)[counts] <= max) continue;
				const sumsOf = { own: own[counts], before: before[counts], all: all[counts] };
				const { index } = item;
				throw this.over({ limit, max, index, ...sumsOf, count, hasEarlier: spent.items > 0 });
			}
		}
		ledger.count(sums, this.measures);
	}
}

/** The sum of the numbers of an item (`Measure.of`), scaled as `decimalOf` does. Throws FieldFault for any other value. */
export function sumOf(numbers: unknown[]): bigint {
	let sum = 0n;
	for (const each of numbers) {
		const number = decimalOf(each);
		if (number === undefined) {
			const fault =
				each === undefined
					? "isn't in what the API returned, so Safety Limits can't be checked. Look at the record"
					: `must be a number to be added up (got ${JSON.stringify(each)})`;
			throw new FieldFault('Amount', fault);
		}
		sum += number;
	}
	return sum;
}
