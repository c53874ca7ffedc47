// The Options of every action node: their fields, their defaults, their values.
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import {
	FieldFault,
	hasEnvelope,
	isRead,
	recordOf,
	shapeOf,
	type Collection,
	type Field,
	type Operation,
} from '../operation';
import type { ClientOptions } from '../client/door';
import { OutputFields } from './outputFields';

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

const parallelLimits = { minValue: 1, maxValue: MAX_PARALLEL };

function parallelDescription(operation: Operation): string {
	if (operation.sequential) {
		return 'How many items to send at the same time. The default is 1, because this operation moves money, sends email or starts something.';
	}
	return isRead(operation)
		? 'How many requests to start with. The number grows while the API responds quickly.'
		: 'How many items to send at the same time. Without this option, the node starts with 5 and sends more while the API responds quickly. With it, the number stays fixed unless you also set Max Parallel Requests.';
}

function ceilingField(operation: Operation): Field {
	return {
		displayName: 'Max Parallel Requests',
		name: 'ceiling',
		type: 'number',
		typeOptions: parallelLimits,
		default: CEILING,
		description: isRead(operation)
			? 'Max number of requests at the same time. The nodes send fewer when the API slows down or limits the rate. To keep the number fixed, set it to the same value as Parallel Requests.'
			: 'Max number of items to send at the same time. The first request that fails halves the number, and it stops growing. To keep the number fixed, set it to the same value as Parallel Requests.',
	};
}

const outputField: Field = {
	displayName: 'Output Fields',
	name: 'outputFields',
	type: 'string',
	default: '',
	placeholder: 'e.g. email, address.city',
	description:
		'Comma-separated names of the fields to output, with dots for nested ones. All fields if empty. In a list, a name applies to each of its entries. Takes less memory and gives an AI agent less to read.',
};

const envelopeField: Field = {
	displayName: 'Include Envelope',
	name: 'includeEnvelope',
	type: 'boolean',
	default: false,
	description:
		'Whether to return one item with all rows and what the API sends beside them, such as a count, instead of one item for each row',
};

/** It isn't offered where a choice of the form gives one item anyway. */
function envelopeFields(operation: Operation): Field[] {
	if (!hasEnvelope(operation)) return [];
	const { alternative } = operation;
	if (alternative?.shape?.kind !== 'one') return [envelopeField];
	const hide = { [`/${alternative.field}`]: [alternative.is] };
	return [{ ...envelopeField, displayOptions: { hide } }];
}

/** Whether the items of an operation are objects of the API, with fields to choose from. */
function hasFields(operation: Operation): boolean {
	const { kind } = shapeOf(operation);
	return kind === 'one' || kind === 'list';
}

/** The Options collection of one operation. */
export function optionsField(operation: Operation): Collection {
	const options: Field[] = [
		...envelopeFields(operation),
		{
			displayName: 'Parallel Requests',
			name: 'parallel',
			type: 'number',
			typeOptions: parallelLimits,
			default: parallelOf(operation),
			description: parallelDescription(operation),
		},
		...(operation.sequential ? [] : [ceilingField(operation)]),
		{
			displayName: 'Retry Time (Seconds)',
			name: 'retryTime',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: RETRY_SECONDS,
			description:
				"How long to keep retrying when the API limits the rate, fails or can't be reached. A write that may have gone through is never retried.",
		},
		{
			displayName: 'Timeout (Seconds)',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: TIMEOUT_SECONDS,
			description: 'How long to wait for each response',
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
): ClientOptions {
	const options = recordOf(context.getNodeParameter('options', 0, {}));
	const fields = Object.fromEntries(
		optionsField(operation).options.map((field) => [field.name, field]),
	);
	const start = Math.floor(option(options, fields.parallel, 1, MAX_PARALLEL));
	const writes = !isRead(operation);
	// A number that was set for writes is kept to, unless they were allowed to become more.
	const isFixed = writes && options.parallel !== undefined && options.ceiling === undefined;
	const adapts = fields.ceiling !== undefined && !isFixed;
	const ceiling = adapts
		? Math.max(start, Math.floor(option(options, fields.ceiling, 1, MAX_PARALLEL)))
		: start;
	return {
		parallel: start,
		ceiling,
		// A number that the user set is meant for the API, however many executions there are.
		together: adapts && options.ceiling === undefined ? MAX_PARALLEL : ceiling,
		writes,
		retry: {
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
	const { outputFields } = recordOf(context.getNodeParameter('options', 0, {}));
	return OutputFields.from(outputFields);
}
