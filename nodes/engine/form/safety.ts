// Fields of Safety Limits and Idempotency Key.
import { KEY_FIELD } from '../base/itemName';
import { collection, labelOf, number, text, type Collection, type Field } from './fields';
import { hasLimits, takesKey, type Measure, type Operation } from './operation';

const maxItems = number({
	name: 'maxItems',
	typeOptions: { minValue: 1 },
	default: 100,
	description: 'Max for one execution',
});

/** Label of the limit for all items together. */
export const totalLabel = (measure: Measure | undefined): string =>
	measure?.noun ? `Max ${labelOf(measure.noun)}` : 'Max Total';

/** Limits by what the operation measures: nothing but items, things such as users, or amounts of money. */
function limitsBy(measure: Measure | undefined): Field[] {
	if (!measure) return [maxItems];
	if (measure.noun) {
		const total = number({
			displayName: totalLabel(measure),
			name: 'maxTotal',
			typeOptions: { minValue: 1 },
			default: 100,
			description: 'Max for one execution, by the number that the API gives',
		});
		return [maxItems, total];
	}
	const { counts } = measure;
	const counted = counts && `Counts ${counts}`;
	return [
		number({
			name: 'maxAmount',
			typeOptions: { minValue: 0 },
			description: counted ?? 'Max for one item, in the unit of its amounts',
		}),
		maxItems,
		number({
			name: 'maxTotal',
			typeOptions: { minValue: 0 },
			description: counted ?? 'Max sum of one execution',
		}),
	];
}

/** The collection Safety Limits. Empty for an operation that has none. Not sent: run/safetyLimits.ts reads it. */
export function safetyLimitsOf(operation: Operation): Collection[] {
	const { measure } = operation;
	if (!hasLimits(operation)) return [];
	return [
		{
			...collection('safetyLimits', 'limit')(limitsBy(measure)),
			send: false,
			description: 'Nothing is sent if one is exceeded',
		},
	];
}

export const KEY = 'idempotencyKey';

/** The field Idempotency Key. Empty for an operation that takes none. Not sent: run/idempotency.ts reads it. */
export function idempotencyFields(operation: Operation): Field[] {
	if (!takesKey(operation)) return [];
	const { endpoint } = operation;
	const example = endpoint.api.keyExample?.(endpoint.route);
	return [
		text({
			displayName: KEY_FIELD,
			name: KEY,
			placeholder: `e.g. {{ $json.${example ?? 'orderId'} }}`,
			send: false,
			description: 'Identifies the item. Each key is sent once, also in later executions.',
		}),
	];
}

export const windowField = number({
	displayName: 'Keys to Remember',
	name: 'keysToRemember',
	typeOptions: { minValue: 1 },
	default: 10_000,
	send: { type: 'integer' },
	description: 'Older ones are forgotten',
});

/** The options that belong to Idempotency Key. */
export function idempotencyOptions(operation: Operation): Field[] {
	if (!takesKey(operation)) return [];
	return [
		windowField,
		text({
			name: 'releaseKey',
			noDataExpression: true,
			placeholder: 'e.g. order-1042',
			description: "A key or run in doubt, once you know it didn't go through",
		}),
	];
}
