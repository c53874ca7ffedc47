// What an operation that needs several requests may do with the API.
import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../base/apiRequest';
import type { Route } from '../base/definition';
import type { ApiResponse } from './http/outcome';
import type { Wanted } from './list/matching';
import type { Locked } from '../base/locks';

export type { ApiResponse } from './http/outcome';
export type { Wanted } from './list/matching';

export interface Remembered {
	value: string;
	fingerprint: Uint8Array;
}

/** It isn't known what is under a key: it was taken and neither kept nor given back, or can't be read. */
export interface Doubt {
	/** A person who says what is there repeats this code, so that an old word doesn't count for a new doubt. */
	doubt: string;
}

/** Values by key, in n8n's store. Nodes of a workflow share them. In a dry run they're only kept for the run. */
export interface Values {
	/** True if the content is the last one that was kept under the key, and nothing is being sent for the key. */
	isSame(key: string, content: string): Promise<boolean>;
	/** Takes a key, before something is sent for it. Returns what is remembered. */
	take(key: string): Promise<Remembered | Doubt | undefined>;
	/** Keeps a value under a key that was taken, in place of the one before. */
	keep(key: string, content: string, value: string, before?: Remembered): Promise<void>;
	/** Gives a key back for which nothing was sent. */
	giveBack(key: string): Promise<void>;
	/** Forgets the value of a key that is in doubt, and takes the key, with a new code. */
	forget(key: string): Promise<void>;
	/** False if the store would drop old values for this one. */
	hasRoom(value: string): Promise<boolean>;
}

/** Functions for an operation that needs several requests. See `Operation.run`. */
export interface Steps {
	/** Retries by the rules of the request's method. Throws NodeApiError for an error of the API. */
	send(request: ApiRequest): Promise<unknown>;
	/** Same as `send`, but returns an error of the API instead of throwing it. */
	ask(request: ApiRequest): Promise<ApiResponse>;
	/** The body of a response to `ask`. Throws NodeApiError for an error of the API, with `advice` as the next step. */
	accept(response: ApiResponse, advice?: string): unknown;
	/** `onPage` returns what to keep of the rows of a page. */
	list(
		request: ApiRequest,
		options?: { onPage: (rows: unknown[], body: unknown) => unknown[] },
	): Promise<{ rows: unknown[] }>;
	/**
	 * The wanted rows of a list, with `missing` if the list may lack some rows that the API has. All items share one read of the
	 * list, from before their writes. `again` reads it anew, from now on for all items.
	 */
	find(
		request: ApiRequest,
		wanted: Wanted,
		again?: boolean,
	): Promise<{ rows: unknown[]; missing?: string }>;
	/** The record that a dry run made with this ID, which its list doesn't have. Undefined for any other ID. */
	dryRecord(list: ApiRequest, id: string): IDataObject | undefined;
	request(
		route: Route,
		ids?: Record<string, unknown>,
		content?: { query?: IDataObject; body?: IDataObject },
	): ApiRequest;
	/** In milliseconds. Throws Cancelled if the execution is cancelled. */
	wait(milliseconds: number): Promise<void>;
	/** Runs the tasks of a `key` one by one, for all of an account in this process. A task may lock other keys, not its own. */
	withLock<T>(key: string, task: Locked<T>): Promise<T>;
	/** Number of tasks with a lock that have ended, for `isFirstSince` of a later task. */
	readonly moment: number;
	/** IDs of records that items of the run have created, by the key of `withLock`. An ID is '' if its creation is in doubt. */
	readonly made: Map<string, string>;
	/** Keys and IDs that items of the run have looked up one by one. A list that was read before may show them as they were. */
	readonly touched: Set<string>;
	/** Records as a dry run would have left them, by the key of `withLock`. */
	readonly known: Map<string, IDataObject>;
	/** The matching rows of a list that is read once for many items, before their writes. Some or all rows may be missing. */
	ahead(request: ApiRequest, wanted: Wanted): Promise<IDataObject[]>;
	/** Values of the workflow. Throws an error where there is no store. */
	readonly values: Values;
	/** If a write of this item that must not be repeated went through or may have, and the requests that Dry Run held back. */
	readonly writes: { readonly mayBeApplied: boolean; readonly held: readonly ApiRequest[] };
	warning?: string;
}
