// Options of an operation, and the request settings of a node.
import type { IExecuteFunctions } from 'n8n-workflow';

import { recordOf } from '../base/data';
import type { ClientOptions } from '../client/door';
import { isPaged } from '../client/list/rows';
import { MOST, START } from '../client/traffic/bound';
import { checkedValue } from './containers';
import { collection, number, options, text, toggle, type Collection, type Field } from './fields';
import { shapeOf, type Operation } from './operation';
import { OutputFields } from './outputFields';
import { idempotencyOptions } from './safety';

const maxParallel = number({
	displayName: 'Max Parallel Requests',
	name: 'maxParallel',
	typeOptions: { minValue: 1, maxValue: MOST },
	default: START,
	description: `Max number of requests at the same time. Without this setting, the node sends one at a time where an operation moves money, sends email or starts something, otherwise from ${START} up to ${MOST} while the API responds quickly.`,
});

const maxPerSecond = number({
	displayName: 'Max Requests per Second',
	name: 'maxPerSecond',
	typeOptions: { minValue: 0.1, maxValue: 1000, numberPrecision: 1 },
	default: 5,
	description:
		'For an API that refuses everything after one request too many. All executions with the same key in this process of n8n keep to the lowest number that is set.',
});

const retryTime = number({
	displayName: 'Retry Time (Seconds)',
	name: 'retryTime',
	typeOptions: { minValue: 0, maxValue: 3600 },
	default: 120,
	description:
		"How long to keep retrying when the API limits the rate, fails or can't be reached. A request that fails while others succeed is tried up to five times. A write that may have gone through is never retried.",
});

const timeout = number({
	displayName: 'Timeout (Seconds)',
	name: 'timeout',
	typeOptions: { minValue: 1, maxValue: 3600 },
	default: 60,
	description: 'How long to wait for each response',
});

/** Shown in the Settings tab, beside n8n's own settings. */
const settings = (fields: Field[]): Collection => ({
	...collection('requests', 'setting')(fields),
	isNodeSetting: true,
	send: false,
});

export const requestSettings = settings([maxParallel, maxPerSecond, retryTime, timeout]);

/** An AI sub-node sends few requests at a time. */
export const waitSettings = settings([maxPerSecond, retryTime, timeout]);

/** Limit of a list. A tool has none. */
export const limitField = number({
	name: 'limit',
	typeOptions: { minValue: 1 },
	default: 50,
	send: { type: 'integer' },
	description: 'Max number of results to return',
	displayOptions: { show: { returnAll: [false], '@tool': [false] } },
});

/** Default Limit for an agent, whose model reads every row. */
export const TOOL_LIMIT = 10;

export const skipField = number({
	name: 'skip',
	typeOptions: { minValue: 0 },
	send: { type: 'integer' },
	description:
		'How many results to leave out at the start. With Limit, a loop can read a long list in slices.',
});

/** True if the items are objects of the API, so that Output Fields makes sense. */
function hasFields(operation: Operation): boolean {
	const { kind } = shapeOf(operation);
	return (kind === 'one' || kind === 'list') && operation.endpoint.method !== 'DELETE';
}

/** The Options collection of an operation; empty if it has no options. */
export function optionsField(operation: Operation): Collection[] {
	const fields = [
		operation.envelope &&
			toggle({
				name: 'includeEnvelope',
				description:
					'Whether to return the whole response as one item, with what the API sends beside the rows, instead of one item for each row',
			}),
		hasFields(operation) &&
			text({
				name: 'outputFields',
				placeholder: 'e.g. email, city',
				description:
					'Comma-separated names of the fields to output, with dots for nested ones. All if empty.',
			}),
		operation.run === undefined && isPaged(shapeOf(operation)) && skipField,
		...idempotencyOptions(operation),
	]
		.filter((field) => field !== undefined && field !== false)
		.sort((one, other) => one.displayName.localeCompare(other.displayName));
	return fields.length > 0 ? [{ ...options(fields), send: false }] : [];
}

/**
 * Reads a number of the Options or Settings, the default of the field if it isn't set.
 * @throws FieldFault for a value out of range
 */
export function numberFrom(group: string, field: Field, value: unknown): number {
	const displayName = `${group}: ${field.displayName}`;
	return Number(checkedValue({ ...field, displayName }, value) ?? field.default);
}

/**
 * Reads the request settings, for the first item.
 * @throws FieldFault for a value out of range
 */
export function optionsOf(
	context: Pick<IExecuteFunctions, 'getNodeParameter'>,
	operation: Operation,
): ClientOptions {
	const values = recordOf(context.getNodeParameter('requests', 0, {}));
	const setting = (field: Field) => numberFrom('Settings', field, values[field.name]);
	const { sequential = false } = operation;
	return {
		max: Math.floor(setting({ ...maxParallel, default: sequential ? 1 : MOST })),
		writes: operation.endpoint.method !== 'GET',
		perSecond: (values.maxPerSecond ?? '') === '' ? undefined : setting(maxPerSecond),
		retry: { budget: setting(retryTime) * 1000, timeout: setting(timeout) * 1000 },
	};
}

/**
 * Reads Output Fields, for the first item; undefined for all fields.
 * @throws FieldFault for an invalid name
 */
export function outputOf(
	context: Pick<IExecuteFunctions, 'getNodeParameter'>,
	operation: Operation,
): OutputFields | undefined {
	if (!hasFields(operation)) return undefined;
	const { outputFields } = recordOf(context.getNodeParameter('options', 0, {}));
	return OutputFields.from(outputFields);
}
