// One poll: reads the list, compares it with the state of earlier polls and returns items for the changes.
import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { isTimed, withNodeErrors } from '../engine/node/trigger';
import { ChangedRows } from './changedRows';
import { checkFilter } from './filter';
import { samples } from './items';
import { alone, isOlder, latestOf, remember, runningSince } from './latestState';
import { fingerprint, type KnownRows } from './packedState';
import type { Watch } from './reading';
import { after, recall, seenBy, type Seen } from './pollState';
import { Sweep } from './sweep';
import { watchOf } from './watch';

/** A poll that goes on has no other way than the log to tell the user something. */
const warn = (context: IPollFunctions, { node }: Watch, message: string) =>
	context.logger.warn(`"${node.name}" ${message}`);

/**
 * Runs a sweep as far as the poll allows. Returns true if it has ended. After a failure the next poll of this process starts
 * the list over, unless the API recovers by itself (`isTimed`). n8n's saved state stays.
 */
async function runSweep(
	context: IPollFunctions,
	watch: Watch,
	sweep: Sweep,
	{ seen, rememberState }: { seen: Seen; rememberState: (state: Seen) => void },
): Promise<boolean> {
	return await sweep.run().catch((error: unknown) => {
		// When the time is over, a sweep only fails if this poll has read nothing. The page at the bookmark may never come, and
		// would hold up the list for ever.
		const isFruitless = watch.deadline?.aborted === true;
		const goesOn = isTimed(error) && !isFruitless;
		if (isFruitless && seen.sweep) {
			warn(context, watch, 'starts the list over, because no page came in the time of a poll.');
		}
		rememberState(goesOn ? seen : { ...seen, sweep: undefined });
		throw error;
	});
}

/** IDs of records that no poll has found. Warns of those that the last poll didn't have among them (`before`). */
function unknownIds(
	context: IPollFunctions,
	watch: Watch,
	absent: string[],
	{ known, before = [] }: { known?: KnownRows; before?: string[] },
): string[] | undefined {
	const unknown = absent.filter((id) => !known?.has(fingerprint(id)));
	const untold = unknown.filter((id) => !before.includes(id)).map((id) => `"${id}"`);
	if (untold.length > 0) {
		const message = `found nothing for ${untold.join(', ')}. Check the IDs. The others are watched.`;
		warn(context, watch, message);
	}
	return unknown.length > 0 ? unknown : undefined;
}

/** Logs only if the API lacks more rows than after the last poll (`before`). */
function tellLacking(context: IPollFunctions, watch: Watch, { lacking }: Sweep, before = 0): void {
	if (lacking <= before) return;
	const rows = lacking === 1 ? '1 row' : `${lacking} rows`;
	const { isLoss, gone } = watch.event;
	const what = isLoss ? 'webhooks' : 'rows';
	const missing = isLoss || gone ? ` Missing ${what} aren't reported meanwhile.` : '';
	warn(
		context,
		watch,
		`read the list three times, but the API announced ${rows} more than it returned. Those that it returned are watched.${missing}`,
	);
}

/** The known state of records that the API can't give at the moment stays. */
function tellFailed(context: IPollFunctions, watch: Watch, { unread }: Sweep): void {
	const { failed } = unread;
	if (failed.length === 0) return;
	const messages = failed.map(({ message }) => message).join(' ');
	warn(context, watch, `couldn't read ${messages} The others are watched.`);
}

/** The state in n8n's data, unless it's of another event or list. */
const savedOf = ({ seen }: { seen?: Seen }, { watching }: Watch) =>
	seen?.watching === watching ? seen : undefined;

/** A first state of several polls, or of another account, must be saved: else a restart takes newer rows for existing. */
const mustSaveStart = ({ sweep, account }: Seen, latest?: Seen) =>
	sweep !== undefined || (latest !== undefined && latest.account.key !== account.key);

/** A failed poll doesn't change the saved state. Changes that are found before the end of the list are reported at once. */
async function pollOnce(
	context: IPollFunctions,
	watch: Watch,
	memory: { seen?: Seen },
	key: string,
): Promise<INodeExecutionData[][] | null> {
	const account = watch.door.account(key);
	const saved = savedOf(memory, watch);
	const latest = latestOf(key, account, saved);
	if (latest === 'saving') return null;
	const seen = await recall(context, watch, latest);
	const rememberState = (state: Seen) => remember(key, account, state);

	const changes = new ChangedRows(watch, seen);
	const { known, isReported, followed } = changes;
	const { isLoss, isPayment, gone } = watch.event;
	const strict = known === undefined || isLoss === true || gone !== undefined;
	const rules = { isReported, followed, strict, lacking: seen.lacking ?? 0 };
	const sweep = new Sweep(watch, rules, seenBy(seen), seen.sweep?.progress);
	const isOver = await runSweep(context, watch, sweep, { seen, rememberState });

	const isWhole = isOver && sweep.lacking === 0;
	if (isWhole) await changes.findGone(sweep);
	const items = changes.items(sweep, isWhole);
	const isStart = isOver && known === undefined;
	const savesStart = isStart && mustSaveStart(seen, latest);
	const mustBeSaved = savesStart || isOlder(saved, latest) || changes.mustBeSaved(sweep, isWhole);
	const gives = items.length > 0 || mustBeSaved;
	tellLacking(context, watch, sweep, seen.lacking);
	tellFailed(context, watch, sweep);
	const checked = isOver
		? checkFilter(watch, sweep.seen, {
				items,
				earlier: seen.checked,
				warn: (told) => warn(context, watch, told),
			})
		: seen.checked;
	const { absent } = sweep.unread;
	memory.seen = {
		...after(seen, changes.left, sweep, { isOver, isLoss }),
		checked,
		readAt: isPayment && (isOver ? Date.now() : seen.readAt),
		unknown: unknownIds(context, watch, absent, { known, before: seen.unknown }),
		given: (seen.given ?? 0) + Number(gives),
	};
	rememberState(memory.seen);
	return gives ? [items] : null;
}

/**
 * Runs one poll, unless another one is running. The first one only takes up the current state, if the form doesn't include
 * existing rows. A manual execution returns samples and saves nothing. An empty list makes n8n save the state, null nothing.
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const work = async () => {
		const watch = await watchOf(context);
		if (context.getMode() === 'manual') return [await samples(watch)];
		const memory = context.getWorkflowStaticData('node') as { seen?: Seen };
		const key = [context.getWorkflow().id, watch.node.id, watch.watching].join(' ');
		const since = runningSince(key);
		if (since !== undefined) {
			const seconds = Math.round((Date.now() - since) / 1000);
			warn(
				context,
				watch,
				`skipped a poll, because the one that began ${seconds} s ago still reads the list. Nothing is lost. Poll less often.`,
			);
			return null;
		}
		if (watch.deadline?.aborted) {
			warn(context, watch, 'skipped a poll, because n8n had no time for it. Nothing is lost.');
			return null;
		}
		return await alone(key, async () => await pollOnce(context, watch, memory, key));
	};
	return await withNodeErrors(context, work());
}
