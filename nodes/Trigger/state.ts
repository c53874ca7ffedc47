// State of the trigger, stored in the static data of its workflow. n8n shows that in its editor and its API.
import type { IDataObject } from 'n8n-workflow';

import type { StoredAccount } from '../api/account';

export interface Wish {
	event: string;
	/** The node's URL with event and mark in the query. The secret is only added to what is sent. */
	url: string;
	name: string;
	description: string;
}

export interface Accepted {
	event: string;
	secret: string;
	/** Time of its registration, in milliseconds. Missing in what earlier versions of the package have stored. */
	at: number;
	/** Hash of the token that the API generated. */
	tokenHash?: string;
	/** The token itself. Only kept if signatures are checked, which a hash can't do. */
	token?: string;
}

export interface Registration extends Wish, Accepted {
	id: string;
	/** Refused, and kept to be removed later: it isn't wanted but couldn't be removed, or the API doesn't tell about it. */
	isDead?: true;
}

export interface TriggerState {
	/** Account of the registrations. In another one, the same IDs belong to other webhooks. */
	account?: StoredAccount;
	registrations?: Registration[];
	/** Registrations at earlier URLs of n8n. In a copy of n8n's database they belong to the original. */
	elsewhere?: Registration[];
}

/** n8n saves what is changed in the state. */
export function stateOf(context: {
	getWorkflowStaticData(type: string): IDataObject;
}): TriggerState {
	return context.getWorkflowStaticData('node') as TriggerState;
}
