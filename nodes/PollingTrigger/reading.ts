// Reads the rows of a list, or single records by their IDs, for a poll.
import type { IDataObject, INode } from 'n8n-workflow';

import type { ApiRequest } from '../engine/base/apiRequest';
import { recordOf } from '../engine/base/data';
import { lastId } from '../engine/base/path';
import { inPool } from '../engine/base/pool';
import type { ApiResponse } from '../engine/client/steps';
import type { Api, Door } from '../engine/node/trigger';
import type { PolledEvent } from './events';
import { hashesOf } from './fieldHashes';
import { keptIn, keptOf } from './kept';
import { fingerprint, type RowState } from './packedState';
import { paymentsOf, type Renewal } from './payments';
import { registeredOf, webhookOf } from './registered';

export interface WatchedRow extends RowState {
	id: string;
	hash: number;
	/** Rows that aren't reported don't keep it: lists can be long. */
	row?: IDataObject;
	renewal?: Renewal;
}

export interface Watch {
	node: INode;
	event: PolledEvent;
	door: Door;
	api: Api;
	request: ApiRequest;
	/** One request for each record, if the form has IDs instead of a list. */
	byId?: ApiRequest[];
	/** URL prefix of the webhooks to watch. */
	urlStart?: string;
	/** Statuses to report, in lower case. All if empty. */
	statuses: Set<string>;
	/** Names of the fields to compare, in lower case. All if empty. */
	fields: Set<string>;
	/** Statuses or names that the user has typed, and so may have mistyped. */
	typed: string[];
	isSimple: boolean;
	/** The first poll reports existing rows. */
	includeExisting: boolean;
	/** Identifies event and list. If it changes, polling starts over. */
	watching: string;
	/** Aborts when the poll's time is over, if n8n says how much it has. */
	deadline?: AbortSignal;
}

export const PARALLEL = 5;

const statusText = (status: unknown) =>
	status === undefined || status === null ? null : String(status);

/** The compared and output part of a row. Undefined if it has no ID, or is a webhook whose URL has another start. */
export function watchedRow(
	row: unknown,
	{ event: { statusOf, isUpdate, isPayment, gone }, urlStart, fields }: Watch,
): WatchedRow | undefined {
	const record = recordOf(row);
	if ((typeof record.id !== 'string' && typeof record.id !== 'number') || record.id === '') {
		return undefined;
	}
	const id = String(record.id);
	const hash = fingerprint(id);
	if (isUpdate) return { id, hash, ...hashesOf(record, fields), row: record };
	if (isPayment) return { id, hash, status: paymentsOf(record), row: record };
	if (gone) {
		const state = keptOf(record, gone);
		return { id, hash, ...state, row: keptIn(state, gone) };
	}
	const isWebhook = urlStart !== undefined;
	const status = isWebhook ? registeredOf(record, urlStart) : statusText(statusOf?.(record));
	if (status === undefined) return undefined;
	// A webhook is output as it's stored, without the secret in its URL.
	return { id, hash, status, row: isWebhook ? webhookOf(status) : record };
}

export interface Unread {
	absent: string[];
	failed: Error[];
}

/** An error about the key or the rate: no other record can be read either. */
const isOfKey = ({ says, status }: ApiResponse) => says === 'error' && status < 500;

const withId = (error: Error, id: string) =>
	error.message.includes(`"${id}"`)
		? error
		: Object.assign(error, { message: `"${id}": ${error.message}` });

/**
 * Appends records to `rows` in order, also those that were read before an error.
 * @param strict every record must exist, and only a failure of the server (5xx) leaves one out. Otherwise a record that
 *   doesn't exist is left out, too, and so is one with any other error in its response that isn't about the key or the rate.
 * @throws the error of a record that must not be left out, of a request without a response, or of the first record that failed
 *   if none could be read or the API is down
 */
export async function readById(
	watch: Watch,
	requests: ApiRequest[],
	strict: boolean,
	rows: WatchedRow[],
): Promise<Unread> {
	const { api } = watch;
	const unread: Unread = { absent: [], failed: [] };
	const { absent, failed } = unread;
	const read: Array<WatchedRow | undefined> = [];
	await inPool(requests.length, PARALLEL, async (index) => {
		const response = await api.ask(requests[index]);
		const id = lastId(requests[index]);
		if (response.says === 'absent' && !strict) {
			absent.push(id);
			return;
		}
		// Throws, which ends the reading.
		if (isOfKey(response)) api.accept(response);
		try {
			read[index] = watchedRow({ ...recordOf(api.accept(response)), id }, watch);
		} catch (error) {
			const failure = withId(error as Error, id);
			failed.push(failure);
			// All that were asked at once have failed, so the API is down.
			const isDown = read.length === 0 && failed.length === PARALLEL;
			if (isDown || (strict && response.status < 500)) throw failure;
		}
	}).finally(() => rows.push(...read.filter((row) => row !== undefined)));
	if (rows.length === 0 && failed.length > 0) throw failed[0];
	return unread;
}

/** Reads rows for samples: the first page, or all records by their IDs. `withoutId` is the number of rows without an ID. */
export async function readFirst(watch: Watch): Promise<{ rows: WatchedRow[]; withoutId: number }> {
	const { api, request, byId } = watch;
	if (byId) {
		const rows: WatchedRow[] = [];
		await readById(watch, byId, true, rows);
		return { rows, withoutId: 0 };
	}
	const { rows: all } = await api.list(request, { limit: 100 });
	const rows = all.map((row) => watchedRow(row, watch)).filter((row) => row !== undefined);
	// Webhooks of others are left out, too.
	return { rows, withoutId: watch.urlStart === undefined ? all.length - rows.length : 0 };
}
