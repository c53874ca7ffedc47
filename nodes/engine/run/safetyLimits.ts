// Safety Limits of one execution, checked for all items before the first one is sent.
import { NodeOperationError, type IExecuteFunctions } from 'n8n-workflow';

import { FieldFault } from '../base/apiRequest';
import { recordOf } from '../base/data';
import { withoutParameters } from '../client/http/errorContext';
import { recordLabel } from '../form/fields';
import { hasLimitFields, isOfAmounts, type Operation } from '../form/operation';
import { safetyLimits, type Limit } from '../form/safety';
import { Budget, textOf, type Counted, type Excess } from './budget';
import { decimalOf } from './decimal';
import { isLasting } from './ledger';

type Maxima = Record<string, bigint | undefined>;

/** The limits of the form, scaled. Throws FieldFault unless above 0: an expression that gives nothing would be no limit. */
function maximaIn(value: unknown, limits: Limit[]): Maxima {
	const given = recordOf(value);
	const set = limits.filter(({ name }) => name in given);
	return Object.fromEntries(
		set.map(({ name, label }) => {
			const max = decimalOf(given[name]);
			if (max !== undefined && max > 0n) return [name, max];
			throw new FieldFault(`Safety Limits: ${label}`, 'must be a number above 0');
		}),
	);
}

export class SafetyLimits extends Budget {
	private constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
		/** All limits of the form, and the maxima that the first item sets. */
		private readonly given: { all: Limit[]; first: Maxima },
		private readonly nameOf: (index: number) => string,
	) {
		super(
			operation.measure,
			given.all.filter(({ name }) => given.first[name] !== undefined),
		);
	}

	/** The first item's limits, undefined without any. Throws FieldFault if invalid, or if n8n keeps nothing to sum up by. */
	static of(
		context: IExecuteFunctions,
		operation: Operation,
		nameOf: (index: number) => string,
	): SafetyLimits | undefined {
		const { measure } = operation;
		const given = recordOf(context.getNodeParameter('safetyLimits', 0, {}));
		if (Object.keys(given).length === 0 || !hasLimitFields(operation)) return undefined;
		const all = safetyLimits(measure);
		const first = maximaIn(given, all);
		const set = all.filter(({ name }) => first[name] !== undefined);
		if (set.length === 0) return undefined;
		const adding = set.find(({ scope }) => scope === 'execution');
		if (adding && !isLasting(context)) {
			throw new FieldFault(
				`Safety Limits: ${adding.label}`,
				`can't hold here, because n8n keeps nothing between the calls of its own Agents${isOfAmounts(measure) ? '. Use Max Amount' : ''}`,
			);
		}
		return new SafetyLimits(context, operation, { all, first }, nameOf);
	}

	/** Refuses other limits than for the first item, except those about one item. */
	protected maximaFor({ parameter }: Counted): Maxima {
		const { all, first } = this.given;
		const own = maximaIn(parameter('safetyLimits'), all);
		const other = all.find(({ name, scope }) => scope === 'execution' && own[name] !== first[name]);
		if (!other) return own;
		throw new FieldFault(
			`Safety Limits: ${other.label}`,
			'must be the same for all items, because it counts all of them',
		);
	}

	/** The error of a limit. n8n names the item of `itemIndex` in the message, so a limit on all items together has none. */
	protected over(excess: Excess): Error {
		const { limit, index } = excess;
		const max = textOf(limit, this.measure, excess.max);
		return new NodeOperationError(
			withoutParameters(this.context.getNode()),
			`${this.found(excess)}, ${limit.label} is ${max} (Safety Limits). Nothing was sent.`,
			limit.scope === 'item' ? { itemIndex: index } : {},
		);
	}

	private found({ limit, index, own, all, count, hasEarlier }: Excess): string {
		const { measure } = this;
		const earlier = hasEarlier ? ', with those sent earlier' : '';
		if (limit.scope === 'item') {
			return `The amount is ${textOf(limit, measure, own)} in ${this.nameOf(index)}`;
		}
		if (limit.counts === 'items') return `This execution has ${count} items${earlier}`;
		const which = count === 1 ? `This ${this.noun} has` : `The ${count} ${this.noun}s have`;
		return `${which} ${textOf(limit, measure, all)} ${measure?.noun ?? 'in total'}${earlier}`;
	}

	/** Noun for an item in errors. Where its things are counted, the record in the path, such as `task`, else `item`. */
	private get noun(): string {
		const record = this.measure?.noun && this.operation.endpoint.pathParameters.at(-1);
		return record ? recordLabel(record).toLowerCase() : 'item';
	}

	protected unknown({ label }: Limit): Error {
		return new FieldFault(
			`Safety Limits: ${label}`,
			"can't be kept to, because it isn't known how much this execution has sent before. Run the rest in a new execution, or take the limit out",
		);
	}
}
