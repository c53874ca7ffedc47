// What can be watched: the list that each event is found in, and the field that it shows itself by.

import type { Route } from '../shared/endpoints';
import { labelOf, type Field } from '../shared/fields';
import type { Simplify } from '../shared/operation';
import { locator } from '../shared/pickers';
import { customerRows, isoTimes, named } from '../shared/simplify';

/** An event found by reading a list again and again, because the API doesn't report it. */
export interface PolledEvent {
	name: string;
	value: string;
	description: string;
	/** The list; the parameters of its path are fields of the form. */
	route: Route;
	/** The field of the form that names the records, where the route is one of a single record. */
	named?: string;
	/** A shorter list, used when this field is filled in. */
	narrowed?: { by: Field; route: Route };
	/** What Simplify makes of its rows, which are compared as they came. */
	simplify?: Simplify;
	/** The event is a change of this field. Without it, the event is a new row. */
	statusField?: string;
	/** The field of the form that limits the statuses. */
	statuses?: 'statuses' | 'payoutStatuses';
	/** The event is a row that is gone: a webhook that led to this n8n. */
	isLoss?: true;
}

/** Narrows the payouts down. */
export const partner = locator('partners', {
	name: 'partnerId',
	description: 'Watch only the payouts of this partner. If empty, all payouts are watched.',
	placeholder: 'e.g. prt_512',
	displayOptions: { show: { event: ['payoutStatusChanged'] } },
});

/** An event: `New Customer` is the name of `newCustomer`. */
const polled = (
	value: string,
	about: Omit<PolledEvent, 'name' | 'value'> & { name?: string },
): PolledEvent => ({ name: labelOf(value), ...about, value });

export const events: PolledEvent[] = [
	polled('documentStatusChanged', {
		description: 'The index status of one of the named documents changes',
		route: 'GET /ai-gateway/knowledge-bases/{knowledgeBaseId}/documents/{documentId}.json',
		named: 'documentIds',
		statusField: 'index_status',
		statuses: 'statuses',
	}),
	polled('newCustomer', {
		description: 'A new customer appears',
		route: 'GET /customers.json',
		simplify: customerRows,
	}),
	polled('newsletterStatusChanged', {
		description: 'The status of a newsletter changes',
		route: 'GET /newsletters.json',
		simplify: isoTimes('created_at'),
		statusField: 'status',
		statuses: 'statuses',
	}),
	polled('payoutStatusChanged', {
		description: 'The status of a payout changes',
		route: 'GET /partners/payouts.json',
		narrowed: { by: partner, route: 'GET /partners/{partnerId}/payouts.json' },
		statusField: 'status',
		statuses: 'payoutStatuses',
	}),
	polled('registeredWebhookMissing', {
		description: 'A webhook that leads to this n8n is gone, or its URL or events have changed',
		route: 'GET /webhooks.json',
		isLoss: true,
	}),
	polled('paymentStatusChanged', {
		name: 'Subscription Payment Status Changed',
		description: 'The last payment status of a recurring subscription changes',
		route: 'GET /recurring-payments/subscriptions.json',
		simplify: named,
		statusField: 'last_payment_status',
		statuses: 'statuses',
	}),
	polled('workflowRunFinished', {
		name: 'Workflow Run Added or Changed',
		description: 'A trace of a Platform workflow appears, or its status changes',
		route: 'GET /workflow/{workflowId}/traces.json',
		statusField: 'status',
		statuses: 'statuses',
	}),
];

export const polledRoutes: Route[] = events.flatMap(({ route, narrowed }) => [
	route,
	...(narrowed ? [narrowed.route] : []),
]);
