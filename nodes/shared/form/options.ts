// The Options of every action node: their fields, their defaults, their values.
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { FieldFault, fieldsIn, isRead, shapeOf, type Field, type Operation } from '../operation';
import type { Manner } from '../client/door';
import { OutputFields } from '../client/outputFields';

/** Requests in flight at first; the number that one item after another would be 1. */
const PARALLEL = 5;

/** How far the parallelism may grow while answers stay quick. */
const CEILING = 32;

const TIMEOUT_SECONDS = 60;
const RETRY_SECONDS = 120;

const MAX_PARALLEL = 50;

function parallelOf(operation: Operation): number {
	return operation.sequential ? 1 : PARALLEL;
}

const outputField: Field = {
	displayName: 'Output Fields',
	name: 'outputFields',
	type: 'string',
	default: '',
	placeholder: 'e.g. email, address.city',
	description:
		'Comma-separated names of the fields to output, with dots for nested ones. All if empty. In a list, a name applies to each of its entries. Takes less memory, and gives an AI agent less to read.',
};

/** Whether the items of an operation are objects of the API, with fields to choose from. */
function hasFields(operation: Operation): boolean {
	const { kind } = shapeOf(operation);
	return kind === 'one' || kind === 'list';
}

/** The Options collection of one operation. */
export function optionsField(operation: Operation): Field {
	const parallel = parallelOf(operation);
	const read = isRead(operation);
	const limits = { minValue: 1, maxValue: MAX_PARALLEL };
	const options: Field[] = [
		{
			displayName: 'Parallel Requests',
			name: 'parallel',
			type: 'number',
			typeOptions: limits,
			default: parallel,
			description: operation.sequential
				? 'How many items to send at the same time. One after the other is the default here, since this operation moves money, sends mail or starts something.'
				: read
					? 'How many requests to send at the same time at first'
					: 'How many items to send at the same time. The number stays the same unless you set Parallel Requests at Most too. Without this option the node begins with 5.',
		},
		...(operation.sequential
			? []
			: [
					{
						displayName: 'Parallel Requests at Most',
						name: 'ceiling',
						type: 'number' as const,
						typeOptions: limits,
						default: CEILING,
						description: read
							? 'How many requests may be in flight at the same time while the API answers quickly. Fewer are sent when it slows down or limits the rate. Set it to the same number as Parallel Requests to keep that.'
							: 'How many items may be in flight at the same time while the API answers quickly. The first request that fails halves their number, and it grows no more. Set it to the same number as Parallel Requests to keep that.',
					},
				]),
		{
			displayName: 'Retry Time (Seconds)',
			name: 'retryTime',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: RETRY_SECONDS,
			description:
				'For how long to try again when the API limits the rate, fails or cannot be reached. A write that may have been applied is never sent again.',
		},
		{
			displayName: 'Timeout (Seconds)',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: TIMEOUT_SECONDS,
			description: 'How long to wait for the answer to one request',
		},
		...(hasFields(operation) ? [outputField] : []),
	];
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		send: false,
		options,
	};
}

function option(options: IDataObject, field: Field, minimum: number, maximum: number): number {
	const value = Number(options[field.name] ?? field.default);
	if (!Number.isFinite(value) || value < minimum || value > maximum) {
		throw new FieldFault(
			`Options: ${field.displayName}`,
			`must be a number between ${minimum} and ${maximum}`,
		);
	}
	return value;
}

/**
 * How the API is asked in one execution, read for its first item.
 * @throws FieldFault for a value out of range
 */
export function optionsOf(
	context: Pick<IExecuteFunctions, 'getNodeParameter'>,
	operation: Operation,
): Manner {
	const options = context.getNodeParameter('options', 0, {}) as IDataObject;
	const fields = Object.fromEntries(
		fieldsIn(optionsField(operation)).map((field) => [field.name, field]),
	);
	const start = Math.floor(option(options, fields.parallel, 1, MAX_PARALLEL));
	const writes = !isRead(operation);
	// A number that was set for writes is kept to, unless they were allowed to become more.
	const isFixed = writes && options.parallel !== undefined && options.ceiling === undefined;
	const ceiling =
		fields.ceiling && !isFixed
			? Math.max(start, Math.floor(option(options, fields.ceiling, 1, MAX_PARALLEL)))
			: start;
	return {
		parallel: start,
		ceiling,
		writes,
		patience: {
			budget: option(options, fields.retryTime, 0, 3600) * 1000,
			timeout: option(options, fields.timeout, 1, 3600) * 1000,
		},
	};
}

/**
 * The fields that the user wants in the output, read for the first item; undefined for all.
 * @throws FieldFault for what is no name of a field
 */
export function outputOf(
	context: Pick<IExecuteFunctions, 'getNodeParameter'>,
	operation: Operation,
): OutputFields | undefined {
	if (!hasFields(operation)) return undefined;
	const { outputFields } = context.getNodeParameter('options', 0, {}) as IDataObject;
	return OutputFields.from(outputFields);
}
