// Operations and resources. An endpoint of the API is one `Operation`. Pickers, execution, error texts, schema previews, the
// operations page and the tests are derived from it.
import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../base/apiRequest';
import type { ApiDefinition, Endpoint, Route, Shape } from '../base/definition';
import type { Steps, Wanted } from '../client/steps';
import { labelOf, type Field } from './fields';

export interface Reading {
	/** `body` is the body of the row's page. */
	row?: (row: IDataObject, body: unknown) => IDataObject;
	/** Pages are read until there are enough of these rows. Default is all rows. */
	wanted?: Wanted;
	/** Dotted fields that rows need to match, and the filter's label. Hints name a missing field, and values if `isNamed`. */
	needs?: Array<{ field: string; label: string; isNamed: boolean }>;
	/** Name of the rows, for a hint that says how many were read to find the wanted ones. */
	noun?: string;
}

/** Rule of **Simplify** for the rows of one response. Rows of an undocumented shape stay unchanged. */
export type Simplify = (rows: unknown[], request: ApiRequest) => unknown[];

/** Numbers that Safety Limits add up before the first request is sent. */
export type Measure = {
	/** The counted things, such as `users`. Without it, the numbers are amounts of money. */
	noun?: string;
	/** Names the counted numbers of an item, if they aren't simply its amounts. */
	counts?: string;
} & (
	| {
			/** The numbers are in the request, so an error can name them, too. */
			isInRequest: true;
			of: (request: ApiRequest) => unknown[];
	  }
	| {
			isInRequest?: false;
			/** Returns the numbers in a request, or reads them from the API. */
			of: (request: ApiRequest, steps: Steps) => unknown[] | Promise<unknown[]>;
	  }
);

/** True for amounts of money, false for a count or nothing. */
export const isOfAmounts = (measure: Measure | undefined): boolean =>
	measure !== undefined && measure.noun === undefined;

export interface Unique {
	field: string;
	of: (request: ApiRequest) => string[];
	/** Advice. With it all items with the same value are refused, otherwise only the later ones. */
	way?: string;
}

/** Endpoint to read the whole record from, after a write that returns little of it. */
export interface WholeRecord {
	/** The record or a list that has it. Its path has the IDs of the write's path, and the record's ID. */
	route: Route;
	/** Field with the record's ID in the response to the write, default `id`. A list has it as `id`. */
	by?: string;
}

/** Reads the file in a binary field of the input item, if it has one. */
export type FileIn = (
	field: string,
) => Promise<{ name: string | undefined; data: Uint8Array } | undefined>;

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
	endpoint: Endpoint;
	/** Another endpoint or shape, used while `field` has the value `is`. */
	alternative?: { field: string; is: string; route?: Route; shape?: Shape };
	also?: Route[];
	fields?: Field[];
	/** Key of the body that holds all body fields. */
	root?: string;
	/** It creates a record, and the reference requires no field. At least one field must be set all the same. */
	makes?: true;
	shape?: Shape;
	/** The form offers Simplify, on by default. */
	simplify?: Simplify;
	/** The form offers Return Whole Record, off by default, since it takes one more request. */
	whole?: WholeRecord;
	/** The values prove someone's identity, so output items don't repeat them. */
	proves?: true;
	/** It moves money, sends email or starts something, so items run one at a time by default. */
	sequential?: boolean;
	/** It has Safety Limits, although its items run side by side: what it records is billed later. */
	billed?: true;
	/** Something that only the API can refuse, for the hint of a dry run. By default IDs, duplicates or plans. */
	unchecked?: string;
	/** Totals for Safety Limits besides the number of items. */
	measure?: Measure;
	/** A warning in the form, such as permanent, costs tokens, secrets. */
	notice?: string;
	/** Completes the values of the visible fields before they're checked, such as with the text of a file. */
	complete?: (values: Record<string, unknown>, fileIn: FileIn) => Promise<Record<string, unknown>>;
	check?: (request: ApiRequest) => void;
	/** Values that only one item of a run may have, such as what it pays for. */
	unique?: Unique[];
	/** Names the record that a request writes, if its path doesn't. */
	recordKey?: (request: ApiRequest) => string;
	/** Keys of the record that the steps merge with what it has, so that nothing of them is replaced. */
	merged?: (request: ApiRequest) => string[];
	reading?: (value: (name: string) => unknown) => Reading | undefined;
	hint?: (request: ApiRequest, response: unknown) => string | undefined;
	/** The result says in `action` and `changes` what is done to the record. A dry run counts that for its hint. */
	compares?: true;
	/** Text by which a list shows the record of a request (`Steps.ahead`). Undefined if no list is searched for the record. */
	listedKey?: (request: ApiRequest) => string | undefined;
	/** The steps remember values in n8n's store (`Steps.values`). */
	remembers?: true;
	/** Sends several requests instead of one. Returns a response of the shape that `shape` describes. */
	run?: (request: ApiRequest, steps: Steps) => Promise<unknown>;
}

