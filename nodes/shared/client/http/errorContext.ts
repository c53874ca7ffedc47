// What an error tells of a request, beside what came of it.
import type { INode } from 'n8n-workflow';

import type { Route } from '../../endpoints';
import type { LookupKey } from './outcome';

/** A field of the form that was sent. */
export interface SentField {
	field: string;
	/** Its name on the wire, by which the API may call it. */
	name: string;
	value?: string;
}

/** The request as errors tell it. */
export interface ErrorContext {
	node: INode;
	itemIndex?: number;
	/** How many items there are: a message names its item only if there are others. */
	items?: number;
	/** What is done, such as `Get a customer`. */
	action?: string;
	/**
	 * Whether the reader sees the description below the message, as in n8n's editor: then the next step
	 * stands there. An agent and the log of a publication show the message alone.
	 */
	described?: boolean;
	/** The endpoint that was to be asked, where nothing was sent. */
	route?: Route;
	/** What was looked for, for a 404, unless the request says it itself. */
	lookupKeys?: LookupKey[];
	/** The fields of the form that were sent; of secret and long ones without their values. */
	sent?: () => SentField[];
	/** The node hands something to another one, where n8n shows its errors then. */
	functionality?: 'configuration-node';
	/** An earlier run of Retry On Fail sent the same and got no response. */
	lostResponse?: boolean;
	/** Hooks, polls and pickers have no Retry Time to set. */
	isFixed?: boolean;
	/** Texts that no error may show: the key, and write-only values of the request. */
	secrets: string[];
}

// The parameters of a node can hold secrets that the user typed, and errors are stored with their node.
export const withoutParameters = (node: INode): INode => ({ ...node, parameters: {} });

/** `item 3`, where there are several. */
export function itemText({ itemIndex, items = 1 }: ErrorContext): string | undefined {
	return itemIndex === undefined || items === 1 ? undefined : `item ${itemIndex}`;
}

/** What was asked, without a value of the user. */
export function operationText(context: ErrorContext, route = context.route): string {
	const { action } = context;
	const operation = [action, route && (action ? `(${route})` : route)].filter(Boolean).join(' ');
	return operation && `Operation: ${[operation, itemText(context)].filter(Boolean).join(', ')}`;
}
