// What a ledger tells a person: in the error that stops a run, in n8n's log and in the hints.
import { firstOf, sentence } from '../base/data';
import { rowsText } from '../base/itemName';
import type { Ledger } from './ledger';

/** Max items that a message and a description name. */
const IN_MESSAGE = 20;
const IN_DESCRIPTION = 1000;

const LEAVE = "n8n's Retry leaves them out. In a new run, leave them out yourself.";

/** Names the items that were done and those that may have been. Items in doubt that the error names already are `except`. */
export function toldText(ledger: Ledger, most = IN_DESCRIPTION, except: number[] = []): string {
	const { done, inDoubt } = ledger.told(except);
	const ids = (index: number) => {
		const { ids: all = [] } = ledger.run.items[index];
		return all.length > 0 ? ` (ID ${all.join(', ')})` : '';
	};
	return [
		done.length > 0 && `Already done, but not in the output: ${rowsText(done, most, ids)}.`,
		inDoubt.length > 0 && `May have gone through: ${rowsText(inDoubt, most)}.`,
	]
		.filter(Boolean)
		.join(' ');
}

type StopError = Error & { description?: string | null; context?: { itemIndex?: number } };

/** Texts of errors before `tell` adds to them: a retry may end with the same error object again. */
const originals = new WeakMap<Error, Pick<StopError, 'message' | 'description'>>();

/** Adds the items that were done, or may have been, to the error that stops the run. n8n shows nothing else of the run. */
export function tell(ledger: Ledger, error: StopError, named: number[] = []): void {
	const { message, description } = originals.get(error) ?? error;
	originals.set(error, { message, description });
	const except = [error.context?.itemIndex ?? -1, ...named];
	const { done, inDoubt } = ledger.told(except);
	if (done.length + inDoubt.length === 0) return;
	const begin = message.replace(/(n|N)othing was sent/g, '$1othing more was sent');
	error.message = `${sentence(begin)} ${toldText(ledger, IN_MESSAGE, except)} ${LEAVE}`;
	if (Math.max(done.length, inDoubt.length) <= IN_MESSAGE) return;
	const all = `${toldText(ledger, IN_DESCRIPTION, except)} ${LEAVE}`;
	error.description = [description, all].filter(Boolean).join('. ');
}

const were = (count: number) => (count === 1 ? '1 item was' : `${count} items were`);

/** Hints about items that an earlier execution has sent, about those that came back, and about skipped ones. */
export function hintsOf(ledger: Ledger): string[] {
	const { run, changed, skips, ledBack } = ledger;
	const hints: string[] = [];
	const doneBefore = run.isTakenOver ? ledger.doneBefore : [];
	if (doneBefore.length > 0) {
		const other =
			changed.length > 0 ? ` Sent with other values than these: ${rowsText(changed)}.` : '';
		hints.push(
			`${were(doneBefore.length)} sent in the execution before, so not again: ${rowsText(doneBefore)}.${other}`,
		);
	}
	if (ledBack > 0) {
		const items = ledBack === 1 ? '1 item' : `${ledBack} items`;
		hints.push(
			`${items} came back and can't be sent, so not put out again. See the error in an earlier run of this node.`,
		);
	}
	if (skips.length > 0) {
		const doubtful = skips.filter((key) => key !== undefined);
		const check = doubtful.length > 0 ? ` In doubt, so check them: ${firstOf(doubtful)}.` : '';
		hints.push(
			`${were(skips.length)} skipped, because the Idempotency Key was sent before.${check}`,
		);
	}
	return hints;
}
