// What each fault of the network or the API must come to, by the rules of design: the execution
// tests are made of it.
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
type Meaning = 'refused' | 'broken' | 'unreadable' | 'redirected' | 'said' | 'partly' | 'harmless';

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

/** Faults of one meaning: what happens, its rule, what the error says, and more. */
const faults =
	(meaning: Meaning) =>
	(what: string, rule: FaultRule, says: string, more: Partial<FaultCase> = {}): FaultCase => ({
		what,
		rule,
		meaning,
		says,
		applied: false,
		...more,
	});

const broken = faults('broken');
const refused = faults('refused');
const unreadable = faults('unreadable');
const harmless = faults('harmless');
const redirected = faults('redirected');
const said = faults('said');
const partly = faults('partly');

const done = { applied: true };
const silent = "The API didn't respond in time";
const limited = "Fault (HTTP 429). The API's rate limit was reached";
const elsewhere = 'The API redirected. Set Base URL to the final URL';

/** A success that says it failed; with `done` beside what was made. */
const failure = (body: object, more: object = {}) => status(200, { body, ...more });
const reason = 'Not possible';

/** All faults of one request. */
export const faultCases: FaultCase[] = [
	broken(
		'The connection breaks before the request is read',
		{ kind: 'reset-before' },
		'The connection to the API broke',
	),
	broken(
		'The connection breaks after the request went through',
		{ kind: 'reset-after' },
		'The connection to the API broke',
		done,
	),
	broken('No response within the timeout', { kind: 'stall' }, silent),
	broken(
		'No response within the timeout, although the request went through',
		{ kind: 'stall', applied: true },
		silent,
		done,
	),
	refused('429 with Retry-After in seconds', status(429, { retryAfter: 1 }), limited),
	refused('429 with Retry-After as a date', status(429), limited, { retryDate: true }),
	refused('429 without Retry-After', status(429), limited),
	broken(
		'503 with Retry-After, as JSON',
		status(503, { retryAfter: 1 }),
		'Fault (HTTP 503). The API failed',
	),
	broken(
		'503 with Retry-After, as the HTML page of a proxy that forwarded the request',
		{ kind: 'html', status: 503, retryAfter: 1, applied: true },
		'The API gave no reason (HTTP 503). The API failed',
		done,
	),
	...[408, 500, 502, 503, 504, 522].map((code) =>
		broken(String(code), status(code), `Fault (HTTP ${code}). The API failed`),
	),
	broken(
		'500 although the request went through',
		status(500, done),
		'Fault (HTTP 500). The API failed',
		done,
	),
	// Instead of JSON, or of a file.
	unreadable('HTML instead of the response', { kind: 'html' }, 'The API returned HTML instead of'),
	unreadable('An empty response', { kind: 'empty' }, 'The API returned an empty response', {
		applied: true,
		except: ['open'],
	}),
	unreadable('Incomplete JSON', { kind: 'cut-json' }, "The API returned text that isn't JSON", {
		applied: true,
		except: ['file'],
	}),
	harmless('JSON with another content type', { kind: 'wrong-content-type' }, '', done),
	harmless('A response of 10 MB', { kind: 'big' }, '', done),
	redirected('A redirect to another URL', { kind: 'redirect' }, elsewhere),
	...[303, 307, 308].map((code) =>
		redirected(
			`A redirect (${code}) after the request went through`,
			{ kind: 'redirect', status: code, applied: true },
			`(HTTP ${code}). ${elsewhere}`,
			done,
		),
	),
	said(
		'200 with `success: false` and a message',
		failure({ success: false, message: reason }),
		'Not possible (HTTP 200)',
	),
	said('200 with `error` as text', failure({ error: reason }), 'Not possible (HTTP 200)'),
	said(
		'200 with `error` as an object',
		failure({ error: { message: reason } }),
		'Not possible (HTTP 200)',
	),
	said(
		'200 with `error` next to an empty list',
		failure({ error: reason, elements: [], count: 0 }),
		'Not possible (HTTP 200)',
	),
	...[200, 201, 202, 207].map((code) =>
		partly(
			`${code} with \`error\` next to an ID`,
			status(code, { body: { id: 'ch_1', status: 'failed', error: reason }, applied: true }),
			`Not possible (HTTP ${code}, id ch_1)`,
			done,
		),
	),
	partly(
		'200 with `success: false` next to an ID',
		failure({ success: false, customer: { id: 'cus_1' }, message: reason }, done),
		'Not possible (HTTP 200, id cus_1)',
		done,
	),
	partly(
		'200 with `error` next to an execution ID',
		failure({ success: false, execution_id: 'run_1', stages: [], error: reason }, done),
		'Not possible (HTTP 200, execution_id run_1)',
		{ applied: true, except: ['report'] },
	),
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
