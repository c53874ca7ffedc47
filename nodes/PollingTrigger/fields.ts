// The form of the trigger: the event, the list that it is looked for in, the statuses to report.
import { locator } from '../shared/pickers';
import type { Field } from '../shared/operation';
import { endpointOf } from '../shared/endpoints';
import { events, type PolledEvent } from './events';

const whoseStatuses = (name: string) => ({
	show: { event: events.filter(({ statuses }) => statuses === name).map(({ value }) => value) },
});

/** Events that are a row appearing, and not its status. */
const withoutStatus = events.flatMap(({ statusField, value }) => (statusField ? [] : [value]));

/** Fields that choose the list. */
export const targetFields: Field[] = [
	locator('workflows', {
		displayName: 'Workflow',
		name: 'workflowId',
		required: true,
		description: 'The workflow of the Platform whose runs to watch',
		placeholder: 'e.g. wfl_1024',
		displayOptions: { show: { event: ['workflowRunFinished'] } },
	}),
	locator('partners', {
		displayName: 'Partner',
		name: 'partnerId',
		description: 'The partner whose payouts to watch, those of all partners if empty',
		placeholder: 'e.g. prt_512',
		displayOptions: { show: { event: ['payoutStatusChanged'] } },
	}),
];

/** Fields that choose the statuses. */
export const statusFields: Field[] = [
	{
		displayName: 'Only Statuses',
		name: 'payoutStatuses',
		type: 'multiOptions',
		options: [
			{ name: 'Paid', value: 'paid' },
			{ name: 'Pending', value: 'pending' },
			{ name: 'Refused', value: 'refused' },
		],
		send: { type: 'list' },
		default: [],
		displayOptions: whoseStatuses('payoutStatuses'),
		description: 'The new statuses to report, all if none is chosen',
	},
	{
		displayName: 'Only Statuses',
		name: 'statuses',
		type: 'string',
		send: { type: 'list' },
		default: '',
		placeholder: 'e.g. failed, refused',
		displayOptions: whoseStatuses('statuses'),
		description:
			'The new statuses to report, as the service writes them, separated by commas; all if empty',
	},
];

const withScope = ({ description, route }: PolledEvent) =>
	`${description}. Needs the scope ${endpointOf(route).scope}.`;

const eventField: Field = {
	displayName: 'Event',
	name: 'event',
	type: 'options',
	noDataExpression: true,
	options: events.map((event) => ({
		name: event.name,
		value: event.value,
		description: withScope(event),
	})),
	default: 'paymentStatusChanged',
};

const notices: Field[] = [
	{
		displayName:
			'What appears for the first time is reported too, without a previous status. With Only Statuses set, something that leaves one of them starts an execution without items: n8n saves what a trigger has seen only together with an execution.',
		name: 'statusNotice',
		type: 'notice',
		default: '',
		displayOptions: { hide: { event: withoutStatus } },
	},
	{
		displayName:
			'The first poll reports nothing: it remembers how things stand. Each poll reads the whole list, 100 rows a request: 10,000 rows are 100 requests, 100,000 are 1,000. Choose the poll times accordingly.',
		name: 'pollNotice',
		type: 'notice',
		default: '',
	},
];

/** All fields of the form. */
export const fields: Field[] = [eventField, ...targetFields, ...statusFields, ...notices];
