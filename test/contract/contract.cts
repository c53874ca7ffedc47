// The contract of the API: its endpoints as data, and checks of requests and answers against them. Problems name places
// and limits, never values, so they can be printed even when a request carries a secret.
import { str } from 'ajv';
import Ajv from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import {
	dereference,
	loadContract,
	methods,
	type DocumentedError,
	type Operation,
	type Parameter,
	type Schema,
} from './document.cts';

export type { Schema } from './document.cts';

/** The body of a request or of an answer. */
interface Body {
	mediaType: string;
	schema: Schema;
}

/** One row of the reference's endpoint tables; all references in its schemas are resolved. */
export interface Endpoint {
	/** Area of the API, for example `Recurring Payments`. */
	area: string;
	method: 'GET' | 'POST' | 'PUT' | 'DELETE';
	/** Template below the version segment, for example `/customers/{customerId}.json`. */
	path: string;
	operationId: string;
	/** Scope that the key needs; undefined where the reference does not show it. */
	scope?: string;
	pathParameters: Parameter[];
	queryParameters: Parameter[];
	/** Names of query parameters of which a request needs at least one; mostly none. */
	queryOneOf: string[];
	/** Absent where the reference documents no body. */
	requestBody?: Body & { required: boolean };
	/** By status code (`201`) or class of codes (`2XX`); a body is absent where there is none. */
	responses: Record<string, { description: string; body?: Body }>;
	/** Stated error messages, those of every endpoint included. */
	errors: DocumentedError[];
	/** The name below which the one record of the answer may be: the root that writes of it have. */
	wrapper?: string;
}

/** A request as it goes over the wire, without headers. */
export interface ContractRequest {
	method: string;
	/** Pathname below the version segment, still percent-encoded. */
	path: string;
	query?: URLSearchParams | Record<string, unknown>;
	/** Parsed JSON; undefined or null when the request has no body. */
	body?: unknown;
}

/** An answer to a request, without headers. */
export interface ContractAnswer {
	method: string;
	/** Pathname of the request, as in `ContractRequest`. */
	path: string;
	status: number;
	/** Parsed JSON, or the bytes or the text of another media type. */
	body?: unknown;
}

const JSON_TYPE = 'application/json';

export const contract = loadContract();

const resolved = dereference(contract);
const { Unauthorized } = resolved.components.responses;

function bodyOf(content: Record<string, { schema?: Schema }> | undefined): Body | undefined {
	const [entry] = Object.entries(content ?? {});
	return entry && { mediaType: entry[0], schema: entry[1].schema ?? {} };
}

function endpointOf(
	method: (typeof methods)[number],
	path: string,
	operation: Operation,
	shared: Parameter[],
): Endpoint {
	const parameters = [...shared, ...(operation.parameters ?? [])];
	const requestBody = bodyOf(operation.requestBody?.content);
	// Stated for all endpoints at once.
	const responses = { '401': Unauthorized, ...operation.responses };
	return {
		area: operation.tags[0],
		method: method.toUpperCase() as Endpoint['method'],
		path,
		operationId: operation.operationId,
		scope: operation.security[0].bearerKey[0],
		pathParameters: parameters.filter((parameter) => parameter.in === 'path'),
		queryParameters: parameters.filter((parameter) => parameter.in === 'query'),
		queryOneOf: operation['x-one-of'] ?? [],
		requestBody: requestBody && {
			...requestBody,
			required: operation.requestBody?.required ?? false,
		},
		responses: Object.fromEntries(
			Object.entries(responses).map(([status, { description, content }]) => [
				status,
				{ description, body: bodyOf(content) },
			]),
		),
		errors: [...(Unauthorized['x-errors'] ?? []), ...(operation['x-errors'] ?? [])],
		wrapper: operation['x-wrapper'],
	};
}

export const endpoints: Endpoint[] = Object.entries(resolved.paths).flatMap(([path, item]) =>
	methods.flatMap((method) => {
		const operation = item[method];
		return operation ? [endpointOf(method, path, operation, item.parameters ?? [])] : [];
	}),
);

