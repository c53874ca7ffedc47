// Scheduled events: appointments and automated actions (reference: core, Endpoints, Scheduler).
import type { INodePropertyOptions } from 'n8n-workflow';

import { create, getMany, locator, openChoice, remove, update } from '../api';
import { clearable } from '../api/updates';
import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { recordOf } from '../engine/base/data';
import {
	additionalFields,
	choice,
	date,
	json,
	notice,
	number,
	row,
	text,
	toggle,
	updateFields,
	type Field,
} from '../engine/form/fields';
import { resource } from '../engine/form/operation';

const eventId = locator('schedulerEvents', {
	name: 'eventId',
	required: true,
	description: 'Use By ID if it is over 30 days old or over a year ahead',
	placeholder: 'e.g. evt-1',
});

const eventType = openChoice('schedulerEventTypes', {
	name: 'eventType',
	send: { as: 'event_type', empty: 'refusedInForm' },
	placeholder: 'e.g. appointment',
});

const title = text({
	name: 'title',
	placeholder: 'e.g. Account review',
});

const start = date({
	displayName: 'Start',
	name: 'scheduleDate',
	send: { as: 'schedule_date', empty: 'refused' },
});

const actions: INodePropertyOptions[] = [
	{
		name: 'Charge',
		value: 'charge',
		description: 'May charge a customer, each time the event repeats',
	},
	{ name: 'Job Runner', value: 'job_runner' },
	{ name: 'None', value: '' },
	{ name: 'Workflow', value: 'workflow' },
];

const actionType = choice({
	name: 'actionType',
	send: { as: 'action_type', empty: 'refusedInForm' },
	options: actions,
});

const workflowId = locator('workflows', {
	name: 'workflowId',
	send: { as: 'action_details.workflow_id', empty: 'refused' },
	placeholder: 'e.g. wfl-1',
});

const payload = json({
	name: 'payload',
	default: '',
	placeholder: 'e.g. {"month": "2026-03"}',
	send: { as: 'action_details.payload', empty: 'refused' },
	description: 'A JSON object for the action',
});

const isAllDay = toggle({
	displayName: 'All Day',
	name: 'isAllDay',
	default: true,
	send: { as: 'is_all_day', empty: 'refused' },
	description: 'Whether the event lasts all day',
});

const color: Field = {
	displayName: 'Color',
	name: 'color',
	type: 'color',
	default: '',
};

const endDate = date({
	displayName: 'End',
	name: 'endDate',
	send: { as: 'end_date', empty: 'refused' },
});

const recurrence = row({
	name: 'recurrence',
	send: { empty: 'refused' },
	row: { displayName: 'Recurrence', name: 'rule' },
	values: [
		openChoice('recurrenceTypes', {
			displayName: 'Unit',
			name: 'type',
			required: true,
			placeholder: 'e.g. week',
		}),
		number({
			name: 'interval',
			required: true,
			typeOptions: { minValue: 1 },
			default: 1,
			send: { type: 'integer' },
			description: '2 for every second week',
		}),
		date({
			displayName: 'Last Day',
			name: 'endDate',
			typeOptions: { dateOnly: true },
			send: { type: 'date', empty: 'refused' },
		}),
	],
});

/** Shown for all types but appointments: your company's own types may run an action too. */
const ofAction = { hide: { eventType: ['', 'appointment'] } };
const ofWorkflow = { ...ofAction, show: { actionType: ['workflow'] } };

/** An update may replace `action_details` (Workflow and Payload), and the API can't read an event to fill in the other. */
const sentWhole = (other: string) => `Add ${other} too: it may get lost otherwise`;

/** The reference shows no way to remove a value (core, Scheduler), so the form says what is sent for an empty one (`as`). */
const removable = (field: Field, as: string, more = ''): Field =>
	clearable(field, `If left empty, ${as} is sent${more}`);

const isDay = (date: unknown) => String(date).length === '2026-03-01'.length;

/** Milliseconds from a day's midnight in UTC until the day has ended in the last time zone (UTC-12). */
const END_OF_DAY = 36 * 60 * 60 * 1000;

/** @throws FieldFault if Start and End are set and End is before Start */
function checkOrder(start: unknown, end: unknown): void {
	// If only one is a day, it has no time zone: the other may lie in that day wherever it hasn't ended.
	const slack = isDay(start) === isDay(end) ? 0 : END_OF_DAY;
	// A date that isn't set is NaN, which isn't before anything.
	if (Date.parse(String(end)) + slack < Date.parse(String(start))) {
		throw new FieldFault('End', 'must not be before Start');
	}
}

function checkDates({ body }: ApiRequest): void {
	const { schedule_date: start, end_date: end } = recordOf(body?.event);
	checkOrder(start, end);
}

/** Nothing says when a charge without a start would be made. An event that is updated may have one. */
function checkNew(request: ApiRequest): void {
	const { action_type: action, schedule_date: at } = recordOf(request.body?.event);
	if (action === 'charge' && at === undefined) {
		const fault = `must not be empty if ${actionType.displayName} is Charge`;
		throw new FieldFault(start.displayName, fault);
	}
	checkDates(request);
}

export const event = resource('event', {
	description: 'Appointments and automated actions',
	ids: [eventId],
	operations: [
		create({
			action: 'Create an event',
			sequential: true,
			description: 'Schedule an event and return its ID, event type and action type',
			route: 'POST /scheduler/events.json',
			check: checkNew,
			root: 'event',
			makes: true,
			fields: [
				title,
				start,
				eventType,
				{ ...actionType, displayOptions: ofAction },
				{
					...notice('The event may charge a customer, each time it repeats'),
					displayOptions: { ...ofAction, show: { actionType: ['charge'] } },
				},
				{ ...workflowId, displayOptions: ofWorkflow },
				{ ...payload, displayOptions: { hide: { ...ofAction.hide, actionType: [''] } } },
				additionalFields([isAllDay, endDate, recurrence, color]),
			],
		}),
		remove({
			action: 'Delete an event',
			description: 'Delete a scheduled event and return its ID',
			route: 'DELETE /scheduler/events/{eventId}.json',
		}),
		getMany({
			action: 'Get many events',
			description: 'Return the scheduled events in a range of days or times, with title and dates',
			route: 'GET /scheduler/events.json',
			check: ({ query }) => checkOrder(query?.start, query?.end),
			fields: [
				date({
					name: 'start',
					required: true,
					default: '={{ $today }}',
					send: { type: 'dateOrDateTime' },
					description:
						'A day such as 2026-03-01, or midnight without a time zone. Else it is a moment.',
				}),
				date({
					name: 'end',
					required: true,
					default: '={{ $today.plus(30, "days") }}',
					send: { type: 'dateOrDateTime' },
					description: 'A day or a moment, as in Start',
				}),
			],
		}),
		update({
			action: 'Update an event',
			sequential: true,
			description: 'Update an event and return its ID and title. Only the fields you add are sent.',
			route: 'PUT /scheduler/events/{eventId}.json',
			check: checkDates,
			root: 'event',
			fields: [
				updateFields([
					clearable(title),
					eventType,
					start,
					removable(endDate, 'null'),
					isAllDay,
					removable(recurrence, 'null', '. Else it is sent whole.'),
					removable(color, 'empty text'),
					{
						...actionType,
						default: 'workflow',
						options: actions.filter(({ value }) => value !== ''),
					},
					{ ...workflowId, description: sentWhole(payload.displayName) },
					{ ...payload, description: sentWhole(workflowId.displayName) },
				]),
			],
		}),
	],
});
