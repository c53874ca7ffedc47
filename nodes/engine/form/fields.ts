// Form fields and functions that create the common ones: text, rows, and collections of optional fields.
import type {
	IDataObject,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	NodePropertyTypes,
} from 'n8n-workflow';

import type { Format } from './formats';

export interface FormContext {
	/** A date without a zone is in this zone of the workflow. */
	timezone: string;
	/** Version of the node, default the first one, for fields that only some versions have. */
	version?: number;
	/** Automatic mapping reads this JSON of the input item. */
	item: IDataObject;
	/** The input items that the request is sent for, for a field that gathers them. */
	items?: () => Array<{ index: number; json: IDataObject }>;
	ignoresExtra?: boolean;
	/** The parameter with its expressions, as it stands in the node: first the whole form, then the part that is read. */
	raw?: unknown;
	/** The field was added, or is one of a row. By default it stands in the form. */
	place?: 'added' | 'row';
	/** Called for a field that gave nothing, with its raw value. */
	gaveNothing?: (field: Field, raw: unknown) => void;
}

/**
 * Destination of a value, and its limits in the reference. The value goes to the path if the route has a parameter of the
 * field's name, else to the query of a GET or DELETE, else to the body. Limits are named as in JSON Schema. `typeOptions` has
 * the limits of numbers.
 */
export interface Send {
	/** Name in the request, default the field's own. Dotted for a nested key, `*` for the body itself. */
	as?: string;
	/** Type of the value in the request, where the type of the form field doesn't say it. */
	type?:
		| 'integer'
		| 'list'
		| 'texts'
		| 'date'
		| 'dateTime'
		| 'dateOrDateTime'
		| 'map'
		| 'array'
		| 'any';
	/** Converts the value as no `type` does. The type then only tells what a model gives. */
	convert?: (field: Field, value: unknown, context: FormContext) => unknown;
	/** One request is sent for all items while the form shows the field, or for those with the same value in the named field. */
	gathers?: true | string;
	/**
	 * For a field that is added, or filled with an expression, and gives nothing: undefined, null, empty text, an object without
	 * fields or a list without entries. By default the field is left out, and a hint tells if that was so for all items.
	 * - `refused`: for what decides how much, for whom, when, who may see something, or what a record holds.
	 * - `refusedInForm`: the same, but a model that leaves it blank just doesn't set it.
	 * - `clears`: empty text, an empty list, or null for a date or an object is sent. Null from an expression clears nothing.
	 */
	empty?: 'refused' | 'refusedInForm' | 'clears';
	/** An empty list is a value of its own, and not nothing. */
	emptyList?: true;
	/** Keys of the JSON that are refused if they're there and give nothing, each with the fault. */
	mustGive?: Record<string, string>;
	/** JSON instead of the rows of this other field. Each row is checked against the fields of that field. */
	rows?: FixedCollection;
	/** Fields that the columns of a resource mapper fill, for the body itself. */
	columns?: Field[];
	/** Columns that the input may have besides, such as the ID of its record. */
	beside?: string[];
	/** The field isn't sent. Its checked value goes to the request's `settings`, for `check` and `run`. */
	setting?: boolean;
	/** Nodes of version 1 have a text in place of this picker. */
	wasText?: true;
	/** A stored key is sent to this URL. Changing the URL can give the key away. */
	getsKey?: true;
	/** Errors never show the value, because it may be a signed URL. The same goes for passwords. */
	secret?: boolean;
	format?: Format;
	trim?: true;
	maxLength?: number;
	maxBytes?: number;
	minItems?: number;
	uniqueItems?: true;
	minProperties?: number;
	maxProperties?: number;
}

/** A field with `send: false` only controls the form. */
interface Property extends Omit<INodeProperties, 'type' | 'options'> {
	send?: Send | false;
	/** The default in new nodes other than tools, if it isn't `default`. */
	newDefault?: string;
	/** New nodes have it in Options. A collection is there with each of its fields. */
	inOptions?: true;
	/** New nodes don't have this choice: it's `is` if that option was added, else its default. */
	chosenBy?: { option: string; is: string };
}

