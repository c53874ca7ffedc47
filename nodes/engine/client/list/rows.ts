// Finds the rows in the response of a list.
import type { Endpoint, Shape } from '../../../api/endpoints';
import { isRecord, numberOf } from '../../form/operation';
import { getAt } from '../../base/dotted';

export type ListShape = Extract<Shape, { kind: 'list' | 'strings' | 'map' }>;

/**
 * Returns the rows of a response, or undefined if it isn't the documented envelope. An empty list may have
 * no rows key, or null or an empty map instead of an array.
 * @param isLater not the first page, so it may be after the end of a list that has rows
 */
export function rowsOf(body: unknown, shape: ListShape, isLater = false): unknown[] | undefined {
	if (Array.isArray(body)) return body;
	if (!isRecord(body)) return undefined;
	// Where a bare array is documented, the common envelope is accepted, too.
	const rows = getAt(body, shape.items || 'elements');
	if (Array.isArray(rows)) return rows;
	if (shape.kind === 'map' && isRecord(rows)) {
		return Object.entries(rows).map(([name, value]) => ({ name, value }));
	}
	if (isRecord(rows) && Object.keys(rows).length === 0) return [];
	return rows === null || (rows === undefined && isEmptyEnvelope(body, isLater)) ? [] : undefined;
}

/** Keys next to the rows (core, Common list envelope). */
const ENVELOPE = ['entities', 'type', 'per_page', 'pages', 'range', 'knowledge_base'];

/** True if a response without rows is an empty list: `count` is 0, or it's an envelope, or `{}`. */
function isEmptyEnvelope(body: Record<string, unknown>, isLater: boolean): boolean {
	if (numberOf(body.count) === 0) return true;
	// A list that announces rows and has none on its first page isn't understood.
	if ('count' in body && !isLater) return false;
	const names = Object.keys(body).filter((name) => name !== 'count');
	return names.length === 0 || names.some((name) => ENVELOPE.includes(name));
}

/** Field with the ID of a row. Texts have none. */
export function keyOf(shape: ListShape): string {
	if (shape.kind === 'list') return shape.key ?? 'id';
	return shape.kind === 'map' ? 'name' : '';
}

/** Returns how a list takes pages. endpoints.ts says what the words mean. */
export function pagingOf(shape: ListShape): 'paged' | 'announced' | 'none' | 'whole' {
	if (shape.kind !== 'map' && shape.whole) return 'whole';
	return (shape.kind === 'list' && shape.paging) || 'none';
}

/** The list takes `page` and `size`, so reading can begin at any page. */
export function isPaged(shape: Shape): boolean {
	return shape.kind === 'list' && pagingOf(shape) === 'paged';
}

/** @throws Error if the endpoint doesn't return a list */
export function listShape(endpoint: Endpoint): ListShape {
	if (endpoint.kind === 'one' || endpoint.kind === 'binary') {
		throw new Error('This endpoint does not return a list');
	}
	return endpoint;
}
