// Fields of Safety Limits and Idempotency Key.
import type { IDataObject } from 'n8n-workflow';

import { isUnset, recordOf } from '../base/data';
import { KEY_FIELD } from '../base/itemName';
import { collection, labelOf, number, text, toggle, type Collection, type Field } from './fields';
import {
	hasLimitFields,
	hasLimits,
	isOfAmounts,
	takesKey,
	type Measure,
	type Operation,
} from './operation';

export interface Limit {
	name: string;
	label: string;
	/** The limit holds for each item alone, or for all that the execution sends. */
	scope: 'item' | 'execution';
	/** The limit adds up items, or the numbers in them (`Measure`). */
	counts: 'items' | 'numbers';
}

/** All Safety Limits, by what an operation measures (items, things such as users, or money), with the fields of its form. */
export function safetyLimits(measure: Measure | undefined): Array<Limit & { field?: Field }> {
	const { noun, counts } = measure ?? {};
	const isMoney = isOfAmounts(measure);
	const counted = counts && `Counts ${counts}`;
	const limit = (
		name: string,
		row: Pick<Limit, 'scope' | 'counts'> & { label?: string; hasField: boolean },
		description: string,
	) => {
		const { label = labelOf(name), hasField, ...about } = row;
		const isCount = about.counts === 'items' || noun !== undefined;
		const field = number({
			displayName: label,
			name,
			typeOptions: { minValue: isCount ? 1 : 0 },
			...(isCount && { default: 100 }),
			description,
		});
		return { name, label, ...about, field: hasField ? field : undefined };
	};
	return [
		limit(
			'maxAmount',
			{ scope: 'item', counts: 'numbers', hasField: isMoney },
			counted ?? 'Max for one item, in the unit of its amounts',
		),
		limit(
			'maxItems',
			// An unchanged record doesn't count, so the number of items says nothing.
			{ scope: 'execution', counts: 'items', hasField: isMoney || !counts },
			'Max for one execution',
		),
		limit(
			'maxTotal',
			{
				label: noun ? `Max ${labelOf(noun)}` : 'Max Total',
				scope: 'execution',
				counts: 'numbers',
				hasField: measure !== undefined,
			},
			counted ??
				(noun
					? 'Max for one execution, by the number that the API gives'
					: 'Max sum of one execution'),
		),
	];
}

/** The limits aren't sent: run/safetyLimits.ts reads them. */
export function safetyLimitsOf(operation: Operation): Collection[] {
	const { measure } = operation;
	if (!hasLimitFields(operation)) return [];
	return [
		{
			...collection(
				'safetyLimits',
				'limit',
			)(safetyLimits(measure).flatMap(({ field }) => field ?? [])),
			send: false,
			description: 'Nothing is sent if one is exceeded',
		},
	];
}

const KEY = 'idempotencyKey';

/**
 * The Idempotency Key is a field of the form if the operation makes or starts something that must be there once. An update,
 * Create or Update, and what may be sent again have it in Options, because a key skips later changes.
 */
function hasKeyField({ endpoint, also = [] }: Operation): boolean {
	const { api, key } = endpoint;
	const updates = also.some((route) => api.endpoint(route).method === 'PUT');
	return key !== undefined && !updates;
}

/** The key isn't sent: run/idempotency.ts reads it. */
export function idempotencyFields(operation: Operation): Field[] {
	if (!takesKey(operation)) return [];
	const isField = hasKeyField(operation);
	return [
		text({
			displayName: KEY_FIELD,
			name: KEY,
			placeholder: `e.g. {{ $json.${isField ? operation.endpoint.key : CHANGE} }}`,
			send: false,
			description: isField ? EACH_ONCE : LATER_SKIPPED,
			// Workflows of version 1 may have it here.
			...(!isField && { displayOptions: { show: { '@version': [1] } } }),
		}),
	];
}

const EACH_ONCE = 'Identifies the item, which is sent once, also in later executions';

const LATER_SKIPPED = 'Each key is sent once. Later changes with the same key are skipped.';

/** Field of an input item that has another value for each change of a record. */
const CHANGE = 'changeId';

/** The Idempotency Key in a form, as a field or as an option. */
export function keyIn(parameter: (name: string) => unknown): unknown {
	const field = parameter(KEY);
	return isUnset(field) ? recordOf(parameter('options'))[KEY] : field;
}

const FAIL = 'failWhileInDoubt';

function failWhileInDoubt({ measure }: Operation): Field {
	const says = 'Whether items in doubt fail the run';
	return toggle({
		name: FAIL,
		default: true,
		description: isOfAmounts(measure) ? `${says}. In new nodes, they do by default.` : says,
	});
}

export function failsInDoubt(operation: Operation, options: IDataObject, version: number): boolean {
	if (!takesKey(operation) || !hasLimits(operation)) return false;
	const chosen = options[FAIL];
	if (isUnset(chosen)) return version > 1 && isOfAmounts(operation.measure);
	return chosen === true || chosen === 'true';
}

export const windowField = number({
	displayName: 'Keys to Remember',
	name: 'keysToRemember',
	typeOptions: { minValue: 1 },
	default: 10_000,
	send: { type: 'integer' },
	description: 'Older ones are forgotten',
});

export function idempotencyOptions(operation: Operation): Field[] {
	if (!takesKey(operation)) return [];
	const key = text({
		displayName: KEY_FIELD,
		name: KEY,
		placeholder: `e.g. {{ $json.${CHANGE} }}`,
		description: LATER_SKIPPED,
		displayOptions: { show: { '@version': [{ _cnd: { gte: 1.1 } }] } },
	});
	return [
		...(hasLimits(operation) ? [failWhileInDoubt(operation)] : []),
		...(hasKeyField(operation) ? [] : [key]),
		windowField,
		text({
			name: 'releaseKey',
			noDataExpression: true,
			placeholder: 'e.g. order-1042',
			description: "A key that didn't go through, or an error's code",
		}),
	];
}
