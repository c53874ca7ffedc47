// What a field of a form is, and what most forms have: text, rows, groups whose fields the user adds one by one.
import type {
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	NodePropertyTypes,
} from 'n8n-workflow';

import type { Format } from './form/formats';

/**
 * What a field sends, and what the reference allows there. A value goes to the path if the template
 * names its field, else to the query of a GET or DELETE, else to the body. The limits carry the names of
 * JSON Schema, and those of a number stand in `typeOptions`; `maxBytes` counts UTF-8 bytes (of the JSON text, for objects and lists).
 */
export interface Send {
	/** Name on the wire, default the field's own; dotted for a nested key, `*` to join the body. */
	as?: string;
	/** What the value becomes, where the type of the form field does not say it. */
	type?:
		| 'integer'
		| 'list'
		/** What all input items have in the field of this name. */
		| 'column'
		| 'values'
		| 'texts'
		| 'joined'
		| 'date'
		| 'dateTime'
		| 'dateOrDateTime'
		| 'map'
		| 'array'
		| 'any';
	/**
	 * A field that the user added and left empty clears what is there: it sends an empty text, an empty list,
	 * or null for a date and an object.
	 */
	emptyClears?: boolean;
	/** A field that the user added and left empty is refused, since to send nothing means something. */
	emptyFails?: boolean;
	/** The field names a file of the input item: its text is what is sent, its name goes to `nameTo` if that is empty. */
	file?: { nameTo: string };
	/** Data in place of the rows of another field, each held against the fields of a row. */
	rows?: FixedCollection;
	/** It isn't sent: its checked value is one of the request's `settings`, for `check` and `run`. */
	setting?: boolean;
	/** No error shows it, as none shows a password; it may hold a signed URL. */
	secret?: boolean;
	/** Text of a format that the API insists on. */
	format?: Format;
	maxLength?: number;
	maxBytes?: number;
	/** The greatest value that is too small. */
	above?: number;
	minItems?: number;
	maxProperties?: number;
}

/** An n8n property that also says where its value goes. With `send: false` it only controls the form. */
interface Property extends Omit<INodeProperties, 'type' | 'options'> {
	send?: Send | false;
}

/** A field with one value. */
export interface SingleField extends Property {
	type: Exclude<NodePropertyTypes, 'collection' | 'fixedCollection'>;
	options?: INodePropertyOptions[];
}

/** Fields that the user adds one by one. */
export interface Collection extends Property {
	type: 'collection';
	options: Field[];
}

/** Rows of the same fields. */
export interface FixedCollection extends Property {
	type: 'fixedCollection';
	options: [FieldGroup];
}

export type Field = SingleField | Collection | FixedCollection;

/** The rows of a fixed collection. */
export interface FieldGroup extends Omit<INodePropertyCollection, 'values'> {
	values: Field[];
}

/** Words of names that a form spells in its own way. */
const spelled: Record<string, string | undefined> = Object.fromEntries(
	['AI', 'API', 'by', 'CA', 'DNS', 'ID', 'IDs', 'IP', 'URL', 'VAT'].map((word) => [
		word.toLowerCase(),
		word,
	]),
);

/** What a form calls something by its name: `External ID` for `externalId`. */
export function labelOf(name: string): string {
	const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(' ');
	return words
		.map((word) => spelled[word] ?? `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
		.join(' ');
}

/** The same for a field that chooses a record by its ID: `Knowledge Base` for `knowledgeBaseId`. */
export const recordLabel = (name: string): string => labelOf(name.replace(/Id$/, ''));

/** What a field says of itself. Its display name follows from its name unless it is given. */
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

/** Fields of one type, with the default that most of them have. */
export const text = field('string', '');
export const number = field('number', 0);
export const toggle = field('boolean', false);
export const date = field('dateTime', '');
export const choice = field('options', '');
const data = field('json', '{}');

/** Data as JSON text, or from an expression; its display name says so. */
export const json = (about: About<SingleField>): SingleField =>
	data({ displayName: `${labelOf(about.name.replace(/Json$/, ''))} (JSON)`, ...about });

/** A warning or an explanation that the form shows. */
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

/** One row of fields, which the user adds or not. */
export const row = ({
	row: { name, displayName },
	values,
	...about
}: AboutRows): FixedCollection => ({
	displayName: labelOf(about.name),
	...about,
	type: 'fixedCollection',
	placeholder: `Add ${displayName.toLowerCase()}`,
	default: {},
	options: [{ displayName, name, values }],
});

/** Rows of the same fields, as many as the user adds. */
export const rows = (about: AboutRows): FixedCollection => ({
	...row(about),
	typeOptions: { multipleValues: true },
});

/** Fields that the user adds one by one; `entry` is what one of them is called. */
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

/** What a request can have beside the fields that the form always shows. */
export const additionalFields = collection('additionalFields', 'field');

/** What an update can change: only the fields that the user adds are sent. */
export const updateFields = collection('updateFields', 'field');

/** What narrows a list down. */
export const filters = collection('filters', 'filter');

/** What changes how an operation goes on, and isn't needed mostly. */
export const options = collection('options', 'option');
