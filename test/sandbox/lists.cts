/**
 * The list envelopes of the API with their differences, and paging.
 * Reference: 'Common list envelope' and 'Limits'.
 */
import { createHash } from 'node:crypto';
import type { World } from '../contract/worlds.cts';
import { queryText, type Call, type PagingFault } from './area.cts';
import { refuse } from './refusals.cts';

export type Part = 'count' | 'per_page' | 'pages';

const all: readonly Part[] = ['count', 'per_page', 'pages'];

/** What a list has beyond what the contract says of it. */
export interface EnvelopeOptions<Row> {
	/** What a row looks like in the list; as it is kept, if left out. */
	element?: (row: Row) => unknown;
	/** The resource kind, where the reference does not show it. */
	entities?: string;
	/** Which of the common parts this list carries, where that is open. */
	carries?: readonly Part[];
	/** It is open whether the list has pages. */
	paged?: 'perhaps';
	/** How a page is chosen, where the reference does not show it. */
	paging?: World['usagePaging'];
	/** `count`, where it is not the number of rows. */
	count?: number;
}

/** What the contract says of the list of a call. */
function stated({ documented: { responses, queryParameters } }: Call) {
	const { properties = {} } =
		responses['200']?.body?.schema ?? responses['2XX']?.body?.schema ?? {};
	const size = queryParameters.find(({ name }) => name === 'size')?.schema;
	return {
		/** Members of one value, such as the resource kind. */
		kind: Object.fromEntries(
			Object.entries(properties).flatMap(([name, { const: value }]) =>
				value === undefined ? [] : [[name, value]],
			),
		),
		carries: all.filter((part) => part in properties),
		isPaged: size !== undefined,
		largestSize: size?.maximum,
		usualSize: size?.default as number | undefined,
	};
}

type Stated = ReturnType<typeof stated>;

/** The rows as a fault makes this call see them. */
function underFault<Row extends { id: string }>(
	rows: readonly Row[],
	faults: readonly PagingFault[],
): readonly Row[] {
	let seen = rows;
	for (const { kind, rows: number } of faults) {
		if (kind === 'shrink') seen = seen.slice(0, Math.max(0, seen.length - number));
		if (kind === 'grow' || kind === 'insert') {
			const model = seen[0];
			const extra = model
				? Array.from({ length: number }, (_, index) => ({
						...model,
						id: `${model.id}-${kind}-${index + 1}`,
					}))
				: [];
			seen = kind === 'grow' ? [...seen, ...extra] : [...extra, ...seen];
		}
	}
	return seen;
}

/** The rows in the order of this world. */
function ordered<Row extends { id: string }>(rows: readonly Row[], world: World): readonly Row[] {
	if (world.order === 'as kept') return rows;
	if (world.order === 'the other way round') return [...rows].reverse();
	const rank = ({ id }: Row) => createHash('sha256').update(id).digest('hex');
	return rows
		.map((row) => ({ row, rank: rank(row) }))
		.sort((one, other) => (one.rank < other.rank ? -1 : 1))
		.map(({ row }) => row);
}

/** How many rows a page of this call has. */
function sizeOf({ world, query }: Call, { largestSize, usualSize }: Stated): number {
	const largest = Number(largestSize ?? world.largestSize);
	const standard = usualSize ?? Math.min(Number(world.defaultSize), largest);
	if (query.size === undefined) return standard;
	const wanted = Math.max(Number([query.size].flat()[0]), 1);
	if (wanted <= largest || world.oversize === 'cut') return Math.min(wanted, largest);
	if (world.oversize === 'refused') throw refuse('invalidRequest', 'Invalid size');
	return standard;
}

/** What the envelope of a list carries in this world. */
function partsOf(carries: readonly Part[], isOpen: boolean, world: World): readonly Part[] {
	const { partialEnvelopes } = world;
	if (carries.length === all.length || isOpen || partialEnvelopes === 'nothing') return carries;
	return partialEnvelopes === 'count' ? [...carries, 'count'] : [...carries, 'count', 'per_page'];
}

/** How a list is cut into pages in this call. */
interface Pages {
	carries: readonly Part[];
	/** Whether all rows come at once. */
	isWhole: boolean;
	size: number;
	last: number;
}

function pagesOf(call: Call, list: Stated, rows: number, options: EnvelopeOptions<never>): Pages {
	const { world } = call;
	const { paged, paging = 'size and page' } = options;
	const isCut = paged === 'perhaps' && world.partnerPages === 'pages of 20';
	const isWhole = (!list.isPaged && !isCut) || paging === 'all rows at once';
	const asked = paging === 'size and page' ? call : { ...call, query: {} };
	const ownSize = isCut ? 20 : sizeOf(asked, list);
	const size = isWhole ? Math.max(rows, 1) : ownSize;
	const parts = partsOf(options.carries ?? list.carries, options.paging !== undefined, world);
	return {
		carries: isCut ? [...parts, 'per_page'] : parts,
		isWhole,
		size,
		last: Math.max(1, Math.ceil(rows / size)),
	};
}

/** The page that a call asks for, as this world takes it. */
function pageOf(
	call: Call,
	{ carries, isWhole, size, last }: Pages,
	options: EnvelopeOptions<never>,
) {
	const { beyondEnd } = call.world;
	const isFirst =
		isWhole ||
		options.paging === 'not at all' ||
		call.pagingFaults.some(({ kind }) => kind === 'repeat-page');
	const page = isFirst ? 1 : Number(queryText(call, 'page') ?? 1);
	if (page <= last) return page;
	if (beyondEnd === 'not found') throw refuse('notFound', 'Page not found');
	if (beyondEnd === 'the last one again') return last;
	// What it announces may be refused by no service, and where it announces nothing, clients look for the end.
	const announces = carries.includes('count') || carries.includes('pages');
	const announced = Math.max(last, Math.ceil((options.count ?? 0) / size));
	if (page > announced && announces && beyondEnd === 'refused') {
		throw refuse('invalidRequest', 'Invalid page');
	}
	return page;
}

/** The `count` of a list: of a part of an envelope, what this world counts. */
function countOf(rows: number, onPage: number, isPartial: boolean, world: World): number {
	if (!isPartial) return rows;
	const counts = {
		'of the list': rows,
		'of the page': onPage,
		'of the list, at most 100': Math.min(rows, 100),
	};
	return counts[world.partialCounts];
}

/** A list answer: the page that the call's `size` and `page` ask for, in the envelope that the contract gives it. */
export function envelope<Row extends { id: string }>(
	call: Call,
	allRows: readonly Row[],
	options: EnvelopeOptions<Row> = {},
): Record<string, unknown> {
	const { world } = call;
	const { element = (row: Row) => row, entities, paging = 'size and page' } = options;
	const list = stated(call);
	const rows = underFault(ordered(allRows, world), call.pagingFaults);
	const pages = pagesOf(call, list, rows.length, options);
	const { carries, isWhole, size, last } = pages;
	const page = pageOf(call, pages, options);
	const elements = rows.slice((page - 1) * size, page * size).map(element);
	const own = options.carries ?? list.carries;
	const isPartial = own.length < all.length && paging === 'size and page' && !isWhole;
	const count = options.count ?? countOf(rows.length, elements.length, isPartial, world);
	return {
		...list.kind,
		...(entities && { entities }),
		...(carries.includes('count') && { count }),
		...(carries.includes('per_page') && { per_page: size }),
		...(carries.includes('pages') && { pages: { current: page, max: last } }),
		elements,
	};
}
