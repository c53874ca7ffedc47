// Builds the path of a request from a path template and IDs. The path must lead to the record of these IDs only.
import type { IDataObject } from 'n8n-workflow';

import { FieldFault, type ApiRequest } from './apiRequest';
import { getAt, isUnset, short } from './data';
import type { Endpoint, Segment, Template } from './definition';

function segmentOf(part: string): Segment {
	const [, name, suffix] = /^\{(\w+)\}(.*)$/.exec(part) ?? [];
	return name === undefined ? { fixed: part } : { name, suffix };
}

function parse(path: string): Template {
	const segments = path.split('/').slice(1).map(segmentOf);
	const names = segments.flatMap((segment) => ('name' in segment ? [segment.name] : []));
	return { path, segments, names, rivals: [], all: [] };
}

export function templatesOf(paths: string[]): Map<string, Template> {
	const all = [...new Set(paths)].map(parse);
	for (const template of all) {
		template.all = all;
		template.rivals = all.filter((other) => other !== template && isRival(template, other));
	}
	return new Map(all.map((template) => [template.path, template]));
}

/** An ID can be any text, so only the fixed segments of the template tell if its path can be one of `other`. */
const isRival = (template: Template, other: Template): boolean =>
	other.names.length <= template.names.length &&
	other.segments.length === template.segments.length &&
	other.segments.every((each, index) => {
		const own = template.segments[index];
		return !('fixed' in own) || fits(each, own.fixed);
	});

function fits(segment: Segment, given: string): boolean {
	if ('fixed' in segment) return segment.fixed === given;
	return given.length > segment.suffix.length && given.endsWith(segment.suffix);
}

function fill({ segments }: Template, ids: Record<string, string>): string {
	let path = '';
	for (const each of segments) {
		path += `/${'fixed' in each ? each.fixed : ids[each.name] + each.suffix}`;
	}
	return path;
}

/** Segments of a path as a server may see them: up to `?` or `#`, with a backslash read as a slash. */
function segmentsSeen(path: string): string[] {
	const [beforeQuery] = path.split(/[?#]/);
	return beforeQuery.split(/[\\/]/).filter((segment) => segment !== '');
}

/**
 * The path of another endpoint that a service may see. Services match the path before the method, and may decode it first
 * (`u1/orders/o1` as a user's ID is then an order), drop an extra slash (`/u1` is another user), or end it at `?` or `#`.
 */
function otherEndpoint(
	endpoints: Template[],
	template: Template,
	ids: Record<string, string>,
): string | undefined {
	const segments = segmentsSeen(fill(template, ids));
	return endpoints.find(
		(other) =>
			other.segments.length === segments.length &&
			other.segments.every((segment, index) => fits(segment, segments[index])),
	)?.path;
}

/**
 * Builds a request with IDs encoded into its path. Refuses an ID that is blank or can't be encoded, and one that leads
 * elsewhere: with `..`, also within an ID, as a fixed part of another path (`types` in /users/types.json), or with slashes, `?`
 * or `#` that make another path when they're decoded.
 * @param label the form's label for a path parameter
 * @throws FieldFault for the parameter
 */
export function requestTo(
	endpoint: Endpoint,
	parameters: Record<string, unknown> = {},
	content: { query?: IDataObject; body?: IDataObject } = {},
	label: (parameter: string) => string = (parameter) => parameter,
): ApiRequest {
	const { template, pathParameters: names } = endpoint;
	const ids: Record<string, string> = {};
	const encoded: Record<string, string> = {};
	// The first parameter whose ID can end its segment, so that the path may lead to any endpoint.
	let split: string | undefined;
	for (const name of names) {
		const id = String(parameters[name] ?? '');
		if (id.trim() === '') throw new FieldFault(label(name), 'must not be empty');
		if (/(^|[\\/?#])\.\.?($|[\\/?#])/.test(id)) {
			throw new FieldFault(label(name), `must be an ID (got "${short(id)}")`);
		}
		if (!id.isWellFormed()) throw new FieldFault(label(name), 'must be valid Unicode text');
		ids[name] = id;
		encoded[name] = encodeURIComponent(id);
		if (/[\\/?#]/.test(id)) split ??= name;
	}
	const others = split === undefined ? template.rivals : template.all;
	const other = others.length > 0 ? otherEndpoint(others, template, ids) : undefined;
	if (other !== undefined) {
		// Several IDs can lead there only together, so the error shows all of them.
		const given = names.map((name) => short(ids[name])).join(', ');
		throw new FieldFault(
			label(split ?? names[0]),
			`can't be used as an ID here: ${given} would call the endpoint ${other}`,
		);
	}
	return { endpoint, path: fill(template, encoded), ids, ...content };
}

/** ID of the record itself, the last one in the path. Empty text for a path without IDs. */
export const lastId = ({ ids }: ApiRequest): string => Object.values(ids).at(-1) ?? '';

/** False for an endpoint about something that belongs to the record: its path doesn't end with the ID. */
export const isOfRecord = ({ template }: Endpoint) => !('fixed' in template.segments.at(-1)!);

export const pathNames = ({ endpoint, ids }: ApiRequest): string[] =>
	Object.keys(ids).map(endpoint.api.names.ofId);

/**
 * Adds the IDs in the path of a request to a row of its response, by their names in the output. A known field stays.
 * @param only the row as the API returned it, if it's one record. Its own ID may then be the last one of the path.
 */
export function withPathIds(
	row: IDataObject,
	request: ApiRequest,
	only?: IDataObject,
): IDataObject {
	const { endpoint, ids } = request;
	const { names } = endpoint.api;
	const last = only && !endpoint.makesRecord ? Object.keys(ids).at(-1) : undefined;
	const whole = { ...row };
	const there = Object.keys({ ...only, ...row });
	for (const [parameter, id] of Object.entries(ids)) {
		const name = names.ofId(parameter);
		const mayBeOwn = parameter === last && !names.isAlias?.(name);
		const isOwn = mayBeOwn && (isOfRecord(endpoint) || String(row.id) === id);
		// A response may also call it `userId`.
		const isThere = there.some((each) => each === name || each === parameter);
		if (!isOwn && !isThere) whole[name] = id;
	}
	return whole;
}

/** The IDs in the path, or else the first value that the endpoint names with `about`. Undefined for no single record. */
export function recordKey({ endpoint, ids, query, body }: ApiRequest): string | undefined {
	const inPath = Object.values(ids);
	if (inPath.length > 0) return inPath.join('\n');
	const { about = [] } = endpoint;
	const named = about.map((key) => getAt({ ...query, ...body }, key));
	const value = named.find((each) => !isUnset(each));
	return value === undefined ? undefined : String(value);
}
