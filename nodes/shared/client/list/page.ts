// What a list is asked for, and what one of its pages says.
import { isRecord, numberOf, type ApiRequest } from '../../operation';

/** Largest page that the reference allows (core, Limits). */
export const PAGE_SIZE = 100;

/** Which part of a list is read, and what is kept of it. */
export interface Part {
	/** Rows wanted, Infinity for all. */
	limit?: number;
	/** Rows to leave out at the start; of `paged` lists only. */
	skip?: number;
	/** Makes of a row what is kept of it. */
	keep?: (row: unknown) => unknown;
}

/** What the reading of a list gives: the rows, and what the user must know about their completeness. */
export interface List {
	rows: unknown[];
	warning?: string;
	/** How many rows come after those, as far as it's known. */
	left: number;
	/** Whether there may be more than that. */
	mayHaveMore: boolean;
	/** Rows left out since an earlier page had them, where other rows came after them. */
	overlapping: number;
}

/** One page. */
export interface Fetched {
	/** Undefined for a page behind the end. */
	body: unknown;
	rows: unknown[];
	/** Why the API didn't return the page, where that may not be the end. */
	refused?: string;
}

/** What a page is asked for. */
export interface PageContext {
	/** Is aborted when another page has failed, so that this one isn't sent. */
	signal?: AbortSignal;
	/** Whether it lies behind all that the list announced, so that its refusal is the end. */
	isExtra?: boolean;
	/** Whether it may lie behind the end, of which nothing is known yet. */
	isSkippedTo?: boolean;
}

/** Sends the request for one page, or throws. */
export type FetchPage = (request: ApiRequest, context: PageContext) => Promise<Fetched>;

/** A page, and what it announces. */
export interface Page {
	rows: unknown[];
	refused?: string;
	/** Total of rows, rows of a full page, and number of the last page, as the page announces them. */
	count?: number;
	perPage?: number;
	last?: number;
}

function wholeNumber(value: unknown): number | undefined {
	const number = numberOf(value);
	return number !== undefined && Number.isInteger(number) && number >= 0 ? number : undefined;
}

/** What a page says of the list, from whichever part of the envelope it has (core, Common list envelope). */
export function pageOf({ body, rows, refused }: Fetched): Page {
	if (!isRecord(body)) return { rows, refused };
	const last = isRecord(body.pages) ? wholeNumber(body.pages.max) : undefined;
	return { rows, count: wholeNumber(body.count), perPage: wholeNumber(body.per_page), last };
}
