// Fields of Safety Limits and Idempotency Key.
import { recordOf } from '../base/data';
import { collection, labelOf, number, text, type Collection, type Field } from './fields';
import { hasLimits, takesKey, type Measure, type Operation } from './operation';

const maxItems = number({
	name: 'maxItems',
	typeOptions: { minValue: 1 },
	default: 100,
	description: 'Max number of items that this node sends in one execution',
});

/** Label of the limit for all items together. */
export const totalLabel = (measure: Measure | undefined): string =>
	measure?.noun ? `Max ${labelOf(measure.noun)}` : 'Max Total';

/** Limits by what the operation measures. */
function limitsBy(measure: Measure | undefined): Field[] {
	if (!measure) return [maxItems];
	if (measure.noun) {
		const total = number({
			displayName: totalLabel(measure),
			name: 'maxTotal',
			typeOptions: { minValue: 1 },
			default: 100,
			description: `Max number of ${measure.noun} of one execution, as the API gives it before sending`,
		});
		return [maxItems, total];
	}
	const { counts } = measure;
	const says = (usually: string, otherwise: string) =>
		counts ? `${otherwise}. Counts ${counts}.` : usually;
	return [
		number({
			name: 'maxAmount',
			typeOptions: { minValue: 0 },
			description: says('Max amount of one item, in the unit of its amounts', 'Max for one item'),
		}),
		maxItems,
		number({
			name: 'maxTotal',
			typeOptions: { minValue: 0 },
			description: says(
				'Max sum of the amounts of all items of one execution',
				'Max sum of all items of one execution',
			),
		}),
	];
}

export function safetyLimitsOf(operation: Operation): Collection[] {
	const { measure } = operation;
	if (!hasLimits(operation)) return [];
	return [
		{
			...collection('safetyLimits', 'limit')(limitsBy(measure)),
			send: false,
			description: 'If a limit is exceeded, nothing is sent',
		},
	];
}

/**
 * Tells where the form of an operation has its Idempotency Key: in sight where something moves money, sends
 * email or starts, else among the options. Undefined if it takes none.
 */
function placeOfKey(operation: Operation): 'form' | 'options' | undefined {
	if (!takesKey(operation)) return undefined;
	return operation.sequential ? 'form' : 'options';
}

/** Reads the Idempotency Key from its place. */
export function keyValue(operation: Operation, parameter: (name: string) => unknown): unknown {
	const isInOptions = placeOfKey(operation) === 'options';
	return isInOptions ? recordOf(parameter('options'))[KEY] : parameter(KEY);
}

const KEY = 'idempotencyKey';

function keyField({ endpoint }: Operation): Field {
	const example = endpoint.api.keyExample?.(endpoint.route);
	return text({
		name: KEY,
		placeholder: `e.g. {{ $json.${example ?? 'orderId'} }}`,
		send: false,
		description:
			'What identifies the item, such as an order ID. This node sends each key once, also in later executions and after a crash. An item with a known key is skipped.',
	});
}

/** The Idempotency Key, if it stands in the form itself. */
export const idempotencyFields = (operation: Operation): Field[] =>
	placeOfKey(operation) === 'form' ? [keyField(operation)] : [];

export const windowField = number({
	displayName: 'Keys to Remember',
	name: 'keysToRemember',
	typeOptions: { minValue: 1 },
	default: 10_000,
	send: { type: 'integer' },
	description: 'How many keys this node remembers at least. Older ones are forgotten.',
});

export function idempotencyOptions(operation: Operation): Field[] {
	if (!takesKey(operation)) return [];
	return [
		...(placeOfKey(operation) === 'options' ? [keyField(operation)] : []),
		windowField,
		text({
			name: 'releaseKey',
			noDataExpression: true,
			placeholder: 'e.g. order-1042',
			description:
				"An Idempotency Key or a run that is in doubt, as an error or an item names it, after you checked that its request didn't go through. It's sent again, once.",
		}),
	];
}
