// What each fault of the network or the API must come to, by the rules of design: the fault matrix of
// the execution tests and the tables of docs/reliability.md are both made of it.
import type { FaultRule } from '../sandbox/index.cts';

/**
 * What a fault means for the request that it hits.
 * - `refused`: the API did nothing with it, so it is sent again whatever it is.
 * - `said`: the response says under a status of success that the request failed, and nothing else.
 * - `partly`: it says so beside a result, such as an ID: something was done, or may have been.
 * - `broken`: it may have been applied, so it is sent again only if that is harmless.
 * - `unreadable`: an answer came, so it is not sent again, but the answer tells nothing.
 * - `redirected`: it is not followed.
 * - `harmless`: the answer is right and is taken.
 */
export type Meaning =
	'refused' | 'broken' | 'unreadable' | 'redirected' | 'said' | 'partly' | 'harmless';

/**
 * What an operation documents as its answer: an object, a file, an object that reports `success` as a
 * result, or something whose shape is not shown.
 */
export type AnswerKind = 'object' | 'file' | 'open' | 'report';

/** A fault of one request. */
export interface FaultCase {
	/** What happens, for people. */
	what: string;
	rule: FaultRule;
	/** Retry-After is the date two seconds after the request. */
	retryDate?: boolean;
	meaning: Meaning;
	/** What the error says if it stays that way. */
	says: string;
	/** Whether the request is applied although the fault hits it. */
	applied: boolean;
	/** Answers that this fault does not spoil: a file, or one whose shape is not documented. */
	except?: AnswerKind[];
}

const status = (code: number, more: Partial<FaultRule> = {}): FaultRule => ({
	kind: 'status',
	status: code,
	body: { error: 'Fault' },
	...more,
});

/** All faults of one request. */
export const faultCases: FaultCase[] = [
	{
		what: 'The connection breaks before the request is read',
		rule: { kind: 'reset-before' },
		meaning: 'broken',
		says: 'The connection to the API broke',
		applied: false,
	},
	{
		what: 'The connection breaks after the request went through',
		rule: { kind: 'reset-after' },
		meaning: 'broken',
		says: 'The connection to the API broke',
		applied: true,
	},
	{
		what: 'No response within the timeout',
		rule: { kind: 'stall' },
		meaning: 'broken',
		says: "The API didn't respond in time",
		applied: false,
	},
	{
		what: 'No response within the timeout, although the request went through',
		rule: { kind: 'stall', applied: true },
		meaning: 'broken',
		says: "The API didn't respond in time",
		applied: true,
	},
	{
		what: '429 with Retry-After in seconds',
		rule: status(429, { retryAfter: 1 }),
		meaning: 'refused',
		says: "Fault (HTTP 429). The API's rate limit was reached",
		applied: false,
	},
	{
		what: '429 with Retry-After as a date',
		rule: status(429),
		retryDate: true,
		meaning: 'refused',
		says: "Fault (HTTP 429). The API's rate limit was reached",
		applied: false,
	},
	{
		what: '429 without Retry-After',
		rule: status(429),
		meaning: 'refused',
		says: "Fault (HTTP 429). The API's rate limit was reached",
		applied: false,
	},
	{
		what: '503 with Retry-After, as JSON',
		rule: status(503, { retryAfter: 1 }),
		meaning: 'broken',
		says: 'Fault (HTTP 503). The API failed',
		applied: false,
	},
	{
		what: '503 with Retry-After, as the HTML page of a proxy that forwarded the request',
		rule: { kind: 'html', status: 503, retryAfter: 1, applied: true },
		meaning: 'broken',
		says: 'The API gave no reason (HTTP 503). The API failed',
		applied: true,
	},
	...[408, 500, 502, 503, 504, 522].map((code): FaultCase => ({
		what: String(code),
		rule: status(code),
		meaning: 'broken',
		says: `Fault (HTTP ${code}). The API failed`,
		applied: false,
	})),
	{
		what: '500 although the request went through',
		rule: status(500, { applied: true }),
		meaning: 'broken',
		says: 'Fault (HTTP 500). The API failed',
		applied: true,
	},
	{
		what: 'HTML instead of JSON',
		rule: { kind: 'html' },
		meaning: 'unreadable',
		says: 'The API returned HTML instead of JSON',
		applied: false,
	},
	{
		what: 'An empty response',
		rule: { kind: 'empty' },
		meaning: 'unreadable',
		says: 'The API returned an empty response',
		applied: true,
		except: ['open'],
	},
	{
		what: 'Incomplete JSON',
		rule: { kind: 'cut-json' },
		meaning: 'unreadable',
		says: "The API returned text that isn't JSON",
		applied: true,
		except: ['file'],
	},
	{
		what: 'JSON with another content type',
		rule: { kind: 'wrong-content-type' },
		meaning: 'harmless',
		says: '',
		applied: true,
	},
	{
		what: 'A response of 10 MB',
		rule: { kind: 'big' },
		meaning: 'harmless',
		says: '',
		applied: true,
	},
	{
		what: 'A redirect to another URL',
		rule: { kind: 'redirect' },
		meaning: 'redirected',
		says: 'The API redirected. Set Base URL to the final URL',
		applied: false,
	},
	...[303, 307, 308].map((code): FaultCase => ({
		what: `A redirect (${code}) after the request went through`,
		rule: { kind: 'redirect', status: code, applied: true },
		meaning: 'redirected',
		says: `(HTTP ${code}). The API redirected. Set Base URL to the final URL`,
		applied: true,
	})),
	...[
		{
			what: '200 with `success: false` and a message',
			body: { success: false, message: 'Not possible' },
			except: ['report'] as AnswerKind[],
		},
		{ what: '200 with `error` as text', body: { error: 'Not possible' } },
		{ what: '200 with `error` as an object', body: { error: { message: 'Not possible' } } },
		{
			what: '200 with `error` next to an empty list',
			body: { error: 'Not possible', elements: [], count: 0 },
		},
	].map(({ what, body, except }): FaultCase => ({
		what,
		rule: status(200, { body }),
		meaning: 'said',
		says: 'Not possible (HTTP 200)',
		applied: false,
		except,
	})),
	...[200, 201, 202, 207].map((code): FaultCase => ({
		what: `${code} with \`error\` next to an ID`,
		rule: status(code, {
			body: { id: 'ch_1', status: 'failed', error: 'Not possible' },
			applied: true,
		}),
		meaning: 'partly',
		says: `Not possible (HTTP ${code}, id ch_1)`,
		applied: true,
	})),
	{
		what: '200 with `success: false` next to an ID',
		rule: status(200, {
			body: { success: false, customer: { id: 'cus_1' }, message: 'Not possible' },
			applied: true,
		}),
		meaning: 'partly',
		says: 'Not possible (HTTP 200, id cus_1)',
		applied: true,
		except: ['report'],
	},
	{
		what: '200 with `error` next to an execution ID',
		rule: status(200, {
			body: { success: false, execution_id: 'run_1', stages: [], error: 'Not possible' },
			applied: true,
		}),
		meaning: 'partly',
		says: 'Not possible (HTTP 200, execution_id run_1)',
		applied: true,
		except: ['report'],
	},
];

