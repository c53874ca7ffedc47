// One list request -> all its rows, or the first `limit` of them.
import { inPool } from './gate';
import { type ApiRequest, type Response, isRecord } from './operation';

/** Largest page that the reference allows (core, Limits); where it names no maximum, as many are asked for. */
export const PAGE_SIZE = 100;

/** Pages past the announced end that are read while a list keeps growing. */
const MAX_EXTRA_PAGES = 50;

export type ListResponse = Extract<Response, { kind: 'list' | 'strings' | 'map' }>;

/** What the reading of a list gives: the rows, and what the user must know about their completeness. */
export interface List {
	rows: unknown[];
	warning?: string;
}

interface Page {
	rows: unknown[];
	/** Total of rows that the envelope announces. */
	count?: number;
	/** Last page that the envelope announces, or that count and per_page imply. */
	last?: number;
}

const wholeNumber = (value: unknown) =>
	typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;

/** Where the rows of an answer are, dotted for a nested key; `''` for a bare array. */
function rowsKey(response: ListResponse): string {
	return response.items ?? (response.kind === 'strings' ? '' : 'elements');
}

/**
 * The rows in an answer, or undefined when it is not the documented envelope. A list without rows
 * may come without the key, or with an empty map in place of an empty array.
 */
export function rowsOf(body: unknown, response: ListResponse): unknown[] | undefined {
	if (Array.isArray(body)) return body;
	const key = rowsKey(response);
	if (!isRecord(body) || key === '') return undefined;
	const rows = key
		.split('.')
		.reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), body);
	if (Array.isArray(rows)) return rows;
	if (response.kind === 'map' && isRecord(rows)) {
		return Object.entries(rows).map(([name, value]) => ({ name, value }));
	}
	if (isRecord(rows) && Object.keys(rows).length === 0) return [];
	return undefined;
}

/**
 * Page numbers, total and size are read from whichever part of the envelope a list has (core,
 * Common list envelope).
 * @param size rows of a full page where the envelope does not say it
 */
function pageOf(body: unknown, rows: unknown[], size: number | undefined): Page {
	if (!isRecord(body)) return { rows };
	const count = wholeNumber(body.count);
	const announced = isRecord(body.pages) ? wholeNumber(body.pages.max) : undefined;
	const perPage = wholeNumber(body.per_page) || size;
	const implied = count !== undefined && perPage ? Math.ceil(count / perPage) : undefined;
	return { rows, count, last: announced ?? implied };
}

/** Collects pages in order, and takes a row that comes twice only once. */
class Collector {
	readonly rows: unknown[] = [];

	repeated = 0;

	private readonly seen = new Set<unknown>();

	private previous = '';

	constructor(
		private readonly key: string,
		/** A single page cannot repeat anything, so it is taken as it is. */
		private readonly single: boolean,
	) {}

	/** Adds a page; tells whether it brought anything new. */
	add(page: unknown[]): boolean {
		if (this.single) {
			for (const row of page) this.rows.push(row);
			return page.length > 0;
		}
		const before = this.rows.length;
		let anonymous = page.length > 0;
		for (const row of page) {
			const id = isRecord(row) ? row[this.key] : undefined;
			if (id === undefined || id === null) {
				this.rows.push(row);
			} else {
				anonymous = false;
				if (this.seen.has(id)) this.repeated++;
				else {
					this.seen.add(id);
					this.rows.push(row);
				}
			}
		}
		if (anonymous) {
			// Rows without an id can be equal and yet two: only a whole page that comes again is a repeat.
			const content = JSON.stringify(page);
			if (content === this.previous) {
				this.rows.length = before;
				this.repeated += page.length;
			}
			this.previous = content;
		}
		return this.rows.length > before;
	}
}

/**
 * Reads a list. After the first page the number of pages is known from `pages.max`, or from
 * `count` and the page size, and the rest are fetched through the pool; otherwise page after page
 * until one is short. A page that repeats, rows that are missing and a list that changes while it
 * is read end the reading with a warning, never with an endless loop.
 * @param limit rows wanted, Infinity for all; no page is fetched that is not needed
 * @param fetch sends one request and gives back its body and rows, or throws
 * @param parallel pages in flight at most
 */
export async function readList(
	request: ApiRequest,
	response: ListResponse,
	limit: number,
	fetch: (request: ApiRequest) => Promise<{ body: unknown; rows: unknown[] }>,
	parallel: number,
): Promise<List> {
	const paging = response.kind === 'list' ? (response.paging ?? 'none') : 'none';
	const size = paging === 'paged' ? Math.min(limit, PAGE_SIZE) : undefined;
	let pageSize = size ?? 1;
	const readPage = async (number: number): Promise<Page> => {
		const query = { ...request.query };
		if (size !== undefined) Object.assign(query, { size, page: number });
		else if (number > 1) query.page = number;
		const { body, rows } = await fetch({ ...request, query });
		// The first page is full if there are more; the service may allow less than was asked for.
		if (number === 1 && rows.length > 0) pageSize = rows.length;
		return pageOf(body, rows, pageSize);
	};

	const first = await readPage(1);
	if (paging === 'none' || first.rows.length >= limit) {
		return cut(first.rows, limit, first.count);
	}
	// Where nothing is announced: a page that is not full is the last.
	const complete =
		first.last === undefined ? first.rows.length < (size ?? Infinity) : first.last <= 1;
	if (first.rows.length === 0 || complete) return cut(first.rows, limit, first.count);

	const collector = new Collector((response.kind === 'list' && response.key) || 'id', false);
	collector.add(first.rows);
	let count = first.count;
	let shrank = false;
	let last = first.last;
	const note = (page: Page) => {
		if (page.count !== undefined && count !== undefined && page.count < count) shrank = true;
		count = page.count ?? count;
		if (page.last !== undefined && last !== undefined) last = Math.max(last, page.last);
	};

	const announced = Math.min(first.last ?? 1, Math.ceil(limit / pageSize));
	const pages = new Array<Page>(Math.max(0, announced - 1));
	await inPool(pages.length, parallel, async (index) => {
		pages[index] = await readPage(index + 2);
	});
	for (const page of pages) {
		collector.add(page.rows);
		note(page);
	}

	// What lies past the announced end: a list that grew, or one that announces nothing.
	let endless = false;
	let next = announced + 1;
	while (collector.rows.length < limit && (last === undefined || next <= last)) {
		if (last !== undefined && next > announced + MAX_EXTRA_PAGES) {
			endless = true;
			break;
		}
		const page = await readPage(next++);
		const fresh = collector.add(page.rows);
		note(page);
		if (!fresh || (last === undefined && page.rows.length < pageSize)) break;
	}

	const { rows, warning } = cut(collector.rows, limit, count);
	const { repeated } = collector;
	if (endless) {
		return {
			rows,
			warning: `The list kept growing while it was read: it ends here after ${rows.length} rows.`,
		};
	}
	if (warning && repeated > 0) {
		return {
			rows,
			warning: `${warning} It sent ${repeated} rows a second time; they were left out.`,
		};
	}
	if (!warning && shrank && rows.length < limit) {
		return {
			rows,
			warning: 'The list became shorter while it was read, so rows may be missing: read it again.',
		};
	}
	return { rows, warning };
}

/** Cuts to the limit, and says when the API delivered fewer rows than it announced. */
function cut(rows: unknown[], limit: number, count: number | undefined): List {
	const wanted = Math.min(limit, count ?? 0);
	return {
		rows: rows.length > limit ? rows.slice(0, limit) : rows,
		warning:
			rows.length < wanted
				? `The API announced ${count} rows but delivered ${rows.length}.`
				: undefined,
	};
}
