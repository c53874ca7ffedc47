// Lists that Platform Polling Trigger watches: how a row of each is changed, or added, at the sandbox.
import type { INodeParameters } from 'n8n-workflow';
import type { Sandbox } from '../sandbox/index.cts';

/** What is expected of an item, beside the row. */
export interface Report {
	id: string;
	status?: string;
	previousStatus?: string | null;
	changed?: string[];
	isNew?: boolean;
}

export interface WatchedList {
	event: string;
	/** What the form needs beside the event. */
	parameters?: INodeParameters;
	/** The list as the reference names it. */
	path: string;
	/** Changes one row, where that is reported. */
	change?: (sandbox: Sandbox) => Report;
	/** Adds a row, where that is reported. */
	add?: (sandbox: Sandbox) => Report;
}

/** Makes something that is reported: a new row, where that is. */
export function newsOf({ add, change }: WatchedList): (sandbox: Sandbox) => Report {
	const news = add ?? change;
	if (news === undefined) throw new Error('nothing of this list is reported');
	return news;
}

let last = 0;
export const serial = () => `added-${++last}`;

export const runs = { workflowId: { __rl: true, mode: 'id', value: 'wfl-1' } };

const customersOf = ({ state }: Sandbox) => state.customers.customers;

export function addCustomer(sandbox: Sandbox): Report {
	const customers = customersOf(sandbox);
	const id = serial();
	const email = `${id}@example.com`;
	customers.add({ ...customers.rows[0], id, email, externalId: id, subscriptions: [] });
	return { id };
}

const tracesOf = ({ state }: Sandbox) => state.workflows.traces.get('wfl-1')!;

export const watchedLists: WatchedList[] = [
	{
		event: 'newCustomer',
		path: '/customers.json',
		add: addCustomer,
	},
	{
		event: 'customerChanged',
		path: '/customers.json',
		change(sandbox) {
			const customers = customersOf(sandbox);
			const { id, address } = customers.rows[customers.size - 2];
			customers.update(id, {
				email: `${serial()}@example.com`,
				address: { ...address, city: serial() },
			});
			return { id, changed: ['address.city', 'email'] };
		},
	},
	{
		event: 'partnerChanged',
		path: '/partners.json',
		change({ state }) {
			const { partners } = state.partners;
			const { id } = partners.rows[partners.size - 1];
			partners.update(id, { tags: [serial()] });
			return { id, changed: ['tags'] };
		},
	},
	{
		event: 'paymentStatusChanged',
		path: '/recurring-payments/subscriptions.json',
		change({ state }) {
			const { subscriptions } = state.subscriptions;
			const row = subscriptions.rows[subscriptions.size - 2];
			const { id, recurringId, last_payment_status: previousStatus } = row;
			const status = previousStatus === 'paid' ? 'failed' : 'paid';
			subscriptions.update(id, { last_payment_status: status });
			return { id: recurringId, status, previousStatus };
		},
		add({ state }) {
			const { subscriptions } = state.subscriptions;
			const [recurringId, status] = [serial(), 'pending'];
			const row = { ...subscriptions.rows[0], id: `sub-${recurringId}`, recurringId };
			subscriptions.add({ ...row, last_payment_status: status });
			return { id: recurringId, status, previousStatus: null };
		},
	},
	{
		event: 'subscriptionPayment',
		path: '/recurring-payments/subscriptions.json',
		change({ state }) {
			const { subscriptions } = state.subscriptions;
			const row = subscriptions.rows[subscriptions.size - 2];
			const { id, recurringId, renews_on, last_payment_status: status } = row;
			const next = new Date(Date.parse(renews_on) + 30 * 24 * 3600 * 1000);
			subscriptions.update(id, { renews_on: next.toISOString().slice(0, 10) });
			return { id: recurringId, status, previousStatus: status };
		},
		add({ state }) {
			const { subscriptions } = state.subscriptions;
			const [recurringId, status] = [serial(), 'pending'];
			const row = { ...subscriptions.rows[0], id: `sub-${recurringId}`, recurringId };
			subscriptions.add({ ...row, last_payment_status: status });
			return { id: recurringId, status, previousStatus: null };
		},
	},
	{
		event: 'subscriptionChanged',
		path: '/recurring-payments/subscriptions.json',
		change({ state }) {
			const { subscriptions } = state.subscriptions;
			const { id, recurringId, status } = subscriptions.rows[subscriptions.size - 2];
			subscriptions.update(id, { status: status === 'dismiss' ? 'active' : 'dismiss' });
			return { id: recurringId, changed: ['status'], isNew: false };
		},
		add({ state }) {
			const { subscriptions } = state.subscriptions;
			const recurringId = serial();
			subscriptions.add({ ...subscriptions.rows[0], id: `sub-${recurringId}`, recurringId });
			const changed = ['next_renewal_date', 'status', 'subscription_reference'];
			return { id: recurringId, changed, isNew: true };
		},
	},
	{
		event: 'workflowRunFinished',
		parameters: runs,
		path: '/workflow/wfl-1/traces.json',
		change(sandbox) {
			const traces = tracesOf(sandbox);
			const { id, status: previousStatus } = traces.rows[traces.size - 1];
			const status = `${previousStatus} again`;
			traces.update(id, { status });
			return { id, status, previousStatus };
		},
		add(sandbox) {
			const traces = tracesOf(sandbox);
			const [id, status] = [serial(), 'executed'];
			traces.add({ ...traces.rows[0], id, status }, 'front');
			return { id, status, previousStatus: null };
		},
	},
	{
		event: 'payoutStatusChanged',
		path: '/partners/payouts.json',
		change({ state }) {
			const { payouts } = state.payouts;
			const { id, status: previousStatus } = payouts.rows[payouts.size - 1];
			const status = previousStatus === 'paid' ? 'refused' : 'paid';
			payouts.update(id, { status });
			return { id, status, previousStatus };
		},
		add({ state }) {
			const { payouts } = state.payouts;
			const id = serial();
			payouts.add({ ...payouts.rows[0], id, status: 'pending' }, 'front');
			return { id, status: 'pending', previousStatus: null };
		},
	},
	{
		event: 'newsletterStatusChanged',
		path: '/newsletters.json',
		change({ state }) {
			const { newsletters } = state.newsletters;
			const { id, status: previousStatus } = newsletters.rows[newsletters.size - 1];
			const status = previousStatus === 'draft' ? 'queued' : 'draft';
			newsletters.update(id, { status });
			return { id, status, previousStatus };
		},
		add({ state }) {
			const { newsletters } = state.newsletters;
			const id = serial();
			newsletters.add({ ...newsletters.rows[0], id, status: 'draft' }, 'front');
			return { id, status: 'draft', previousStatus: null };
		},
	},
];

/** The list of an event. */
export const watchedBy = (event: string) => watchedLists.find((list) => list.event === event)!;
