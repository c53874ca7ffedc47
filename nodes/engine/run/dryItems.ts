// The output items of a write that Dry Run held back, and what they count and add up.
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { FieldFault, type ApiRequest } from '../base/apiRequest';
import type { Api } from '../client/api';
import { dryRunNote } from '../client/http/dryRun';
import { isOfAmounts } from '../form/operation';
import { offersSimplify } from '../form/simplify';
import { sumOf } from './budget';
import { amountText, decimalOf, ONE } from './decimal';
import type { Prepared, Work } from './prepare';
import { isSimplified } from './rowForm';
import type { Session } from './session';
import { inLine } from './tableRow';

export async function dryItems(
	items: INodeExecutionData[],
	work: Work,
): Promise<INodeExecutionData[]> {
	const { session, api, request, parameter } = work;
	const dryRun = dryRunNoteOf(api);
	if (!session.isForTable) {
		const note = { dryRun };
		// Named twice: first for the order, last so that no field of the row replaces it.
		return items.map((each) => ({ ...each, json: { ...note, ...each.json, ...note } }));
	}
	const counted = await dryCount(session, api, work);
	if (!isSimplified(parameter) || !offersSimplify(session.operation)) {
		return items.map((each) => ({ ...each, json: { ...counted, ...each.json, dryRun } }));
	}
	// Without a sample of the response, the row is what was sent.
	const { dryRun: rules } = request.endpoint.api;
	const shown = rules.samples[request.endpoint.route] ? (row: IDataObject) => row : inLine;
	// A table draws an object as a tree, which would make each row as high as its request.
	return items.map((each) => ({
		...each,
		json: { ...counted, ...shown(each.json), dryRun: true },
	}));
}

const isWrite = ({ endpoint }: ApiRequest) => !endpoint.onlyReads;

/** The note on items of a dry run about the last write that wasn't sent, or the first read if there's no write. */
function dryRunNoteOf({ writes: { held }, outputSecrets, dryRun }: Api): IDataObject {
	return dryRunNote(held.findLast(isWrite) ?? held[0], outputSecrets, dryRun?.isManual);
}

/** The sum of the amounts of an item, as text, for a total in the simulated response. Undefined if it can't be known. */
export async function dryAmount(
	{ operation: { measure }, limits, writing }: Session,
	api: Api,
	{ index, request }: Prepared,
): Promise<string | undefined> {
	if (!measure || !isOfAmounts(measure)) return undefined;
	// The Safety Limits may have counted it already, and the amounts may have to be read from the API.
	const counted = limits?.measures ? writing?.ledger.amountOf(index) : undefined;
	const read = async () => (counted === undefined ? await measure.of(request, api) : []);
	const { amounts, fault } = await read().then(
		(values: unknown[]) => ({ amounts: values, fault: undefined }),
		(error: unknown) => ({ amounts: undefined, fault: error }),
	);
	if (fault instanceof FieldFault && fault.isOfRecord) throw fault;
	if (amounts === undefined) return undefined;
	try {
		return amountText(counted ?? sumOf(amounts)).replaceAll(',', '');
	} catch {
		return undefined;
	}
}

/** The number of things that an item is about in a dry run, such as those who get an email. Empty if it can't be known. */
async function dryCount(
	{ operation: { measure } }: Session,
	api: Api,
	{ request }: Prepared,
): Promise<IDataObject> {
	if (!measure?.noun) return {};
	try {
		return { [measure.noun]: Number(sumOf(await measure.of(request, api)) / ONE) };
	} catch {
		return {};
	}
}

/** Undefined if Dry Run held back no write of the item. `sum` is undefined if the amounts can't be known. */
export const heldWrite = ({ writes, amount }: Api): { sum?: bigint } | undefined =>
	writes.held.some(isWrite) ? { sum: decimalOf(amount) } : undefined;
