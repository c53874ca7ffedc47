// Form of the trigger: the event, the list to poll and the statuses to report.
import { endpointOf, locator } from '../api';
import { choice, text, toggle, type Field, type Send } from '../engine/form/fields';
import { simplifyField } from '../engine/form/simplify';
import { events, partner, type PolledEvent } from './events';

const valuesOf = (isMeant: (event: PolledEvent) => unknown) =>
	events.filter(isMeant).map(({ value }) => value);

export const namedField = text({
	name: 'documentIds',
	required: true,
	placeholder: 'e.g. ado-1, ado-2',
	send: { type: 'list', setting: true },
	displayOptions: { show: { event: ['documentStatusChanged'] } },
	description: 'Comma-separated IDs, or an array from an expression',
});

/** A filter that gives nothing would report all that it should leave out. */
const FILTER: Send = { type: 'list', setting: true, empty: 'refused' };

const optionOf = (event: PolledEvent) => ({
	name: event.name,
	value: event.value,
	// Entry of n8n's node panel.
	action: `On ${event.name.toLowerCase()}`,
	description: `${event.description}. Needs the scope ${endpointOf(event.route).scope}.`,
});

/** All events. Version 1 of the node has them. */
export const eventField = choice({
	name: 'event',
	noDataExpression: true,
	options: events.map(optionOf),
	default: 'paymentStatusChanged',
	send: false,
	description: 'Each poll reads the whole list, 100 rows a request',
});

export const fields: Field[] = [
	{
		...eventField,
		options: events.filter(({ isEarlier }) => !isEarlier).map(optionOf),
		default: 'subscriptionPayment',
		displayOptions: { hide: { '@version': [1] } },
	},
	{ ...eventField, displayOptions: { show: { '@version': [1] } } },
	locator('knowledgeBases', {
		name: 'knowledgeBaseId',
		required: true,
		placeholder: 'e.g. akb-1',
		displayOptions: { show: { event: ['documentStatusChanged'] } },
	}),
	locator('workflows', {
		name: 'workflowId',
		required: true,
		placeholder: 'e.g. wfl-1',
		displayOptions: { show: { event: ['workflowRunFinished'] } },
	}),
	partner,
	namedField,
	// Other receivers of the company have webhooks, too.
	text({
		displayName: 'URL Starts With',
		name: 'urlStart',
		required: true,
		default: "={{ $execution.resumeUrl.split('webhook-waiting')[0] + 'webhook/' }}",
		placeholder: 'e.g. https://n8n.example.com/webhook/',
		displayOptions: { show: { event: ['registeredWebhookMissing'] } },
		send: { setting: true },
		description:
			'By default, the webhooks of this n8n. Those of unpublished workflows are reported too.',
	}),
	{
		displayName: 'Filter by Status',
		name: 'payoutStatuses',
		type: 'multiOptions',
		options: [
			{ name: 'Paid', value: 'paid' },
			{ name: 'Pending', value: 'pending' },
			{ name: 'Refused', value: 'refused' },
		],
		send: FILTER,
		default: [],
		displayOptions: { show: { event: ['payoutStatusChanged'] } },
		description: 'Only these new statuses. New records count as changed too.',
	},
	text({
		displayName: 'Filter by Status',
		name: 'statuses',
		send: FILTER,
		placeholder: 'e.g. failed, refused',
		displayOptions: {
			show: {
				event: valuesOf(({ statusOf, value }) => statusOf && value !== 'payoutStatusChanged'),
			},
		},
		description: 'Only these new statuses, separated by commas. New records count as changed too.',
	}),
	text({
		displayName: 'Fields to Watch',
		name: 'watchedFields',
		send: FILTER,
		placeholder: 'e.g. email, tags',
		displayOptions: {
			show: { event: valuesOf(({ isUpdate, reportsNew }) => isUpdate && !reportsNew) },
		},
		description: 'Only changes of these, separated by commas, with the names in the output',
	}),
	{
		displayName: 'Fields to Watch',
		name: 'subscriptionFields',
		type: 'multiOptions',
		options: [
			{ name: 'Customer', value: 'customer_id' },
			{ name: 'Last Payment Status', value: 'last_payment_status' },
			{ name: 'Next Renewal', value: 'next_renew' },
			{ name: 'Reference', value: 'subscription_reference' },
			{ name: 'Status', value: 'status' },
		],
		send: FILTER,
		default: ['next_renew', 'subscription_reference', 'status'],
		displayOptions: { show: { event: ['subscriptionChanged'] } },
		description: 'Only changes of these. If empty, of all. New subscriptions are always reported.',
	},
	toggle({
		displayName: 'Include Existing Rows',
		name: 'includeExisting',
		displayOptions: {
			hide: { event: valuesOf(({ isLoss, isUpdate, gone }) => isLoss ?? isUpdate ?? gone) },
		},
		send: { setting: true },
		description: 'Whether the first poll reports the rows that are there already',
	}),
	{
		...simplifyField,
		send: { setting: true },
		displayOptions: { show: { event: valuesOf(({ simplify }) => simplify) } },
	},
];

export const filterNames = fields.filter(({ send }) => send === FILTER).map(({ name }) => name);
