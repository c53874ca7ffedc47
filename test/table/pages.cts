// A page of a list as the row of its endpoint says: where its rows stand, and what it announces.
import { platform } from '../../dist/nodes/api/platform.js';
import { getAt, recordsOf } from '../../dist/nodes/engine/base/data.js';
import { findEndpoint } from '../contract/contract.cts';
import { endpointOf } from './operations.cts';

/** Place of the rows in a response, dotted; empty for a bare array. */
export function itemsOf(route: string): string {
	const endpoint = endpointOf(route);
	const items = 'items' in endpoint ? endpoint.items : undefined;
	return items ?? platform.lists.items;
}

/** The same of the list at a path. */
export const itemsAt = (path: string): string => itemsOf(`GET ${findEndpoint('GET', path)!.path}`);

/** An answer with its rows at a dotted key; at none, the rows alone. */
export function bodyOf(rows: unknown[], key: string, envelope: object = {}): unknown {
	if (key === '') return rows;
	const [name, ...rest] = key.split('.');
	return { ...envelope, [name]: rest.length > 0 ? bodyOf(rows, rest.join('.')) : rows };
}

/** The page of so many rows that a query asks for, as the list at a path has it. */
export function servedPage(
	path: string,
	query: URLSearchParams,
	rows: unknown[],
	{ size, envelope }: { size: number; envelope: object },
): unknown {
	const page = Number(query.get('page') ?? 1);
	return bodyOf(rows.slice((page - 1) * size, page * size), itemsAt(path), envelope);
}

/** The query of the page after a page of a list at a path; undefined after the last one. */
export function queryAfter(
	path: string,
	body: unknown,
	{ page, size }: { page: number; size: number },
): string | undefined {
	const rows = recordsOf(getAt(body, itemsAt(path)));
	return rows.length < size ? undefined : `page=${page + 1}`;
}

/** A page of so many rows of a list. */
export function pageOf(route: string, rows: unknown[], page = 1, size = rows.length): unknown {
	const endpoint = endpointOf(route);
	const isCounted = endpoint.kind === 'list' && endpoint.paging === 'paged';
	const envelope = isCounted ? { count: rows.length, per_page: size } : {};
	return bodyOf(rows.slice((page - 1) * size, page * size), itemsOf(route), envelope);
}
