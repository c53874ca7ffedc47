// The alarm of the example that handles paid charges: it sounds for a payment whose customer had no charge handled within a day.
import { startMailServer, type MailServer } from '../../n8n/mailServer.cts';
import { Example } from '../host/example.cts';
import { sandboxFor } from '../host/run.cts';

const sandbox = sandboxFor({ customers: 20 }, 'real');
let mailServer: MailServer;

beforeAll(async () => {
	mailServer = await startMailServer();
});
afterAll(async () => await mailServer.close());

const DETECTED = '2026-04-01T12:00:00.000Z';

test.each([
	['none', undefined, true],
	['the day before', '2026-03-31T11:59:59.000Z', true],
	['within the day', '2026-03-31T12:00:01.000Z', false],
	['later', '2026-04-01T12:30:00.000Z', false],
])('a payment is seen, the last charge was handled: %s', async (_when, lastCharge, sounds) => {
	const example = new Example('23-paid-charges-with-an-alarm.json', sandbox, () => mailServer);
	const { customers } = sandbox().state.customers;
	const { id } = customers.rows[1];
	const properties: Record<string, string> = lastCharge ? { last_charge_paid: lastCharge } : {};
	customers.update(id, { properties });
	const data = { id: 'rec-1', customer_id: id, subscription_reference: 'sub-1' };
	const to = { last_payment_status: 'paid', next_renew: '2026-05-01' };
	const seen = [{ detectedAt: DETECTED, status: 'paid', to, data }];
	const { rows, error } = await example.run({
		'Payment is paid': seen,
		'The delivery may be late': seen,
	});
	expect(error).toBeUndefined();
	const alarm = {
		subscription: 'sub-1',
		customer: id,
		renewal: '2026-05-01',
		lastCharge: lastCharge ?? 'none',
		warning: '',
	};
	expect(rows('Alarm')).toEqual(sounds ? [alarm] : []);
});