/** What must come of a run. */
export interface Expected {
	/** A result, or an error. */
	result: boolean;
	/** Requests that the API sees. */
	requests: 1 | 2;
	/** Texts that the error holds. */
	says: string[];
	/** Texts that it must not hold. */
	saysNot: string[];
}

/** What the error of a request that must not be repeated adds. */
const DOUBT = "It may have gone through, so it wasn't retried. Check before you run it again.";

/**
 * The rule: sent again is what was refused, and what broke if it is repeatable.
 * @param answer kind of answer that the operation documents
 * @param lasting the fault hits every request and there is no time for another one; else the first
 */
export function expectedOf(
	{ meaning, says, except = [] }: FaultCase,
	repeatable: boolean,
	answer: AnswerKind,
	lasting: boolean,
): Expected {
	const spared = answer !== 'object' && except.includes(answer);
	const success = { result: true, says: [], saysNot: [] };
	if (meaning === 'harmless' || spared) return { ...success, requests: 1 };
	const again = meaning === 'refused' || (meaning === 'broken' && repeatable);
	if (again && !lasting) return { ...success, requests: 2 };
	const doubtful: Meaning[] = ['broken', 'unreadable', 'redirected', 'partly'];
	const inDoubt = !repeatable && doubtful.includes(meaning);
	return {
		result: false,
		requests: 1,
		says: inDoubt ? [says, DOUBT] : [says],
		saysNot: inDoubt ? [] : [DOUBT],
	};
}

/** What happens to a list while its pages are read. */
export interface PagingCase {
	what: string;
	/** Applied from the second page on. */
	rule: FaultRule;
	/** What the user gets, for people. */
	gets: string;
	/** What the user gets, of `rows` rows that were there at first and `size` on a page. */
	expected: (rows: number, size: number) => { least: number; most: number };
	/** Whether a hint on the output tells about it. */
	hint: RegExp | null;
}

/** All of them; no row is ever given twice. */
export const pagingCases: PagingCase[] = [
	{
		what: 'The same page comes again and again',
		rule: { kind: 'repeat-page' },
		gets: 'The rows of that page once, and a hint that rows are missing',
		expected: (_rows, size) => ({ least: size, most: size }),
		hint: /duplicate/,
	},
	{
		what: 'The list gets longer',
		rule: { kind: 'grow', rows: 120 },
		gets: 'All rows, including the new ones',
		expected: (rows) => ({ least: rows + 120, most: rows + 120 }),
		hint: null,
	},
	{
		what: 'The list gets shorter',
		rule: { kind: 'shrink', rows: 60 },
		gets: 'The remaining rows, and a hint that rows may be missing',
		expected: (rows) => ({ least: rows - 60, most: rows - 1 }),
		hint: /announced|shorter/,
	},
	{
		what: 'Rows are inserted at the start',
		rule: { kind: 'insert', rows: 3 },
		gets: 'Every original row once, and a hint that duplicates were left out',
		expected: (rows) => ({ least: rows, most: rows + 3 }),
		hint: /duplicate/,
	},
];
