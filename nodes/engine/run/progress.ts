// Logs what a cancelled run has sent: n8n keeps no output of it.
import type { IExecuteFunctions } from 'n8n-workflow';

import { onAbort } from '../base/pool';
import type { Ledger } from './ledger';

/** @returns ends the watch */
export function logCancelled(
	context: IExecuteFunctions,
	action: string,
	ledger: Ledger,
): () => void {
	const signal = context.getExecutionCancelSignal();
	if (!signal) return () => {};
	return onAbort(signal, () => {
		const { name } = context.getNode();
		const sent = ledger.text() || 'Nothing was sent.';
		context.logger.warn(`${name}: ${action} was cancelled. ${sent}`);
	});
}
