// Scheduled events: appointments and automated actions (reference: core, Endpoints, Scheduler).
import { locator, openChoice } from '../shared/pickers';
import type { Field, Resource } from '../shared/operation';
import { clearable, replaceable } from '../shared/updates';

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

const actionType: Field = {
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
	description: 'What the event runs',
};

const workflowId = locator('workflows', {
	displayName: 'Workflow',
	name: 'workflowId',
	send: { as: 'action_details.workflow_id' },
	description: 'The Platform workflow to run',
	placeholder: 'e.g. wfl_1024',
});

const payload: Field = {
	displayName: 'Payload (JSON)',
	name: 'payload',
	type: 'json',
	default: '',
	placeholder: 'e.g. {"month": "2026-03"}',
	send: { as: 'action_details.payload' },
	description: 'Payload of the action as a JSON object',
};

const isAllDay: Field = {
	displayName: 'All Day',
	name: 'isAllDay',
	type: 'boolean',
	default: true,
	send: { as: 'is_all_day' },
	description: 'Whether the event lasts all day',
};

const color: Field = {
	displayName: 'Color',
	name: 'color',
	type: 'color',
	default: '',
	description: 'Color of the event',
};

const endDate: Field = {
	displayName: 'End',
	name: 'endDate',
	type: 'dateTime',
	default: '',
	send: { as: 'end_date' },
	description: 'When the event ends',
};

const recurrence: Field = {
	displayName: 'Recurrence',
	name: 'recurrence',
	type: 'fixedCollection',
	placeholder: 'Add recurrence',
	default: {},
	description: 'How the event repeats',
	options: [
		{
			displayName: 'Recurrence',
			name: 'rule',
			values: [
				openChoice('recurrenceTypes', {
					displayName: 'Unit',
					name: 'type',
					description: 'Unit of the interval, such as week or month',
					placeholder: 'e.g. week',
				}),
				{
					displayName: 'Interval',
					name: 'interval',
					type: 'number',
					default: 1,
					send: { type: 'integer' },
					description: 'How many units lie between two times, such as 2 for every second week',
				},
				{
					displayName: 'Last Day',
					name: 'endDate',
					type: 'dateTime',
					typeOptions: { dateOnly: true },
					default: '',
					send: { type: 'date' },
					description: 'Last day of the recurrence',
				},
			],
		},
	],
};

const ofAction = { show: { eventType: ['action'] } };
const ofWorkflow = { show: { eventType: ['action'], actionType: ['workflow'] } };

/** How a value is taken away is not shown (core, Scheduler). */
const removable = (field: Field, as: string): Field =>
	clearable(
		field,
		`Leave empty to remove it. This sends ${as}; the API reference doesn't show how.`,
	);

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
			makes: true,
			fields: [
				title,
				start,
				eventType,
				{ ...actionType, displayOptions: ofAction },
				{ ...workflowId, displayOptions: ofWorkflow },
				{ ...payload, displayOptions: ofAction },
				{
					displayName: 'Additional Fields',
					name: 'additionalFields',
					type: 'collection',
					placeholder: 'Add field',
					default: {},
					options: [isAllDay, endDate, recurrence, color],
				},
			],
		},
		{
			name: 'Delete',
			value: 'delete',
			action: 'Delete an event',
			description: 'Delete a scheduled event and return its ID',
			notice: "Deleting an event can't be undone.",
			route: 'DELETE /scheduler/events/{eventId}.json',
			fields: [eventId],
		},
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many events',
			description: 'Return the scheduled events in a range of days or times, with title and dates',
			route: 'GET /scheduler/events.json',
			envelope: true,
			fields: [
				{
					displayName: 'Start',
					name: 'start',
					type: 'dateTime',
					required: true,
					default: '',
					send: { type: 'dateOrDateTime' },
					description: 'Start of the range: a day, or a day and time. Midnight stands for the day.',
				},
				{
					displayName: 'End',
					name: 'end',
					type: 'dateTime',
					required: true,
					default: '',
					send: { type: 'dateOrDateTime' },
					description:
						'End of the range: a day, or a day and time. Midnight stands for the day, which is sent without a time.',
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
					options: [
						clearable(title),
						replaceable(eventType),
						replaceable(start),
						removable(endDate, 'null'),
						isAllDay,
						removable(recurrence, 'null'),
						removable(color, 'empty text'),
						actionType,
						replaceable(workflowId),
						payload,
					],
				},
			],
		},
	],
};
