// One sweep: reads a list from start to end, in as many polls as that takes.
// Rows that are added or removed meanwhile move others between pages, so some may be skipped. Then the list
// is read again, and the rows of all readings count.
import { NodeOperationError } from 'n8n-workflow';

import { endpointOf } from '../shared/endpoints';
import { isRecord, numberOf, type ApiRequest } from '../shared/operation';
import { lastId } from '../shared/path';
import { isTimed, listShape, PageReader, type Cause } from '../shared/trigger';
import { fingerprint, pack, unpack, type Group, type Known } from './memory';
import { readById, watchedRow, type Watch, type WatchedRow } from './reading';

/** Max readings of the list in one sweep. */
const READINGS = 3;

/** Progress of a sweep, stored between polls. */
export interface Progress {
	/** Position of the next page. Empty at the start. */
	bookmark: string;
	/** Number of the current reading, from 1. */
	reading: number;
	/** Rows of this reading that aren't in `groups`: not watched, without an ID, or with that of another row. */
	odd: number;
	/** Rows of this reading that a later page returned again. */
	again: number;
	/** Lowest number of rows that the list announced in this reading. */
	announced?: number;
	/** The list didn't change during this reading. */
	steady: boolean;
	/** Rows of all readings so far. */
	groups: Group[];
}

const START = { bookmark: '', odd: 0, again: 0, announced: undefined, steady: true };

/**
 * Runs `read`. If the time of the poll is over, or the API asks to wait, what was read so far is kept.
 * @param hasSome returns true if anything was read
 * @returns true if `read` got to the end
 */
async function readOn(
	{ deadline, node }: Watch,
	read: () => Promise<void>,
	hasSome: () => boolean,
): Promise<boolean> {
	return await read().then(
		() => true,
		(error: unknown) => {
			const isOver = deadline?.aborted === true;
			if (hasSome() && (isOver || isTimed(error))) return false;
			if (!isOver) throw error;
			const message = 'The API returned no row in the time that n8n gives a poll.';
			const description =
				"The next poll tries again. If this happens often, set n8n's N8N_SCHEDULER_POLL_TIMEOUT to more seconds.";
			const failure: Cause = { cause: 'temporarily-unavailable' };
			throw Object.assign(new NodeOperationError(node, message, { description }), { failure });
		},
	);
}

export class Sweep {
	/** Rows read by this poll, by ID. */
	readonly rows = new Map<string, WatchedRow>();

	/** Rows seen since the sweep began, also in earlier polls. */
	readonly seen: Known;

	private readonly progress: Omit<Progress, 'groups'>;

	/**
	 * @param isReported returns true for a row to report, which is kept whole
	 * @param strict true if a skipped row would be reported wrongly later. Any change then means another reading.
	 */
	constructor(
		private readonly watch: Watch,
		private readonly isReported: (row: WatchedRow) => boolean,
		private readonly strict: boolean,
		{ groups, ...progress }: Progress = { ...START, reading: 1, groups: [] },
	) {
		this.seen = unpack(groups);
		this.progress = progress;
	}

	/** Progress for the next poll. */
	get stored(): Progress {
		return { ...this.progress, groups: pack(this.seen) };
	}

	/**
	 * Reads on until the sweep or the poll ends. A reading is complete if it has all announced rows. In the
	 * last one, rows that came twice count twice: the list may announce them so.
	 * @returns true if the sweep is complete
	 * @throws NodeOperationError if the last reading lacks rows, too. NodeApiError if a page fails.
	 */
	async run(): Promise<boolean> {
		const { watch, progress, strict } = this;
		if (watch.byId) return await this.readById(watch.byId);
		while (await this.readList()) {
			const isLast = progress.reading === READINGS;
			const rows = this.seen.size + progress.odd + (isLast ? progress.again : 0);
			const isWhole = rows >= (progress.announced ?? 0);
			if (isWhole && (progress.steady || !strict || isLast)) return true;
			if (isLast) {
				throw new NodeOperationError(
					watch.node,
					`The API announced ${progress.announced} rows but returned ${this.seen.size}, in ${READINGS} attempts to read the list. No items were output. The next poll tries again.`,
				);
			}
			Object.assign(progress, START, { reading: progress.reading + 1 });
		}
		return false;
	}

	private keep(row: WatchedRow): void {
		this.seen.set(row.hash, { status: row.status });
		this.rows.set(row.id, row);
	}

	/** Reads a row. The data is dropped unless the row is reported, since lists can be long. */
	private rowOf(data: unknown): WatchedRow | undefined {
		const row = watchedRow(data, this.watch);
		return row && !this.isReported(row) ? { ...row, row: undefined } : row;
	}

	/** Reads the records that this sweep hasn't seen yet. Returns true if it got all of them. */
	private async readById(requests: ApiRequest[]): Promise<boolean> {
		const { watch, strict, seen } = this;
		const left = requests.filter((each) => !seen.has(fingerprint(lastId(each))));
		const rows: WatchedRow[] = [];
		const isRead = await readOn(
			watch,
			async () => await readById(watch, left, strict, rows),
			() => rows.length > 0,
		);
		for (const row of rows) this.keep(row);
		return isRead;
	}

	/** Reads on to the end of the list. Returns true if it got there. */
	private async readList(): Promise<boolean> {
		const { watch, progress } = this;
		const { bookmark, announced } = progress;
		const { api, door, request } = watch;
		const counts = announced === undefined ? [] : [announced];
		const shape = listShape(endpointOf(request.route));
		const reader = new PageReader(
			request,
			shape,
			async (each, context) => {
				const page = await api.page(each, shape, context);
				const { body, rows } = page;
				const count = isRecord(body) ? numberOf(body.count) : undefined;
				// On an empty page after the end, the count may be that of the page.
				if (count !== undefined && (rows.length > 0 || each.query?.page === 1)) counts.push(count);
				return { ...page, rows: rows.map((row) => this.rowOf(row)) };
			},
			{},
			bookmark,
		);
		const toEnd = async () => {
			while (!reader.done) await reader.read(Infinity, door.parallel);
		};
		const isRead = await readOn(watch, toEnd, () => reader.pages > 0);
		const rows = (reader.rows as Array<WatchedRow | undefined>).filter((row) => row !== undefined);
		for (const row of rows) this.keep(row);
		const { warning, overlapping } = reader.list();
		progress.odd += reader.rows.length - new Set(rows.map(({ id }) => id)).size;
		progress.again += overlapping;
		progress.announced = counts.length > 0 ? Math.min(...counts) : undefined;
		progress.bookmark = reader.bookmark(reader.pages > 1);
		const isAtOnce = bookmark === '' && isRead;
		progress.steady &&= isAtOnce
			? warning === undefined
			: counts.every((count) => count === counts[0]);
		return isRead;
	}
}
