// One poll: a list as it stands now, compared with what was seen before -> items.
//
// n8n saves a trigger's memory when the workflow is published and when the trigger starts an
// execution, not when a poll finds nothing. So after a restart the memory can be the one of the last
// item: what it has learned since must be harmless to forget.
import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { accountOf, type Account } from '../shared/account';
import { isTimed, withNodeErrors } from '../shared/trigger';
import { pack, unpack, type Group, type Known } from './memory';
import { isWanted, samples, toItem } from './items';
import type { Sighting, Watch } from './reading';
import { missingOf } from './registered';
import { Sweep, type Place } from './sweep';
import { watchOf } from './watch';

/** What is stored between polls. */
interface Seen {
	/** What is watched, and whose it is; about anything else nothing is known. */
	watching: string;
	account: Account;
	/** How the rows stood; none until all of the list was read once. */
	groups?: Group[];
	/** Where a sweep of the list stands that didn't fit into one poll. */
	sweep?: Place;
	/** How many polls have given something. */
	given?: number;
}

const STARTS_OVER =
	"starts over: the API key is another one, and it can't be told that it belongs to the same company. Changes since the last poll with the earlier key aren't reported.";

/**
 * For how many days a missing row is remembered. Otherwise, if a list is empty for a while because of an
 * error of the service, all of its rows would be reported as new.
 */
const GONE_DAYS = 7;

const DAY = 24 * 60 * 60 * 1000;

/** Day of a time in milliseconds, YYYY-MM-DD. */
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** Since when polls are running, in milliseconds: n8n may start one before the previous one has ended. */
const underway = new Map<string, number>();

/**
 * What the last poll of this process left. n8n doesn't save what a poll without items has learned, the
 * poll of a publication under its scheduler included, and saves the rest a moment after the next poll
 * may have begun.
 */
interface Latest {
	/** The key of the account, as only this process knows it. */
	account: string;
	seen: Seen;
	at: number;
}

const latestPolls = new Map<string, Latest>();

/**
 * For how long n8n may take to save what a poll has given, in milliseconds. A poll that begins before
 * would give the same again. What isn't saved by then never was given, and must be.
 */
const SAVING = 60_000;

const givenBy = (seen: Seen | undefined) => seen?.given ?? 0;

/** What is known after a sweep: the rows as they stand, and those that are gone for a few days yet. */
function learn(before: Known, seen: Known, now: number): Known {
	const after = new Map(seen);
	for (const [number, { status, goneSince = dayOf(now) }] of before) {
		if (!after.has(number) && goneSince > dayOf(now - GONE_DAYS * DAY)) {
			after.set(number, { status, goneSince });
		}
	}
	return after;
}

/** What is remembered of what is watched, as far as it's surely of the same account. */
async function recall(context: IPollFunctions, watch: Watch, earlier?: Seen): Promise<Seen> {
	const { watching, includeExisting } = watch;
	const { account, isSame } = await accountOf(watch.door, earlier?.account);
	if (earlier && isSame) return { ...earlier, account };
	if (earlier) context.logger.warn(`"${watch.node.name}" ${STARTS_OVER}`);
	return { watching, account, groups: includeExisting && !earlier ? [] : undefined };
}

/**
 * Reads, compares, and only then remembers: a poll that fails changes nothing. What is found before the
 * end of the list is given at once.
 */
async function pollOnce(
	context: IPollFunctions,
	watch: Watch,
	memory: { seen?: Seen },
	place: string,
): Promise<INodeExecutionData[][] | null> {
	const { isLoss } = watch.event;
	const account = watch.door.account(place);
	const latest = latestPolls.get(place);
	const last = latest?.account === account ? latest : undefined;
	const saved = memory.seen?.watching === watch.watching ? memory.seen : undefined;
	if (last && givenBy(last.seen) > givenBy(saved) && Date.now() - last.at < SAVING) return null;
	const isSaved = givenBy(last?.seen) === givenBy(saved);
	const seen = await recall(context, watch, (isSaved && last?.seen) || saved);
	const known = seen.groups && unpack(seen.groups);
	const isChanged = ({ number, status }: Sighting) =>
		known !== undefined && known.get(number)?.status !== status;
	const isNews = (row: Sighting) => !isLoss && isChanged(row) && isWanted(watch, row.status);
	const firm = known === undefined || isLoss === true;
	const sweep = new Sweep(watch, isNews, firm, seen.sweep);
	const keep = (left: Seen) => latestPolls.set(place, { account, seen: left, at: Date.now() });
	const isWhole = await sweep.run().catch((error: unknown) => {
		// It is read from the start then.
		if (!isTimed(error)) keep({ ...seen, sweep: undefined });
		throw error;
	});

	const sightings = [...sweep.sightings.values()];
	const items = sightings.filter(isNews).map((row) => toItem(watch, row, known?.get(row.number)));
	if (isLoss && isWhole && known) {
		const missing = missingOf(known, sweep.seen);
		items.push(
			...missing.map((row) => toItem(watch, { id: String(row.id), status: null, row }, undefined)),
		);
	}
	// Save that a row left a watched status: if a restart forgot it, the row's return would be missed.
	// A webhook that is new must be known before it can be missed.
	const isLeft = sightings.some((row) => {
		const previous = known?.get(row.number);
		if (isLoss) return isChanged(row);
		return previous !== undefined && isChanged(row) && isWanted(watch, previous.status);
	});

	const now = isWhole
		? learn(known ?? new Map(), sweep.seen, Date.now())
		: known && new Map([...known, ...sweep.seen]);
	// What took several polls to learn is saved, lest a restart makes old rows of those that came since.
	const isStock = isWhole && known === undefined && seen.sweep !== undefined;
	const gives = items.length > 0 || isLeft || isStock;
	memory.seen = {
		...seen,
		given: givenBy(seen) + Number(gives),
		sweep: isWhole ? undefined : sweep.stored,
		groups: now && pack(now),
	};
	keep(memory.seen);
	return gives ? [items] : null;
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
		const memory = context.getWorkflowStaticData('node') as { seen?: Seen };
		const place = [context.getWorkflow().id, watch.node.id, watch.watching].join(' ');
		const since = underway.get(place);
		if (since !== undefined) {
			const seconds = Math.round((Date.now() - since) / 1000);
			context.logger.warn(
				`"${watch.node.name}" skipped a poll, because the one that began ${seconds} s ago still reads the list. Nothing is lost. Poll less often.`,
			);
			return null;
		}
		if (watch.deadline?.aborted) {
			context.logger.warn(
				`"${watch.node.name}" skipped a poll, because n8n had no time for it. Nothing is lost.`,
			);
			return null;
		}
		underway.set(place, Date.now());
		return await pollOnce(context, watch, memory, place).finally(() => underway.delete(place));
	};
	return await withNodeErrors(context.getNode(), work());
}
