// What can be watched: the list that each event is found in, and the field that it shows itself by.

/** An event that the service does not report by itself, so that its list is read again and again. */
export interface PolledEvent {
	name: string;
	value: string;
	description: string;
	/** Path template of the list; its parameters are fields of the form. */
	path: string;
	/** A shorter list, used when its parameter is set. */
	narrowed?: { by: string; path: string };
	scope: string;
	/** The field of a row whose change is the event; without one, a row that appears is the event. */
	statusField?: string;
	/** The field of the form that limits the statuses. */
	statuses?: 'statuses' | 'payoutStatuses';
}

export const events: PolledEvent[] = [
	{
		name: 'New Customer',
		value: 'newCustomer',
		description: 'A customer appears in the list of customers. Needs the scope customers:read.',
		path: '/customers.json',
		scope: 'customers:read',
	},
	{
		name: 'Newsletter Status Changed',
		value: 'newsletterStatusChanged',
		description: 'A newsletter was queued, for example. Needs the scope newsletters:read.',
		path: '/newsletters.json',
		scope: 'newsletters:read',
		statusField: 'status',
		statuses: 'statuses',
	},
	{
		name: 'Payout Status Changed',
		value: 'payoutStatusChanged',
		description: 'A payout to a partner was paid or refused. Needs the scope partner_payouts:read.',
		path: '/partners/payouts.json',
		narrowed: { by: 'partnerId', path: '/partners/{partnerId}/payouts.json' },
		scope: 'partner_payouts:read',
		statusField: 'status',
		statuses: 'payoutStatuses',
	},
	{
		name: 'Subscription Payment Status Changed',
		value: 'paymentStatusChanged',
		description:
			'The last payment of a recurring subscription has another status. Needs the scope recurring_subscriptions:read.',
		path: '/recurring-payments/subscriptions.json',
		scope: 'recurring_subscriptions:read',
		statusField: 'last_payment_status',
		statuses: 'statuses',
	},
	{
		name: 'Workflow Run Finished',
		value: 'workflowRunFinished',
		description:
			'A run of a workflow of the Platform appears among its traces, or its status changes. Needs the scope workflow_traces:read.',
		path: '/workflow/{workflowId}/traces.json',
		scope: 'workflow_traces:read',
		statusField: 'status',
		statuses: 'statuses',
	},
];
