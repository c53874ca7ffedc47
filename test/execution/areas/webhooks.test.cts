// Platform Webhooks: registrations and the events on offer.
import { told } from '../host/host.cts';
import { areaOf } from '../host/run.cts';

const { sandbox, run } = areaOf('platformWebhooks');
const [paid, failed] = ['RecurringPayments.charge.paid', 'RecurringPayments.charge.failed'];

const ledger = { name: 'Ledger', url: 'https://receiver.example/in?x=1', events: [paid] };

test('an event that is not on offer: the error names those that are, nearest first', async () => {
	const events = ['RecurringPayments.charge.faild'];
	const { error } = await run('webhook.create', { ...ledger, events });
	expect(told(error)).toContain('Some events are not available');
	expect(told(error)).toContain(`Check the events. The API takes ${failed}, ${paid}.`);
	sandbox().faults.add({ kind: 'status', status: 403, path: '/webhooks/types.json' });
	const unread = await run('webhook.create', { ...ledger, events });
	expect(told(unread.error)).toContain('Choose events that Event Type → Get Many lists.');
});
