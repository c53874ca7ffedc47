// An API, as the engine is told of it: its endpoints, and the rules of its responses, lists and errors.
import type { IDataObject } from 'n8n-workflow';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Key of an endpoint: its method and its path below the version, with parameters in braces. */
export type Route = `${Method} /${string}`;

/**
 * Documented shape of a response, which decides how the response becomes items.
 * - `one`: an object, below `unwrap` if the response wraps it. Some services put a record below its `name`, as the reference
 *   does for writes. `returns`: members that the reference documents, without which a response doesn't tell that a write is
 *   done. They may be in a record right below. `untyped`: the reference doesn't show the shape, so any JSON is passed on. If
 *   the status alone tells that the request is `applied`, so is text. `resultBy`: a failure is a result too, with `success:
 *   false`, and a response with this key is a result even if it has an error. `gone`: the output for a deletion that was done
 *   already.
 * - `list`: rows below `items` (default: as in the API's lists, `''` for a bare array). `paged` lists take a page number and a
 *   size, `tokens` lists the token by which each page names the next one. `unexplained` lists are documented as paginated, but
 *   not how to request a page. `unpaged` lists have no Return All: a field of their own limits them, or they always come
 *   complete. By default the reference says nothing of pages. `extras`: the response has more than rows, counts and pages, so
 *   the form offers it whole, as one item.
 * - `strings`: a list of texts below `items`, which can be dotted. Each becomes an item `{[as]: text}`.
 * - `map`: an object of names and values below `items`. Each becomes an item `{name, value}`.
 * - `binary`: a file, raw or as base64 text at the dotted key `base64`. `{id}` in the file name stands for the ID before the
 *   last segment of the path. `begins`: the first bytes of every file of its type.
 */
export type Shape =
	| {
			kind: 'one';
			unwrap?: string;
			name?: string;
			returns?: string[];
			untyped?: 'open' | 'applied';
			resultBy?: string;
			gone?: (id: string) => IDataObject;
	  }
	| {
			kind: 'list';
			items?: string;
			paging?: 'paged' | 'tokens' | 'unexplained' | 'unpaged';
			extras?: boolean;
			/** Max size of a page, where the reference shows one. */
			maxSize?: number;
			/** Field that identifies a row, default `id`. */
			key?: string;
	  }
	| { kind: 'strings'; items?: string; as: string; paging?: 'unpaged' }
	| { kind: 'map'; items: string }
	| { kind: 'binary'; mimeType: string; fileName: string; begins: string; base64?: string };

export interface Facts {
	/** A POST that only reads, so it can be retried. */
	reads?: boolean;
	/** A POST that only costs tokens. A dry run sends it too, because a made-up result would do harm. */
	computes?: boolean;
	/** A POST that tries something out. A second time does no harm. */
	tests?: boolean;
	/** A PUT that does something each time, so it can't be retried. */
	acts?: boolean;
	/** A POST that can be retried. The text says what a second request does, for errors. */
	again?: string;
	/** A POST that acts on the record in its path and makes none. */
	onRecord?: boolean;
	/**
	 * Field of an input item for the placeholder of an Idempotency Key. An endpoint that may be called again with other values
	 * has none, because later changes would be skipped.
	 */
	key?: string;
	/** Advice if the record exists, and the members of the request that have to be unique, where the reference says so. */
	taken?: { by: string[]; says: string };
	/** Why the API may refuse the request, where the reference says so and shows no message. */
	refusedFor?: string;
	/** The message for a missing record, where the reference shows one. */
	absent?: string;
	/** Dotted keys of the body or the query that name the record, if its ID isn't in the path. The first that is set counts. */
	about?: string[];
	/** A message about credentials is about a code or a passkey, not about the key. */
	checksCode?: boolean;
	/** The result holds only at its time, because a person was checked. */
	checksPerson?: boolean;
	/**
	 * Lists and maps that a request replaces whole, by their keys in the record that is sent. The text tells how several items
	 * change one record without a replacement.
	 */
	replaces?: Record<string, string>;
	/** Member of a successful response whose word may say no, such as `failed`. Then the request had no success. */
	outcome?: string;
}

/** The scope is null where the reference doesn't show it. */
export type EndpointRow = Shape & Facts & { scope: string | null };

/** A fixed segment, or one with the ID `name` and a `suffix` such as `.json`. */
export type Segment = { fixed: string } | { name: string; suffix: string };

