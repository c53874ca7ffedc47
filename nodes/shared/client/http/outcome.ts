// What came of a request.
import type { Route } from '../../endpoints';

/** A response of any status, and what it says (answer.ts). */
export interface Received {
	failure?: undefined;
	status: number;
	headers: Record<string, unknown>;
	body: unknown;
	/**
	 * `success`; `absent`: what the path names isn't there; `refusal`: of what the request asks for;
	 * `error`: anything else, such as a wrong key, a rate limit, a redirect or a failing server.
	 */
	says: 'success' | 'absent' | 'refusal' | 'error';
	/** The API's message, if the response isn't a success. */
	message?: string;
	/** Under a status of success: an error beside a result, so what was asked for may be done in part. */
	isPartlyDone: boolean;
}

/** No response: the code of a failure. */
export interface Failed {
	failure: string;
	timedOut: boolean;
	detail: string;
	/** Milliseconds that the API asks to wait, where the request was not sent for it. */
	pause?: number;
}

/** What came of one attempt. */
export type Result = Received | Failed;

/** A value that a request looks something up by, and the field of the form that holds it. */
export interface LookupKey {
	field: string;
	value: string;
}

/** A request and its attempts; times in milliseconds. */
interface Sent {
	/** The endpoint that was asked. */
	route: Route;
	/** What was looked for, where the fields of the form don't say it. */
	lookupKeys?: LookupKey[];
	/** Requests sent, the repeated ones included. */
	attempts: number;
	/** How many of the earlier ones failed so that they may have been applied all the same. */
	failures: number;
	/** Time spent waiting between attempts. */
	waited: number;
	/** Whether it may have been applied, and must not be sent again. */
	inDoubt: boolean;
}

/** The response to a request, after all its attempts. */
export type ApiResponse = Received & Sent;

/** A request without a response, after all its attempts. */
export type Failure = Failed & Sent;

export type Outcome = ApiResponse | Failure;