interface Template {
	path: string;
	pattern: RegExp;
	/** One character per segment, `0` for a literal and `1` for a parameter: smaller wins. */
	rank: string;
}

function templateOf(path: string): Template {
	const source = path
		.split(/(\{\w+\})/)
		.map((part) => (part.startsWith('{') ? '([^/]+)' : part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')))
		.join('');
	const rank = path
		.split('/')
		.map((segment) => (segment.includes('{') ? '1' : '0'))
		.join('');
	return { path, pattern: new RegExp(`^${source}$`), rank };
}

const templates = Object.keys(resolved.paths)
	.map(templateOf)
	.sort((a, b) => (a.rank < b.rank ? -1 : Number(a.rank > b.rank)));

/** The path template that a pathname addresses, and the values of its parameters, in order. */
function matchPath(pathname: string): { path: string; values: string[] } | undefined {
	for (const { path, pattern } of templates) {
		const match = pattern.exec(pathname);
		if (match) return { path, values: match.slice(1) };
	}
	return undefined;
}

/**
 * The endpoint that a request addresses. As in OpenAPI, the path is chosen before the method and
 * literal segments win over parameters: `DELETE /customers/customer.json` addresses nothing,
 * although `customer` could be an id.
 *
 * @param pathname path below the version segment, still percent-encoded, without query
 */
export function findEndpoint(method: string, pathname: string): Endpoint | undefined {
	const path = matchPath(pathname)?.path;
	return endpoints.find((endpoint) => endpoint.path === path && endpoint.method === method);
}

const ajv = new Ajv({
	...{ strict: true, allowUnionTypes: true, allErrors: true },
	// `npm run check contract` holds the schemas against that of schemas, which takes a second to compile.
	validateSchema: false,
});
addFormats(ajv);
ajv.addVocabulary(['x-items']);
ajv.addKeyword({
	keyword: 'x-maxBytes',
	type: ['string', 'array', 'object'],
	schemaType: 'number',
	validate: (limit: number, value: string | object) =>
		Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value)) <= limit,
	error: { message: ({ schemaCode }) => str`must not be larger than ${schemaCode} bytes` },
});

function checkValue(schema: Schema, value: unknown, label: string): string[] {
	const validate = ajv.compile(schema);
	if (validate(value)) return [];
	return (validate.errors ?? []).map(({ instancePath, message, keyword, params }) => {
		const detail =
			keyword === 'additionalProperties' ? `: ${params.additionalProperty as string}` : '';
		return `${label}${instancePath} ${message ?? keyword}${detail}`;
	});
}

function checkPath(endpoint: Endpoint, pathname: string): string[] {
	const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
	const values = matchPath(pathname)?.values ?? [];
	return endpoint.pathParameters.flatMap((parameter) => {
		const label = `path parameter ${parameter.name}`;
		try {
			const value = decodeURIComponent(values[names.indexOf(parameter.name)]);
			return checkValue(parameter.schema, value, label);
		} catch (error) {
			if (error instanceof URIError) return [`${label} is not percent-encoded`];
			throw error;
		}
	});
}

/** Query values by name, repeated ones as an array; `name[]` and `name[0]` count as `name`. */
function groupQuery(query: ContractRequest['query'] = {}): Map<string, unknown[]> {
	const entries = query instanceof URLSearchParams ? [...query] : Object.entries(query);
	const groups = new Map<string, unknown[]>();
	for (const [key, value] of entries) {
		if (value === undefined) continue;
		const name = key.replace(/\[\d*\]$/, '');
		groups.set(name, [...(groups.get(name) ?? []), ...(Array.isArray(value) ? value : [value])]);
	}
	return groups;
}

