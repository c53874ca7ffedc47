// What becomes of the rows of an item: Simplify, the form's other options and the kind of node leave fields out or add some.
import { deepCopy, type IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../base/apiRequest';
import { isRecord, recordOf } from '../base/data';
import type { Shape } from '../base/definition';
import { withPathIds } from '../base/path';
import type { Api } from '../client/api';
import { NO_SECRETS } from '../client/http/redact';
import { tellsSent, type Operation } from '../form/operation';
import { amountText } from './decimal';
import { amountOf } from './doubt';
import type { Parameter } from './parameters';
import type { Prepared, Work } from './prepare';
import type { Session } from './session';
import { inLine, withoutSent } from './tableRow';

/** Reads a boolean of the form, which new nodes have in Options for writes. An expression may return it as text. */
export function isOn(parameter: Parameter, name: string, standard: boolean): boolean {
	const value = recordOf(parameter('options'))[name] ?? parameter(name) ?? standard;
	return value === true || value === 'true';
}

/** True if Simplify is on, or the form doesn't have it. */
export const isSimplified = (parameter: Parameter): boolean => isOn(parameter, 'simplify', true);

/** n8n's JSON is an object, so a text gets the name of its shape, and any other value the name `value`. */
function toJson(row: unknown, shape: Shape): IDataObject {
	if (isRecord(row) && shape.kind !== 'strings') return row;
	return { [shape.kind === 'strings' ? shape.as : 'value']: row as IDataObject[string] };
}

/** Makes items of rows, simplified and cut to Output Fields. Writes are cut after the run, whose error may need their IDs. */
export function rowForm(
	{ session, request }: Work,
	shape: Shape,
	isSimple: boolean,
): (rows: unknown[]) => IDataObject[] {
	const { operation, output, isTool } = session;
	const isList = shape.kind === 'list' || shape.kind === 'strings';
	// An agent knows the IDs that it gave.
	const hasIds = isSimple && !isTool && Object.keys(request.ids).length > 0;
	return (rows) => {
		const simple = isSimple && operation.simplify ? operation.simplify(rows, request) : rows;
		const json = simple.map((row) => toJson(row, shape));
		const only = isList ? undefined : recordOf(rows[0]);
		const full = hasIds ? json.map((row) => withPathIds(row, request, only)) : json;
		if (!output || !operation.endpoint.onlyReads) return full;
		return full.map((row) => output.cut(row) as IDataObject);
	};
}

/** Copies the rows that another item already has in its output: a node that changes one item must not change another. */
export function ownRows({ rowsInOutput }: Session, rows: unknown[]): unknown[] {
	if (!rowsInOutput) return rows;
	return rows.map((row) => {
		if (!isRecord(row)) return row;
		if (rowsInOutput.has(row)) return deepCopy(row);
		rowsInOutput.add(row);
		return row;
	});
}

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

/** Adds the sent fields that simplified rows lack, as `written`. */
export function withSent(
	{ session, api, request }: Work,
	rows: IDataObject[],
	written: ApiRequest | undefined,
): IDataObject[] {
	const { operation, isForTable, isTool } = session;
	// An agent knows what it sent.
	if (isTool || !written || !tellsSent(operation)) return rows;
	const all = sentRow(operation, written, api.outputSecrets);
	const sent = Object.entries(isForTable ? inLine(all) : all);
	return rows.map((row) => {
		// Without a rule for Simplify, the row has the API's names, and `sent` has those of simplified output.
		const renamed = request.endpoint.api.names.simplified(row);
		const untold = sent.filter(
			([name]) => !Object.hasOwn(row, name) && !Object.hasOwn(renamed, name),
		);
		const told = isForTable ? withoutSent(row, all) : row;
		return { ...told, ...Object.fromEntries(untold) };
	});
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
