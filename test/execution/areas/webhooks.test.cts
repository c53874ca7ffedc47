// Platform Webhooks: registrations and the events on offer.
import { told } from '../host/host.cts';
import { areaOf, byId } from '../host/run.cts';

const { sandbox, run, bodies } = areaOf('platformWebhooks');
const [paid, failed] = ['RecurringPayments.charge.paid', 'RecurringPayments.charge.failed'];

const ledger = { name: 'Ledger', url: 'https://receiver.example/in?x=1', events: [paid] };

test.each([
	['an array', `={{ ["${paid}", "${failed}"] }}`, [paid, failed]],
	['comma-separated text', `=${paid}, ${failed}`, [paid, failed]],
	['one name', `=${failed}`, [failed]],
])('events can come from an expression as %s', async (_case, events, names) => {
	const { items } = await run('webhook.create', { ...ledger, events });
	expect(items[0].json.events).toEqual(names);
	expect(bodies()).toEqual([{ webhook: { ...ledger, events: names } }]);
});

test('an event that is not on offer: the error names those that are, nearest first', async () => {
	const events = ['RecurringPayments.charge.faild'];
	const { error } = await run('webhook.create', { ...ledger, events });
	expect(told(error)).toContain('Some events are not available');
	expect(told(error)).toContain(`Check the events. The API takes ${failed}, ${paid}.`);
	sandbox().faults.add({ kind: 'status', status: 403, path: '/webhooks/types.json' });
	const unread = await run('webhook.create', { ...ledger, events });
	expect(told(unread.error)).toContain('Choose events that Event Type → Get Many lists.');
});

test('an id that would name the event types is refused', async () => {
	const { error } = await run('webhook.get', { webhookId: byId('types') });
	expect(error?.message).toContain('/webhooks/types.json');
	expect(sandbox().requests).toEqual([]);
});
