// State of the trigger, stored in the static data of its workflow.
import type { IDataObject } from 'n8n-workflow';

import type { Account } from '../shared/account';

/** Values to register for one event. */
export interface Wish {
	event: string;
	/** The node's URL with event and secret in the query. */
	url: string;
	name: string;
	description: string;
}

/** A registered webhook: the values that were sent, its ID, and the token that the API generated. */
export interface Registration extends Partial<Wish> {
	event: string;
	url: string;
	id: string;
	token?: string;
}

export interface TriggerState {
	/** Account of the registrations. In another one, the same IDs belong to other webhooks. */
	account?: Account;
	secret?: string;
	registrations?: Registration[];
	/** Registrations at earlier URLs of n8n. In a copy of n8n's database they belong to the original. */
	elsewhere?: Registration[];
}

export function stateOf(context: {
	getWorkflowStaticData(type: string): IDataObject;
}): TriggerState {
	return context.getWorkflowStaticData('node') as TriggerState;
}
