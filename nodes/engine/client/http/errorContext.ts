// Facts about a request that its error shows, such as the item, the operation and the sent fields.
import type { INode } from 'n8n-workflow';

import type { LookupKey } from '../../base/apiRequest';
import type { Endpoint } from '../../base/definition';
import { itemName } from '../../base/itemName';
import type { Secrets } from './redact';

export interface SentField {
	field: string;
	/** Name in the request, which the API may use in its message. */
	name: string;
	value?: string;
}

export interface ErrorContext {
	node: INode;
	itemIndex?: number;
	/** Number of items. A message names the item only if there are several. */
	items?: number;
	/** A value of the input item names the item for a person. */
	item?: () => unknown;
	/** Name of the write, to look it up if it's in doubt. */
	write?: () => string;
	/** The action of the operation, such as `Get a user`. */
	action?: string;
	/** n8n's editor shows the description with the next step. Agents and n8n's log of a publication only show the message. */
	described?: boolean;
	/** Only errors without a request need it. */
	endpoint?: Endpoint;
	/** Values to name in an error for a missing record, unless the request has its own. */
	lookupKeys?: () => LookupKey[];
	/** Secret and long fields have no value. */
	sent?: () => SentField[];
	/** Set by AI sub-nodes. n8n then shows the error at the parent node. */
	functionality?: 'configuration-node';
	/** An earlier run of Retry On Fail sent the same request and got no response. */
	lostResponse?: boolean;
	/** There's no Retry Time to set, as in hooks, polls and pickers. */
	hasFixedBudget?: boolean;
	/** Texts that no error may show: the key, and secret values of the request. */
	secrets: Secrets;
}

/** n8n stores the node with its errors, and its parameters can hold secrets that the user typed. */
export const withoutParameters = (node: INode): INode => ({ ...node, parameters: {} });

/** The item, such as `order A-1043, row 4 (item 3)`. Undefined if the error is about no item, or there's only one. */
export function itemText({
	itemIndex,
	items = 1,
	item,
	secrets,
}: ErrorContext): string | undefined {
	if (itemIndex === undefined || items === 1) return undefined;
	return itemName(itemIndex, item?.(), secrets.texts);
}

/** The operation, its endpoint and the item, for the description. Empty for an error of no operation. */
export function operationText(context: ErrorContext, endpoint = context.endpoint): string {
	const operation = context.action && `${context.action} (${endpoint?.route})`;
	return operation ? `Operation: ${[operation, itemText(context)].filter(Boolean).join(', ')}` : '';
}
