// What the trigger keeps in the static data of its workflow.
import type { IDataObject } from 'n8n-workflow';

import type { Account } from '../shared/account';

/** What is sent to the service for one event. */
export interface Wish {
	event: string;
	/** The address with event and secret. */
	url: string;
	name: string;
	description: string;
}

/**
 * One registration of this node: what was sent for it, its id, and the token that the service
 * generated, for checking deliveries.
 */
export type Registration = Pick<Wish, 'event' | 'url'> &
	Partial<Wish> & { id: string; token?: string };

export interface TriggerState {
	/** Where the registrations were made: elsewhere their ids are those of others. */
	account?: Account;
	secret?: string;
	registrations?: Registration[];
	/** Those of another address of n8n: in a copy of n8n's database they belong to the original. */
	elsewhere?: Registration[];
}

export function stateOf(context: {
	getWorkflowStaticData(type: string): IDataObject;
}): TriggerState {
	return context.getWorkflowStaticData('node') as TriggerState;
}
