// Rows of a list that the API cannot search for: its pages are looked through as they arrive.
import type { ApiRequest } from '../../operation';
import { PageReader, type FetchPage, type List, type Part } from './pages';
import type { ListShape } from './rows';

/** Matching rows, and how many rows were read for them. */
export interface Matching extends List {
	read: number;
}

/**
 * Reads a list until there are enough matching rows: one page, then twice as many at a time, so that a
 * limit that is reached early costs little.
 * @param part its limit and its skip count matching rows
 * @param parallel pages in flight at most
 */
export async function readMatching(
	request: ApiRequest,
	shape: ListShape,
	{ limit = Infinity, skip = 0, keep = (row) => row }: Part,
	fetch: FetchPage,
	parallel: number | (() => number),
	matches: (row: unknown) => boolean,
): Promise<Matching> {
	const reader = PageReader.of(request, shape, fetch, {});
	const end = skip + limit;
	const rows: unknown[] = [];
	for (let most = 1; !reader.done && rows.length < end; most *= 2) {
		const { length } = reader.rows;
		await reader.read(limit === Infinity ? Infinity : most, parallel);
		for (let index = length; index < reader.rows.length; index++) {
			if (matches(reader.rows[index])) rows.push(reader.rows[index]);
		}
	}
	const left = Math.max(0, rows.length - end);
	const open = !reader.done;
	const { warning, overlapping } = reader.list();
	return {
		rows: rows.slice(skip, end).map(keep),
		read: reader.rows.length,
		left,
		open,
		overlapping,
		warning: left > 0 || open ? undefined : warning,
	};
}
