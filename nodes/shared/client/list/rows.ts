// The response of a list -> its rows.
import type { Endpoint, Shape } from '../../endpoints';
import { isRecord, numberOf } from '../../operation';
import { getAt } from '../../dotted';

/** The shape of a response that holds rows. */
export type ListShape = Extract<Shape, { kind: 'list' | 'strings' | 'map' }>;

/** Where the rows of a response are, dotted for a nested key; `''` for a bare array. */
function rowsKey(shape: ListShape): string {
	return shape.items ?? (shape.kind === 'strings' ? '' : 'elements');
}

/**
 * The rows in a response, or undefined when it is not the documented envelope. A list without rows
 * may leave them out, or have null or an empty map in place of an empty array.
 * @param isLater whether it is a later page, which may be behind the end of a list that has rows
 */
export function rowsOf(body: unknown, shape: ListShape, isLater = false): unknown[] | undefined {
	if (Array.isArray(body)) return body;
	const key = rowsKey(shape);
	if (!isRecord(body)) return undefined;
	// A bare array may come in the common envelope all the same.
	const rows = getAt(body, key || 'elements');
	if (Array.isArray(rows)) return rows;
	if (shape.kind === 'map' && isRecord(rows)) {
		return Object.entries(rows).map(([name, value]) => ({ name, value }));
	}
	if (isRecord(rows) && Object.keys(rows).length === 0) return [];
	return rows === null || (rows === undefined && isEmptyEnvelope(body, isLater)) ? [] : undefined;
}

/** What lists have beside their rows (core, Common list envelope). */
const ENVELOPE = ['entities', 'type', 'per_page', 'pages', 'range', 'knowledge_base'];

/** Whether a response without rows is an empty list: it announces none, or is an envelope or nothing. */
function isEmptyEnvelope(body: Record<string, unknown>, isLater: boolean): boolean {
	if (numberOf(body.count) === 0) return true;
	const names = Object.keys(body).filter((name) => name !== 'count' || !isLater);
	return (
		names.length === 0 ||
		(!names.includes('count') && names.some((name) => ENVELOPE.includes(name)))
	);
}

/** The field that identifies a row; texts have none. */
export function keyOf(shape: ListShape): string {
	if (shape.kind === 'list') return shape.key ?? 'id';
	return shape.kind === 'map' ? 'name' : '';
}

/** Whether a list is asked for one page after the other, so that it can be begun at any. */
export function isPaged(shape: Shape): boolean {
	return shape.kind === 'list' && shape.paging === 'paged' && !shape.whole;
}

/** The shape of an endpoint that is known to answer with a list. */
export function listShape(endpoint: Endpoint): ListShape {
	if (endpoint.kind === 'one' || endpoint.kind === 'binary') {
		throw new Error('This endpoint does not return a list');
	}
	return endpoint;
}
