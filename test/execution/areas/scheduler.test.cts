// Platform Scheduler: appointments and automated actions.
import { areaOf, byId } from '../host/run.cts';

const { sandbox, run, bodies } = areaOf('platformScheduler');

const events = () => sandbox().state.scheduler.events;
const chosen = (value: string) => ({ __rl: true, mode: 'list', value });

const action = {
	action_type: 'workflow',
	action_details: { workflow_id: 'wfl-4', payload: { month: '2026-03' } },
};

const byWorkflow = {
	actionType: 'workflow',
	workflowId: byId('wfl-4'),
	payload: '{"month": "2026-03"}',
};

test.each([
	['appointment', byWorkflow, {}],
	['action', byWorkflow, action],
	['backup', byWorkflow, action],
	['action', {}, {}],
	['backup', {}, {}],
])('an event of the type %s with %j is sent with %j', async (type, form, more) => {
	await run('event.create', { eventType: chosen(type), title: 'Review', ...form });
	expect(bodies()).toEqual([{ event: { event_type: type, title: 'Review', ...more } }]);
});

test.each([
	['event.create', {}],
	['event.update', { eventId: byId('evt-1') }],
])('%s, which may charge, has Safety Limits and goes one by one', async (operation, ids) => {
	const fields = { title: 'Review', updateFields: { title: 'Review' }, ...ids };
	const items = [{}, {}, {}];
	const limited = await run(operation, { ...fields, safetyLimits: { maxItems: 2 } }, { items });
	expect(limited.error?.message).toContain('Max Items is 2');
	expect(sandbox().requests).toEqual([]);
	await run(operation, { ...fields, safetyLimits: { maxItems: 3 } }, { items });
	expect(sandbox().requests.map(({ inFlight }) => inFlight)).toEqual([1, 1, 1]);
});

test('a new node lists the next 30 days', async () => {
	const { error } = await run('event.getAll');
	expect(error).toBeUndefined();
	const query = new URLSearchParams(sandbox().requests[0].path.split('?')[1]);
	const [start, end] = ['start', 'end'].map((name) => String(query.get(name)));
	expect(start).toMatch(/^\d{4}-\d\d-\d\d$/);
	expect(Date.parse(end) - Date.parse(start)).toBe(30 * 24 * 60 * 60 * 1000);
});

test('the events of a range of times are listed', async () => {
	events().add({
		id: 'evt-morning',
		event_type: 'appointment',
		title: 'Morning',
		schedule_date: '2032-05-02T08:00:00+00:00',
		end_date: '2032-05-02T08:30:00+00:00',
	});
	const read = async (start: string, end: string) => {
		const form = { start, end, returnAll: true };
		const { items } = await run('event.getAll', form, { timezone: 'Europe/Berlin' });
		return items.map(({ json }) => json.id);
	};
	expect(await read('2032-05-02T09:00:00', '2032-05-02T12:00:00')).toEqual(['evt-morning']);
	expect(await read('2032-05-02T11:00:00', '2032-05-02T12:00:00')).toEqual([]);
	const query = new URLSearchParams(sandbox().requests[0].path.split('?')[1]);
	expect(query.get('start')).toBe('2032-05-02T09:00:00+02:00');
});

test('items of one execution get the events of their own range', async () => {
	const days = ['2033-01-10', '2033-02-10', '2033-01-10'];
	for (const day of new Set(days)) {
		events().add({
			id: `evt-${day}`,
			event_type: 'appointment',
			title: day,
			schedule_date: `${day}T08:00:00+00:00`,
		});
	}
	const form = { start: '={{ $json.day }}', end: '={{ $json.day }}', returnAll: true };
	const items = days.map((day) => ({ day }));
	const { items: found } = await run('event.getAll', form, { items, timezone: 'UTC' });
	expect(found.map(({ json }) => json.id)).toEqual(days.map((day) => `evt-${day}`));
	// The same list is read once.
	expect(sandbox().requests).toHaveLength(2);
});

test('a range may begin and end on the same day, in any time zone', async () => {
	const form = { start: '2032-05-02T23:30:00-08:00', end: '2032-05-02' };
	const { error } = await run('event.getAll', form, { timezone: 'America/Los_Angeles' });
	expect(error).toBeUndefined();
	expect(sandbox().requests).toHaveLength(1);
});
