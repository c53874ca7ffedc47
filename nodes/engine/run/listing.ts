// Reads the rows of a list for one item, all or matching ones, and the hint about what matched.
import type { ApiRequest } from '../base/apiRequest';
import { firstOf, isRecord, isUnset, recordsOf } from '../base/data';
import type { Api } from '../client/api';
import type { List, Part } from '../client/list/page';
import type { ListShape } from '../client/list/rows';
import type { Reading } from '../form/operation';

export interface Listing extends List {
	/** Set if a hint tells how many rows matched. */
	found?: Omit<Found, 'item'>;
}

/** Result of a search for one item. */
export interface Found {
	item: number;
	noun: string;
	/** The list, with the number of rows read so far. Items may share it. */
	source: { readonly read: number };
	matching: number;
	stopped: boolean;
}

/** A part of a list to read. */
interface ToRead {
	request: ApiRequest;
	shape: ListShape;
	/** Limit and skip count matching rows. */
	part: Part;
	/** Changes and filters rows. All rows stay as they are if undefined. */
	reading?: Reading;
}

/** Reads a part of a list. */
export async function readListing(
	api: Api,
	{ request, shape, part, reading = {} }: ToRead,
): Promise<Listing> {
	const { row, wanted, noun, needs } = reading;
	const seen = { rows: 0, withField: 0 };
	const onPage = (rows: unknown[], body: unknown): unknown[] => {
		if (needs) {
			seen.rows += rows.length;
			seen.withField += recordsOf(rows).filter((each) => !isUnset(each[needs.field])).length;
		}
		return row ? rows.map((each) => (isRecord(each) ? row(each, body) : each)) : rows;
	};
	const options = { ...part, shape, onPage };
	if (!wanted) return await api.list(request, options);
	const { source, ...list } = await api.matching(request, wanted, options);
	if (needs && seen.rows > 0 && seen.withField === 0) {
		const lacking = `No row has ${needs.field}, so ${needs.label} can't match. The list of the API may not return them.`;
		list.warning = [list.warning, lacking].filter(Boolean).join(' ');
	}
	if (noun === undefined) return list;
	const stopped = list.left > 0 || list.mayHaveMore;
	return { ...list, found: { noun, source, matching: list.rows.length, stopped } };
}

/** Names the input items without a match, if there are several items. */
function nothingFound(all: Found[]): string {
	const items = all.filter(({ matching }) => matching === 0).map(({ item }) => item);
	if (items.length === 0 || all.length === 1) return '';
	const named = items.sort((a, b) => a - b).map(String);
	return ` Nothing matches for ${items.length === 1 ? 'item' : 'items'} ${firstOf(named)} (the first is 0).`;
}

/** The hint about all searches of the run; empty without any. */
export function foundText(all: Found[]): string[] {
	if (all.length === 0) return [];
	const sources = [...new Set(all.map(({ source }) => source))];
	const read = sources.reduce((total, each) => total + each.read, 0);
	const matching = all.reduce((total, each) => total + each.matching, 0);
	const verb = matching === 1 ? 'matches' : 'match';
	const more = all.some(({ stopped }) => stopped)
		? ' Reading stopped at the limit, so there may be more.'
		: '';
	return [`${read} ${all[0].noun} were read, ${matching} ${verb}.${more}${nothingFound(all)}`];
}
