// One input item -> its output items.
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { FieldFault } from '../base/apiRequest';
import { recordOf, sentence } from '../base/data';
import type { Shape } from '../base/definition';
import { lastId, withPathIds } from '../base/path';
import type { Api } from '../client/api';
import { rowsOf } from '../client/list/rows';
import type { WholeRecord } from '../form/operation';
import { dryAmount, dryItems } from './dryItems';
import { listRows } from './listItems';
import type { Prepared, Work } from './prepare';
import { isOn, isSimplified, ownRows, rowForm, withSent } from './rowForm';
import type { Session } from './session';
import { wholeRecord } from './wholeRecord';

/** Requests a file for the field that the form names. Throws FieldFault without a name, before anything is sent. */
async function fileItem(
	{ context, api, request, parameter }: Work,
	shape: Extract<Shape, { kind: 'binary' }>,
): Promise<INodeExecutionData> {
	const field = parameter('binaryPropertyName');
	if (typeof field !== 'string' || field.trim() === '') {
		throw new FieldFault('Put Output File in Field', 'must not be empty');
	}
	const { data, fileName } = await api.file(request, shape);
	const idForName = lastId(request).replace(/[^\w.-]+/g, '_');
	const name = fileName ?? shape.fileName.replace('{id}', idForName);
	const binary = await context.helpers.prepareBinaryData(data, name, shape.mimeType);
	return { json: { fileName: name, fileSize: data.length }, binary: { [field.trim()]: binary } };
}

/** Sends the requests of an operation that isn't a plain list. Returns the rows of its steps, or one object. */
async function responseRows(
	{ session, api, request }: Work,
	shape: Exclude<Shape, { kind: 'binary' }>,
): Promise<unknown[]> {
	const { operation, warnings } = session;
	const response = operation.run
		? await operation.run(request, api).catch((error: unknown) => {
				// The text of the error must not say that nothing was sent.
				if (error instanceof FieldFault) error.isAfterWrite = api.writes.mayHaveWritten;
				throw error;
			})
		: await api.object(request, shape);
	if (operation.compares) session.tally.add(response);
	const hint = operation.hint?.(request, response);
	if (hint) warnings.add(hint);
	if (api.warning) warnings.add(api.warning);
	let rows = Array.isArray(response) ? response : [response];
	if (shape.kind !== 'one') rows = rowsOf(response, shape, operation.endpoint.api.lists) ?? [];
	// Only steps can return rows that another item has, too.
	if (operation.run) rows = ownRows(session, rows);
	// The API returned an empty list instead of an object. The request went through, so there's one empty item.
	return rows.length === 0 && shape.kind === 'one' ? [{}] : rows;
}

/**
 * The whole record after a write, or the response with a warning if it can't be read. Undefined in a dry run if it's only found
 * in a list: the API's list doesn't have the records of a dry run.
 */
async function wholeRow(
	work: Work,
	whole: WholeRecord,
	written: unknown,
): Promise<IDataObject | undefined> {
	const { session, api, request } = work;
	const { operation, warnings } = session;
	const isList = request.endpoint.api.endpoint(whole.route).kind === 'list';
	if (api.writes.held.length > 0 && isList) return undefined;
	const response = recordOf(written);
	const withWarning = (problem: string) => {
		const warning = `"${operation.action}" went through, but the whole record couldn't be read: ${sentence(problem)}`;
		warnings.add(warning);
		return { ...response, warning };
	};
	return await wholeRecord(whole, response, work, withWarning);
}

/** The rows of an operation that isn't a plain list, simplified, and with those sent fields that they lack. */
async function finishedRows(
	work: Work,
	shape: Exclude<Shape, { kind: 'binary' }>,
): Promise<IDataObject[]> {
	const { session, api, request, parameter } = work;
	const { operation } = session;
	const rows = await responseRows(work, shape);
	const whole =
		operation.whole && isOn(parameter, 'returnWholeRecord', false)
			? await wholeRow(work, operation.whole, rows[0])
			: undefined;
	const isSimple = isSimplified(parameter);
	const form = rowForm(work, shape, isSimple);
	const finished = form(whole ? [whole] : rows);
	// If the whole record couldn't be read, the row has a warning and the response of the write.
	const isWhole = whole !== undefined && finished.every(({ warning }) => warning === undefined);
	if (!isSimple || isWhole) return finished;
	// An update of Create or Update lacks the key that has found the record.
	const isMatched = session.isForTable && operation.compares === true;
	return withSent(work, finished, isMatched ? request : api.writes.last);
}

/** Runs the operation for one item. Throws its errors, and Stopped if the run failed before this item wrote anything. */
export async function runItem(
	context: IExecuteFunctions,
	session: Session,
	api: Api,
	item: Prepared,
): Promise<INodeExecutionData[]> {
	const { shape } = item.form;
	const { request } = item;
	const pairedItem = { item: item.index };
	const work = { ...item, context, session, api };
	if (session.door.connection.isDry) api.amount = await dryAmount(session, api, item);
	const items: INodeExecutionData[] = [];
	if (shape.kind === 'binary') {
		const { json, ...file } = await fileItem(work, shape);
		const whole = session.isTool ? json : withPathIds(json, request, json);
		items.push({ json: whole, ...file, pairedItem });
	} else {
		const isList = shape.kind !== 'one' && session.operation.run === undefined;
		const rows = isList ? await listRows(work, shape) : await finishedRows(work, shape);
		// Rows aren't copied, and share one pairing: a list can have 100,000 rows.
		for (const json of rows) items.push({ json, pairedItem });
	}
	return api.writes.held.length === 0 ? items : await dryItems(items, work);
}
