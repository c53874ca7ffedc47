// How a service may send a list and say where it ends, as far as the reference leaves it open, and
// what must come of it, for the tests over all lists.

/** Rows of a list under test, and how many of them its service sends at once, whatever is asked for. */
export const ROWS = 120;
const ROWS_AT_ONCE = 50;

const PAGES = Math.ceil(ROWS / ROWS_AT_ONCE);

/** What is served for a page. */
interface Served {
	status?: number;
	rows: unknown[];
	/** The envelope beside the rows; a bare array has none. */
	envelope?: Record<string, unknown>;
}

export interface ListShape {
	/** What the list is like, for people. */
	what: string;
	/** What the user gets, for people. */
	gets: string;
	serve: (rows: unknown[], page: number) => Served;
	/** Rows that come of it. */
	delivers: number;
	/** What the user is told; null if there is nothing to tell. */
	hint: RegExp | null;
	/** Requests that it takes at most. */
	requests: number;
	/** Whether its announcements need an envelope. */
	announces: boolean;
}

const pageOf = (rows: unknown[], page: number) =>
	rows.slice((page - 1) * ROWS_AT_ONCE, page * ROWS_AT_ONCE);

const pages = (page: number, max: number) => ({ pages: { current: page, max } });

const all = 'All rows';

/** A list that announces nothing, by what its service answers behind the end. */
function unannounced(what: string, behind: (rows: unknown[]) => Served): ListShape {
	return {
		what: `Nothing says where it ends; ${what}`,
		gets: all,
		serve: (rows, page) => (page > PAGES ? behind(rows) : { rows: pageOf(rows, page) }),
		delivers: ROWS,
		hint: null,
		requests: PAGES + 1,
		announces: false,
	};
}

/** A list that says where it ends. */
function announced(
	what: string,
	envelope: (page: number) => Record<string, unknown>,
	more: Partial<ListShape> = {},
): ListShape {
	return {
		what,
		gets: all,
		serve: (rows, page) => ({ rows: pageOf(rows, page), envelope: envelope(page) }),
		delivers: ROWS,
		hint: null,
		requests: PAGES,
		announces: true,
		...more,
	};
}

export const listShapes: ListShape[] = [
	unannounced('behind it there are empty pages', () => ({ rows: [] })),
	unannounced('behind it a page is not found (404)', () => ({ status: 404, rows: [] })),
	unannounced('behind it the last page comes again', (rows) => ({ rows: pageOf(rows, PAGES) })),
	unannounced('behind it the first page comes again', (rows) => ({ rows: pageOf(rows, 1) })),
	{
		...unannounced('it is one page, whichever is asked for', () => ({ rows: [] })),
		gets: 'The rows of that page, and a hint that there may be more',
		serve: (rows) => ({ rows: pageOf(rows, 1) }),
		delivers: ROWS_AT_ONCE,
		requests: 2,
		hint: /^Page 2 was the same as page 1, .* If there are more than 50, they are missing\.$/,
	},
	announced('It has `count`', () => ({ count: ROWS })),
	announced('It has `count`, and a `per_page` above the rows that come', () => ({
		count: ROWS,
		per_page: 100,
	})),
	announced('It has `pages`', (page) => pages(page, PAGES)),
	announced('It has `count` as text', () => ({ count: String(ROWS) })),
	announced('Its `count` is that of each page', (page) => ({
		count: pageOf(Array.from({ length: ROWS }), page).length,
	})),
	announced('Its `count` is capped, and full pages come behind it', () => ({
		count: 2 * ROWS_AT_ONCE,
	})),
	announced(
		'Its `count` is capped, and a full page behind it is the last one: the next is refused (400)',
		() => ({ count: 100 }),
		{
			serve: (rows, page) => {
				const some = rows.slice((page - 1) * 40, page * 40);
				const refused = some.length === 0 ? { status: 400 } : {};
				return { ...refused, rows: some, envelope: { count: 100 } };
			},
			requests: PAGES + 1,
		},
	),
	announced('It has `count` and `pages`', (page) => ({ count: ROWS, ...pages(page, PAGES) })),
	announced('Its `pages` end before its `count` is reached', (page) => ({
		count: ROWS,
		per_page: 100,
		...pages(page, PAGES - 1),
	})),
	announced(
		'Its `pages` go on where its `count` is reached',
		(page) => ({ count: ROWS, ...pages(page, 1e9) }),
		{ requests: PAGES + 1 },
	),
	announced('Its `pages` go on where there are no rows any more', (page) => pages(page, 1e9), {
		gets: 'All rows that came, and a hint that rows may be missing',
		hint: /^The API announced 1000000000 pages, but page 4 had nothing new/,
		// Those that are in flight when the first empty one arrives.
		requests: PAGES + 64,
	}),
	announced('It has `count`, but an announced page is not found (404)', () => ({ count: ROWS }), {
		gets: 'The rows before it, and a hint that rows are missing',
		serve: (rows, page) =>
			page >= PAGES
				? { status: 404, rows: [] }
				: { rows: pageOf(rows, page), envelope: { count: ROWS } },
		delivers: (PAGES - 1) * ROWS_AT_ONCE,
		hint: /^The API announced 120 rows but returned 100\.$/,
	}),
	announced('It has `count`, but is one page, whichever is asked for', () => ({ count: ROWS }), {
		gets: 'The rows of that page once, and a hint that rows are missing',
		serve: (rows) => ({ rows: pageOf(rows, 1), envelope: { count: ROWS } }),
		delivers: ROWS_AT_ONCE,
		hint: /^The API announced 120 rows but returned 50\. \d+ duplicate rows/,
	}),
];
