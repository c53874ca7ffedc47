// One poll: reads the list, compares it with the state of earlier polls and returns items for the changes.
// n8n only saves the state when the workflow is published and when a poll starts an execution. So a restart
// goes back to the last saved state: what later polls learned must be safe to lose.
import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { accountOf, type Account } from '../shared/account';
import { isTimed, withNodeErrors } from '../shared/trigger';
import { pack, unpack, type Group, type Known } from './memory';
import { isWanted, samples, toItem } from './items';
import type { Watch, WatchedRow } from './reading';
import { missingOf } from './registered';
import { Sweep, type Progress } from './sweep';
import { watchOf } from './watch';

/** State that is stored between polls. */
interface Seen {
	/** Event and list of this state. It says nothing about others, or about those of another account. */
	watching: string;
	account: Account;
	/** Rows as last seen. Undefined until the whole list was read once. */
	groups?: Group[];
	/** Progress of a sweep that didn't fit into one poll. */
	sweep?: Progress;
	/** Number of polls that started an execution. */
	given?: number;
}

const STARTS_OVER =
	"starts over: the API key is another one, and it can't be told that it belongs to the same company. Changes since the last poll with the earlier key aren't reported.";

/**
 * Days that a missing row is remembered. Otherwise all rows would be reported as new after an API error
 * that makes a list empty for a while.
 */
const GONE_DAYS = 7;

const DAY = 24 * 60 * 60 * 1000;

/** Formats a time in milliseconds as YYYY-MM-DD. */
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** Start times of running polls, in milliseconds. n8n may start a poll before the previous one ends. */
const underway = new Map<string, number>();

/**
 * State after the last poll of this process. What n8n has saved may be older: it doesn't save the state of a
 * poll without items (nor, under its scheduler, that of the first poll at publication), and it may save
 * other states only after the next poll has begun.
 */
interface Latest {
	/** HMAC of host and API key. */
	account: string;
	seen: Seen;
	at: number;
}

const latestPolls = new Map<string, Latest>();

/**
 * Milliseconds that n8n may take to save the state of a poll with items. A poll that begins earlier would
 * report the same items again. If n8n hasn't saved by then, it dropped the items, so they're reported again.
 */
const SAVING = 60_000;

const givenBy = (seen: Seen | undefined) => seen?.given ?? 0;

/** Returns the rows to remember after a sweep: the current ones, and missing ones for `GONE_DAYS`. */
function learn(before: Known, seen: Known, now: number): Known {
	const after = new Map(seen);
	for (const [hash, { status, goneSince = dayOf(now) }] of before) {
		if (!after.has(hash) && goneSince > dayOf(now - GONE_DAYS * DAY)) {
			after.set(hash, { status, goneSince });
		}
	}
	return after;
}

/** Returns the earlier state, or an empty one if it may be of another account. */
async function recall(context: IPollFunctions, watch: Watch, earlier?: Seen): Promise<Seen> {
	const { watching, includeExisting } = watch;
	const { account, isSame } = await accountOf(watch.door, earlier?.account);
	if (earlier && isSame) return { ...earlier, account };
	if (earlier) context.logger.warn(`"${watch.node.name}" ${STARTS_OVER}`);
	return { watching, account, groups: includeExisting && !earlier ? [] : undefined };
}

/**
 * Reads, compares, and only then saves: a failed poll doesn't change the saved state. Changes that are found
 * before the end of the list are reported at once.
 */
async function pollOnce(
	context: IPollFunctions,
	watch: Watch,
	memory: { seen?: Seen },
	key: string,
): Promise<INodeExecutionData[][] | null> {
	const { isLoss } = watch.event;
	const account = watch.door.account(key);
	const latest = latestPolls.get(key);
	const last = latest?.account === account ? latest : undefined;
	const saved = memory.seen?.watching === watch.watching ? memory.seen : undefined;
	if (last && givenBy(last.seen) > givenBy(saved) && Date.now() - last.at < SAVING) return null;
	const isSaved = givenBy(last?.seen) === givenBy(saved);
	const seen = await recall(context, watch, (isSaved && last?.seen) || saved);
	const known = seen.groups && unpack(seen.groups);
	const isChanged = ({ hash, status }: WatchedRow) =>
		known !== undefined && known.get(hash)?.status !== status;
	const isReported = (row: WatchedRow) => !isLoss && isChanged(row) && isWanted(watch, row.status);
	const strict = known === undefined || isLoss === true;
	const sweep = new Sweep(watch, isReported, strict, seen.sweep);
	const keep = (left: Seen) => latestPolls.set(key, { account, seen: left, at: Date.now() });
	const isWhole = await sweep.run().catch((error: unknown) => {
		// The next poll reads from the start.
		if (!isTimed(error)) keep({ ...seen, sweep: undefined });
		throw error;
	});

	const rows = [...sweep.rows.values()];
	const items = rows
		.filter(isReported)
		.map((row) => toItem(watch, row, known?.get(row.hash)?.status));
	if (isLoss && isWhole && known) {
		const missing = missingOf(known, sweep.seen);
		items.push(...missing.map((row) => toItem(watch, { id: String(row.id), status: null, row })));
	}
	// Make n8n save that a row left a watched status: if a restart forgot it, the row's return would be missed.
	// Make it save new webhooks, too: only a known webhook can be reported as missing.
	const isLeft = rows.filter(isChanged).some(({ hash }) => {
		const previous = known?.get(hash);
		return isLoss === true || (previous !== undefined && isWanted(watch, previous.status));
	});
	// Make n8n save a first state that took several polls: after a restart without it, rows that came since
	// would count as existing.
	const isStock = isWhole && known === undefined && seen.sweep !== undefined;
	const gives = items.length > 0 || isLeft || isStock;

	const now = isWhole
		? learn(known ?? new Map(), sweep.seen, Date.now())
		: known && new Map([...known, ...sweep.seen]);
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
 * Runs one poll. The first one only saves the current state. A manual execution returns samples and saves
 * nothing.
 * @returns items, an empty list to make n8n save the state, or null for nothing
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const work = async () => {
		const watch = await watchOf(context);
		if (context.getMode() === 'manual') return [await samples(watch)];
		const memory = context.getWorkflowStaticData('node') as { seen?: Seen };
		const key = [context.getWorkflow().id, watch.node.id, watch.watching].join(' ');
		const since = underway.get(key);
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
		underway.set(key, Date.now());
		return await pollOnce(context, watch, memory, key).finally(() => underway.delete(key));
	};
	return await withNodeErrors(context.getNode(), work());
}
