// What an operation and a resource are. An endpoint of the API is one `Operation`;
// pickers, execution, error texts, output schema previews, the operations page and the tests
// are derived from it.
import type { IDataObject } from 'n8n-workflow';

import { endpointOf, type Route, type Shape } from './endpoints';
import { labelOf, type Field } from './fields';
import type { ApiResponse, LookupKey } from './client/http/outcome';

export interface ApiRequest {
	route: Route;
	/** Its path, with the ids encoded. */
	path: string;
	/** The ids in its path, by the parameters of the route, in order. */
	ids: Record<string, string>;
	query?: IDataObject;
	body?: IDataObject;
	binary?: boolean;
	/** What the form says of how the operation goes on, and isn't sent; by the names of the fields. */
	settings?: IDataObject;
	/** What it looks for, for a 404. */
	lookupKeys?: LookupKey[];
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

export type { ApiResponse, LookupKey } from './client/http/outcome';

/** What an operation that needs several requests may do; see `Operation.run`. */
export interface Steps {
	/** Sends a request with the retry rules of its method; an error of the API throws. */
	send(request: ApiRequest): Promise<unknown>;
	/** The same, but gives back an error of the API instead of throwing it. */
	ask(request: ApiRequest): Promise<ApiResponse>;
	/** The body of a response of `ask`; an error of the API throws, and says what to do as `step`. */
	accept(response: ApiResponse, step?: string): unknown;
	/** The rows of a list; `onPage` makes of those of a page what is kept of them. */
	list(
		request: ApiRequest,
		options: { onPage: (rows: unknown[], body: unknown) => unknown[] },
	): Promise<{ rows: unknown[] }>;
	/** The rows of a list that are wanted. It's read once for all items, as it was before their writes. */
	find(request: ApiRequest, wanted: Wanted): Promise<unknown[]>;
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
	/** IDs of what items have made, by the key of their turns; empty where it's in doubt if it was made. */
	readonly made: Map<string, string>;
	/** What came of this item's writes that must not be repeated. */
	readonly writes: 'applied' | 'notApplied' | 'inDoubt';
}

/** Which rows of a list are wanted. */
export interface Wanted {
	matches: (row: IDataObject) => boolean;
	/** A text that matching rows have exactly, and the texts of a row: many items find theirs by an index. */
	exact?: { name: string; text: string; textsOf: (row: IDataObject) => string[] };
}

/** What becomes of the rows of a list, where they are not passed on as they are. */
export interface Reading {
	/** What a row becomes, with the body of its page. */
	row?: (row: IDataObject, body: unknown) => IDataObject;
	/** The rows that are wanted, all if undefined. Pages are read until there are enough. */
	wanted?: Wanted;
	/** What the rows are: a hint then says how many of them were read for those that are wanted. */
	noun?: string;
}

/**
 * What **Simplify** makes of the rows that one request gave. A row of a shape that the reference doesn't
 * show comes back as it is.
 */
export type Simplify = (rows: unknown[], request: ApiRequest) => unknown[];

/** What Safety Limits add up before the first request is sent. */
export interface Measure {
	what: 'amount' | 'recipients';
	/** The numbers in a request, or what the API tells of it. */
	of: (request: ApiRequest, steps: Steps) => unknown[] | Promise<unknown[]>;
}

/** Where a write that returns little of a record finds the whole of it. */
export interface WholeRecord {
	/** The endpoint that returns it, or a list that has it. Its path has the ids of the write's path, and its own. */
	route: Route;
	/** Field of the write's answer that names the record, `id` unless said otherwise. */
	by?: string;
}

/** One operation of a resource; nearly always one endpoint. */
export interface Operation {
	name: string;
	value: string;
	/** What the node creator and AI agents show: distinct in the node, a verb first. */
	action: string;
	/** What it does and what comes out: also what a model is told of it as a tool. */
	description: string;
	/** What a model is told, where n8n's rules set the words of the description. */
	tool?: string;
	/** What an AI builder should know before it uses the operation. */
	builderHint?: string;
	route: Route;
	/** Another endpoint or shape, used while `field` has the value `is`. */
	alternative?: { field: string; is: string; route?: Route; shape?: Shape };
	/** Further endpoints that `run` asks. */
	also?: Route[];
	fields?: Field[];
	/** Key of the body that holds all body fields. */
	root?: string;
	/** It makes a record, and the reference names no field that must be there: one must be, all the same. */
	makes?: true;
	/** How the response becomes items, where it is not the shape of the endpoint. */
	shape?: Shape;
	/** A list with more beside its rows than counts and pages: Options can return it as one item. */
	envelope?: true;
	/** The form offers Simplify, on by default. */
	simplify?: Simplify;
	/** The form offers Return Whole Record, off by default, since it takes one more request. */
	whole?: WholeRecord;
	/** What it sends proves who somebody is: its items don't repeat it. */
	proves?: true;
	/** It moves money, sends mail or starts something: one item at a time unless the user says so. */
	sequential?: boolean;
	/** While `field` has the value `is`, all input items are sent in one request. */
	gathers?: { field: string; is: string };
	/** What Safety Limits add up beside the items. */
	measure?: Measure;
	/** A warning that the form shows: permanent, costs tokens, secrets. */
	notice?: string;
	/** A rule over several fields. Throws `FieldFault`. */
	check?: (request: ApiRequest) => void;
	/** What becomes of the rows of a list, by the values of the form. */
	reading?: (value: (name: string) => unknown) => Reading | undefined;
	/** What the user should know of a response that may not be all that was asked for. */
	hint?: (request: ApiRequest, response: unknown) => string | undefined;
	/** Several requests in place of one. Gives back the response that `shape` describes. */
	run?: (request: ApiRequest, steps: Steps) => Promise<unknown>;
}

/** What is said of an operation or a resource beside its value. Its name follows from that unless it is given. */
type About<Of extends { name: string; value: string }> = Omit<Of, 'name' | 'value'> & {
	name?: string;
};

/** An operation: `Get Stats` is the name of `getStats`. */
export const operation = (value: string, about: About<Operation>): Operation => ({
	name: labelOf(value),
	...about,
	value,
});

/** An operation that many resources have: by the same name, with the same value. */
const usual =
	(value: string, name = labelOf(value)) =>
	(about: Omit<About<Operation>, 'name'>): Operation =>
		operation(value, { name, ...about });

export const create = usual('create');
export const get = usual('get');
export const getMany = usual('getAll', 'Get Many');
export const remove = usual('delete');
export const update = usual('update');

/** Create or Update, in the words that n8n wants; a model is told what `tool` says. */
export const upsert = (about: Omit<About<Operation>, 'name' | 'description'> & { tool: string }) =>
	operation('upsert', {
		name: 'Create or Update',
		description: 'Create a new record, or update the current one if it already exists (upsert)',
		shape: { kind: 'one' },
		...about,
	});

/** A resource and its operations: one file of an area. */
export interface Resource {
	name: string;
	value: string;
	/** What it is, for the picker and for AI builders. */
	description: string;
	/** The operation of a new node, where it isn't Get Many or the first that only reads. */
	usual?: string;
	operations: Operation[];
}

/**
 * A resource: `Content Type` is the name of `contentType`.
 * @param ids the fields for IDs. An operation has those that its path names, before its own fields.
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

/** How the response of an operation becomes items. */
export const shapeOf = ({ route, shape }: Operation): Shape => shape ?? endpointOf(route);

/** All endpoints of an operation. */
export function routesOf({ route, alternative, also = [] }: Operation): Route[] {
	return [route, ...(alternative?.route ? [alternative.route] : []), ...also];
}

/** Whether nothing was set: an empty field is left out of a request. */
export const isUnset = (value: unknown) => value === undefined || value === null || value === '';

/** Whether a value is an object of names and values. */
export const isRecord = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value as an object of names and values: an empty one for anything else. */
export const recordOf = (value: unknown): IDataObject => (isRecord(value) ? value : {});

/** The objects in a list; none for anything else. */
export const recordsOf = (value: unknown): IDataObject[] =>
	Array.isArray(value) ? value.filter(isRecord) : [];

/** A number, also as text; undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** A text as an error may show it. */
export const short = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text);
