/** Scheduled events and actions. Reference: 'Scheduler'. */
import { queryText, type Area, type Call } from '../area.cts';
import { Collection } from '../collection.cts';
import { refuse, type Refusal } from '../refusals.cts';
import { dateAfter } from '../seeds/people.cts';

const actionTypes = ['charge', 'job_runner', 'workflow'];

interface EventFields {
	event_type: string;
	title: string;
	schedule_date: string;
	end_date: string;
	is_all_day: boolean;
	color: string;
	action_type: string;
	action_details: { workflow_id?: string; payload?: Record<string, unknown> };
	recurrence: { type: string; interval: number; endDate?: string };
}

interface SchedulerEvent extends Partial<EventFields> {
	id: string;
}

export interface SchedulerState {
	events: Collection<SchedulerEvent>;
}

type EventBody = { event?: Partial<EventFields> } | undefined;

/** The documented refusal of an unknown action type; another one for all else. */
function invalid(call: Call): Refusal {
	const type = (call.body as EventBody)?.event?.action_type;
	const isBad = type !== undefined && !actionTypes.includes(type);
	return refuse(isBad ? 'badActionType' : 'invalidRequest');
}

/** Refuses an action without an allowed type. */
function checkAction(event: Partial<EventFields>): void {
	const { event_type, action_type } = event;
	const isMissing = event_type === 'action' && action_type === undefined;
	if (isMissing || (action_type !== undefined && !actionTypes.includes(action_type))) {
		throw refuse('badActionType');
	}
}

const eventOf = ({ state, params }: Call): SchedulerEvent =>
	state.scheduler.events.need(params.eventId, 'notFound', 'Event not found');

/** Milliseconds since the epoch; a date without a time ends with its day when it is an end. */
function moment(text: string, isEnd: boolean): number {
	const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text);
	const value = Date.parse(isDate ? `${text}T${isEnd ? '23:59:59.999' : '00:00:00'}Z` : text);
	if (Number.isNaN(value)) throw refuse('invalidRequest', 'start and end must be dates');
	return value;
}

/** An event and its repetitions up to a moment. */
function occurrencesOf(event: SchedulerEvent, until: number): SchedulerEvent[] {
	const { schedule_date, end_date, recurrence } = event;
	const begins = Date.parse(schedule_date ?? '');
	if (!recurrence || Number.isNaN(begins)) return [event];
	const length = Date.parse(end_date ?? schedule_date ?? '') - begins;
	const last = Math.min(until, moment(recurrence.endDate ?? '9999-12-31', true));
	const found: SchedulerEvent[] = [];
	for (let time = 0; found.length < 100; time += 1) {
		const date = new Date(begins);
		const steps = time * (recurrence.interval || 1);
		if (recurrence.type === 'week') date.setUTCDate(date.getUTCDate() + 7 * steps);
		else date.setUTCMonth(date.getUTCMonth() + steps);
		if (time > 0 && date.getTime() > last) return found;
		const ends = new Date(date.getTime() + length);
		found.push({ ...event, schedule_date: date.toISOString(), end_date: ends.toISOString() });
	}
	return found;
}

export const scheduler: Area<SchedulerState> = {
	seed({ today }) {
		const events = new Collection<SchedulerEvent>();
		for (let index = 0; index < 24; index += 1) {
			const day = dateAfter(today, index * 3 - 24);
			const isAction = index % 3 === 2;
			events.add({
				id: `evt-${index + 1}`,
				event_type: isAction ? 'action' : 'appointment',
				title: isAction ? 'Send monthly usage report' : 'Account review',
				schedule_date: `${day}T09:00:00+00:00`,
				end_date: `${day}T10:00:00+00:00`,
				is_all_day: false,
				color: isAction ? '#c2410c' : '#0f766e',
				...(isAction && {
					action_type: 'workflow',
					action_details: { workflow_id: 'wfl-4', payload: { month: day.slice(0, 7) } },
					recurrence: { type: 'month', interval: 1, endDate: dateAfter(today, 365) },
				}),
			});
		}
		return { events };
	},

	endpoints: {
		'GET /scheduler/events.json': (call) => {
			const start = queryText(call, 'start') ?? '';
			const end = queryText(call, 'end') ?? '';
			const from = moment(start, false);
			const to = moment(end, true);
			const unfolds = call.world.recurrences !== 'one row';
			const events = call.state.scheduler.events.rows
				.flatMap((event) => (unfolds ? occurrencesOf(event, to) : [event]))
				.filter(({ schedule_date, end_date }) => {
					const begins = Date.parse(schedule_date ?? '');
					const ends = Date.parse(end_date ?? schedule_date ?? '');
					return begins <= to && ends >= from;
				});
			const range =
				call.world.schedulerRange === 'as asked'
					? { start, end }
					: { start: new Date(from).toISOString(), end: new Date(to).toISOString() };
			return { status: 'fetch', count: events.length, range, events };
		},

		'POST /scheduler/events.json': {
			invalid,
			handle: (call) => {
				const { event: input } = call.body as { event: Partial<EventFields> };
				checkAction(input);
				const event = call.state.scheduler.events.add({ ...input, id: call.newId('evt') });
				const { id, event_type, action_type } = event;
				return { id, event: { id, event_type, action_type } };
			},
		},

		'PUT /scheduler/events/{eventId}.json': {
			invalid,
			handle: (call) => {
				const { event: input } = call.body as { event: Partial<EventFields> };
				const { id } = eventOf(call);
				checkAction({ ...eventOf(call), ...input });
				const event = call.state.scheduler.events.update(id, { ...input, id });
				return { id, event: { id, title: event.title } };
			},
		},

		'DELETE /scheduler/events/{eventId}.json': (call) =>
			call.state.scheduler.events.deleted(eventOf(call)),
	},
};
