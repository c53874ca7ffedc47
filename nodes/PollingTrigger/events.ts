// Events of the trigger: for each of them the list to poll, and the field to compare.
import type { IDataObject } from 'n8n-workflow';

import { locator, type Route } from '../api';
import { stateOf } from '../api/documentState';
import { customerRows, named } from '../api/simplify';
import { labelOf, type Field } from '../engine/form/fields';
import type { Simplify } from '../engine/form/operation';
import { isoTimes } from '../engine/form/simplify';

export interface GoneEvent {
	/** Fields to remember, which are output when the row is gone. */
	kept: string[];
	read?: { route: Route; parameter: string };
}

/** An event that the API doesn't report, so a list is polled for it. */
export interface PolledEvent {
	name: string;
	value: string;
	description: string;
	/** Route of the list. Its path parameters are fields of the form. */
	route: Route;
	/** The route reads a single record. The form has the IDs to watch. */
	readsById?: true;
	/** A shorter list, read when the field `by` is filled in. */
	narrowed?: { by: Field; route: Route };
	/** Only the output is simplified. Rows are compared raw. */
	simplify?: Simplify;
	/** The event is a change of this status, or a new row. Without it and the flags below, it's only a new row. */
	statusOf?: (row: IDataObject) => unknown;
	/** Field with the time at which the row was made. */
	timeField?: string;
	/** The event is a renewal of a subscription. Its status is that of the last payment. */
	isPayment?: true;
	/** The event is a change of any field. A new row isn't one. */
	isUpdate?: true;
	/** A new row is a change, too. */
	reportsNew?: true;
	/** The event is a missing row: a webhook of this n8n that isn't registered any more. */
	isLoss?: true;
	gone?: GoneEvent;
	/** Only saved workflows have it. Another event has taken its place. */
	isEarlier?: true;
}

export const partner = locator('partners', {
	name: 'partnerId',
	description: 'Watch only the payouts of this partner. If empty, all are watched.',
	placeholder: 'e.g. ptn-1',
	displayOptions: { show: { event: ['payoutStatusChanged'] } },
	send: { empty: 'refused' },
});

const field = (name: string) => (row: IDataObject) => row[name];

/** The name of `newCustomer` is `New Customer`. */
const polled = (
	value: string,
	about: Omit<PolledEvent, 'name' | 'value'> & { name?: string },
): PolledEvent => ({ name: labelOf(value), ...about, value });

export const events: PolledEvent[] = [
	polled('customerChanged', {
		description: 'Fields of a customer change',
		route: 'GET /customers.json',
		simplify: named,
		isUpdate: true,
	}),
	polled('customerNoLongerListed', {
		description: 'The list of customers lacks one in two polls, and the API no longer finds it',
		route: 'GET /customers.json',
		simplify: named,
		gone: {
			kept: ['id', 'external_id'],
			read: { route: 'GET /customers/{customerId}.json', parameter: 'customerId' },
		},
	}),
	polled('documentStatusChanged', {
		description: 'The state of one of the named documents changes, such as to ready or failed',
		route: 'GET /ai-gateway/knowledge-bases/{knowledgeBaseId}/documents/{documentId}.json',
		readsById: true,
		statusOf: (row) => stateOf(row) || null,
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
		statusOf: field('status'),
		timeField: 'created_at',
	}),
	polled('partnerChanged', {
		description: 'Fields of a partner change',
		route: 'GET /partners.json',
		simplify: named,
		isUpdate: true,
	}),
	polled('payoutStatusChanged', {
		description: 'The status of a payout changes',
		route: 'GET /partners/payouts.json',
		narrowed: { by: partner, route: 'GET /partners/{partnerId}/payouts.json' },
		statusOf: field('status'),
	}),
	polled('registeredWebhookMissing', {
		description: 'A webhook that leads to this n8n is gone, or its URL or events have changed',
		route: 'GET /webhooks.json',
		isLoss: true,
	}),
	polled('subscriptionChanged', {
		description: 'A recurring subscription is new, or its status or dates change',
		route: 'GET /recurring-payments/subscriptions.json',
		simplify: named,
		isUpdate: true,
		reportsNew: true,
	}),
	polled('subscriptionNoLongerListed', {
		description: 'The list of recurring subscriptions lacks one in two polls',
		route: 'GET /recurring-payments/subscriptions.json',
		simplify: named,
		gone: { kept: ['id', 'customerId', 'subscription_reference'] },
	}),
	polled('subscriptionPayment', {
		description: 'A recurring subscription is renewed, with the outcome of its payment',
		route: 'GET /recurring-payments/subscriptions.json',
		simplify: named,
		statusOf: field('last_payment_status'),
		isPayment: true,
	}),
	polled('paymentStatusChanged', {
		name: 'Subscription Payment Status Changed',
		description: 'The last payment status of a subscription changes',
		isEarlier: true,
		route: 'GET /recurring-payments/subscriptions.json',
		simplify: named,
		statusOf: field('last_payment_status'),
	}),
	polled('workflowRunFinished', {
		name: 'Workflow Run Added or Changed',
		description: 'A trace of a Platform workflow appears, or its status changes',
		route: 'GET /workflow/{workflowId}/traces.json',
		statusOf: field('status'),
		timeField: 'run_date',
	}),
];

export const polledRoutes: Route[] = events.flatMap(({ route, narrowed, gone }) => [
	route,
	...(narrowed ? [narrowed.route] : []),
	...(gone?.read ? [gone.read.route] : []),
]);
