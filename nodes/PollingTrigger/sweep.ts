// One sweep: reads a list from start to end, in as many polls as that takes.
// Rows that are added or removed meanwhile move others between pages, so some may be skipped. Then the list
// is read again, and the rows of all readings count.
import { NodeOperationError } from 'n8n-workflow';

import { endpointOf } from '../shared/endpoints';
import { isRecord, numberOf, type ApiRequest } from '../shared/operation';
import { lastId } from '../shared/path';
import { isTimed, listShape, PageReader, type Cause } from '../shared/trigger';
import { fingerprint, pack, unpack, type Group, type Known, type Standing } from './memory';
import { readNamed, sightingOf, type Sighting, type Watch } from './reading';

/** Max readings of the list in one sweep. */
const READINGS = 3;

/** Progress of a sweep, stored between polls. */
export interface Place {
	/** Position of the next page. Empty at the start. */
	bookmark: string;
	/** Number of the current reading, from 1. */
	reading: number;
	/** Rows of this reading that don't count in `groups`: not watched, without an ID, or with that of another row. */
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
	readonly sightings = new Map<string, Sighting>();

	/** Rows seen since the sweep began, also in earlier polls. */
	readonly seen: Known;

	private readonly standings = new Map<string | null, Standing>();

	private place: Omit<Place, 'groups'>;

	/**
	 * @param isNews returns true for a row to report, which is kept whole
	 * @param firm true if a skipped row would be reported wrongly later. Any change then means another reading.
	 */
	constructor(
		private readonly source: Watch,
		private readonly isNews: (sighting: Sighting) => boolean,
		private readonly firm: boolean,
		{ groups, ...place }: Place = { ...START, reading: 1, groups: [] },
	) {
		this.seen = unpack(groups);
		this.place = place;
	}

	/** Progress for the next poll. */
	get stored(): Place {
		return { ...this.place, groups: pack(this.seen) };
	}

	/**
	 * Reads on until the sweep or the poll ends. A reading is complete if it has all announced rows. In the
	 * last one, rows that came twice count twice: the list may announce them so.
	 * @returns true if the sweep is complete
	 * @throws NodeOperationError if the last reading lacks rows, too. NodeApiError if a page fails.
	 */
	async run(): Promise<boolean> {
		const { source, place, firm } = this;
		if (source.named) return await this.readNamed(source.named);
		for (; place.reading <= READINGS; Object.assign(place, START, { reading: place.reading + 1 })) {
			if (!(await this.read())) return false;
			const isLast = place.reading === READINGS;
			const rows = this.seen.size + place.odd + (isLast ? place.again : 0);
			const isWhole = rows >= (place.announced ?? 0);
			if (isWhole && (place.steady || !firm || isLast)) return true;
			if (isLast) break;
		}
		throw new NodeOperationError(
			source.node,
			`The API announced ${place.announced} rows but returned ${this.seen.size}, in ${READINGS} attempts to read the list. No items were output. The next poll tries again.`,
		);
	}

	private sightingOf(row: unknown): Sighting | undefined {
		const sighting = sightingOf(row, this.source);
		return sighting && !this.isNews(sighting) ? { ...sighting, row: undefined } : sighting;
	}

	private see(sighting: Sighting): void {
		const { status } = sighting;
		const standing = this.standings.get(status) ?? { status };
		this.standings.set(status, standing);
		this.seen.set(sighting.number, standing);
		this.sightings.set(sighting.id, sighting);
	}

	/** Reads the records that this sweep hasn't seen yet. Returns true if it got all of them. */
	private async readNamed(named: ApiRequest[]): Promise<boolean> {
		const { source, firm, seen } = this;
		const left = named.filter((each) => !seen.has(fingerprint(lastId(each))));
		const read: Sighting[] = [];
		const isRead = await readOn(
			source,
			async () => await readNamed(source, left, firm, read),
			() => read.length > 0,
		);
		for (const each of read) this.see(each);
		return isRead;
	}

	/** Reads on to the end of the list. Returns true if it got there. */
	private async read(): Promise<boolean> {
		const { source, place } = this;
		const { bookmark } = place;
		const { announced = Infinity } = place;
		const shape = listShape(endpointOf(source.request.route));
		let [least, most] = [announced, Number.isFinite(announced) ? announced : 0];
		const onPage = (rows: unknown[], body: unknown, { query }: ApiRequest) => {
			const count = isRecord(body) ? numberOf(body.count) : undefined;
			// On an empty page after the end, the count may be that of the page.
			if (count !== undefined && (rows.length > 0 || query?.page === 1)) {
				[least, most] = [Math.min(least, count), Math.max(most, count)];
			}
			return rows.map((row) => this.sightingOf(row));
		};
		const { api, request } = source;
		const reader = PageReader.from(
			request,
			shape,
			async (each, context) => {
				const page = await api.page(each, shape, context);
				return { ...page, rows: onPage(page.rows, page.body, each) };
			},
			bookmark,
		);
		const toEnd = async () => {
			while (!reader.done) await reader.read(Infinity, source.door.parallel);
		};
		const isRead = await readOn(source, toEnd, () => reader.pages > 0);
		const ids = new Set<string>();
		for (const each of reader.rows as Array<Sighting | undefined>) {
			if (!each) continue;
			this.see(each);
			ids.add(each.id);
		}
		const { warning, overlapping } = reader.list();
		place.odd += reader.rows.length - ids.size;
		place.again += overlapping;
		place.announced = Number.isFinite(least) ? least : undefined;
		place.bookmark = reader.pages > 1 ? reader.later : reader.bookmark;
		const isAtOnce = bookmark === '' && isRead;
		place.steady &&= isAtOnce ? warning === undefined : least >= most;
		return isRead;
	}
}
