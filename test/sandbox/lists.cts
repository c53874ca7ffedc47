/**
 * The list envelopes of the API with their differences, and paging.
 * Reference: 'Common list envelope' and 'Limits'.
 */
import { queryText, type Call, type PagingFault } from './area.cts';

/** The sandbox's own choice where the reference states no default or maximum. */
export const defaultPageSize = 25;
export const maximumPageSize = 100;

type Part = 'count' | 'per_page' | 'pages';

export interface EnvelopeOptions<Row> {
	/** The resource kind under `entities`, or under `type` for customer-scoped lists. */
	entities?: string;
	type?: string;
	/** What a row looks like in the list. */
	element: (row: Row) => unknown;
	/** Which of the common parts this list carries; all by default. */
	carries?: readonly Part[];
	/** False for lists that take no `size` and `page` and hold all rows. */
	paged?: boolean;
	/** Default page size. */
	size?: number;
}

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

/** A list answer: the page that the call's `size` and `page` ask for, in its envelope. */
export function envelope<Row extends { id: string }>(
	call: Call,
	allRows: readonly Row[],
	options: EnvelopeOptions<Row>,
): Record<string, unknown> {
	const { paged = true, carries = ['count', 'per_page', 'pages'] } = options;
	const rows = underFault(allRows, call.pagingFaults);
	const wanted = Number(queryText(call, 'size') ?? options.size ?? defaultPageSize);
	const size = paged ? Math.min(Math.max(wanted, 1), maximumPageSize) : rows.length;
	const repeated = call.pagingFaults.some(({ kind }) => kind === 'repeat-page');
	const page = repeated || !paged ? 1 : Number(queryText(call, 'page') ?? 1);

	const body: Record<string, unknown> = {};
	if (options.entities) body.entities = options.entities;
	if (options.type) body.type = options.type;
	if (carries.includes('count')) body.count = rows.length;
	if (carries.includes('per_page')) body.per_page = size;
	if (carries.includes('pages')) {
		body.pages = { current: page, max: Math.max(1, Math.ceil(rows.length / size)) };
	}
	body.elements = rows.slice((page - 1) * size, page * size).map(options.element);
	return body;
}
