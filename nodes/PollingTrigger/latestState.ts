// What this process remembers of polls, since n8n saves their state later or not at all.
import type { Seen } from './pollState';

/** Start times of running polls, in milliseconds. n8n may start a poll before the previous one ends. */
const underway = new Map<string, number>();

export const runningSince = (key: string) => underway.get(key);

export async function alone<T>(key: string, poll: () => Promise<T>): Promise<T> {
	underway.set(key, Date.now());
	return await poll().finally(() => underway.delete(key));
}

/**
 * State after the last poll of this process. The state that n8n has saved may be older: n8n doesn't save the state of a poll
 * without items (nor, under its scheduler, that of the first poll at publication), and it may save other states only after the
 * next poll has begun.
 */
interface Latest {
	/** HMAC of host and API key. */
	account: string;
	seen: Seen;
	at: number;
	/** The newest state that n8n has saved, with what polls without items have learned since. */
	saved?: Seen;
}

const latestPolls = new Map<string, Latest>();

/**
 * Milliseconds that n8n may take to save the state of a poll with items. A poll that begins earlier would report the same
 * items again. If n8n hasn't saved by then, it dropped the items, so they're reported again.
 */
const SAVING = 60_000;

/** Number of polls that gave n8n something to save, as version of a state: equal ones only differ by what n8n doesn't save. */
const givenBy = (seen: Seen | undefined) => seen?.given ?? 0;

/** A poll with another API key or host doesn't count. */
const lastOf = (key: string, account: string) => {
	const latest = latestPolls.get(key);
	return latest?.account === account ? latest : undefined;
};

export function remember(key: string, account: string, seen: Seen): void {
	const saved = lastOf(key, account)?.saved;
	latestPolls.set(key, { account, seen, at: Date.now(), saved });
}

/** n8n saved a newer state before. Another polling trigger made n8n go back, since it saves the whole workflow's data. */
export const isOlder = (saved: Seen | undefined, latest: Seen | undefined) =>
	givenBy(saved) < givenBy(latest);

/** The state to go on from, or 'saving' if n8n may still be saving that of the last poll. Remembers what n8n has saved. */
export function latestOf(key: string, account: string, saved?: Seen): Seen | undefined | 'saving' {
	const last = lastOf(key, account);
	if (!last) return saved;
	const newest = isOlder(saved, last.saved) ? last.saved : saved;
	if (givenBy(last.seen) === givenBy(newest)) {
		last.saved = last.seen;
		return last.seen;
	}
	const isAhead = givenBy(last.seen) > givenBy(newest);
	if (isAhead && Date.now() - last.at < SAVING) return 'saving';
	// n8n dropped what the last poll gave, or another process has polled since.
	return newest;
}
