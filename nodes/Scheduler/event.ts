// Scheduled events: appointments and automated actions (reference: core, Endpoints, Scheduler).
import { locator, openChoice } from '../shared/pickers';
import type { Field, Resource } from '../shared/operation';

const eventId = locator('schedulerEvents', {
	displayName: 'Event',
	name: 'eventId',
	required: true,
	description: 'The event to work with; the list shows those from 30 days ago to a year ahead',
	placeholder: 'e.g. evt_1024',
});

const eventType = openChoice('schedulerEventTypes', {
	displayName: 'Event Type',
	name: 'eventType',
	send: { as: 'event_type' },
	description: 'Kind of event: an appointment, or an action that runs by itself',
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
		description: 'What an event of the type action does. For a workflow, choose the workflow too.',
	},
	{
		displayName: 'All Day',
		name: 'isAllDay',
		type: 'boolean',
		default: true,
		send: { as: 'is_all_day' },
		description: 'Whether the event takes the whole day',
	},
	{
		displayName: 'Color',
		name: 'color',
		type: 'color',
		default: '',
		description: 'Color of the event in the calendar',
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
		description: 'Data that the action starts with, as a JSON object',
	},
	{
		displayName: 'Recurrence End',
		name: 'recurrenceEnd',
		type: 'dateTime',
		typeOptions: { dateOnly: true },
		default: '',
		send: { as: 'recurrence.endDate', type: 'date' },
		description: 'Day after which the event does not repeat any more',
	},
	{
		displayName: 'Recurrence Interval',
		name: 'recurrenceInterval',
		type: 'number',
		default: 1,
		send: { as: 'recurrence.interval', type: 'integer' },
		description:
			'After how many weeks, months or other units of the recurrence type the event repeats',
	},
	openChoice('recurrenceTypes', {
		displayName: 'Recurrence Type',
		name: 'recurrenceType',
		send: { as: 'recurrence.type' },
		description: 'Unit in which the event repeats',
		placeholder: 'e.g. week',
	}),
	locator('workflows', {
		displayName: 'Workflow',
		name: 'workflowId',
		send: { as: 'action_details.workflow_id' },
		description: 'Workflow of the Platform that the action runs',
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
			description: 'Schedule an appointment or an action and return its ID, event and action type',
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
			notice: 'Deleting an event cannot be undone.',
			route: 'DELETE /scheduler/events/{eventId}.json',
			fields: [eventId],
		},
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many events',
			description: 'Return the scheduled events of a range of days',
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
					description: 'First day of the range; a time of day is left out',
				},
				{
					displayName: 'End',
					name: 'end',
					type: 'dateTime',
					typeOptions: { dateOnly: true },
					required: true,
					default: '',
					send: { type: 'date' },
					description: 'Last day of the range; a time of day is left out',
				},
			],
		},
		{
			name: 'Update',
			value: 'update',
			action: 'Update an event',
			description: 'Change fields of an event; what you leave out stays as it is',
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
