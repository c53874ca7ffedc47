// Options of an operation, and the request settings of a node.
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { FieldFault } from '../base/apiRequest';
import { isRecord, recordOf } from '../base/data';
import type { ClientOptions } from '../client/door';
import { isPaged } from '../client/list/rows';
import { MAX_IN_FLIGHT, START } from '../client/traffic/bound';
import { checkedValue } from './containers';
import { collection, number, options, text, toggle, type Collection, type Field } from './fields';
import { hasExtras, shapeOf, type Operation } from './operation';
import { optionsOf } from './inOptions';
import { idempotencyOptions } from './safety';
import { outputToggles } from './simplify';

const maxParallel = number({
	displayName: 'Max Parallel Requests',
	name: 'maxParallel',
	typeOptions: { minValue: 1, maxValue: MAX_IN_FLIGHT },
	default: START,
	description: `By default 1 for what moves money, sends email or starts something, else up to ${MAX_IN_FLIGHT}, as the API keeps up`,
});

const maxPerSecond = number({
	displayName: 'Max Requests per Second',
	name: 'maxPerSecond',
	typeOptions: { minValue: 0.1, maxValue: 1000, numberPrecision: 1 },
	default: 5,
	description:
		'For all executions with the same API key together: the lowest number that is set counts',
});

const retryTime = number({
	displayName: 'Retry Time (Seconds)',
	name: 'retryTime',
	typeOptions: { minValue: 0, maxValue: 3600 },
	default: 120,
	description: 'How long to retry what fails. A write that may have gone through is never retried.',
});

const timeout = number({
	displayName: 'Timeout (Seconds)',
	name: 'timeout',
	typeOptions: { minValue: 1, maxValue: 3600 },
	default: 60,
	description: 'How long to wait for each response',
});

/** The way in which requests are sent (`clientOptionsOf`), in n8n's Settings tab. Not `send.setting`, a value for steps. */
const requests = (fields: Field[]): Collection => ({
	...collection('requests', 'setting')(fields),
	isNodeSetting: true,
	send: false,
});

export const requestSettings = requests([maxParallel, maxPerSecond, retryTime, timeout]);

/** Request settings of an AI sub-node, which sends few requests at a time. */
export const waitSettings = requests([maxPerSecond, retryTime, timeout]);

export const returnAllField = toggle({
	name: 'returnAll',
	description: 'Whether to return all results or only up to a given limit',
});

/**
 * Limit of a list. A tool has its own. `@tool` stands before `returnAll`: if Return All is an expression, n8n shows a field
 * without a look at the conditions after it. It would show both Limits, and take the default of the last.
 */
export const limitField = number({
	name: 'limit',
	typeOptions: { minValue: 1 },
	default: 50,
	send: { type: 'integer' },
	description: 'Max number of results to return',
	displayOptions: { show: { '@tool': [false], returnAll: [false] } },
});

/** An agent's model reads every row. */
export const TOOL_LIMIT = 10;

export const skipField = number({
	name: 'skip',
	typeOptions: { minValue: 0 },
	send: { type: 'integer' },
	description: 'How many results to leave out at the start',
});

export const envelopeField = toggle({
	name: 'includeEnvelope',
	description: 'Whether to return the whole response as one item',
});

export const takesSkip = (operation: Operation): boolean =>
	operation.run === undefined && isPaged(shapeOf(operation));

/** The options of an operation, which the form has in one collection with those of the engine. */
export const isOptions = (field: Field): field is Collection =>
	field.type === 'collection' && field.name === 'options';

/** Output Fields makes sense only for objects of the API. */
function hasFields(operation: Operation): boolean {
	const { kind } = shapeOf(operation);
	return (kind === 'one' || kind === 'list') && operation.endpoint.method !== 'DELETE';
}

export function optionsField(operation: Operation): Collection[] {
	const own = operation.fields?.find(isOptions);
	const usual = [
		...(own?.options ?? []),
		...optionsOf(operation.fields ?? []),
		hasExtras(operation) && envelopeField,
		hasFields(operation) &&
			text({
				name: 'outputFields',
				placeholder: 'e.g. email, usage.total_tokens',
				description: 'Only these, separated by commas',
			}),
		takesSkip(operation) && skipField,
		...outputToggles(operation, 'options'),
	]
		.filter((field) => field !== false)
		.sort((one, other) => one.displayName.localeCompare(other.displayName));
	const fields = [...usual, ...idempotencyOptions(operation)];
	return fields.length > 0 ? [{ ...options(fields), send: false }] : [];
}

