// A path template and ids -> the path of a request, which leads to the record of those ids only.
import type { IDataObject } from 'n8n-workflow';

import { partsOf, routes, type Route } from './endpoints';
import { FieldFault, short, type ApiRequest } from './operation';

/** What separates a path: a backslash too, which some servers turn into a slash. */
const separators = /[\\/]/;

/** What ends a path, once it's decoded: a query or a fragment follows. */
const ends = /[?#]/;

/** A segment that is fixed, or one that holds the id `name` and ends with `end`, such as `.json`. */
type Segment = { fixed: string } | { name: string; end: string };

interface Template {
	path: string;
	segments: Segment[];
	/** Its parameters, in order. */
	names: string[];
}

function segmentOf(part: string): Segment {
	const [, name, end] = /^\{(\w+)\}(.*)$/.exec(part) ?? [];
	return name === undefined ? { fixed: part } : { name, end };
}

function read(path: string): Template {
	const segments = path.split('/').slice(1).map(segmentOf);
	const names = segments.flatMap((segment) => ('name' in segment ? [segment.name] : []));
	return { path, segments, names };
}

/** Each template is read once: paths are filled for every item. */
const templates = [...new Set(routes.map((route) => partsOf(route).path))].map(read);

const byPath = new Map(templates.map((template) => [template.path, template]));

const templateOf = (route: Route) => byPath.get(partsOf(route).path) as Template;

export function pathParameters(route: Route): string[] {
	return templateOf(route).names;
}

function fits(segment: Segment, given: string): boolean {
	if ('fixed' in segment) return segment.fixed === given;
	return given.length > segment.end.length && given.endsWith(segment.end);
}

/** The segments of a path with these ids in it. */
function fill({ segments }: Template, idOf: (name: string) => string): string[] {
	return segments.map((each) => ('fixed' in each ? each.fixed : idOf(each.name) + each.end));
}

function decodedParts(path: string): string[] {
	const [seen] = path.split(ends);
	return seen.split(separators).filter((part) => part !== '');
}

const isSeparated = (id: string) => /[\\/?#]/.test(id);

/**
 * Another endpoint that a service can see in a path. It chooses the path before the method, and may
 * decode it first: `c1/subscriptions/s1` as the id of a customer is then the path of a subscription.
 * A slash too many may be left out, and then `/c1` is another customer; a `?` or `#` ends the path.
 */
function otherEndpoint(template: Template, ids: Record<string, string>): string | undefined {
	const filled = fill(template, (name) => ids[name]);
	const isParted = template.names.some((name) => isSeparated(ids[name]));
	const seen = isParted ? decodedParts(filled.join('/')) : filled;
	// Of two that fit a path as it stands, a service takes the one with fewer parameters.
	const isRival = (other: Template) =>
		isParted || (other !== template && other.names.length <= template.names.length);
	return templates.find(
		(other) =>
			other.segments.length === seen.length &&
			isRival(other) &&
			other.segments.every((segment, index) => fits(segment, seen[index])),
	)?.path;
}

function checkedId(value: unknown, label: string): string {
	const id = String(value ?? '');
	if (id.trim() === '') throw new FieldFault(label, 'must not be empty');
	if (/(^|[\\/?#])\.\.?($|[\\/?#])/.test(id)) {
		throw new FieldFault(label, `must be an ID (got "${short(id)}")`);
	}
	if (!id.isWellFormed()) throw new FieldFault(label, 'must be valid Unicode text');
	return id;
}

/**
 * A request to an endpoint, with ids encoded into its path. An id that leads elsewhere is refused: `..`, which takes a part
 * out of a path, also within an id such as `a/../b`; one that is a fixed part of another path, such as
 * `types` in /webhooks/types.json; and one whose slashes, `?` or `#` make another path once they are decoded.
 * Any other id is sent encoded, whatever characters it has.
 * @param parameters ids by the parameters of the path
 * @param label what the form calls a parameter
 * @throws FieldFault naming the parameter
 */
export function requestTo(
	route: Route,
	parameters: Record<string, unknown> = {},
	content: { query?: IDataObject; body?: IDataObject } = {},
	label: (parameter: string) => string = (parameter) => parameter,
): ApiRequest {
	const template = templateOf(route);
	const { names } = template;
	const ids = Object.fromEntries(
		names.map((name) => [name, checkedId(parameters[name], label(name))]),
	);
	const other = otherEndpoint(template, ids);
	if (other !== undefined) {
		const parted = names.find((name) => isSeparated(ids[name]));
		const shown = names.map((name) => short(ids[name])).join(', ');
		throw new FieldFault(
			label(parted ?? names[0]),
			`can't be used as an ID here: ${shown} would call the endpoint ${other}`,
		);
	}
	const path = `/${fill(template, (name) => encodeURIComponent(ids[name])).join('/')}`;
	return { route, path, ids, ...content };
}

/** The ID of the record itself, the last one in the path of a request. */
export const lastId = ({ ids }: ApiRequest): string => Object.values(ids).at(-1) ?? '';
