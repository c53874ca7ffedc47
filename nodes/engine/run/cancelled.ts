// A cancelled run, of which n8n keeps neither output nor error. So its log tells what was sent, and so does the next run of the
// node in this process.
import type { IExecuteFunctions } from 'n8n-workflow';

import { onAbort } from '../base/pool';
import type { Ledger } from './ledger';
import type { Session } from './session';
import { toldText } from './told';

/** Texts about cancelled runs, by workflow and node. */
const texts = new Map<string, string>();

/** Max rows that a text names. n8n's log has them all. */
const NAMED = 5;

/** Max texts, of which the oldest go. */
const MAX_TEXTS = 100;

/** Logs what was sent on a cancel. The returned function, called at the end, notes it for the next run (`takeCancelled`). */
export function watchCancel(
	context: IExecuteFunctions,
	{ operation: { action }, door: { secrets } }: Session,
	ledger: Ledger,
): () => void {
	const signal = context.getExecutionCancelSignal();
	if (!signal) return () => {};
	let isCancelled = false;
	const note = () => {
		const { place } = ledger;
		const { done, inDoubt } = ledger.told();
		// The text of an earlier run goes in any case, and a new text comes last.
		texts.delete(place);
		if (done.length + inDoubt.length === 0) return;
		const counts = `${done.length} done, ${inDoubt.length} in doubt`;
		texts.set(
			place,
			`Execution ${context.getExecutionId()} was cancelled during "${action}": ${counts}. ${toldText(ledger, NAMED)}`,
		);
		const [oldest] = texts.keys();
		if (texts.size > MAX_TEXTS) texts.delete(oldest);
	};
	const unlisten = onAbort(signal, () => {
		isCancelled = true;
		const { name } = context.getNode();
		const sent = toldText(ledger) || 'Nothing was sent.';
		context.logger.warn(secrets.hide(`${name}: ${action} was cancelled. ${sent}`));
	});
	return () => {
		unlisten();
		// Only now is it known what came of the requests that were under way.
		if (isCancelled) note();
	};
}

/** Tells what the last run of the node has sent, if it was cancelled. It's told once. */
export function takeCancelled(place: string): string[] {
	const text = texts.get(place);
	texts.delete(place);
	return text === undefined ? [] : [text];
}
