// A run of writes that fails before it begins, as where the credential can't be read. Output has what earlier tries have sent
// all the same.
import { NodeOperationError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { takesKey, type Operation } from '../form/operation';
import { errorItem } from './allItems';
import { isLasting, type Ledger } from './ledger';
import { RunMark } from './runMark';

const PERHAPS_SENT = 'An earlier execution may have sent these items. Check them.';

/** Output items of earlier tries by their index, for the error of a run that fails before it begins. */
export const sentBefore = new WeakMap<Error, Map<number, INodeExecutionData[]>>();

/** Ends a run that fails before it begins. Its error tells what earlier tries have sent. */
export async function endBeforeBegin(
	context: IExecuteFunctions,
	operation: Operation,
	ledger: Ledger,
	error: Error,
): Promise<void> {
	const goesOn = context.continueOnFail();
	// An error of the mark says what to check.
	const isOther = !(error instanceof NodeOperationError);
	if (ledger.isNew) {
		if (goesOn && takesKey(operation)) {
			const isRetry = context.getMode() === 'retry';
			if (isRetry) ledger.stray();
			else await leaveRefusal(context, ledger);
			if (isRetry && isOther)
				error.message = `${error.message.replace(/\.?$/, '.')} ${PERHAPS_SENT}`;
		}
		// The next Retry would take an empty ledger for the whole story.
		ledger.withdraw(goesOn);
		return;
	}
	if (!goesOn) {
		if (isOther) ledger.tell(error);
		return;
	}
	if (context.getMode() === 'retry' && takesKey(operation)) ledger.stray();
	const { done, inDoubt } = ledger.told();
	const sent = new Map(done.map((index) => [index, ledger.outputOf(index)]));
	for (const index of inDoubt) sent.set(index, [errorItem(ledger.errorOf(index), index)]);
	sentBefore.set(error, sent);
}

/** A Retry must not take the number of this run for that of one that never was. */
async function leaveRefusal(context: IExecuteFunctions, ledger: Ledger): Promise<void> {
	const { type, retryOnFail } = context.getNode();
	// The next try would begin with a mark whose texts say that nothing was sent.
	if (!isLasting(context) || type.endsWith('Tool') || retryOnFail === true) return;
	const size = context.getInputData().length;
	const fingerprints = async (indexes: number[]) => await Promise.resolve(indexes.map(() => ''));
	const mark = new RunMark(context, ledger, { isKeyed: false, size, fingerprints });
	// Without it, a Retry refuses what it can't tell.
	await mark
		.resume()
		.then(async () => {
			await mark.begin();
			await mark.end('done');
		})
		.catch(() => {});
}