/** Parsed once for each endpoint, for speed. */
export interface Template {
	path: string;
	segments: Segment[];
	names: string[];
	/** Templates that can match its path with the right ID, as `/users/types.json` does `/users/{userId}.json`. */
	rivals: Template[];
	all: Template[];
}

export type Endpoint = EndpointRow & {
	route: Route;
	method: Method;
	api: ApiDefinition;
	template: Template;
	pathParameters: string[];
	onlyReads: boolean;
	isUntyped: boolean;
	/** A request that may have gone through can be retried without doing anything twice. */
	isRepeatable: boolean;
	makesRecord: boolean;
	/** A dry run really sends the request, because it changes nothing. */
	leavesInDryRun: boolean;
};

export interface ErrorRules {
	/** The message of a body that is an error, `''` if the error has none. Undefined for a result. */
	messageIn(endpoint: Endpoint, status: number, body: unknown): string | undefined;
	/** True if an error with a successful status also has a result, or says too little: a write may be done in part. */
	isUnclear(endpoint: Endpoint, body: unknown): boolean;
	/** The message for a wrong key, if there is one. Other 401s can be about a code or a scope. */
	wrongKey?: string;
	/** True if the message of a 429 is about a budget or a quota that a retry within minutes doesn't renew. */
	isUsedUp?(message: string): boolean;
	stepFor?(message: string): string | undefined;
}

export interface Announced {
	count?: number;
	perPage?: number;
	last?: number;
	/** Token of the next page in a list by tokens, undefined after the last one. */
	next?: string;
}

/** Number or token of a page. The first page is 1 in both. */
export type Place = number | string;

export interface Paging {
	/** @param size undefined where the list takes none */
	query(place: Place, size: number | undefined): IDataObject;
	announcedIn(body: IDataObject): Announced;
}

export interface ListRules {
	/** Place of the rows in a response, dotted, if the endpoint names none. `''` for a bare array. */
	items: string;
	/** Rows of a page that the engine asks for, the max that the API takes. */
	maxSize: number;
	/** Rows of a page if none are asked for, where a full page may come without being asked for. */
	usualSizes: number[];
	/** Lists by numbers, and all whose pages the reference doesn't show. */
	pages: Paging;
	/** Lists by tokens, if the API has any. */
	tokens?: Paging;
	total: string;
	/** Other keys beside the rows, which show that an envelope without rows is an empty list. */
	envelope: string[];
}

export interface NameRules {
	simplified<T>(row: T): T | IDataObject;
	/** Name in the output of an ID that is in the path. */
	ofId(parameter: string): string;
	/** True for an ID in the path that isn't the record's own, even if it's the last one. */
	isAlias?(name: string): boolean;
}

export interface DryRunRules {
	samples: Record<string, IDataObject | undefined>;
	/** Nouns of records that others look up by a value, by the route that makes them. */
	makers: Record<string, string | undefined>;
	/** Routes that look such a record up, with the route that reads it by its ID. */
	lookups: Record<string, { noun: string; like: Route } | undefined>;
	/** Names of the values that records are looked up by. */
	keys: string[];
	/** Names of objects in a record whose fields are entered one by one, such as an address. */
	parts: string[];
	/** Values of a response that follow from its record. `amount` is the sum that the operation moves, such as `7.00`. */
	derived(record: IDataObject, amount?: string): IDataObject;
	/** True for the name of an ID that isn't the record's own. */
	isOfOther(name: string, route: Route): boolean;
}

export interface NodeTexts {
	/** Use of each node by its type, as related nodes show it. */
	roles: Record<string, string>;
	usual: string[];
	/** Output fields by `outputKey`, or by the type of a trigger. */
	outputs: Record<string, string | undefined>;
}

export interface ApiDefinition {
	name: string;
	package: { name: string; version: string };
	/** Type of n8n's credential, the method that tests it, and what paths begin with. */
	credential: { type: string; test: string; basePath: string };
	/** An endpoint that any key may call, and what its response must have. */
	ping: { route: Route; isPong: (body: IDataObject) => boolean };
	errors: ErrorRules;
	lists: ListRules;
	names: NameRules;
	dryRun: DryRunRules;
	nodes: NodeTexts;
	/** Name of the permission for a scope, as users see it at the API. */
	permissionOf?(scope: string): string;
	endpoint(route: Route): Endpoint;
	routes: Route[];
}
