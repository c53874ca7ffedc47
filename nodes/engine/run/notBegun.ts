// A run of writes that fails before it begins, as where the credential can't be read. Output has what earlier tries have sent
// all the same.
import {
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';

import { takesKey, type Operation } from '../form/operation';
import { outputOf, type OutputFields } from '../form/options';
import { errorItem } from './allItems';
import { hasKey } from './idempotency';
import { isLasting, type Ledger } from './ledger';
import { keylessFingerprints } from './prepare';
import { RunMark } from './runMark';
import { gathers } from './sameForAll';

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
	// An error of the mark says what to check.
	const isOfMark = error instanceof NodeOperationError;
	if (!context.continueOnFail()) {
		if (ledger.isNew) ledger.withdraw(false);
		else if (!isOfMark) ledger.tell(error);
		return;
	}
	const isRetry = context.getMode() === 'retry' && takesKey(operation);
	if (isRetry) {
		if (isOfMark) ledger.stray();
		else ledger.noteUnsure();
	}
	if (!ledger.isNew) return giveOut(context, operation, ledger, error);
	if (isRetry && !isOfMark) {
		error.message = `${error.message.replace(/\.?$/, '.')} ${PERHAPS_SENT}`;
	}
	const isLeft = !isRetry && (await leaveRefusal(context, operation, ledger));
	// The next try of Retry On Fail removes what this one has left. Otherwise a Retry would take an empty ledger for the whole
	// story.
	if (!isLeft || context.getNode().retryOnFail !== true) ledger.withdraw(true);
}

/** Gives out the items that earlier tries have sent, beside the error. */
function giveOut(
	context: IExecuteFunctions,
	operation: Operation,
	ledger: Ledger,
	error: Error,
): void {
	const { done, inDoubt } = ledger.told();
	const cut = cutOf(context, operation);
	const sent = new Map(done.map((index) => [index, ledger.outputOf(index).map(cut)]));
	for (const index of inDoubt) sent.set(index, [errorItem(ledger.errorOf(index), index)]);
	sentBefore.set(error, sent);
}

/** Keeps only the wanted fields of an item. */
function cutOf(context: IExecuteFunctions, operation: Operation) {
	let output: OutputFields | undefined;
	try {
		output = outputOf(context, operation);
	} catch {
		// They may be what this run fails for.
	}
	return (item: INodeExecutionData): INodeExecutionData =>
		output && item.json.skipped !== true
			? { ...item, json: output.cut(item.json) as IDataObject }
			: item;
}

/**
 * Leaves the mark of a run that is refused: a Retry must not take its number for that of a run that never was.
 * @returns false if there's none to leave, or n8n's store fails. Then a Retry refuses what it can't tell.
 */
async function leaveRefusal(
	context: IExecuteFunctions,
	operation: Operation,
	ledger: Ledger,
): Promise<boolean> {
	if (!takesKey(operation) || !isLasting(context)) return false;
	if (context.getNode().type.endsWith('Tool') || hasKey(context)) return false;
	const building = { operation, constants: new Map<string, unknown>(), isTool: false };
	const fingerprints = async (indexes: number[]) =>
		await keylessFingerprints(context, building, indexes);
	const leave = async () => {
		const size = gathers(context, operation) ? 1 : context.getInputData().length;
		const requests = await fingerprints([...new Array(size).keys()]);
		for (const [index, request] of requests.entries()) ledger.noteUndone(index, request);
		const mark = new RunMark(context, ledger, { isKeyed: false, size, fingerprints });
		await mark.resume();
		await mark.begin();
		await mark.end('done');
		return true;
	};
	return await leave().catch(() => false);
}
