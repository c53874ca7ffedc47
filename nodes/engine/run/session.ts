// The state of one run of a node, which its items share.
import type { ApiRequest } from '../base/apiRequest';
import type { Door } from '../client/door';
import type { Operation } from '../form/operation';
import type { OutputFields } from '../form/options';
import type { Idempotency } from './idempotency';
import type { Ledger } from './ledger';
import type { Parameter } from './parameters';
import type { RunMark } from './runMark';

/** Result of a search for one item. */
export interface Found {
	item: number;
	noun: string;
	/** The list, with the number of rows read so far. Items may share it. */
	source: { readonly read: number };
	matching: number;
	stopped: boolean;
}

/** An item that is counted. */
export interface Counted {
	index: number;
	parameter: Parameter;
	request: ApiRequest;
}

/** Limits that a write has to pass before it's sent: Safety Limits, or the policy of a toolkit. */
export interface SendLimits {
	/** It needs the numbers in the items, not only their count. */
	readonly measures: boolean;
	/** It needs their sum in the whole execution, too. */
	readonly totals?: boolean;
	/** Counts items in the ledger, by the sum of each. Throws for what must not be sent. */
	count(sums: Map<number, bigint>, items: Counted[], ledger: Ledger): void;
	/** Is called with each write just before it leaves, as it's sent. Throws for what must not be sent. */
	leaves?(write: ApiRequest): void;
	/** Undoes what was noted outside of the ledger, for an item that doesn't count after all. */
	uncount?(index: number): void;
}

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
	/** Warnings about items that went through, for the hints. */
	warnings: Set<string>;
	/** Searches in lists that the API can't search. */
	found: Found[];
	/** Undefined for reads. */
	writing?: Writing;
	/** Undefined if the form sets no limits. */
	limits?: SendLimits;
	/** Number of items. It's one if all input items are sent in one request. */
	size: number;
	/** Rows that are already in the output of an item, if items share lists. */
	rowsInOutput?: WeakSet<object>;
}
