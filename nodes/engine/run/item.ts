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
import { lastId, withPathIds } from '../base/path';
import type { Api } from '../client/api';
import { dryRunNote } from '../client/http/dryRun';
import { NO_SECRETS } from '../client/http/redact';
import type { List, Part } from '../client/list/page';
import { rowsOf, type ListShape } from '../client/list/rows';
import {
	isOfAmounts,
	tellsSent,
	type Operation,
	type Reading,
	type WholeRecord,
} from '../form/operation';
import { offersSimplify } from '../form/simplify';
import { limitOf, skipOf, type Parameter } from './parameters';
import type { Prepared } from './prepare';
import { amountText, decimalOf, ONE } from './decimal';
import { amountOf } from './doubt';
import { sumOf } from './budget';
import type { Found, Session } from './session';
import { inLine, withoutSent } from './tableRow';
import { wholeRecord } from './wholeRecord';

/**
 * Names in an item that n8n or the node gives a meaning, so no sent field takes them. n8n takes an item with `error` for a
 * failed one. `id` is the ID of the item's record: an `id` that was sent belongs to another record, such as a plan.
 */
const RESERVED = ['id', 'error', 'warning', 'skipped', 'inDoubt', 'dryRun'];

/**
 * The sent fields that a simplified item shows if its response lacks them, without secrets and `RESERVED`. They don't prove
 * what the API has stored: Return Whole Record shows it. IDs in the path are sent, too. Only for operations that tell what they
 * send (`tellsSent`), so there's a `root`.
 */
export function sentRow(
	{ root = '', simplify }: Operation,
	written: ApiRequest,
	secrets = NO_SECRETS,
): IDataObject {
	const { names } = written.endpoint.api;
	const body = recordOf(written.body?.[root]);
	// IDs of other records. Its own is the `id` of the response.
	const inPath = withPathIds({ id: Object.values(written.ids).at(-1) }, written, {});
	delete inPath.id;
	const shown = recordOf(secrets.without({ ...inPath, ...names.simplified(body) }));
	const [simple] = simplify ? simplify([shown], written) : [shown];
	const entries = Object.entries(recordOf(simple));
	return Object.fromEntries(entries.filter(([name]) => !RESERVED.includes(name)));
}

interface Work extends Prepared {
	context: IExecuteFunctions;
	session: Session;
	api: Api;
}

/** n8n's JSON is an object, so a text gets the name of its shape, and any other value the name `value`. */
function toJson(row: unknown, shape: Shape): IDataObject {
	if (isRecord(row) && shape.kind !== 'strings') return row;
	return { [shape.kind === 'strings' ? shape.as : 'value']: row as IDataObject[string] };
}

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

/** Reads a boolean of the form, which new nodes have in Options for writes. An expression may return it as text. */
function isOn(parameter: Parameter, name: string, standard: boolean): boolean {
	const value = recordOf(parameter('options'))[name] ?? parameter(name) ?? standard;
	return value === true || value === 'true';
}

/** True if Simplify is on, or the form doesn't have it. */
export const isSimplified = (parameter: Parameter): boolean => isOn(parameter, 'simplify', true);

/** The JSON of rows, simplified and cut to Output Fields. Writes are cut after the run, whose error may need their IDs. */
function finished(work: Work, rows: unknown[], isSimple: boolean, shape: Shape): IDataObject[] {
	const { session, request } = work;
	const { operation, output } = session;
	const simple = isSimple && operation.simplify ? operation.simplify(rows, request) : rows;
	const json = simple.map((row) => toJson(row, shape));
	const isList = shape.kind === 'list' || shape.kind === 'strings';
	// An agent knows the IDs that it gave.
	const hasIds = isSimple && !session.isTool && Object.keys(request.ids).length > 0;
	const only = isList ? undefined : recordOf(rows[0]);
	const full = hasIds ? json.map((row) => withPathIds(row, request, only)) : json;
	if (!output || !operation.endpoint.onlyReads) return full;
	return full.map((row) => output.cut(row) as IDataObject);
}

/** Copies the rows that another item already has in its output: a node that changes one item must not change another. */
function ownRows({ rowsInOutput }: Session, rows: unknown[]): unknown[] {
	if (!rowsInOutput) return rows;
	return rows.map((row) => {
		if (!isRecord(row)) return row;
		if (rowsInOutput.has(row)) return deepCopy(row);
		rowsInOutput.add(row);
		return row;
	});
}

/** Tells an agent, which sees neither hints nor Limit, of further rows and of what is wrong. `next` is their `skip`. */
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

