// Safety Limits of one execution, checked for all items before the first one is sent.
import { NodeOperationError, type IDataObject, type IExecuteFunctions } from 'n8n-workflow';

import { FieldFault } from '../base/apiRequest';
import { recordOf } from '../base/data';
import { withoutParameters } from '../client/http/errorContext';
import { recordLabel } from '../form/fields';
import { hasLimitFields, isOfAmounts, type Measure, type Operation } from '../form/operation';
import { totalLabel } from '../form/safety';
import { amountText, countText, decimalOf, ONE } from './decimal';
import { isLasting, type Ledger } from './ledger';
import type { Parameter } from './parameters';
import type { Counted, SendLimits } from './session';

/** Reads a limit, scaled; undefined if it isn't in the form. Refuses an expression that gives nothing: it would be no limit. */
function limitIn(limits: IDataObject, name: string, label: string): bigint | undefined {
	if (!(name in limits)) return undefined;
	const limit = decimalOf(limits[name]);
	if (limit !== undefined && limit > 0n) return limit;
	throw new FieldFault(`Safety Limits: ${label}`, 'must be a number above 0');
}

/** Limits of the form, scaled. */
interface Limits {
	maxItems?: bigint;
	maxAmount?: bigint;
	maxTotal?: bigint;
}

export class SafetyLimits implements SendLimits {
	private constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
		private readonly first: Limits,
		private readonly nameOf: (index: number) => string,
	) {}

	private get measure(): Measure | undefined {
		return this.operation.measure;
	}

	/** Name of an item in errors. Where its things are counted, the record in the path, such as `task`, else `item`. */
	private get noun(): string {
		const record = this.measure?.noun && this.operation.endpoint.pathParameters.at(-1);
		return record ? recordLabel(record).toLowerCase() : 'item';
	}

	/**
	 * Reads the limits of the first item.
	 * @param nameOf names an item in errors
	 * @returns undefined if none is set
	 * @throws FieldFault for an invalid limit, or one that can't hold where n8n keeps nothing between calls
	 */
	static of(
		context: IExecuteFunctions,
		operation: Operation,
		nameOf: (index: number) => string,
	): SafetyLimits | undefined {
		const given = recordOf(context.getNodeParameter('safetyLimits', 0, {}));
		if (Object.keys(given).length === 0 || !hasLimitFields(operation)) return undefined;
		const { measure } = operation;
		const first = limitsIn(given, measure);
		const limits = new SafetyLimits(context, operation, first, nameOf);
		if (!limits.addsUp && first.maxAmount === undefined) return undefined;
		if (limits.addsUp && !isLasting(context)) {
			const label = first.maxItems === undefined ? totalLabel(measure) : 'Max Items';
			throw new FieldFault(
				`Safety Limits: ${label}`,
				`can't hold here, because n8n keeps nothing between the calls of its own Agents${isOfAmounts(measure) ? '. Use Max Amount' : ''}`,
			);
		}
		return limits;
	}

	/** Unlike Max Amount, a limit adds up what the whole execution sends. */
	get addsUp(): boolean {
		const { maxItems, maxTotal } = this.first;
		return (maxItems ?? maxTotal) !== undefined;
	}

	/** A limit needs the numbers in the items, not only their count. */
	get measures(): boolean {
		return this.first.maxAmount !== undefined || this.first.maxTotal !== undefined;
	}

	/**
	 * Counts items in the ledger before they are sent.
	 * @param sums by item, scaled
	 * @throws NodeOperationError that names the limit, and for Max Amount the item. FieldFault for a limit that isn't the same
	 *   for all items, or that can't be kept to
	 */
	count(sums: Map<number, bigint>, items: Counted[], ledger: Ledger): void {
		const spent = ledger.spent(sums);
		const { maxItems, maxTotal } = this.first;
		const text = isOfAmounts(this.measure) ? amountText : countText;
		const { total: before = 0n } = spent;
		// The limit is new in a Retry, and what was sent before wasn't measured.
		if (maxTotal !== undefined && spent.total === undefined && items.length > 0) {
			const fault =
				"can't be kept to, because it isn't known how much this execution has sent before. Run the rest in a new execution, or take the limit out";
			throw new FieldFault(`Safety Limits: ${totalLabel(this.measure)}`, fault);
		}
		// The first item beyond a limit decides which one the error names. The numbers in it are of all items.
		const all = [...sums].reduce((total, [, own]) => total + own, before);
		const count = spent.items + sums.size;
		let total = before;
		let number = spent.items;
		for (const { index, parameter } of items) {
			const own = sums.get(index) ?? 0n;
			const { maxAmount } = this.limitsOf(parameter);
			total += own;
			number++;
			if (maxAmount !== undefined && own > maxAmount) {
				const found = `The amount is ${text(own)} in ${this.nameOf(index)}`;
				throw this.over(found, `Max Amount is ${text(maxAmount)}`, index);
			}
			const earlier = spent.items > 0 ? ', with those sent earlier' : '';
			if (maxItems !== undefined && BigInt(number) * ONE > maxItems) {
				const found = `This execution has ${count} items${earlier}`;
				throw this.over(found, `Max Items is ${countText(maxItems)}`);
			}
			if (maxTotal !== undefined && total > maxTotal) {
				const which = count === 1 ? `This ${this.noun} has` : `The ${count} ${this.noun}s have`;
				const what = this.measure?.noun ?? 'in total';
				const found = `${which} ${text(all)} ${what}${earlier}`;
				throw this.over(found, `${totalLabel(this.measure)} is ${text(maxTotal)}`);
			}
		}
		ledger.count(sums, this.measures);
	}

	/** Reads the limits for one item. Refuses other ones than for the first item, except Max Amount, which is about one item. */
	private limitsOf(parameter: Parameter): Limits {
		const own = limitsIn(parameter('safetyLimits'), this.measure);
		const isSameCount = own.maxItems === this.first.maxItems;
		if (isSameCount && own.maxTotal === this.first.maxTotal) return own;
		const label = isSameCount ? totalLabel(this.measure) : 'Max Items';
		throw new FieldFault(
			`Safety Limits: ${label}`,
			'must be the same for all items, because it counts all of them',
		);
	}

	/** The error of a limit. n8n names the item of `itemIndex` in it, so it's left out for a limit on all items together. */
	private over(found: string, limit: string, itemIndex?: number): Error {
		return new NodeOperationError(
			withoutParameters(this.context.getNode()),
			`${found}, ${limit} (Safety Limits). Nothing was sent.`,
			{ itemIndex },
		);
	}
}

/** @throws FieldFault for a limit that is in the form but isn't a number above 0 */
function limitsIn(value: unknown, measure: Measure | undefined): Limits {
	const limits = recordOf(value);
	return {
		maxItems: limitIn(limits, 'maxItems', 'Max Items'),
		maxAmount: limitIn(limits, 'maxAmount', 'Max Amount'),
		maxTotal: limitIn(limits, 'maxTotal', totalLabel(measure)),
	};
}

/**
 * Adds up the numbers of an item (`Measure.of`).
 * @returns the sum, scaled as `decimalOf` does
 * @throws FieldFault for anything that isn't a number
 */
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
