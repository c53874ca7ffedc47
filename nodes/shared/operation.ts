// What an operation, a field and a resource are. An endpoint of the API is one `Operation`;
// pickers, execution, error texts, output schema previews, the operations page and the tests
// are derived from it.
import type {
	IDataObject,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	NodePropertyTypes,
} from 'n8n-workflow';

import { endpointOf, partsOf, type Route, type Shape } from './endpoints';
import type { Answer, Sought } from './client/outcome';
import type { Format } from './form/formats';

/**
 * What a field sends, and what the reference allows there. A value goes to the path if the template
 * names its field, else to the query of a GET or DELETE, else to the body. The limits carry the names of
 * JSON Schema; `maxBytes` counts UTF-8 bytes (of the JSON text, for objects and lists).
 */
export interface Send {
	/** Name on the wire, default the field's own; dotted for a nested key, `*` to join the body. */
	as?: string;
	/** What the value becomes, where the type of the form field does not say it. */
	type?: 'integer' | 'list' | 'values' | 'texts' | 'date' | 'dateTime' | 'map' | 'array' | 'any';
	/** A field that the user added and left empty is sent as an empty text, since that means something. */
	emptyClears?: boolean;
	/** A field that the user added and left empty is refused, since to send nothing means something. */
	emptyFails?: boolean;
	/** The field names a file of the input item: its text is what is sent, its name goes to `nameTo` if that is empty. */
	file?: { nameTo: string };
	/** It isn't sent: its checked value is one of the request's `settings`, for `check` and `run`. */
	setting?: boolean;
	/** Text of a format that the API insists on. */
	format?: Format;
	maxLength?: number;
	maxBytes?: number;
	minimum?: number;
	maximum?: number;
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

/** A field of a form. */
export type Field = SingleField | Collection | FixedCollection;

/** The rows of a fixed collection. */
export interface FieldGroup extends Omit<INodePropertyCollection, 'values'> {
	values: Field[];
}

/** One request, ready to be sent. */
export interface ApiRequest {
	/** The endpoint to ask. */
	route: Route;
	/** Its path, with the ids encoded. */
	path: string;
	query?: IDataObject;
	body?: IDataObject;
	binary?: boolean;
	/** What the form says of how the operation goes on, and isn't sent; by the names of the fields. */
	settings?: IDataObject;
	/** What it looks for, for a 404, where the fields of the form don't say it. */
	sought?: Sought[];
	/** It's sent again when it broke, although it may have gone through: the user wants it so. */
	retryBroken?: boolean;
}

/** A value that can't be sent: the field, and what's wrong with the value. */
export class FieldFault extends Error {
	constructor(
		readonly field: string,
		readonly fault: string,
	) {
		super(`${field} ${fault}`);
	}
}

export type { Answer, Sought } from './client/outcome';

/** What an operation that needs several requests may do; see `Operation.run`. */
export interface Steps {
	/** Sends a request with the retry rules of its method; an error of the API throws. */
	send(request: ApiRequest): Promise<unknown>;
	/** The same, but gives back an error of the API instead of throwing it. */
	ask(request: ApiRequest): Promise<Answer>;
	/** The body of an answer of `ask`; an error of the API throws. */
	accept(answer: Answer): unknown;
	/** The rows of a list; `onPage` makes of those of a page what is kept of them. */
	list(
		request: ApiRequest,
		options: { onPage: (rows: unknown[], body: unknown) => unknown[] },
	): Promise<{ rows: unknown[] }>;
	/** A request to an endpoint, with ids by the parameters of its path. */
	request(
		route: Route,
		ids?: Record<string, unknown>,
		content?: { query?: IDataObject; body?: IDataObject },
	): ApiRequest;
	/** Waits for so many milliseconds, or until the execution is cancelled, which throws. */
	wait(milliseconds: number): Promise<void>;
	/** Runs steps of the same `key` one after the other, also those of other items. */
	inTurn<T>(key: string, step: () => Promise<T>): Promise<T>;
}

/** One operation of a resource; nearly always one endpoint. */
export interface Operation {
	name: string;
	value: string;
	/** What the node creator and AI agents show: distinct in the node, a verb first. */
	action: string;
	/** What it does and what comes out. */
	description: string;
	/** The endpoint. */
	route: Route;
	/** Another endpoint or shape, used while `field` has the value `is`. */
	alternative?: { field: string; is: string; route?: Route; shape?: Shape };
	/** Further endpoints that `run` asks. */
	also?: Route[];
	fields?: Field[];
	/** Key of the body that holds all body fields. */
	root?: string;
	/** How the answer becomes items, where it is not the shape of the endpoint. */
	shape?: Shape;
	/** It moves money, sends mail or starts something: one item at a time unless the user says so. */
	sequential?: boolean;
	/** A warning that the form shows: permanent, costs tokens, secrets. */
	notice?: string;
	/** A rule over several fields. Throws `FieldFault`. */
	check?: (request: ApiRequest) => void;
	/** What the user should know of an answer that may not be all that was asked for. */
	hint?: (request: ApiRequest, answer: unknown) => string | undefined;
	/** Several requests in place of one. Gives back the answer that `shape` describes. */
	run?: (request: ApiRequest, steps: Steps) => Promise<unknown>;
}

/** A resource and its operations: one file of an area. */
export interface Resource {
	name: string;
	value: string;
	operations: Operation[];
}

/** How the answer of an operation becomes items. */
export const shapeOf = ({ route, shape }: Operation): Shape => shape ?? endpointOf(route);

/** Whether the operation only reads, so that the engine may choose the parallelism. */
export function isRead({ route }: Operation): boolean {
	return partsOf(route).method === 'GET';
}

/** All endpoints of an operation. */
export function routesOf({ route, alternative, also = [] }: Operation): Route[] {
	return [route, ...(alternative?.route ? [alternative.route] : []), ...also];
}

/** Whether a value is an object of names and values. */
export const isRecord = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value as an object of names and values: an empty one for anything else. */
export const recordOf = (value: unknown): IDataObject => (isRecord(value) ? value : {});

/** The objects in a list; none for anything else. */
export const recordsOf = (value: unknown): IDataObject[] =>
	Array.isArray(value) ? value.filter(isRecord) : [];

/** A text as an error may show it. */
export const short = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text);
