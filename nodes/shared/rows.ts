// The answer of a list -> its rows.
import { type Response, isRecord } from './operation';

export type ListResponse = Extract<Response, { kind: 'list' | 'strings' | 'map' }>;

/** Where the rows of an answer are, dotted for a nested key; `''` for a bare array. */
function rowsKey(response: ListResponse): string {
	return response.items ?? (response.kind === 'strings' ? '' : 'elements');
}

/**
 * The rows in an answer, or undefined when it is not the documented envelope. A list without rows
 * may say `count: 0` and leave them out, or have an empty map in place of an empty array.
 */
export function rowsOf(body: unknown, response: ListResponse): unknown[] | undefined {
	if (Array.isArray(body)) return body;
	const key = rowsKey(response);
	if (!isRecord(body) || key === '') return undefined;
	const rows = key
		.split('.')
		.reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), body);
	if (Array.isArray(rows)) return rows;
	if (response.kind === 'map' && isRecord(rows)) {
		return Object.entries(rows).map(([name, value]) => ({ name, value }));
	}
	if (isRecord(rows) && Object.keys(rows).length === 0) return [];
	return (rows === undefined || rows === null) && body.count === 0 ? [] : undefined;
}

/** The field that identifies a row; texts have none. */
export function keyOf(response: ListResponse): string {
	if (response.kind === 'list') return response.key ?? 'id';
	return response.kind === 'map' ? 'name' : '';
}
