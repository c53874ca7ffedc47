// Filled forms for every operation: each field, also those in collections, with a value that its
// declaration allows; one form for each choice that shows or hides other fields.
import { displayParameter, type INodeParameters, type INodeProperties } from 'n8n-workflow';
import { formats } from '../../dist/nodes/engine/form/formats.js';
import { unwrapLocator } from '../../dist/nodes/engine/form/values.js';
import type { Operation } from '../../nodes/engine/form/operation.ts';
import type { Field, FixedCollection, Send, SingleField } from '../../nodes/engine/form/fields.ts';

/** Values of a form by field name, as n8n stores them in the node. */
export type Form = Record<string, unknown>;

function sampleText(field: Field, send: Send): unknown {
	if (send.gathers) return 'id';
	if (send.type === 'list') return 'first, second';
	if (send.type === 'texts') return ['first text', 'second text'];
	if (send.type === 'date') return '2026-03-01';
	if (send.type === 'dateTime') return '2026-03-01T09:00:00+01:00';
	const text = send.format ? formats[send.format].sample : `sample ${field.name}`;
	return text.slice(0, send.maxLength);
}

function sampleNumber({
	typeOptions: { minValue = -Infinity, maxValue = Infinity } = {},
}: Field): number {
	return Math.max(minValue, Math.min(maxValue, 3));
}

/** A row as data: what its fields are called on the wire. */
const dataRow = ({ options: [{ values }] }: FixedCollection): Form =>
	Object.fromEntries(
		values.map((field) => [
			(field.send && field.send.as) || field.name,
			unwrapLocator(sampleValue(field)),
		]),
	);

/** A value in the mode of a locator in which it is typed. */
export const located = ({ modes }: Field, value: unknown) => ({
	__rl: true,
	mode: modes?.find(({ name }) => name !== 'list')?.name ?? 'id',
	value,
});

/** A value that a field accepts. */
export function sampleValue(field: Field): unknown {
	const send: Send = field.send || {};
	switch (field.type) {
		case 'resourceLocator':
			return located(field, sampleText(field, send));
		case 'number':
			return sampleNumber(field);
		case 'boolean':
			return true;
		case 'dateTime':
			return '2026-03-01T09:00:00+01:00';
		case 'json':
			return sampleJson(send);
		case 'options':
			return firstOption(field) ?? 'sample';
		case 'multiOptions':
			return [firstOption(field) ?? 'sample'];
		case 'fixedCollection':
			return sampleRows(field);
		case 'collection':
			// Filters that the node applies itself would leave no row.
			if (field.name === 'filters' && field.send === false) return {};
			// What a person has approved depends on the record.
			return fill(field.options.filter(({ name }) => name !== 'approvedChanges'));
		case 'resourceMapper':
			return {
				mappingMode: 'defineBelow',
				value: send.columns ? fill(send.columns) : { headline: 'A headline' },
			};
		default:
			return sampleText(field, send);
	}
}

function sampleJson({ rows, type }: Send): unknown {
	if (rows) return [dataRow(rows)];
	return type === 'array' ? '["a"]' : '{"key":"value"}';
}

function sampleRows({ options: [group], typeOptions }: FixedCollection): Form {
	const row = fill(group.values);
	return { [group.name]: typeOptions?.multipleValues ? [row] : row };
}

const firstOption = ({ options = [] }: SingleField): unknown => options[0]?.value;

function fill(fields: Field[]): Form {
	return Object.fromEntries(
		fields.filter(({ type }) => type !== 'notice').map((field) => [field.name, sampleValue(field)]),
	);
}

/** The values of a field that steers: all of a choice, of an open choice those that others name. */
function steeringValues(field: Field, fields: Field[]): unknown[] {
	if (field.type === 'boolean') return [true, false];
	if (field.type === 'options') {
		return (field.options ?? []).flatMap((option) => ('value' in option ? [option.value] : []));
	}
	const named = fields.flatMap(({ displayOptions }) => displayOptions?.show?.[field.name] ?? []);
	return [
		...[...new Set(named)].map((value) => ({ __rl: true, mode: 'name', value })),
		sampleValue(field),
	];
}

/** Fields by which the form shows others or picks the endpoint, with all values that they can have. */
function choices(operation: Operation): Array<Form> {
	const fields = operation.fields ?? [];
	const steering = new Set([
		...fields.flatMap(({ displayOptions }) => [
			...Object.keys(displayOptions?.show ?? {}),
			...Object.keys(displayOptions?.hide ?? {}),
		]),
		...(operation.alternative ? [operation.alternative.field] : []),
	]);
	return fields
		.filter(({ name }) => steering.has(name))
		.filter(({ type }) => ['options', 'boolean', 'resourceLocator'].includes(type))
		.reduce<Form[]>(
			(variants, field) =>
				steeringValues(field, fields).flatMap((value) =>
					variants.map((variant) => ({ ...variant, [field.name]: value })),
				),
			[{}],
		);
}

/** The fields that the form shows while it holds these values. */
export function shown(fields: Field[], form: Form, version?: number): Field[] {
	const node = version === undefined ? null : { typeVersion: version };
	return fields.filter((field) =>
		displayParameter(form as INodeParameters, field as INodeProperties, node, null),
	);
}

/** True for a field that a version of a node has, whatever else its form holds. */
export function isOfVersion(field: Field, version: number): boolean {
	const { show, hide } = field.displayOptions ?? {};
	const ofVersion = {
		...(show?.['@version'] && { show: { '@version': show['@version'] } }),
		...(hide?.['@version'] && { hide: { '@version': hide['@version'] } }),
	};
	return shown([{ ...field, displayOptions: ofVersion } as Field], {}, version).length > 0;
}

/**
 * All forms of an operation, every field set: one for each set of values of the fields that show or hide
 * others, or just one where there is none. `fixed` values stand in every form. Without a version, no field of some versions only.
 */
export function forms(operation: Operation, fixed: Form = {}, version?: number): Form[] {
	const fields = operation.fields ?? [];
	const all = { ...fill(fields), ...fixed };
	return choices(operation).map((variant) => {
		const form = { ...all, ...variant, ...fixed };
		const names = new Set(shown(fields, form, version).map(({ name }) => name));
		return Object.fromEntries(Object.entries(form).filter(([name]) => names.has(name)));
	});
}
