// What the items of one execution share.
import type { Door } from '../client/door';
import type { OutputFields } from '../form/outputFields';
import type { Operation } from '../operation';
import type { Idempotency } from './idempotency';
import type { Found } from './listing';
import type { Progress } from './progress';
import type { SafetyLimits } from './safetyLimits';

export interface Session {
	operation: Operation;
	door: Door;
	/** Whether an agent runs the node. */
	isTool: boolean;
	/** What the user wants of each object, all of it if he did not say. */
	output?: OutputFields;
	/** Parameters that are the same for all items, by name. */
	constants: Map<string, unknown>;
	/** Warnings about the output, although no item failed. */
	warnings: Set<string>;
	/** What was looked for in lists that the API cannot search. */
	found: Found[];
	/** The keys of the items, where the form has them. */
	idempotency?: Idempotency;
	/** What a dry run would have sent. */
	dryRun?: { items: number; total: bigint; isPartial: boolean };
	progress: Progress;
	/** What the user allows in one execution. */
	limits?: SafetyLimits;
	/** Whether all input items are sent in one request. */
	isGathered: boolean;
	/** Rows that an item has in its output, where items share what is read. */
	given?: WeakSet<object>;
}
