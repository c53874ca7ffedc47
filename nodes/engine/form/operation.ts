// Operations, resources and requests. An endpoint of the API is one `Operation`. Pickers, execution, error
// texts, schema previews, the operations page and the tests are derived from it.
import type { IDataObject } from 'n8n-workflow';

import { endpointOf, type Route, type Shape } from '../../api/endpoints';
import { labelOf, type Field } from './fields';
import type { ApiResponse, LookupKey, WriteOutcome } from '../client/http/outcome';

export interface ApiRequest {
	route: Route;
	/** Path with encoded IDs. */
	path: string;
	/** IDs by path parameter, in the order of the path. */
	ids: Record<string, string>;
	query?: IDataObject;
	body?: IDataObject;
	/** Values that control how the operation runs and aren't sent, by field name. */
	settings?: IDataObject;
	/** Values that it looks up, for the error of a 404. */
	lookupKeys?: LookupKey[];
	/** Retries a broken request although it may have gone through. The user chose this. */
	retryBroken?: boolean;
}

/** A value that can't be sent. */
export class FieldFault extends Error {
	/** @param empty name of the parameter, if its value is missing: an error then shows its expression */
	constructor(
		readonly field: string,
		readonly fault: string,
		readonly empty?: string,
	) {
		super(`${field} ${fault}`);
	}
}

export type { ApiResponse, LookupKey } from '../client/http/outcome';

/** Functions for an operation that needs several requests. See `Operation.run`. */
export interface Steps {
	/** Sends a request with the retry rules of its method. Throws for an error of the API. */
	send(request: ApiRequest): Promise<unknown>;
	/** Same as `send`, but returns an error of the API instead of throwing it. */
	ask(request: ApiRequest): Promise<ApiResponse>;
	/** Returns the body of a response to `ask`. Throws for an error of the API, with `step` as advice. */
	accept(response: ApiResponse, step?: string): unknown;
	/** Reads a list. `onPage` returns what to keep of the rows of a page. */
	list(
		request: ApiRequest,
		options?: { onPage: (rows: unknown[], body: unknown) => unknown[] },
	): Promise<{ rows: unknown[] }>;
	/**
	 * Reads the wanted rows of a list. All items share one read of the list, from before their writes.
	 * @param again reads it anew, from now on for all items
	 */
	find(request: ApiRequest, wanted: Wanted, again?: boolean): Promise<unknown[]>;
	/** The record that a dry run made with this ID, which its list doesn't have. Undefined for any other ID. */
	dryRecord(list: ApiRequest, id: string): IDataObject | undefined;
	/** Builds a request. `ids` are by path parameter. */
	request(
		route: Route,
		ids?: Record<string, unknown>,
		content?: { query?: IDataObject; body?: IDataObject },
	): ApiRequest;
	/** Waits, in milliseconds. Throws if the execution is cancelled. */
	wait(milliseconds: number): Promise<void>;
	/** Runs steps with the same `key` one after the other, also across items. */
	inTurn<T>(key: string, step: () => Promise<T>): Promise<T>;
	/** IDs of records that items have created, by the key of `inTurn`. Empty if the creation is in doubt. */
	readonly made: Map<string, string>;
	/** Outcome of this item's writes that must not be repeated. */
	readonly writes: { readonly outcome: WriteOutcome };
}

/** Rows to find in a list. */
export interface Wanted {
	matches: (row: IDataObject) => boolean;
	/** Index for many items that look for a text: matching rows have `text` among their `textsOf`. */
	exact?: { name: string; text: string; textsOf: (row: IDataObject) => string[] };
}

/** Converts and filters the rows of a list. */
export interface Reading {
	/** Converts a row. `body` is the body of its page. */
	row?: (row: IDataObject, body: unknown) => IDataObject;
	/** Rows to return, default all. Pages are read until there are enough rows. */
	wanted?: Wanted;
	/** Field that the rows must have to match, and the label of its filter, for a hint if no row has it. */
	needs?: { field: string; label: string };
	/** Name of the rows, for a hint that says how many were read to find the wanted ones. */
	noun?: string;
}

/** Rule of **Simplify** for the rows of one response. Rows of an undocumented shape stay unchanged. */
export type Simplify = (rows: unknown[], request: ApiRequest) => unknown[];

/** Numbers that Safety Limits add up before the first request is sent. */
export interface Measure {
	what: 'amount' | 'recipients';
	/** Returns the numbers in a request, or reads them from the API. */
	of: (request: ApiRequest, steps: Steps) => unknown[] | Promise<unknown[]>;
}

/** Endpoint to read the whole record from, after a write that returns little of it. */
export interface WholeRecord {
	/** The record or a list that has it. Its path has the IDs of the write's path, and the record's ID. */
	route: Route;
	/** Field with the record's ID in the response to the write, default `id`. */
	by?: string;
}

