/**
 * Endpoints without a handler of their own: records by their paths, of the shape that the contract
 * gives them. What is posted to a list is in it, below its id it is read, changed and deleted; a list that
 * nothing was posted to has one row, of any id. The records before it in the path have to be there. That is enough for most
 * new endpoints.
 */
import type { Endpoint as DocumentedEndpoint, Schema } from '../contract/contract.cts';
import { Answer, type Call, type Endpoint, type Handler } from './area.cts';
import { envelope } from './lists.cts';
import { refuse } from './refusals.cts';
import type { State } from './areas/index.cts';

type Row = { id: string } & Record<string, unknown>;

/** Rows by the path of their list. */
const kept = new WeakMap<State, Map<string, Row[]>>();

/** A value of a schema; `given` where it has what the schema wants. */
function sampleOf(schema: Schema, given: unknown): unknown {
	const [schemaType] = [schema.type].flat();
	const branches = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
	if (branches) return sampleOf(branches[0], given);
	if (schema.const !== undefined) return schema.const;
	if (schemaType === 'object') {
		const own = (given ?? {}) as Record<string, unknown>;
		const members = Object.entries(schema.properties ?? {});
		return Object.fromEntries(members.map(([name, each]) => [name, sampleOf(each, own[name])]));
	}
	if (schemaType === 'array') return Array.isArray(given) ? given : [];
	return given === undefined ? simpleSample(schema, schemaType) : given;
}

function simpleSample(schema: Schema, schemaType: unknown): unknown {
	if (Array.isArray(schema.enum)) return schema.enum[0];
	if (schemaType === 'integer' || schemaType === 'number') return schema.minimum ?? 0;
	if (schemaType === 'boolean') return true;
	if (schema.format === 'date-time') return '2026-01-01T00:00:00Z';
	if (schema.format === 'date') return '2026-01-01';
	return schemaType === 'null' ? null : 'text';
}

/** The fields of a request: those of the body, or below the one name that it has. */
function fieldsOf(body: unknown): Record<string, unknown> {
	const [only, ...more] = Object.values((body ?? {}) as Record<string, unknown>);
	const isRoot = typeof only === 'object' && only !== null && more.length === 0;
	return (isRoot ? only : (body ?? {})) as Record<string, unknown>;
}

/** The path of a call, of its list if it ends with an id, and that id. */
function placeOf({ path }: DocumentedEndpoint, params: Call['params']) {
	const [, list, last] = /^(.*?)(?:\/\{(\w+)\})?\.json$/.exec(path) ?? [];
	const filled = (list ?? path).replace(/\{(\w+)\}/g, (_whole, name: string) => params[name]);
	return { list: filled, id: last === undefined ? undefined : params[last] };
}

/** Where the answer has its rows; undefined where it is one record. */
function rowsIn(schema: Schema): { key: string; row: Schema } | undefined {
	if (schema.type === 'array') return { key: '', row: schema.items ?? {} };
	const key = schema['x-items'] as string | undefined;
	return key === undefined ? undefined : { key, row: schema.properties?.[key].items ?? {} };
}

/** Refuses a call below a record that isn't there, as that record's own endpoint does. */
function needParents(
	{ path }: DocumentedEndpoint,
	call: Call,
	others: Map<string, Endpoint>,
): void {
	for (const { index, 0: parameter } of path.matchAll(/\/\{\w+\}(?=\/)/g)) {
		const parent = others.get(`GET ${path.slice(0, index)}${parameter}.json`);
		if (parent) (typeof parent === 'function' ? parent : parent.handle)(call);
	}
}

/** @param others endpoints with handlers, by method and path */
export const plain =
	(documented: DocumentedEndpoint, others = new Map<string, Endpoint>()): Handler =>
	(call) => {
		needParents(documented, call, others);
		const { params, body, state, newId } = call;
		const { status, schema } = successOf(documented);
		const lists = listsOf(state);
		const { list, id } = placeOf(documented, params);
		const posted = lists.get(list);
		const rows: Row[] = posted ?? [{ id: id ?? 'row-1' }];
		const many = rowsIn(schema ?? {});
		if (many && documented.method === 'GET') {
			const element = (each: Row) =>
				sampleOf(many.row, many.row.type === 'string' ? each.id : each);
			if (many.key === '') return rows.map(element);
			const page = envelope(call, rows, { element });
			return { ...(sampleOf(schema ?? {}, page) as object), [many.key]: page.elements };
		}
		let row = rows.find((each) => each.id === id);
		if (id !== undefined && row === undefined) throw refuse('notFound');
		if (row === undefined) {
			row = { id: newId('row') };
			if (documented.method === 'POST') lists.set(list, [...rows, row]);
		}
		Object.assign(row, fieldsOf(body));
		if (documented.method === 'DELETE') rows.splice(rows.indexOf(row), 1);
		return new Answer(status, schema ? sampleOf(schema, row) : '');
	};

/** The rows of this service, by the path of their list. */
function listsOf(state: State): Map<string, Row[]> {
	const lists = kept.get(state) ?? new Map<string, Row[]>();
	kept.set(state, lists);
	return lists;
}

/** The documented success: its status, and the schema of its body if it has one. */
function successOf({ responses }: DocumentedEndpoint) {
	const [code, response] = Object.entries(responses).find(([each]) => each.startsWith('2')) ?? [];
	return { status: Number(code?.replace('XX', '00') ?? 200), schema: response?.body?.schema };
}