export interface SingleField extends Property {
	type: Exclude<NodePropertyTypes, 'collection' | 'fixedCollection'>;
	options?: INodePropertyOptions[];
}

export interface Collection extends Property {
	type: 'collection';
	options: Field[];
}

export interface FixedCollection extends Property {
	type: 'fixedCollection';
	options: [Omit<INodePropertyCollection, 'values'> & { values: Field[] }];
}

export type Field = SingleField | Collection | FixedCollection;

const spelled: Record<string, string | undefined> = Object.fromEntries(
	['AI', 'API', 'by', 'CA', 'DNS', 'ID', 'IDs', 'IP', 'URL', 'VAT'].map((word) => [
		word.toLowerCase(),
		word,
	]),
);

/** Returns `Order ID` for `orderId`. */
export function labelOf(name: string): string {
	const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(' ');
	return words
		.map((word) => spelled[word] ?? `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
		.join(' ');
}

/** Returns `order_id` for `orderId`. */
export const snake = (name: string): string =>
	name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns `Order` for `orderId`. */
export const recordLabel = (name: string): string => labelOf(name.replace(/Id$/, ''));

export type About<Of extends Property> = Omit<Of, 'type' | 'default' | 'displayName'> &
	Partial<Pick<Of, 'default' | 'displayName'>>;

const field =
	<Type extends SingleField['type']>(type: Type, standard: SingleField['default']) =>
	(about: About<SingleField>): SingleField => ({
		displayName: labelOf(about.name),
		default: standard,
		...about,
		type,
	});

export const text = field('string', '');
export const number = field('number', 0);
export const toggle = field('boolean', false);
export const date = field('dateTime', '');
export const choice = field('options', '');
const data = field('json', '{}');

/** JSON text, or data from an expression. The label ends with (JSON). */
export const json = (about: About<SingleField>): SingleField =>
	data({ displayName: `${labelOf(about.name.replace(/Json$/, ''))} (JSON)`, ...about });

export const notice = (displayName: string): SingleField => ({
	displayName,
	name: 'notice',
	type: 'notice',
	default: '',
});

interface AboutRows extends Omit<About<FixedCollection>, 'options'> {
	row: { displayName: string; name: string };
	values: Field[];
}

export const row = ({
	row: { name, displayName },
	values,
	...about
}: AboutRows): FixedCollection => ({
	displayName: labelOf(about.name),
	default: {},
	...about,
	type: 'fixedCollection',
	placeholder: `Add ${displayName.toLowerCase()}`,
	options: [{ displayName, name, values }],
});

export const rows = (about: AboutRows): FixedCollection => ({
	...row(about),
	typeOptions: { ...about.typeOptions, multipleValues: true },
});

/** @param entry what the Add button calls a field */
export const collection =
	(name: string, entry: string) =>
	(options: Field[]): Collection => ({
		displayName: labelOf(name),
		name,
		type: 'collection',
		placeholder: `Add ${entry}`,
		default: {},
		options,
	});

export const additionalFields = collection('additionalFields', 'field');

/** A field that is refused if the user adds it and leaves it empty, unless empty clears the value. */
function neverLost(field: Field): Field {
	if (field.type === 'collection') return { ...field, options: field.options.map(neverLost) };
	if (field.send === false || field.send?.empty === 'clears') return field;
	return { ...field, send: { ...field.send, empty: 'refusedInForm' } } as Field;
}

/** To omit an empty field of an update silently would look as if the value had been changed. */
export const updateFields = (fields: Field[]): Collection => ({
	...collection('updateFields', 'field')(fields.map(neverLost)),
	description: 'Only the fields you add are sent, empty ones too',
});

/** A filter that is left empty would return everything. */
export const filters = (fields: Field[]): Collection =>
	collection('filters', 'filter')(fields.map(neverLost));

export const options = collection('options', 'option');
