// The state that all items of one execution share.
import type { Door } from '../client/door';
import type { OutputFields } from '../form/outputFields';
import type { Operation } from '../operation';
import type { Idempotency } from './idempotency';
import type { Ledger } from './ledger';
import type { Found } from './listing';
import type { Progress } from './progress';
import type { RunMark } from './runMark';
import type { SafetyLimits } from './safetyLimits';

/** State of a run of writes. */
export interface Writing {
	ledger: Ledger;
	/** Undefined if the form has no Idempotency Key. */
	keys?: Idempotency;
	/** Undefined if n8n's Retry can't send twice: a dry run, a tool, a write that is safe to repeat. */
	mark?: RunMark;
}

export interface Session {
	operation: Operation;
	door: Door;
	/** An agent runs the node. */
	isTool: boolean;
	/** Undefined for all fields. */
	output?: OutputFields;
	/** Cache of parameters that are the same for all items. */
	constants: Map<string, unknown>;
	/** Warnings for the hints, although no item failed. */
	warnings: Set<string>;
	/** Searches in lists that the API can't search. */
	found: Found[];
	/** Undefined for reads. */
	writing?: Writing;
	/** Writes that a dry run would have sent. */
	dryRun?: { items: number; total: bigint; isPartial: boolean };
	progress: Progress;
	/** Undefined if the form sets no limits. */
	limits?: SafetyLimits;
	/** All input items are sent in one request. */
	isGathered: boolean;
	/** Rows that are already in the output of an item, if items share lists. */
	given?: WeakSet<object>;
}
