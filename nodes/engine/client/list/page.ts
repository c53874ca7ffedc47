// Pages of a list and what they announce, and positions between them.
import type { Announced, Place } from '../../base/definition';

/** The part of each row to keep, to save memory. */
export interface Keep {
	rows(page: unknown[]): unknown[];
	/** Rows that differ may be equal in their kept part, so hashes of the whole rows are compared. */
	cuts?: boolean;
}

export const keepWhole: Keep = { rows: (page) => page };

export interface Part {
	limit?: number;
	/** Number of rows to leave out at the start. Only for lists that take pages. */
	skip?: number;
	keep?: Keep;
}

export interface List {
	rows: unknown[];
	warning?: string;
	/** The part of the warning that says that rows may be missing. */
	missing?: string;
	/** Number of rows after `rows`, as far as it's known. */
	left: number;
	mayHaveMore: boolean;
	/** Number of rows left out as duplicates, except those at the end of the list. */
	overlapping: number;
}

/** Position in a list. As JSON it's a bookmark, which n8n stores, so its names never change. */
export interface ListPosition {
	/** Number of pages before the position, 0 at the start. The next page to request is one more. */
	page: number;
	/** Token of the next page, in a list by tokens. Undefined at the start. */
	token?: string;
	rows: number;
	/** Size of a full page, as far as it's known. */
	pageSize: number;
	/** The next page is after all that the list announced. */
	isExtra: boolean;
	/** Hashes of the first and the last page that were read. */
	prints: string[];
}

export interface Page extends Announced {
	/** A page after the end, which the API may reject, has no rows. */
	rows: unknown[];
	/** The token by which the page was requested, in a list by tokens. */
	token?: string;
	/** The API's message, if it didn't return the page and that may not mean the end. */
	unclearEnd?: string;
}

export interface PageRequest {
	size?: number;
	/** The signal aborts when another page fails. */
	signal?: AbortSignal;
	/** The page is after all that the list announced, so a rejection means the end. */
	isExtra?: boolean;
	/** The page may be after the end, since Skip jumped to it. */
	isSkippedTo?: boolean;
}

/** @throws if the page fails */
export type FetchPage = (place: Place, request: PageRequest) => Promise<Page>;
