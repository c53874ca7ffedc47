// Rows of a list that the API cannot search for: its pages are looked through as they arrive.
import type { ApiRequest } from '../operation';
import { PageReader, type FetchPage, type List } from './pages';
import type { ListShape } from './rows';

/** Matching rows, and how many rows were read for them. */
export interface Matching extends List {
	read: number;
	/** Whether there may be more, since the reading stopped at the limit. */
	stopped: boolean;
}

/**
 * Reads a list until there are enough matching rows: one page, then twice as many at a time, so that a
 * limit that is reached early costs little.
 * @param limit matching rows wanted, Infinity for all
 * @param parallel pages in flight at most
 */
export async function readMatching(
	request: ApiRequest,
	shape: ListShape,
	limit: number,
	fetch: FetchPage,
	parallel: number,
	matches: (row: unknown) => boolean,
): Promise<Matching> {
	const reader = new PageReader(request, shape, fetch);
	const rows: unknown[] = [];
	for (let most = 1; !reader.done && rows.length < limit; most *= 2) {
		const { length } = reader.rows;
		await reader.read(limit === Infinity ? Infinity : most, parallel);
		rows.push(...reader.rows.slice(length).filter(matches));
	}
	const stopped = rows.length > limit || !reader.done;
	const { warning, overlapping } = reader.list();
	return {
		rows: rows.slice(0, limit),
		read: reader.rows.length,
		stopped,
		overlapping,
		warning: stopped ? undefined : warning,
	};
}