/** A number of the Options or Settings, by default that of the field. Throws FieldFault for a value out of range. */
export function numberFrom(group: string, field: Field, values: IDataObject): number {
	const value = values[field.name];
	if (value === undefined || value === null || value === '') return Number(field.default);
	const displayName = `${group}: ${field.displayName}`;
	return Number(checkedValue({ ...field, displayName }, value) ?? field.default);
}

/** The settings of the first item, because one client sends all requests. Throws FieldFault for a value out of range. */
export function clientOptionsOf(
	context: Pick<IExecuteFunctions, 'getNodeParameter'>,
	operation: Operation,
): ClientOptions {
	const values = recordOf(context.getNodeParameter('requests', 0, {}));
	const { sequential = false, endpoint } = operation;
	// The default of the field itself is only the number that the form begins with.
	const max = { ...maxParallel, default: sequential ? 1 : MAX_IN_FLIGHT };
	const hasRate = (values.maxPerSecond ?? '') !== '';
	return {
		max: Math.floor(numberFrom('Settings', max, values)),
		writes: endpoint.method !== 'GET',
		perSecond: hasRate ? numberFrom('Settings', maxPerSecond, values) : undefined,
		retry: {
			budget: numberFrom('Settings', retryTime, values) * 1000,
			timeout: numberFrom('Settings', timeout, values) * 1000,
		},
	};
}

/** Undefined for all fields, and for an operation that doesn't offer Output Fields. Throws FieldFault for an invalid name. */
export function outputFieldsOf(
	operation: Operation,
	{ outputFields = '' }: IDataObject,
): OutputFields | undefined {
	if (outputFields === '' || !hasFields(operation)) return undefined;
	return OutputFields.from(outputFields);
}

/** A tree of names such as `id, usage.total_tokens`. A leaf keeps the whole value. */
export class OutputFields {
	private readonly below = new Map<string, OutputFields>();

	/** Any row had this field: for a hint. Set by `partOf`. */
	private seen = false;

	/** From comma-separated names, or an array. Undefined without names: rows stay whole. Throws FieldFault for a wrong one. */
	static from(given: unknown): OutputFields | undefined {
		const names = (Array.isArray(given) ? given : String(given ?? '').split(','))
			.map((name) => String(name).trim())
			.filter((name) => name !== '');
		const wrong = names.find((name) => name.split('.').includes(''));
		if (wrong !== undefined) {
			throw new FieldFault(
				'Options: Output Fields',
				`must be names such as id or usage.total_tokens, separated by commas ("${wrong}" is none)`,
			);
		}
		const fields = new OutputFields();
		for (const name of names) fields.add(name.split('.'));
		return names.length > 0 ? fields : undefined;
	}

	/** A row with these fields only, in the order that the user gave. Anything but an object stays as it is. */
	readonly cut = (row: unknown): unknown => (isRecord(row) ? this.partOf(row) : row);

	/** Without rows, no name is unseen. */
	get unseen(): string[] {
		return this.seen ? this.unseenBelow('') : [];
	}

	/** A whole field includes its parts, whichever is named first. */
	private add([name, ...rest]: string[]): void {
		const known = this.below.get(name);
		const isWhole = known !== undefined && known.below.size === 0;
		if (isWhole) return;
		const wanted = known ?? new OutputFields();
		this.below.set(name, wanted);
		if (rest.length > 0) wanted.add(rest);
		else wanted.below.clear();
	}

	/** Of an object without wanted fields, `{}` is left. A text or a number has no fields, so it's undefined. */
	private partOf(value: unknown): unknown {
		this.seen = true;
		if (this.below.size === 0) return value;
		if (Array.isArray(value)) {
			return value.map((each) => this.partOf(each)).filter((each) => each !== undefined);
		}
		if (!isRecord(value)) return undefined;
		const entries = [...this.below].map(([name, wanted]) => [
			name,
			Object.hasOwn(value, name) ? wanted.partOf(value[name]) : undefined,
		]);
		return Object.fromEntries(entries.filter(([, each]) => each !== undefined));
	}

	/** Fields below a missing one aren't named. */
	private unseenBelow(prefix: string): string[] {
		return [...this.below].flatMap(([name, wanted]) =>
			wanted.seen ? wanted.unseenBelow(`${prefix}${name}.`) : [prefix + name],
		);
	}
}
