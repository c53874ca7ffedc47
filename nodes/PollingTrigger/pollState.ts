// State of the trigger between polls. n8n only saves it when the workflow is published and when a poll starts an execution. So
// a restart goes back to the last saved state: what later polls learned must be safe to lose.
import type { IPollFunctions } from 'n8n-workflow';

import { recognizeAccount, type StoredAccount } from '../api/account';
import { pack, packMarks, unpack, unpackMarks, type Group, type KnownRows } from './packedState';
import type { Checked } from './filter';
import type { Watch } from './reading';
import type { Progress, Sweep } from './sweep';
import { dayOf } from './time';

interface StoredSweep {
	progress: Progress;
	/** Rows seen so far, if there are no known rows yet, or these must stay as they are (`isLoss`). */
	groups?: Group[];
	/** Otherwise marks of the rows seen so far among the known ones, which take a fraction of the space. */
	marks?: string;
}

export interface Seen {
	/** Event and list of this state. For others, and for another account, the state is of no use. */
	watching: string;
	account: StoredAccount;
	/** Rows as last seen. Undefined until the whole list was read once. */
	groups?: Group[];
	/** Progress of a sweep that didn't fit into one poll. */
	sweep?: StoredSweep;
	/** Number of polls that gave n8n items, or only this state to save. Its version, by which `latestOf` tells older ones. */
	given?: number;
	/** Begin of the first poll, in milliseconds. Only the first sweep needs it. */
	since?: number;
	/** Number of rows that the API announces but doesn't return. */
	lacking?: number;
	/** IDs of records that were never found. */
	unknown?: string[];
	/** Time at which the list was read, in milliseconds, where that tells something of a change. */
	readAt?: number;
	checked?: Checked;
}

const STARTS_OVER =
	"starts over: the API key is another one, and it can't be told that it belongs to the same company. Changes since the last poll with the earlier key aren't reported.";

/** An earlier state that may be of another account isn't used, which the log says. */
export async function recall(context: IPollFunctions, watch: Watch, earlier?: Seen): Promise<Seen> {
	const { watching, includeExisting } = watch;
	const since = Date.now();
	const { account, isSame } = await recognizeAccount(watch.door, earlier?.account);
	if (earlier && isSame) return { ...earlier, account };
	if (earlier) context.logger.warn(`"${watch.node.name}" ${STARTS_OVER}`);
	// With known rows, although none, all rows are new. After another account, existing rows are never reported.
	const groups = includeExisting && !earlier ? [] : undefined;
	// `given` goes on: with another number, the next poll would go back to the state that n8n has saved.
	return { watching, account, since, groups, given: earlier?.given };
}

export function seenBy({ groups = [], sweep }: Seen): KnownRows {
	if (sweep?.marks !== undefined) return unpackMarks(groups, sweep.marks);
	return unpack(sweep?.groups ?? []);
}

/** An API error may make a list empty for a while. Without these days all rows would then be reported as new. */
const GONE_DAYS = 7;

const DAY = 24 * 60 * 60 * 1000;

/** The rows to remember after a sweep: the current ones, and missing ones for `GONE_DAYS`. */
function withMissing(before: KnownRows, seen: KnownRows, time: number): KnownRows {
	const after = new Map(seen);
	for (const [hash, state] of before) {
		const { goneSince = dayOf(time) } = state;
		if (!after.has(hash) && goneSince > dayOf(time - GONE_DAYS * DAY)) {
			after.set(hash, { ...state, goneSince });
		}
	}
	return after;
}

interface Rules {
	/** Reports missing webhooks, also changed ones. Their known state tells that, so it stays until the whole list is read. */
	isLoss?: boolean;
}

/** The state with the progress of a sweep that goes on in the next poll. Rows with reported changes become known. */
function midway(
	before: Seen,
	known: KnownRows | undefined,
	{ progress, seen }: Sweep,
	{ isLoss }: Rules,
): Seen {
	if (!known || isLoss) return { ...before, sweep: { progress, groups: pack(seen) } };
	const groups = pack(new Map([...known, ...seen]));
	const marks = packMarks(groups, (number) => seen.has(number));
	return { ...before, groups, sweep: { progress, marks } };
}

/** The rows to remember while the API lacks some: all of them, and none gets missing. Known webhooks stay (`Rules`). */
function merge(known: KnownRows, seen: KnownRows, { isLoss }: Rules): KnownRows {
	const kept = isLoss ? [...known].filter(([, { goneSince }]) => goneSince === undefined) : [];
	return new Map([...known, ...seen, ...kept]);
}

/** The state after the last poll of a sweep, without what only a sweep needs. `pollOnce` adds `unknown`. */
function ended(before: Seen, known: KnownRows, { seen, lacking }: Sweep, rules: Rules): Seen {
	const { account, watching, given } = before;
	const now = lacking > 0 ? merge(known, seen, rules) : withMissing(known, seen, Date.now());
	return { watching, account, given, groups: pack(now), lacking: lacking || undefined };
}

export function after(
	before: Seen,
	known: KnownRows | undefined,
	sweep: Sweep,
	{ isOver, ...rules }: Rules & { isOver: boolean },
): Seen {
	return isOver
		? ended(before, known ?? new Map<number, never>(), sweep, rules)
		: midway(before, known, sweep, rules);
}
