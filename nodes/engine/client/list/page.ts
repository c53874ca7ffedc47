// Pages of a list and what they announce, and positions between them.
import { isRecord, numberOf, type ApiRequest } from '../../form/operation';

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

/** Position in a list. As JSON it's a bookmark. */
export interface Cursor {
	/** Number of the page before. */
	page: number;
	/** Number of rows up to there. */
	rows: number;
	/** Size of a full page, as far as it's known. */
	pageSize: number;
	/** The next page is after all that the list announced. */
	isExtra: boolean;
	/** Hashes of the first and the last page that were read. */
	prints: string[];
}

/** Position of the page with the first row after `skip`. */
export function cursorAt(skip: number, pageSize: number): Cursor {
	const page = Math.floor(skip / pageSize);
	return { page, rows: page * pageSize, pageSize, isExtra: false, prints: [] };
}

export interface Page {
	/** Empty for a page after the end, which the API may refuse. It then has no body. */
	rows: unknown[];
	body?: unknown;
	/** The API's message, if it refused the page and that may not mean the end. */
	refused?: string;
	/** Announced total of rows. */
	count?: number;
	/** Announced page size. */
	perPage?: number;
	/** Announced number of the last page. */
	last?: number;
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
export type FetchPage = (request: ApiRequest, context: PageContext) => Promise<Page>;

function wholeNumber(value: unknown): number | undefined {
	const number = numberOf(value);
	return number !== undefined && Number.isInteger(number) && number >= 0 ? number : undefined;
}

/** Adds what a page announces. All parts of the envelope are optional (core, Common list envelope). */
export function pageOf({ body, rows }: { body: unknown; rows: unknown[] }): Page {
	if (!isRecord(body)) return { body, rows };
	const { count, per_page: perPage, pages } = body;
	return {
		body,
		rows,
		count: wholeNumber(count),
		perPage: wholeNumber(perPage),
		last: isRecord(pages) ? wholeNumber(pages.max) : undefined,
	};
}