/** The rows of a plain list, with its hints noted in the session. For an agent, a last row tells how to get further rows. */
async function listRows(work: Work, shape: ListShape): Promise<IDataObject[]> {
	const { context, session, api, request, parameter, index } = work;
	const { operation, warnings, found } = session;
	const isSimple = isOn(parameter, 'simplify', true);
	const finish = (rows: unknown[]) => finished(work, rows, isSimple, shape);
	// Rows are finished as pages arrive, to save memory, but not if items share them, because each finishes its own. Simplify
	// makes one item of all rows of a map. Texts have nothing to finish.
	const isFinishedByPage = !session.rowsInOutput && shape.kind === 'list';
	// Simplify leaves enough of a row to tell it from others, Output Fields may not (`Keep.cuts`).
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
	const rows = keep ? (own as IDataObject[]) : finish(own);
	// Only a toolkit gives it. No form has it.
	const next = parameter('next');
	const note = session.isTool ? noteFor(list, isUnset(next) ? undefined : Number(next)) : undefined;
	return note ? [...rows, note] : rows;
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
	const isSimple = isOn(parameter, 'simplify', true);
	const simple = finished(work, whole ? [whole] : rows, isSimple, shape);
	// An update of Create or Update lacks the key that has found the record.
	const isMatched = session.isForTable && operation.compares === true;
	const written = isMatched ? request : api.writes.last;
	// An agent knows what it sent.
	if (session.isTool || !isSimple || !written || !tellsSent(operation)) return simple;
	const all = sentRow(operation, written, api.outputSecrets);
	const sent = Object.entries(session.isForTable ? inLine(all) : all);
	return simple.map((row) => {
		// If the whole record couldn't be read, the row has a warning and the response of the write.
		const isWhole = whole !== undefined && row.warning === undefined;
		if (isWhole) return row;
		// Without a rule for Simplify, the row has the API's names, and `sent` has those of simplified output.
		const renamed = request.endpoint.api.names.simplified(row);
		const untold = sent.filter(
			([name]) => !Object.hasOwn(row, name) && !Object.hasOwn(renamed, name),
		);
		const told = session.isForTable ? withoutSent(row, all) : row;
		return { ...told, ...Object.fromEntries(untold) };
	});
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

async function dryItems(items: INodeExecutionData[], work: Work): Promise<INodeExecutionData[]> {
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

/** Facts about the item of a write that its row may lack: the sum of its amounts, and the Idempotency Key. */
export function factsOf(
	session: Session,
	{ index, request, key }: Prepared,
	{ outputSecrets }: Api,
): IDataObject {
	const isCounted = session.operation.measure?.counts !== undefined;
	const amount = isCounted ? undefined : amountOf(session, { index, request });
	return {
		...(amount !== undefined && { amount: Number(amountText(amount).replaceAll(',', '')) }),
		...(key !== undefined && { idempotencyKey: outputSecrets.hide(key) }),
	};
}

/** Facts of an item that isn't sent, by the names that its row would have. */
export const unsentRow = (session: Session, item: Prepared, api: Api): IDataObject => ({
	...(tellsSent(session.operation) &&
		inLine(sentRow(session.operation, item.request, api.outputSecrets))),
	...factsOf(session, item, api),
});

const isWrite = ({ endpoint }: ApiRequest) => !endpoint.onlyReads;

/** The note on items of a dry run about the last write that wasn't sent, or the first read if there's no write. */
function dryRunNoteOf({ writes: { held }, outputSecrets, dryRun }: Api): IDataObject {
	return dryRunNote(held.findLast(isWrite) ?? held[0], outputSecrets, dryRun?.isManual);
}

/** The sum of the amounts of an item, as text, for a total in the simulated response. Undefined if it can't be known. */
async function dryAmount(
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

interface Listing extends List {
	/** Set if a hint tells how many rows matched. */
	found?: Omit<Found, 'item'>;
}

interface ToRead {
	request: ApiRequest;
	shape: ListShape;
	/** Limit and skip count matching rows. */
	part: Part;
	/** Changes and filters rows. Without it, all rows stay as they are. */
	reading?: Reading;
}

/** Max values of a field that a hint names. One more is collected, which tells that there are others. */
const VALUES = 10;

/** Collects the values of a field, until there are enough for a hint. */
function addValues(values: Set<unknown>, rows: unknown[], field: string): void {
	for (const row of recordsOf(rows)) {
		if (values.size > VALUES) return;
		for (const value of [getAt(row, field)].flat()) if (!isUnset(value)) values.add(value);
	}
}

/** Reads a part of a list. A warning says if no row has the field of a filter, or which values there are if nothing matches. */
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
	const noMatch = list.rows.length === 0 && (part.skip ?? 0) === 0;
	const reasons = needs.map(({ field, label, isNamed }, index) => {
		const values = [...seen.values[index]].map(String);
		// `seen` has all rows of the pages that this item has read. `lacks` looks at the pages of all items that share the list,
		// but only at the rows that were kept.
		if (seen.rows > 0 && values.length === 0 && source.lacks(field)) {
			return `No row has ${field}, so the filter ${label} can't match. The list of the API may not return them.`;
		}
		if (!noMatch || !isNamed || values.length === 0) return '';
		const others = values.length > VALUES ? ' and others' : '';
		return `${label} is one of ${values.slice(0, VALUES).join(', ')}${others}.`;
	});
	list.warning = [list.warning, ...reasons].filter(Boolean).join(' ') || undefined;
	if (noun === undefined) return list;
	const stopped = list.left > 0 || list.mayHaveMore;
	return { ...list, found: { noun, source, matching: list.rows.length, stopped } };
}

/** Names the input items without a match. Empty if there are none, or if there's only one item. */
function nothingFound(all: Found[]): string {
	const items = all.filter(({ matching }) => matching === 0).map(({ item }) => item);
	if (items.length === 0 || all.length === 1) return '';
	const named = items.sort((a, b) => a - b).map(String);
	return ` Nothing matches for ${items.length === 1 ? 'item' : 'items'} ${firstOf(named)} (the first is 0).`;
}

/** The hint about all searches of the run. A run has one operation, so all have the same noun. */
export function foundText(all: Found[]): string {
	const sources = [...new Set(all.map(({ source }) => source))];
	const read = sources.reduce((total, each) => total + each.read, 0);
	const matching = all.reduce((total, each) => total + each.matching, 0);
	const verb = matching === 1 ? 'matches' : 'match';
	const more = all.some(({ stopped }) => stopped)
		? ' Reading stopped at the limit, so there may be more.'
		: '';
	return `${read} ${all[0].noun} were read, ${matching} ${verb}.${more}${nothingFound(all)}`;
}
