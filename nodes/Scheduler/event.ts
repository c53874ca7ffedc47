// Scheduled events: appointments and automated actions (reference: core, Endpoints, Scheduler).
import { locator, openChoice } from '../shared/pickers';
import type { Field, Resource } from '../shared/operation';

const eventId = locator('schedulerEvents', {
	displayName: 'Event',
	name: 'eventId',
	required: true,
	description: 'The event to work with. The list shows events from 30 days ago to a year ahead.',
	placeholder: 'e.g. evt_1024',
});

const eventType = openChoice('schedulerEventTypes', {
	displayName: 'Event Type',
	name: 'eventType',
	send: { as: 'event_type' },
	description: 'Type of the event, such as appointment or action',
	placeholder: 'e.g. appointment',
});

const title: Field = {
	displayName: 'Title',
	name: 'title',
	type: 'string',
	default: '',
	placeholder: 'e.g. Account review',
	description: 'Title of the event',
};

const start: Field = {
	displayName: 'Start',
	name: 'scheduleDate',
	type: 'dateTime',
	default: '',
	send: { as: 'schedule_date' },
	description: 'When the event starts',
};

/** What create and update both take, in the form's order. */
const details: Field[] = [
	{
		displayName: 'Action Type',
		name: 'actionType',
		type: 'options',
		default: 'workflow',
		send: { as: 'action_type' },
		options: [
			{ name: 'Charge', value: 'charge' },
			{ name: 'Job Runner', value: 'job_runner' },
			{ name: 'Workflow', value: 'workflow' },
		],
		description: 'What the event runs if its type is action. For a workflow, add Workflow too.',
	},
	{
		displayName: 'All Day',
		name: 'isAllDay',
		type: 'boolean',
		default: true,
		send: { as: 'is_all_day' },
		description: 'Whether the event lasts all day',
	},
	{
		displayName: 'Color',
		name: 'color',
		type: 'color',
		default: '',
		description: 'Color of the event',
	},
	{
		displayName: 'End',
		name: 'endDate',
		type: 'dateTime',
		default: '',
		send: { as: 'end_date' },
		description: 'When the event ends',
	},
	{
		displayName: 'Payload (JSON)',
		name: 'payload',
		type: 'json',
		default: '{}',
		send: { as: 'action_details.payload' },
		description: 'Payload of the action as a JSON object',
	},
	{
		displayName: 'Recurrence End',
		name: 'recurrenceEnd',
		type: 'dateTime',
		typeOptions: { dateOnly: true },
		default: '',
		send: { as: 'recurrence.endDate', type: 'date' },
		description: 'Last day of the recurrence',
	},
	{
		displayName: 'Recurrence Interval',
		name: 'recurrenceInterval',
		type: 'number',
		default: 1,
		send: { as: 'recurrence.interval', type: 'integer' },
		description: 'Interval of the recurrence, such as 2 for every second week',
	},
	openChoice('recurrenceTypes', {
		displayName: 'Recurrence Type',
		name: 'recurrenceType',
		send: { as: 'recurrence.type' },
		description: 'Unit of the recurrence',
		placeholder: 'e.g. week',
	}),
	locator('workflows', {
		displayName: 'Workflow',
		name: 'workflowId',
		send: { as: 'action_details.workflow_id' },
		description: 'The Platform workflow to run',
		placeholder: 'e.g. wfl_1024',
	}),
];

export const event: Resource = {
	name: 'Event',
	value: 'event',
	operations: [
		{
			name: 'Create',
			value: 'create',
			action: 'Create an event',
			description: 'Schedule an event and return its ID, event type and action type',
			route: 'POST /scheduler/events.json',
			root: 'event',
			fields: [
				eventType,
				title,
				start,
				{
					displayName: 'Additional Fields',
					name: 'additionalFields',
					type: 'collection',
					placeholder: 'Add field',
					default: {},
					options: details,
				},
			],
		},
		{
			name: 'Delete',
			value: 'delete',
			action: 'Delete an event',
			description: 'Delete a scheduled event',
			notice: "Deleting an event can't be undone.",
			route: 'DELETE /scheduler/events/{eventId}.json',
			fields: [eventId],
		},
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many events',
			description: 'Return the scheduled events in a date range',
			route: 'GET /scheduler/events.json',
			fields: [
				{
					displayName: 'Start',
					name: 'start',
					type: 'dateTime',
					typeOptions: { dateOnly: true },
					required: true,
					default: '',
					send: { type: 'date' },
					description: 'First day of the range. Any time of day is ignored.',
				},
				{
					displayName: 'End',
					name: 'end',
					type: 'dateTime',
					typeOptions: { dateOnly: true },
					required: true,
					default: '',
					send: { type: 'date' },
					description: 'Last day of the range. Any time of day is ignored.',
				},
			],
		},
		{
			name: 'Update',
			value: 'update',
			action: 'Update an event',
			description: 'Update an event and return its ID and title. Only the fields you add are sent.',
			route: 'PUT /scheduler/events/{eventId}.json',
			root: 'event',
			fields: [
				eventId,
				{
					displayName: 'Update Fields',
					name: 'updateFields',
					type: 'collection',
					placeholder: 'Add field',
					default: {},
					options: [...details, eventType, start, title],
				},
			],
		},
	],
};
