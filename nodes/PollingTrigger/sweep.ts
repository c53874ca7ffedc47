// A list, read from its first row to its last in as many polls as that takes.
//
// Rows that come or go while its pages are read move the others: one may be skipped then. So it is
// read again, and the readings united, when fewer rows came than it announced all the while, or, for a
// `firm` sweep, when it changed at all. A list that names a row twice, each time that it is read, is
// whole all the same.
import { NodeOperationError } from 'n8n-workflow';

import { endpointOf } from '../shared/endpoints';
import { isRecord, numberOf, type ApiRequest } from '../shared/operation';
import { lastId } from '../shared/path';
import { isTimed, listShape, PageReader, type Cause } from '../shared/trigger';
import { fingerprint, pack, unpack, type Group, type Known, type Standing } from './memory';
import { readNamed, sightingOf, type Sighting, type Watch } from './reading';

/** How often a list is read in one sweep at most. */
const READINGS = 3;

/** Where a sweep stands, as it is stored between polls. */
export interface Place {
	/** Where the next page is; at the start if empty. */
	bookmark: string;
	/** Which reading of the list it is. */
	reading: number;
	/** Rows of this reading that are no sighting of their own: without an id, or with that of another row. */
	odd: number;
	/** Rows of this reading that came again on a later page. */
	again: number;
	/** The least that the list announced in this reading; none if nothing. */
	announced?: number;
	/** Whether it stayed the same all the while. */
	steady: boolean;
	/** All rows so far. */
	groups: Group[];
}

const START = { bookmark: '', odd: 0, again: 0, announced: undefined, steady: true };

/**
 * Reads on; tells whether it got to the end. A poll whose time is over, or that the API asks to wait,
 * keeps what it has.
 * @param hasSome whether anything was read
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

	/** How the rows stand that were seen since the sweep began. */
	readonly seen: Known;

	private readonly standings = new Map<string | null, Standing>();

	private place: Omit<Place, 'groups'>;

	/**
	 * @param isNews whether a row is to be kept whole
	 * @param firm whether a row that is missed would be reported wrongly later
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

	/** Where it stands, for the next poll. */
	get stored(): Place {
		return { ...this.place, groups: pack(this.seen) };
	}

	/**
	 * Reads on, to the end or until the poll must end. What was read counts, unless no page was.
	 * @returns whether it is done
	 * @throws NodeOperationError when rows are missing in the last reading too, NodeApiError when a page fails
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

	/** Reads the named records that this sweep hasn't seen yet; tells whether it got all of them. */
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

	/** Reads on to the end of the list; tells whether it got there. */
	private async read(): Promise<boolean> {
		const { source, place } = this;
		const { bookmark } = place;
		const { announced = Infinity } = place;
		const shape = listShape(endpointOf(source.request.route));
		let [least, most] = [announced, Number.isFinite(announced) ? announced : 0];
		const onPage = (rows: unknown[], body: unknown, { query }: ApiRequest) => {
			const count = isRecord(body) ? numberOf(body.count) : undefined;
			// What an empty page behind the end says of the list may hold for itself.
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
