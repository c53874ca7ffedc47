// The state of one run of a node, which its items share.
import type { IDataObject } from 'n8n-workflow';

import type { Door } from '../client/door';
import type { Operation } from '../form/operation';
import type { OutputFields } from '../form/options';
import type { Budget } from './budget';
import type { Changes } from './changes';
import type { Claim } from './claim';
import type { EmptyFields } from './emptyFields';
import type { Idempotency } from './idempotency';
import type { Ledger } from './ledger';
import type { Tally } from './tally';

/** Result of a search for one item. */
export interface Found {
	item: number;
	noun: string;
	/** The list, with the number of rows read so far. Items may share it. */
	source: { readonly read: number };
	matching: number;
	stopped: boolean;
}

export interface Writing {
	ledger: Ledger;
	/** Sums of the writes that Dry Run held back. An unknown sum is undefined. */
	held: Array<bigint | undefined>;
	/** Undefined if the form has no Idempotency Key. */
	keys?: Idempotency;
	/** Undefined if nothing can be sent twice (a dry run, a write that is safe to repeat), or if n8n keeps nothing. */
	claim?: Claim;
	/** Undefined unless a tool is called. */
	changes?: Changes;
}

export interface Session {
	operation: Operation;
	door: Door;
	/** Rows of writes are ordered for a table (tableRow.ts). Nodes of version 1 keep their output. */
	isForTable: boolean;
	isTool: boolean;
	/** The collection Options of the form, as it is for the first item. */
	options: IDataObject;
	/** Undefined for all fields. */
	output?: OutputFields;
	/** Cache of parameters that are the same for all items. */
	constants: Map<string, unknown> | undefined;
	/** Warnings about items that went through, for the hints. */
	warnings: Set<string>;
	/** Items whose form was read without a fault. */
	read: Set<number>;
	/** Undefined if all fields of the form give something. */
	emptyFields?: EmptyFields;
	/** Searches in lists that the API can't search. */
	found: Found[];
	/** Counts changes of records, for the hint of a dry run. */
	tally: Tally;
	writing?: Writing;
	limits?: Budget;
	/** Items in doubt end the run with an error, after all others are done. */
	failsInDoubt: boolean;
	size: number;
	/** Items that a request is made for: all, or the first of each group. */
	indexes: number[];
	/** Groups of items that are sent in one request, by their first item. */
	groups?: Map<number, number[]>;
	/** Rows that are already in the output of an item, if items share lists. */
	rowsInOutput?: WeakSet<object>;
}
