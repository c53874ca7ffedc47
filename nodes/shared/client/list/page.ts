// Types for reading a list, and what a page announces about its list.
import { isRecord, numberOf, type ApiRequest } from '../../operation';

/** Max page size (core, Limits). */
export const PAGE_SIZE = 100;

/** Rows of a list that are wanted. */
export interface Part {
	/** Max rows, default all. */
	limit?: number;
	/** Number of rows to leave out at the start. Only for `paged` lists. */
	skip?: number;
	/** Returns what to keep of a row. */
	keep?: (row: unknown) => unknown;
}

/** Rows that were read, and how complete they are. */
export interface List {
	rows: unknown[];
	warning?: string;
	/** Number of rows after them, as far as it's known. */
	left: number;
	/** There may be more than `left`. */
	mayHaveMore: boolean;
	/** Number of rows left out as duplicates, except those at the end of the list. */
	overlapping: number;
}

export interface Fetched {
	/** Undefined for a page after the end. */
	body: unknown;
	rows: unknown[];
	/** The API's message, if it refused the page and that may not mean the end. */
	refused?: string;
}

export interface PageContext {
	/** Aborts when another page fails. */
	signal?: AbortSignal;
	/** The page is after all that the list announced, so a refusal means the end. */
	isExtra?: boolean;
	/** The page may be after the end, since Skip jumped to it. */
	isSkippedTo?: boolean;
}

/** Requests a page. Throws if it fails. */
export type FetchPage = (request: ApiRequest, context: PageContext) => Promise<Fetched>;

/** A page and what it announces about its list. */
export interface Page {
	rows: unknown[];
	refused?: string;
	/** Total of rows. */
	count?: number;
	/** Page size. */
	perPage?: number;
	/** Number of the last page. */
	last?: number;
}

function wholeNumber(value: unknown): number | undefined {
	const number = numberOf(value);
	return number !== undefined && Number.isInteger(number) && number >= 0 ? number : undefined;
}

/** Reads what a page announces. All parts of the envelope are optional (core, Common list envelope). */
export function pageOf({ body, rows, refused }: Fetched): Page {
	if (!isRecord(body)) return { rows, refused };
	const last = isRecord(body.pages) ? wholeNumber(body.pages.max) : undefined;
	return { rows, count: wholeNumber(body.count), perPage: wholeNumber(body.per_page), last };
}
