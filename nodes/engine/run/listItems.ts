// What a list becomes: the rows of an item, the hints about them, and what an agent is told.
import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../base/apiRequest';
import { firstOf, getAt, isRecord, isUnset, recordsOf } from '../base/data';
import type { Api } from '../client/api';
import type { List, Part } from '../client/list/page';
import type { ListShape } from '../client/list/rows';
import type { Reading } from '../form/operation';
import { limitOf, skipOf } from './parameters';
import type { Work } from './prepare';
import { isSimplified, ownRows, rowForm } from './rowForm';
import type { Found } from './session';

/** The rows of a plain list, with its hints noted in the session. For an agent, a last row tells how to get further rows. */
export async function listRows(work: Work, shape: ListShape): Promise<IDataObject[]> {
	const { context, session, api, request, parameter, index } = work;
	const { operation, warnings, found } = session;
	const finish = rowForm(work, shape, isSimplified(parameter));
	// Rows are finished as pages arrive, to save memory, but not if items share them, because each finishes its own. Simplify
	// makes one item of all rows of a map. Texts have nothing to finish.
	const isFinishedByPage = !session.rowsInOutput && shape.kind === 'list';
	// Simplify leaves enough of a row to tell it from others, Output Fields may not (`Keep.cuts`).
	const keep = isFinishedByPage ? { rows: finish, cuts: session.output !== undefined } : undefined;
	const part = {
		limit: limitOf(context, shape, index, session.isTool),
		skip: skipOf(context, shape, index),
		keep,
	};
	const reading = operation.reading?.(parameter);
	const list = await readListing(api, { request, shape, part, reading });
	if (list.warning) warnings.add(list.warning);
	if (list.found) found.push({ ...list.found, item: index });
	const own = ownRows(session, list.rows);
	const rows = keep ? (own as IDataObject[]) : finish(own);
	// Only a toolkit gives it. No form has it.
	const next = parameter('next');
	const note = session.isTool ? noteFor(list, isUnset(next) ? undefined : Number(next)) : undefined;
	return note ? [...rows, note] : rows;
}

/** Tells an agent, which sees neither hints nor Limit, of further rows and of what is wrong. `next` is their `skip`. */
export function noteFor(
	{ left, mayHaveMore, warning = '' }: Pick<Listing, 'left' | 'mayHaveMore' | 'warning'>,
	next?: number,
): IDataObject | undefined {
	const more = mayHaveMore ? `At least ${left} more are` : `${left} more are`;
	const what = left > 0 ? `${more} not shown` : 'There may be more that are not shown';
	const how =
		next === undefined
			? '. Use a filter or another tool to find them.'
			: `: call again with skip: ${next}.`;
	const text = left > 0 || mayHaveMore ? what + how : '';
	const note = [text, warning].filter(Boolean).join(' ');
	return note === '' ? undefined : { note };
}

interface Listing extends List {
	/** Set if a hint tells how many rows matched. */
	found?: Omit<Found, 'item'>;
}

interface ToRead {
	request: ApiRequest;
	shape: ListShape;
	/** Limit and skip count matching rows. */
	part: Part;
	/** Changes and filters rows. Without it, all rows stay as they are. */
	reading?: Reading;
}

/** Max values of a field that a hint names. One more is collected, which tells that there are others. */
const VALUES = 10;

/** Collects the values of a field, until there are enough for a hint. */
function addValues(values: Set<unknown>, rows: unknown[], field: string): void {
	for (const row of recordsOf(rows)) {
		if (values.size > VALUES) return;
		for (const value of [getAt(row, field)].flat()) if (!isUnset(value)) values.add(value);
	}
}

/** Reads a part of a list. A warning says if no row has the field of a filter, or which values there are if nothing matches. */
async function readListing(
	api: Api,
	{ request, shape, part, reading = {} }: ToRead,
): Promise<Listing> {
	const { row, wanted, noun, needs = [] } = reading;
	const seen = { rows: 0, values: needs.map(() => new Set<unknown>()) };
	const onPage = (rows: unknown[], body: unknown): unknown[] => {
		seen.rows += rows.length;
		for (const [index, { field }] of needs.entries()) addValues(seen.values[index], rows, field);
		return row ? rows.map((each) => (isRecord(each) ? row(each, body) : each)) : rows;
	};
	const options = { ...part, shape, onPage };
	if (!wanted) return await api.list(request, options);
	const { source, ...list } = await api.matching(request, wanted, options);
	const noMatch = list.rows.length === 0 && (part.skip ?? 0) === 0;
	const reasons = needs.map(({ field, label, isNamed }, index) => {
		const values = [...seen.values[index]].map(String);
		// `seen` has all rows of the pages that this item has read. `lacks` looks at the pages of all items that share the list,
		// but only at the rows that were kept.
		if (seen.rows > 0 && values.length === 0 && source.lacks(field)) {
			return `No row has ${field}, so the filter ${label} can't match. The list of the API may not return them.`;
		}
		if (!noMatch || !isNamed || values.length === 0) return '';
		const others = values.length > VALUES ? ' and others' : '';
		return `${label} is one of ${values.slice(0, VALUES).join(', ')}${others}.`;
	});
	list.warning = [list.warning, ...reasons].filter(Boolean).join(' ') || undefined;
	if (noun === undefined) return list;
	const stopped = list.left > 0 || list.mayHaveMore;
	return { ...list, found: { noun, source, matching: list.rows.length, stopped } };
}

/** Names the input items without a match. Empty if there are none, or if there's only one item. */
function nothingFound(all: Found[]): string {
	const items = all.filter(({ matching }) => matching === 0).map(({ item }) => item);
	if (items.length === 0 || all.length === 1) return '';
	const named = items.sort((a, b) => a - b).map(String);
	return ` Nothing matches for ${items.length === 1 ? 'item' : 'items'} ${firstOf(named)} (the first is 0).`;
}

/** The hint about all searches of the run. A run has one operation, so all have the same noun. */
export function foundText(all: Found[]): string {
	const sources = [...new Set(all.map(({ source }) => source))];
	const read = sources.reduce((total, each) => total + each.read, 0);
	const matching = all.reduce((total, each) => total + each.matching, 0);
	const verb = matching === 1 ? 'matches' : 'match';
	const more = all.some(({ stopped }) => stopped)
		? ' Reading stopped at the limit, so there may be more.'
		: '';
	return `${read} ${all[0].noun} were read, ${matching} ${verb}.${more}${nothingFound(all)}`;
}
