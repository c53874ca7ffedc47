// The data that n8n keeps of a node with an execution, by the ID of the node: its runs, with the state of each item, and what
// becomes of a state. Its hashes: docs/contributing/architecture.md (What counts as the same).
import type { IDataObject } from 'n8n-workflow';

import type { ApiRequest } from '../base/apiRequest';
import { hashOf, sortedJson } from '../base/data';
import type { Operation } from '../form/operation';

/** The fate of an item, for who would send it or tell a person of it. `inDoubt`: it may have gone through. */
export type Fate = 'done' | 'inDoubt' | 'unsent';

/** All that an item can be: its fate, and what a person is told of it if the run stops. Without an entry it's `unsent`. */
export const STATES = {
	unsent: { fate: 'unsent', told: 'unsent' },
	// Dry Run held its request back.
	held: { fate: 'unsent', told: 'unsent' },
	// An execution of which n8n kept nothing may have sent it. Its key decides: now if it's `left`, in the next try if `keyed`.
	left: { fate: 'unsent', told: 'inDoubt' },
	keyed: { fate: 'inDoubt', told: 'inDoubt' },
	// Its key was known, so without that key a person has to look.
	skipped: { fate: 'inDoubt', told: 'unsent' },
	// Its requests are under way, for the first time or after it was `lost`.
	sent: { fate: 'unsent', told: 'inDoubt' },
	resent: { fate: 'unsent', told: 'inDoubt' },
	// It failed without a response, and is safe to repeat.
	lost: { fate: 'unsent', told: 'unsent' },
	inDoubt: { fate: 'inDoubt', told: 'inDoubt' },
	done: { fate: 'done', told: 'done' },
} satisfies Record<string, { fate: Fate; told: Fate }>;

export type State = keyof typeof STATES;

export type Event =
	| 'send'
	| 'hold'
	| 'skip'
	| 'leave'
	| 'refuse'
	| 'lose'
	| 'doubt'
	| 'end'
	| 'release'
	| 'takeUp';

/** The state that an event makes of others. States that aren't named stay. Nothing is kept of what is `unsent` again. */
const TRANSITIONS: Array<[Event, State[], State]> = [
	// A request leaves. It was decided before that it may.
	['send', ['unsent', 'left', 'keyed', 'skipped', 'inDoubt'], 'sent'],
	['send', ['lost'], 'resent'],
	// Dry Run holds it back. What an earlier try did with it stays known.
	['hold', ['unsent'], 'held'],
	// Its key is known. What an earlier try did with it says more.
	['skip', ['unsent'], 'skipped'],
	// Only its key tells what an earlier execution did with it. One in doubt stays so.
	['leave', ['unsent', 'lost', 'keyed', 'skipped'], 'left'],
	// Nothing was applied, which says nothing of the try that was lost.
	['refuse', ['sent'], 'unsent'],
	['refuse', ['resent'], 'lost'],
	// It's safe to repeat, and got no response.
	['lose', ['sent', 'resent'], 'lost'],
	// It may have gone through, here or in an earlier execution.
	['doubt', ['unsent', 'lost', 'sent', 'resent'], 'inDoubt'],
	// It went through, or a person says so.
	['end', ['unsent', 'lost', 'sent', 'resent', 'inDoubt', 'keyed', 'skipped'], 'done'],
	// A person says that it didn't.
	['release', ['inDoubt', 'keyed', 'skipped'], 'unsent'],
	// Another try goes on with the run. The process ended while the item was under way, or before its turn.
	['takeUp', ['sent', 'resent'], 'inDoubt'],
	['takeUp', ['left'], 'keyed'],
	['takeUp', ['unsent', 'held'], 'unsent'],
];

/** The state after `EVENT STATE`. Without one, it stays. */
export const NEXT = new Map(
	TRANSITIONS.flatMap(([event, from, to]) =>
		from.map((state): [string, State] => [`${event} ${state}`, to]),
	),
);

/** Numbers that limits count of an item, beside the item itself. */
interface Counts {
	/** Its number, as text. Undefined if it wasn't measured. */
	amount?: string;
}

/** One item, as plain JSON. */
export interface Entry {
	state: State;
	/** Hash of its request. */
	fingerprint?: string;
	/** Hash of the Idempotency Key that it was sent with. */
	keyHash?: string;
	/** Counted for the limits. It goes whole from one try to the next. */
	counted?: Counts;
	ids?: string[];
	/** JSON of its output, if it's small. */
	rows?: IDataObject[];
	/** Message of its error. */
	why?: string;
	/** Hash of its input item, if it's in doubt: an error output may lead that back. */
	input?: string;
}

/** The claim of a run (claim.ts). */
export interface RunClaim {
	/** ID of the execution that goes on with it. */
	execution: string;
	/** The state of the book that it has claimed. */
	state: string;
	/** Hash of its requests, or of its key. */
	mark: string;
	/** The number that an execution has to take to go on (milestones.ts). Undefined if none can. */
	next?: number;
}

/** One run of the node, or one call of it as a tool. It's kept until it succeeds. */
export interface Run {
	/** ID of the execution that works on it. */
	execution: string;
	operation: string;
	/** The thing that is added up for the Safety Limits: a noun, `amount` for money, `none` if nothing is. */
	kind: string;
	claim?: RunClaim;
	/** n8n's Retry has taken the run over from another execution. */
	isTakenOver?: true;
	/** It has ended. Only Retry On Fail may start it again. */
	isOver?: true;
	items: Record<string, Entry>;
}

/** All that is known of a node in one execution. */
export interface Book {
	/** The state that the next run that writes goes on from. Undefined before the first one. */
	state?: string;
	/** By `$runIndex`, or by call. */
	runs: Record<string, Run>;
	/** Items of the runs that have succeeded, for the Safety Limits. */
	items: number;
	/** Their totals, as text, by what is counted. `?` if one isn't known. */
	totals: Record<string, string>;
	/** Hashes of requests in doubt, and of their input items. An error output may lead them back. False if their key decides. */
	doubts?: Record<string, boolean>;
	/** Runs that gave out an item as an error without sending it, with the hash of the reason, by the hash of the item. */
	refused?: Record<string, string[]>;
	/** Calls of the tools of a toolkit. */
	calls?: number;
}

/**
 * Hash of a change, for the ledger, keys and tools alike. The order of the fields of an object makes no difference. If
 * `operation` sends several requests, its settings decide on the others, so they count, too.
 */
export function requestFingerprint(
	{ endpoint, path, query, body, settings }: ApiRequest,
	operation?: Operation,
): string {
	const more = operation?.run && settings ? [settings] : [];
	return hashOf(sortedJson([endpoint.route, path, query, body, ...more])).slice(0, 16);
}

/** Hash of an input item, without what n8n adds to it at an error output. `i` tells it from the hash of a request. */
export function hashOfInput(json: IDataObject): string {
	const fields = Object.entries(json).filter(([name]) => name !== 'error' && name !== 'details');
	return `i${hashOf(sortedJson(Object.fromEntries(fields))).slice(0, 12)}`;
}
