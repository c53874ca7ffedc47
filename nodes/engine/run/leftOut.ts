// What comes out for items that a run doesn't send, or that failed.
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { sentence } from '../base/data';
import { CHECK } from '../client/http/errors';
import { LEFT_OUT } from './releaseKey';
import type { Ledger } from './ledger';

/** The output item for an error, if the user chose to continue. */
export function errorItem(error: Error, index: number): INodeExecutionData {
	const { httpCode, description } = error as Error & { httpCode?: string; description?: string };
	// The editor needs <br> for line breaks. An item doesn't.
	const text = description?.replaceAll('<br>', '');
	const details: IDataObject = { ...(httpCode ? { httpCode } : {}), description: text };
	// n8n recognizes error items by exactly these keys, and sends them to the error output.
	return { json: { error: error.message, details }, pairedItem: { item: index } };
}

/** An error with this advice in place of the general one (`CHECK`). */
export const withAdvice = (text: string, advice: string): Error =>
	new Error(`${sentence(text).replace(` ${CHECK}`, '')} ${advice}`);

/**
 * Output of an item that a run leaves out, if the user chose to continue: of a node that throws, n8n takes the input for the
 * output. What an earlier try has sent comes out, but no refused item that comes back (`noteRefused`).
 */
export function leftOut(
	ledger: Ledger | undefined,
	index: number,
	reason: Error,
): INodeExecutionData[] {
	if (!ledger) return [errorItem(reason, index)];
	const fate = ledger.fateOf(index);
	if (fate === 'done') return ledger.outputOf(index);
	if (fate === 'inDoubt')
		return [errorItem(withAdvice(ledger.doubtOf(index).message, LEFT_OUT), index)];
	return unsentItem(ledger, index, reason);
}

/** Output of an item that this run hasn't sent. If an error output leads it back, it comes out of few runs (`noteRefused`). */
export function unsentItem(ledger: Ledger, index: number, reason: Error): INodeExecutionData[] {
	if (ledger.noteRefused(index, reason)) return [];
	// The reason already says so for an item that is in doubt since an earlier try.
	const isTold = ledger.fateOf(index) === 'inDoubt' || !ledger.mayBeSent(index);
	const error = isTold ? reason : withAdvice(reason.message, 'It may have gone through.');
	return [errorItem(error, index)];
}
