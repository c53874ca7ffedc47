// One input item -> its output items.
import {
	deepCopy,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';

import { FieldFault, type ApiRequest } from '../base/apiRequest';
import { firstOf, getAt, isRecord, isUnset, recordOf, recordsOf, sentence } from '../base/data';
import type { Shape } from '../base/definition';
import { lastId, pathNames } from '../base/path';
import type { Api } from '../client/api';
import { dryRunNote } from '../client/http/dryRun';
import { withoutSecrets } from '../client/http/redact';
import type { List, Part } from '../client/list/page';
import { rowsOf, type ListShape } from '../client/list/rows';
import { isOfAmounts, tellsSent, type Operation, type Reading } from '../form/operation';
import { limitOf, skipOf, type Parameter } from './parameters';
import type { Prepared } from './prepare';
import { amountText, decimalOf } from './decimal';
import { sumOf } from './safetyLimits';
import type { Found, Session } from './session';
import { wholeRecord } from './wholeRecord';

/*
 * The simplified item of a write has the response, and then those sent fields that the response lacks.
 * That doesn't prove that the API has stored them: Return Whole Record shows it.
 */

/**
 * Names in an item that n8n or the node gives a meaning. n8n takes an item with `error` for a failed one. And `id`, which is
 * that of the record: what was sent as `id` is another one's, such as a plan's.
 */
const RESERVED = ['id', 'error', 'warning', 'skipped', 'inDoubt', 'dryRun'];

/**
 * The sent fields as a row with the names of simplified output, without secrets. IDs in the path are sent, too. Only for
 * operations that tell what they send (`tellsSent`), so there's a `root`.
 */
export function sentRow(
	{ root = '', simplify }: Operation,
	written: ApiRequest,
	secrets: string[] = [],
): IDataObject {
	const { names } = written.endpoint.api;
	const sent = {
		...pathNames(written),
		...recordOf(names.simplified(recordOf(recordOf(written.body)[root]))),
	};
	const named = recordOf(withoutSecrets(sent, secrets));
	const [simple] = simplify ? simplify([named], written) : [named];
	const entries = Object.entries(recordOf(simple));
	return Object.fromEntries(entries.filter(([name]) => !RESERVED.includes(name)));
}

/**
 * Adds the sent fields that a simplified row doesn't have, only for a write whose body is a record.
 * @param written the last write
 */
function withSent(
	row: unknown,
	operation: Operation,
	written: ApiRequest,
	secrets: string[],
): unknown {
	if (!tellsSent(operation) || !isRecord(row)) return row;
	const { names } = written.endpoint.api;
	const sent = Object.entries(sentRow(operation, written, secrets));
	// Without a rule of its own for Simplify, the row has the names of the API.
	const told = new Set([...Object.keys(row), ...Object.keys(recordOf(names.simplified(row)))]);
	const untold = sent.filter(([name]) => !told.has(name));
	return { ...row, ...Object.fromEntries(untold) };
}

interface Work extends Prepared {
	context: IExecuteFunctions;
	session: Session;
	api: Api;
}

function toJson(row: unknown, shape: Shape): IDataObject {
	if (isRecord(row) && shape.kind !== 'strings') return row;
	return { [shape.kind === 'strings' ? shape.as : 'value']: row as IDataObject[string] };
}

/**
 * Requests a file, and puts it into the field that the form names.
 * @throws FieldFault without a name, before anything is sent
 */
async function fileItem(
	{ context, api, request, parameter }: Work,
	shape: Extract<Shape, { kind: 'binary' }>,
): Promise<INodeExecutionData> {
	const field = parameter('binaryPropertyName');
	if (typeof field !== 'string' || field.trim() === '') {
		throw new FieldFault('Put Output File in Field', 'must not be empty');
	}
	const { data, fileName } = await api.file(request, shape);
	const id = lastId(request).replace(/[^\w.-]+/g, '_');
	const name = fileName ?? shape.fileName.replace('{id}', id);
	const binary = await context.helpers.prepareBinaryData(data, name, shape.mimeType);
	return { json: { fileName: name, fileSize: data.length }, binary: { [field.trim()]: binary } };
}

/** Reads a boolean field. An expression may return it as text. */
function isOn(parameter: Parameter, name: string, standard: boolean): boolean {
	const value = parameter(name) ?? standard;
	return value === true || value === 'true';
}

/**
 * Returns a function that simplifies rows and cuts them to Output Fields, as far as the user wants it. Rows of
 * writes are cut after the run, since its error may need their IDs.
 */
function finishing(
	{ operation, output }: Session,
	request: ApiRequest,
	isSimple: boolean,
): (rows: unknown[]) => unknown[] {
	const simplify = isSimple ? operation.simplify : undefined;
	const cut = operation.endpoint.onlyReads ? output?.cut : undefined;
	return (rows) => {
		const simple = simplify ? simplify(rows, request) : rows;
		return cut ? simple.map(cut) : simple;
	};
}

/** Copies the rows that another item already has in its output. */
function ownRows({ rowsInOutput }: Session, rows: unknown[]): unknown[] {
	if (!rowsInOutput) return rows;
	return rows.map((row) => {
		if (!isRecord(row)) return row;
		if (rowsInOutput.has(row)) return deepCopy(row);
		rowsInOutput.add(row);
		return row;
	});
}

/**
 * Tells an agent how many more rows there are, and what is wrong. It sees neither hints nor the Limit.
 * @param next number of rows to skip in another call, if it can
 */
export function noteFor(
	{ left, mayHaveMore, warning = '' }: Pick<Listing, 'left' | 'mayHaveMore' | 'warning'>,
	next?: number,
): IDataObject | undefined {
	const more = mayHaveMore ? `At least ${left} more are` : `${left} more are`;
	const what = left > 0 ? `${more} not shown` : 'There may be more that are not shown';
	const how =
		next === undefined
			? '. Use a filter or another tool to find them.'
			: `: call again with skip: ${next}.`;
	const text = left > 0 || mayHaveMore ? what + how : '';
	const note = [text, warning].filter(Boolean).join(' ');
	return note === '' ? undefined : { note };
}

/**
 * The rows of a plain list, up to the limit, simplified and cut. For an agent, a last row tells how many more there are, and
 * how it gets them (`next`).
 */
async function listRows(work: Work, shape: ListShape): Promise<IDataObject[]> {
	const { context, session, api, request, parameter, index } = work;
	const { operation, warnings, found } = session;
	const finish = finishing(session, request, isOn(parameter, 'simplify', true));
	// Rows are finished as pages arrive, to save memory. Not the rows that items share: each item finishes its own.
	// Not those of a map: Simplify makes one item of all of them.
	const isFinishedByPage = !session.rowsInOutput && shape.kind === 'list';
	// Simplify leaves enough of a row to tell it from others, Output Fields may not.
	const keep = isFinishedByPage ? { rows: finish, cuts: session.output !== undefined } : undefined;
	const part = {
		limit: limitOf(context, shape, index, session.isTool),
		skip: skipOf(context, shape, index),
		keep,
	};
	const reading = operation.reading?.(parameter);
	const list = await readListing(api, { request, shape, part, reading });
	if (list.warning) warnings.add(list.warning);
	if (list.found) found.push({ ...list.found, item: index });
	const own = ownRows(session, list.rows);
	const rows = (keep ? own : finish(own)).map((row) => toJson(row, shape));
	const next = parameter('next');
	const note = session.isTool ? noteFor(list, isUnset(next) ? undefined : Number(next)) : undefined;
	return note ? [...rows, note] : rows;
}

/** The response of an operation that isn't a plain list, as rows: those of its steps, or one object. */
async function responseRows(
	{ session, api, request }: Work,
	shape: Exclude<Shape, { kind: 'binary' }>,
): Promise<unknown[]> {
	const { operation, warnings } = session;
	const response = operation.run
		? await operation.run(request, api).catch((error: unknown) => {
				if (error instanceof FieldFault) error.isAfterWrite = api.writes.mayHaveWritten;
				throw error;
			})
		: await api.object(request, shape);
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

/** The whole record after a write, if the user wants it. Undefined otherwise. */
async function wholeRow(work: Work, written: unknown): Promise<IDataObject | undefined> {
	const { session, api, request, parameter } = work;
	const { operation, warnings } = session;
	const { whole } = operation;
	if (!whole || !isOn(parameter, 'returnWholeRecord', false)) return undefined;
	// A list doesn't know the records of a dry run.
	const isList = request.endpoint.api.endpoint(whole.route).kind === 'list';
	if (api.writes.held.length > 0 && isList) return undefined;
	const warn = (problem: string) => {
		const warning = `"${operation.action}" went through, but the whole record couldn't be read: ${sentence(problem)}`;
		warnings.add(warning);
		return warning;
	};
	return await wholeRecord(whole, recordOf(written), work, warn);
}

/** The rows of an operation that isn't a plain list, simplified, and with what was sent. */
async function finishedRows(
	work: Work,
	shape: Exclude<Shape, { kind: 'binary' }>,
): Promise<unknown[]> {
	const { session, api, request, parameter } = work;
	const rows = await responseRows(work, shape);
	const whole = await wholeRow(work, rows[0]);
	const isSimple = isOn(parameter, 'simplify', true);
	const finished = finishing(session, request, isSimple)(whole ? [whole] : rows);
	const written = api.writes.last;
	// An agent knows what it sent.
	if (session.isTool || !isSimple || written === undefined) return finished;
	// A whole record that was read needs nothing more. If it couldn't be read, the row has a warning and the response.
	return finished.map((row) =>
		whole && recordOf(row).warning === undefined
			? row
			: withSent(row, session.operation, written, api.secrets),
	);
}

/**
 * Runs the operation for one input item, which all its output items are paired with.
 * @throws Stopped if the run has failed and this item has written nothing
 */
export async function runItem(
	context: IExecuteFunctions,
	session: Session,
	api: Api,
	item: Prepared,
): Promise<INodeExecutionData[]> {
	const { shape } = item.form;
	const pairedItem = { item: item.index };
	const work = { ...item, context, session, api };
	const amount = await dryAmount(session, api, item);
	if (amount !== undefined) api.amount = amountText(amount).replaceAll(',', '');
	if (shape.kind === 'binary') {
		const file = await fileItem(work, shape);
		return [{ ...file, json: { ...dryRunNoteOf(api), ...file.json }, pairedItem }];
	}
	const isList = shape.kind !== 'one' && session.operation.run === undefined;
	const rows = isList ? await listRows(work, shape) : await finishedRows(work, shape);
	const dryRun = dryRunNoteOf(api);
	// Rows aren't copied, and share one pairing: a list can have 100,000 rows.
	const toItemJson = (row: unknown) => {
		const json = isList ? (row as IDataObject) : toJson(row, shape);
		// It comes first, whatever the row has.
		return dryRun ? { ...dryRun, ...json, ...dryRun } : json;
	};
	return rows.map((row) => ({ json: toItemJson(row), pairedItem }));
}

const isWrite = ({ endpoint }: ApiRequest) => !endpoint.onlyReads;

/** The note on items of a dry run about the request that wasn't sent. */
function dryRunNoteOf(api: Api): IDataObject | undefined {
	if (api.writes.held.length === 0) return undefined;
	const request = api.writes.held.findLast(isWrite) ?? api.writes.held[0];
	return { dryRun: dryRunNote(request, api.secrets, api.dryRun?.isManual) };
}

/** The sum of the amounts of an item in a dry run. Undefined if it can't be known. */
async function dryAmount(
	{ operation: { measure }, limits, writing, door }: Session,
	api: Api,
	{ index, request }: Prepared,
): Promise<bigint | undefined> {
	if (!door.connection.isDry || !measure || !isOfAmounts(measure)) return undefined;
	// The numbers may have to be read from the API, so they aren't added up again.
	const counted = limits?.measures ? writing?.ledger.amountOf(index) : undefined;
	if (counted !== undefined) return counted;
	return await Promise.resolve(measure.of(request, api)).then(sumOf, () => undefined);
}

/** The writes of an item that Dry Run held back, if there are any. They have no sum if it can't be known. */
export const heldWrite = ({ writes, amount }: Api): { sum?: bigint } | undefined =>
	writes.held.some(isWrite) ? { sum: decimalOf(amount) } : undefined;

interface Listing extends List {
	/** Set if a hint tells how many rows matched. */
	found?: Omit<Found, 'item'>;
}

/** A part of a list to read. */
interface ToRead {
	request: ApiRequest;
	shape: ListShape;
	/** Limit and skip count matching rows. */
	part: Part;
	/** Changes and filters rows. All rows stay as they are if undefined. */
	reading?: Reading;
}

/** Max values of a field that are known, and that a hint names. One more tells that there are others. */
const VALUES = 11;

function addValues(values: Set<unknown>, rows: unknown[], field: string): void {
	for (const row of recordsOf(rows)) {
		if (values.size >= VALUES) return;
		for (const value of [getAt(row, field)].flat()) if (!isUnset(value)) values.add(value);
	}
}

/** Reads a part of a list. */
async function readListing(
	api: Api,
	{ request, shape, part, reading = {} }: ToRead,
): Promise<Listing> {
	const { row, wanted, noun, needs = [] } = reading;
	const seen = { rows: 0, values: needs.map(() => new Set<unknown>()) };
	const onPage = (rows: unknown[], body: unknown): unknown[] => {
		seen.rows += rows.length;
		for (const [index, { field }] of needs.entries()) addValues(seen.values[index], rows, field);
		return row ? rows.map((each) => (isRecord(each) ? row(each, body) : each)) : rows;
	};
	const options = { ...part, shape, onPage };
	if (!wanted) return await api.list(request, options);
	const { source, ...list } = await api.matching(request, wanted, options);
	// `seen` knows all rows, but only of the pages that this item has read. `lacks` knows the pages of all items that share the
	// list, but only those rows that were kept.
	const isAll = list.rows.length === 0 && (part.skip ?? 0) === 0;
	const why = needs.map(({ field, label, isNamed }, index) => {
		const values = [...seen.values[index]].map(String);
		if (seen.rows > 0 && values.length === 0 && source.lacks(field)) {
			return `No row has ${field}, so the filter ${label} can't match. The list of the API may not return them.`;
		}
		return isAll && isNamed && values.length > 0 ? `${label} is one of ${firstOf(values)}.` : '';
	});
	list.warning = [list.warning, ...why].filter(Boolean).join(' ') || undefined;
	if (noun === undefined) return list;
	const stopped = list.left > 0 || list.mayHaveMore;
	return { ...list, found: { noun, source, matching: list.rows.length, stopped } };
}

/** Names the input items without a match, if there are several items. */
function nothingFound(all: Found[]): string {
	const items = all.filter(({ matching }) => matching === 0).map(({ item }) => item);
	if (items.length === 0 || all.length === 1) return '';
	const named = items.sort((a, b) => a - b).map(String);
	return ` Nothing matches for ${items.length === 1 ? 'item' : 'items'} ${firstOf(named)} (the first is 0).`;
}

/** The hint about all searches of the run; empty without any. */
export function foundText(all: Found[]): string[] {
	if (all.length === 0) return [];
	const sources = [...new Set(all.map(({ source }) => source))];
	const read = sources.reduce((total, each) => total + each.read, 0);
	const matching = all.reduce((total, each) => total + each.matching, 0);
	const verb = matching === 1 ? 'matches' : 'match';
	const more = all.some(({ stopped }) => stopped)
		? ' Reading stopped at the limit, so there may be more.'
		: '';
	return [`${read} ${all[0].noun} were read, ${matching} ${verb}.${more}${nothingFound(all)}`];
}