/** One operation of a resource, nearly always one endpoint. */
export interface Operation {
	name: string;
	value: string;
	/** Shown by the node creator and to AI agents. Unique in the node, starts with a verb. */
	action: string;
	/** Says what it does and what the output is. Also the description as a tool. */
	description: string;
	/** Description as a tool, where n8n's rules dictate the words of `description`. */
	tool?: string;
	/** Advice for AI builders before they use the operation. */
	builderHint?: string;
	route: Route;
	/** Another endpoint or shape, used while `field` has the value `is`. */
	alternative?: { field: string; is: string; route?: Route; shape?: Shape };
	/** Further endpoints that `run` uses. */
	also?: Route[];
	fields?: Field[];
	/** Key of the body that holds all body fields. */
	root?: string;
	/** It creates a record, and the reference requires no field. At least one must be set all the same. */
	makes?: true;
	/** Overrides the shape of the endpoint. */
	shape?: Shape;
	/** The response of this list has more than rows, counts and pages. Options can return it as one item. */
	envelope?: true;
	/** The form offers Simplify, on by default. */
	simplify?: Simplify;
	/** The form offers Return Whole Record, off by default, since it takes one more request. */
	whole?: WholeRecord;
	/** Its values prove someone's identity, so output items don't repeat them. */
	proves?: true;
	/** It moves money, sends email or starts something, so items run one at a time by default. */
	sequential?: boolean;
	/** While `field` has the value `is`, all input items are sent in one request. */
	gathers?: { field: string; is: string };
	/** It has Safety Limits, although its items run side by side: what it records is billed later. */
	billed?: true;
	/** Totals for Safety Limits besides the number of items. */
	measure?: Measure;
	/** A warning in the form, such as permanent, costs tokens, secrets. */
	notice?: string;
	/** Checks several fields together. Throws `FieldFault`. */
	check?: (request: ApiRequest) => void;
	/** Converts and filters the rows of a list, by the values of the form. */
	reading?: (value: (name: string) => unknown) => Reading | undefined;
	/** Hint for a response that may be incomplete. */
	hint?: (request: ApiRequest, response: unknown) => string | undefined;
	/** Sends several requests instead of one. Returns a response of the shape that `shape` describes. */
	run?: (request: ApiRequest, steps: Steps) => Promise<unknown>;
}

/** Arguments for an operation or a resource. The name follows from the value unless it's given. */
type About<Of extends { name: string; value: string }> = Omit<Of, 'name' | 'value'> & {
	name?: string;
};

/** Creates an operation. `getStats` is called `Get Stats`. */
export const operation = (value: string, about: About<Operation>): Operation => ({
	name: labelOf(value),
	...about,
	value,
});

/** An operation that many resources have, always with the same name and value. */
const usual =
	(value: string, name = labelOf(value)) =>
	(about: Omit<About<Operation>, 'name'>): Operation =>
		operation(value, { name, ...about });

export const create = usual('create');
export const get = usual('get');
export const getMany = usual('getAll', 'Get Many');
export const remove = usual('delete');
export const update = usual('update');

/** Create or Update. n8n's rules dictate the description, so a model reads `tool`. */
export const upsert = (about: Omit<About<Operation>, 'name' | 'description'> & { tool: string }) =>
	operation('upsert', {
		name: 'Create or Update',
		description: 'Create a new record, or update the current one if it already exists (upsert)',
		shape: { kind: 'one' },
		...about,
	});

/** A resource and its operations, in one file of an area. */
export interface Resource {
	name: string;
	value: string;
	/** Shown in the dropdown and to AI builders. */
	description: string;
	/** Default operation of a new node, if it isn't Get Many or the first that only reads. */
	usual?: string;
	operations: Operation[];
}

/**
 * Creates a resource. `contentType` is called `Content Type`.
 * @param ids fields for IDs. An operation gets those in its path, before its own fields.
 */
export const resource = (
	value: string,
	{ ids = [], ...about }: About<Resource> & { ids?: Field[] },
): Resource => ({
	name: labelOf(value),
	...about,
	operations: about.operations.map(({ fields = [], ...each }) => {
		const isAsked = ({ name }: Field) =>
			each.route.includes(`{${name}}`) && fields.every((own) => own.name !== name);
		return { ...each, fields: [...ids.filter(isAsked), ...fields] };
	}),
	value,
});

/** True if simplified items of a write also have what was sent. */
export const tellsSent = ({ root, proves }: Operation) => root !== undefined && !proves;

export const shapeOf = ({ route, shape }: Operation): Shape => shape ?? endpointOf(route);

export function routesOf({ route, alternative, also = [] }: Operation): Route[] {
	return [route, ...(alternative?.route ? [alternative.route] : []), ...also];
}

/** True for values that a request leaves out. */
export const isUnset = (value: unknown) => value === undefined || value === null || value === '';

export const isRecord = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns an object as it is, and an empty one for anything else. */
export const recordOf = (value: unknown): IDataObject => (isRecord(value) ? value : {});

/** Returns the objects in an array. Empty for anything else. */
export const recordsOf = (value: unknown): IDataObject[] =>
	Array.isArray(value) ? value.filter(isRecord) : [];

/** Returns a number or the number in a text. Undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Shortens a text for an error. */
export const short = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

/** Joins the first texts and counts the others. */
export function firstOf(all: string[], most = 10): string {
	const shown = all.slice(0, most).join(', ');
	return all.length > most ? `${shown} and ${all.length - most} more` : shown;
}
