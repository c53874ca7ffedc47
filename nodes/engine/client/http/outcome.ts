// Types for the result of one attempt, and for the outcome of a request after all its attempts.
import type { IDataObject } from 'n8n-workflow';

import type { LookupKey } from '../../base/apiRequest';
import type { Endpoint } from '../../base/definition';

export interface Received {
	failure?: undefined;
	status: number;
	headers: Record<string, unknown>;
	body: unknown;
	/**
	 * - `absent`: the record in the path doesn't exist.
	 * - `rejected`: the API rejects the content of the request.
	 * - `error`: anything else, such as a wrong key, a rate limit, a redirect or a server error.
	 */
	says: 'success' | 'absent' | 'rejected' | 'error';
	message?: string;
	/** A 2xx response with both an error and a result: the request may be partly done. */
	isPartlyDone: boolean;
	/** A success lacks a documented member: what came instead, in words. */
	came?: string;
	/** A 429 about a budget or a quota, so a retry within minutes won't help. */
	isUsedUp: boolean;
}

export interface Failed {
	/** An error code of Node.js or axios, such as `ECONNRESET`. `ETIMEDOUT` for every timeout. */
	failure: string;
	detail: string;
	/** Milliseconds of the pause that the API asked for, if the request wasn't sent because of the pause. */
	pause?: number;
}

export type Result = Received | Failed;

export interface Counts {
	endpoint: Endpoint;
	sent?: IDataObject;
	/** Values to name in an error for a missing record, in place of the form's. */
	lookupKeys?: () => LookupKey[];
	attempts: number;
	doubtfulAttempts: number;
	/** Milliseconds spent waiting between attempts. */
	waited: number;
	/** The request may have been applied, and must not be sent again. */
	inDoubt: boolean;
}

export type ApiResponse = Received & Counts;

export type Outcome = Result & Counts;
