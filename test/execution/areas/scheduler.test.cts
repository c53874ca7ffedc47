// Platform Scheduler: appointments and automated actions.
import { areaOf, byId } from '../host/run.cts';

const { sandbox, run, bodies } = areaOf('platformScheduler');

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

test('a range may begin and end on the same day, and its times are in the zone of the workflow', async () => {
	const form = { start: '2032-05-02T09:00:00', end: '2032-05-02' };
	const { error } = await run('event.getAll', form, { timezone: 'Europe/Berlin' });
	expect(error).toBeUndefined();
	const query = new URLSearchParams(sandbox().requests[0].path.split('?')[1]);
	expect(query.get('start')).toBe('2032-05-02T09:00:00+02:00');
});
