// Platform Webhooks: registrations.
import { told } from '../host/host.cts';
import { areaOf } from '../host/run.cts';

const { run } = areaOf('platformWebhooks');
const ledger = {
	name: 'Ledger',
	url: 'https://receiver.example/in?x=1',
	events: ['RecurringPayments.charge.paid'],
};

test('an event that is not on offer: the error says where those that are stand', async () => {
	const events = ['RecurringPayments.charge.faild'];
	const { error } = await run('webhook.create', { ...ledger, events });
	expect(told(error)).toContain('Some events are not available');
	expect(told(error)).toContain('Choose events that Event Type → Get Many lists.');
});
