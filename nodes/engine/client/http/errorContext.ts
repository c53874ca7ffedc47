// Facts about a request that its error shows, such as the item, the operation and the sent fields.
import type { INode } from 'n8n-workflow';

import type { LookupKey } from '../../base/apiRequest';
import { isRecord } from '../../base/data';
import type { Endpoint } from '../../base/definition';

/** A sent field of the form. */
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
	/** The input item, to name it by a value that a person can read. */
	item?: unknown;
	/** Such as `Get a user`. */
	action?: string;
	/**
	 * The reader sees the description below the message, as in n8n's editor, so the next step goes there.
	 * Agents and n8n's log of a publication only show the message.
	 */
	described?: boolean;
	/** The endpoint, for errors without a request. */
	endpoint?: Endpoint;
	/** Values to name in an error for a missing record, unless the request has its own. */
	lookupKeys?: LookupKey[];
	/** The sent fields. Secret and long ones have no value. */
	sent?: () => SentField[];
	/** Set by AI sub-nodes. n8n then shows the error at the parent node. */
	functionality?: 'configuration-node';
	/** An earlier run of Retry On Fail sent the same request and got no response. */
	lostResponse?: boolean;
	/** There's no Retry Time to set, as in hooks, polls and pickers. */
	isFixed?: boolean;
	/** Texts that no error may show: the key, and secret values of the request. */
	secrets: string[];
}

// Errors are stored with their node, and its parameters can hold secrets that the user typed.
export const withoutParameters = (node: INode): INode => ({ ...node, parameters: {} });

/** Max characters of what names an item. */
const SHORT = 40;

/** A short text that is no token, no URL and no HTML. */
const HUMAN_READABLE = /^(?!.*:\/\/)(?!(?=\S*\d)[A-Za-z0-9_+/=.-]{20,}$)[^\s<>&][^<>&\n]{0,39}$/;

/** Keys whose values aren't for other eyes. */
const PRIVATE = /pass|secret|token|key|auth|credential|cookie|session|code|otp|pin$|iban|card/i;

/**
 * Names an item by n8n's own count, which starts at 0, and the first short text in it: `3 (order A-1043)`.
 * @param secrets texts that the name must not show
 */
function itemName(index: number, item?: unknown, secrets: string[] = []): string {
	const named = Object.entries(isRecord(item) ? item : {}).find(
		([name, value]) =>
			typeof value === 'string' &&
			HUMAN_READABLE.test(value) &&
			name.length <= SHORT &&
			!PRIVATE.test(name) &&
			!secrets.some((secret) => secret !== '' && value.includes(secret)),
	);
	return named ? `${index} (${named[0]} ${String(named[1])})` : String(index);
}

/** `item 3 (order A-1043)`, if there are several. */
export function itemText({
	itemIndex,
	items = 1,
	item,
	secrets,
}: ErrorContext): string | undefined {
	if (itemIndex === undefined || items === 1) return undefined;
	return `item ${itemName(itemIndex, item, secrets)}`;
}

/** The operation and its endpoint, without any value of the user. Empty for an error of no operation. */
export function operationText(context: ErrorContext, endpoint = context.endpoint): string {
	const operation = context.action && `${context.action} (${endpoint?.route})`;
	return operation ? `Operation: ${[operation, itemText(context)].filter(Boolean).join(', ')}` : '';
}
