// The rows of a list for one item: all of them or those that are wanted.
import type { Api } from '../client/api';
import type { Part } from '../client/list/pages';
import type { ListShape } from '../client/list/rows';
import { isRecord, type ApiRequest, type Reading } from '../operation';

/** What the reading of a list gives. */
export interface Listing {
	rows: unknown[];
	warning?: string;
	/** How many rows come after those, as far as it's known, and whether there may be more than that. */
	left: number;
	open: boolean;
	/** How many rows were read for those that are wanted, where the user is to know it. */
	found?: Found;
}

/** Rows that were read, those of them that match, and whether there may be more. */
export interface Found {
	noun: string;
	read: number;
	matching: number;
	stopped: boolean;
}

/**
 * Reads a part of a list.
 * @param part its limit and its skip count the rows that are wanted
 * @param reading what becomes of its rows, all of them as they are if undefined
 */
export async function readListing(
	api: Api,
	request: ApiRequest,
	shape: ListShape,
	part: Part,
	{ row, wanted, noun }: Reading = {},
): Promise<Listing> {
	const onPage = (rows: unknown[], body: unknown): unknown[] =>
		row ? rows.map((each) => (isRecord(each) ? row(each, body) : each)) : rows;
	if (!wanted) {
		const { rows, warning, left, open } = await api.list(request, { ...part, shape, onPage });
		return { rows, warning, left, open };
	}
	const matches = (each: unknown) => isRecord(each) && wanted(each);
	const { rows, warning, left, open, read } = await api.matching(request, matches, {
		...part,
		shape,
		onPage,
	});
	const stopped = left > 0 || open;
	const found = noun === undefined ? undefined : { noun, read, matching: rows.length, stopped };
	return { rows, warning, left, open, found };
}

/** What the user reads of rows that were looked for in the run. */
export function foundText(all: Found[]): string[] {
	if (all.length === 0) return [];
	const sum = (of: (found: Found) => number) => all.reduce((total, each) => total + of(each), 0);
	const matching = sum((each) => each.matching);
	const verb = matching === 1 ? 'matches' : 'match';
	const more = all.some(({ stopped }) => stopped)
		? ' Reading stopped at the limit, so there may be more.'
		: '';
	return [`${sum(({ read }) => read)} ${all[0].noun} were read, ${matching} ${verb}.${more}`];
}
