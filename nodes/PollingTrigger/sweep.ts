// One sweep: reads a list from start to end, in as many polls as that takes. Rows that are added or removed meanwhile move
// others between pages, so some may be skipped. Then the list is read again, and the rows of all readings count.
import type { ApiRequest } from '../engine/base/apiRequest';
import { isRecord, numberOf, recordOf } from '../engine/base/data';
import { lastId } from '../engine/base/path';
import type { PageReader } from '../engine/node/trigger';
import { fingerprint, type KnownRows } from './packedState';
import { readById, watchedRow, type Unread, type Watch, type WatchedRow } from './reading';
import { readInTime } from './time';

const READINGS = 3;

/** Progress of a sweep, stored between polls. */
export interface Progress {
	/** Position of the next page. Empty at the start. */
	bookmark: string;
	/** Number of the current reading, from 1. */
	reading: number;
	/** Rows of this reading that aren't in `seen`: not watched, without an ID, or with that of another row. */
	odd: number;
	/** Rows of this reading that a later page returned again. */
	again: number;
	/** Lowest number of rows that the list announced in this reading. */
	announced?: number;
	/** The list didn't change during this reading. */
	steady: boolean;
}

const START = { bookmark: '', odd: 0, again: 0, announced: undefined, steady: true };

/** A row that isn't watched, or has no ID. The reader compares its ID, too, to tell if a page comes again. */
interface Unwatched {
	id: unknown;
}

interface Rules {
	/** True for a row to report, which is kept whole. */
	isReported: (row: WatchedRow) => boolean;
	/** The row with the state to remember, where that depends on the earlier state. */
	followed: (row: WatchedRow) => WatchedRow;
	/** A row that this sweep skips would be reported wrongly later. So after any change of the list, the list is read again. */
	strict: boolean;
	/** Rows that the API announces and doesn't return, as earlier sweeps have found. */
	lacking: number;
}

export class Sweep {
	readonly rows = new Map<string, WatchedRow>();

	unread: Unread = { absent: [], failed: [] };

	lacking = 0;

	readonly progress: Progress;

	private hasRead = false;

	/** @param seen rows of all readings so far, also of those in earlier polls */
	constructor(
		private readonly watch: Watch,
		private readonly rules: Rules,
		readonly seen: KnownRows = new Map(),
		progress: Progress = { ...START, reading: 1 },
	) {
		this.progress = { ...progress };
	}

	/**
	 * Reads on until the sweep or the poll ends. A reading is complete if it has all announced rows, or lacks no more of them
	 * than earlier sweeps. In the last one, rows that came twice count twice: the list may announce them so.
	 * @returns true if the sweep has ended. `lacking` then says what the last reading lacks, too.
	 * @throws NodeApiError if a request fails, NodeOperationError if nothing came in the time of the poll
	 */
	async run(): Promise<boolean> {
		const { watch, progress, rules } = this;
		if (watch.byId) return await this.readRecords(watch.byId);
		while (await this.readList()) {
			const isLast = progress.reading === READINGS;
			const rows = this.seen.size + progress.odd + (isLast ? progress.again : 0);
			this.lacking = Math.max(0, (progress.announced ?? 0) - rows);
			const isWhole = this.lacking <= rules.lacking;
			if (isLast || (isWhole && (progress.steady || !rules.strict))) return true;
			Object.assign(progress, START, { reading: progress.reading + 1 });
		}
		return false;
	}

	/** Adds a row to those that the sweep has seen, without its data, and to those of this poll as it is. */
	private add(row: WatchedRow): void {
		const { id, hash, status, hashes } = row;
		this.seen.set(hash, { status, hashes });
		this.rows.set(id, row);
	}

	/** A row that isn't watched, or has no ID, is undefined. Rows that aren't reported lose their data: lists can be long. */
	private rowOf(data: unknown): WatchedRow | undefined {
		const read = watchedRow(data, this.watch);
		const row = read && this.rules.followed(read);
		return row && !this.rules.isReported(row) ? { ...row, row: undefined } : row;
	}

	private async readRecords(requests: ApiRequest[]): Promise<boolean> {
		const { watch, rules, seen } = this;
		const left = requests.filter((each) => !seen.has(fingerprint(lastId(each))));
		const rows: WatchedRow[] = [];
		const read = async () => {
			this.unread = await readById(watch, left, rules.strict, rows);
		};
		const hasSome = () => rows.length > 0;
		const isRead = await readInTime(watch, read, hasSome);
		for (const row of rows) this.add(row);
		return isRead;
	}

	private async readList(): Promise<boolean> {
		const { watch, progress } = this;
		const { bookmark, announced } = progress;
		const counts = announced === undefined ? [] : [announced];
		const reader = this.reader(counts);
		const toEnd = async () => {
			while (!reader.done) await reader.read(Infinity, watch.door.parallel);
		};
		const hasSome = () => this.hasRead || reader.pages > 0;
		const isRead = await readInTime(watch, toEnd, hasSome);
		// Another reading has begun, but there was no time left for it.
		if (reader.pages === 0) return false;
		this.hasRead = true;
		const all = reader.rows as Array<WatchedRow | Unwatched>;
		for (const row of all) if ('hash' in row) this.add(row);
		const { warning, overlapping } = reader.list();
		// The next poll reads the newest page once more, and counts its rows then.
		const countsLater = !isRead && reader.pages > 1;
		const later = new Set(countsLater ? reader.newest.rows : []);
		const counted = all.filter((row) => !later.has(row));
		const ids = counted.flatMap((row) => ('hash' in row ? [row.id] : []));
		progress.odd += counted.length - new Set(ids).size;
		progress.again += overlapping;
		progress.announced = counts.length > 0 ? Math.min(...counts) : undefined;
		progress.bookmark = reader.bookmark({ again: true });
		// A reader that got all pages warns if the list has changed. If it only got a part, the announced counts tell.
		const hasAll = bookmark === '' && isRead;
		const isSteady = hasAll ? warning === undefined : counts.every((count) => count === counts[0]);
		progress.steady &&= isSteady;
		return isRead;
	}

	/** Opens the list where the last poll stopped. `counts` gets what each page announces, to tell if the list changed. */
	private reader(counts: number[]): PageReader {
		const { watch, progress } = this;
		const onPage = (rows: unknown[], body: unknown, place: unknown) => {
			const count = isRecord(body) ? numberOf(body.count) : undefined;
			// An empty page after the end may announce its own 0 rows.
			if (count !== undefined && (rows.length > 0 || place === 1)) counts.push(count);
			return rows.map((row) => this.rowOf(row) ?? { id: recordOf(row).id });
		};
		return watch.api.open(watch.request, { onPage }, progress.bookmark);
	}
}
