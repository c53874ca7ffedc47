// The warning if rows of a list may be missing or duplicate.
import type { ListState } from './listState';

/** A page with fewer rows is hardly cut. */
const SMALL_PAGE = 10;

const duplicatesText = (rows: number) => `${rows} duplicate rows were left out.`;

const endlessText = (delivered: number) =>
	`Pages kept coming, and the list showed no end. Reading stopped after ${delivered} rows, so rows may be missing or repeated.`;

function announcedText({ before, count, collector }: ListState, delivered: number): string {
	const behind = before > 0 ? ` after the first ${before}` : '';
	const missing = `The API announced ${count} rows but returned ${delivered}${behind}.`;
	const { duplicates } = collector;
	return duplicates > 0 ? `${missing} ${duplicatesText(duplicates)}` : missing;
}

/** The announced last page may be empty. An empty one before it means that rows are missing. */
const isCut = ({ count, last = 0, staleSince, newest }: ListState) =>
	count === undefined && (staleSince < last || (staleSince === last && newest.rows.length > 0));

/** Services ignore a page that they don't know. Few rows are most likely all that it has. */
const isOnePage = ({ staleSince, pageNumber, newest, isAnnounced }: ListState) =>
	staleSince === 2 && pageNumber === 2 && newest.rows.length >= SMALL_PAGE && !isAnnounced;

function missingText(state: ListState, delivered: number): string | undefined {
	const { before, count = 0, last = 0, pageNumber, newest, staleSince } = state;
	if (state.isEndless) return endlessText(delivered);
	if (delivered < count - before) return announcedText(state, delivered);
	if (isCut(state)) {
		return `The API announced ${last} pages, but page ${staleSince} had nothing new. Rows may be missing.`;
	}
	if (newest.unclearEnd !== undefined) {
		return `Page ${pageNumber} wasn't returned (${newest.unclearEnd}). Rows may be missing.`;
	}
	if (isOnePage(state)) {
		return `Page 2 was the same as page 1, and the API doesn't say how many rows there are. If there are more than ${delivered}, they are missing.`;
	}
	return state.shrank
		? 'The list got shorter while it was read, so rows may be missing. Run it again.'
		: undefined;
}

/** @param delivered number of rows that the user gets */
export function warningOf(state: ListState, delivered: number): string | undefined {
	const isShort = delivered < state.wantedEnd - state.before;
	const missing = isShort ? missingText(state, delivered) : undefined;
	if (missing !== undefined) return missing;
	if (state.overlapping > 0) return duplicatesText(state.overlapping);
	const { changed } = state.collector;
	return changed > 0
		? `${changed} rows have the same ID as an earlier row but different content. The output has both.`
		: undefined;
}
