// What Dry Run knows of the API: sample responses, and the records that are looked up by a value.
import type { IDataObject } from 'n8n-workflow';

import type { DryRunRules } from '../engine/base/definition';
import type { Route } from './endpoints';

import samples from './dryRunSamples.json';

const makers: Partial<Record<Route, string>> = {
	'POST /customers.json': 'customer',
	'POST /partners.json': 'partner',
	'POST /idp/user.json': 'user',
};

const lookups: Partial<Record<Route, { noun: string; like: Route }>> = {
	'GET /customers/customer.json': { noun: 'customer', like: 'GET /customers/{customerId}.json' },
	'GET /partners/partner.json': { noun: 'partner', like: 'GET /partners/{partnerId}.json' },
	'GET /idp/{externalUserId}.json': { noun: 'user', like: 'GET /idp/{externalUserId}.json' },
};

/** The number of a newsletter's contacts, by all its names in responses, and a payout's total. */
function derived(
	{ contact_ids: contacts, total_recipients: total, transactions }: IDataObject,
	amount?: string,
): IDataObject {
	if (Array.isArray(contacts)) {
		const count = contacts.length;
		return { total_recipients: count, saved_recipients: count, queued_recipients: count };
	}
	const isPayout = transactions !== undefined && amount !== undefined;
	return {
		// The response to queueing a newsletter has another name for the total of its recipients.
		...(total !== undefined && { queued_recipients: total }),
		...(isPayout && { total: amount }),
	};
}

export const dryRun: DryRunRules = {
	samples,
	makers,
	lookups,
	keys: ['externalId', 'external_id', 'externalUserId', 'email'],
	parts: ['address'],
	derived,
	// IDs of a partner group, an embedding connection, and the vector store of a knowledge base.
	isOfOther: (name, route) =>
		/group|embedding/.test(name) ||
		(name === 'vector_store_id' && route.includes('knowledge-bases')),
};
