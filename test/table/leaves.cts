// Leaves of a request: the places in bodies and queries that hold a value.
import type { Schema } from '../contract/contract.cts';
import type { Operation } from '../../nodes/engine/form/operation.ts';
import type { Field } from '../../nodes/engine/form/fields.ts';
import type { Form } from './forms.cts';

/** A documented place for a value in a request, `partner.address.country` or `usage[].amount`. */
export interface Leaf {
	path: string;
	schema: Schema;
}

const subschemas = ({ allOf = [], oneOf = [], anyOf = [] }: Schema): Schema[] => [
	...(allOf as Schema[]),
	...(oneOf as Schema[]),
	...(anyOf as Schema[]),
];

/** All places that a schema documents; an object whose keys are open is one place. */
export function leavesOf(schema: Schema, path = ''): Leaf[] {
	const properties = (schema.properties ?? {}) as Record<string, Schema>;
	const own = Object.entries(properties).flatMap(([name, each]) =>
		leavesOf(each, path === '' ? name : `${path}.${name}`),
	);
	const items = schema.items as Schema | undefined;
	const nested = items?.properties ? leavesOf(items, `${path}[]`) : [];
	const branches = subschemas(schema).flatMap((each) =>
		each.properties ? leavesOf(each, path) : [],
	);
	const leaves = [...own, ...nested, ...branches];
	const unique = new Map(leaves.map((leaf) => [leaf.path, leaf]));
	return unique.size > 0 ? [...unique.values()] : [{ path, schema }];
}

/** The places that a body really fills. */
export function filledPaths(value: unknown, path = ''): string[] {
	if (Array.isArray(value)) {
		return [path, ...value.flatMap((each) => filledPaths(each, `${path}[]`))];
	}
	if (typeof value !== 'object' || value === null) return [path];
	return [
		path,
		...Object.entries(value).flatMap(([name, each]) =>
			filledPaths(each, path === '' ? name : `${path}.${name}`),
		),
	];
}

/** A form field and the place that it fills. */
export interface Slot {
	field: Field;
	path: string;
	/** The form with another value in this field. */
	with(form: Form, value: unknown): Form;
}

type Change = (form: Form, value: unknown) => Form;

function slotsOf(fields: Field[], prefix: string, inside: (change: Change) => Change): Slot[] {
	return fields.flatMap((field): Slot[] => {
		if (field.send === false || field.type === 'notice') return [];
		const change = inside((form, value) => ({ ...form, [field.name]: value }));
		const within =
			(wrap: (inner: unknown) => unknown, unwrap: (outer: unknown) => Form) =>
			(next: Change): Change =>
				inside((form, value) => ({
					...form,
					[field.name]: wrap(next(unwrap(form[field.name]), value)),
				}));
		if (field.type === 'collection') {
			return slotsOf(
				field.options,
				prefix,
				within(
					(inner) => inner,
					(outer) => (outer ?? {}) as Form,
				),
			);
		}
		const name = (field.send && field.send.as) || field.name;
		const path = prefix === '' ? name : `${prefix}.${name}`;
		const own: Slot = { field, path, with: change };
		if (field.type !== 'fixedCollection') return [own];
		const [group] = field.options;
		const many = field.typeOptions?.multipleValues === true;
		return [
			own,
			...slotsOf(
				group.values,
				many ? `${path}[]` : path,
				within(
					(inner) => ({ [group.name]: many ? [inner] : inner }),
					(outer) => {
						const given = (outer as Form | undefined)?.[group.name];
						return ((many ? (given as Form[])?.[0] : given) ?? {}) as Form;
					},
				),
			),
		];
	});
}

/** All form fields of an operation with the places that they fill, below the root key. */
export function slots({ fields = [], root = '' }: Operation): Slot[] {
	return slotsOf(fields, root, (change) => change);
}
