// Names and statuses that the user has typed into the form. A name that no row has reports nothing for ever, so it's told in a
// manual execution, in the log after publishing, and in the first item that comes out.
import type { INodeExecutionData } from 'n8n-workflow';

import { firstOf } from '../engine/base/data';
import { namesIn, shownName } from './fieldHashes';
import type { RowState } from './packedState';
import { paymentIn } from './payments';
import type { Watch } from './reading';

/** Names and statuses that were looked for, stored between polls. */
export interface Checked {
	typed: string;
	/** All that no row has had since, until an item tells them. */
	unseen: string[];
}

export const statusIn = ({ event }: Watch, status: string | null) =>
	event.isPayment ? paymentIn(status) : status;

/** The status passes the filter of the form, in any case of letters. */
export const isWanted = (watch: Watch, status: string | null) =>
	watch.statuses.size === 0 || watch.statuses.has((statusIn(watch, status) ?? '').toLowerCase());

export function foundIn(watch: Watch, states: Iterable<RowState>): Set<string> {
	const all = [...states];
	if (watch.event.isUpdate) return new Set(all.flatMap(namesIn));
	return new Set(all.map(({ status }) => statusIn(watch, status) ?? ''));
}

export function unseenIn({ typed, event }: Watch, found: Set<string>): string[] {
	const lower = new Set([...found].map((each) => each.toLowerCase()));
	const nameOf = event.isUpdate ? shownName : (status: string) => status.toLowerCase();
	return typed.filter((each) => !lower.has(nameOf(each)));
}

const quoted = (texts: string[]) => firstOf(texts.map((each) => `"${each}"`));

/** The text is a sentence without its first word. */
export function toldOf({ event }: Watch, unseen: string[], found: Set<string>): string {
	if (event.isUpdate) {
		return `found no row with a value in ${quoted(unseen)}. Check the names in Fields to Watch.`;
	}
	const all = quoted([...found].filter((each) => each !== '').sort());
	const have = all === '' ? 'no status' : all;
	return `found no row with the status ${quoted(unseen)} at the moment. The rows have ${have}. Check Filter by Status.`;
}

function addWarning({ json }: INodeExecutionData, warning: string): void {
	json.warning = [json.warning, warning].filter(Boolean).join(' ');
}

export function warnFirst(
	watch: Watch,
	items: INodeExecutionData[],
	unseen: string[],
	found: Set<string>,
): void {
	if (unseen.length === 0 || items.length === 0) return;
	const told = toldOf(watch, unseen, found);
	addWarning(items[0], `F${told.slice(1)}`);
}

/** Looks for typed names once the whole list was read, and tells it in log and first item. A new filter is looked for anew. */
export function checkFilter(
	watch: Watch,
	states: Map<number, RowState>,
	{
		items,
		earlier,
		warn,
	}: { items: INodeExecutionData[]; earlier?: Checked; warn: (told: string) => void },
): Checked | undefined {
	const typed = watch.typed.join();
	const isSame = earlier?.typed === typed;
	if (typed === '' || (isSame && earlier.unseen.length === 0)) return isSame ? earlier : undefined;
	const found = foundIn(watch, states.values());
	const unseen = unseenIn(watch, found);
	if (states.size === 0) return isSame ? earlier : undefined;
	if (!isSame && unseen.length > 0) warn(toldOf(watch, unseen, found));
	const left = isSame ? unseen.filter((each) => earlier.unseen.includes(each)) : unseen;
	warnFirst(watch, items, left, found);
	return { typed, unseen: items.length > 0 ? [] : left };
}
