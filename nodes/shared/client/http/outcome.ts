// What came of a request.
import type { Route } from '../../endpoints';

/** What came of one attempt: a response of any status, or the code of a failure. */
export type Result =
	| { status: number; headers: Record<string, unknown>; body: unknown; failure?: undefined }
	| {
			failure: string;
			timedOut: boolean;
			detail: string;
			/** Milliseconds that the API asks to wait, where the request was not sent for it. */
			pause?: number;
	  };

/** The attempts of one request so far; times in milliseconds. */
export interface Attempts {
	/** Requests sent, the repeated ones included. */
	attempts: number;
	/** How many of the earlier ones failed so that they may have been applied all the same. */
	failures: number;
	/** Time spent waiting between attempts. */
	waited: number;
}

/** What came of a request, after all its attempts. */
export type Outcome = Result &
	Attempts & {
		/** The endpoint that was asked. */
		route: Route;
		/** Whether it may have been applied, and must not be sent again. */
		inDoubt: boolean;
	};

/** An outcome that is a failure: no response came. */
export type Failed = Extract<Outcome, { timedOut: boolean }>;

/** An outcome that is a response. */
export type Received = Extract<Outcome, { status: number }>;

/** A value that a request looks something up by, and the field of the form that holds it. */
export interface LookupKey {
	field: string;
	value: string;
}

/** A response, and what it says. */
export type Answer = Received & {
	/** What was looked for, where the fields of the form don't say it. */
	lookupKeys?: LookupKey[];
	/** The API's message, if the response is an error. */
	message?: string;
	/** Whether it says that what was asked for is not there. */
	missing: boolean;
};