/** A query value as its schema types it: a query knows text only. */
function typedQueryValue(values: unknown[], schema: Schema): unknown {
	const types = [schema.type ?? []].flat();
	if (values.length !== 1 || (types.includes('array') && !types.includes('string'))) return values;
	const [value] = values;
	if (typeof value !== 'string') return value;
	const isNumeric = types.includes('integer') || types.includes('number');
	if (isNumeric && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
	if (types.includes('boolean') && /^(true|false)$/.test(value)) return value === 'true';
	return value;
}

function checkQuery(endpoint: Endpoint, query: ContractRequest['query']): string[] {
	const groups = groupQuery(query);
	const known = new Map(endpoint.queryParameters.map((parameter) => [parameter.name, parameter]));
	const missing = endpoint.queryParameters
		.filter(({ name, required }) => required && !groups.has(name))
		.map(({ name }) => `query parameter ${name} is missing`);
	const { queryOneOf } = endpoint;
	if (queryOneOf.length > 0 && !queryOneOf.some((name) => groups.has(name))) {
		missing.push(`one of the query parameters ${queryOneOf.join(', ')} is missing`);
	}
	const wrong = [...groups].flatMap(([name, values]) => {
		const parameter = known.get(name);
		// Whether a list that is documented to come whole has a second page is found out by asking.
		if (!parameter && name === 'page' && endpoint.method === 'GET') return [];
		if (!parameter) return [`query parameter ${name} is not documented`];
		const value = typedQueryValue(values, parameter.schema);
		return checkValue(parameter.schema, value, `query parameter ${name}`);
	});
	return [...missing, ...wrong];
}

function checkRequestBody({ requestBody }: Endpoint, body: unknown): string[] {
	if (body === undefined || body === null) {
		return requestBody?.required ? ['the body is missing'] : [];
	}
	if (!requestBody) return ['a body is not documented'];
	return checkValue(requestBody.schema, body, 'body');
}

/** The problems of a request: its endpoint, path and query parameters, and body. */
export function checkRequest({ method, path, query, body }: ContractRequest): string[] {
	const endpoint = findEndpoint(method, path);
	if (!endpoint) return [`${method} ${path} is not documented`];
	return [
		...checkPath(endpoint, path),
		...checkQuery(endpoint, query),
		...checkRequestBody(endpoint, body),
	];
}

/** The text of an error body, {error: <message>}, and nothing else. */
function errorText(body: unknown): string | undefined {
	if (typeof body !== 'object' || body === null || Object.keys(body).join() !== 'error') return;
	return 'error' in body && typeof body.error === 'string' ? body.error : undefined;
}

/**
 * Whether an error answer is one that the reference allows: with its status where that is shown,
 * with any other status where it is not (core, Errors: "The HTTP status codes marked above are not
 * shown."), a 5XX for a documented message only.
 */
function isAllowedError({ errors }: Endpoint, status: number, message: string): boolean {
	const known = errors.filter((error) => error.message === message);
	if (known.some((error) => error.status === status)) return true;
	const isShown = known.length > 0 && known.every((error) => error.status !== undefined);
	if (isShown) return false;
	return (status >= 200 && status < 300) || (status >= 500 && known.length > 0);
}

const lenientSchemas = new WeakMap<Schema, Schema>();

const nullable = (schema: Schema): Schema =>
	schema.type === undefined || schema.const !== undefined
		? schema
		: { ...schema, type: [...new Set([schema.type, 'null'].flat())] };

/** A list's rows; how an empty list is written is not shown. */
const emptyRows = [{ type: 'null' }, { type: 'object', maxProperties: 0 }];

/** Whether the reference shows a part of the common list envelope only. */
export const isPartialEnvelope = ({ 'x-items': rows, required = [] }: Schema): boolean =>
	rows !== undefined && !required.includes('pages');

/** That a count is an integer is said of the whole envelope only. */
const countAsText = { type: 'string', pattern: '^\\d+$' };

/**
 * A schema of an answer with what the reference leaves open beside it: an optional member may be
 * null, the rows of an empty list or the entries of an empty map may be written otherwise, and so may
 * the counts of a list of which a part of the envelope is shown.
 */
function lenient(schema: Schema): Schema {
	// A schema that is no object allows nothing.
	if (typeof schema !== 'object') return schema;
	const known = lenientSchemas.get(schema);
	if (known) return known;
	const { properties, items, additionalProperties, required } = schema;
	const rows = schema['x-items'];
	const open: Schema = { ...schema };
	if (items) open.items = lenient(items);
	if (properties) {
		open.properties = Object.fromEntries(
			Object.entries(properties).map(([name, each]): [string, Schema] => {
				if (name === rows) return [name, { anyOf: [lenient(each), ...emptyRows] }];
				if (isPartialEnvelope(schema) && ['count', 'per_page'].includes(name)) {
					return [name, { anyOf: [each, countAsText] }];
				}
				return [name, required?.includes(name) ? lenient(each) : nullable(lenient(each))];
			}),
		);
	}
	if (required) open.required = required.filter((name) => name !== rows);
	for (const keyword of ['anyOf', 'allOf', 'oneOf']) {
		const branches = schema[keyword];
		if (Array.isArray(branches)) open[keyword] = (branches as Schema[]).map(lenient);
	}
	const isMap = typeof additionalProperties === 'object';
	if (isMap) open.additionalProperties = lenient(additionalProperties);
	const result: Schema = isMap ? { anyOf: [open, { type: 'array', maxItems: 0 }] } : open;
	lenientSchemas.set(schema, result);
	return result;
}

/** Look-ups: the reference names the record that they find, not its place. */
export const LOOKUPS = ['getCustomerByExternalId', 'findPartner'];

/** A list of all that match in place of a record, or the common envelope in place of a bare array. */
function otherPlace({ operationId }: Endpoint, schema: Schema, body: unknown): unknown {
	const isMatches = LOOKUPS.includes(operationId) && Array.isArray(body) && body.length === 1;
	if (isMatches) return body[0];
	const isEnvelope = schema.type === 'array' && typeof body === 'object' && body !== null;
	return isEnvelope && 'elements' in body ? body.elements : body;
}

/** No record: what a look-up without a match answers is not shown. */
const isNothing = (body: unknown): boolean =>
	body === null || (typeof body === 'object' && Object.keys(body).length === 0);

const wrappedSchemas = new WeakMap<Schema, Schema>();

/** One record, below its name. */
function wrapped(schema: Schema, name: string): Schema {
	const known = wrappedSchemas.get(schema) ?? {
		type: 'object',
		required: [name],
		properties: { [name]: lenient(schema) },
	};
	wrappedSchemas.set(schema, known);
	return known;
}

/** The problems of an answer. It has none where the reference doesn't show it and allows it. */
export function checkAnswer({ method, path, status, body: answered }: ContractAnswer): string[] {
	const endpoint = findEndpoint(method, path);
	if (!endpoint) return [`${method} ${path} is not documented`];
	const { responses } = endpoint;
	const message = errorText(answered);
	if (message !== undefined && isAllowedError(endpoint, status, message)) return [];
	const response = responses[String(status)] ?? responses[`${String(status)[0]}XX`];
	if (!response) return [`status ${status} is not documented`];
	if (!response.body) return [];
	const { mediaType, schema } = response.body;
	if (mediaType === JSON_TYPE) return checkJson(endpoint, schema, status, answered);
	const isRaw = typeof answered === 'string' || answered instanceof Uint8Array;
	return isRaw ? [] : [`answer must be ${mediaType}`];
}

function checkJson(
	endpoint: Endpoint,
	schema: Schema,
	status: number,
	answered: unknown,
): string[] {
	const { wrapper, operationId } = endpoint;
	const body = otherPlace(endpoint, schema, answered);
	if (status < 300 && operationId === 'findPartner' && isNothing(body)) return [];
	const isWrapped =
		wrapper !== undefined && typeof body === 'object' && body !== null && wrapper in body;
	return checkValue(isWrapped ? wrapped(schema, wrapper) : lenient(schema), body, 'answer');
}
