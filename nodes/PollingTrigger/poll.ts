// One poll: a list as it stands now, compared with what was seen before -> items.
//
// n8n saves a trigger's memory when the workflow is published and when the trigger starts an
// execution, not when a poll finds nothing. So after a restart the memory can be the one of the last
// item: what it has learned since must be harmless to forget.
import {
	NodeOperationError,
	type IDataObject,
	type INodeExecutionData,
	type IPollFunctions,
} from 'n8n-workflow';

import { accountOf, type Account } from '../shared/account';
import { inTrigger } from '../shared/trigger';
import { pack, unpack, type Group, type Known, type Standing } from './memory';
import { readAll, readFirst, type Sighting } from './reading';
import { watchOf, type Watch } from './watch';

/** What is stored between polls. */
interface Memory {
	seen?: {
		/** What the groups are about, and whose it is; about anything else nothing is known. */
		watching: string;
		account?: Account;
		groups: Group[];
	};
}

const STARTS_OVER =
	"starts over: the API key is another one, and it can't be told that it belongs to the same company. Changes since the last poll with the earlier key aren't reported.";

/** Items that a manual execution shows. */
const SAMPLES = 5;

/**
 * For how many days a missing row is remembered. Otherwise, if a list is empty for a while because of an
 * error of the service, all of its rows would be reported as new.
 */
const GONE_DAYS = 7;

const DAY = 24 * 60 * 60 * 1000;

/** Day of a time in milliseconds, YYYY-MM-DD. */
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** Polls that are running: n8n may start a poll before the previous one has ended. */
const underway = new Set<string>();

/** Whether a status is one of those to report. */
const isWanted = ({ statuses }: Watch, status: string | null) =>
	statuses.size === 0 || statuses.has(status ?? '');

function toItem(
	{ event }: Watch,
	{ id, status, row }: Sighting,
	previous: Standing | undefined,
): INodeExecutionData {
	const json: IDataObject = { event: event.value, id, detectedAt: new Date().toISOString() };
	if (event.statusField !== undefined) {
		Object.assign(json, { status, previousStatus: previous?.status ?? null });
	}
	return { json: { ...json, data: row } };
}

/** Rows of different statuses first, so that samples reach every branch of a workflow. */
function varied(rows: Sighting[]): Sighting[] {
	const first = new Map<Sighting['status'], Sighting>();
	for (const row of rows) if (!first.has(row.status)) first.set(row.status, row);
	const different = [...first.values()];
	return [...different, ...rows.filter((row) => !different.includes(row))];
}

/** Sample items, made of existing rows. */
async function samples(watch: Watch): Promise<INodeExecutionData[]> {
	const { sightings, withoutId } = await readFirst(watch);
	const rows = sightings.filter(({ status }) => isWanted(watch, status));
	if (rows.length > 0)
		return varied(rows)
			.slice(0, SAMPLES)
			.map((row) => toItem(watch, row, undefined));
	const unwatched = withoutId > 0 ? ` ${withoutId} of them have no ID and can't be watched.` : '';
	throw new NodeOperationError(
		watch.node,
		`No sample found for '${watch.event.name}': none of the first rows of the list match.${unwatched}`,
	);
}

/** What is known after a poll: the rows as they stand, and those that are gone for a few days yet. */
function learn(before: Known, sightings: Sighting[], now: number): Known {
	const standings = new Map<string | null, Standing>();
	const after: Known = new Map();
	for (const { number, status } of sightings) {
		const standing = standings.get(status) ?? { status };
		standings.set(status, standing);
		after.set(number, standing);
	}
	for (const [number, { status, goneSince = dayOf(now) }] of before) {
		if (!after.has(number) && goneSince > dayOf(now - GONE_DAYS * DAY)) {
			after.set(number, { status, goneSince });
		}
	}
	return after;
}

/** Reads, compares, and only then remembers: a poll that fails changes nothing. */
async function pollOnce(
	context: IPollFunctions,
	watch: Watch,
	memory: Memory,
): Promise<INodeExecutionData[][] | null> {
	const seen = memory.seen?.watching === watch.watching ? memory.seen : undefined;
	const { account, isSame } = await accountOf(watch.door, seen?.account);
	if (seen && !isSame) context.logger.warn(`"${watch.node.name}" ${STARTS_OVER}`);
	const known = seen && isSame ? unpack(seen.groups) : undefined;
	const isChanged = ({ number, status }: Sighting) =>
		known !== undefined && known.get(number)?.status !== status;
	const isNews = (row: Sighting) => isChanged(row) && isWanted(watch, row.status);
	const sightings = await readAll(watch, isNews, known === undefined);

	const items = sightings.filter(isNews).map((row) => toItem(watch, row, known?.get(row.number)));
	// Save that a row left a watched status: if a restart forgot it, the row's return would be missed.
	const isLeft = sightings.some((row) => {
		const previous = known?.get(row.number);
		return previous !== undefined && isChanged(row) && isWanted(watch, previous.status);
	});

	const groups = pack(learn(known ?? new Map(), sightings, Date.now()));
	memory.seen = { watching: watch.watching, account, groups };
	return items.length > 0 || isLeft ? [items] : null;
}

/**
 * One poll of the trigger. The first takes stock and reports nothing; a manual execution shows
 * sample items and remembers nothing.
 * @returns the items, none where n8n must save what was learned, null where nothing is to be done
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const work = async () => {
		const watch = await watchOf(context);
		if (context.getMode() === 'manual') return [await samples(watch)];
		const memory = context.getWorkflowStaticData('node') as Memory;
		const place = [context.getWorkflow().id, watch.node.id, watch.watching].join(' ');
		if (underway.has(place)) return null;
		underway.add(place);
		return await pollOnce(context, watch, memory).finally(() => underway.delete(place));
	};
	return await inTrigger(context, work());
}
