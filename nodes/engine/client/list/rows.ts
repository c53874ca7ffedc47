// Finds the rows in the response of a list.
import type { IDataObject } from 'n8n-workflow';

import { getAt, isRecord } from '../../base/data';
import type { Endpoint, ListRules, Paging, Shape } from '../../base/definition';

export type ListShape = Extract<Shape, { kind: 'list' | 'strings' | 'map' }>;

/**
 * The rows of a response, or undefined if it isn't the documented envelope. PHP and Go write an empty list without its key, as
 * null, or as an empty map. `isLater` pages may be after the end of a list that has rows.
 */
export function rowsOf(
	body: unknown,
	shape: ListShape,
	rules: ListRules,
	isLater = false,
): unknown[] | undefined {
	if (Array.isArray(body)) return body;
	if (!isRecord(body)) return undefined;
	// Where a bare array is documented, the common envelope is accepted, too.
	const rows = getAt(body, shape.items || rules.items);
	if (Array.isArray(rows)) return rows;
	if (shape.kind === 'map' && isRecord(rows)) {
		return Object.entries(rows).map(([name, value]) => ({ name, value }));
	}
	if (isRecord(rows) && Object.keys(rows).length === 0) return [];
	if (rows === null) return [];
	return rows === undefined && isEmptyEnvelope(body, rules, isLater) ? [] : undefined;
}

/** A response without a rows key is an empty list if it announces 0 rows, or if it's an envelope or `{}`. */
function isEmptyEnvelope(body: IDataObject, rules: ListRules, isLater: boolean): boolean {
	if (rules.pages.announcedIn(body).count === 0) return true;
	// A list that announces rows and has none on its first page isn't understood.
	if (rules.total in body && !isLater) return false;
	const names = Object.keys(body).filter((name) => name !== rules.total);
	return names.length === 0 || names.some((name) => rules.envelope.includes(name));
}

/** Field with the ID of a row. `''` for a list of texts, which are their own IDs. */
export function rowKey(shape: ListShape): string {
	if (shape.kind === 'list') return shape.key ?? 'id';
	return shape.kind === 'map' ? 'name' : '';
}

/** `Shape` says what the words mean. A map has no second page. */
export function pagingOf(
	shape: ListShape,
): 'paged' | 'tokens' | 'unexplained' | 'unpaged' | 'undocumented' {
	return shape.kind === 'map' ? 'unpaged' : (shape.paging ?? 'undocumented');
}

/** The list takes pages and a size, so rows can be left out at its start. */
export function isPaged(shape: Shape): boolean {
	return shape.kind === 'list' && ['paged', 'tokens'].includes(pagingOf(shape));
}

export const pagingRules = (shape: ListShape, { pages, tokens }: ListRules): Paging =>
	pagingOf(shape) === 'tokens' && tokens ? tokens : pages;

/** @throws Error if the endpoint returns no list */
export function listShape(endpoint: Endpoint): ListShape {
	if (endpoint.kind === 'one' || endpoint.kind === 'binary') {
		throw new Error('This endpoint does not return a list');
	}
	return endpoint;
}