type NamedByDefault<Of extends { name: string; value: string }> = Omit<Of, 'name' | 'value'> & {
	name?: string;
};

type Declared<R extends Route> = NamedByDefault<Omit<Operation, 'endpoint'>> & { route: R };

export function operationsOf<R extends Route>(api: ApiDefinition) {
	const operation = (value: string, { route, ...about }: Declared<R>): Operation => ({
		name: labelOf(value),
		...about,
		endpoint: api.endpoint(route),
		value,
	});

	/** Many resources have such an operation, always with the same name and value. */
	const common =
		(value: string, name = labelOf(value)) =>
		(about: Omit<Declared<R>, 'name'>): Operation =>
			operation(value, { name, ...about });

	/** Create or Update. n8n's rules dictate the description, so a model reads `tool`. */
	const upsert = (about: Omit<Declared<R>, 'name' | 'description'> & { tool: string }) =>
		operation('upsert', {
			name: 'Create or Update',
			description: 'Create a new record, or update the current one if it already exists (upsert)',
			shape: { kind: 'one' },
			...about,
		});

	return {
		operation,
		upsert,
		create: common('create'),
		get: common('get'),
		getMany: common('getAll', 'Get Many'),
		remove: (about: Omit<Declared<R>, 'name'>): Operation =>
			operation('delete', { notice: "These nodes can't undo a deletion", ...about }),
		update: common('update'),
	};
}

export interface Resource {
	name: string;
	value: string;
	/** Shown in the dropdown and to AI builders. */
	description: string;
	/** Default operation of a new node, if it isn't Get Many or the first that only reads. */
	usual?: string;
	operations: Operation[];
}

/** `contentType` is called `Content Type`. An operation gets those of the `ids` that are in its path, unless it has its own. */
export const resource = (
	value: string,
	{ ids = [], ...about }: NamedByDefault<Resource> & { ids?: Field[] },
): Resource => ({
	name: labelOf(value),
	...about,
	operations: about.operations.map(({ fields = [], ...each }) => {
		const isAsked = ({ name }: Field) =>
			each.endpoint.pathParameters.includes(name) && fields.every((own) => own.name !== name);
		return { ...each, fields: [...ids.filter(isAsked), ...fields] };
	}),
	value,
});

/** Simplified items of a write also have what was sent: the record below `root`. */
export const tellsSent = ({ root, proves }: Operation) => root !== undefined && !proves;

export const shapeOf = ({ endpoint, shape }: Operation): Shape => shape ?? endpoint;

/** The response of the list has more than rows, counts and pages. */
export function hasExtras(operation: Operation): boolean {
	const shape = shapeOf(operation);
	return shape.kind === 'list' && shape.extras === true;
}

/** The routes that an operation may call: its own first, then those that only its options need. */
export function routesOf({ endpoint, alternative, whole, also = [] }: Operation): Route[] {
	const others = [alternative?.route, whole?.route].filter((route) => route !== undefined);
	return [endpoint.route, ...others, ...also];
}

export const hasLimits = ({ sequential, billed }: Operation): boolean =>
	sequential === true || billed === true;

/** An operation that compares has Max Changes. */
export const hasLimitFields = (operation: Operation): boolean =>
	hasLimits(operation) || operation.compares === true;

/**
 * Only a request that must not be repeated has an Idempotency Key. A check of a person has none, because a skipped item would
 * look like one that passed. A request that only computes or tests something has none either.
 */
export const takesKey = ({ endpoint }: Operation): boolean =>
	!endpoint.isRepeatable && !endpoint.checksPerson && !endpoint.computes && !endpoint.tests;
