// What this process remembers of polls, since n8n saves their state later or not at all.
import type { Seen } from './seen';

/** Start times of running polls, in milliseconds. n8n may start a poll before the previous one ends. */
const underway = new Map<string, number>();

/** Returns since when another poll is running. */
export const runningSince = (key: string) => underway.get(key);

export async function alone<T>(key: string, poll: () => Promise<T>): Promise<T> {
	underway.set(key, Date.now());
	return await poll().finally(() => underway.delete(key));
}

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
	/** The newest state of which n8n is known to have saved what it gave. */
	saved?: Seen;
}

const latestPolls = new Map<string, Latest>();

/**
 * Milliseconds that n8n may take to save the state of a poll with items. A poll that begins earlier would
 * report the same items again. If n8n hasn't saved by then, it dropped the items, so they're reported again.
 */
const SAVING = 60_000;

const givenBy = (seen: Seen | undefined) => seen?.given ?? 0;

const lastOf = (key: string, account: string) => {
	const latest = latestPolls.get(key);
	return latest?.account === account ? latest : undefined;
};

export function remember(key: string, account: string, seen: Seen): void {
	const saved = lastOf(key, account)?.saved;
	latestPolls.set(key, { account, seen, at: Date.now(), saved });
}

/**
 * The saved state is older than one that n8n had saved. Another polling trigger of the workflow makes n8n do that: n8n
 * saves the data of the whole workflow, as that trigger has them.
 */
export const isOlder = (saved: Seen | undefined, latest: Seen | undefined) =>
	givenBy(saved) < givenBy(latest);

/**
 * Returns the state to go on from.
 * @param saved the state that n8n has saved
 * @returns 'saving' if n8n may still be saving the one of the last poll
 */
export function latestOf(key: string, account: string, saved?: Seen): Seen | undefined | 'saving' {
	const last = lastOf(key, account);
	if (!last) return saved;
	const given = givenBy(last.seen);
	const newest = isOlder(saved, last.saved) ? last.saved : saved;
	if (given === givenBy(newest)) return (last.saved = last.seen);
	return given > givenBy(newest) && Date.now() - last.at < SAVING ? 'saving' : newest;
}
